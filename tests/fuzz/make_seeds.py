"""Makes the seeds of the formats that programs of their own read, and of streams: tests/fuzz/seeds/read_* and stream.

    python tests/fuzz/make_seeds.py FOLDER        # with numpy, h5py, pydicom, scipy, pillow and numcodecs

Small arrays of drawn elements in every layout that the readers know: each way through a reader has a seed, and none is of a person.
"""
import io
import json
import pathlib
import struct
import sys
import zlib

import h5py
import numcodecs
import numpy
import pydicom
import scipy.io
from PIL import Image
from pydicom.encaps import encapsulate

draw = numpy.random.default_rng(19)


def elements(dtype, *shape):
    dtype = numpy.dtype(dtype)
    if dtype.kind == "b":
        return draw.integers(0, 2, shape).astype(bool)
    if dtype.kind == "c":
        return (draw.normal(size=shape) + 1j * draw.normal(size=shape)).astype(dtype)
    return (draw.normal(size=shape) if dtype.kind == "f" else draw.integers(0, 100, shape)).astype(dtype)


def gifs():
    def of(frames, **more):
        out = io.BytesIO()
        frames[0].save(out, "GIF", save_all=len(frames) > 1, append_images=frames[1:], **more)
        return out.getvalue()

    grey = [Image.fromarray(elements("u1", 5, 7)) for _ in range(3)]
    colour = [Image.fromarray(elements("u1", 6, 4, 3)) for _ in range(2)]
    yield "grey", of(grey[:1])
    yield "interlaced", of([Image.fromarray(elements("u1", 17, 5))], interlace=True)
    yield "colour", of(colour[:1])
    for disposal in (1, 2, 3):
        yield f"disposal{disposal}", of(grey, duration=[50, 70, 50], disposal=disposal, transparency=3, comment=b"seed", loop=2)
    part = bytearray(of(colour, duration=40))
    yield "animated", bytes(part)
    at = part.rfind(b"\x2c")   # the last frame's own place and size
    part[at + 1:at + 5] = struct.pack("<HH", 1, 2)
    yield "beside", bytes(part)


def hdf5s():
    def of(fill, **more):
        out = io.BytesIO()
        with h5py.File(out, "w", **more) as file:
            fill(file)
        return out.getvalue()

    for dtype in ("u1", ">u2", "i4", "f2", "f4", "f8", "c8", "?"):
        yield dtype.strip(">?") or "bool", of(lambda f: f.create_dataset("a", data=elements(dtype, 2, 3), track_times=False))
    yield "scalar", of(lambda f: f.create_dataset("a", data=numpy.float32(2), track_times=False))
    for name, more in {"gzip": {"compression": "gzip"}, "lzf": {"compression": "lzf", "shuffle": True}, "sum": {"fletcher32": True}}.items():
        yield name, of(lambda f: f.create_dataset("a", data=elements("u2", 4, 6), chunks=(2, 4), track_times=False, **more))
    yield "latest", of(lambda f: f.create_dataset("g/a", data=elements("u1", 3, 2, 2), chunks=(1, 2, 2), maxshape=(None, 2, 2), track_times=False), libver="latest")

    def meaning(file):
        data = file.create_dataset("data", data=elements("f4", 2, 2, 3), track_times=False)
        data.attrs["axes"], data.attrs["spacing"], data.attrs["unit"] = "tyx", [2.0, .5, .5], "um"
        data.attrs["affine"], data.attrs["element_size_um"] = numpy.eye(4).ravel(), [1.0, .5, .5]
        data.attrs["DIMENSION_LABELS"] = ["t", "y", "x"]

    yield "meaning", of(meaning)

    def matlab(file):
        data = file.create_dataset("m", data=elements("f8", 3, 2), track_times=False)
        data.attrs["MATLAB_class"] = numpy.bytes_("double")
        file.create_group("#refs#")

    yield "matlab", of(matlab)

    def minc(file):
        image = file.create_group("minc-2.0/image/0")
        data = image.create_dataset("image", data=elements("u1", 2, 2, 3), track_times=False)
        data.attrs["dimorder"], data.attrs["valid_range"] = numpy.bytes_("zspace,yspace,xspace"), [0.0, 255.0]
        for name, value in {"image-min": 0.0, "image-max": 2.0}.items():
            image.create_dataset(name, data=numpy.full(2, value), track_times=False).attrs["dimorder"] = numpy.bytes_("zspace")
        for name, size in {"zspace": 2, "yspace": 2, "xspace": 3}.items():
            at = file.require_group("minc-2.0/dimensions").create_dataset(name, data=numpy.int32(0), track_times=False)
            at.attrs["start"], at.attrs["step"], at.attrs["length"] = -1.0, .5, numpy.int32(size)
            at.attrs["direction_cosines"] = [float(name[0] == c) for c in "xyz"]

    yield "minc", of(minc)

    def several(file):
        for name in ("a", "g/b"):
            file.create_dataset(name, data=elements("u1", 2, 2), track_times=False)
        file["text"], file["link"] = "words", h5py.SoftLink("/a")

    yield "several", of(several)


