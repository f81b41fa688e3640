"""Parallax: biomedical imaging on OpenCL and CUDA devices.

>>> import numpy as np, parallax
>>> session = parallax.Session()
>>> frame = np.full((480, 640), 100, np.uint8)
>>> result = session.hologram(frame, wavelength_nm=532, pixel_um=1.4, distance_um=1000)
>>> result["amplitude"].numpy().shape
(480, 640)
"""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Union

import numpy as np

from . import _parallax
from ._algorithms import AlgorithmCalls
from ._errors import _refuse
from ._laboratory import Change, Comparison, History, Interval, Row, compare, history
from ._parallax import (
    BuildError,
    CancelledError,
    CancelToken,
    ConfigError,
    DeviceError,
    Error,
    Event,
    IoError,
    Preparation,
    UnsupportedError,
    __version__,
    devices,
)
from ._values import _plain, _word

__all__ = [
    "Array", "ArrayLike", "BuildError", "CancelToken", "CancelledError", "Change", "Comparison", "ConfigError", "DeviceError", "Engine",
    "Error", "Event", "History", "Interval", "IoError", "Pending", "Preparation", "Result", "Row", "Session", "UnsupportedError", "View",
    "__version__", "compare", "devices", "history", "run", "view",
]

# A traceback names errors as people import them.
for _error in (Error, *Error.__subclasses__()):
    _error.__module__ = __name__

View = _parallax.View
_USUAL_AXES = {0: "", 1: "x", 2: "yx", 3: "zyx", 4: "tzyx"}
_TYPES = {"bool": "bool", "u8": "uint8", "i8": "int8", "u16": "uint16", "i16": "int16", "u32": "uint32", "i32": "int32", "u64": "uint64",
          "i64": "int64", "f32": "float32", "f64": "float64", "c64": "complex64", "c128": "complex128"}
_NAMES = {numpy: name for name, numpy in _TYPES.items()}


def view(array: Any, axes: str | None = None, spacing: float | Sequence[float] | None = None, unit: str = "") -> View:
    """An array with what its axes mean, as an input of a call; NumPy's memory is read where it is.

    axes: a letter for each dimension, slowest first (c channel, t time, z depth, y row, x column, n anything else); without, "x",
    "yx", "zyx" or "tzyx". spacing: of every axis but time, or one for each, in `unit`; of
    time in seconds, 0 where none is said.
    """
    if isinstance(array, View):
        _refuse("", "a View, whose axes and spacing are said", "an array", "parallax.view(array, axes=..., spacing=...) says all at once")
    time = 0.0
    if isinstance(array, Array):   # what it says of itself goes with it
        axes = axes or array.axes
        if spacing is None and unit not in (None, "", array.unit):
            _refuse("", f"the unit {unit!r} alone for an array whose spacing is in {array.unit!r}", "the spacing in that unit beside it",
                    "or neither: the array's own are kept")
        if spacing is None:
            spacing, unit = array.spacing, unit or array.unit
        time = dict(zip(array.axes, array.spacing)).get("t", 0)
        array = array.numpy()
    if isinstance(array, np.ma.MaskedArray):
        if np.ma.is_masked(array):
            _refuse("", f"a masked array of which {np.ma.count_masked(array)} elements are masked", "an array without a mask",
                    "array.filled(value) says what stands in their place")
        array = array.data
    if not isinstance(array, np.ndarray):
        array = np.from_dlpack(array) if hasattr(array, "__dlpack__") else np.asarray(array)
    _name_of(array.dtype)
    if array.ndim == 0:
        array = array.reshape(1)
    strides = [stride for stride, size in zip(array.strides, array.shape) if size > 1]
    if not array.dtype.isnative or any(stride < 0 or stride % array.itemsize for stride in strides):
        array = np.array(array, dtype=array.dtype.newbyteorder("="), order="C")   # ascontiguousarray() takes an empty one as it is
    if axes is None:
        axes = _usual_axes(array.ndim)
    if isinstance(spacing, (str, bytes)):
        _refuse("", f"the spacing {spacing!r}", "a number, or one for each axis", "the unit stands by itself: spacing=1.4, unit=\"um\"")
    if spacing is None:
        spacing = []
    elif np.ndim(spacing) == 0:
        spacing = [time if axis == "t" else spacing for axis in axes]
    return View(array, _word("axes", axes), [float(distance) for distance in spacing], _word("unit", unit or ""))


