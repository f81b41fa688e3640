#!/usr/bin/env python3
"""Memory, threads and files that the system does not give: the n-th request fails, for n over a whole run of the program.

    shims.py [--draws N] [--seconds S] [--show] SHIM [WORD...]

N failures of each kind in each job (0: every one); WORD: only what has it in "device job kind". Whatever fails, a run ends well,
with the outputs of a run without faults, or with an error that says so, with all outputs or none and without anything that was to
become one; a series keeps the items that are whole. It never crashes, aborts or hangs. SHIM is the library of shim/shim.cpp, the
program PARALLAX_BIN.
"""

import argparse
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import time

PROGRAM = pathlib.Path(os.environ["PARALLAX_BIN"]).resolve()
NATIVE = {"backend": "native"}
POCL = {"platform": "Portable Computing Language"}
HANGS_S = 120
CHILDREN = {"reader": "parallax-read-zarr", "hdf5": "parallax-read-hdf5", "gif": "parallax-read-gif"}   # by the job that is theirs


def npy(path, rows, columns, first=0):
    text = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
    text += " " * (63 - (10 + len(text)) % 64) + "\n"
    pixels = bytes((first + i * 7 + i // 5) % 100 for i in range(rows * columns))
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + pixels)


def zarr(folder):
    """An OME-Zarr of two chunks, of which one is not there: its elements are 0."""
    files = {".zgroup": {"zarr_format": 2},
             ".zattrs": {"multiscales": [{"version": "0.4", "axes": [{"name": name, "type": "space", "unit": "micrometer"} for name in "yx"],
                                          "datasets": [{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [2, 3]}]}]}]},
             "0/.zarray": {"zarr_format": 2, "shape": [20, 24], "chunks": [10, 24], "dtype": "|u1", "compressor": None, "fill_value": 0,
                           "order": "C", "filters": None}}
    (folder / "0").mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(json.dumps(text))
    (folder / "0/1.0").write_bytes(bytes(range(240)))


def jobs(device):
    """Name, job, words of the command line."""
    one = {"parallax": 1, "device": device, "inputs": {"image": "image.npy"}, "steps": [{"id": "blur", "run": "box_filter", "radius": 1}],
           "outputs": {"image": "out/one.npy"}}
    two = {"parallax": 1, "device": device, "inputs": {"image": "image.npy"},
           "steps": [{"run": "threshold", "method": "value", "value": 50}, {"run": "histogram", "in": {"image": "mask"}}],
           "outputs": {"mask": "out/mask.png", "histogram": "out/deep/histogram.npy"}}
    series = {**one, "for_each": {"frame": "frames/*.npy"}, "inputs": {"image": "{frame}"}, "outputs": {"image": "out/{frame.stem}.tif"}}
    for name, job in (("one", one), ("two", two), ("series", series)):
        yield name, job, ["run", "job.json", "--quiet"]
    if device == NATIVE:
        store = {**one, "inputs": {"image": "image.zarr"}, "outputs": {"image": "out/one.nrrd"}}
        yield "store", store, ["run", "job.json", "--quiet"]
        yield "reader", store, ["run", "job.json", "--quiet"]   # the program that reads it
        yield "hdf5", {**one, "outputs": {"image": "out/one.h5"}}, ["run", "job.json", "--quiet"]   # and those that write
        yield "gif", {**one, "outputs": {"image": "out/one.gif"}}, ["run", "job.json", "--quiet"]
        yield "report", one, ["run", "job.json", "--json", "--report", "logs/report.json", "--gallery", "out/page.html"]
    yield "plan", two, ["plan", "job.json"]
    if device == NATIVE:
        yield "info", one, ["info", "image.npy"]


def as_read(path):
    """What is in a file; of one that tells of times, that it is whole."""
    data = path.read_bytes()
    if path.name == "report.json":
        return b"a report" if "parallax_report" in json.loads(data) else data
    return b"a page" if path.name == "page.html" and data.endswith(b"</html>\n") else data


