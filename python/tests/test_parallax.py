"""The package as a program uses it, on every device that is there."""

import gc
import inspect
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import parallax

DEVICES = [str(device["index"]) for device in parallax.devices()]


@pytest.fixture(params=DEVICES, ids=[device["name"] for device in parallax.devices()])
def session(request):
    return parallax.Session(request.param)


@pytest.fixture
def image():
    return np.random.default_rng(1).integers(0, 256, (48, 64), np.uint8)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64",
                                   "complex64"])
def test_arrays_come_down_as_they_went_up(session, dtype):
    array = np.arange(60).reshape(3, 4, 5).astype(dtype)
    up = session.upload(array)
    assert (up.shape, up.dtype, up.axes) == (array.shape, array.dtype, "zyx")
    np.testing.assert_array_equal(up.numpy(), array)
    np.testing.assert_array_equal(session.upload(array[::-1, 1:3, ::2]).numpy(), array[::-1, 1:3, ::2])   # strides of every kind
    np.testing.assert_array_equal(session.upload(array.T, axes="xyz").numpy(), array.T)
    np.testing.assert_array_equal(np.asarray(up), array)


def test_arrays_of_every_layout_go_in(session, image):
    for array in (image.T, np.asfortranarray(image), np.broadcast_to(image[0], (5, 64)), image.astype(">u2"), image.astype(">c8"),
                  np.frombuffer(b"\0" + image.astype(np.float32).tobytes(), np.float32, offset=1).reshape(48, 64), image[:0],
                  image[:1][::-1], image[:, :1][:, ::-1], np.rot90(image[:1], 2), image[::-1, :0], image[:0, ::-2]):   # a step below 0 from one element to none
        np.testing.assert_array_equal(session.upload(array).numpy(), array)
    assert session.upload(np.float32(3)).shape == (1,)


def test_what_is_no_array_of_numbers_is_refused_with_what_it_is(session, image):
    for array, found in ((image.astype(object), "object"), (image.astype("M8[s]"), "datetime64"), (image.astype(np.float16), "float16"),
                         (image.astype(str), "str"), ("words", "str"), (None, "object"), (np.zeros(3, "V4"), "void")):
        with pytest.raises(parallax.ConfigError, match=f"found elements of type {found}") as refused:
            session.box_filter(array)
        assert "float32" in refused.value.expected
    with pytest.raises(parallax.ConfigError, match="an array of 5 dimensions") as refused:
        session.upload(image.reshape(1, 1, 1, 48, 64))
    assert refused.value.found and refused.value.hint
    with pytest.raises(parallax.ConfigError, match="of type float16"):
        session.allocate((3, 4), np.float16)
    with pytest.raises(parallax.ConfigError, match="5 dimensions"):
        session.allocate((1, 1, 1, 3, 4))
    for sizes in ((2 ** 63,), (-3, 4), (2 ** 62, 8)):
        with pytest.raises(parallax.Error):
            session.allocate(sizes)
    with pytest.raises(parallax.ConfigError, match="an axis of -3 elements"):
        session.allocate((-3, 4))
    for nothing in (None, image):
        with pytest.raises(parallax.ConfigError, match="^wait: found an object of type"):
            session.call("box_filter", {"image": image}, {"radius": 1}, wait=[nothing])
    with pytest.raises(parallax.ConfigError, match="/into/image: found a ndarray"):
        session.box_filter(image, into={"image": image})


def test_a_mask_is_never_passed_over(session, image):
    masked = np.ma.masked_array(image, image > 100)
    with pytest.raises(parallax.ConfigError, match=f"a masked array of which {(image > 100).sum()} elements are masked"):
        session.reduce(masked)
    assert session.reduce(masked.filled(0))["value"]["value"] == image[image <= 100].sum(dtype=int)
    assert session.reduce(np.ma.masked_array(image))["value"]["value"] == image.sum(dtype=int)   # without one that counts


