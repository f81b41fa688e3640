"""compare() and history(): what the program's commands of these names do, as functions that return Python's own types.

The program does the work: devices are tried in processes of their own, and a crash of a driver must not take this interpreter with it.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import sysconfig
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, Union

from ._errors import _miss, _refuse
from ._parallax import CancelledError, CancelToken, Error
from ._values import _plain

StudyLike = Union[str, "os.PathLike[str]", Mapping[str, Any]]
_PROGRESS = re.compile(r"\s*(\d+)%  (.*)")


@dataclass(frozen=True)
class Interval:
    """A median, and the bounds between which it lies with this `confidence`: .95, or what so few processes allow."""
    median: float
    low: float
    high: float
    confidence: float = 0.95


@dataclass(frozen=True)
class Row:
    """One case at one point of its grid, by one variant on one device."""
    id: str
    case: str
    grid: dict[str, Any]
    variant: str
    device: str
    outcome: str                     #: "ok", "refused", "disagrees", "failed", "crashed" ...; only "ok" has times
    reason: str                      #: of every other outcome
    times: dict[str, Interval]       #: seconds: "end_to_end", "device", "wall" and others
    metrics: dict[str, float]


@dataclass(frozen=True)
class Comparison:
    """What compare() found. `report` is all of report.json, as docs/compare.md describes it."""
    folder: pathlib.Path             #: has report.json, report.csv and report.html
    rows: list[Row]
    summary: list[str]               #: the answer in sentences
    report: dict[str, Any] = field(repr=False)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Comparison:
        """Of a folder that compare() or `parallax compare` filled."""
        path = pathlib.Path(folder).resolve()
        report = json.loads((path / "report.json").read_text(encoding="utf-8"))
        devices = [device["label"] for device in report["devices"]]
        rows = [Row(row["id"], row["case"], row["grid"], row["way"], devices[row["device"]], row["outcome"], row.get("reason", ""),
                    {name: Interval(**time) for name, time in row["times"].items()}, row["metrics"]) for row in report["rows"]]
        return cls(path, rows, report["summary"], report)


@dataclass(frozen=True)
class Change:
    """A row of the first report in all of them."""
    row: str
    device: str
    verdict: str                     #: "same", "slower", "faster", "ambiguous", "different result", "not there": of the last report
    since: int | None                #: the first report with this verdict, by its place; None: it is the same
    ratios: list[Interval | None]    #: its time by that of the first, in each report; None: not timed
    why: str


@dataclass(frozen=True)
class History:
    """What history() found."""
    rows: list[Change]
    reports: list[dict[str, Any]]    #: name, when, engine and drivers of each
    worse: bool                      #: a row of the last report is slower, gone, or has another result


def compare(study: StudyLike, *, out: str | os.PathLike[str], folder: str | os.PathLike[str] = ".",
            device: str | int | Mapping[str, Any] = "",
            minutes: float | None = None, quick: bool = False, cold_cache: bool = False, resume: bool = False, overwrite: bool = False,
            roots: Mapping[str, str | os.PathLike[str]] | None = None, programs: Mapping[str, str] | None = None,
            prices: Mapping[str, str] | None = None, note: str = "", contribute: str | os.PathLike[str] | None = None,
            progress: Callable[[str, float], None] | None = None, cancel: CancelToken | None = None,
            program: str | os.PathLike[str] | None = None) -> Comparison:
    """Runs a study on every device that it names, as `parallax compare` does, writes its report to the folder `out`, and returns it.

    study: the name of one that comes with the program ("buy"), a file, or a dictionary; a job, too, which is compared by its own steps.
    folder: of relative paths in a dictionary; a file's are beside it. minutes: a budget, within which what does not fit is left
    out and said.
    programs: a lab's own, as devices beside the others: {"ours": "python3 our_peer.py"}. prices: {"H200": "31000 EUR"}. resume: goes on
    with a study that was stopped. program: the program `parallax`; without, that of PARALLAX_BIN, beside this Python, or of PATH.

    Rows that cannot be timed say why. Raises ConfigError for a request that is wrong, UnsupportedError where no device fits or the program
    is not here, CancelledError, and Error for what else the program ends with.

    >>> import parallax, tempfile
    >>> study = {"parallax_study": 1, "title": "sums", "devices": [{"backend": "native"}],
    ...     "sampling": {"samples": 6, "rounds": 3, "budget_s": 0.1},
    ...     "cases": [{"id": "sum", "inputs": {"array": {"make": "random", "type": "u32", "axes": "n", "shape": [1000]}},
    ...                "steps": [{"run": "reduce"}], "variants": ["threaded"]}]}
    >>> found = parallax.compare(study, out=tempfile.mkdtemp())
    >>> [(row.case, row.variant, row.outcome) for row in found.rows]
    [('sum', 'threaded', 'ok')]
    >>> time = found.rows[0].times["end_to_end"]
    >>> 0 < time.low <= time.median <= time.high
    True
    """
    text = json.dumps(study, default=_plain) if isinstance(study, Mapping) else None
    given = "/dev/stdin" if text is not None else os.fsdecode(study)   # type: ignore[arg-type]
    filled = pathlib.Path(out).resolve()
    arguments = ["compare", f"--out={filled}"]
    asked = json.dumps(device, default=_plain) if isinstance(device, Mapping) else str(device)
    for name, value in {"--device": asked, "--note": note}.items():
        if value:
            arguments.append(f"{name}={value}")
    if minutes is not None:
        arguments.append(f"--minutes={float(minutes)!r}")
    if contribute is not None:
        arguments.append(f"--contribute={pathlib.Path(contribute).resolve()}")
    flags = {"--quick": quick, "--cold-cache": cold_cache, "--resume": resume, "--overwrite": overwrite, "--quiet": progress is None}
    arguments += [name for name, wanted in flags.items() if wanted]
    folders = {name: pathlib.Path(root).resolve() for name, root in (roots or {}).items()}
    pairs: dict[str, Mapping[str, object] | None] = {"--root": folders, "--worker": programs, "--price": prices}
    for option, values in pairs.items():
        for name, given_value in (values or {}).items():
            arguments.append(f"{option}={name}={given_value}")
    arguments += [f"--job={given}"] if _is_job(study) else ["--", given]   # whose name may begin with a dash
    ended = _ask(_program(program), arguments, text, folder if text is not None else ".", progress, cancel)
    if not ended.answered:
        _fail(ended, given, cancel)
    return Comparison.load(filled)


def history(reports: Sequence[str | os.PathLike[str] | Comparison], *, by: str = "",
            program: str | os.PathLike[str] | None = None) -> History:
    """Holds later reports of a study against the first, as `parallax history` does: what is slower, and since when.

    reports: folders, report.json or report.json.gz, or what compare() returned; the oldest first, two or more. by: the times that count,
    "device" or "end_to_end"; without, those by which the study ranks. program: as for compare().

    Raises ConfigError for what is no report, for reports of different studies, and for less than two.

    >>> import parallax, tempfile
    >>> sums = {"id": "sum", "inputs": {"array": {"make": "random", "type": "u32", "axes": "n", "shape": [1000]}}, "steps": [{"run": "reduce"}]}
    >>> study = {"parallax_study": 1, "title": "sums", "devices": [{"backend": "native"}], "sampling": {"budget_s": 0.1}, "cases": [sums]}
    >>> accepted, tonight = (parallax.compare(study, out=tempfile.mkdtemp()) for night in range(2))
    >>> found = parallax.history([accepted, tonight])
    >>> found.rows[0].verdict in ("same", "faster", "slower", "ambiguous"), found.rows[0].ratios[0].median
    (True, 1)
    """
    files = [str(report.folder) if isinstance(report, Comparison) else os.fspath(report) for report in reports]
    if not files:
        _refuse("", "no report", "two or more, the oldest first")
    arguments = ["history", "--json", *(["--by", by] if by else []), "--", *files]
    ended = _ask(_program(program), arguments)
    if not ended.answered:
        _fail(ended)
    found = json.loads(ended.said)
    rows = [Change(row["row"], row["device"], row["verdict"], row["since"], [_ratio(point) for point in row["points"]], row["why"])
            for row in found["rows"]]
    return History(rows, found["reports"], ended.status == 1)


def _ratio(point: Mapping[str, Any]) -> Interval | None:
    return None if point["ratio"] is None else Interval(point["ratio"], point["low"], point["high"], point.get("confidence", 0.95))


def _is_job(study: StudyLike) -> bool:
    """A study has `parallax_study` where a job has `parallax`. Of a file that cannot be read the program says why."""
    if not isinstance(study, Mapping):
        try:
            study = json.loads(pathlib.Path(study).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
    return isinstance(study, Mapping) and "parallax" in study


def _program(given: str | os.PathLike[str] | None) -> str:
    """Where the program is. One that is named is taken or refused, and never another in its place."""
    for name, value in {"program": given, "PARALLAX_BIN": os.environ.get("PARALLAX_BIN")}.items():
        if value:
            return shutil.which(value) or _refuse(name, os.fspath(value), "the program `parallax`", "its path, or a name that PATH has")
    beside = pathlib.Path(sysconfig.get_path("scripts"))
    found = shutil.which("parallax", path=str(beside)) or shutil.which("parallax")
    if found:
        return found
    reasons = ("PARALLAX_BIN does not say where it is", f"there is none beside this Python, in {beside}", "nor in a folder of PATH",
               "tools/test builds it and `cmake --install build` installs it: a wheel holds the library alone")
    _miss("compare() and history() need the program `parallax`, which is not here\n  - " + "\n  - ".join(reasons), reasons)


@dataclass(frozen=True)
class _Ended:
    status: int
    said: str        #: on standard output
    complaint: str   #: on standard error, without the progress

    @property
    def answered(self) -> bool:
        """Status 1 is also that of an answer which is bad news: a row that failed, something that is worse."""
        return self.status in (0, 1) and bool(self.said.strip())


def _ask(program: str, arguments: Sequence[str], text: str | None = None, folder: str | os.PathLike[str] = ".",
         progress: Callable[[str, float], None] | None = None, cancel: CancelToken | None = None) -> _Ended:
    """However this function ends, the program has ended."""
    with contextlib.ExitStack() as stack:
        given, said = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(2))
        given.write((text or "").encode())
        given.seek(0)
        ours, its = os.pipe()
        lines: queue.SimpleQueue[tuple[float, str | None]] = queue.SimpleQueue()
        threading.Thread(target=_read, args=(ours, lines), daemon=True).start()
        try:
            process = subprocess.Popen([program, *arguments], cwd=folder, stdin=given, stdout=said, stderr=its)
        finally:
            os.close(its)
        stopped = threading.Event()
        stack.callback(_stop, process, stopped)
        complaint = []
        ended = None
        line: str | None
        while True:
            if cancel is not None and cancel.cancelled and not stopped.is_set():
                process.send_signal(signal.SIGINT)   # it ends its workers, and what it has done can be resumed
                stopped.set()
            if ended is None and process.poll() is not None:
                ended = time.monotonic()
            came, line = time.monotonic(), ""
            with contextlib.suppress(queue.Empty):
                came, line = lines.get(timeout=0.1)
            if line is None or (ended is not None and came > ended + 1):   # what it has left behind may hold the pipe
                break
            step = _PROGRESS.fullmatch(line.rstrip("\n"))
            if step is None:
                complaint.append(line)
            elif progress is not None:
                progress(step[2], int(step[1]) / 100)
        status = process.wait()
        said.seek(0)
        return _Ended(status, said.read().decode("utf-8", "surrogateescape"), "".join(complaint))


def _read(pipe: int, lines: queue.SimpleQueue[tuple[float, str | None]]) -> None:
    """Its lines, and when each came; None: there are no more."""
    with open(pipe, encoding="utf-8", errors="replace") as stream:
        for line in stream:
            lines.put((time.monotonic(), line))
    lines.put((time.monotonic(), None))


def _stop(process: subprocess.Popen[bytes], stopped: threading.Event) -> None:
    """As Ctrl-C does, where the caller was interrupted, or its `progress` raised."""
    if process.poll() is None:
        if not stopped.is_set():   # a second signal ends it before its workers have ended
            process.send_signal(signal.SIGINT)
        process.wait()


def _fail(ended: _Ended, origin: str = "", cancel: CancelToken | None = None) -> NoReturn:
    """The program's last words as an exception of this package. origin: what it calls the request."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", ended.complaint)
    text = text[text.rfind("error: ") + len("error: "):].strip() if "error: " in text else text.strip()
    if cancel is not None and cancel.cancelled:
        raise CancelledError(text or "stopped on request")
    where = text.split("\n", 1)[0]
    parts = dict(re.findall(r"^  (found|expected|try) +(.*)$", text, re.MULTILINE))
    if ended.status == 2 and parts:
        pointer = "" if where in (origin, "the request is wrong") else where.removesuffix(f" in {origin}")
        _refuse(pointer, parts.get("found", ""), parts.get("expected", ""), parts.get("try", ""))
    reasons = re.findall(r"^  - (.*)$", text, re.MULTILINE)
    if reasons:
        _miss(text, reasons)
    raise Error(text or f"the program ended with status {ended.status} and said nothing")