class Place:
    """A folder with the inputs, and what is in it when nothing has run."""

    def __init__(self, folder, job):
        self.folder = folder
        (folder / "frames").mkdir(parents=True)
        (folder / "logs").mkdir()
        npy(folder / "image.npy", 40, 48)
        zarr(folder / "image.zarr")
        for frame in range(3):
            npy(folder / "frames" / f"f{frame}.npy", 24, 32, frame)
        (folder / "job.json").write_text(json.dumps(job))
        self.before = self.files()

    def files(self):
        return {str(path.relative_to(self.folder)): as_read(path) if path.is_file() else b"" for path in self.folder.rglob("*")}

    def new(self):
        return {name: data for name, data in self.files().items() if name not in self.before}

    def clear(self):
        for path in [*self.folder.iterdir(), *(self.folder / "logs").iterdir()]:
            if str(path.relative_to(self.folder)) not in self.before:
                shutil.rmtree(path) if path.is_dir() else path.unlink()


class Sweep:
    def __init__(self, shim, work):
        self.shim, self.work, self.executable, self.program = shim, work, PROGRAM, PROGRAM.name
        self.environment = {**os.environ, "PARALLAX_CACHE_DIR": str(work / "cache"), "POCL_CACHE_DIR": str(work / "pocl"), "TMPDIR": str(work / "tmp")}
        for name in ("cache", "pocl", "tmp"):
            (work / name).mkdir()

    def run(self, place, words, wish=None, own=False):
        environment = dict(self.environment)
        if wish:
            environment |= {"LD_PRELOAD": str(self.shim), "PARALLAX_SHIM": wish, "PARALLAX_SHIM_PROGRAM": self.program,
                            "PARALLAX_SHIM_COUNT": str(self.work / "count")}
            if own:
                environment["PARALLAX_SHIM_OWN"] = "1"
        printed = self.work / "printed"
        try:
            with open(printed, "wb") as out:   # a file, which may be lost when it is closed
                done = subprocess.run([str(self.executable), *words], cwd=place.folder, env=environment, stdout=out, stderr=subprocess.PIPE,
                                      timeout=HANGS_S, stdin=subprocess.DEVNULL, check=False)
        except subprocess.TimeoutExpired:
            return None, "", ""
        return done.returncode, printed.read_text(errors="replace"), done.stderr.decode(errors="replace")

    def count(self, place, words, kind, least, own):
        (self.work / "count").unlink(missing_ok=True)
        self.run(place, words, f"{kind}:0:{least}", own)
        place.clear()
        told = self.work / "count"
        return int(told.exists() and told.read_text() or 120)   # a reader may be ended before it could tell

    @staticmethod
    def problems(status, said, new, wanted, is_series):
        if status is None:
            return ["it hangs"]
        if status not in (0, 1, 2):
            return [f"status {status}"]
        folders = {name for name, data in new.items() if data == b""}
        # The record of a series is there to stay; its files have the process's number in their names.
        left = {name: data for name, data in new.items() if name not in folders and not (is_series and ".series/" in name)}
        if status == 0:
            differ = [name for name in wanted if wanted[name] and not is_series and left.get(name) != wanted[name]]
            differ += [name for name in wanted if is_series and name.endswith(".tif") and left.get(name) != wanted[name]]
            return ([f"{differ} differ or are not there"] if differ else []) + [f"{name} is left" for name in left if name not in wanted]
        found = [] if "error: " in said or " failed:" in said else ["no error is told"]
        if is_series:   # items that are whole stay, and the record of them
            found += [f"{name} is left" for name in left if name not in wanted]
            found += [f"{name} is not whole" for name in left if name.endswith(".tif") and left[name] != wanted.get(name)]
        elif left != {name: data for name, data in wanted.items() if data}:   # all are there where what comes behind them fails
            found += [f"{name} is left" for name in left]
        return found


def tell(problems, seen, where, said):
    """Each problem of one fault, three times at most; `seen` counts them."""
    for problem in problems:
        if seen.setdefault(problem, 0) < 3:
            print(f"FAILED: {where}: {problem}: {' '.join(said.split())[:300]}", flush=True)
        seen[problem] += 1


