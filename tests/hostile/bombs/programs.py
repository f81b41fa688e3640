"""Formats that programs of their own read, which a build may lack: these end in an error in any case."""

import json
import struct
import zlib

from bombs.bomb import Bomb, MB
from tiffs import deflate_zeros

GIF = [
    Bomb("65,535 rows and columns", lambda: b"GIF89a" + struct.pack("<HHBBB", 65535, 65535, 0x80, 0, 0) + bytes(6) + b";"),
    Bomb("100,000 frames of a pixel on a large screen",
         lambda: b"GIF89a" + struct.pack("<HHBBB", 5000, 5000, 0x80, 0, 0) + bytes(6) +
         (b"," + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02D\x01\0") * 100000 + b";"),
    Bomb("1,000 frames of a pixel on a canvas of a million",
         lambda: b"GIF89a" + struct.pack("<HHBBB", 1000, 1000, 0x80, 0, 0) + bytes(6) +
         (b"!\xf9\4\0\0\0\0\0," + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02D\x01\0") * 1000 + b";",
         says="smaller canvas"),
]


def element(group, number, kind, data):
    length = struct.pack("<HI", 0, len(data)) if kind in (b"OB", b"OW", b"UN") else struct.pack("<H", len(data))
    return struct.pack("<HH", group, number) + kind + length + data


def dicom(rows, columns, frames, pixels, private=b"", packed=False):
    meta = element(2, 0x10, b"UI", b"1.2.840.10008.1.2.1.99" if packed else b"1.2.840.10008.1.2.1\0")
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    elements = (private + element(0x28, 2, b"US", b"\1\0") + element(0x28, 4, b"CS", b"MONOCHROME2 ") +
            element(0x28, 8, b"IS", frames) + element(0x28, 0x10, b"US", struct.pack("<H", rows)) +
            element(0x28, 0x11, b"US", struct.pack("<H", columns)) +
            element(0x28, 0x100, b"US", b"\x08\0") + element(0x28, 0x101, b"US", b"\x08\0") + element(0x7fe0, 0x10, b"OW", pixels))
    return (bytes(128) + b"DICM" + element(2, 0, b"UL", struct.pack("<I", len(meta))) + meta +
            (packer.compress(elements) + packer.flush() if packed else elements))


DICOM = [
    Bomb("65,535 rows, columns and a million frames", lambda: dicom(65535, 65535, b"1000000 ", bytes(16))),
    Bomb("200 MB in an element before the pixels",
         lambda: dicom(4, 4, b"1 ", bytes(16)).replace(element(0x28, 8, b"IS", b"1 "),
                                                         struct.pack("<HH", 0x28, 8) + b"OB" + struct.pack("<HI", 0, 200 * MB))),
    Bomb("200 MB of pixels", lambda: dicom(4, 4, b"1 ", bytes(16))[:-20] + struct.pack("<I", 200 * MB) + bytes(20)),
    Bomb("4 MB behind the pixels", lambda: dicom(4, 4, b"1 ", bytes(16)) + bytes(4 * MB), 16),
    Bomb("300 MB of zeros in an element of a deflated file",
         lambda: dicom(8, 8, b"1 ", bytes(64), element(9, 0x1001, b"OB", bytes(300 * MB)), True), says="deflated"),
    Bomb("two million empty items in a deflated file",
         lambda: dicom(8, 8, b"1 ", bytes(64), element(9, 0x1001, b"UN", b"").replace(b"UN\0\0\0\0\0\0", b"SQ\0\0\xff\xff\xff\xff") +
                       struct.pack("<HHI", 0xfffe, 0xe000, 0) * 1900000 + struct.pack("<HHI", 0xfffe, 0xe0dd, 0), True), says="deflated"),
    Bomb("90 MB that an element of a deflated file says it has",
         lambda: dicom(8, 8, b"1 ", bytes(64), struct.pack("<HH", 9, 0x1001) + b"OB\0\0" + struct.pack("<I", 90 * MB), True), says="deflated"),
]
MAT = [
    Bomb("2 GB packed in a variable",
         lambda: b"MATLAB 5.0 MAT-file".ljust(124) + b"\0\1IM" + struct.pack("<II", 15, 2200000) + deflate_zeros(2 << 30)),
    Bomb("a variable of 2^31 x 2^31",
         lambda: b"MATLAB 5.0 MAT-file".ljust(124) + b"\0\1IM" +
                 struct.pack("<IIIIIIIIiiIIII", 14, 64, 6, 8, 9, 0, 5, 8, 2147483647, 2147483647, 1, 1, 97, 9) + bytes(8)),
]
HDF5 = [Bomb("a superblock and nothing", lambda: b"\x89HDF\r\n\x1a\n\0\0\0\0\0\x08\x08\0\x04\0\x10\0" + bytes(200))]


def zarr(shape, chunks, files, kind="|u1", compressor=None, more=""):
    header = {"zarr_format": 2, "shape": shape, "chunks": chunks, "dtype": kind, "compressor": compressor and {"id": compressor},
              "fill_value": 0, "order": "C", "filters": None}
    return {".zarray": json.dumps(header).encode()[:-1] + more.encode() + b"}", **files}


ZARR = [
    Bomb("a million chunks of which one is there", lambda: zarr([1 << 20], [1], {"5": b"a"}), 1 << 20),
    Bomb("a million chunks in folders of which one is there",
         lambda: zarr([1 << 10, 1 << 10], [1, 1], {"5/5": b"a"}, more=', "dimension_separator": "/"'), 1 << 20),
    Bomb("2^56 elements", lambda: zarr([1 << 28, 1 << 28], [1 << 28, 1 << 28], {"0.0": b"a"})),
    Bomb("a header of 400,000 levels",
         lambda: zarr([4], [4], {"0": bytes(4)}, more=', "more": ' + "[" * 400000 + "]" * 400000), says="levels"),
]