def test_an_array_takes_its_axes_and_spacing_along(session):
    colours = parallax.view(np.zeros((6, 5, 3), np.uint8), axes="yxc", spacing=[2, 3, 1], unit="mm")
    there = parallax.Session("native").upload(session.upload(colours))
    assert (there.axes, there.spacing, there.unit) == ("yxc", [2, 3, 1], "mm")
    said = session.upload(there, spacing=np.float32(4), unit="um")
    film = session.upload(np.zeros((2, 3, 4), np.uint8), axes="tyx", spacing=[.5, 1, 1])
    assert session.upload(film, spacing=4, unit="um").spacing == [.5, 4, 4]   # a length is none of time
    assert session.upload(np.zeros((2, 3, 4), np.uint8), axes="tyx", spacing=4).spacing == [0, 4, 4]
    assert session.upload(np.zeros((2, 3, 4), np.uint8), axes="tyx").spacing == [0, 1, 1]
    with pytest.raises(parallax.ConfigError, match="alone for an array whose spacing"):
        session.upload(there, unit="um")   # a number stays as it is: 2 mm would be 2 um
    assert (said.axes, said.spacing, said.unit) == ("yxc", [4, 4, 4], "um")
    with pytest.raises(parallax.ConfigError, match="a View"):
        session.upload(colours, spacing=4)
    with pytest.raises(parallax.ConfigError, match="a spacing of nan"):
        session.upload(np.zeros((4, 4)), spacing=np.nan)
    with pytest.raises(parallax.ConfigError, match="a number, or one for each axis"):
        session.upload(np.zeros((4, 4)), spacing="1.4 um")
    with pytest.raises(parallax.ConfigError, match="the axis x twice"):
        session.upload(np.zeros((4, 4)), axes="xx")


def test_a_job_in_memory_holds_to_what_it_says_of_its_inputs(session):
    array = np.array([[1, np.nan], [3, 4]], np.float32)
    job = {"parallax": 1, "inputs": {"image": {"file": "f.npy", "spacing_um": 2}}, "non_finite": "mask",
           "steps": [{"run": "crop", "out": {"image": "part"}}], "outputs": ["part"]}
    part = session.run(job, {"image": array})["part"]
    assert (part.spacing, part.unit) == ([2, 2], "um")
    np.testing.assert_array_equal(part.numpy(), [[1, 0], [3, 4]])
    assert np.isnan(array[0, 1])
    with pytest.raises(parallax.IoError, match="holds nan at"):
        session.run({**job, "non_finite": "reject"}, {"image": array})


def test_calls_give_what_numpy_gives(session, image):
    result = session.box_filter(image.astype(np.float32), radius=1)
    expected = sum(image.astype(np.float64)[1 + dy:47 + dy, 1 + dx:63 + dx] for dy in (-1, 0, 1) for dx in (-1, 0, 1)) / 9
    np.testing.assert_allclose(result["image"].numpy()[1:-1, 1:-1], expected, rtol=1e-6)
    assert result.report["variant"] and result.report["stages"]
    reduced = session.reduce(image)
    assert list(reduced) == ["value"]
    assert str(int(image.sum())) in str(reduced["value"])
    with pytest.raises(KeyError):
        reduced["values"]


def test_results_are_inputs_and_places_for_outputs(session, image):
    first = session.arithmetic(image.astype(np.float32), op="add", value=1)["image"]
    into = session.allocate(image.shape)
    second = session.arithmetic(first, op="multiply", value=2, into={"image": into})
    np.testing.assert_array_equal(into.numpy(), (image + np.float32(1)) * 2)
    np.testing.assert_array_equal(second["image"].numpy(), into.numpy())


def test_submitted_calls_keep_the_memory_that_they_read(session):
    pending = [session.submit("arithmetic", {"image": np.full((256, 256), i, np.float32)}, {"op": "add", "value": 1}) for i in range(20)]
    gc.collect()
    for i, call in enumerate(pending):
        np.testing.assert_array_equal(call.get()["image"].numpy(), np.full((256, 256), i + 1, np.float32))
    session.submit("reduce", {"array": np.zeros((256, 256), np.float32)})   # and one that nobody waits for
    first = session.submit("arithmetic", {"image": np.zeros((8, 8), np.float32)}, {"value": 1})
    second = session.submit("arithmetic", {"image": first.arrays["image"]}, {"value": 1}, wait=[first.done])
    assert second.get()["image"].numpy().sum() == 128


