#!/usr/bin/env python3
"""The likeliest mistakes: what the program says to each, with which exit status, and that nothing is left behind.

    check.py [--show] [WORD...]      --show: print each message; WORD: only mistakes whose names have it

A row of messages.json has the mistake's name, the exit status and what the message must say. The job is a small one, changed by `job` as
by a merge patch (RFC 7396), with `step` in place of its one step; or it is `text` or `bytes` (in hexadecimal). `args` come behind
`parallax run job.json`, `line` in the place of all that. Every device but the native one is out of sight: a mistake is found before one is
opened, or told by the native one as well. The program is PARALLAX_BIN.
"""

import argparse
import array
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import files

PROGRAM = pathlib.Path(os.environ["PARALLAX_BIN"]).resolve()
SOURCE = pathlib.Path(__file__).resolve().parents[2]
BASE = {"parallax": 1, "device": {"backend": "native"}, "inputs": {"image": "image.npy"},
        "steps": [{"id": "blur", "run": "box_filter", "radius": 1}], "outputs": {"image": "out.npy"}}


def merged(document, patch):
    if not isinstance(patch, dict):
        return patch
    result = dict(document) if isinstance(document, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def program(arguments, folder, environment=None):
    return subprocess.run([str(PROGRAM), *arguments], cwd=folder, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL,
                          env={**os.environ, "OCL_ICD_VENDORS": str(folder / "empty_folder"), **(environment or {})}, errors="replace", check=False)


def job_of(row):
    if "bytes" in row:
        return bytes.fromhex(row["bytes"])
    if "text" in row:
        return row["text"].encode()
    job = dict(BASE)
    if "step" in row:
        job["steps"] = [row["step"]]
    return json.dumps(merged(job, row.get("job", {}))).encode()


def listing(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def try_row(row, made, folder):
    """What is wrong with what the program does; nothing if all is well."""
    shutil.copytree(made, folder, symlinks=True)
    (folder / "locked").mkdir()
    (folder / "locked").chmod(0o500)
    (folder / "job.json").write_bytes(job_of(row))
    before = listing(folder)
    done = program(row.get("line") or ["run", "job.json", *row.get("args", [])], folder, row.get("env"))
    said = done.stderr
    problems = []
    if done.returncode != row["status"]:
        problems.append(f"status {done.returncode}, not {row['status']}")
    if done.stdout:
        problems.append("it prints on stdout")
    if not said.startswith("error: "):
        problems.append("it does not begin with \"error: \"")
    problems += [f"it does not say: {words}" for words in row["says"] if words not in said]
    if listing(folder) != before:
        problems.append(f"it leaves {sorted(set(listing(folder)) ^ set(before))}")
    (folder / "locked").chmod(0o700)
    shutil.rmtree(folder)
    return problems, said


# What is no single mistake.

def init_has_inputs(folder):
    """A job to begin with has an input wherever the algorithm has any."""
    for algorithm in json.loads(program(["algorithms", "--json"], folder).stdout):
        job = json.loads(program(["init", algorithm["name"]], folder).stdout)
        given = [name for name in job.get("inputs", {}) if not name.startswith("//")]
        assert bool(given) == bool(algorithm["inputs"]), f"init {algorithm['name']} has the inputs {given}"


def resumed_with_another_pixel(folder):
    """The answer is in the unit that it names, whichever the question was in."""
    job = {"parallax": 1, "device": {"backend": "native"}, "for_each": {"frame": "frames/*.npy"}, "inputs": {"hologram": "{frame}"},
           "steps": [{"id": "r", "run": "hologram", "wavelength_nm": 532, "pixel_um": 1.4, "distance_um": 100, "padding": "none"}], "outputs": {"amplitude": "o/{frame.stem}.npy"}}
    (folder / "series.json").write_text(json.dumps(job))
    first = program(["run", "series.json"], folder)
    assert first.returncode == 0, first.stderr
    again = program(["run", "series.json", "--resume", "--set", "r.pixel_nm=40"], folder)
    assert again.returncode == 2, again.stderr
    for words in ("pixel of 0.04 um", "pixel of 1.4 um", "--overwrite"):
        assert words in again.stderr, again.stderr


def compilers_are_silent(folder):
    """A kernel that a compiler warns of says nothing on stderr: PoCL's clang would count its warnings there."""
    kernels = folder / "kernels"
    shutil.copytree(SOURCE / "kernels_cl", kernels)
    with (kernels / "box_filter/simd.cl").open("a") as kernel:
        kernel.write("\n#warning a warning\n")
    (folder / "job.json").write_text(json.dumps({**BASE, "device": {"type": "cpu"}}))
    environment = {"PARALLAX_KERNEL_DIR": str(kernels), "PARALLAX_CACHE_DIR": "off"}
    if "OCL_ICD_VENDORS" in os.environ:
        environment["OCL_ICD_VENDORS"] = os.environ["OCL_ICD_VENDORS"]
    done = program(["run", "job.json", "--quiet"], folder, environment)
    assert done.returncode == 0 and done.stderr == "", f"status {done.returncode}: {done.stderr}"


def one_file_by_two_names(folder):
    """Two outputs that a link makes one are refused."""
    (folder / "real").mkdir()
    (folder / "link").symlink_to("real")
    (folder / "job.json").write_text(json.dumps({**BASE, "outputs": {"image": "real/a.npy", "b": {"of": "image", "file": "link/a.npy"}}}))
    done = program(["run", "job.json"], folder)
    assert done.returncode == 2 and "a second time" in done.stderr, f"status {done.returncode}: {done.stderr}"


def dots_behind_a_link(folder):
    """To the system "link/.." is another folder than by its text: refused in a job and in options. Other ".." is as it was."""
    for name in ("real", "other/deep"):
        (folder / name).mkdir(parents=True)
    (folder / "link").symlink_to("other/deep")
    (folder / "beside").symlink_to("real")
    refused = [("link/../image.npy", []), ("real/../link/./../image.npy", []), ("link/sub/../../image.npy", []), ("link/../*.npy", []),
               ("link/../image.npy", ["--confined"]), ("image.npy", ["--out", "link/.."]), ("image.npy", ["--root", "data=link/.."]),
               ("image.npy", ["--in", "image=link/../image.npy"]), ("image.npy", ["--report", "link/../report.json"])]
    for path, options in (*refused, ("real/../image.npy", []), ("beside/../image.npy", []), ("none/../image.npy", []), ("image.npy", ["--out", "none/../real"])):
        entry = {"files": path, "combine": "mean"} if "*" in path else path
        (folder / "job.json").write_text(json.dumps({**BASE, "inputs": {"image": entry}}))
        done = program(["run", "job.json", "--overwrite", *options], folder)
        right = done.returncode == 2 and "behind the symbolic link" in done.stderr if (path, options) in refused else done.returncode == 0
        assert right, f"{path} {options}: status {done.returncode}: {done.stderr}"


def working_folder_gone(folder):
    """What is relative to it cannot be found, and the rest is."""
    (folder / "job.json").write_text(json.dumps(BASE))
    for options, status in (([], 1), (["--out", "out"], 1), (["--in", "image=image.npy"], 1), (["--out", str(folder / "out")], 0)):
        words = [str(PROGRAM), "run", str(folder / "job.json"), *options]
        done = subprocess.run(["sh", "-c", 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', "sh", *words], cwd=folder,
                              capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == status, f"{options}: status {done.returncode}: {done.stderr}"
        assert status == 0 or all(words in done.stderr for words in ("the working folder", "is gone", "absolute paths")), done.stderr


def crowds(folder):
    """100,000 inputs are refused at once, not after half a minute."""
    (folder / "job.json").write_text(json.dumps({**BASE, "inputs": {f"i{n}": "image.npy" for n in range(100000)}}))
    done = program(["run", "job.json"], folder)
    assert done.returncode == 2 and "more than 10000 members" in done.stderr, f"status {done.returncode}: {done.stderr}"


def stopped_while_hashing(folder):
    """A file of which little is read is hashed as a whole: a stop is heard meanwhile."""
    with (folder / "sparse.pgm").open("wb") as sparse:
        sparse.write(b"P5\n10 10\n255\n" + bytes(100))
        sparse.truncate(1 << 40)
    (folder / "job.json").write_text(json.dumps({**BASE, "inputs": {"image": "sparse.pgm"}}))
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        run = subprocess.Popen([str(PROGRAM), "run", "job.json"], cwd=folder, stderr=subprocess.PIPE, text=True)
        time.sleep(1)
        assert run.poll() is None, run.stderr.read()
        run.send_signal(number)
        _, said = run.communicate(timeout=60)
        left = [name for name in listing(folder) if "out.npy" in name]
        assert run.returncode > 0 and "stopped" in said and not left, f"{number}: status {run.returncode}, left {left}: {said}"


def beyond_the_limit_of_files(folder):
    """ulimit -f: an error that is told, and nothing is left."""
    (folder / "job.json").write_text(json.dumps({**BASE, "inputs": {"image": "big.pgm"}}))
    (folder / "big.pgm").write_bytes(b"P5\n1000 1000\n255\n" + bytes(1000000))
    done = subprocess.run([str(PROGRAM), "run", "job.json"], cwd=folder, capture_output=True, text=True, timeout=300, check=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000)))
    left = [name for name in listing(folder) if "out.npy" in name]
    assert done.returncode == 1 and "out.npy" in done.stderr and not left, f"status {done.returncode}, left {left}: {done.stderr}"


def report_beyond_the_limit_of_files(folder):
    """A report that cannot be written keeps the outputs from appearing, also where they have room, and old ones stay."""
    (folder / "logs").mkdir()
    for old in (False, True):
        (folder / "job.json").write_text(json.dumps(BASE))
        if old:
            (folder / "out.npy").write_text("old")
        done = subprocess.run([str(PROGRAM), "run", "job.json", "--report", "logs/run.json", *(["--overwrite"] if old else [])], cwd=folder, capture_output=True,
                              text=True, timeout=300, check=False, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2500, 2500)))
        assert done.returncode == 1 and "logs/run.json" in done.stderr, f"status {done.returncode}: {done.stderr}"
        out = folder / "out.npy"
        assert (out.read_text() == "old") if old else not out.exists(), "there is a new output"
        left = [name for name in listing(folder) if ".parallax" in name or "run.json" in name]
        assert not left, f"left {left}"


