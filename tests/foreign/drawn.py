#!/usr/bin/env python3
"""Files drawn at random, written by SciPy, h5py (as MATLAB 7.3 does), pynrrd, SimpleITK and zarr, and read by the program: elements, type,
axes, distances.

    tests/foreign/drawn.py --program build/bin/parallax --work FOLDER [--seed N] [--files N] [--keep FOLDER] [WORD...]

WORD: only those kinds (mat, nrrd, itk, zarr). The seed is printed. What was drawn is the truth, and the writers' own libraries read the
file back first: a file that they themselves read otherwise is no case. What is not read must be refused in words that name it. Runs itself
in the virtual environment that suites.py makes; ends with 77 where there is none.
"""

import argparse
import math
import os
import random
import shutil
import sys
import tempfile
import warnings

from suites import again

KINDS = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64"]


def elements(kind, shape):
    kind = numpy.dtype(kind)
    if kind.kind == "b":
        return RANDOM.integers(0, 2, shape).astype(bool)
    if kind.kind == "c":
        return (RANDOM.standard_normal(shape) + 1j * RANDOM.standard_normal(shape)).astype(kind)
    if kind.kind == "f":
        return RANDOM.standard_normal(shape).astype(kind)
    limits = numpy.iinfo(kind)
    return RANDOM.integers(limits.min, limits.max, shape, dtype=kind.newbyteorder("="), endpoint=True).astype(kind)


def shape_of(count, most=9):
    return tuple(random.choice([1, 2, 3, random.randint(1, most)]) for _ in range(count))


class Case:
    """A file, what it means, and what must be said where it is refused."""

    def __init__(self, name, array, axes, spacing=None, unit=None, choices=None, refused=""):
        self.name, self.array, self.axes, self.spacing, self.unit = name, numpy.asarray(array), axes, spacing or {}, unit
        self.choices, self.refused, self.how = choices or {}, refused, ""


def from_matlab(array):
    """Rows and columns are the first two axes; those behind go from fast to slow."""
    return numpy.transpose(array, [*range(array.ndim - 1, 1, -1), 0, 1])


def mat(folder):
    count = random.choice([2, 2, 3, 3, 4])
    shape = shape_of(count)
    if count > 2:
        shape = (*shape[:-1], random.randint(2, 6))
    version = random.choice(["5", "5", "7.3", "7.3", "4"])
    if count > 2 and version == "5" and random.random() < 0.3:   # last axes of one index, which MATLAB drops, and so does the program
        shape = (*shape[:random.randint(2, count - 1)], *[1] * random.randint(1, 3))
    kind = random.choice(KINDS + ["bool", "complex128", "complex64"])
    path = os.path.join(folder, "a.mat")
    if version == "4":
        kind, shape = random.choice(["float64", "complex128"]), shape[:2]
    array = elements(kind, shape)
    others = random.random() < 0.5
    if version == "7.3":
        with h5py.File(path, "w", userblock_size=512) as file:
            stored = array.T
            if array.dtype.kind == "c":
                part = numpy.dtype([("real", stored.real.dtype), ("imag", stored.real.dtype)])
                stored = numpy.rec.fromarrays([stored.real, stored.imag], dtype=part)
            if array.dtype.kind == "b":
                stored = stored.astype("uint8")
            packed = {"chunks": tuple(random.randint(1, n) for n in stored.shape), "compression": "gzip", "shuffle": random.random() < 0.5} if random.random() < 0.6 else {}
            data = file.create_dataset("v", data=stored, **packed)
            names = {"float64": "double", "float32": "single", "bool": "logical", "complex128": "double", "complex64": "single"}
            data.attrs["MATLAB_class"] = numpy.bytes_(names.get(kind, kind))
            if kind == "bool":
                data.attrs["MATLAB_int_decode"] = numpy.int32(1)
            if others:
                text = file.create_dataset("words", data=numpy.frombuffer("abc".encode("utf-16-le"), "<u2").reshape(3, 1))
                text.attrs["MATLAB_class"] = numpy.bytes_("char")
                text.attrs["MATLAB_int_decode"] = numpy.int32(2)
        with open(path, "r+b") as file:
            file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(512, b" "))
    else:
        stored = {"v": numpy.asfortranarray(array) if random.random() < 0.5 else array}
        if others and version == "5":
            stored.update(words="abc", cells=numpy.array([1, "a"], dtype=object), record={"a": 1.0, "b": [1, 2]}, sparse=scipy.sparse.csc_matrix(numpy.eye(3)))
            stored = dict(random.sample(list(stored.items()), len(stored)))
        scipy.io.savemat(path, stored, format=version, do_compression=version == "5" and random.random() < 0.5)
        back = scipy.io.loadmat(path)["v"]
        if back.shape != array.shape or not numpy.array_equal(back, array):
            return None
        if version == "5" and kind == "complex64":
            array = array.astype(back.dtype)
    while array.ndim > 2 and array.shape[-1] == 1 and version == "5":
        array = array[..., 0]
    case = Case("a.mat", from_matlab(array), "tzyx"[-array.ndim:], choices={"dataset": "v"} if others or random.random() < 0.5 else {})
    case.how = f"{version} {kind} {shape} {others}"
    return case


