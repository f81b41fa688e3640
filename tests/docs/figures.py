#!/usr/bin/env python3
"""What docs/results/studies.md states is what the reports beside it hold, to the digits that it states.

A check names a section, and what each number of its table must be: the number in a cell is looked up, never the other way round, so that
a page that says more than its reports fails. Sentences are held by their pattern.
"""

import csv
import gzip
import json
import os
import pathlib
import re
import sys

SOURCE = pathlib.Path(os.environ.get("PARALLAX_SOURCE", pathlib.Path(__file__).parents[2])).resolve()
RESULTS = SOURCE / "docs" / "results"
PAGE = (RESULTS / "studies.md").read_text(encoding="utf-8")
OPENCL, CUDA, POCL, NATIVE = "NVIDIA H200, OpenCL", "NVIDIA H200, CUDA", "Intel Xeon Processor, PoCL", "native (Intel Xeon Processor)"
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


class Study:
    """A section and the report that it tells of."""

    def __init__(self, name):
        self.name = name
        with gzip.open(RESULTS / name / "report.json.gz", "rt", encoding="utf-8") as file:
            self.report = json.load(file)
        with open(RESULTS / name / "report.csv", encoding="utf-8", newline="") as file:
            self.lines = list(csv.DictReader(file))
        self.labels = [device["label"] for device in self.report["devices"]]

    def section(self):
        return re.split(r"\n## ", PAGE.split(f"## [{self.name}]", 1)[1], maxsplit=1)[0]

    def table(self, which=0):
        """The cells of one of the section's tables, without its head."""
        tables = [[]]
        for line in self.section().splitlines():
            if line.startswith("|"):
                tables[-1].append([cell.strip() for cell in line.strip("|").split("|")])
            elif tables[-1]:
                tables.append([])
        return tables[which][2:]

    def csv(self, column, factor=1.0, **where):
        """What report.csv has in a column of the one row that is meant."""
        found = [line for line in self.lines if all(line[key] == value for key, value in where.items())]
        assert len(found) == 1, f"{self.name}: {len(found)} rows are {where}"
        return float(found[0][column]) * factor

    def row(self, **where):
        """One row of report.json; of several that are the same in what is asked for, any."""
        grid = where.pop("grid", None)
        found = [row for row in self.report["rows"] if row["outcome"] == "ok" and (grid is None or row["grid"] == grid)
                 and all(row[key] == value for key, value in where.items())]
        assert found, f"{self.name}: no row is {where}"
        return found[0]

    def rates(self, label):
        return self.report["sessions"][0]["rates"][label]

    def pairs(self, title):
        """How many of an item's pairs are the same, faster, slower."""
        rows = [pair for item in self.report["pairs"] if item["title"] == title for pair in item["rows"] if pair["stage"] is None]
        verdicts = [pair["verdict"] for pair in rows]
        return [len(rows), *(verdicts.count(word) for word in ("same", "faster", "slower"))]


def numbers_in(text):
    return NUMBER.findall(text.replace("**", ""))


def same(stated, found):
    """Whether a number is the other one, rounded to its digits; of a whole number with zeros at its end, they may be rounding."""
    plain = stated.replace(",", "")
    digits = len(plain.split(".")[1]) if "." in plain else -(len(plain) - len(plain.rstrip("0"))) if plain.strip("0") else 0
    return abs(float(plain) - found) <= 0.51 * 10.0 ** -digits


class Held:
    """Counts what was held, and keeps what is wrong."""

    def __init__(self):
        self.count, self.wrong = 0, []

    def numbers(self, where, stated, expected):
        if len(stated) != len(expected):
            self.wrong.append(f"{where}: {len(stated)} numbers stated ({', '.join(stated)}), {len(expected)} known")
            return
        for one, found in zip(stated, expected):
            self.count += 1
            if not same(one, found):
                self.wrong.append(f"{where}: {one} stated, {found:.6g} measured")

    def lines(self, study, table, expected):
        """A list of numbers for each line of a table; the first cell is a name."""
        if len(table) != len(expected):
            self.wrong.append(f"{study.name}: {len(table)} lines for {len(expected)}")
        for cells, numbers in zip(table, expected):
            self.numbers(f"{study.name}, {cells[0]}", numbers_in(" | ".join(cells[1:])), numbers)

    def sentence(self, study, pattern, expected, text=None):
        found = re.search(pattern.replace(" ", r"\s+"), study.section() if text is None else text)
        if found is None:
            self.wrong.append(f"{study.name}: nothing says \"{pattern}\"")
        else:
            self.numbers(f"{study.name}, \"{pattern}\"", found.groups(), expected)


def buy(held):
    study = Study("buy")
    sustained = {(row["case"], study.labels[row["device"]]): row["sustained"]["runs_a_second"] for row in study.report["rows"]}
    held.lines(study, study.table(), [
        [study.csv("device_ms", case=case["id"], device=label) for label in (OPENCL, CUDA)]
        + [sustained[case["id"], label] for label in (OPENCL, CUDA, POCL, NATIVE)]
        + [study.csv("latency_p99_ms", case=case["id"], device=OPENCL)] for case in study.report["study"]["cases"]])


def hologram_platforms(held):
    study = Study("hologram_platforms")

    def times(variant, *devices):
        return [study.csv(column, size="3264x2448", variant=variant, device=device) for column in ("device_ms", "end_to_end_ms") for device in devices]

    held.lines(study, study.table(), [times("reference", NATIVE), times("paper", OPENCL, CUDA), times("fused", OPENCL, CUDA), times("fused_lanes", POCL)])