def test_errors_are_exceptions(session, image):
    with pytest.raises(parallax.ConfigError, match="radius"):
        session.box_filter(image, radios=3)
    with pytest.raises(parallax.ConfigError, match="box_filter"):
        session.call("box_filtre", {"image": image})
    with pytest.raises(parallax.ConfigError):
        session.upload(image, axes="x")
    with pytest.raises(parallax.Error):
        session.box_filter(image.astype(np.complex64))
    with pytest.raises(parallax.UnsupportedError):
        parallax.Engine("no such device")
    with pytest.raises(AttributeError):
        session.no_such_algorithm
    with pytest.raises(TypeError):
        session.box_filter(image, image)
    token = parallax.CancelToken()
    token.cancel()
    with pytest.raises(parallax.CancelledError):
        session.box_filter(image, cancel=token)
    assert issubclass(parallax.CancelledError, parallax.Error)
    assert session.box_filter(image, radius=0)["image"].numpy().shape == image.shape   # it still works


def test_jobs_are_dictionaries(session, image, tmp_path):
    job = {"parallax": 1, "inputs": {"image": "image.npy"},
           "steps": [{"run": "box_filter", "radius": 2}, {"run": "reduce", "in": {"array": "image"}}],
           "outputs": {"image": "blurred.npy", "value": "value.json"}}
    job["steps"][0]["out"] = {"image": "blurred"}
    job["outputs"] = {"blurred": "blurred.npy", "value": "value.json"}
    np.save(tmp_path / "image.npy", image)
    memory = session.run(job, {"image": image})
    stages = []
    report = session.engine.run(job, folder=tmp_path, out=tmp_path / "out", progress=lambda stage, done: stages.append((stage, done)))
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "blurred.npy"), memory["blurred"].numpy())
    assert stages[-1] == ("done", 1.0) and report["steps"]


def test_preparation_and_log(image):
    lines, steps = [], []
    session = parallax.Session(parallax.Engine(DEVICES[0], log=lambda level, text: lines.append((level, text))))
    preparation = session.prepare("box_filter", {"image": image}, {"radius": 4}, progress=steps.append)
    preparation.wait()
    assert preparation.done and steps[-1] == 1
    assert session.box_filter(image, radius=4).report["plan_seconds"] == 0
    assert any(level == "info" for level, _ in lines)


def test_a_preparation_that_its_own_progress_waits_for_is_refused(image):
    session, made, refused = parallax.Session("native"), [], []

    def progress(done):
        while not made:
            time.sleep(.01)
        with pytest.raises(parallax.ConfigError):
            made[0].wait()
        refused.append(done)

    made.append(session.prepare("box_filter", {"image": image}, {"radius": 4}, progress=progress))
    made[0].wait()
    assert refused == [.5, 1] and made[0].done


def test_names_that_are_no_text_or_no_utf_8_are_refused_in_parts(session, image):
    odd, job = "\udcff", '{"parallax": 1}'
    for call in (lambda: session.call("box_filter", {3: image}), lambda: session.call("box_filter", {None: image}),
                 lambda: session.run(job, {odd: image}), lambda: session.call("box_filter", {"image": image}, outputs=[odd]),
                 lambda: session.call("box_filter", {"image": image}, into={5: session.allocate((4, 4))}),
                 lambda: session.call(odd), lambda: session.call(3), lambda: session.call("noise", {"image": image}, variant=odd),
                 lambda: parallax.view(image, unit=odd), lambda: parallax.Engine(odd), lambda: session.run(odd),
                 lambda: parallax.run(job, roots={1: "."}), lambda: parallax.run(job, roots={odd: "."})):
        with pytest.raises(parallax.ConfigError, match="text that is UTF-8") as refused:
            call()
        assert refused.value.found


