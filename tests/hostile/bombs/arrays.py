"""NPY, archives of it, and raw elements."""

import struct
import zlib

from bombs.bomb import Bomb, MB
from tiffs import deflate_zeros


def npy(text, body=b"", version=1):
    length = struct.pack("<H", len(text)) if version == 1 else struct.pack("<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text.encode() + body


def shaped(shape, kind="|u1", order=False):
    return f"{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}\n"


NPY = [
    Bomb("2^62 bytes", lambda: npy(shaped("(2147483648, 2147483648)"))),
    Bomb("2^65 bytes", lambda: npy(shaped("(2147483648, 2147483648, 8)"))),
    Bomb("a header of 4 GB", lambda: b"\x93NUMPY\x02\x00\xff\xff\xff\xff"),
    Bomb("a header of 4 GB, in 1 TB", lambda: b"\x93NUMPY\x02\x00\xff\xff\xff\xff", 0, 1 << 40),
    Bomb("a header of 1 MB of blanks", lambda: npy(" " * (MB - 80) + shaped("(1, 1)"), b"0", 2), 1),
    Bomb("500,000 axes", lambda: npy(shaped("(" + "1," * 500000 + ")"), b"0", 2), says="64 axes"),
    Bomb("300,000 axes of two", lambda: npy(shaped("(" + "2," * 300000 + ")"), b"0", 2), says="64 axes"),
    Bomb("40,000 descriptions", lambda: npy("{" + "'descr': '|u1', " * 40000 + shaped("(1, 1)")[1:], b"0", 2), 1),
    Bomb("a type of 1 MB", lambda: npy(shaped("(1, 1)", "|" + "u" * 1000000), b"0", 2)),
    Bomb("a size of 1 MB of digits", lambda: npy(shaped("(" + "0" * 1000000 + "1,)"), b"0", 2), 1),
    Bomb("brackets in brackets", lambda: npy("{'shape': " + "(" * 1000000, b"0", 2)),
    Bomb("the order of Fortran", lambda: npy(shaped("(6000, 6000)", "<f4", True), b"", 1), 4 * 6000 * 6000, 4 * 6000 * 6000),
    Bomb("floats of 16 bits", lambda: npy(shaped("(6000, 6000)", "<f2"), b"", 1), 4 * 6000 * 6000, 2 * 6000 * 6000),
    Bomb("1 TB behind the elements", lambda: npy(shaped("(10, 10)"), b"", 1), 100, 1 << 40),
]


def archive(entries):
    """(name, stored, bytes that it says it unpacks to)"""
    out, listed = b"", b""
    for name, data, size in entries:
        common = struct.pack("<HHHIIIHH", 8, 0, 0, 0, len(data), size, len(name), 0)
        listed += b"PK\x01\x02" + struct.pack("<HHH", 20, 20, 0) + common + struct.pack("<HHHII", 0, 0, 0, 0, len(out)) + name
        out += b"PK\x03\x04" + struct.pack("<HH", 20, 0) + common + name + data
    count = min(len(entries), 65535)
    return out + listed + b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, count, count, len(listed), len(out), 0)


NPZ = [
    Bomb("2^62 bytes", lambda: archive([(b"a.npy", zlib.compress(npy(shaped("(2147483648, 2147483648)")))[2:-4], 200)])),
    Bomb("2 GB in an entry of 1 KB", lambda: archive([(b"a.npy", deflate_zeros(2 << 30)[2:-4], 1000)])),
    Bomb("100,000 entries", lambda: archive([(b"%d.npy" % i, b"", 0) for i in range(60000)]), says="60000 arrays"),
    Bomb("names of 60 KB", lambda: archive([(b"%d" % i + b"n" * 60000 + b".npy", b"", 0) for i in range(100)])),
    Bomb("no list of entries", lambda: b"PK\x03\x04" + bytes(4 * MB), says="without a list"),
]


RAW = [
    Bomb("2^62 bytes", lambda: bytes(100), raw={"type": "u8", "shape": [1 << 31, 1 << 31], "axes": "yx"}),
    Bomb("behind 2^62 bytes", lambda: bytes(100), raw={"type": "u8", "shape": [10, 10], "axes": "yx", "offset": 1 << 62}),
    Bomb("at the end of 500 GB",
         lambda: b"0", 10000, 500 << 30, raw={"type": "u8", "shape": [100, 100], "axes": "yx", "offset": 499 << 30}),
]
