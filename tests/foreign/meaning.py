#!/usr/bin/env python3
"""What others write, read by the program; what the program writes, read by others: elements, axes, spacing, unit, origin, names.

    meaning.py --program PROGRAM [--list]

Run by suites.py in its virtual environment: SimpleITK, pynrrd, nibabel, tifffile, h5py, SciPy, zarr, astropy, Pillow, pydicom.
A format whose reader a build lacks is said and passed over.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import warnings

import astropy.io.fits
import h5py
import nibabel
import nrrd
import numcodecs
import numpy
import pydicom
import pydicom.uid
import scipy.fft
import scipy.io
import SimpleITK
import tifffile
import zarr
from PIL import Image

from program import Program

warnings.simplefilter("ignore")
RANDOM = numpy.random.default_rng(7)
METRES = {"nm": 1e-9, "um": 1e-6, "mm": 1e-3, "cm": 1e-2, "m": 1.0}


class Case:
    """A file, and what it means. `origin`: towards left, posterior, superior, in mm."""

    def __init__(self, name, array, axes, spacing=None, unit=None, origin=None, direction=None, channels=None, choices=None, tolerance=0.0):
        self.name, self.array, self.axes, self.spacing, self.unit = name, numpy.asarray(array), axes, spacing or {}, unit
        self.origin, self.direction, self.channels, self.choices, self.tolerance = origin, direction, channels, choices or {}, tolerance


def volume(dtype="int16", shape=(5, 7, 9)):
    if numpy.dtype(dtype).kind == "c":
        return (RANDOM.standard_normal(shape) + 1j * RANDOM.standard_normal(shape)).astype(dtype)
    if numpy.dtype(dtype).kind == "f":
        return RANDOM.standard_normal(shape).astype(dtype)
    top = min(30000, numpy.iinfo(dtype).max)
    return RANDOM.integers(max(-30000, numpy.iinfo(dtype).min), top, shape).astype(dtype)


DIRECTION = (0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)   # rows of a rotation by a quarter


def itk(folder):
    for kind in ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64"):
        array = volume(kind)
        image = SimpleITK.GetImageFromArray(array)
        image.SetSpacing((0.5, 0.25, 2.0))
        image.SetOrigin((1.0, -2.0, 3.0))
        image.SetDirection(DIRECTION)
        for ending in (".nrrd", ".nhdr", ".mha", ".mhd"):
            for packed in (False, True):
                name = f"{kind}_{packed}{ending}"
                SimpleITK.WriteImage(image, os.path.join(folder, name), packed)
                yield Case(name, array, "zyx", {"x": 0.5, "y": 0.25, "z": 2.0}, "mm", (1.0, -2.0, 3.0), DIRECTION)
    plane = volume("uint8", (7, 9))
    image = SimpleITK.GetImageFromArray(plane)
    image.SetSpacing((0.5, 0.25))
    for ending in (".nrrd", ".mha"):
        SimpleITK.WriteImage(image, os.path.join(folder, "plane" + ending))
        yield Case("plane" + ending, plane, "yx", {"x": 0.5, "y": 0.25} if ending == ".mha" else {}, "mm")   # in NRRD it names no unit
    colours = RANDOM.integers(0, 255, (7, 9, 3)).astype("uint8")
    for ending in (".nrrd", ".mha"):
        SimpleITK.WriteImage(SimpleITK.GetImageFromArray(colours, isVector=True), os.path.join(folder, "rgb" + ending))
        yield Case("rgb" + ending, colours, "yxc")


def pynrrd(folder):
    for endian in ("little", "big"):
        for encoding in ("raw", "gzip"):
            array = volume("uint16")
            name = f"py_{endian}_{encoding}.nrrd"
            nrrd.write(os.path.join(folder, name), array, {"endian": endian, "encoding": encoding, "space": "RAS", "units": ["um"] * 3,
                                                           "space directions": numpy.diag([0.5, 0.5, 2.0]), "space origin": [1.0, 2.0, 3.0], "space units": ["um"] * 3,
                                                           "kinds": ["domain"] * 3}, index_order="C")
            yield Case(name, array, "zyx", {"x": 0.5, "y": 0.5, "z": 2.0}, "um", (-1e-3, -2e-3, 3e-3))
    array = volume("uint16")
    nrrd.write(os.path.join(folder, "py.nhdr"), array, {"encoding": "raw", "endian": "little"}, index_order="C", detached_header=True)
    with open(os.path.join(folder, "py.nhdr"), encoding="utf-8") as file:
        text = "".join("data file: slice%03d.raw 1 5 1\n" if line.startswith("data file") else line for line in file)
    with open(os.path.join(folder, "pattern.nhdr"), "w", encoding="utf-8") as file:
        file.write(text)
    for i, plane in enumerate(array):
        plane.tofile(os.path.join(folder, f"slice{i + 1:03}.raw"))
    yield Case("pattern.nhdr", array, "zyx")
    array = volume("uint8", (3, 4, 5, 6))
    nrrd.write(os.path.join(folder, "list.nrrd"), array, {"kinds": ["domain", "domain", "domain", "list"], "space": "LPS", "space origin": [0, 0, 0],
                                                          "space directions": [[1, 0, 0], [0, 1, 0], [0, 0, 1], [numpy.nan] * 3]}, index_order="C")
    yield Case("list.nrrd", array, "czyx")
    nrrd.write(os.path.join(folder, "spacings.nrrd"), array[0], {"spacings": [0.5, 0.5, 2.0], "units": ["mm"] * 3, "detached": False}, index_order="C")
    yield Case("spacings.nrrd", array[0], "zyx", {"x": 0.5, "y": 0.5, "z": 2.0}, "mm")


def nifti_pairs(folder):
    for kind in (nibabel.Nifti1Pair, nibabel.Nifti2Pair):
        for ending in ("", ".gz"):
            array = volume("int16")
            image = kind(array.T, numpy.diag([0.5, 0.5, 2.0, 1.0]))
            image.header.set_xyzt_units("mm", "sec")
            name = f"{kind.__name__}.img{ending}"
            nibabel.save(image, os.path.join(folder, name))
            yield Case(name.replace(".img", ".hdr"), array, "zyx", {"x": 0.5, "y": 0.5, "z": 2.0}, "mm", (0.0, 0.0, 0.0))


def archives(folder):
    arrays = {"data": volume("float32"), "half": volume("float16"), "field": volume("complex64", (7, 9)), "mask": volume("uint8", (7, 9)) > 100}
    for name, save in (("stored.npz", numpy.savez), ("packed.npz", numpy.savez_compressed)):
        save(os.path.join(folder, name), **arrays)
        for key, array in arrays.items():
            yield Case(name, array, "zyx"[-array.ndim:], choices={"dataset": key})


def fits(folder):
    for kind in ("uint8", "int16", "uint16", "int32", "uint32", "int64", "float32", "float64"):
        array = volume(kind, (7, 9))
        astropy.io.fits.PrimaryHDU(array).writeto(os.path.join(folder, kind + ".fits"), overwrite=True)
        yield Case(kind + ".fits", array, "yx")
    array = volume("int16")
    image = astropy.io.fits.ImageHDU(array, name="SCI")
    image.scale("int16", bscale=0.5, bzero=100)
    astropy.io.fits.HDUList([astropy.io.fits.PrimaryHDU(), image]).writeto(os.path.join(folder, "scaled.fits"), overwrite=True)
    with astropy.io.fits.open(os.path.join(folder, "scaled.fits")) as file:
        yield Case("scaled.fits", file["SCI"].data.astype("float32"), "zyx", choices={"dataset": "SCI"})


def tiffs(folder):
    array = volume("uint16", (2, 3, 4, 7, 9))
    tifffile.imwrite(os.path.join(folder, "hyper.ome.tif"), array, metadata={"axes": "TCZYX", "PhysicalSizeX": 0.5, "PhysicalSizeY": 0.5, "PhysicalSizeZ": 2.0,
                                                                            "PhysicalSizeXUnit": "µm", "TimeIncrement": 0.25, "Channel": {"Name": ["DAPI", "a & b", "c"]}})
    yield Case("hyper.ome.tif", array, "tczyx", {"x": 0.5, "y": 0.5, "z": 2.0, "t": 0.25}, "um", channels=["DAPI", "a & b", "c"])
    yield Case("hyper.ome.tif", array[:, 1], "tzyx", {"z": 2.0}, "um", choices={"channel": "a & b"})
    with tifffile.TiffWriter(os.path.join(folder, "series.ome.tif"), ome=True) as file:
        file.write(array[0, 0], metadata={"axes": "ZYX"})
        file.write(array[0, :2, 0], metadata={"axes": "CYX"})
    yield Case("series.ome.tif", array[0, 0], "zyx")
    yield Case("series.ome.tif", array[0, :2, 0], "cyx", choices={"series": 1})
    whole = volume("uint16", (64, 96))
    with tifffile.TiffWriter(os.path.join(folder, "pyramid.ome.tif"), ome=True) as file:
        file.write(whole, subifds=2, tile=(16, 16), metadata={"axes": "YX", "PhysicalSizeX": 0.5, "PhysicalSizeY": 0.5})
        for level in (1, 2):
            file.write(whole[::2**level, ::2**level], subfiletype=1, tile=(16, 16))
    for level in range(3):
        yield Case("pyramid.ome.tif", whole[::2**level, ::2**level], "yx", {"x": 0.5 * 2**level, "y": 0.5 * 2**level}, "um", choices={"level": level} if level else {})
    # Planes in an order of their own: the pages stand shuffled, and OME-XML says which is which.
    order = RANDOM.permutation(12)
    blocks = "".join(f'<TiffData IFD="{page}" FirstZ="{plane % 4}" FirstC="{plane // 4}" PlaneCount="1"/>' for page, plane in enumerate(order))
    text = ('<?xml version="1.0" encoding="UTF-8"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image ID="Image:0"><Pixels ID="Pixels:0" '
            f'DimensionOrder="XYZCT" Type="uint16" SizeX="9" SizeY="7" SizeZ="4" SizeC="3" SizeT="1">{blocks}</Pixels></Image></OME>')
    planes = volume("uint16", (3, 4, 7, 9))
    with tifffile.TiffWriter(os.path.join(folder, "shuffled.ome.tif")) as file:
        for page, plane in enumerate(order):
            file.write(planes.reshape(12, 7, 9)[plane], description=text if page == 0 else None, metadata=None, contiguous=False)
    assert numpy.array_equal(tifffile.imread(os.path.join(folder, "shuffled.ome.tif")), planes)
    yield Case("shuffled.ome.tif", planes, "czyx")
    for name, predictor in (("half.tif", None), ("half_predicted.tif", 3)):
        half = volume("float16", (7, 9))
        tifffile.imwrite(os.path.join(folder, name), half, predictor=predictor, compression="zlib" if predictor else None)
        yield Case(name, half.astype("float32"), "yx")


def hdf5(folder):
    arrays = {kind: volume(kind) for kind in ("uint8", "int16", "uint32", "int64", "float16", "float32", "float64", "complex64", "complex128")}
    arrays["bool"] = volume("uint8") > 100
    with h5py.File(os.path.join(folder, "all.h5"), "w") as file:
        for name, array in arrays.items():
            packed = {} if name == "int16" else {"chunks": (2, 4, 4), "compression": "gzip"}
            data = file.create_dataset(f"group/{name}", data=array, **packed)
            data.attrs["element_size_um"] = [2.0, 0.5, 0.25]
        file.create_dataset("lzf", data=numpy.repeat(arrays["uint8"], 50, 2), chunks=(2, 4, 100), compression="lzf", shuffle=True)
        file.create_dataset("big", data=arrays["int16"].astype(">i2"))
        labelled = file.create_dataset("labelled", data=arrays["uint8"])
        for i, label in enumerate("tyx"):
            labelled.dims[i].label = label
        tagged = file.create_dataset("tagged", data=arrays["uint8"])   # as ilastik does
        tagged.attrs["axistags"] = json.dumps({"axes": [{"key": key, "typeFlags": 2, "resolution": 0, "description": ""} for key in "yxc"]})
    for name, array in arrays.items():
        yield Case("all.h5", array.astype("float32") if name == "float16" else array, "zyx", {"x": 0.25, "y": 0.5, "z": 2.0}, "um", choices={"dataset": f"/group/{name}"})
    yield Case("all.h5", numpy.repeat(arrays["uint8"], 50, 2), "zyx", choices={"dataset": "lzf"})
    yield Case("all.h5", arrays["int16"], "zyx", choices={"dataset": "big"})
    yield Case("all.h5", arrays["uint8"], "tyx", choices={"dataset": "/labelled"})
    yield Case("all.h5", arrays["uint8"], "yxc", choices={"dataset": "tagged"})


def minc(folder):
    data = os.path.join(os.path.dirname(nibabel.__file__), "tests", "data")
    for name in sorted(os.listdir(data)):
        if not name.endswith(".mnc"):
            continue
        image = nibabel.load(os.path.join(data, name))
        if isinstance(image, nibabel.minc1.Minc1Image) and not isinstance(image, nibabel.minc2.Minc2Image):
            continue
        shutil.copy(os.path.join(data, name), folder)
        array = numpy.asarray(image.dataobj)
        scaled = array.astype("float32") if array.dtype.kind == "f" and name != "minc2-4d-d.mnc" else array
        yield Case(name, scaled, "tzyx"[-array.ndim:], tolerance=1e-4)


def freesurfer(folder):
    for kind in ("uint8", "int16", "int32", "float32"):
        for ending in (".mgh", ".mgz"):
            array = volume(kind)
            affine = numpy.array([[-0.5, 0, 0, 10], [0, 0, 2.0, -20], [0, -0.25, 0, 30], [0, 0, 0, 1]])
            nibabel.save(nibabel.MGHImage(array.T, affine), os.path.join(folder, kind + ending))
            yield Case(kind + ending, array, "zyx", {"x": 0.5, "y": 0.25, "z": 2.0}, "mm", (-10.0, 20.0, 30.0))
            course = nibabel.MGHImage(volume(kind, (3, 5, 7, 9)).T, affine)
            course.header.set_zooms((0.5, 0.25, 2.0, 2000.0))   # ms
            nibabel.save(course, os.path.join(folder, "course_" + kind + ending))
            yield Case("course_" + kind + ending, numpy.asarray(course.dataobj).T, "tzyx", {"x": 0.5, "y": 0.25, "z": 2.0, "t": 2.0}, "mm", (-10.0, 20.0, 30.0))


def matlab(folder):
    arrays = {"u8": volume("uint8", (7, 9)), "i16": volume("int16", (7, 9, 5)), "f32": volume("float32", (7, 9)), "f64": volume("float64", (7, 9, 5)),
              "c128": volume("complex128", (7, 9)), "flag": volume("uint8", (7, 9)) > 100}
    for packed in (False, True):
        name = f"five_{packed}.mat"
        scipy.io.savemat(os.path.join(folder, name), arrays, do_compression=packed)
        for key, array in arrays.items():
            yield Case(name, array if array.ndim == 2 else numpy.moveaxis(array, 2, 0), "zyx"[-array.ndim:], choices={"dataset": key})
    scipy.io.savemat(os.path.join(folder, "four.mat"), {"f64": arrays["f64"][..., 0]}, format="4")
    yield Case("four.mat", arrays["f64"][..., 0], "yx")
    # As MATLAB writes version 7.3: HDF5 with its axes the other way round.
    with h5py.File(os.path.join(folder, "seven.mat"), "w", userblock_size=512) as file:
        data = file.create_dataset("v", data=arrays["i16"].T)
        data.attrs["MATLAB_class"] = numpy.bytes_("int16")
    with open(os.path.join(folder, "seven.mat"), "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(512, b" "))
    yield Case("seven.mat", numpy.moveaxis(arrays["i16"], 2, 0), "zyx")
    with h5py.File(os.path.join(folder, "logical.mat"), "w", userblock_size=512) as file:
        data = file.create_dataset("v", data=arrays["flag"].T.astype("uint8"))
        data.attrs["MATLAB_class"], data.attrs["MATLAB_int_decode"] = numpy.bytes_("logical"), numpy.int32(1)
    with open(os.path.join(folder, "logical.mat"), "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(512, b" "))
    yield Case("logical.mat", arrays["flag"], "yx")


def zarrs(folder):
    array = volume("uint16", (2, 5, 33, 47))
    for name, codec in {"none": None, "blosc": numcodecs.Blosc("lz4"), "zstd": numcodecs.Zstd(), "gzip": numcodecs.GZip()}.items():
        group = zarr.open_group(os.path.join(folder, name + ".zarr"), mode="w", zarr_format=2)
        for level in range(2):
            part = array[..., ::2**level, ::2**level]
            data = group.create_array(str(level), shape=part.shape, chunks=(1, 3, 16, 20), dtype=part.dtype, compressors=codec,
                                      chunk_key_encoding={"name": "v2", "separator": "/"})
            data[:] = part
        axes = [{"name": "c", "type": "channel"}] + [{"name": a, "type": "space", "unit": "micrometer"} for a in "zyx"]
        group.attrs["multiscales"] = [{"version": "0.4", "axes": axes, "datasets": [
            {"path": str(i), "coordinateTransformations": [{"type": "scale", "scale": [1, 2, 0.5 * 2**i, 0.5 * 2**i]}]} for i in range(2)]}]
        group.attrs["omero"] = {"channels": [{"label": "DAPI"}, {"label": "GFP"}]}
        yield Case(name + ".zarr", array, "czyx", {"x": 0.5, "y": 0.5, "z": 2.0}, "um", channels=["DAPI", "GFP"])
        yield Case(name + ".zarr", array[..., ::2, ::2], "czyx", {"x": 1.0, "z": 2.0}, "um", choices={"level": 1})
    array = volume("float16", (5, 33, 47))
    data = zarr.open_array(os.path.join(folder, "half.zarr"), mode="w", shape=array.shape, chunks=(2, 16, 20), dtype="f2", zarr_format=2)
    data[:] = array
    yield Case("half.zarr", array.astype("float32"), "zyx")


def gifs(folder):
    grey = [Image.fromarray(RANDOM.integers(0, 255, (7, 9)).astype("uint8")) for _ in range(3)]
    grey[0].save(os.path.join(folder, "grey.gif"), save_all=True, append_images=grey[1:], duration=40)
    yield Case("grey.gif", numpy.stack([numpy.asarray(frame) for frame in grey]), "tyx", {"t": 0.04})


def through_table(folder, name, bits, signed, first, entries):
    """A picture with a table of values, which pydicom applies by its own means."""
    stored = RANDOM.integers(-2048 if signed else 0, 2048, (7, 9)).astype("int16" if signed else "uint16")
    values = RANDOM.integers(0, 2**bits, entries).astype("uint16")
    data = pydicom.Dataset()
    data.file_meta = pydicom.dataset.FileMetaDataset()
    data.file_meta.TransferSyntaxUID = pydicom.uid.ExplicitVRLittleEndian
    data.SOPClassUID, data.SOPInstanceUID, data.SeriesInstanceUID = "1.2.840.10008.5.1.4.1.1.1", f"1.2.5.{entries}", "1.2.6"
    data.Rows, data.Columns, data.SamplesPerPixel, data.PhotometricInterpretation = 7, 9, 1, "MONOCHROME2"
    data.BitsAllocated, data.BitsStored, data.HighBit, data.PixelRepresentation = 16, 16, 15, signed
    item = pydicom.Dataset()
    item.add_new(0x00283002, "SS" if signed else "US", [entries, first, bits])
    item.add_new(0x00283006, "OW", values.astype("uint8" if bits == 8 else "uint16").tobytes())
    item.ModalityLUTType = "OD"
    data.ModalityLUTSequence = pydicom.Sequence([item])
    data.RescaleSlope, data.RescaleIntercept = 2, 3   # of no account beside a table
    data.PixelData = stored.tobytes()
    data.save_as(os.path.join(folder, name), enforce_file_format=True)
    expected = values[numpy.clip(stored.astype(int) - first, 0, entries - 1)].astype("uint8" if bits == 8 else "uint16")
    if bits != 8 and entries < 32768:   # of bytes and of descriptors with a sign it makes something else
        assert numpy.array_equal(pydicom.pixels.apply_modality_lut(stored, data), expected)
    return Case(name, expected, "yx")


def dicoms(folder):
    array = volume("int16")
    os.makedirs(os.path.join(folder, "slices"))
    order = RANDOM.permutation(len(array))
    for number, z in enumerate(order):
        data = pydicom.Dataset()
        data.file_meta = pydicom.dataset.FileMetaDataset()
        data.file_meta.TransferSyntaxUID = pydicom.uid.ExplicitVRLittleEndian
        data.SOPClassUID, data.SOPInstanceUID, data.SeriesInstanceUID = "1.2.840.10008.5.1.4.1.1.2", f"1.2.3.{z + 1}", "1.2.4"
        data.PatientName, data.Modality, data.InstanceNumber = "Nobody^Secret", "CT", number + 1
        data.Rows, data.Columns, data.SamplesPerPixel, data.PhotometricInterpretation = 7, 9, 1, "MONOCHROME2"
        data.BitsAllocated, data.BitsStored, data.HighBit, data.PixelRepresentation = 16, 16, 15, 1
        data.PixelSpacing, data.ImagePositionPatient, data.ImageOrientationPatient = [0.5, 0.25], [1, -2, 3 + 2 * int(z)], [1, 0, 0, 0, 1, 0]
        data.PixelData = array[z].tobytes()
        data.save_as(os.path.join(folder, "slices", f"{number}.dcm"), enforce_file_format=True)
    for bits, signed, first, entries in [(16, 0, 0, 4096), (16, 1, -300, 700), (8, 0, 40, 256), (12, 1, -2000, 65535), (16, 0, 100, 1)]:
        yield through_table(folder, f"table_{bits}_{signed}_{entries}.dcm", bits, signed, first, entries)
    yield Case("slices", array, "zyx", {"x": 0.25, "y": 0.5, "z": 2.0}, "mm", (1.0, -2.0, 3.0), (1.0, 0, 0, 0, 1, 0, 0, 0, 1))


OPTIONAL = {"hdf5": hdf5, "mat": matlab, "zarr": zarrs, "gif": gifs, "dicom": dicoms}


def faults(case, info, ours):
    found = []
    axes = "".join(axis["name"] for axis in info["axes"])
    if axes != case.axes:
        found.append(f"axes {axes} for {case.axes}")
    if ours.shape != case.array.shape:
        return found + [f"shape {ours.shape} for {case.array.shape}"]
    if ours.dtype != case.array.dtype and not (case.array.dtype == numpy.float16 and ours.dtype == numpy.float32):
        found.append(f"type {ours.dtype} for {case.array.dtype}")
    if not numpy.allclose(ours.astype(complex if ours.dtype.kind == "c" else float), case.array, rtol=case.tolerance, atol=case.tolerance, equal_nan=True):
        found.append("elements differ")
    unit = METRES.get(info["unit"])
    for name, wanted in case.spacing.items():
        said = next(axis["spacing"] or 0 for axis in info["axes"] if axis["name"] == name)
        if name == "t":
            near = abs(said - wanted) < 1e-6 * wanted
        else:
            near = unit is not None and abs(said * unit - wanted * METRES[case.unit]) < 1e-6 * wanted * METRES[case.unit]
        if not near:
            found.append(f"spacing of {name} {said} {info['unit']} for {wanted} {case.unit}")
    if case.origin is not None:
        affine = numpy.array(info.get("affine", numpy.zeros(16))).reshape(4, 4)
        if not numpy.allclose(affine[:3, 3] * [-1, -1, 1], case.origin, atol=1e-6):
            found.append(f"origin {affine[:3, 3]} for {case.origin}")
        if case.direction is not None:
            steps = affine[:3, :3] * numpy.array([[-1], [-1], [1]]) / [case.spacing[a] for a in "xyz"]
            if not numpy.allclose(steps, numpy.array(case.direction).reshape(3, 3), atol=1e-6):
                found.append(f"directions {steps.tolist()} for {case.direction}")
    if case.channels is not None and info.get("channel_names") != case.channels:
        found.append(f"channels {info.get('channel_names')} for {case.channels}")
    return found


def copied(program, folder, case, outputs, steps=None):
    """Runs a job that copies the case's array into files of other formats."""
    job = {"parallax": 1, "inputs": {"image": {"file": os.path.join(folder, case.name), **case.choices}}, "steps": steps or [{"run": "crop", "variant": "reference"}],
           "outputs": {f"o{i}": {"of": "image", **(name if isinstance(name, dict) else {"file": name})} for i, name in enumerate(outputs)}}
    path = os.path.join(folder, "job.json")
    with open(path, "w", encoding="utf-8") as out:
        json.dump(job, out)
    status, _, err = program.call("run", path, "--out", folder, "--overwrite", "--quiet", "--device", "native")
    return err.strip() if status else ""


