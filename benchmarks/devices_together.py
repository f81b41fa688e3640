#!/usr/bin/env python3
"""How much faster several devices of this machine do one thing together than one does.

    benchmarks/devices_together.py build/bin/parallax --side 16384 --iterations 100 --devices 1,2,4
    benchmarks/devices_together.py build/bin/parallax --work box_count --side 2048 --devices 1,2,4 --how threads,mpi

Makes a square image (diffusion_lb) or a cube (box_count) of random bytes, gives it to the first 1, 2, 4 ... devices of one
platform, in the threads of one process, in as many processes by mpirun, or both, and prints for each the time, the speed-up,
what share of the exchanges was hidden behind computation, and whether the result is bit for bit that of one device. The time
is that of the steps for diffusion_lb, and that of the whole job, reading included, for box_count. Exit status 1 if a result
differs. Standard library only.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time

BLOCK = 1 << 24


def devices_of(parallax, chosen_type):
    listed = json.loads(subprocess.run([parallax, "devices", "--json"], check=True, capture_output=True, text=True).stdout)["devices"]
    first = next((d for d in listed if d["type"] == chosen_type and d["backend"] == "opencl"), None)
    if first is None:
        sys.exit(f"no OpenCL device of type {chosen_type}")
    return [d for d in listed if d["type"] == chosen_type and d["platform"] == first["platform"] and d["backend"] == "opencl"]


def write_random(path, size, dense):
    """Random bytes, repeated at random distances: drawing all of them would take longer than what is measured."""
    block = os.urandom(BLOCK)
    if not dense:   # boxes that are empty, so that counts differ
        block = bytes(BLOCK // 2).join([block[:BLOCK // 4], block[:BLOCK // 4]])
    draw = random.Random(1)
    with open(path, "wb") as file:
        while size > 0:
            start = draw.randrange(BLOCK)
            file.write((block[start:] + block[:start])[:size])
            size -= min(size, BLOCK)


class Diffusion:
    name, dimensions = "diffusion_lb", 2

    def __init__(self, arguments):
        self.iterations = arguments.iterations
        self.step = {"run": self.name, "lattice": arguments.lattice, "iterations": self.iterations, "update_edges_every": arguments.update_edges_every}
        self.outputs, self.input = {"image": "out.npy"}, "image"
        self.title = f"{arguments.lattice}, {self.iterations} steps"
        self.columns = "ms/step  Gpixel/s"

    def seconds(self, report):
        """Of the steps alone: the slowest rank's, or all kernels of the one device."""
        if "ranks" in report:
            return max(rank["steps_seconds"] for rank in report["ranks"])
        return sum(stage["seconds"] for stage in report["stages"] if stage["name"] == self.name and stage.get("children"))

    def figures(self, seconds, elements):
        return f"{1e3 * seconds / self.iterations:7.3f}  {elements * self.iterations / seconds / 1e9:8.2f}"


class BoxCount:
    name, dimensions = "box_count", 3

    def __init__(self, _):
        self.step = {"run": self.name}
        self.outputs, self.input = {"counts": "out.json"}, "volume"
        self.title = "all sizes"
        self.columns = "      s  Gvoxel/s"

    def seconds(self, report):
        return report["wall_seconds"]

    def figures(self, seconds, elements):
        return f"{seconds:7.3f}  {elements / seconds / 1e9:8.2f}"


def run(arguments, work, folder, indices, processes):
    with open(os.path.join(folder, "job.json"), "w") as file:
        shape = [arguments.side] * work.dimensions
        json.dump({"parallax": 1,
                   "device": {"use": [{"index": index} for index in indices]},
                   "inputs": {work.input: {"file": "in.raw", "raw": {"type": "u8", "axes": "zyx"[-work.dimensions:], "shape": shape}}},
                   "steps": [work.step],
                   "outputs": work.outputs}, file)
    launcher = []
    if processes:
        launcher = [arguments.mpirun, "--oversubscribe", "--bind-to", "none", "-n", str(len(indices))]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            launcher.insert(1, "--allow-run-as-root")
    best, shortest = None, None
    for _ in range(arguments.repeat):
        start = time.monotonic()
        subprocess.run([*launcher, arguments.parallax, "run", "job.json", "--quiet", "--overwrite", "--report", "report.json"], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)
        took = time.monotonic() - start
        with open(os.path.join(folder, "report.json")) as file:
            report = json.load(file)
        if len(report.get("ranks", [None])) != len(indices):
            sys.exit(f"{len(report.get('ranks', [None]))} ranks instead of {len(indices)}")
        if best is None or work.seconds(report) < work.seconds(best):
            best = report
        shortest = min(took, shortest or took)
    return best, shortest


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parallax", type=os.path.abspath)
    parser.add_argument("--work", choices=["diffusion_lb", "box_count"], default="diffusion_lb")
    parser.add_argument("--side", type=int, help="of the image (16384) or the cube (2048)")
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--lattice", default="D2Q9")
    parser.add_argument("--update-edges-every", type=int, default=1)
    parser.add_argument("--devices", default="1,2,4", help="numbers of devices")
    parser.add_argument("--type", default="gpu")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each; the fastest counts")
    parser.add_argument("--how", default="threads", help="threads (of one process), mpi (a process for each device), or threads,mpi")
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--folder", help="where the files go, by default a temporary folder")
    arguments = parser.parse_args()
    ways = arguments.how.split(",")
    if not set(ways) <= {"threads", "mpi"}:
        parser.error("--how is threads, mpi or threads,mpi")
    arguments.side = arguments.side or {"diffusion_lb": 16384, "box_count": 2048}[arguments.work]
    work = {"diffusion_lb": Diffusion, "box_count": BoxCount}[arguments.work](arguments)

    found = devices_of(arguments.parallax, arguments.type)
    differs = False
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        elements = arguments.side**work.dimensions
        write_random(os.path.join(folder, "in.raw"), elements, work.dimensions == 2)
        base = None
        print(f"{found[0]['name']}, {work.name}, {' x '.join([str(arguments.side)] * work.dimensions)}, {work.title}")
        print(f"devices  by       {work.columns}  speed-up  exchange ms  hidden  same  with start s")
        for count, way in [(count, way) for count in map(int, arguments.devices.split(",")) for way in ways[:1 if count == 1 else None]]:
            if count > len(found):
                print(f"{count:7}  there are {len(found)}")
                continue
            report, took = run(arguments, work, folder, [device["index"] for device in found[:count]], way == "mpi" and count > 1)
            seconds = work.seconds(report)
            hash_now = next(iter(report["outputs"].values()))["xxh3_128"]
            base = base or (seconds, hash_now)
            differs = differs or hash_now != base[1]
            exchanges = [rank["exchanges"] for rank in report.get("ranks", []) if rank.get("exchanges", {}).get("seconds") is not None]
            each = f"{1e3 * max(e['seconds'] / max(e['count'], 1) for e in exchanges):.3f}" if exchanges else ""
            hidden = min((e["hidden"] for e in exchanges if e["hidden"] is not None), default=None)
            print(f"{count:7}  {'' if count == 1 else way:7}  {work.figures(seconds, elements)}  {base[0] / seconds:8.2f}  {each:>11}  "
                  f"{'' if hidden is None else f'{100 * hidden:.0f}%':>6}  {'yes' if hash_now == base[1] else 'NO':>4}  {took:12.2f}", flush=True)
    sys.exit(1 if differs else 0)


if __name__ == "__main__":
    main()
