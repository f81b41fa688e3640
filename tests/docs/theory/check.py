"""What the checks share: the program run on small arrays, and Fourier sums as they are written."""

import cmath
import json
import math
import os
import pathlib
import struct
import subprocess
import tempfile

PROGRAM = os.environ["PARALLAX_BIN"]
CHECKS = []
CODES = {"u1": "B", "u4": "I", "f4": "f", "c8": "f"}


def check(function):
    CHECKS.append(function)
    return function


def write(path, kind, shape, values):
    header = "{'descr': '%s%s', 'fortran_order': False, 'shape': %s, }" % ("|" if kind == "u1" else "<", kind, tuple(shape))
    header += " " * (117 - len(header)) + "\n"
    path.write_bytes(
        b"\x93NUMPY\x01\x00"
        + struct.pack("<H", len(header))
        + header.encode()
        + struct.pack(f"<{len(values)}{CODES[kind]}", *values)
    )


def read(path):
    data = path.read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    kind = data[10 : 10 + length].split(b"'descr': '")[1].split(b"'")[0].decode()[1:]
    size = {"u1": 1, "u4": 4, "f4": 4, "c8": 4}[kind]
    values = struct.unpack(f"<{(len(data) - 10 - length) // size}{CODES[kind]}", data[10 + length :])
    return [complex(a, b) for a, b in zip(values[::2], values[1::2])] if kind == "c8" else list(values)


def run(step, inputs, outputs, variant="reference"):
    """Outputs of a step on the native device: lists of numbers, and records."""
    with tempfile.TemporaryDirectory(prefix="parallax-theory-") as name:
        folder, files = pathlib.Path(name), {}
        for port, (kind, shape, values) in inputs.items():
            write(folder / f"{port}.npy", kind, shape, values)
            files[port] = f"{port}.npy"
        kinds = {output: f"{output}{'.json' if output in RECORDS else '.npy'}" for output in outputs}
        job = {
            "parallax": 1,
            "inputs": files,
            "steps": [{"variant": variant, **step}],
            "outputs": {o: f"out_{f}" for o, f in kinds.items()},
        }
        (folder / "job.json").write_text(json.dumps(job))
        done = subprocess.run(
            [PROGRAM, "run", "job.json", "--device", "native", "--quiet"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        made = {o: folder / f"out_{f}" for o, f in kinds.items()}
        return {o: json.loads(path.read_text()) if o in RECORDS else read(path) for o, path in made.items()}


RECORDS = {"focus", "counts", "value", "statistics", "metrics", "threshold"}


def close(is_, should, tolerance, what):
    largest = max(abs(v) for v in should)
    worst = max(abs(a - b) for a, b in zip(is_, should))
    assert len(is_) == len(should), f"{what}: {len(is_)} numbers for {len(should)}"
    assert worst <= tolerance * largest, f"{what}: {worst} from the page's formula, of {largest}"


def turn(x):
    """exp(i 2 pi x)"""
    return cmath.exp(2j * math.pi * math.fmod(x, 1))


def dft(values, width, height, sign):
    """Rows, then columns; no factor."""

    def line(v):
        n = len(v)
        return [sum(v[j] * turn(sign * j * k % n / n) for j in range(n)) for k in range(n)]

    rows = [line(values[y * width : (y + 1) * width]) for y in range(height)]
    columns = [line([rows[y][x] for y in range(height)]) for x in range(width)]
    return [columns[x][y] for y in range(height) for x in range(width)]


def inverse(values, width, height):
    return [v / (width * height) for v in dft(values, width, height, 1)]


def signed(i, n):
    return i if i < (n + 1) // 2 else i - n


def pattern(width, height, seed=1):
    return [(37 * x * x + 101 * y + 13 * x * y + 7 * seed * (x ^ y)) % 211 for y in range(height) for x in range(width)]


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]