def read_back(program, folder, name, case):
    path = os.path.join(folder, name)
    info, why = program.info(path, {})
    output, why_not = program.array(path)
    return [why or why_not] if info is None or output is None else faults(case, info, numpy.load(output))


def written(program, folder):
    """Files of ours, read by others: lines on what is wrong, and how many were held against another's word."""
    wrong, right = [], 0
    array = volume("int16")
    image = SimpleITK.GetImageFromArray(array)
    image.SetSpacing((0.5, 0.25, 2.0))
    image.SetOrigin((1.0, -2.0, 3.0))
    image.SetDirection(DIRECTION)
    SimpleITK.WriteImage(image, os.path.join(folder, "in.mha"))
    case = Case("in.mha", array, "zyx")
    part = [{"run": "crop", "variant": "reference", "x": [2, 4], "y": [1, 5], "z": [3, 2]}]
    cut = SimpleITK.RegionOfInterest(image, (4, 5, 2), (2, 1, 3))
    for steps, truth in ((None, image), (part, cut)):
        why = copied(program, folder, case, ["out.nrrd", "out.mha", "out.nii.gz", "out.ome.zarr"], steps)
        if why:
            wrong.append(f"writing a volume: {why}")
            continue
        placed = zarr.open(os.path.join(folder, "out.ome.zarr"), mode="r").attrs["multiscales"][0]["datasets"][0]["coordinateTransformations"][1]["translation"]
        along = numpy.array(truth.GetDirection()).reshape(3, 3).T @ truth.GetOrigin()   # in the directions of the axes
        same = numpy.allclose(placed[::-1], along)
        right += same
        if not same:
            wrong.append(f"out.ome.zarr by zarr: the origin {placed} for {along}")
        for name in ("out.nrrd", "out.mha", "out.nii.gz"):
            back = SimpleITK.ReadImage(os.path.join(folder, name))
            same = (numpy.array_equal(SimpleITK.GetArrayFromImage(back), SimpleITK.GetArrayFromImage(truth)) and numpy.allclose(back.GetSpacing(), truth.GetSpacing()) and
                    numpy.allclose(back.GetOrigin(), truth.GetOrigin(), atol=1e-5) and numpy.allclose(back.GetDirection(), truth.GetDirection(), atol=1e-5))
            right += same
            if not same:
                wrong.append(f"{name} by SimpleITK: {back.GetSpacing()} {back.GetOrigin()} {back.GetDirection()} for {truth.GetSpacing()} {truth.GetOrigin()} {truth.GetDirection()}")
    for kind in ("uint8", "uint16", "float32", "complex64"):
        array = volume(kind, (7, 9))
        numpy.save(os.path.join(folder, "in.npy"), array)
        names = ["o.nrrd"] + ([] if kind == "complex64" else ["o.mha", "o.tif"])
        why = copied(program, folder, Case("in.npy", array, "yx"), names)
        if why:
            wrong.append(f"writing {kind}: {why}")
            continue
        readers = {"o.nrrd": lambda f: nrrd.read(f, index_order="C")[0], "o.mha": lambda f: SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(f)), "o.tif": tifffile.imread}
        for name in names:
            back = readers[name](os.path.join(folder, name))
            if kind == "complex64" and back.dtype.kind != "c":
                back = back[..., 0] + 1j * back[..., 1]
            same = numpy.array_equal(back, array)
            right += same
            if not same:
                wrong.append(f"{kind} in {name}: elements differ")
    if os.path.exists(os.path.join(os.path.dirname(os.path.abspath(program.path)), "parallax-read-hdf5")):
        for kind in ("uint8", "int16", "uint32", "int64", "float32", "float64", "complex64", "complex128", "bool"):
            array = volume("uint8") > 100 if kind == "bool" else volume(kind)
            numpy.save(os.path.join(folder, "in.npy"), array)
            why = copied(program, folder, Case("in.npy", array, "zyx", choices={"spacing_um": [0.25, 0.5, 2.0]}), ["o.h5"])
            if why:
                wrong.append(f"writing {kind}: {why}")
                continue
            with h5py.File(os.path.join(folder, "o.h5"), "r") as file:
                data = file["data"]
                same = (data.dtype == array.dtype and numpy.array_equal(data[:], array) and [d.label for d in data.dims] == ["z", "y", "x"] and
                        list(data.attrs["element_size_um"]) == [2.0, 0.5, 0.25] and data.attrs["unit"] == "um")
                right += same
                if not same:
                    wrong.append(f"{kind} in o.h5 by h5py: {data.dtype} {dict(data.attrs)}")
            back, why = program.array(os.path.join(folder, "o.h5"))
            if back is None or not numpy.array_equal(numpy.load(back), array):
                wrong.append(f"{kind} in o.h5 read back: {why}")
    for kind in ("bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64", "complex64", "complex128"):
        array = volume("uint8") > 100 if kind == "bool" else volume(kind)
        numpy.save(os.path.join(folder, "in.npy"), array)
        case = Case("in.npy", array, "zyx", {"x": 0.25, "y": 0.5, "z": 2.0}, "um", choices={"spacing_um": [0.25, 0.5, 2.0]})
        for compression in (0, 6):
            why = copied(program, folder, case, [{"file": "o.ome.zarr", "compression": compression}])
            if why:
                wrong.append(f"writing {kind}: {why}")
                continue
            group = zarr.open(os.path.join(folder, "o.ome.zarr"), mode="r")
            scales = dict(group.attrs)["multiscales"][0]
            same = (group["0"].dtype == array.dtype and numpy.array_equal(group["0"][...], array) and [a["name"] for a in scales["axes"]] == ["z", "y", "x"] and
                    {a["unit"] for a in scales["axes"]} == {"micrometer"} and scales["datasets"][0]["coordinateTransformations"][0]["scale"] == [2.0, 0.5, 0.25])
            right += same
            if not same:
                wrong.append(f"{kind} in o.ome.zarr by zarr: {group['0'].dtype} {dict(group.attrs)}")
        if os.path.exists(os.path.join(os.path.dirname(os.path.abspath(program.path)), "parallax-read-zarr")):
            wrong += [f"{kind} in o.ome.zarr read back: {words}" for words in read_back(program, folder, "o.ome.zarr", case)]
    if shutil.which("ffmpeg"):
        array = numpy.kron(RANDOM.integers(0, 255, (5, 8, 10)), numpy.ones((1, 8, 8))).astype("uint8")
        numpy.save(os.path.join(folder, "in.npy"), array)
        why = copied(program, folder, Case("in.npy", array, "tyx", choices={"page_axis": "t"}), ["o.mp4"])
        info, why_not = program.info(os.path.join(folder, "o.mp4"))
        back, _ = program.array(os.path.join(folder, "o.mp4"), {"grey": True})
        ours = numpy.load(back) if back else numpy.zeros(0)
        same = not why and ours.shape == array.shape and numpy.abs(ours.astype(float) - array).mean() < 4 and abs(info["axes"][0]["spacing"] - 0.1) < 1e-6
        right += same
        if not same:
            wrong.append(f"o.mp4: {why or why_not} {ours.shape} {numpy.abs(ours.astype(float) - array).mean() if ours.shape == array.shape else ''}")
        # What is not read of a video is told; one of sound alone is called that.
        frames = RANDOM.integers(0, 255, (2, 8, 10, 4)).astype("uint8")
        for name, more in (("alpha.mov", ["-c:v", "png"]), ("wide.mov", ["-c:v", "png", "-vf", "setsar=4/3"])):
            subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgba", "-s", "10x8", "-i", "-", *more, os.path.join(folder, name)],
                           input=frames.tobytes(), check=True)
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "sine=d=1", os.path.join(folder, "sound.mp4")], check=True)
        alpha, wide = (program.info(os.path.join(folder, name))[0] for name in ("alpha.mov", "wide.mov"))
        same = alpha["ignored"] == ["how transparent its pixels are"] and "4:3" in "".join(wide["warnings"]) and "no pictures" in program.info(os.path.join(folder, "sound.mp4"))[1]
        right += same
        if not same:
            wrong.append(f"videos: {alpha['ignored']} {wide['warnings']}")
        # Frames that come unevenly, as a telephone films, have no one distance in time.
        source = ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc=size=16x16:rate=10:duration=1"]
        subprocess.run([*source, "-vf", "setpts=if(lt(N\\,5)\\,N\\,N*3)/10/TB", "-vsync", "vfr", "-c:v", "png", os.path.join(folder, "uneven.mov")], check=True)
        subprocess.run([*source, "-c:v", "png", os.path.join(folder, "even.mov")], check=True)
        uneven, even = (program.info(os.path.join(folder, name))[0]["warnings"] for name in ("uneven.mov", "even.mov"))
        same = len(uneven) == 1 and "of different lengths" in uneven[0] and not even
        right += same
        if not same:
            wrong.append(f"frames that come unevenly: {uneven}, evenly: {even}")
    # A hyperstack: its axes, distances, channels and time.
    array = volume("uint16", (2, 4, 3, 7, 9))
    tifffile.imwrite(os.path.join(folder, "in.ome.tif"), array, metadata={"axes": "TZCYX", "PhysicalSizeX": 0.5, "PhysicalSizeY": 0.25, "PhysicalSizeZ": 2.0, "TimeIncrement": 0.5,
                                                                         "Channel": {"Name": ["DAPI", "a & b", "c"]}})
    why = copied(program, folder, Case("in.ome.tif", array, "tzcyx"), ["o.tif", "o.ome.tif", "o.ome.zarr"])
    if why:
        wrong.append(f"writing a hyperstack: {why}")
    else:
        with tifffile.TiffFile(os.path.join(folder, "o.tif")) as file:
            said = file.imagej_metadata or {}
            same = file.series[0].axes == "TZCYX" and numpy.array_equal(file.asarray(), array) and said.get("spacing") == 2.0 and said.get("finterval") == 0.5
            right += same
            if not same:
                wrong.append(f"o.tif by tifffile: {file.series[0].axes} {said}")
        with tifffile.TiffFile(os.path.join(folder, "o.ome.tif")) as file:
            pixels = tifffile.xml2dict(file.ome_metadata)["OME"]["Image"]["Pixels"]
            said = [pixels.get(key) for key in ("PhysicalSizeX", "PhysicalSizeY", "PhysicalSizeZ", "PhysicalSizeXUnit", "TimeIncrement")]
            names = [channel["Name"] for channel in pixels["Channel"]]
            same = file.series[0].axes == "TZCYX" and numpy.array_equal(file.asarray(), array) and said == [0.5, 0.25, 2.0, "µm", 0.5] and names == ["DAPI", "a & b", "c"]
            right += same
            if not same:
                wrong.append(f"o.ome.tif by tifffile: {file.series[0].axes} {said} {names}")
        group = zarr.open(os.path.join(folder, "o.ome.zarr"), mode="r")
        attributes = dict(group.attrs)
        scales, channels = attributes["multiscales"][0], attributes["omero"]["channels"]
        said = [(a["name"], a["type"], a.get("unit")) for a in scales["axes"]]
        swapped = array.transpose(0, 2, 1, 3, 4)
        same = (numpy.array_equal(group["0"][...], swapped) and said == [("t", "time", "second"), ("c", "channel", None)] + [(a, "space", "micrometer") for a in "zyx"] and
                scales["datasets"][0]["coordinateTransformations"][0]["scale"] == [0.5, 1.0, 2.0, 0.25, 0.5] and [c["label"] for c in channels] == ["DAPI", "a & b", "c"] and
                all((c["window"]["start"], c["window"]["end"]) == (swapped[:, i].min(), swapped[:, i].max()) for i, c in enumerate(channels)))
        right += same
        if not same:
            wrong.append(f"o.ome.zarr by zarr: {said} {attributes}")
        if os.path.exists(os.path.join(os.path.dirname(os.path.abspath(program.path)), "parallax-read-zarr")):
            wanted = Case("o.ome.zarr", swapped, "tczyx", {"x": 0.5, "y": 0.25, "z": 2.0, "t": 0.5}, "um", channels=["DAPI", "a & b", "c"])
            wrong += [f"o.ome.zarr read back: {words}" for words in read_back(program, folder, "o.ome.zarr", wanted)]
    return wrong, right