def cuda_against_opencl(held):
    study, since = Study("cuda_against_opencl"), Study("cuda_against_opencl_since")
    title = "CUDA against OpenCL"
    held.sentence(study, r"(\d+) pairs of the same kernels: (\d+) the same within 2%, (\d+) faster and (\d+) slower through CUDA", study.pairs(title))
    held.sentence(study, r"Of (\d+) pairs (\d+) are the same within 2%, (\d+) faster and (\d+) slower through CUDA", since.pairs(title))


def repeatability(held):
    study = Study("repeatability")
    pairs, alike, *_ = study.pairs("Again against first")
    held.sentence(study, r"\(\[repeatability\]\(repeatability/report.csv\)\), (\d+) of (\d+) rows are called the same", [alike, pairs], text=PAGE)


def box_count_scaling(held):
    study = Study("box_count_scaling")

    def ms(variant, device):
        return study.csv("device_ms", size="512", variant=variant, device=device)

    held.lines(study, study.table(), [
        [ms("hou_serial", NATIVE), ms("hou_threaded", NATIVE)], [ms("hou", OPENCL), ms("hou", CUDA), ms("hou by CUB's sort", CUDA)],
        [ms("pyramid", OPENCL), ms("pyramid", CUDA)], [ms("lanes", POCL)], [ms("threaded", NATIVE)]])


def dimension(row):
    """The dimension that a row of box counts found, and its standard error."""
    found = next(record for record in row["records"].values() if "dimension" in record)
    return found["dimension"], found.get("standard_error", 0.0)


def box_count_accuracy(held):
    study = Study("box_count_accuracy")
    shapes = list(dict.fromkeys(row["grid"]["shape"] for row in study.report["rows"]))
    held.lines(study, study.table(), [
        [row["variables"]["theory"], *dimension(row), dimension(study.row(case="straightest", grid={"shape": shape}))[0]]
        for shape in shapes for row in [study.row(case="by_size", grid={"shape": shape})]])


def box_count_tissue(held):
    study = Study("box_count_tissue")
    held.lines(study, study.table(), [dimension(study.row(case=case)) for case in ("grey_matter", "white_matter", "head", "vessels")])


def lb_device_scaling(held):
    study = Study("lb_device_scaling")

    def line(*devices):
        return [study.rates(device)[rate] for rate in ("copy_gbs", "peak_gflops") for device in devices] + [study.csv("rate", device=device) for device in devices]

    held.lines(study, study.table(), [line(OPENCL, CUDA), line(POCL), line(NATIVE)])


def box_filter_granularity(held):
    study = Study("box_filter_granularity")
    held.lines(study, study.table(), [
        [study.csv("device_ms", 1e3, case="radius", radius=radius, variant=variant, device=device) for radius in ("1", "3", "7", "15", "31")]
        for variant, device in (("pixel", OPENCL), ("image", OPENCL), ("strip", OPENCL), ("fused", OPENCL), ("lanes", POCL))])


def histogram_strategies(held):
    study = Study("histogram_strategies")

    def rates(*rows):
        return [study.csv("rate", case="bins_256", image=image, variant=variant, device=device) for image in ("random", "smooth", "constant") for variant, device in rows]

    both = [rates((variant, OPENCL), (variant, CUDA)) for variant in ("replicated", "local_atomics", "tagged", "global_atomics")]
    held.lines(study, study.table(), [*both, rates(("cub", CUDA)), rates(("replicated", POCL), ("opencv", NATIVE))])


def lb_work_group_size(held):
    study = Study("lb_work_group_size")

    def ms(case, shape, *devices):
        return [study.csv("device_ms", case=case, variant=shape, device=device) for device in devices]

    for image_shape, image, _, shape, local, everywhere in study.table():
        stated, expected = numbers_in(image), ms("image", image_shape, OPENCL)
        if shape:
            stated += numbers_in(local) + numbers_in(everywhere)
            expected += ms("local", shape, OPENCL, CUDA) + ms("global", shape, OPENCL, CUDA)
        held.numbers(f"{study.name}, {image_shape}", stated, expected)


def lb_throughput(held):
    study = Study("lb_throughput")

    def rate(variant, device=OPENCL):
        return study.csv("rate", case="D2Q9", size="1024", variant=variant, device=device)

    held.sentence(study, r"`image` ([\d,]+), `local` ([\d,]+), `global` ([\d,]+), `fused` ([\d,]+) MLUPS", [rate(name) for name in ("image", "local", "global", "fused")])
    held.sentence(study, r"`fused` is (\d+) times one thread of our reference \((\d+) MLUPS\)", [rate("fused") / rate("reference", NATIVE), rate("reference", NATIVE)])


def reduction_strategies(held):
    study = Study("reduction_strategies")

    def ms(variant, device=OPENCL):
        return study.csv("device_ms", case="sum", n=str(2**28), variant=variant, device=device)

    held.sentence(study, r"`grid_stride` ([\d.]+) ms .* fan-in of halves ([\d.]+), of neighbours ([\d.]+), rows and columns ([\d.]+)",
                  [ms(name) for name in ("grid_stride", "fan_in_strided", "fan_in_adjacent", "row_column")])


def main():
    held = Held()
    for check in (buy, hologram_platforms, cuda_against_opencl, repeatability, box_count_scaling, box_count_accuracy, box_count_tissue, lb_device_scaling,
                  box_filter_granularity, histogram_strategies, lb_work_group_size, lb_throughput, reduction_strategies):
        check(held)
    print("\n".join(held.wrong) or f"{held.count} figures as they were measured")
    return 1 if held.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
