#!/usr/bin/env python3
"""Folders of files, each read by the program and by NumPy, Pillow, tifffile, nibabel, astropy or pydicom: right, refused truly, or wrong.

    judge.py --program PROGRAM [--list] NAME=FOLDER ...

Ours may refuse what the others read, but only by words that are true of that file (refusals.py).
"""

import argparse
import collections
import os
import re
import sys
import warnings

import h5py
import nibabel
import numpy
import scipy.io
import tifffile
from astropy.io import fits
from PIL import Image

import of_pydicom
import refusals
from program import Program

warnings.simplefilter("ignore")
Image.MAX_IMAGE_PIXELS = None
# Pillow then fails at the end of a file that is cut off, as ours does.
LEFT_OUT = (".py", ".pyc", ".txt", ".rst", ".md", ".json", ".c", ".h", ".sh", ".m", ".ttf", ".html", ".css", ".js", ".tar", ".xsl", ".in", ".am")

class Truth:
    """What another library reads: an array, how near ours has to be, and the spacing where it says one."""

    def __init__(self, array, tolerance=0.0, spacing=None, axes=None, steps=None):
        self.array, self.tolerance, self.spacing, self.axes, self.steps = numpy.asarray(array), tolerance, spacing, axes, steps or {}


def of_pillow(path, form):
    with Image.open(path) as image:
        if image.format != form and (image.format, form) != ("MPO", "JPEG"):   # of several pictures the first
            raise ValueError(f"Pillow calls it {image.format}")
        if getattr(image, "n_frames", 1) > 1:
            image.seek(0)
        image.load()
        mode = image.mode
        if mode == "P" and form == "PNG" and "transparency" in image.info:
            return Truth(numpy.asarray(image.convert("RGBA")))
        if mode == "P":
            palette = numpy.array(image.getpalette("RGB"), dtype=numpy.uint8).reshape(-1, 3)
            used = palette[:256]
            image = image.convert("RGB")
            array = numpy.asarray(image)
            if (used[:, 0] == used[:, 1]).all() and (used[:, 1] == used[:, 2]).all():
                array = array[:, :, 0]
            return Truth(array)
        if mode == "1":
            return Truth(numpy.asarray(image).astype(numpy.uint8) * 255)
        if mode in ("L", "RGB", "RGBA", "LA", "F", "I;16", "I;16B", "I"):
            array = numpy.asarray(image)
            if mode == "I":
                array = array.astype(numpy.int64)
            return Truth(array, 2.0 if form == "JPEG" else 0.0)
        raise ValueError(f"Pillow's mode {mode}")


