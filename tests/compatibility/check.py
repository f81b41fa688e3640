#!/usr/bin/env python3
"""Documents of earlier versions are read today: what docs/compatibility.md promises.

    check.py                   PARALLAX_BIN is the program
    check.py --words FILE      writes the words of today, for the folder of a version that is being released

A folder holds what a version wrote or took, as it did; nothing in it follows a change of names.
    frames.json, named.json      series, with the heads of their manifests in folders; the second names a variant
    report.json                  of a job; its member `job` is a job
    study.json, comparison.json  a study, and what `compare` made of it
    tuning/                      tuning files
    words.json                   of each algorithm: variants with the fields of their policies, keys, words of choices
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "docs"))
import examples  # noqa: E402

PROGRAM = os.environ["PARALLAX_BIN"]
# What a step needs besides its inputs.
NEEDED = {"hologram": {"wavelength_nm": 532, "pixel_um": 1.4, "distance_um": 1000}}
FRAMES = {f"frame{i}.pgm": b"P5\n8 6\n255\n" + bytes((40 * i + 5 * j) % 256 for j in range(48)) for i in range(3)}


def program(folder, *arguments, **environment):
    return subprocess.run(
        [PROGRAM, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **environment},
        errors="replace",
        check=False,
    )


def algorithms(folder):
    return {one["name"]: one for one in json.loads(program(folder, "algorithms", "--json").stdout)}


def words_of(about):
    words = {}
    for name, one in about.items():
        choices = {
            field["key"]: field["type"].removeprefix("one of ").split(" | ")
            for field in one["parameters"]
            if field["type"].startswith("one of ")
        }
        words[name] = {
            "variants": {variant["name"]: [field["name"] for field in variant["policy"]] for variant in one["variants"]},
            "keys": sorted(key for field in one["parameters"] for key in field["keys"]),
            "choices": choices,
        }
    return words


def step_of(about, **more):
    """A job of one step, on small files of the names of its inputs."""
    name = about["name"]
    names = [port["name"] for port in about["inputs"] if port["required"]]
    inputs = {
        port: {"array": "signal.npy" if name == "fft" else "counts.npy", "keys": "keys.npy"}.get(port, "image.png")
        for port in names
    }
    outputs = {
        port["name"]: port["name"] + (".npy" if port["kind"] == "array" else ".json")
        for port in about["outputs"]
        if port["required"]
    }
    return {"parallax": 1, "inputs": inputs, "steps": [{"run": name, **NEEDED.get(name, {}), **more}], "outputs": outputs}


class Version:
    def __init__(self, documents, work):
        self.documents, self.work, self.failures = documents, work, []
        for name, text in FRAMES.items():
            (work / name).write_bytes(text)
        examples.make(work, lambda arguments, folder: program(folder, "run", *arguments).check_returncode())
        self.about = algorithms(work)

    def expect(self, done, what, says=""):
        if done.returncode != 0 or says not in done.stdout + done.stderr:
            self.failures.append(f"{what}: status {done.returncode}\n{done.stdout}{done.stderr}")

    def unknown(self, job, found):
        """What the program says of the job, if it does not know the word that stands there."""
        (self.work / "try.json").write_text(json.dumps(job), encoding="utf-8")
        done = program(self.work, "plan", "try.json", "--device", "native")
        return done.stderr if done.returncode == 2 and found in done.stderr and "expected  one of" in done.stderr else ""

    def words(self):
        for name, known in json.loads((self.documents / "words.json").read_text(encoding="utf-8")).items():
            if name not in self.about:
                self.failures.append(f"no algorithm {name}")
                continue
            about = self.about[name]
            keys = {key for field in about["parameters"] for key in field["keys"]}
            self.failures += [f"{name}: no parameter {key}" for key in known["keys"] if key not in keys]
            for variant, policy in known["variants"].items():
                found = self.unknown(step_of(about, variant=variant), f'the string "{variant}"')
                for field in policy:
                    found += self.unknown(step_of(about, variant=variant, policy={field: 1}), f'the unknown policy "{field}"')
                if found:
                    self.failures.append(f"{name}: variant {variant}: {found}")
            for key, choices in known["choices"].items():
                for word in choices:
                    if found := self.unknown(step_of(about, **{key: word}), f'the string "{word}"'):
                        self.failures.append(f"{name}: {key} {word}: {found}")

    def all(self):
        for name in ("frames.json", "named.json", "study.json", "comparison.json", "report.json"):
            shutil.copy(self.documents / name, self.work)
        for name in ("frames", "named"):
            shutil.copytree(self.documents / f"{name}.series", self.work / f"out/{name}.series")
            done = program(self.work, "run", f"{name}.json", "--out", "out", "--resume")
            self.expect(done, f"a series goes on by an earlier manifest, {name}.series", "3 of 3 items done")
        again = json.loads((self.work / "report.json").read_text(encoding="utf-8"))["job"]
        (self.work / "again.json").write_text(json.dumps(again), encoding="utf-8")
        self.expect(program(self.work, "run", "again.json", "--out", "again"), "the job of an earlier report")
        self.expect(
            program(self.work, "compare", "study.json", "--quick", "--device", "native", "--out", "compared"),
            "an earlier study",
        )
        self.expect(program(self.work, "report", "comparison.json", "--out", "told"), "an earlier report of a comparison")
        self.expect(
            program(self.work, "plan", "my_job.json", PARALLAX_TUNING=str(self.documents / "tuning")), "earlier tuning files"
        )
        self.words()
        return self.failures


def main():
    if "--words" in sys.argv:
        text = json.dumps(words_of(algorithms(".")), indent=1)
        text = re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda found: "[" + " ".join(found[1].split()) + "]", text)
        pathlib.Path(sys.argv[sys.argv.index("--words") + 1]).write_text(text + "\n", encoding="utf-8")
        return 0
    count = 0
    for documents in sorted(path for path in HERE.iterdir() if path.is_dir() and path.name[0].isdigit()):
        with tempfile.TemporaryDirectory(prefix="parallax-earlier-") as work:
            for failure in Version(documents, pathlib.Path(work)).all():
                print("FAILED", documents.name, failure, file=sys.stderr)
                count += 1
        print(f"{documents.name}: read")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