def nrrd_file(folder):
    axes = random.choice(["x", "xy", "xyz", "xyz", "xyzt"])
    shape = tuple(random.randint(1, 9) for _ in axes)
    array = elements(random.choice(KINDS), shape[::-1])
    encoding = random.choice(["raw", "raw", "gzip", "gzip", "bzip2", "ascii"])
    if encoding == "ascii" and array.dtype.kind == "f":
        encoding = "raw"
    header = {"encoding": encoding, "endian": random.choice(["little", "big"])}
    n, spacing, unit = len(axes), {}, None
    how = random.choice(["", "spacings", "directions"])
    steps = [random.choice([0.25, 0.5, 2.0, 12.7]) for _ in axes]
    if how == "spacings":
        header["spacings"] = steps
        spacing = dict(zip(axes, steps))
        if random.random() < 0.6:
            unit = random.choice(["mm", "um", "nm"])
            header["units"] = [unit if axis != "t" else "s" for axis in axes]
    elif how == "directions" and n == 3:
        unit = random.choice(["mm", "um"])
        header.update({"space": random.choice(["LPS", "RAS", "left-posterior-superior"]), "space directions": numpy.diag(steps) * random.choice([1, -1]),
                       "space origin": [1.0, 2.0, 3.0], "space units": [unit] * 3, "kinds": ["domain"] * 3})
        spacing = dict(zip(axes, steps))
    detached = random.random() < 0.4
    name = "a.nhdr" if detached else "a.nrrd"
    nrrd.write(os.path.join(folder, name), array, header, index_order="C", detached_header=detached)
    try:
        back, _ = nrrd.read(os.path.join(folder, name), index_order="C")
    except ValueError:   # it does not read all that it writes
        return None
    if not numpy.array_equal(back, array):
        return None
    case = Case(name, array, axes[::-1], spacing, unit, refused="" if encoding in ("raw", "gzip") else "encoding")
    case.how = f"{encoding} {header.get('endian')} {array.dtype} {shape} {how} {header.get('units')}"
    return case