def of_tifffile(path, info):
    with tifffile.TiffFile(path) as file:
        series = file.series[0]
        page = series.keyframe
        array = series.asarray()
        axes = series.axes
        if info["pages"] > len(series.pages) and len(file.series) > 1:   # pages alike that it counts as images of their own
            array = numpy.stack([p.asarray() for p in file.pages if not p.is_reduced])
            axes = "Q" + axes
        if page.photometric == tifffile.PHOTOMETRIC.PALETTE and page.colormap is not None and not file.is_imagej:
            array = numpy.moveaxis((page.colormap >> 8).astype(numpy.uint8)[:, array.astype(numpy.intp)], 0, -1)
            axes += "S"
        if page.bitspersample < 8:
            array = array.astype(numpy.uint8) * (255 // (2**page.bitspersample - 1) if page.photometric != tifffile.PHOTOMETRIC.PALETTE else 1)
        if "S" in axes and not axes.endswith("S"):
            array = numpy.moveaxis(array, axes.index("S"), -1)
            axes = axes.replace("S", "") + "S"
        lossy = page.compression == tifffile.COMPRESSION.JPEG
        return Truth(array, 3.0 if lossy else 0.0, axes=axes)


def of_nibabel(path):
    image = nibabel.load(path)
    if not isinstance(image, (nibabel.Nifti1Image, nibabel.Nifti2Image)):
        raise ValueError("no NIfTI")
    scaled = image.dataobj
    array = numpy.asarray(scaled)
    if array.dtype.fields:
        array = numpy.stack([array[name] for name in array.dtype.names], -1)
        order = list(range(array.ndim - 2, -1, -1)) + [array.ndim - 1]
        return Truth(array.transpose(order))
    if array.dtype == numpy.float64 and image.get_data_dtype() != numpy.float64:
        array = array.astype(numpy.float32)
    return Truth(array.T, 1e-6 if array.dtype.kind == "f" else 0.0, [float(z) for z in image.header.get_zooms()[:3]])


def of_frames(path):
    """A GIF as Pillow shows it, one frame over the other; NaN where it is transparent, which is whatever a reader makes of it."""
    with Image.open(path) as image:
        frames = []
        for number in range(image.n_frames):
            image.seek(number)
            frame = numpy.asarray(image.convert("RGBA")).astype(float)
            frame[frame[:, :, 3] == 0] = numpy.nan
            frames.append(frame[:, :, :3])
        return Truth(numpy.stack(frames))


def of_astropy(path):
    with fits.open(path) as units:
        return Truth(next(unit.data for unit in units if unit.is_image and unit.data is not None), 1e-6)


def truth_of(info, path):
    form = info["format"]
    if form == "gif":
        return of_frames(path)
    if form == "fits":
        return of_astropy(path)
    if form == "hdf5" and info["detail"].startswith("MINC"):
        image = nibabel.load(path)
        return Truth(image.get_fdata().astype(numpy.float32), 1e-5, axes="TZYX"[-image.ndim:])
    if form == "mgh":
        image = nibabel.load(path)
        return Truth(numpy.asarray(image.dataobj).T, spacing=[float(z) for z in image.header.get_zooms()[:3]])
    if form == "mat":
        array = scipy.io.loadmat(path)[re.search('variable "(.*)"', info["detail"]).group(1)]
        return Truth(array.transpose([*range(array.ndim - 1, 1, -1), 0, 1]))   # planes in front
    if form == "hdf5":
        name, matlab = re.fullmatch("dataset (.*?)(, of MATLAB's)?(?:; named as .*)?", info["detail"]).groups()
        with h5py.File(path) as file:
            array = file[name][()]
        return Truth(array.swapaxes(-1, -2) if matlab and array.ndim > 1 else array)   # MATLAB's columns stand one behind the other
    if form == "npz":
        with numpy.load(path, allow_pickle=False) as arrays:
            return Truth(arrays[arrays.files[0]])
    if form == "dicom":
        array, tolerance = of_pydicom.array_of(path)
        return Truth(array, tolerance, steps=of_pydicom.steps_of(path))
    if form in ("tiff", "bigtiff"):
        try:
            return of_tifffile(path, info)
        except Exception:   # a compression that it lacks
            truth = of_pillow(path, "TIFF")
            truth.tolerance = 3.0
            # Pillow turns white and black of one and of eight bits round, as they are to be seen; ours and tifffile's are as they are stored.
            if info["polarity"] == "white is zero" and truth.array.dtype == numpy.uint8:
                truth.array = 255 - truth.array
            return truth
    if form == "nifti":
        return of_nibabel(path)
    if form == "npy":
        return Truth(numpy.load(path, allow_pickle=False))
    truth = of_pillow(path, {"png": "PNG", "jpeg": "JPEG", "bmp": "BMP", "pgm": "PPM"}[form])
    if form == "bmp" and "16-bit" in info["detail"]:
        truth.tolerance = 8.0   # five bits become eight in more than one way
    return truth


def differences(info, ours, truth):
    theirs = truth.array
    squeezed, wanted = numpy.squeeze(ours), numpy.squeeze(theirs)
    # Pillow gives 16 bits a colour as 8, and numbers up to another maximum than 255 scaled to that.
    if info["format"] == "png" and ours.dtype == numpy.uint16 and theirs.dtype == numpy.uint8:
        squeezed, truth.tolerance = squeezed >> 8, 1.0
    if info["format"] == "pgm" and "largest value" in info["detail"]:
        most = int(info["detail"].rsplit(" ", 1)[1])
        to = 255 if theirs.dtype == numpy.uint8 else 65535
        if most != to:
            squeezed, truth.tolerance = numpy.round(squeezed.astype(numpy.float64) * to / most), max(truth.tolerance, 1.0)
    # Alpha: a file of 32 bits may have it or not by another's judgement.
    if squeezed.ndim == 3 and wanted.ndim == 3 and squeezed.shape[:2] == wanted.shape[:2] and squeezed.shape[2] != wanted.shape[2] and info["format"] == "bmp":
        least = min(squeezed.shape[2], wanted.shape[2])
        squeezed, wanted = squeezed[:, :, :least], wanted[:, :, :least]
    if info.get("channels") == "grey and alpha" and wanted.ndim == 3 and wanted.shape[-1] == 4:
        wanted = wanted[..., [0, 3]]
    if wanted.ndim == squeezed.ndim + 1 and wanted.shape[-1] in (3, 4) and (wanted[..., :1] == wanted[..., :3]).all():
        wanted = wanted[..., 0]   # a palette of greys
    if info["format"] == "gif" and squeezed.ndim + 1 == wanted.ndim:
        squeezed = numpy.repeat(squeezed[..., None], 3, -1)
    if squeezed.shape != wanted.shape:
        return f"shape {ours.shape} for {theirs.shape}"
    if info["polarity"] == "white is zero" and not info["warnings"] and "ImageJ" not in info["detail"]:
        return "white is zero, and nothing says so"
    a, b = squeezed, wanted
    if a.dtype.kind == "c" or b.dtype.kind == "c":
        same = numpy.allclose(a, b, equal_nan=True)
        return "" if same else "complex values differ"
    a, b = a.astype(numpy.float64), b.astype(numpy.float64)
    limit = truth.tolerance if truth.tolerance >= 1 else truth.tolerance * numpy.maximum(1, numpy.abs(b))
    if info["format"] == "gif":
        a = numpy.where(numpy.isnan(b), b, a)
    far = ~((numpy.abs(a - b) <= limit) | (numpy.isnan(a) & numpy.isnan(b)) | (a == b))
    if far.any():
        return f"{int(far.sum())} of {far.size} values differ, by up to {numpy.nanmax(numpy.abs(a - b)):g}"
    if truth.spacing:
        for name, wanted_spacing in zip("xyz", truth.spacing):
            said = next((axis["spacing"] for axis in info["axes"] if axis["name"] == name), None)
            if said is not None and wanted_spacing > 0 and abs(said - wanted_spacing) > 1e-5 * wanted_spacing:
                return f"spacing of {name} {said} for {wanted_spacing}"
    for name, step in truth.steps.items():
        said = next((axis["spacing"] for axis in info["axes"] if axis["name"] == name), None)
        if said is not None and abs(said - step) > 1e-5 * step:
            return f"spacing of {name} {said} for {step}"
    if truth.axes:
        named = {"T": "t", "Z": "z", "C": "c"}
        theirs_named = [named[a] for a, n in zip(truth.axes, truth.array.shape) if a in named and n > 1]
        ours_named = [axis["name"] for axis in info["axes"][:-2] if axis["size"] > 1 and axis["name"] in "tzc"]
        if theirs_named and theirs_named != ours_named and not info["warnings"]:
            return f"axes {''.join(ours_named)} for {''.join(theirs_named)}"
    return ""


# Files on which another library and ours differ for a reason; the words say which. None of them hides a difference of meaning.
EXCEPTIONS = {
    "test_ifd_loop_to_first.tif": "its directories go round in a loop, which is damage; tifffile stops there",
    "test_ifd_loop_to_self.tif": "its directories go round in a loop, which is damage; tifffile stops there",
    "multipage_multiple_frame_loop.tiff": "its directories go round in a loop, which is damage; tifffile stops there",
    "multipage_single_frame_loop.tiff": "its directories go round in a loop, which is damage; tifffile stops there",
    "separate_planar_extra_samples.tiff": "its second plane has no bytes, which is damage; tifffile fills it with zeros",
    "mmap_error.bmp": "its pixels begin inside its palette, which is damage; Pillow takes them from there",
    "hopper_bad_exif.jpg": "libjpeg finds bad codes in its data, which is damage; Pillow does not ask",
    "testfax4.tiff": "imagecodecs loses its place in some lines; ours is what libtiff makes of it, as Pillow reads it",
    "tiff_tiled_jpeg_oob_read.tif": "tifffile puts each tile's first channel in the place of all; ours was looked at and is the picture",
    "badcrc.png": "its checksum does not fit, which is damage; Pillow does not look",
    "issue_2811.gif": "its codes begin with 11 bits where GIF has 8 at most, which is damage; Pillow does not ask",
    "test_extents_transparency.gif": "behind its first frame begins another GIF file, which is damage; Pillow looks for the next frame there",
    "huge_IDAT.png": "its data end before their declared length; Pillow does not look",
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("suites", nargs="+", metavar="NAME=FOLDER")
    arguments = parser.parse_args()
    program = Program(arguments.program)
    wrong = []
    total = collections.Counter()
    for suite in arguments.suites:
        name, folder = suite.split("=", 1)
        counts = collections.Counter()
        for base, folders, files in os.walk(folder):
            folders[:] = sorted(f for f in folders if f != "__pycache__")
            for file in sorted(files):
                path = os.path.join(base, file)
                if file.endswith(LEFT_OUT) or os.path.getsize(path) == 0 or os.path.getsize(path) > 64 << 20:
                    continue
                counts["files"] += 1
                verdict, words = "right", ""
                try:
                    info, why = program.info(path)
                    output, why_not = program.array(path) if info else (None, why)
                    choice = re.search(r'say which: "dataset": "([^"]+)"', why_not)
                    if choice and not refusals.fault_of(path, why_not):   # of several the one that it offers
                        chosen = {"dataset": choice.group(1)}
                        info, why = program.info(path, chosen)
                        output, why_not = program.array(path, chosen) if info else (None, why)
                    if output is None:
                        verdict, words = "refused", why_not
                        fault = refusals.fault_of(path, why_not)
                        if fault:
                            verdict, words = "wrong", f"{fault}: {why_not[-200:]}"
                    else:
                        try:
                            with refusals.little_memory():
                                truth = truth_of(info, path)
                        except Exception as error:
                            verdict, words = "read alone", f"no other reads it: {error}"
                        else:
                            words = differences(info, numpy.load(output), truth)
                            verdict = "wrong" if words else "right"
                except RuntimeError as error:
                    verdict, words = "wrong", str(error)
                if verdict == "wrong" and file in EXCEPTIONS:
                    verdict, words = "excepted", EXCEPTIONS[file]
                counts[verdict] += 1
                if verdict == "wrong":
                    wrong.append(f"{name}: {os.path.relpath(path, folder)}: {words}")
                if arguments.list:
                    print(f"  {verdict:10} {name}/{os.path.relpath(path, folder)} {words}", flush=True)
        total.update(counts)
        print(f"{name}: {', '.join(f'{what} {n}' for what, n in counts.items())}", flush=True)
    print(f"all: {', '.join(f'{what} {n}' for what, n in total.items())}")
    for line in wrong:
        print("  wrong " + line)
    return 1 if wrong or total["right"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