def report_in_a_store(folder):
    """A store is replaced with all that is in it: not with the report of the run that writes it."""
    job = {**BASE, "outputs": {"image": "image.ome.zarr"}}
    series = {**job, "for_each": {"frame": "image.npy"}, "inputs": {"image": "{frame}"}, "outputs": {"image": "{frame.stem}.ome.zarr"}}
    for text in (job, series):
        (folder / "job.json").write_text(json.dumps(text))
        for words in ([], ["--overwrite"]):
            done = program(["run", "job.json", *words], folder)
            assert done.returncode == 0, done.stderr
            for option in ("--report", "--gallery"):
                done = program(["run", "job.json", "--overwrite", option, "image.ome.zarr/run.html"], folder)
                assert done.returncode == 2 and "is in an output" in done.stderr, f"status {done.returncode}: {done.stderr}"
            shutil.rmtree(folder / "job.series", ignore_errors=True)
        shutil.rmtree(folder / "image.ome.zarr")


def report_over_the_records(folder):
    """No report takes the place of what a series keeps, and one beside that is as good as any."""
    series = {**BASE, "for_each": {"frame": "image.npy"}, "inputs": {"image": "{frame}"}, "outputs": {"image": "{frame.stem}-o.npy"}}
    (folder / "job.json").write_text(json.dumps(series))
    assert program(["run", "job.json", "--report", "job.series/report.json"], folder).returncode == 0
    records = [path.name for path in (folder / "job.series").iterdir() if path.name != "report.json"]
    for name in records + ["items-new.jsonl"]:
        done = program(["run", "job.json", "--resume", "--report", f"job.series/{name}"], folder)
        assert done.returncode == 2 and "a record of the series" in done.stderr, f"{name}: status {done.returncode}: {done.stderr}"
    assert program(["run", "job.json", "--resume", "--report", "job.series/report.json"], folder).returncode == 0
    assert "1 items done" in program(["series", "check", "job.series"], folder).stdout


