"""A program of one's own as a row of `parallax compare`: the worker's protocol, for Python.

    from worker import serve

    def prepare(steps, inputs):          # [{"run": "box_filter", "parameters": {...}}], {"image": numpy array}
        image = inputs["image"]
        return "my_blur", lambda: {"image": blur(image)}

    serve("my lab", "1.0", prepare)

parallax compare STUDY --worker "my lab=python3 mine.py" then has a device "my lab". What `prepare` cannot do it says by raising Refused:
the row is refused with that reason. The function that it returns is called once, its arrays and records (a dict is a record) are held
against the study's reference, and then it is timed. Work that goes on after a call returned must be waited for: give `finish`.
Requests come on standard input, one JSON object a line, and answers go to standard output (lab/compare/worker.hpp).
"""

import json
import os
import sys
import time

import numpy


class Refused(Exception):
    """This program cannot do that, for the reason given."""


def _results(values, to_host):
    """Arrays and records apart, arrays in the host's memory."""
    arrays = {name: to_host(value) for name, value in values.items() if not isinstance(value, dict)}
    return arrays, {name: value for name, value in values.items() if isinstance(value, dict)}


class _Worker:
    def __init__(self, device, prepare, upload, to_host, finish):
        self.device, self.make, self.upload, self.to_host, self.finish = device, prepare, upload, to_host, finish
        self.run, self.host = None, {}

    def open(self, _):
        return {"device": self.device, "rates": None}

    def prepare(self, request):
        folder = request["input_folder"]
        self.host = {name: numpy.load(os.path.join(folder, name + ".npy")) for name in request["inputs"]
                     if name in request["job"]["inputs"]}
        self.steps = request["steps"]
        variant, self.run = self.make(self.steps, {name: self.upload(array) for name, array in self.host.items()})
        arrays, records = _results(self.run(), self.to_host)
        for name, array in arrays.items():
            numpy.save(os.path.join(request["folder"], name + ".npy"), array)
        return {"variant": variant, "records": records, "run_s": self.timed(self.run)}

    def timed(self, work):
        began = time.perf_counter()
        work()
        self.finish()
        return time.perf_counter() - began

    def sample(self, request):
        began, warmups = time.perf_counter(), 0
        while ((warmups < request["warmups"] or time.perf_counter() - began < request.get("warm_s", 0))
               and time.perf_counter() - began < request["budget_s"]):
            self.timed(self.run)
            warmups += 1
        began, wall = time.perf_counter(), []
        while True:
            wall.append(self.timed(self.run))
            passed = time.perf_counter() - began
            enough = len(wall) >= request["samples"] and (passed >= request["least_s"] or len(wall) >= 10 * request["samples"])
            full = 2 * (len(wall) + 1) > request.get("values", float("inf"))
            if enough or full or passed >= request["budget_s"]:
                return {"wall": wall, "device": [None] * len(wall), "stages": {}}

    def once(self):
        """From host memory to host memory, in three parts."""
        parts, kept = {}, {}

        def upload():
            kept["inputs"] = {name: self.upload(array) for name, array in self.host.items()}

        def run():
            kept["values"] = kept["run"]()

        parts["upload"] = self.timed(upload)
        kept["run"] = self.make(self.steps, kept["inputs"])[1]
        parts["run"] = self.timed(run)
        parts["download"] = self.timed(lambda: _results(kept["values"], self.to_host))
        return {"wall": sum(parts.values()), **parts, "device": None}

    def end_to_end(self, request):
        if request["warm"]:
            self.once()
        began, all_of = time.perf_counter(), []
        while len(all_of) < max(request["samples"], 1) and (not all_of or time.perf_counter() - began < request["budget_s"]):
            all_of.append(self.once())
        return {name: [one[name] for one in all_of] for name in all_of[0]}

    def sustained(self, request):
        began, walls, each_second = time.perf_counter(), [], []
        while (at := time.perf_counter() - began) < request["seconds"]:
            walls.append(self.once()["wall"])
            each_second += [0] * (int(at) + 1 - len(each_second))
            each_second[int(at)] += 1
        took = time.perf_counter() - began
        p50, p95, p99, p999, worst = (float(numpy.quantile(walls, p)) for p in (0.5, 0.95, 0.99, 0.999, 1))
        return {"seconds": took, "runs": len(walls), "runs_a_second": len(walls) / took, "each_second": each_second,
                "median_s": p50, "p95_s": p95,
                "p99_s": p99, "p999_s": p999, "worst_s": worst}

    def energy(self, _):
        return {}   # whoever has a meter answers as lab/timing/power.hpp says

    def release(self, _):
        self.run, self.host = None, {}
        return {}


def serve(name, version, prepare, *, kind="cpu", vendor="", upload=lambda array: array, to_host=numpy.asarray, finish=lambda: None):
    """Answers until the input ends. `upload` and `to_host` move arrays to and from the device that `kind` ("cpu", "gpu") says."""
    worker = _Worker({"name": name, "version": version, "type": kind, "vendor": vendor}, prepare, upload, to_host, finish)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)   # what libraries print is no answer
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if request["do"] not in ("open", "prepare", "sample", "end_to_end", "sustained", "energy", "release"):
                raise Refused(f"no {request['do']} in this program")
            answer = getattr(worker, request["do"])(request)
        except Refused as reason:
            answer = {"error": {"kind": "unsupported", "message": str(reason)}}
        except Exception as problem:   # a row that fails, and the rest goes on
            answer = {"error": {"kind": "failed", "message": f"{type(problem).__name__}: {problem}"}}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