def _usual_axes(dimensions: int) -> str:
    """Of an array whose axes nobody has said."""
    if dimensions not in _USUAL_AXES:
        _refuse("", f"an array of {dimensions} dimensions", "axes that say what they are", 'for instance axes="tczyx"')
    return _USUAL_AXES[dimensions]


def _name_of(dtype: Any) -> str:
    """The library's name of an element type of NumPy's."""
    dtype = np.dtype(dtype)
    if dtype.name not in _NAMES:
        hint = "array.astype(np.float32) makes such an array" if dtype.kind in "fOiuc" else ""
        _refuse("", f"elements of type {dtype.name}", f"one of {', '.join(_NAMES)}", hint)
    return _NAMES[dtype.name]


class Array:
    """An array in a device's memory. `numpy()` brings it down; what speaks DLPack or CUDA's array interface reads it where it is."""

    def __init__(self, array: _parallax.Array, session: Session, keep: Any = None, ready: Event | None = None):
        self._array, self._session, self._keep, self._ready = array, session, keep, ready

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self._array.shape)

    @property
    def dtype(self) -> np.dtype:
        return np.dtype(_TYPES[self._array.type])

    @property
    def axes(self) -> str:
        """A letter for each axis, slowest first: "yx"."""
        return self._array.axes

    @property
    def spacing(self) -> list[float]:
        return self._array.spacing

    @property
    def unit(self) -> str:
        """Of the spacing: "um", or "" for pixels."""
        return self._array.unit

    @property
    def opencl(self) -> int:
        """The cl_mem, borrowed, or 0 (pyopencl.MemoryObject.from_int_ptr)."""
        return self._array.opencl

    def numpy(self) -> np.ndarray:
        """A copy in host memory."""
        return self._session._session._download(self._array)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("an array on a device cannot be seen by NumPy without a copy")
        array = self.numpy()
        return array if dtype is None else array.astype(dtype, copy=False)

    def __dlpack__(self, **options: Any) -> Any:
        if self._array.cuda and options.get("dl_device") in (None, self.__dlpack_device__()):
            self._wait()
            shared = self._session.upload(self) if options.get("copy") else self
            return shared._array._cuda().__dlpack__()
        if options.get("copy") is False:
            raise BufferError("an array on this device cannot be seen from the host without a copy")
        return self.numpy().__dlpack__(**{name: value for name, value in options.items() if name != "stream"})   # which is a device's

    def _wait(self) -> None:
        """Until it has been computed: others read its memory in streams that know nothing of the session's."""
        if self._ready is not None:
            self._ready.wait()
            self._ready = None

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, self._array.cuda_device) if self._array.cuda else (1, 0)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if not self._array.cuda:
            raise AttributeError("not on a CUDA device")
        self._wait()
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self._array.cuda, False), "version": 3, "strides": None}

    def __repr__(self) -> str:
        return repr(self._array)


ArrayLike = Union[Array, View, np.ndarray, Any]


class Result(Mapping):
    """What a call gave: arrays (`Array`) and records (of JSON's types) by name, and a report of how."""

    def __init__(self, result: _parallax.Result, session: Session):
        self.arrays: dict[str, Array] = {name: Array(array, session) for name, array in result.arrays.items()}
        self.records: dict[str, Any] = {name: json.loads(record) for name, record in result.records.items()}
        self.warnings: list[str] = list(result.warnings)
        self.report: dict[str, Any] = json.loads(result.report)

    def __getitem__(self, name: str) -> Any:
        if name in self.arrays:
            return self.arrays[name]
        if name in self.records:
            return self.records[name]
        raise KeyError(f"{name}: there are {', '.join(self) or 'none'}")

    def __iter__(self):
        yield from self.arrays
        yield from self.records

    def __len__(self) -> int:
        return len(self.arrays) + len(self.records)