def stdout_that_is_replaced(folder):
    """What is printed into a file that the run replaces would be lost."""
    series = {**BASE, "for_each": {"frame": "image.npy"}, "inputs": {"image": "{frame}"}, "outputs": {"image": "{frame.stem}-o.npy"}}
    for text in ({**BASE, "outputs": {"image": "image-o.npy"}}, series):
        (folder / "job.json").write_text(json.dumps(text))
        for name, words in (("image-o.npy", ["--json"]), ("image-o.npy", []), ("run.json", ["--json", "--report", "run.json"])):
            with (folder / name).open("w") as out:
                done = subprocess.run([str(PROGRAM), "run", "job.json", "--overwrite", *words], cwd=folder, stdout=out, stderr=subprocess.PIPE, text=True,
                                      timeout=300, check=False)
            assert done.returncode == 2 and "standard output" in done.stderr, f"status {done.returncode}: {done.stderr}"
            (folder / name).unlink()


def as_open_as_before(folder):
    """What replaces a file that others may not read is no more open to them."""
    (folder / "job.json").write_text(json.dumps({**BASE, "outputs": {"image": "o.npy", "store": {"of": "image", "file": "o.ome.zarr"}}}))
    names = ("o.npy", "run.json", "o.ome.zarr")
    for mode in (None, 0o700, 0o750):
        done = program(["run", "job.json", "--overwrite", "--report", "run.json"], folder)
        assert done.returncode == 0, done.stderr
        for name in names:
            now = (folder / name).stat().st_mode & 0o077
            assert mode is None or now == mode & 0o077, f"{name}: {now:o}"
            (folder / name).chmod(0o700 if mode is None else 0o750)


