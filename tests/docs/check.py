#!/usr/bin/env python3
"""Every code block of every page (pages.py) is run, is compiled or run by another test, or says why not. Links are links.py's.

    check.py [--long] [PAGE...]      --long: what the pages mark so, instead of the others

JSON: jobs, steps, studies and tuning files are run by the program, on its native device. Console: each command that begins with "$ " is
run by a shell in a folder with the files of examples.py; what the page shows of its output must have that shape. C++ is compiled by
tests/snippets, Python run by python/tests/test_docs.py. The program is PARALLAX_BIN, the repository PARALLAX_SOURCE.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import examples
import pages
import shape

PROGRAM = pathlib.Path(os.environ["PARALLAX_BIN"]).resolve()
SOURCE = pathlib.Path(os.environ.get("PARALLAX_SOURCE", pathlib.Path(__file__).parents[2])).resolve()
LIMIT_S = 1800   # for a command, on a machine with other work to do
# As root, and with more processes than cores, Open MPI wants to be told.
os.environ |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}


FRAMES = "P5\n4 2\n255\nabcdefgh" * 2   # for jobs that read standard input


def program(arguments, folder, **environment):
    done = subprocess.run([str(PROGRAM), *arguments], cwd=folder, capture_output=True, text=True, timeout=LIMIT_S, input=FRAMES,
                          env={**os.environ, **environment}, errors="replace", check=False)
    if done.returncode != 0:
        raise AssertionError(f"parallax {' '.join(arguments)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Page:
    def __init__(self, folder, files):
        self.folder = folder
        shutil.copytree(files, folder, dirs_exist_ok=True)
        for shared in ("configs", "benchmarks", "examples"):
            os.symlink(SOURCE / shared, folder / shared)
        shutil.copytree(SOURCE / "results", folder / "results")   # pages write into a folder of this name
        self.number = 0

    def fresh(self, stem):
        self.number += 1
        return f"{stem}-{self.number}"

    def job(self, text):
        name = self.fresh("job") + ".json"
        (self.folder / name).write_text(text, encoding="utf-8")
        frames = "-" in json.loads(text).get("outputs", {}).values()   # where they go the shell says
        place = [] if frames else ["--out", self.fresh("out")]
        try:
            program(["run", name, "--device", "native", *place, "--quiet"], self.folder)
        except AssertionError as problem:   # what only a driver can do
            if "does not run on the native backend" not in str(problem):
                raise
            program(["run", name, *place, "--quiet"], self.folder)

    def step(self, step):
        """A step alone: its inputs are arrays of the names that it gives them, its outputs those that are always made."""
        about = json.loads(program(["algorithms", step["run"], "--json"], self.folder))
        names = [step.get("in", {}).get(port["name"], port["name"]) for port in about["inputs"] if port["required"]]
        files = {name: f"{name}.npy" if (self.folder / f"{name}.npy").exists() else "clean.npy" for name in names}
        outputs = {port["name"]: port["name"] + (".npy" if port["kind"] == "array" else ".json") for port in about["outputs"] if port["required"]}
        self.job(json.dumps({"parallax": 1, "inputs": files, "steps": [step], "outputs": outputs}))

    def json(self, block):
        value = json.loads(block.text)
        if "parallax" in value:
            self.job(block.text)
        elif "run" in value:
            self.step(value)
        elif "parallax_study" in value:
            name = self.fresh("study") + ".json"
            (self.folder / name).write_text(block.text, encoding="utf-8")
            program(["compare", name, "--quick", "--device", "native", "--out", self.fresh("report"), "--quiet"], self.folder)
        elif "parallax_tuning" in value:
            folder = self.folder / self.fresh("tuning")
            folder.mkdir()
            (folder / (value["algorithm"] + ".json")).write_text(block.text, encoding="utf-8")
            program(["plan", "my_job.json", "--device", "native"], self.folder, PARALLAX_TUNING=str(folder))
        else:
            raise AssertionError("JSON that is no job, no step, no study and no tuning file")

    def console(self, block, skip):
        commands = []   # each with what is shown after it
        for line in block.text.split("\n"):
            if line.startswith("$ "):
                commands.append([line[2:], ""])
            elif commands:
                commands[-1][1] += line + "\n"
            elif line:
                raise AssertionError("output before the first command")
        state = ""
        for command, shown in commands:
            if skip(command):
                continue
            if command.startswith("export "):
                state += command + "\n"
                continue
            environment = {**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}"}
            done = subprocess.run(["bash", "-c", f"set -o pipefail\n{state}{command}"], cwd=self.folder, capture_output=True, text=True, timeout=LIMIT_S,
                                  stdin=subprocess.DEVNULL, env=environment, errors="replace", check=False)
            said = done.stdout + done.stderr
            failing = shown.lstrip().startswith("error:")
            if (done.returncode == 0) == failing:
                raise AssertionError(f"$ {command}\nstatus {done.returncode}\n{said}")
            if missing := shape.agrees(shown, said):
                raise AssertionError(f"$ {command}\nshown, but not said: {missing}\n{said}")


def check_command_lines(block, options):
    """Also of what is not run: each option of the program is one that it has."""
    for line in block.text.split("\n"):
        for command, rest in re.findall(r"\bparallax (run|plan|compare|report|history|results|rates|tune|selftest|devices|algorithms|init|info|schema)\b([^#&|;]*)", line):
            for option in re.findall(r"(?<=\s)(--[a-z][a-z-]*)", rest):
                if option not in options[command]:
                    raise AssertionError(f"parallax {command} has no {option}")


def elsewhere(block, number):
    """C++ and Python have tests of their own."""
    if block.language == "cpp":
        name = pathlib.Path(block.page).stem.lower()
        source = SOURCE / "tests/snippets" / f"{name}.cpp"
        assert source.exists() and f'#include "{name}/{number}.inc"' in source.read_text(), f"tests/snippets has no {name}/{number}.inc"
        return True
    if pathlib.Path(block.page).stem == "adding-an-algorithm" and block.language in ("c", "json"):   # tests/snippets makes its algorithm
        return True
    return block.language == "python"   # python/tests/test_docs.py takes every page


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--long", action="store_true")
    parser.add_argument("pages", nargs="*")
    chosen = parser.parse_args()
    failures, run, left_out = [], 0, []
    options = {command: set(re.findall(r"--[a-z][a-z-]*", program([command, "--help"], SOURCE))) | {"--verbose", "--help"}
               for command in ("run", "plan", "compare", "report", "history", "results", "rates", "tune", "selftest", "devices", "algorithms", "init", "info", "schema")}
    with tempfile.TemporaryDirectory(prefix="parallax-docs-") as work:
        files = pathlib.Path(work) / "files"
        files.mkdir()
        examples.make(files, lambda arguments, folder: program(["run", *arguments], folder))
        for number, (name, blocks) in enumerate(pages.pages_of(SOURCE).items()):
            if not blocks or (chosen.pages and name not in chosen.pages):
                continue
            page, count = Page(pathlib.Path(work) / str(number), files), {}
            for block in blocks:
                count[block.language] = count.get(block.language, 0) + 1
                try:
                    if block.language == "text" or elsewhere(block, count[block.language]):
                        continue
                    if "file" in block.marks:
                        (page.folder / block.marks["file"]).write_text(block.text, encoding="utf-8")
                    check_command_lines(block, options)
                    never, why = block.left_out("not run")
                    late, _ = block.left_out("long")
                    if never is None:
                        left_out.append(f"{block.place}: {why}")
                        continue
                    left_out += [f"{block.place}: {command}: {why}" for command in never]
                    for command in [*never, *(late or [])]:
                        assert f"$ {command}" in block.text, f"a mark names a command that is not there: {command}"
                    is_late = lambda command: late is None or any(command.startswith(c) for c in late)
                    if block.language == "json":
                        if is_late("") == chosen.long:
                            page.json(block)
                            run += 1
                    elif block.language == "console":
                        page.console(block, lambda command: any(command.startswith(c) for c in never) or is_late(command) != chosen.long)
                        run += 1
                    else:
                        raise AssertionError(f"a block of language \"{block.language}\", which nothing runs: say why, or call it text")
                except (AssertionError, subprocess.TimeoutExpired, ValueError, KeyError) as problem:
                    failures.append(f"{block.place}: {problem}")
    for line in left_out:
        print("not run:", line)
    for failure in failures:
        print("FAILED", failure, file=sys.stderr)
    print(f"{run} blocks run, {len(failures)} failed")
    return 1 if failures or not (run or chosen.pages) else 0


if __name__ == "__main__":
    sys.exit(main())
