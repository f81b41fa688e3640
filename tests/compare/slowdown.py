#!/usr/bin/env python3
"""Is a device that takes a twentieth longer found out, and one that is the same called so? On a machine that nobody else uses.

    slowdown.py [--by end_to_end|device] [--slower 0.05] [--devices opencl,cuda] [--large] [--minutes N] [--rounds N] [--keep DIR]

A study is run three times in fresh processes: twice as the device is, and once as one that is slower. Of the first two 95% of each
device's rows must be the same, of the third as many slower. The program is PARALLAX_BIN; what makes devices slower lies beside it,
the fault layer for OpenCL and a library before all others for CUDA. They let time pass and touch no figure:

    by end_to_end   whatever is waited for takes a twentieth longer, by a processor that is busy meanwhile
    by device       a kernel behind each launch spins for a twentieth of what the launch took; those two more launches add some
                    microseconds, so that these rows are long on the device

--large is for GPUs, and takes no other devices.

--minutes is for all three runs together. A machine with other work makes rows ambiguous, and the test fails: it is one of those that take long.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(os.environ["PARALLAX_BIN"]).resolve()
LAYER, BEFORE_CUDA = (PROGRAM.parent / f"libparallax_{name}.so" for name in ("fault_layer", "slower_cuda"))


def image(kind, element, *shape):
    return {"make": kind, "type": element, "axes": "nzyx"[-len(shape):] if len(shape) > 1 else "n", "shape": list(shape)}


def case(name, run, port, data, **more):
    parameters = more.pop("parameters", {})
    return {"id": name, "inputs": {port: data}, "steps": [{"run": run, **parameters}], "reference": "threaded", **more}


def hologram(n, **parameters):
    name = f"holograms_{n}" if parameters else f"hologram_{n}"
    light = {"wavelength_nm": 532, "pixel_um": 1.4, "distance_um": 1000, "padding": "none"}
    return case(name, "hologram", "hologram", image("random", "u8", n, n), parameters={**light, **parameters}, outputs=["amplitude"], tolerance=1e-4)


def diffusion(n, **parameters):
    return case(f"diffusion_{n}", "diffusion_lb", "image", image("blocks", "u8", n, n), parameters=parameters, tolerance={"levels": 1})


def from_host_to_host(large):
    """Rows of every kind, a millisecond or so each."""
    side, count = (2, 4) if large else (1, 1)
    cases = [hologram(n * side) for n in (512, 1024)] + [diffusion(n * side) for n in (512, 768)]
    cases += [case(f"equalize_{n}", "equalize", "image", image("smooth", "u16", n, n)) for n in (1024 * side, 2048 * side)]
    cases += [case(f"background_{n}", "box_filter", "image", image("blocks", "u16", n, n), parameters={"radius": 31}) for n in (512 * side, 1024 * side)]
    cases += [case(f"spectrum_{n}", "fft", "array", image("random", "c64", n, n), tolerance=5e-6) for n in (512 * side, 1024 * side)]
    cases += [case(f"sum_{n}", "reduce", "array", image("random", "u16", n)) for n in (1 << 22, count << 24)]
    cases += [case(f"scan_{n}", "scan", "array", image("random", "u32", n)) for n in (1 << 20, count << 22)]
    cases += [case(f"sort_{n}", "sort", "keys", image("random", "u32", n)) for n in (count << 18, count << 20)]
    cases += [case(f"histogram_{n}", "histogram", "image", image("random", "u8", n, n)) for n in (2048, 4096)]
    cases += [case(f"fractal_{n}", "box_count", "volume", {"run": "phantom", "kind": "vessel_tree", "size": n}) for n in (128, 256)]
    return cases


def on_the_device(large):
    """Rows whose launches are long there: on a GPU stacks of frames, some tenths of a millisecond a launch."""
    planes = {"distance_um": {"from": 800, "to": 1200, "step": 20 if large else 100}, "planes": "best", "autofocus": {"object": "amplitude"}}
    sides, frames, side = ((1536, 1792, 2048, 2304, 2560, 3072), 8, 1024) if large else ((384, 512, 640, 768, 896, 1024), 2, 256)
    cases = [hologram(n, **planes) for n in sides]
    cases += [case(f"diffusion_{w}_{f}", "diffusion_lb", "image", image("blocks", "u8", f, side, w), parameters={"step": 2, "iterations": 8}, tolerance={"levels": 1})
              for w in (side // 2, side) for f in (2 * frames, 3 * frames, 4 * frames)]
    cases += [case(f"aos_{f}", "diffusion_aos", "image", image("blocks", "u8", f, side, side), parameters={"iterations": 8}, tolerance={"levels": 1}, reference="reference")
              for f in (2 * frames, 3 * frames, 4 * frames)]
    cases += [case(f"background_{f}", "box_filter", "image", image("blocks", "u16", f, side, side), parameters={"radius": 31})
              for f in (4 * frames, 5 * frames, 6 * frames, 7 * frames, 8 * frames)]
    return cases


def study(asked):
    of_device = asked.by == "device"
    rounds = asked.rounds
    # In a few minutes on a GPU, references on the host would take the time away; bits are held against the first run's.
    without = {"reference": None} if asked.large else {}
    return {"parallax_study": 1, "title": "The same device again", "devices": [{"backend": name, **({"type": "gpu"} if asked.large else {})} for name in asked.devices.split(",")],
            "ranked_by": asked.by,
            "sampling": {"samples": (20 if of_device else 1) * rounds, "end_to_end": 1 if of_device else 20 * rounds, "rounds": rounds,
                         "fresh_processes": True, "least_s": 0.05 * rounds, "budget_s": 0.3 * rounds},
            "cases": [{**one, **without} for one in (on_the_device if of_device else from_host_to_host)(asked.large)]}


def run(arguments, **environment):
    return subprocess.run([str(PROGRAM), *map(str, arguments)], env={**os.environ, **environment}, capture_output=True, text=True, check=False)


def slower(asked):
    """The environment of a device that is slower, by the system's own means of standing between a program and its libraries."""
    share = "PARALLAX_FAULTS_SLOWER_KERNELS" if asked.by == "device" else "PARALLAX_FAULTS_SLOWER"
    environment = {share: str(asked.slower)}
    for backend, variable, library in (("opencl", "OPENCL_LAYERS", LAYER), ("cuda", "LD_PRELOAD", BEFORE_CUDA)):
        if backend not in asked.devices:
            continue
        if not library.exists():
            sys.exit(f"{library} is not there: build parallax_fault_layer and parallax_slower_cuda")
        environment[variable] = str(library)
    return environment