def words_of_files_on_a_terminal(folder):
    """What a file says is shown, and no terminal obeys it: notes, units and warnings, as text and as JSON."""
    note = "a \x1b]0;title\x07 \x9b31m \x7f"
    (folder / "note.nrrd").write_bytes(f'NRRD0004\ntype: uchar\ndimension: 2\nsizes: 16 16\nencoding: raw\ncontent: {note}\nspacings: 2 2\n'
                                       'units: "\x1b[31mell" "\x1b[31mell"\n\n'.encode() + bytes(256))
    (folder / "job.json").write_text(json.dumps({**BASE, "inputs": {"image": "note.nrrd"}}))
    for words in (["info", "note.nrrd"], ["info", "--json", "note.nrrd"], ["plan", "job.json"], ["run", "job.json"]):
        done = program(words, folder)
        said = done.stdout + done.stderr
        assert done.returncode == 0 and "[31mell" in said, f"{words}: status {done.returncode}: {said!r}"
        obeyed = {c for c in said if (ord(c) < 0x20 and c not in "\n\t") or 0x7f <= ord(c) < 0xa0}
        assert not obeyed, f"{words}: {obeyed} in {said!r}"
        if "--json" in words:
            assert json.loads(done.stdout)["notes"]["nrrd.content"] == note, done.stdout


def a_job_is_no_input(folder):
    """The hint for an input that is missing is not the job, nor what else is JSON."""
    for inputs, expected in (("job.jso", "relative"), ({"files": "only/*.tif", "combine": "mean"}, "no files but .json")):
        (folder / "only").mkdir(exist_ok=True)
        (folder / "only/job.json").write_text("{}")
        (folder / "job.json").write_text(json.dumps({**BASE, "inputs": {"image": inputs}}))
        done = program(["run", "job.json"], folder)
        said = done.stderr.replace("in job.json", "")
        assert done.returncode == 2 and expected in said and "job.json" not in said, f"status {done.returncode}: {done.stderr}"


def store_beyond_the_limit_of_files(folder):
    """The same of a folder: none of its files is left."""
    (folder / "job.json").write_text(json.dumps({**BASE, "inputs": {"image": "big.pgm"}, "outputs": {"image": "deep/out.ome.zarr"}}))
    (folder / "big.pgm").write_bytes(b"P5\n1000 1000\n255\n" + bytes(1000000))
    before = listing(folder)
    done = subprocess.run([str(PROGRAM), "run", "job.json"], cwd=folder, capture_output=True, text=True, timeout=300, check=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000)))
    left = sorted(set(listing(folder)) ^ set(before))
    assert done.returncode == 1 and "out.ome.zarr" in done.stderr and not left, f"status {done.returncode}, left {left}: {done.stderr}"


def store_in_which_an_input_lies(folder):
    """A store is replaced with all that is in it: not with what the job reads."""
    (folder / "job.json").write_text(json.dumps({**BASE, "inputs": {"image": "store.ome.zarr/inner.npy"}, "outputs": {"image": "store.ome.zarr"}}))
    shutil.copy(folder / "image.npy", folder / "store.ome.zarr" / "inner.npy")
    done = program(["run", "job.json", "--overwrite"], folder)
    assert done.returncode == 2 and "in which the input" in done.stderr, f"status {done.returncode}: {done.stderr}"