def test_what_may_be_left_out_may_be_none(session, image, tmp_path):
    """Whatever a signature gives the default None, and each option of each algorithm."""
    called = set()

    def call(function, *given, **named):
        rest = list(inspect.signature(function).parameters.items())[len(given):]
        optional = [name for name, parameter in rest if parameter.default is None and name not in named]
        called.add(getattr(function, "__qualname__", function.__name__))
        plain = function(*given, **named)
        everything = function(*given, **named, **dict.fromkeys(optional))
        assert type(everything) is type(plain)
        return plain

    call(parallax.Engine, "native")
    call(parallax.Session, session.engine)
    call(parallax.view, image)
    call(session.upload, image)
    call(session.allocate, (2, 3))
    call(session.call, "noise", {"image": image})
    call(session.submit, "noise", {"image": image}).get()
    call(session.prepare, "noise", {"image": image}).wait()
    job = {"parallax": 1, "steps": [{"run": "phantom", "size": 9}], "outputs": {"volume": "v.npy"}}
    call(session.run, job)
    call(session.engine.run, job, out=tmp_path, overwrite=True)
    on_device = ("Session.wrap", "Session.wrap_cuda")   # they take memory that Python does not have
    for owner in (parallax.Engine, parallax.Session):
        for name, member in inspect.getmembers(owner, inspect.isfunction):
            if name.startswith("_") or member.__qualname__ in on_device:
                continue
            if any(p.default is None for p in inspect.signature(member).parameters.values()):
                assert member.__qualname__ in called, f"{member.__qualname__} is not tried here"

    options = dict.fromkeys(("outputs", "into", "variant", "policy", "wait", "cancel"))
    assert session.box_filter(image, radius=1, **options)["image"].shape == image.shape
    assert session.submit("box_filter", {"image": image}, {"radius": 1}, wait=()).get()["image"].shape == image.shape


def run_script(text, **where):
    """A program of its own, which must end by itself."""
    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=120, check=False, **where)


FORGETFUL = """
import gc, sys, threading
import numpy as np
import parallax
seen = []
image = np.zeros((64, 64), np.uint8)
session = parallax.Session(parallax.Engine({device!r}, log=lambda level, text: seen.append(text)))
"""


@pytest.mark.parametrize("lines", [
    "for i in range(20): session.prepare('box_filter', {'image': image}, {'radius': i}, progress=seen.append)",
    "p = session.prepare('box_filter', {'image': image}, {'radius': 3}, progress=seen.append); p = None",
    "p = session.prepare('box_filter', {'image': image}, {'radius': 3}, progress=seen.append); del session, p; gc.collect()",
    "p = session.prepare('box_filter', {'image': image}, {'radius': 3}, progress=seen.append); p.cancel()",
    "p = session.prepare('box_filter', {'image': image}, {'radius': 3}, progress=seen.append)",           # until the interpreter ends
    "keep = [session.submit('box_filter', {'image': image}, {'radius': i}) for i in range(9)]; del session, keep",
    "keep = [session.submit('box_filter', {'image': image}, {'radius': i}) for i in range(9)]; sys.exit()",
    "a = session.submit('box_filter', {'image': image}, {'radius': 3}).arrays; del session; gc.collect(); del a",
    "p = session.prepare('box_filter', {'image': image}, {'radius': 3}, progress=seen.append)\n"
    "for i in range(9): session.prepare('box_filter', {'image': image}, {'radius': i}); session.allocate((3, 3)); session.engine.allocated",
], ids=range(9))
def test_whatever_is_forgotten_lets_go_without_the_interpreters_lock(lines):
    for device in DEVICES:
        done = run_script(FORGETFUL.format(device=device) + lines)
        assert (done.returncode, done.stderr) == (0, "")


def test_threads_take_a_session_each(image):
    engine, sums = parallax.Engine(DEVICES[0]), []

    def work():
        session = parallax.Session(engine)
        for _ in range(5):
            sums.append(session.box_filter(image, radius=3)["image"].numpy().sum())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(sums) == 20 and len(set(sums)) == 1


def test_dlpack_and_cuda(session, image):
    array = session.upload(image)
    if session.engine.device["backend"] != "cuda":
        np.testing.assert_array_equal(np.from_dlpack(array), image)
        assert not hasattr(array, "__cuda_array_interface__")
        return
    about = array.__cuda_array_interface__
    assert about["shape"] == image.shape and about["data"][0] != 0

    class Foreign:   # what CuPy and PyTorch have
        __cuda_array_interface__ = about

    np.testing.assert_array_equal(session.wrap_cuda(Foreign()).numpy(), image)
    assert array.__dlpack_device__()[0] == 2


