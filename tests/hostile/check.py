#!/usr/bin/env python3
"""What files cost that are made to cost much: processor time and memory of `parallax info` and of a job, held to a bound.

    check.py [--show] [--all] [WORD...]      --show: print what each took; WORD: only what has it in "format: name"

A file may cost so much for each byte that it has, and for each byte of the array that it says it holds and may hold (bombs/).
Each run is a child with limits of its own, so that a fault costs this machine nothing. Without --all a quarter of the runs, and
one file of each format at least, drawn by PARALLAX_TEST_SEED (printed). The program is PARALLAX_BIN; where a sanitizer was built
into it, what it says is held against what it should, and not what it takes.
"""

import argparse
import json
import os
import pathlib
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import traceback

import bombs

PROGRAM = pathlib.Path(os.environ["PARALLAX_BIN"]).resolve()
# A program with a sanitizer takes terabytes of addresses, and several times the memory. It is not read here: hundreds of MB of it would
# count as its children's.
SANITIZED = subprocess.run(["grep", "-qF", "__asan_init", PROGRAM], check=False).returncode == 0
# The bound: what the process takes of itself, and so much for each byte declared or in the file.
BASE_BYTES, BYTES_PER_DECLARED, BYTES_PER_FILE = 96 << 20, 4, 8
BASE_S, NS_PER_FILE = 0.5, 500   # and Bomb.ns: a row of one pixel, a page of one pixel are the dearest
TRIES = 3   # the least time counts: what a busy neighbour takes is not the file's
WALL_S, ADDRESSES = 60, 6 << 30   # of a child


def run(arguments, folder):
    """Status, processor time, most memory, and what was said. 137 and 152: killed for the time that it took."""
    said = folder / "said"
    with said.open("wb") as output:
        pid = os.fork()
        if pid == 0:
            try:
                os.chdir(folder)
                os.dup2(output.fileno(), 1)
                os.dup2(output.fileno(), 2)
                if not SANITIZED:
                    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
                resource.setrlimit(resource.RLIMIT_CPU, (WALL_S, WALL_S + 1))
                resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
                os.execve(PROGRAM, [str(PROGRAM), *arguments], {**os.environ, "OCL_ICD_VENDORS": str(folder / "none")})
            finally:
                os._exit(127)
    _, status, used = os.wait4(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, end_of(said)


def end_of(path):
    """The last MB of a text: what is described at length is not kept."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - (1 << 20)))
        return file.read().decode(errors="replace")


def write(bomb, path):
    """The file, or the folder of files, and its bytes without the hole behind them."""
    shutil.rmtree(path, ignore_errors=True)
    # By a child: the system counts what a parent held when it forked as memory of the program that the child becomes, so that this
    # process has to stay small.
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            data = bomb.make()
            for name, part in data.items() if isinstance(data, dict) else [("", data)]:
                (path / name).parent.mkdir(parents=True, exist_ok=True)
                (path / name).write_bytes(part)
            if bomb.holes:
                os.truncate(path, len(data) + bomb.holes)
            status = 0
        except Exception:
            traceback.print_exc()
        finally:
            os._exit(status)
    if os.waitpid(pid, 0)[1] != 0:
        raise RuntimeError(f"{bomb.name}: cannot be made")
    files = [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files) - bomb.holes


def job_of(file, bomb):
    source = {"file": file, "grey": True}
    if bomb.raw:
        source = {"file": file, "raw": bomb.raw}
    return {"parallax": 1, "device": {"backend": "native"}, "inputs": {"array": source},
            "steps": [{"run": "reduce"}], "outputs": {"value": "value.json"}}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("words", nargs="*")
    chosen = parser.parse_args()
    failed = tried = 0
    seed = int(os.environ.get("PARALLAX_TEST_SEED", random.randrange(1 << 32)))
    draw = random.Random(seed)
    print(f"PARALLAX_TEST_SEED={seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="parallax-hostile-") as work:
        folder = pathlib.Path(work)
        for ending, rows in bombs.FORMATS.items():
            certain = draw.choice(rows)   # no format goes without
            for bomb in rows:
                title = f"{ending}: {bomb.name}"
                if not all(word in title for word in chosen.words):
                    continue
                # A job hashes the whole file.
                ways = [way for way, fits in (("info", not bomb.raw), ("run", bomb.holes <= 1 << 33)) if fits] or ["plan"]
                every = chosen.all or chosen.words or bomb is certain
                ways = [way for way in ways if every or draw.random() < .25]
                if not ways:
                    continue
                tried += 1
                path = folder / f"bomb.{ending}"
                length = write(bomb, path)
                size = length + (bomb.holes if bomb.holes <= 2 * bomb.declared else 0)   # a hole is no reason to take longer
                (folder / "job.json").write_text(json.dumps(job_of(path.name, bomb)))
                bound_bytes = BASE_BYTES + BYTES_PER_DECLARED * bomb.declared + BYTES_PER_FILE * size
                bound_s = BASE_S + 1e-9 * (bomb.ns * bomb.declared + NS_PER_FILE * size)
                if SANITIZED:
                    bound_bytes = bound_s = float("inf")
                for way in ways:
                    arguments = {"info": ["info", path.name], "plan": ["plan", "job.json"],
                                 "run": ["run", "job.json", "--overwrite", "--quiet"]}[way]
                    status, seconds, memory, said = run(arguments, folder)
                    for _ in range(TRIES - 1):
                        if seconds <= bound_s or status not in (0, 1, 2):   # what ended badly is not tried until it ends well
                            break
                        status, again_s, again_bytes, said = run(arguments, folder)
                        seconds, memory = min(seconds, again_s), max(memory, again_bytes)
                    problems = []
                    if status not in (0, 1, 2):
                        problems.append(f"status {status}")
                    if status == 1 and "error: " not in said:
                        problems.append("no error is told")
                    if bomb.says and (status != 1 or bomb.says not in said):
                        problems.append(f"it does not say: {bomb.says}")
                    if memory > bound_bytes:
                        problems.append(f"{memory / 1e6:.0f} MB, {bound_bytes / 1e6:.0f} allowed")
                    if seconds > bound_s:
                        problems.append(f"{seconds:.2f} s, {bound_s:.2f} allowed")
                    failed += bool(problems)
                    if problems or chosen.show:
                        words = " ".join(said.split())[:300] if status else "done"
                        print(f"{'FAILED' if problems else 'ok'}: {way} {title}: {length} bytes, {seconds:.2f} s, {memory / 1e6:.0f} MB, "
                              f"status {status}; {'; '.join(problems)}\n    {words}", flush=True)
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    if own > BASE_BYTES / 2:
        failed += 1
        print(f"FAILED: this process took {own / 1e6:.0f} MB, which its children's figures may hold")
    print(f"{tried} files, {failed} failed")
    return 1 if failed or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
