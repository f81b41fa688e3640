"""compare() and history(), by the program that PARALLAX_BIN, this Python's environment or PATH has."""

import json
import os
import pathlib
import shutil
import sysconfig
import threading
import time

import numpy as np
import pytest

import parallax

PROGRAM = os.environ.get("PARALLAX_BIN") or shutil.which("parallax", path=sysconfig.get_path("scripts")) or shutil.which("parallax")
with_program = pytest.mark.skipif(PROGRAM is None, reason="the program parallax is not here: PARALLAX_BIN says where it is")


def study(**keys):
    case = {"id": "sum", "grid": {"n": [100, 1000]}, "inputs": {"array": {"make": "random", "type": "u32", "axes": "n", "shape": ["$n"]}},
            "steps": [{"run": "reduce"}], "variants": ["reference", "threaded"]}
    return {"parallax_study": 1, "title": "sums", "devices": [{"backend": "native"}],
            "sampling": {"samples": 6, "rounds": 3, "budget_s": 0.1},
            "cases": [case], **keys}


def slowed(found, folder, times):
    """The same report from a machine on which all took so many times as long."""
    longer = lambda value: [longer(one) for one in value] if isinstance(value, list) else {k: longer(v) for k, v in value.items()} \
        if isinstance(value, dict) else value if isinstance(value, bool) or value is None else value * times
    report = json.loads((found.folder / "report.json").read_text())
    for row in report["rows"]:
        row["samples"] = longer(row["samples"])
    folder.mkdir()
    (folder / "report.json").write_text(json.dumps(report))
    return folder


@with_program
def test_a_study_gives_rows_with_intervals_and_a_page(tmp_path):
    steps = []
    found = parallax.compare(study(), out=tmp_path / "out", note="a test", prices={"native": "7 EUR"},
                             progress=lambda what, done: steps.append((what, done)))
    assert [(row.case, row.grid, row.variant, row.outcome) for row in found.rows] == [
        ("sum", {"n": n}, variant, "ok") for n in (100, 1000) for variant in ("reference", "threaded")]
    for row in found.rows:
        time = row.times["end_to_end"]
        assert 0 < time.low <= time.median <= time.high and time.confidence == 0.95
        assert row.device == found.report["devices"][0]["label"] and row.metrics["end_to_end_ms"] == pytest.approx(time.median * 1e3)
    assert any("4 rows on 1 device, 4 timed" in line for line in found.summary)
    assert found.report["study"]["prices"] == {"native": "7 EUR"} and found.report["sessions"][0]["environment"]["note"] == "a test"
    assert (found.folder / "report.html").exists() and found.folder == (tmp_path / "out").resolve()
    assert steps[0][0].startswith("open ") and all(0 <= done <= 1 for _, done in steps) and len(steps) > 4
    assert parallax.Comparison.load(tmp_path / "out") == found


@with_program
def test_a_file_a_job_and_relative_inputs(tmp_path):
    np.save(tmp_path / "numbers.npy", np.arange(500, dtype=np.uint32))
    of_file = study()
    of_file["cases"][0] = {"id": "sum", "inputs": {"array": "numbers.npy"}, "steps": [{"run": "reduce"}]}
    (tmp_path / "study.json").write_text(json.dumps(of_file))
    for number, (given, keys) in enumerate([(of_file, {"folder": tmp_path}), (tmp_path / "study.json", {}),
                                            (str(tmp_path / "study.json"), {})]):
        assert [row.outcome for row in parallax.compare(given, out=tmp_path / str(number), **keys).rows] == ["ok"]
    job = {"parallax": 1, "inputs": {"array": "numbers.npy"}, "steps": [{"run": "reduce"}], "outputs": {"value": "sum.json"}}
    (tmp_path / "job.json").write_text(json.dumps(job))
    for number, (given, keys) in enumerate([(job, {"folder": tmp_path}), (tmp_path / "job.json", {})]):
        found = parallax.compare(given, out=tmp_path / f"job{number}", device="native", quick=True, **keys)
        assert {row.outcome for row in found.rows} == {"ok"}


@with_program
def test_a_program_of_ones_own_is_a_row(tmp_path):
    peer = pathlib.Path(__file__).parents[1] / "peers"
    (tmp_path / "ours.py").write_text(f"import sys; sys.path.insert(0, {str(peer)!r})\n" + """
from worker import Refused, serve
import numpy as np

def prepare(steps, inputs):
    array = inputs["array"]
    return "numpy", lambda: {"value": {"value": int(array.sum(dtype=np.uint64)), "count": array.size}}

serve("ours", "1.0", prepare)
""")
    import sys
    found = parallax.compare(study(), out=tmp_path / "out", programs={"ours": f"{sys.executable} {tmp_path / 'ours.py'}"})
    ours = [row for row in found.rows if row.device == "ours"]
    assert len(ours) == 2 and all(row.outcome == "ok" and row.times["end_to_end"].median > 0 for row in ours), ours


@with_program
def test_history_tells_what_is_slower_and_since_when(tmp_path):
    first = parallax.compare(study(), out=tmp_path / "first")
    same = slowed(first, tmp_path / "second", 1)
    slower = slowed(first, tmp_path / "third", 300)   # a difference of less than 2 us is none
    found = parallax.history([first, same])
    assert not found.worse and {row.verdict for row in found.rows} == {"same"} and {row.since for row in found.rows} == {None}
    found = parallax.history([first, same, slower / "report.json"], by="end_to_end")
    assert found.worse and [row.verdict for row in found.rows] == ["slower"] * 4 and {row.since for row in found.rows} == {2}
    for row in found.rows:
        assert len(row.ratios) == 3 and row.ratios[2].low <= row.ratios[2].median <= row.ratios[2].high
        assert row.ratios[2].median == pytest.approx(300, rel=0.5)
    assert [report["name"] for report in found.reports] == [str(tmp_path.resolve() / "first"), str(same), str(slower / "report.json")]


