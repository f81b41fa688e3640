#!/usr/bin/env python3
"""Every file of the test data's folder `foreign` against its truth.json: read right, or refused in words that are true of it.

    tests/foreign/truth.py --program build/bin/parallax [--data FOLDER]

Needs nothing beside Python. Ends with 77 where the data are not there.
"""

import argparse
import array
import ast
import json
import math
import os
import struct
import sys

from program import Program

# What a refusal has to call a file: formats that are not read, and those whose library a build may lack.
NAMES = {".h5": "HDF5", ".mat": "MATLAB", ".gif": "GIF"}
# What an input has to say beside the file's name.
CHOICES = {"scan.h5": {"dataset": "/scan/raw"}, "holo.mat": {"dataset": "holo"}, "frames.npz": {"dataset": "data"},
           "mono12p.raw": {"raw": {"type": "mono12p", "axes": "yx", "shape": [34, 32]}}}
CODES = {"b1": "B", "u1": "B", "i1": "b", "u2": "H", "i2": "h", "u4": "I", "i4": "i", "u8": "Q", "i8": "q", "f4": "f", "f8": "d"}
TYPES = {"u8": "uint8", "u16": "uint16", "i16": "int16", "f32": "float32", "bool": "uint8"}
METRES = {"nm": 1e-9, "um": 1e-6, "mm": 1e-3, "cm": 1e-2, "m": 1.0}


def elements_of(name):
    """Shape and elements of a .npy file as the program writes it."""
    with open(name, "rb") as file:
        start = file.read(10)
        header = ast.literal_eval(file.read(struct.unpack("<H", start[8:10])[0]).decode("latin-1"))
        values = array.array(CODES[header["descr"][1:]])
        values.frombytes(file.read())
    return header["shape"], values


def faults(truth, info, shape, values):
    """What is not as it should be."""
    found = []
    axes = "".join(axis["name"] for axis in info["axes"])
    if axes != truth["axes"]:
        found.append(f"axes {axes} for {truth['axes']}")
    if list(shape) != truth["shape"]:
        return found + [f"shape {shape} for {truth['shape']}"]
    if TYPES.get(info["type"]) != truth["type"] and truth["type"] != "float16":
        found.append(f"type {info['type']} for {truth['type']}")
    # Bits are widened: a set one is 255.
    scale = 255 if "bits widened" in info["detail"] else 1
    if not math.isclose(sum(values), truth["sum"] * scale, rel_tol=1e-5):
        found.append(f"sum {sum(values)} for {truth['sum']}")
    place, value = truth["at"]
    at = 0
    for index, size in zip(place, shape):
        at = at * size + index
    if not math.isclose(values[at], value * scale, rel_tol=1e-6, abs_tol=1e-6):
        found.append(f"{values[at]} at {place} for {value}")
    if "spacing" in truth:
        for name, wanted in zip("xyz", truth["spacing"]):
            said = next((axis["spacing"] for axis in info["axes"] if axis["name"] == name), 1.0)
            if info["unit"] == "" and any("a unit that it does not name" in words for words in info["warnings"]):
                if not math.isclose(said, wanted, rel_tol=1e-5):
                    found.append(f"spacing of {name} {said} for {wanted}")
            elif info["unit"] not in METRES or not math.isclose(said * METRES[info["unit"]], wanted * METRES[truth["unit"]], rel_tol=1e-5):
                found.append(f"spacing of {name} {said} {info['unit']} for {wanted} {truth['unit']}")
    if "origin" in truth:   # towards left and posterior, as SimpleITK tells it
        ours = info["affine"][3], info["affine"][7], info["affine"][11]
        if not all(math.isclose(a, b, abs_tol=1e-6) for a, b in zip(ours, (-truth["origin"][0], -truth["origin"][1], truth["origin"][2]))):
            found.append(f"origin {ours} for {truth['origin']}")
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--data", default=os.environ.get("PARALLAX_TEST_DATA", ""))
    arguments = parser.parse_args()
    folder = os.path.join(arguments.data, "foreign")
    if not os.path.exists(os.path.join(folder, "truth.json")):
        print(f"skipped: no {folder}/truth.json (PARALLAX_TEST_DATA says where the data are)")
        return 77
    with open(os.path.join(folder, "truth.json"), encoding="utf-8") as file:
        truths = json.load(file)
    program = Program(arguments.program)
    right, refused, wrong = 0, 0, []
    for name, truth in truths.items():
        path = os.path.join(folder, name)
        choices = CHOICES.get(name, {})
        info, why = program.info(path, choices)
        output, why_not = program.array(path, choices)
        if info is None or output is None:
            word = NAMES.get(os.path.splitext(name)[1])
            if word and word in (why or why_not) and word in why_not:
                refused += 1
            else:
                wrong.append(f"{name}: refused as {why or why_not}")
            continue
        found = faults(truth, info, *elements_of(output))
        if found:
            wrong.append(f"{name}: {'; '.join(found)}")
        else:
            right += 1
        if "white" in name and (info["polarity"] != "white is zero" or not info["warnings"]):
            wrong.append(f"{name}: nothing is said of white being zero")
    print(f"foreign files: {len(truths)}, read right {right}, refused truly {refused}, wrong {len(wrong)}")
    for line in wrong:
        print("  " + line)
    return 1 if wrong or right == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