def openings(sweep):
    """How often a job opens each of the files that it lists before it reads them, and ends a stream on it: there may be a hundred
    thousand."""
    first = {"parallax": 1, "device": NATIVE, "steps": [{"run": "box_filter", "radius": 1}], "outputs": {"image": "out/one.npy"}}
    place = Place(sweep.work / "openings", first)
    files = [f"frames/g{frame}.npy" for frame in range(300)]
    for frame, file in enumerate(files):
        npy(place.folder / file, 24, 32, frame)

    def opened(count, each, words):
        inputs = {"image": "{frame}"} if each else {"image": {"files": files[:count], "combine": "mean"}}
        each_of = {"for_each": {"frame": files[:count]}, "outputs": {"image": "out/{frame.stem}.npy"}} if each else {}
        (place.folder / "job.json").write_text(json.dumps({**first, "inputs": inputs, **each_of}))
        status, _, said = sweep.run(place, ["plan", "job.json", "--out", "out", *words], "files:0:0")
        assert status == 0, said
        return int((sweep.work / "count").read_text())

    wrong = 0
    for each, words, most in ((False, [], 2), (False, ["--confined"], 4), (True, [], 0), (True, ["--confined"], 1)):
        per_file = (opened(300, each, words) - opened(100, each, words)) / 200
        if per_file > most:
            wrong += 1
            print(f"FAILED: of a {'series' if each else 'job'} {words} each file is opened and closed {per_file} times before it is read, not {most}")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("shim")
    parser.add_argument("--draws", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("words", nargs="*")
    chosen = parser.parse_args()
    failed = tried = errors = 0
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="parallax-shims-") as work:
        sweep = Sweep(pathlib.Path(chosen.shim).resolve(), pathlib.Path(work))
        for device_name, device in (("native", NATIVE), ("pocl", POCL)):
            if device == POCL and not pathlib.Path("/etc/OpenCL/vendors/pocl.icd").exists():
                continue
            for name, job, words in jobs(device):
                place = Place(sweep.work / f"{device_name}-{name}", job)
                sweep.program = CHILDREN.get(name, PROGRAM.name)
                sweep.run(place, words)   # compiles what there is to compile
                place.clear()
                status, printed, said = sweep.run(place, words)
                assert status == 0, f"{device_name} {name}: {said}"
                wanted = place.new()
                place.clear()
                # PoCL and LLVM end the process where they get no memory: of a process with them, what is ours fails.
                own = device == POCL
                for kind, least, on in (("memory", 1, ""), ("memory", 4096, ":on"), ("threads", 0, ""),
                                        ("threads", 0, ":on"), ("files", 0, ""), ("files", 0, ":on"),
                                        ("looks", 0, ""), ("looks", 0, ":on"), ("closings", 0, ""), ("closings", 0, ":on")):
                    title = f"{device_name} {name} {kind}{on}"
                    if not all(word in title for word in chosen.words) or (name, kind) == ("reader", "closings"):   # it writes none
                        continue
                    count = sweep.count(place, words, kind, least, own)
                    step = max(1, -(-count // chosen.draws)) if chosen.draws else 1
                    seen = {}
                    for nth in range(1, count + 1, step):
                        if chosen.seconds and time.monotonic() - begun > chosen.seconds:
                            break
                        status, told, said = sweep.run(place, words, f"{kind}:{nth}:{least}{on}", own)
                        problems = sweep.problems(status, said, place.new(), wanted, name == "series")
                        if status == 0 and name == "info" and told != printed:
                            problems.append("what was printed is not whole")
                        if problems and status == 1 and kind == "looks" and any(file.endswith(".journal") for file in place.new()):
                            # What nobody could see any more could go neither on nor back: the next run sees to it.
                            status, _, said = sweep.run(place, words)
                            problems = sweep.problems(status, said, place.new(), wanted, name == "series")
                        place.clear()
                        tried += 1
                        errors += status in (1, 2)
                        failed += bool(problems)
                        tell(problems, seen, f"{title} {nth} of {count}", said)
                    if chosen.show:
                        print(f"{title}: {count} requests, one in {step} failed; {seen or 'no problem'}", flush=True)
        sweep.program = PROGRAM.name
        failed += openings(sweep)
        left = [str(path) for path in (sweep.work / "tmp").iterdir()]
        if left:
            failed += 1
            print(f"FAILED: left in the folder of temporary files: {left[:5]}")
    print(f"{tried} faults, {errors} errors, {failed} failed")
    return 1 if failed or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