def test_what_shares_memory_waits_for_the_work(session, image):
    pending = session.submit("box_filter", {"image": image}, {"radius": 1})
    array = pending.arrays["image"]

    class OnCuda:   # what a CUDA device would hand out
        cuda, cuda_device, shape, type = 4096, 1, (48, 64), "u8"

        def _cuda(self):
            return np.zeros(3)

    waited = []

    class Done:
        def wait(self):
            waited.append(True)

    assert array._ready is not None and pending.get()["image"]._ready is None
    own = session.allocate((48, 64), np.uint8)
    pending = session.submit("box_filter", {"image": image}, {"radius": 1}, into={"image": own})
    assert own._ready is not None
    pending.get()
    shared = parallax.Array(OnCuda(), session, ready=Done())
    assert shared.__cuda_array_interface__["data"] == (4096, False) and waited == [True]
    shared = parallax.Array(OnCuda(), session, ready=Done())
    shared.__dlpack__(stream=1)
    shared.__dlpack__(stream=1, dl_device=(2, 1))
    assert waited == [True, True]   # once
    assert shared.__dlpack_device__() == (2, 1)
    if not array._array.cuda:
        np.testing.assert_array_equal(np.from_dlpack(array), array.numpy())
        with pytest.raises(BufferError, match="without a copy"):
            array.__dlpack__(copy=False)


def test_objects_of_pyopencl(image):
    cl = pytest.importorskip("pyopencl")
    if not any(device["backend"] == "opencl" for device in parallax.devices()):
        pytest.skip("no OpenCL device")
    device = cl.get_platforms()[0].get_devices()[0]
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=image)
    engine = parallax.Engine.from_opencl(context.int_ptr, device.int_ptr)
    assert isinstance(engine, parallax.Engine) and "box_filter" in engine.algorithms()
    session = parallax.Session(engine, queue=queue.int_ptr)
    blurred = session.box_filter(session.wrap(buffer.int_ptr, image.shape, np.uint8), radius=2)["image"]
    del context, queue, buffer   # the session holds them
    np.testing.assert_array_equal(blurred.numpy(), parallax.Session("native").box_filter(image, radius=2)["image"].numpy())


def test_every_algorithm_has_help_and_a_signature(session):
    stub = open(parallax.__path__[0] + "/_algorithms.pyi").read()
    for name, algorithm in session.engine.algorithms().items():
        assert name in dir(session) and f"def {name}(" in stub
        for parameter in algorithm["parameters"]:
            assert parameter["key"] in getattr(session, name).__doc__
            assert f"{parameter['key']}: " in stub


def smooth_all():
    return {"parallax": 1, "for_each": {"frame": "*.npy"}, "inputs": {"image": "{frame}"}, "steps": [{"run": "box_filter", "radius": 2}],
            "outputs": {"image": "{frame.stem}-smooth.npy"}}


def test_series_run_and_go_on(tmp_path):
    for i in range(4):
        np.save(tmp_path / f"{i}.npy", np.full((32, 48), 10 * i, np.uint8))
    out, said = tmp_path / "out", []
    report = parallax.run(smooth_all(), folder=tmp_path, out=out, device="native", progress=lambda stage, done: said.append(stage))
    assert report["items"]["done"] == 4 and report["complete"] and said[-1] == "4 of 4"
    np.save(tmp_path / "4.npy", np.zeros((32, 48), np.uint8))
    report = parallax.Engine("native").run(smooth_all(), folder=tmp_path, out=out, resume=True)
    assert (report["items"]["done"], report["items"]["before"]) == (1, 4)
    with pytest.raises(TypeError, match="no option resumed"):
        parallax.run(smooth_all(), folder=tmp_path, out=out, resumed=True)
    engine = parallax.Engine("native")
    report = parallax.run(smooth_all(), folder=tmp_path, out=tmp_path / "both", engines=[engine, engine])
    assert report["items"]["done"] == 5 and len(report["devices"]) == 2