def itk_file(folder):
    n = random.choice([2, 3, 3])
    parts = random.choice([0, 0, 0, 2, 3, 4])
    kind = random.choice(KINDS)
    array = elements(kind, tuple(random.randint(1, 9) for _ in range(n)) + ((parts,) if parts else ()))
    image = SimpleITK.GetImageFromArray(array, isVector=bool(parts))
    steps = [random.choice([0.25, 0.5, 2.0, 12.7]) for _ in range(n)]
    image.SetSpacing(steps)
    image.SetOrigin([random.choice([0.0, 1.5, -20.0]) for _ in range(n)])
    ending = random.choice([".nrrd", ".nhdr", ".mha", ".mhd"])
    packed = random.random() < 0.5
    SimpleITK.WriteImage(image, os.path.join(folder, "a" + ending), packed)
    back = SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(os.path.join(folder, "a" + ending)))
    if back.shape != array.shape or not numpy.array_equal(back, array):
        return None
    axes = "zyx"[-n:] + ("c" if parts else "")
    with_unit = n == 3 or ending in (".mha", ".mhd")   # of a plane ITK's NRRD names none
    case = Case("a" + ending, array, axes, dict(zip("xyz", steps)) if with_unit else {}, "mm" if with_unit else None)
    case.how = f"{kind} {array.shape} {parts} {packed}"
    return case


def zarr_store(folder):
    axes = random.choice(["yx", "zyx", "cyx", "tyx", "czyx", "tzyx", "tcyx", "tczyx"])
    kind = random.choice(["<", ">"]) + random.choice(["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8"])
    shape = tuple(random.randint(1, 4) if axis in "tc" else random.randint(1, 40) for axis in axes)
    array = elements(kind, shape)
    codecs = {"none": None, "blosc": numcodecs.Blosc(random.choice(["lz4", "lz4hc", "zstd", "zlib", "blosclz"]), random.randint(1, 9), random.choice([0, 1, 2])),
              "zstd": numcodecs.Zstd(), "gzip": numcodecs.GZip(), "zlib": numcodecs.Zlib(), "bz2": numcodecs.BZ2(), "lz4": numcodecs.LZ4()}
    codec = random.choice([*list(codecs) * 2, "none", "blosc", "zstd"])
    scale = {axis: random.choice([0.25, 0.5, 2.0]) for axis in axes if axis != "c"}
    scale.update({a: 1.0 for a in axes if a == "c"})
    group = zarr.open_group(os.path.join(folder, "a.ome.zarr"), mode="w", zarr_format=2)
    levels = random.choice([1, 1, 2, 3])
    datasets, separator, order = [], random.choice("/."), random.choice("CCF")
    filters = [numcodecs.Delta(dtype=kind)] if random.random() < 0.05 else None
    hole = random.random() < 0.3
    for level in range(levels):
        part = array[..., ::2**level, ::2**level]
        chunks = tuple(random.randint(1, n) for n in part.shape)
        data = group.create_array(str(level), shape=part.shape, chunks=chunks, dtype=kind, compressors=codecs[codec], filters=filters, order=order, fill_value=7,
                                  chunk_key_encoding={"name": "v2", "separator": separator})
        if hole and level == 0:   # chunks that are not there have the fill value
            array[(slice(0, chunks[0]), *[slice(0, c) for c in chunks[1:]])] = 7
            part = array
        data[...] = part
        if hole and level == 0:
            first = os.path.join(folder, "a.ome.zarr", "0", separator.join(["0"] * len(axes)))
            if os.path.exists(first):
                os.remove(first)
        steps = [scale[a] * (2**level if a in "yx" else 1) for a in axes]
        datasets.append({"path": str(level), "coordinateTransformations": [{"type": "scale", "scale": steps}]})
    named = [{"name": a, "type": {"t": "time", "c": "channel"}.get(a, "space"), **({} if a == "c" else {"unit": "second" if a == "t" else "micrometer"})} for a in axes]
    group.attrs["multiscales"] = [{"version": "0.4", "axes": named, "datasets": datasets}]
    level = random.randrange(levels)
    if not numpy.array_equal(group[str(level)][...], array[..., ::2**level, ::2**level] if level == 0 or not hole else group[str(level)][...]):
        return None
    wanted = group[str(level)][...]
    wanted = wanted.astype("float32" if kind[1:] == "f2" else wanted.dtype.newbyteorder("="))
    spacing = {a: scale[a] * (2**level if a in "yx" else 1) for a in axes if a in "xyzt"}
    case = Case("a.ome.zarr", wanted, axes, spacing, "um", {"level": level} if level else {},
                refused="filter" if filters else "" if codec in ("none", "blosc", "zstd", "gzip", "zlib") else "compress")
    case.how = f"{kind} {shape} {codec} {order} {separator} level {level} of {levels} hole {hole} filters {bool(filters)}"
    return case