def extreme_numbers(folder):
    """A number that f32 does not hold is refused, or makes nothing infinite and no NaN: for each number among the parameters of each
    algorithm that makes an array, an image of one value, where it divides zeros, and one of many."""
    files.npy(folder / "flat.npy", (12, 16), "f4", [0.0] * 192)
    files.npy(folder / "many.npy", (12, 16), "f4", [(i * 7 % 101) / 101 for i in range(192)])
    files.npy(folder / "mask.npy", (12, 16), "u1", [i % 2 for i in range(192)])
    more = {"hologram": {"wavelength_nm": 532, "pixel_um": 1, "distance_um": 100}, "hologram_simulate": {"width": 16, "height": 12}, "phantom": {"size": 6},
            "noise": {"kind": "speckle"}, "mask": {}}
    found, tried = [], 0

    def run(number, algorithm, change, image):
        array = next(output["name"] for output in algorithm["outputs"] if output["kind"] == "array")
        inputs = {i["name"]: "mask.npy" if i["name"] == "mask" else image for i in algorithm["inputs"] if i["required"]}
        job = {"parallax": 1, "device": {"backend": "native"}, "inputs": inputs, "steps": [{"run": algorithm["name"], **more.get(algorithm["name"], {}), **change}],
               "outputs": {array: f"{number}.npy"}}
        (folder / f"{number}.json").write_text(json.dumps(job))
        done = program(["run", f"{number}.json", "--quiet"], folder)
        if done.returncode == 2:
            return ""
        if done.returncode != 0:
            return f"{job['steps'][0]} of {image}: status {done.returncode}: {done.stderr}"
        data = (folder / f"{number}.npy").read_bytes()
        head, _, elements = data.partition(b"\n")
        values = array_of(elements) if b"'<f4'" in head else []
        bad = sum(1 for value in values if value != value or abs(value) == float("inf"))
        return f"{job['steps'][0]} of {image}: {bad} of {len(values)} elements are not finite" if bad else ""

    def array_of(elements):
        values = array.array("f")
        values.frombytes(elements)
        return values

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        tries = []
        for algorithm in json.loads(program(["algorithms", "--json"], folder).stdout):
            if not any(output["kind"] == "array" for output in algorithm["outputs"]):
                continue
            changes = [{p["key"]: value} for p in algorithm["parameters"] if p["type"].startswith(("number", "length")) for value in EXTREMES]
            if algorithm["name"] == "arithmetic":
                changes += [{"op": "clamp", "range": {"low": low, "high": high}} for low in EXTREMES for high in EXTREMES if low <= high]
            for change in changes:
                for image in ("flat.npy", "many.npy") if any(i["required"] for i in algorithm["inputs"]) else ("",):
                    tries.append(pool.submit(run, len(tries), algorithm, change, image))
        found = [said for said in (one.result() for one in tries) if said]
        tried = len(tries)
    assert tried > 100 and not found, f"{len(found)} of {tried}: " + "; ".join(found[:8])


EXTREMES = (1e39, -1e39, 1e300, -1e300, 1e-50, -1e-50, 1e-300)
OTHERS = (extreme_numbers, one_file_by_two_names, dots_behind_a_link, working_folder_gone, crowds, stopped_while_hashing, beyond_the_limit_of_files, report_beyond_the_limit_of_files, report_in_a_store, report_over_the_records, stdout_that_is_replaced, as_open_as_before, store_beyond_the_limit_of_files, a_job_is_no_input, words_of_files_on_a_terminal, store_in_which_an_input_lies, init_has_inputs, resumed_with_another_pixel, compilers_are_silent)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--show", action="store_true")
    parser.add_argument("words", nargs="*")
    chosen = parser.parse_args()
    rows = json.loads((pathlib.Path(__file__).parent / "messages.json").read_text())
    assert len({row["mistake"] for row in rows}) == len(rows), "two mistakes of one name"
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    failed = tried = 0
    with tempfile.TemporaryDirectory(prefix="parallax-messages-") as work:
        work = pathlib.Path(work)
        made = work / "made"
        made.mkdir()

        def make(job):
            (made / "make.json").write_text(json.dumps(job))
            done = program(["run", "make.json", "--quiet"], made)
            assert done.returncode == 0, done.stderr
            (made / "make.json").unlink()

        files.make(made, make)
        wanted = [row for row in rows if all(word in row["mistake"] for word in chosen.words) and not (row.get("no_root") and is_root)]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            tries = [(row, pool.submit(try_row, row, made, work / str(number))) for number, row in enumerate(wanted)]
            for row, outcome in tries:
                problems, said = outcome.result()
                tried += 1
                failed += bool(problems)
                if problems or chosen.show:
                    print(f"{'FAILED' if problems else 'ok'}: {row['mistake']}: {'; '.join(problems)}\n{said}", flush=True)
        for other in OTHERS if not chosen.words else ():
            folder = work / other.__name__
            shutil.copytree(made, folder, symlinks=True)
            tried += 1
            try:
                other(folder)
            except AssertionError as problem:
                failed += 1
                print(f"FAILED: {other.__name__}: {problem}")
    print(f"{tried} mistakes, {failed} failed")
    return 1 if failed or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