def cosines(program, folder):
    """Cosine transforms held against SciPy's, both ways: lines on what is wrong, and how many were right."""
    wrong, right = [], 0
    random = numpy.random.default_rng(2)
    path, out = os.path.join(folder, "job.json"), os.path.join(folder, "out.npy")
    for shape, axes in (((37,), (0,)), ((45, 60), (0, 1)), ((3, 30, 52), (1, 2)), ((4, 1, 8), (1, 2)), ((4, 1, 8), (2,))):
        array = random.normal(size=shape).astype("float32")
        numpy.save(os.path.join(folder, "array.npy"), array)
        for direction, transform in (("forward", scipy.fft.dctn), ("inverse", scipy.fft.idctn)):
            step = {"run": "fft", "kind": "dct", "direction": direction, "dimensions": len(axes)}
            with open(path, "w", encoding="utf-8") as job:
                json.dump({"parallax": 1, "inputs": {"array": "array.npy"}, "steps": [step], "outputs": {"array": "out.npy"}}, job)
            status, _, err = program.call("run", path, "--out", folder, "--overwrite", "--quiet", "--device", "native")
            truth = transform(array.astype("float64"), axes=axes)
            same = status == 0 and numpy.linalg.norm(numpy.load(out) - truth) < 1e-6 * numpy.linalg.norm(truth)
            right += same
            if not same:
                wrong.append(f"dct {direction} of {shape} along {axes} is not SciPy's {err.strip()}")
    return wrong, right


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    program = Program(arguments.program)
    wrong, right, left_out = [], 0, []
    beside = os.path.dirname(os.path.abspath(arguments.program))
    makers = [itk, pynrrd, nifti_pairs, freesurfer, archives, fits, tiffs]
    for name, maker in OPTIONAL.items():
        if os.path.exists(os.path.join(beside, "parallax-read-" + name)):
            makers += [maker] + ([minc] if name == "hdf5" else [])
        else:
            left_out.append(name)
    for maker in makers:
        folder = tempfile.mkdtemp(prefix="parallax-meaning-")
        count = 0
        try:
            for case in maker(folder):
                path = os.path.join(folder, case.name)
                info, why = program.info(path, case.choices)
                output, why_not = program.array(path, case.choices)
                found = [why or why_not] if info is None or output is None else faults(case, info, numpy.load(output))
                if "Secret" in json.dumps(info or "") + why + why_not:
                    found.append("a patient's name is told")
                count += not found
                wrong += [f"{maker.__name__}: {case.name} {case.choices or ''}: {words}" for words in found]
                if arguments.list:
                    print(f"  {'wrong' if found else 'right':6} {maker.__name__} {case.name} {case.choices or ''}")
        finally:
            shutil.rmtree(folder)
        right += count
        print(f"{maker.__name__}: read right {count}", flush=True)
    folder = tempfile.mkdtemp(prefix="parallax-meaning-")
    try:
        faulty, good = written(program, folder)
        odd, even = cosines(program, folder)
    finally:
        shutil.rmtree(folder)
    wrong += ["written: " + line for line in faulty] + odd
    print(f"meaning: read right {right}, written right {good}, transformed right {even}, wrong {len(wrong)}" + (f"; readers that are not there: {', '.join(left_out)}" if left_out else ""))
    for line in wrong:
        print("  " + line)
    return 1 if wrong or right == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