MAKERS = {"mat": mat, "nrrd": nrrd_file, "itk": itk_file, "zarr": zarr_store}


def faults(program, case, path):
    info, why = program.info(path, case.choices)
    output, why_not = program.array(path, case.choices)
    if case.refused:
        said = why or why_not
        return [] if (info is None or output is None) and case.refused in said.lower() else [f"{case.refused!r} was to be said, and what was: {said!r}"]
    if info is None or output is None:
        return [why or why_not]
    found, ours = [], numpy.load(output)
    axes = "".join(axis["name"] for axis in info["axes"])
    if axes != case.axes or ours.shape != case.array.shape:
        found.append(f"axes {axes} {ours.shape} for {case.axes} {case.array.shape}")
    elif ours.dtype != case.array.dtype.newbyteorder("=") or not numpy.array_equal(ours, case.array):
        found.append(f"elements {ours.dtype} {ours.ravel()[:3]} for {case.array.dtype} {case.array.ravel()[:3]}")
    if case.unit is not None and info["unit"] != case.unit:
        found.append(f"unit {info['unit']} for {case.unit}")
    for axis in info["axes"]:
        if axis["name"] in case.spacing and not math.isclose(axis["spacing"] or 0, case.spacing[axis["name"]], rel_tol=1e-9):
            found.append(f"spacing {axis} for {case.spacing}")
    return found


def run(arguments):
    random.seed(arguments.seed)
    program = Program(arguments.program)
    beside = os.path.dirname(os.path.abspath(arguments.program))
    kinds = [kind for kind in MAKERS if not arguments.kinds or kind in arguments.kinds]
    for reader, kind in (("mat", "mat"), ("hdf5", "mat"), ("zarr", "zarr")):
        if kind in kinds and not os.path.exists(os.path.join(beside, "parallax-read-" + reader)):
            print(f"left out: {kind}, as there is no parallax-read-{reader}")
            kinds.remove(kind)
    right, refused, wrong = {kind: 0 for kind in kinds}, 0, []
    for i in range(arguments.files):
        kind = kinds[i % len(kinds)]
        folder = arguments.keep and os.path.join(arguments.keep, str(i)) or tempfile.mkdtemp(prefix="parallax-drawn-")
        os.makedirs(folder, exist_ok=True)
        try:
            case = MAKERS[kind](folder)
            if case is None:
                continue
            found = faults(program, case, os.path.join(folder, case.name))
            wrong += [f"{i}: {case.name}, {case.how}: {'; '.join(found)}"] if found else []
            refused += not found and bool(case.refused)
            right[kind] += not found and not case.refused
        finally:
            if not arguments.keep:
                shutil.rmtree(folder)
    print(f"drawn files: seed {arguments.seed}, right {right}, refused in true words {refused}, wrong {len(wrong)}")
    for line in wrong:
        print("  " + line)
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--work")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--keep", help="a folder for the files, which stay there")
    parser.add_argument("kinds", nargs="*")
    arguments = parser.parse_args()
    if arguments.work:
        return again(arguments.work)
    global h5py, nrrd, numcodecs, numpy, scipy, SimpleITK, zarr, Program, RANDOM
    import h5py
    import nrrd
    import numcodecs
    import numpy
    import scipy.io
    import scipy.sparse
    import SimpleITK
    import zarr
    from program import Program
    RANDOM = numpy.random.default_rng(arguments.seed)
    warnings.simplefilter("ignore")
    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
