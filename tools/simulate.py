#!/usr/bin/env python3
"""Runs every OpenCL variant of every algorithm on a tiny problem under Oclgrind, which sees accesses out of bounds and
races between work-items, with their source lines. (Its search for uninitialised values stops at "freeze", which clang 14 emits.)

    tools/simulate.py [--program build/bin/parallax] [--only ALGORITHM]
"""
import argparse
import concurrent.futures
import glob
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def npy(path, kind, shape, values):
    """A NumPy file without NumPy."""
    count = 1
    for n in shape:
        count *= n
    code = {"u1": "B", "u4": "I", "f4": "f", "c8": "f"}[kind]
    if kind == "c8":
        count *= 2
    header = f"{{'descr': '{'|' if kind == 'u1' else '<'}{kind}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header = header.ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{count}{code}", *(values(i) for i in range(count))))


def noise(i, most):
    return (i * 2654435761 >> 7) % most


def problems():
    """What each algorithm is given: inputs, and what differs from its defaults. Each variant runs all."""
    found = {}
    for path in glob.glob(os.path.join(ROOT, "engine/algorithms/*/problems.json")):
        with open(path, encoding="utf-8") as file:
            rows = json.load(file).get("simulate", [])
        found[os.path.basename(os.path.dirname(path))] = [(row.get("inputs", {}), row.get("parameters", {})) for row in rows]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.path.join(ROOT, "build/bin/parallax"))
    parser.add_argument("--only", default="")
    parser.add_argument("--timeout", type=int, default=300)
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    algorithms = json.loads(subprocess.run([program, "algorithms", "--json"], capture_output=True, text=True, check=True).stdout)
    algorithms = algorithms if isinstance(algorithms, list) else algorithms["algorithms"]
    bad, ran, refused, tried = [], 0, [], problems()
    with tempfile.TemporaryDirectory() as folder:
        npy(f"{folder}/image.npy", "u1", (24, 32), lambda i: noise(i, 256))
        npy(f"{folder}/mask.npy", "u1", (24, 32), lambda i: noise(i, 2) * 200)
        npy(f"{folder}/floats.npy", "f4", (24, 32), lambda i: float(noise(i, 1000)))
        npy(f"{folder}/complex.npy", "c8", (16, 16), lambda i: float(noise(i, 9)))
        npy(f"{folder}/stack.npy", "u1", (2, 8, 8), lambda i: noise(i, 256))
        npy(f"{folder}/packed.npy", "u1", (3, 9, 32), lambda i: noise(i, 256))
        npy(f"{folder}/keys.npy", "u4", (700,), lambda i: noise(i, 1 << 20))
        npy(f"{folder}/values.npy", "u4", (700,), lambda i: i)

        def simulate(task):
            number, algorithm, variant, (inputs, parameters) = task
            name = f"{algorithm['name']} {variant}"
            outputs = {o["name"]: f"{number}/{o['name']}." + ("json" if o.get("kind") == "record" or "record" in o else "npy")
                       for o in algorithm["outputs"] if o.get("required", True)}
            step = {"run": algorithm["name"], "variant": variant, "in": {port: f"in_{port}" for port in inputs},
                    "out": {port: f"out_{port}" for port in outputs}, **parameters}
            job = {"parallax": 1, "step_timeout_s": 0, "retry": False, "inputs": {f"in_{port}": file for port, file in inputs.items()}, "steps": [step],
                   "outputs": {f"out_{port}": file for port, file in outputs.items()}}
            path = f"{folder}/{number}.json"
            as_json = {**job, "outputs": {k: v.replace(".npy", ".json") for k, v in job["outputs"].items()}}
            # Optimised code may hold intrinsics that Oclgrind does not know (llvm.fshl); then as it was written.
            for attempt, options in ((job, []), (as_json, []), (job, ["--build-options", "-cl-opt-disable"]), (as_json, ["--build-options", "-cl-opt-disable"])):
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(attempt, file)
                try:
                    done = subprocess.run(["oclgrind", "--data-races", "--check-api", "--global-mem-size", str(1 << 30), *options, program, "run", path,
                                           "--out", folder, "--overwrite", "--device", "Oclgrind"], capture_output=True, text=True,
                                          timeout=arguments.timeout, env=dict(os.environ, PARALLAX_CACHE_DIR="off"))
                except subprocess.TimeoutExpired:
                    return name, "slow", f"more than {arguments.timeout} s"
                text = done.stderr
                limit = re.search(r"(Undefined external function: llvm|Unsupported)[^\n]*", text)
                if done.returncode != 2 and not limit:
                    break
            if "OCLGRIND FATAL ERROR" in text and limit:
                return name, "refused", f"beyond Oclgrind: {limit.group()}"
            if re.search(r"Invalid (read|write)|data race|OCLGRIND|Oclgrind - |divergence", text):
                return name, "bad", text[:1500]
            if "cannot run on" in text:
                return name, "refused", text.strip().splitlines()[-1].strip()
            return (name, "well", "") if done.returncode == 0 else (name, "bad", text[:1500])

        tasks = [(f"{a['name']}-{v['name']}-{i}", a, v["name"], problem) for a in algorithms if arguments.only in a["name"]
                 for v in a["variants"] if "opencl" in v["backends"] for i, problem in enumerate(tried.get(a["name"], []))]
        missing = [a["name"] for a in algorithms if not tried.get(a["name"])]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for name, state, text in pool.map(simulate, tasks):
                if state == "well":
                    ran += 1
                elif state in ("refused", "slow"):
                    refused.append(f"{name}: {text}")
                else:
                    bad.append(f"{name}:\n{text}")
    for entry in bad:
        print(f"BAD {entry}\n")
    for entry in refused:
        print(f"not run: {entry}")
    for name in missing:
        print(f"no problem is written down for {name}: add one to 'simulate' in its problems.json")
    print(f"{ran} problems ran without a finding, {len(bad)} with, {len(refused)} not")
    return 1 if bad or missing else 0


if __name__ == "__main__":
    sys.exit(main())