@with_program
def test_what_is_wrong_is_refused_as_the_library_refuses(tmp_path):
    with pytest.raises(parallax.ConfigError, match="did you mean") as caught:
        wrong = study()
        wrong["cases"][0]["steps"] = [{"run": "reduse"}]
        parallax.compare(wrong, out=tmp_path / "out")
    assert caught.value.pointer == "/cases/0/steps/0/run" and "reduse" in caught.value.found and caught.value.expected and caught.value.hint
    with pytest.raises(parallax.ConfigError, match="--minutes"):
        parallax.compare("buy", out=tmp_path / "out", minutes=0)
    with pytest.raises(parallax.ConfigError, match="buy"):
        parallax.compare("no_such_study", out=tmp_path / "out")
    with pytest.raises(parallax.UnsupportedError) as caught:
        parallax.compare(study(), out=tmp_path / "out", device={"backend": "cuda", "name": "no such device"})
    assert caught.value.reasons
    assert not (tmp_path / "out").exists()
    found = parallax.compare(study(), out=tmp_path / "out", quick=True)
    with pytest.raises(parallax.ConfigError, match="existing report"):
        parallax.compare(study(), out=tmp_path / "out")
    for reports in ([], [found], [found, found], [found, tmp_path / "nothing"]):
        with pytest.raises(parallax.ConfigError):
            parallax.history(reports)
    other = study()
    other["cases"][0]["grid"] = {"n": [100, 2000]}
    with pytest.raises(parallax.ConfigError):
        parallax.history([found, parallax.compare(other, out=tmp_path / "other")])


@with_program
def test_a_study_that_is_stopped_goes_on(tmp_path):
    token = parallax.CancelToken()
    stop_at_rows = lambda what, done: token.cancel() if what.startswith("sum/") else None
    with pytest.raises(parallax.CancelledError):
        parallax.compare(study(sampling={"samples": 60, "rounds": 3, "budget_s": 20, "least_s": 10}), out=tmp_path / "out",
                         progress=stop_at_rows, cancel=token)
    assert (tmp_path / "out/journal.jsonl").exists()

    class Enough(Exception):
        pass

    def raises(what, done):
        raise Enough
    before = threading.active_count()
    with pytest.raises(Enough):
        parallax.compare(study(), out=tmp_path / "second", progress=raises)
    assert threading.active_count() <= before + 1
    with pytest.raises(parallax.ConfigError, match="resume|overwrite"):
        parallax.compare(study(), out=tmp_path / "second")
    assert len(parallax.compare(study(), out=tmp_path / "second", resume=True).rows) == 4


def test_without_the_program_it_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.delenv("PARALLAX_BIN", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    for call in (lambda: parallax.compare(study(), out=tmp_path / "out"), lambda: parallax.history(["a", "b"])):
        with pytest.raises(parallax.UnsupportedError, match="PARALLAX_BIN") as caught:
            call()
        assert len(caught.value.reasons) == 4
    monkeypatch.setenv("PARALLAX_BIN", str(tmp_path / "nothing"))   # what was named is not replaced by another
    monkeypatch.setenv("PATH", os.path.dirname(PROGRAM or "/usr/bin/env"))
    with pytest.raises(parallax.ConfigError) as caught:
        parallax.history(["a", "b"])
    assert caught.value.pointer == "PARALLAX_BIN"


def test_a_program_that_dies_or_is_none_of_ours_is_an_error(tmp_path):
    for text, says in (("kill -SEGV $$", "status -11"), ("echo 'error: the disk is gone' >&2; exit 1", "the disk is gone"),
                       ("exit 0", "said nothing")):
        script = tmp_path / "parallax"
        script.write_text(f"#!/bin/sh\n{text}\n")
        script.chmod(0o755)
        with pytest.raises(parallax.Error, match=says):
            parallax.history(["a", "b"], program=script)


@with_program
@pytest.mark.skipif(os.name == "nt", reason="names are UTF-16")
def test_whatever_a_study_and_its_folder_are_called_it_is_compared(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    small = study(sampling={"samples": np.int64(3), "rounds": np.int64(1), "budget_s": np.float32(.25)})
    assert parallax.compare(small, out="o\udcff", quick=True).rows[0].outcome == "ok"
    pathlib.Path("-s.json").write_text(json.dumps(study()))
    assert parallax.compare("-s.json", out="dash", quick=True, note="--quick").rows[0].outcome == "ok"
    pathlib.Path("other.json").write_text(json.dumps(study()))
    with pytest.raises(parallax.ConfigError, match="--job=other.json"):
        parallax.compare("--job=other.json", out="none")


@pytest.mark.skipif(os.name == "nt", reason="a script of sh")
def test_what_a_program_has_left_behind_is_not_waited_for(tmp_path):
    script = tmp_path / "parallax"
    script.write_text("#!/bin/sh\nsleep 60 &\necho 'error: the disk is gone' >&2\nexit 1\n")
    script.chmod(0o755)
    begun = time.monotonic()
    with pytest.raises(parallax.Error, match="the disk is gone"):
        parallax.history(["a", "b"], program=script)
    assert time.monotonic() - begun < 30
