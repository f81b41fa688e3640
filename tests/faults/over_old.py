#!/usr/bin/env python3
"""Requests that fail while old results are there: a job over its own outputs, and a series that goes on.

    over_old.py [--draws N] [--seed N] [--show] SHIM [WORD...]

First each job where links and rights are refused, as on FAT. Then as shims.py, with what comes before and behind: whatever fails in the run between, its outputs are the old ones or the new ones, all
of a job together; with status 0 they are the new ones; and the next run, in which nothing fails, ends with them and leaves nothing
hidden. The requests are drawn, N of each kind (0: every one). WORD: only what has it in "job kind".
"""

import argparse
import json
import pathlib
import random
import shutil
import sys
import tempfile

from shims import NATIVE, PROGRAM, Sweep, npy, tell

STEP = {"id": "blur", "run": "box_filter", "radius": 1}


def job_over_old(folder, sweep, more=()):
    """Three outputs of one job, one of them a store; the input has changed since they were written."""
    job = {"parallax": 1, "device": NATIVE, "inputs": {"image": "image.npy"},
           "steps": [{**STEP, "out": {"image": "soft"}}, {"run": "threshold", "method": "value", "value": 50, "in": {"image": "image"}},
                     {"run": "histogram", "in": {"image": "mask"}}],
           "outputs": {"one": {"of": "soft", "file": "one.ome.zarr"}, "mask": "mask.png", "histogram": "deep/histogram.npy"}}
    npy(folder / "image.npy", 40, 48)
    (folder / "job.json").write_text(json.dumps(job))
    must(sweep, folder, words(["--overwrite", *more]))
    npy(folder / "image.npy", 40, 48, 30)
    return words(["--overwrite", *more])


def job_in_a_host(folder, sweep):
    """The same in an application, which keeps no memory back for such moments."""
    job_over_old(folder, sweep)
    return ["native", "job.json", "out"]


def job_with_report(folder, sweep):
    """The same with a report and a gallery, which are told by what is in them of the outputs."""
    return job_over_old(folder, sweep, ["--report", "out/report.json", "--gallery", "out/page.html"])


def series_goes_on(combine, more=()):
    def make(folder, sweep):
        """A series of which two frames have changed, and what it makes of all."""
        job = {"parallax": 1, "device": NATIVE, "for_each": {"frame": "frames/*.npy"}, "inputs": {"image": "{frame}"},
               "steps": [{**STEP, "out": {"image": "soft"}}, {"run": "reduce", "in": {"array": "soft"}}],
               "outputs": {"soft": "soft/{frame.stem}.npy", "all": {"of": "soft", "file": "all.npy", "combine": combine},
                           "statistics": {"table": "table.csv"}}}
        (folder / "frames").mkdir()
        for frame in range(4):
            npy(folder / "frames" / f"f{frame}.npy", 24, 32, frame)
        (folder / "job.json").write_text(json.dumps(job))
        must(sweep, folder, words(more))
        for frame in (1, 2):
            npy(folder / "frames" / f"f{frame}.npy", 24, 32, 40 + frame)
        return words(["--resume", *more])
    return make


JOBS = {"job": job_over_old, "host": job_in_a_host, "report": job_with_report, **{how: series_goes_on(how) for how in ("mean", "median", "stack", "max")},
        "confined": series_goes_on("mean", ["--confined"])}


def words(more):
    return ["run", "job.json", "--out", "out", "--quiet", *more]


class Here:
    """What Sweep.run() asks of a place."""

    def __init__(self, folder):
        self.folder = folder


def must(sweep, folder, how):
    status, _, said = sweep.run(Here(folder), how)
    assert status == 0, said


def outputs(folder):
    return {str(path.relative_to(folder / "out")): as_read(path) for path in (folder / "out").rglob("*")
            if path.is_file() and ".series" not in str(path)}


def as_read(path):
    """What is in a file; of one that tells of times, the outputs of which it tells."""
    data = path.read_bytes()
    if path.name == "report.json":
        outputs = json.loads(data)["outputs"]
        return json.dumps([outputs[name]["xxh3_128"] for name in sorted(outputs)]).encode()
    return b"a page" if path.name == "page.html" and data.endswith(b"</html>\n") else data