class Pending:
    """A call that was submitted. `arrays` are there at once, for calls that wait for `done`."""

    def __init__(self, pending: _parallax.Pending, session: Session):
        self._pending, self._session = pending, session
        self._ready = ready = None if session._in_the_hosts_stream else pending.done
        self.arrays: dict[str, Array] = {name: Array(array, session, ready=ready) for name, array in pending.arrays.items()}

    @property
    def done(self) -> Event:
        return self._pending.done

    def get(self) -> Result:
        """Waits; once."""
        return Result(self._pending.get(), self._session)


class Engine(_parallax.Engine):
    """An opened device, shared by threads.

    device: "gpu", "cpu", "native", an index, a part of a name, or a dictionary such as a job's `device`. Without: a GPU, else a CPU.
    log: called with a level ("info") and a text; without, nothing is said, ever.
    """

    def __init__(self, device: str | int | Mapping[str, Any] = "", cache_folder: str = "", log: Callable[[str, str], None] | None = None, *,
                 memory_limit: int = 0, plan_memory: int = 0):
        """memory_limit: bytes of the device's memory that the engine takes at most. plan_memory: bytes of plans that are kept for calls to
        come, by default a quarter of the above."""
        super().__init__(_spec(device), _word("cache_folder", cache_folder), log, memory_limit, plan_memory, "", 0, 0)

    @classmethod
    def from_opencl(cls, context: int, device: int, log: Callable[[str, str], None] | None = None) -> Engine:
        """On a cl_context and cl_device_id, as numbers (pyopencl: .int_ptr); both are retained."""
        return cls._of("opencl", context, device, log)

    @classmethod
    def from_cuda(cls, context: int = 0, log: Callable[[str, str], None] | None = None) -> Engine:
        """On a CUcontext; 0: the one that is current, as PyTorch's and CuPy's is."""
        return cls._of("cuda", context, 0, log)

    @classmethod
    def _of(cls, kind: str, context: int, device: int, log: Callable[[str, str], None] | None) -> Engine:
        engine = cls.__new__(cls)
        _parallax.Engine.__init__(engine, "", "", log, 0, 0, kind, context, device)
        return engine

    def algorithms(self) -> dict[str, dict[str, Any]]:
        """Every algorithm by name, with inputs, outputs, parameters, defaults and variants."""
        return {entry["name"]: entry for entry in json.loads(self._algorithms())}

    def run(self, job: Mapping[str, Any] | str, folder: str | os.PathLike = ".", out: str | os.PathLike = ".", overwrite: bool = False,
            progress: Callable[[str, float], None] | None = None, cancel: CancelToken | None = None, **options: Any) -> dict[str, Any]:
        """Runs a job on files on this device, a series too, and returns its report; that of a series has items that failed under "failed".
        options: as for parallax.run()."""
        return run(job, folder=folder, out=out, overwrite=overwrite, progress=progress, cancel=cancel, engines=[self], **options)


_JOB_OPTIONS = {"roots", "confined", "sync", "manifest", "resume", "shard", "shards", "readers", "writers", "in_flight", "trace", "ranks"}


def run(job: Mapping[str, Any] | str, *, folder: str | os.PathLike = ".", out: str | os.PathLike = ".", overwrite: bool = False,
        device: str | int | Mapping[str, Any] = "", engines: Sequence[Engine] = (), progress: Callable[[str, float], None] | None = None,
        cancel: CancelToken | None = None, cache_folder: str = "",
        log: Callable[[str, str], None] | None = None, **options: Any) -> dict[str, Any]:
    """Runs a job on files as `parallax run` does, and returns its report.

    The devices are those that the job asks for, `device` in their place ("all": every one shares a series), or `engines` that are there.
    options: roots (a folder by name), confined, sync; of a series manifest, resume, shard and shards, readers, writers, in_flight, trace;
    ranks: processes that mpirun started do the job together, and the first has the report, the others {}.

    >>> import numpy as np, parallax, tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for i in range(3): np.save(folder / f"{i}.npy", np.full((64, 64), 10 * i, np.uint8))
    >>> report = parallax.run({"parallax": 1, "for_each": {"frame": "*.npy"}, "inputs": {"image": "{frame}"},
    ...     "steps": [{"run": "box_filter", "radius": 2}], "outputs": {"image": "{frame.stem}-smooth.npy"}}, folder=folder, out=folder)
    >>> report["items"]["done"]
    3
    """
    unknown = set(options) - _JOB_OPTIONS
    if unknown:
        raise TypeError(f"run() has no option {', '.join(sorted(unknown))}; there are {', '.join(sorted(_JOB_OPTIONS))}")
    given = {"folder": os.fsencode(folder), "out": os.fsencode(out), "overwrite": bool(overwrite), **options}
    for name in ("manifest", "trace"):
        if name in given:
            given[name] = os.fsencode(given[name])
    for name in ("shard", "shards", "readers", "writers", "in_flight"):
        if name in given:
            given[name] = _count(name, given[name])
    for name in ("confined", "sync", "resume", "ranks"):
        if name in given:
            given[name] = bool(given[name])
    if "roots" in given:
        given["roots"] = {_word("roots", name): os.fsencode(path) for name, path in given["roots"].items()}
    report = _parallax._run_job(_text(job), list(engines), given, _spec(device), _word("cache_folder", cache_folder), log, progress, cancel or CancelToken())
    return json.loads(report) if report else {}


