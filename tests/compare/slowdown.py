#!/usr/bin/env python3
"""Is a device that takes a twentieth longer found out, and one that is the same called so? On a machine that nobody else uses.

    slowdown.py LAYER [--keep DIR] [--rounds N] [--by end_to_end|device] [--slower 0.05]

A study is run three times on PoCL in fresh processes, from host memory to host memory: twice as it is, and once behind the layer of
tests/faults, which keeps the processor busy for a twentieth of whatever is waited for. Of the first two 95% of the rows must be the same,
of the third as many slower. The program is PARALLAX_BIN. A machine with other work makes rows ambiguous, and the test fails: it is one
of those that take long.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(os.environ["PARALLAX_BIN"]).resolve()


def image(kind, element, *shape):
    return {"make": kind, "type": element, "axes": "nzyx"[-len(shape):] if len(shape) > 1 else "n", "shape": list(shape)}


def case(name, run, port, data, **more):
    parameters = more.pop("parameters", {})
    return {"id": name, "inputs": {port: data}, "steps": [{"run": run, **parameters}], "reference": "threaded", **more}


def study(rounds):
    light = {"wavelength_nm": 532, "pixel_um": 1.4, "distance_um": 1000, "padding": "none"}
    cases = [case(f"hologram_{n}", "hologram", "hologram", image("random", "u8", n, n), parameters=light, outputs=["amplitude"], tolerance=1e-4)
             for n in (512, 1024)]
    cases += [case(f"diffusion_{n}", "diffusion_lb", "image", image("blocks", "u8", n, n), tolerance={"levels": 1}) for n in (512, 768)]
    cases += [case(f"equalize_{n}", "equalize", "image", image("smooth", "u16", n, n)) for n in (1024, 2048)]
    cases += [case(f"background_{n}", "box_filter", "image", image("blocks", "u16", n, n), parameters={"radius": 31}) for n in (512, 1024)]
    cases += [case(f"spectrum_{n}", "fft", "array", image("random", "c64", n, n), tolerance=5e-6) for n in (512, 1024)]
    cases += [case(f"sum_{n}", "reduce", "array", image("random", "u16", n)) for n in (1 << 22, 1 << 24)]
    cases += [case(f"scan_{n}", "scan", "array", image("random", "u32", n)) for n in (1 << 20, 1 << 22)]
    cases += [case(f"sort_{n}", "sort", "keys", image("random", "u32", n)) for n in (1 << 18, 1 << 20)]
    cases += [case(f"histogram_{n}", "histogram", "image", image("random", "u8", n, n)) for n in (2048, 4096)]
    cases += [case(f"fractal_{n}", "box_count", "volume", {"run": "phantom", "kind": "vessel_tree", "size": n}) for n in (128, 256)]
    return {"parallax_study": 1, "title": "The same device again", "devices": [{"backend": "opencl"}], "ranked_by": "end_to_end",
            "sampling": {"samples": 10 * rounds, "end_to_end": 20 * rounds, "rounds": rounds, "fresh_processes": True, "budget_s": 0.4 * rounds},
            "cases": cases}


def run(arguments, **environment):
    return subprocess.run([str(PROGRAM), *map(str, arguments)], env={**os.environ, **environment}, capture_output=True, text=True, check=False)


def verdicts(before, after, by):
    """The rows by what is said of them."""
    told = json.loads(run(["history", before, after, "--json", "--all", "--by", by]).stdout)
    counts = {}
    for row in told["rows"]:
        counts.setdefault(row["verdict"], []).append((row["row"].split("/")[0], round(row["points"][-1]["ratio"] or 0, 3)))
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("layer", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--by", default="end_to_end")
    parser.add_argument("--slower", type=float, default=0.05)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "study.json").write_text(json.dumps(study(asked.rounds)), encoding="utf-8")
        layered = {"OPENCL_LAYERS": str(asked.layer.resolve()), "PARALLAX_FAULTS_SLOWER": str(asked.slower)}
        for name, environment in (("first", {}), ("again", {}), ("slower", layered)):
            made = run(["compare", folder / "study.json", "--out", folder / name, "--quiet", "--overwrite"], **environment)
            if made.returncode != 0:
                print(made.stderr)
                return 1
        alike, slowed = (verdicts(folder / "first", folder / name, asked.by) for name in ("again", "slower"))
    rows = sum(map(len, alike.values()))
    print("again: ", {word: len(of) for word, of in alike.items()}, {word: of for word, of in alike.items() if word != "same"})
    print("slower:", {word: len(of) for word, of in slowed.items()}, {word: of for word, of in slowed.items() if word != "slower"})
    good = len(alike.get("same", [])) >= 0.95 * rows and len(slowed.get("slower", [])) >= 0.95 * rows
    print(f"{rows} rows: ", "both as it should be" if good else "not as it should be")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