def verdicts(before, after, by):
    """By device: its rows by what is said of them."""
    told = json.loads(run(["history", before, after, "--json", "--all", "--by", by]).stdout)
    of_devices = {}
    for row in told["rows"]:
        counts = of_devices.setdefault(row["device"], {})
        counts.setdefault(row["verdict"], []).append((row["row"].split("/")[0], round(row["points"][-1]["ratio"] or 0, 3)))
    return of_devices


def tell(name, found, wanted):
    """Whether 95% of the rows are as they should be."""
    rows = sum(map(len, found.values()))
    right = len(found.get(wanted, []))
    ratios = [ratio for of in found.values() for _, ratio in of if ratio > 0]
    print(f"  {name}: {right} of {rows} {wanted} ({right / rows:.1%});", ", ".join(f"{len(of)} {word}" for word, of in found.items()) + ";",
          f"in the middle {statistics.median(ratios):.3f} times" if ratios else "no times")
    for word, of in found.items():
        if word != wanted:
            print(f"    {word}:", ", ".join(f"{row} {ratio}" for row, ratio in of))
    return right >= 0.95 * rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--by", default="end_to_end", choices=("end_to_end", "device"))
    parser.add_argument("--slower", type=float, default=0.05)
    parser.add_argument("--devices", default="opencl")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--keep", type=pathlib.Path)
    asked = parser.parse_args()
    limit = ["--minutes", asked.minutes / 3] if asked.minutes else []
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "study.json").write_text(json.dumps(study(asked)), encoding="utf-8")
        for name, environment in (("first", {}), ("again", {}), ("slower", slower(asked))):
            made = run(["compare", folder / "study.json", "--out", folder / name, "--quiet", "--overwrite", *limit], **environment)
            if made.returncode != 0:
                print(made.stderr)
                return 1
        alike, slowed = (verdicts(folder / "first", folder / name, asked.by) for name in ("again", "slower"))
    good = True
    for device in alike:
        print(device)
        good = tell("again", alike[device], "same") and good
        good = tell(f"{asked.slower:.0%} slower", slowed[device], "slower") and good
    print("as it should be" if good else "not as it should be")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