def _count(name: str, value: Any) -> int:
    try:
        count = operator.index(value)
    except TypeError:
        count = -1
    if not 0 <= count < 2**31:
        _refuse(name, repr(value), "a whole number, 0 or more")
    return count


def _spec(device: str | int | Mapping[str, Any]) -> str:
    return json.dumps(device, default=_plain) if isinstance(device, Mapping) else _word("device", str(device))


def _text(job: Mapping[str, Any] | str) -> str:
    return _word("", job) if isinstance(job, str) else json.dumps(job, default=_plain)


class Session(AlgorithmCalls):
    """One thread's work: arrays, algorithms, jobs in memory.

    engine: an Engine, or what Engine() takes as a device. Every algorithm is a method: session.hologram(...), session.fft(...).
    queue, stream: the host application's cl_command_queue or CUstream, as a number.
    """

    def __init__(self, engine: _parallax.Engine | str | int | Mapping[str, Any] = "", *, queue: int | None = None,
                 stream: int | None = None):
        self.engine = engine if isinstance(engine, _parallax.Engine) else Engine(engine)
        self._session = _parallax.Session(self.engine, queue, stream)
        self._in_the_hosts_stream = stream is not None
        self._algorithms = {entry["name"]: entry for entry in json.loads(_parallax.Engine._algorithms(self.engine))}

    def trim(self) -> None:
        """Lets go of plans and workspace; what is under way keeps what it uses until it has ended."""
        self._session._trim()

    def time_each_launch(self, each: bool = True) -> None:
        """Each launch by itself, with its own time in reports. Else short launches of a call that comes again with the same arrays
        start together where the driver can (CUDA: graphs), and a report has one row for them."""
        self._session._time_each_launch(each)

    def upload(self, array: ArrayLike, axes: str | None = None, spacing: float | Sequence[float] | None = None, unit: str = "") -> Array:
        given = array if isinstance(array, View) and axes is None and spacing is None and not unit else view(array, axes, spacing, unit)
        return Array(self._session._upload(given), self)

    def allocate(self, shape: Sequence[int], dtype: Any = np.float32, axes: str | None = None) -> Array:
        """Uninitialised."""
        return Array(self._session._allocate(_name_of(dtype), _sizes(shape), axes or _usual_axes(len(shape)), [], ""), self)

    def wrap(self, memory: int, shape: Sequence[int], dtype: Any = np.float32, axes: str | None = None) -> Array:
        """A cl_mem of the engine's context, as a number; retained."""
        return Array(self._session._wrap(memory, _name_of(dtype), _sizes(shape), axes or _usual_axes(len(shape)), False, []), self)

    def wrap_cuda(self, array: Any, axes: str | None = None) -> Array:
        """An array of PyTorch, CuPy and the like on the engine's CUDA device; kept alive, not copied."""
        about = array.__cuda_array_interface__
        dtype, shape = np.dtype(about["typestr"]), list(about["shape"])
        strides = [stride // dtype.itemsize for stride in about.get("strides") or []]
        wrapped = self._session._wrap(about["data"][0], _name_of(dtype), shape, axes or _usual_axes(len(shape)), True, strides)
        return Array(wrapped, self, keep=array)

    def call(self, algorithm: str, inputs: Mapping[str, ArrayLike] | None = None, parameters: Mapping[str, Any] | None = None, *,
             outputs: Sequence[str] | None = None, into: Mapping[str, Array] | None = None, variant: str | None = None,
             policy: Mapping[str, int] | None = None, wait: Sequence[Event] = (), cancel: CancelToken | None = None) -> Result:
        """Runs an algorithm by its name and waits. Arrays of `into` take outputs; they must not overlap inputs or each other
        (ConfigError), but `arithmetic`, `convert`, `mask` and `threshold` can write where an input of as large elements is."""
        return Result(self._session._run(*self._arguments(algorithm, inputs, parameters, outputs, into, variant, policy),
                                         list(wait), cancel or CancelToken()), self)

    def submit(self, algorithm: str, inputs: Mapping[str, ArrayLike] | None = None, parameters: Mapping[str, Any] | None = None, *,
               outputs: Sequence[str] | None = None, into: Mapping[str, Array] | None = None, variant: str | None = None,
               policy: Mapping[str, int] | None = None, wait: Sequence[Event] = (), cancel: CancelToken | None = None) -> Pending:
        """Enqueues and returns; calls of a session run in the order of submission. `into`: as for call()."""
        pending = Pending(self._session._submit(*self._arguments(algorithm, inputs, parameters, outputs, into, variant, policy),
                                                list(wait), cancel or CancelToken._none()), self)
        for array in (into or {}).values():   # the caller's own, written like those of `pending`
            array._ready = pending._ready
        return pending

    def prepare(self, algorithm: str, inputs: Mapping[str, ArrayLike] | None = None, parameters: Mapping[str, Any] | None = None, *,
                outputs: Sequence[str] | None = None, variant: str | None = None, policy: Mapping[str, int] | None = None,
                progress: Callable[[float], None] | None = None) -> Preparation:
        """Compiles and warms up what such a call needs, in the background. `progress` must not wait for its own preparation (ConfigError)."""
        return self._session._prepare(*self._arguments(algorithm, inputs, parameters, outputs, None, variant, policy), progress)

    def run(self, job: Mapping[str, Any] | str, inputs: Mapping[str, ArrayLike] | None = None, cancel: CancelToken | None = None) -> Result:
        """Runs a job in memory: inputs by the job's names; what it names as outputs is in the result, and no file is touched."""
        return Result(self._session._run_job(_text(job), self._inputs(inputs), cancel or CancelToken()), self)

    def _inputs(self, inputs: Mapping[str, ArrayLike] | None) -> dict[str, Any]:
        ready = {}
        for key, given in (inputs or {}).items():
            name = _word("/inputs", key)
            if isinstance(given, Array):
                ready[name] = given._array
            elif isinstance(given, View):
                ready[name] = given
            elif hasattr(given, "__cuda_array_interface__") and self.engine.device["backend"] == "cuda":
                ready[name] = self.wrap_cuda(given)._array
            else:
                ready[name] = view(given)
        return ready

    def _arguments(self, algorithm, inputs, parameters, outputs, into, variant, policy):
        return (_word("algorithm", algorithm), _parameters(parameters or {}), self._inputs(inputs),
                [_word("/outputs", name) for name in outputs or []],
                {_word("/into", name): _place(name, array) for name, array in (into or {}).items()},
                _word("/variant", variant or ""), json.dumps(dict(policy)) if policy else "")


def _sizes(shape: Sequence[int]) -> list[int]:
    sizes = [operator.index(size) for size in shape]
    for size in sizes:
        if not 0 <= size < 2 ** 63:
            _refuse("", f"an axis of {size} elements", "sizes that memory can hold")
    return sizes


def _place(name: str, array: Any) -> _parallax.Array:
    if not isinstance(array, Array):
        _refuse(f"/into/{name}", f"a {type(array).__name__}", "an array on the device", "session.allocate(shape, dtype) makes one")
    return array._array


def _parameters(parameters: Mapping[str, Any]) -> str:
    """As JSON, which has no NaN and no infinity."""
    for name, value in parameters.items():
        try:
            json.dumps(value, default=_plain, allow_nan=False)
        except ValueError:
            _refuse(f"/{name}", str(value), "numbers that are finite", "leave it out for its default")
    return json.dumps(dict(parameters), default=_plain)
