#!/usr/bin/env python3
"""What docs/results/studies.md states of `buy` is what the report beside it holds, to the digits that it states."""

import csv
import gzip
import json
import os
import pathlib
import sys

SOURCE = pathlib.Path(os.environ.get("PARALLAX_SOURCE", pathlib.Path(__file__).parents[2])).resolve()
RESULTS = SOURCE / "docs" / "results"
DEVICES = {"OpenCL": "NVIDIA H200, OpenCL", "CUDA": "NVIDIA H200, CUDA", "PoCL": "Intel Xeon Processor, PoCL", "C++": "native (Intel Xeon Processor)"}


def table():
    """The cells of the section's first table, without its head."""
    section = (RESULTS / "studies.md").read_text(encoding="utf-8").split("## [buy]", 1)[1]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def same(stated, found):
    """Whether a number is the other one, rounded to its digits."""
    plain = stated.replace(",", "")
    digits = len(plain.split(".")[1]) if "." in plain else 0
    return abs(float(plain) - found) <= 0.51 * 10.0 ** -digits


def main():
    with gzip.open(RESULTS / "buy" / "report.json.gz", "rt", encoding="utf-8") as file:
        report = json.load(file)
    with open(RESULTS / "buy" / "report.csv", encoding="utf-8", newline="") as file:
        rows = {(row["case"], row["device"]): row for row in csv.DictReader(file)}
    labels = [device["label"] for device in report["devices"]]
    sustained = {(row["case"], labels[row["device"]]): row["sustained"]["runs_a_second"] for row in report["rows"]}
    cases = [case["id"] for case in report["study"]["cases"]]
    wrong, stated = [], table()
    if len(stated) != len(cases):
        wrong.append(f"{len(stated)} lines for {len(cases)} cases")
    for case, cells in zip(cases, stated):
        _, *numbers = cells
        expected = [float(rows[case, DEVICES[name]]["device_ms"]) for name in ("OpenCL", "CUDA")]
        expected += [sustained[case, DEVICES[name]] for name in ("OpenCL", "CUDA", "PoCL", "C++")]
        expected.append(float(rows[case, DEVICES["OpenCL"]]["latency_p99_ms"]))
        wrong += [f"{case}: {number} stated, {found:.6g} measured" for number, found in zip(numbers, expected) if not same(number, found)]
    print("\n".join(wrong) or f"{len(stated)} lines of `buy` as they were measured")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