def mats():
    def of(values, **more):
        out = io.BytesIO()
        scipy.io.savemat(out, values, **more)
        return out.getvalue()

    for version in "45":
        for dtype in ("f8", "u1", "i2", "c16"):
            yield f"v{version}_{dtype}", of({"a": elements(dtype, 2, 3)}, format=version)
    yield "logical", of({"a": elements("?", 3, 2)})
    yield "packed", of({"a": elements("u2", 4, 5, 3, 2)}, do_compression=True)
    yield "small_numbers", of({"a": numpy.arange(6.0).reshape(2, 3)})
    yield "others", of({"s": {"b": 1}, "c": numpy.array([[1, "x"]], object), "t": "words", "a": elements("f4", 2, 2)})
    yield "several", of({"a": elements("u1", 2, 2), "b": elements("f4", 1, 3)})


def folder(files):
    return b"".join(b"== %s %d\n" % (name.encode(), len(data)) + data for name, data in files.items())


def zarrs():
    def array(dtype, shape, chunks, codec=None, separator=".", fill=0, leave_out=(), **more):
        data = elements(dtype, *shape)
        meta = {"zarr_format": 2, "shape": shape, "chunks": chunks, "dtype": numpy.dtype(dtype).str, "compressor": codec and codec.get_config(), "fill_value": fill,
                "order": "C", "filters": None, "dimension_separator": separator, **more}
        files = {".zarray": json.dumps(meta).encode()}
        for at in numpy.ndindex(*[-(-n // c) for n, c in zip(shape, chunks)]):
            name = separator.join(map(str, at))
            if name in leave_out:
                continue
            chunk = numpy.zeros(chunks, dtype)
            part = data[tuple(slice(i * c, (i + 1) * c) for i, c in zip(at, chunks))]
            chunk[tuple(map(slice, part.shape))] = part
            files[name] = bytes(codec.encode(chunk)) if codec else chunk.tobytes()
        return files

    for dtype in ("|u1", ">u2", "<f2", "<f8", "<c8", "|b1"):
        yield "of_" + dtype[1:], folder(array(dtype, [3, 5], [2, 3]))
    for codec in (numcodecs.Blosc("lz4"), numcodecs.Blosc("zstd", shuffle=2), numcodecs.Zstd(1), numcodecs.GZip(1), numcodecs.Zlib(1)):
        name = codec.codec_id + ("_" + codec.cname if codec.codec_id == "blosc" else "")
        yield name, folder(array("<u2", [4, 6], [2, 4], codec, "/"))
    for dtype, fill in (("|u1", 7), ("<i2", -3), ("<f4", "NaN"), ("<f2", 1.5)):
        yield f"missing_{dtype[1:]}", folder(array(dtype, [4, 4], [2, 2], fill=fill, leave_out=("0.1", "1.0")))
    own = array("<u2", [2, 3], [2, 3])
    own[".zattrs"] = json.dumps({"_ARRAY_DIMENSIONS": ["y", "x"], "parallax": {"spacing": [.5, .25], "unit": "um", "affine": list(numpy.eye(4).ravel())}}).encode()
    yield "own", folder(own)
    ome = {".zgroup": b'{"zarr_format": 2}'}
    ome[".zattrs"] = json.dumps({
        "multiscales": [{"version": "0.4", "axes": [{"name": n, **({"type": "space", "unit": u} if u else {})} for n, u in (("t", ""), ("c", ""), ("y", "micrometer"), ("x", "nanometer"))],
                         "datasets": [{"path": p, "coordinateTransformations": [{"type": "scale", "scale": [2, 1, s, s]}, {"type": "translation", "translation": [0, 0, 3, 4]}]}
                                      for p, s in (("0", .5), ("1", 1.0))], "coordinateTransformations": [{"type": "scale", "scale": [1, 1, 2, 2]}]}],
        "omero": {"channels": [{"label": "red"}, {"label": "green"}]}}).encode()
    for level, size in (("0", 4), ("1", 2)):
        ome |= {f"{level}/{name}": data for name, data in array("|u1", [2, 2, size, size], [1, 2, size, size], separator="/").items()}
    yield "ome", folder(ome)


def dicoms():
    def of(pixels, syntax="1.2.840.10008.1.2.1", bits=None, sign=0, photometric=None, **more):
        data = pydicom.Dataset()
        data.file_meta = pydicom.dataset.FileMetaDataset()
        data.file_meta.TransferSyntaxUID = syntax
        data.file_meta.MediaStorageSOPClassUID, data.file_meta.MediaStorageSOPInstanceUID = "1.2.840.10008.5.1.4.1.1.7", "1.2.3"
        data.SOPClassUID, data.SOPInstanceUID, data.Modality, data.SeriesInstanceUID = "1.2.840.10008.5.1.4.1.1.7", "1.2.3", "OT", "1.2.4"
        colours = pixels.ndim > 2 and pixels.shape[-1] == 3
        shape = pixels.shape[:-1] if colours else pixels.shape
        data.SamplesPerPixel = 3 if colours else 1
        if colours:
            data.PlanarConfiguration = 0
        data.PhotometricInterpretation = photometric or ("RGB" if colours else "MONOCHROME2")
        data.Rows, data.Columns = shape[-2:]
        if len(shape) > 2:
            data.NumberOfFrames = shape[0]
        data.BitsAllocated = 8 * pixels.dtype.itemsize
        data.BitsStored = bits or data.BitsAllocated
        data.HighBit, data.PixelRepresentation = data.BitsStored - 1, sign
        for name, value in more.items():
            setattr(data, name, value)
        if "encoded" in more:
            data.PixelData = encapsulate(more["encoded"])
            data["PixelData"].is_undefined_length = True
        else:
            bytes_ = pixels.tobytes()
            data.PixelData = bytes_ + b"\0" * (len(bytes_) % 2)
        data["PixelData"].VR = "OW" if data.BitsAllocated > 8 else "OB"
        out = io.BytesIO()
        pydicom.dcmwrite(out, data, enforce_file_format=True)
        return out.getvalue()

    def rle(planes):   # each byte of all samples a segment of runs of one
        segments = [b"".join(b"\0" + bytes([v]) for v in plane) + b"\0" * (plane.size * 2 % 2) for plane in planes]
        starts = [64 + sum(map(len, segments[:i])) for i in range(len(segments))]
        return struct.pack("<16I", len(segments), *starts, *[0] * (15 - len(starts))) + b"".join(segments)

    grey = elements("u1", 3, 4)
    yield "grey", of(grey)
    yield "wide", of(elements("<u2", 3, 4), bits=12, RescaleSlope="2", RescaleIntercept="-3", PixelSpacing=["0.5", "0.25"], WindowCenter="5", WindowWidth="10")
    yield "sign", of(elements("<i2", 2, 2), sign=1, ImagePositionPatient=["1", "2", "3"], ImageOrientationPatient=["1", "0", "0", "0", "1", "0"], PixelSpacing=["1", "1"])
    yield "colour", of(elements("u1", 2, 4, 3))
    yield "ybr", of(elements("u1", 2, 4, 3), photometric="YBR_FULL")
    half = elements("u1", 2, 4, 3)
    yield "halved", of(half, photometric="YBR_FULL_422", ).replace(half.tobytes(), half.tobytes()[:16] + half.tobytes()[16:])
    yield "frames", of(elements("u1", 3, 2, 2), FrameTime="40", Modality="US")
    palette = {f"{c}PaletteColorLookupTableDescriptor": [4, 0, 16] for c in ("Red", "Green", "Blue")}
    palette |= {f"{c}PaletteColorLookupTableData": struct.pack("<4H", 0, 256, 512, 768) for c in ("Red", "Green", "Blue")}
    yield "palette", of(grey % 4, photometric="PALETTE COLOR", **palette)
    table = pydicom.Dataset()
    table.add_new(0x00283002, "US", [4, 0, 16])
    table.add_new(0x00283006, "OW", struct.pack("<4H", 1, 2, 3, 4))
    table.ModalityLUTType = "US"
    yield "table", of(grey % 4, ModalityLUTSequence=[table])
    yield "big", of(elements(">u2", 2, 3), "1.2.840.10008.1.2.2")
    yield "implicit", of(grey, "1.2.840.10008.1.2")
    yield "deflated", of(grey, "1.2.840.10008.1.2.1.99")
    yield "rle", of(grey, "1.2.840.10008.1.2.5", encoded=[rle([grey.ravel()])])
    jpeg = io.BytesIO()
    Image.fromarray(elements("u1", 8, 8)).save(jpeg, "JPEG")
    yield "jpeg", of(elements("u1", 8, 8), "1.2.840.10008.1.2.4.50", encoded=[jpeg.getvalue()])
    j2k = io.BytesIO()
    Image.fromarray(elements("u1", 8, 8)).save(j2k, "JPEG2000", no_jp2=True)
    yield "jpeg2000", of(elements("u1", 8, 8), "1.2.840.10008.1.2.4.90", encoded=[j2k.getvalue()])
    groups = []
    for z in range(2):
        group, place, measures, turned = (pydicom.Dataset() for _ in range(4))
        place.ImagePositionPatient, turned.ImageOrientationPatient, measures.PixelSpacing = ["0", "0", str(2 * z)], ["1", "0", "0", "0", "1", "0"], ["1", "2"]
        value = pydicom.Dataset()
        value.RescaleSlope, value.RescaleIntercept = str(z + 1), "0"
        group.PlanePositionSequence, group.PlaneOrientationSequence, group.PixelMeasuresSequence = [place], [turned], [measures]
        group.PixelValueTransformationSequence = [value]
        groups.append(group)
    yield "enhanced", of(elements("<u2", 2, 2, 2), PerFrameFunctionalGroupsSequence=groups)
    region = pydicom.Dataset()
    region.PhysicalUnitsXDirection = region.PhysicalUnitsYDirection = 3
    region.PhysicalDeltaX, region.PhysicalDeltaY = .1, .2
    region.RegionLocationMinX0 = region.RegionLocationMinY0 = 0
    region.RegionLocationMaxX1 = region.RegionLocationMaxY1 = 3
    yield "region", of(grey, SequenceOfUltrasoundRegions=[region])
    slices = {}
    for z in range(2):
        slices[f"{z}.dcm"] = of(elements("u1", 2, 2), ImagePositionPatient=["0", "0", str(z)], ImageOrientationPatient=["1", "0", "0", "0", "1", "0"], PixelSpacing=["1", "1"], InstanceNumber=z)
    yield "slices", folder(slices | {"notes.txt": b"no picture"})


def streams():
    yield "grey.pgm", b"".join(b"P5\n# frame\n3 2\n255\n" + elements("u1", 2, 3).tobytes() for _ in range(3))
    yield "wide.pgm", b"".join(b"P5 2 2 4095\n" + elements(">u2", 2, 2).tobytes() for _ in range(2))
    yield "colour.ppm", b"P6\n2 1\n255\n" + elements("u1", 1, 2, 3).tobytes()
    for space, extra in {"mono": 0, "420jpeg": 4, "422": 8, "444alpha": 24, "mono16": 8, "420p10": 16}.items():
        words = b"YUV4MPEG2 W4 H2 F30000:1001 Ip A1:1 C" + space.encode() + b" XCOLORRANGE=LIMITED\n"
        yield space + ".y4m", words + (b"FRAME\n" + elements("u1", 8 + extra).tobytes()) * 2


to = pathlib.Path(sys.argv[1])
for kind, seeds in {"read_gif": gifs, "read_hdf5": hdf5s, "read_mat": mats, "read_zarr": zarrs, "read_dicom": dicoms, "stream": streams}.items():
    (to / kind).mkdir(parents=True, exist_ok=True)
    for name, data in seeds():
        (to / kind / name).write_bytes(data)