def test_errors_come_in_parts(image):
    with pytest.raises(parallax.ConfigError) as caught:
        parallax.Session("native").box_filter(image, radios=3)
    assert caught.value.pointer == "/radios" and "radius" in caught.value.hint and caught.value.expected
    assert parallax.ConfigError("words").pointer == ""
    with pytest.raises(parallax.ConfigError, match="found nan, expected numbers that are finite") as caught:
        parallax.Session("native").arithmetic(image, op="add", value=float("nan"))
    assert caught.value.pointer == "/value" and not str(caught.value).startswith("the whole")
    with pytest.raises(parallax.IoError) as caught:
        parallax.run({"parallax": 1, "inputs": {"image": "broken.png"}, "steps": [{"run": "box_filter"}], "outputs": {"image": "a.npy"}},
                     folder=broken_png_folder())
    assert caught.value.path.endswith("broken.png") and caught.value.problem
    with pytest.raises(parallax.UnsupportedError) as caught:
        parallax.Engine("no such device")
    assert len(caught.value.reasons) > 0
    assert issubclass(parallax.ConfigError, parallax.Error) and issubclass(parallax.Error, RuntimeError)


def broken_png_folder():
    import pathlib
    import tempfile
    folder = pathlib.Path(tempfile.mkdtemp())
    (folder / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nnothing")
    return folder


def test_memory_has_a_limit_and_plans_can_be_let_go(image):
    engine = parallax.Engine("native", memory_limit=1 << 20)
    session = parallax.Session(engine)
    with pytest.raises(parallax.DeviceError):
        session.allocate((2048, 2048))
    session.box_filter(image)
    session.trim()
    assert engine.trim() >= 0 and engine.lost == ""


def test_each_launch_can_have_a_time_of_its_own(image):
    session = parallax.Session()
    session.time_each_launch()
    frame = session.upload(image)
    into = session.allocate(image.shape, dtype=image.dtype)
    for _ in range(4):
        result = session.equalize(frame, into={"image": into})
    assert "equalize" in str(result.report)
    assert ", map" not in str(result.report)


def test_a_jobs_numbers_paths_and_options_are_taken_as_python_has_them(image, tmp_path):
    np.save(tmp_path / "f.npy", image)
    job = {"parallax": 1, "inputs": {"image": tmp_path / "f.npy"}, "steps": [{"run": "box_filter", "radius": np.int64(2)}],
           "outputs": {"image": "g.npy"}}
    parallax.run(job, out=bytes(tmp_path), device="native", sync=np.False_)
    assert (tmp_path / "g.npy").exists()
    for wrong in (-1, "2", 2.5, 2**40):
        with pytest.raises(parallax.ConfigError, match="readers: found .*, expected a whole number"):
            parallax.run(job, out=tmp_path, device="native", overwrite=True, readers=wrong)


@pytest.mark.skipif(not any(d["type"] == "cpu" and d["backend"] == "opencl" for d in parallax.devices()), reason="nothing to compile")
@pytest.mark.skipif(os.name == "nt", reason="names are UTF-16")
def test_names_that_are_not_utf_8_go_in_and_come_back_in_errors(image, tmp_path, monkeypatch):
    folder = os.fsencode(tmp_path) + b"/odd\xff"
    os.mkdir(folder)
    np.save(os.fsdecode(folder + b"/a.npy"), image)
    job = {"parallax": 1, "inputs": {"image": "a.npy"}, "steps": [{"run": "box_filter", "radius": 1}], "outputs": {"image": "b.npy"}}
    parallax.run(job, device="native", folder=folder, out=folder)
    assert os.path.exists(folder + b"/b.npy")
    monkeypatch.chdir(os.fsdecode(folder))
    os.remove(folder + b"/a.npy")
    with pytest.raises(parallax.ConfigError, match="no file"):
        parallax.run(job, device="native", out="elsewhere")


@pytest.mark.skipif(sys.platform != "linux", reason="the C library's names of rounding modes are Linux's here")
def test_the_callers_rounding_changes_no_result(session, image):
    import ctypes
    library = ctypes.CDLL(None)
    values = np.linspace(-90, 90, image.size, dtype=np.float32).reshape(image.shape)
    expected = session.convert(values, type="i16")["image"].numpy(), session.equalize(image)["image"].numpy()
    library.fesetround(0xC00 if os.uname().machine == "x86_64" else 0xC00000)   # towards zero
    try:
        results = session.convert(values, type="i16")["image"].numpy(), session.equalize(image)["image"].numpy()
    finally:
        library.fesetround(0)
    for result, there in zip(results, expected):
        np.testing.assert_array_equal(result, there)


def test_control_c_is_heard_while_plans_are_waited_for():
    program = """
import os, signal, threading, numpy as np, parallax
session = parallax.Session(parallax.Engine("cpu", cache_folder="off"))
plans = session.prepare("hologram", {"hologram": np.zeros((480, 640), np.uint8)}, {"wavelength_nm": 532, "pixel_um": 1.4, "distance_um": 1000})
threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    plans.wait()
    print("it ended")
except KeyboardInterrupt:
    print("heard, done:", plans.done)
plans.wait()
print("done:", plans.done)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["heard, done: False", "done: True"], done.stdout


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_child_of_fork_drops_what_its_parent_had_opened():
    program = """
import os, sys, numpy as np, parallax
class Opened: session = parallax.Session("native")
image = np.ones((64, 64), np.float32)
pending = Opened.session.submit("diffusion_lb", {"image": image}, {"iterations": 3})
child = os.fork()
if child == 0:
    del pending
    Opened.session = parallax.Session("native")   # its own, and the parent's goes
    assert Opened.session.reduce(image)["value"]["value"] == 64 * 64
    sys.exit(3)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
assert pending.get()["image"].numpy().shape == (64, 64)
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_control_c_is_heard_while_results_are_waited_for():
    program = """
import os, signal, threading, time, numpy as np, parallax
session = parallax.Session("native")
token = parallax.CancelToken()
pending = session.submit("diffusion_lb", {"image": np.zeros((1024, 1024), np.float32)}, {"iterations": 100000}, cancel=token)
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
began = time.monotonic()
try:
    pending.arrays["image"].numpy()
    print("it ended")
except KeyboardInterrupt:
    print("heard after", round(time.monotonic() - began, 1))
token.cancel()
try:
    pending.get()
except parallax.CancelledError:
    print("cancelled")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and lines[0].startswith("heard after") and float(lines[0].split()[-1]) < 10, done.stdout + done.stderr
    assert lines[1] == "cancelled", done.stdout


def test_control_c_is_heard_during_a_call():
    program = """
import _thread, threading, time, numpy as np, parallax
session = parallax.Session("cpu" if any(d["type"] == "cpu" and d["backend"] == "opencl" for d in parallax.devices()) else "native")
image = np.zeros((256, 256), np.float32)
session.diffusion_lb(image, iterations=1)
threading.Timer(0.5, lambda: __import__("os").kill(__import__("os").getpid(), __import__("signal").SIGINT)).start()
began = time.monotonic()
try:
    session.diffusion_lb(image, iterations=1000000)
    print("it ended")
except KeyboardInterrupt:
    print("heard after", round(time.monotonic() - began, 1))
print(session.box_filter(image)["image"].shape)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("heard after") and float(lines[0].split()[-1]) < 20 and lines[1] == "(256, 256)", done.stdout


@pytest.mark.parametrize("work", ["session.box_filter(image, radius=5)", "parallax.run(job, out=sys.argv[1], overwrite=True)", "session.upload(image)"])
def test_the_interpreter_ends_while_a_daemon_thread_is_in_a_call(work, tmp_path):
    program = f"""
import sys, threading, time, numpy as np, parallax
session, image = parallax.Session("native"), np.ones((256, 256), np.float32)
job = {{"parallax": 1, "device": {{"backend": "native"}}, "steps": [{{"run": "phantom", "kind": "carpet", "size": 81}}], "outputs": {{"volume": "v.npy"}}}}
def worker():
    while True: {work}
threading.Thread(target=worker, daemon=True).start()
time.sleep(.3)
print("the end")
"""
    for _ in range(6):
        done = subprocess.run([sys.executable, "-c", program, tmp_path], capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stdout) == (0, "the end\n"), done.stderr