def problems_of(status, said, found, old, new, is_job, may_end=False):
    """`may_end`: the destructors of JSON values may want memory, and end a process that keeps none back."""
    if status is None:
        return ["it hangs"]
    if status not in (0, 1, 2) and not (may_end and status in (-6, -11)):
        return [f"status {status}"]
    shown = {name: data for name, data in found.items() if not any(part.startswith(".parallax-") for part in pathlib.Path(name).parts)}
    if status == 0:
        return [f"{name} is not the new one" for name in new if shown.get(name) != new[name]]
    journal = any(name.endswith(".journal") for name in found)   # it could neither go on nor back: the next run does
    if is_job and not journal and shown not in (old, new):
        return [f"{name} is not the old one" for name in old if shown.get(name) != old[name]] + ["neither all old nor all new"]
    if "items failed" in said:   # what is made of all items is made of the others
        old = {name: data for name, data in old.items() if name.startswith("soft/")}
    return [f"{name} is neither" for name in old if shown.get(name, old[name]) not in (old[name], new[name])]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("shim")
    parser.add_argument("--draws", type=int, default=0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--show", action="store_true")
    parser.add_argument("words", nargs="*")
    chosen = parser.parse_args()
    print(f"--seed {chosen.seed}")
    draw = random.Random(chosen.seed)
    tried = errors = failed = 0
    with tempfile.TemporaryDirectory(prefix="parallax-over-old-") as work:
        sweep = Sweep(pathlib.Path(chosen.shim).resolve(), pathlib.Path(work))
        for name, make in JOBS.items():
            here, kept = sweep.work / name, sweep.work / f"{name}-kept"

            def put_back(here=here, kept=kept):
                shutil.rmtree(here, ignore_errors=True)
                shutil.copytree(kept, here, symlinks=True)

            here.mkdir()
            how = make(here, sweep)
            if name == "host":
                sweep.executable, sweep.program = PROGRAM.with_name("calling_host"), "calling_host"
            shutil.copytree(here, kept, symlinks=True)
            old = outputs(here)
            must(sweep, here, how)
            new = outputs(here)
            assert old.keys() == new.keys() and old != new
            if all(word in f"{name} fat" for word in chosen.words):   # old files are copied aside
                put_back()
                status, _, said = sweep.run(Here(here), how, "fat:0")
                tried += 1
                if status != 0 or outputs(here) != new:
                    failed += 1
                    print(f"FAILED {name} fat: status {status}: {' '.join(said.split())[:200]}")
            for kind in ("looks:{}:0", "files:{}:0", "looks:{}:0:on", "files:{}:0:on", "memory:{}:1", "threads:{}:0"):
                title = f"{name} {kind.split(':')[0]}{':on' if kind.endswith('on') else ''}"
                if not all(word in title for word in chosen.words):
                    continue
                put_back()
                (sweep.work / "count").unlink(missing_ok=True)
                sweep.run(Here(here), how, kind.format(0).removesuffix(":on"))
                count = int((sweep.work / "count").read_text())
                every = range(1, count + 1)
                seen = {}
                for nth in every if not chosen.draws else sorted(draw.sample(every, min(chosen.draws, count))):
                    put_back()
                    status, _, said = sweep.run(Here(here), how, kind.format(nth))
                    found = problems_of(status, said, outputs(here), old, new, name in ("job", "host", "report"), name == "host" and "memory" in title)
                    after, _, then = sweep.run(Here(here), how)
                    if after != 0:
                        found.append(f"the next run has status {after}: {' '.join(then.split())[:200]}")
                    elif outputs(here) != new:
                        found.append("the next run does not end with the new ones, or leaves something")
                    tried += 1
                    errors += status in (1, 2)
                    failed += bool(found)
                    tell(found, seen, f"{title} {nth} of {count}", said)
                if chosen.show:
                    print(f"{title}: {count} requests; {seen or 'no problem'}", flush=True)
            sweep.executable, sweep.program = PROGRAM, PROGRAM.name
    print(f"{tried} faults, {errors} errors, {failed} failed")
    return 1 if failed or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
