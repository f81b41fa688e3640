"""NIfTI, and NIfTI in gzip."""

import gzip
import struct
import zlib

from bombs.bomb import Bomb, MB


def nifti(shape, offset=352, kind=2, slope=0.0):
    head = bytearray(352)
    struct.pack_into("<i", head, 0, 348)
    struct.pack_into("<8h", head, 40, len(shape), *(list(shape) + [1] * (7 - len(shape))))
    struct.pack_into("<2h", head, 70, kind, 8)
    struct.pack_into("<8f", head, 76, 1, 1, 1, 1, 1, 1, 1, 1)
    struct.pack_into("<3f", head, 108, offset, slope, 0)
    head[344:348] = b"n+1\0"
    return bytes(head)


def nifti2(shape, offset):
    head = bytearray(544)
    struct.pack_into("<i", head, 0, 540)
    head[4:12] = b"n+2\0\r\n\x1a\n"
    struct.pack_into("<2h", head, 12, 2, 8)
    struct.pack_into("<8q", head, 16, len(shape), *(list(shape) + [1] * (7 - len(shape))))
    struct.pack_into("<q", head, 168, offset)
    return bytes(head)


NIFTI = [
    Bomb("32,767 to the fourth", lambda: nifti([32767] * 4)),
    Bomb("2^62 voxels of NIfTI-2", lambda: nifti2([1 << 31, 1 << 31], 544)),
    Bomb("2^63 - 1 columns", lambda: nifti2([(1 << 63) - 1, 1], 544)),
    Bomb("seven axes", lambda: nifti([2] * 7)),
    Bomb("voxels at 9e14", lambda: nifti([8, 8, 8], 9e14)),
    Bomb("voxels at the end of 500 GB", lambda: nifti([8, 8, 8], 5e11), 512, 1 << 40),
    Bomb("4 MB of extensions", lambda: nifti([8, 8, 8], 352 + 4 * MB) + bytes(4 * MB + 512), 512),
    Bomb("4 MB behind the voxels", lambda: nifti([8, 8, 8]) + bytes(512 + 4 * MB), 512),
    Bomb("scaled", lambda: nifti([300, 300, 100], slope=2.0) + bytes(9000000), 4 * 9000000),
]


def zipped(*pieces):
    """Text, or as many zeros as a number says."""
    squeeze = zlib.compressobj(9, zlib.DEFLATED, 31)
    out = []
    zeros = bytes(MB)
    for piece in pieces:
        if isinstance(piece, bytes):
            out.append(squeeze.compress(piece))
        else:
            out += [squeeze.compress(zeros[:min(MB, piece - done)]) for done in range(0, piece, MB)]
    return b"".join(out) + squeeze.flush()


EMPTY = gzip.compress(b"", mtime=0)
NAMED = b"\x1f\x8b\x08"


def stored_empty(count, data):
    """A member whose data come behind so many empty blocks."""
    raw = zlib.compressobj(9, zlib.DEFLATED, -15)
    return (b"\x1f\x8b\x08" + bytes(7) + b"\0\0\0\xff\xff" * count + raw.compress(data) + raw.flush() +
            struct.pack("<II", zlib.crc32(data), len(data)))


SMALL = nifti([8, 8, 8]) + bytes(512)
GZIP = [
    Bomb("3 GB behind the voxels", lambda: zipped(nifti([8, 8, 8]), 512 + (3 << 30)), 0, says="behind"),
    Bomb("2 GB of extensions", lambda: zipped(nifti([8, 8, 8], float(2 << 30)), (2 << 30) + 512), says="come before its voxels"),
    Bomb("32,767 to the fourth", lambda: zipped(nifti([32767] * 4), 1000)),
    Bomb("as much as deflate can hold", lambda: zipped(nifti([1000, 1000, 250]), 250 * 1000 * 1000), 250 * 1000 * 1000),
    Bomb("scaled", lambda: zipped(nifti([1000, 1000, 60], slope=2.0), 60 * 1000 * 1000), 4 * 60 * 1000 * 1000),
    Bomb("cut off", lambda: zipped(nifti([1000, 1000, 250]), 250 * 1000 * 1000)[:200000], 250 * 1000 * 1000),
    Bomb("100,000 empty members in front", lambda: EMPTY * 100000 + gzip.compress(SMALL), 512),
    Bomb("100,000 empty members behind", lambda: gzip.compress(SMALL) + EMPTY * 100000, 512),
    Bomb("a member a byte",
         lambda: b"".join(gzip.compress(bytes([c]), mtime=0) for c in nifti([30, 30, 30])) + gzip.compress(b"\0", mtime=0) * 27000, 27000),
    Bomb("400,000 empty blocks", lambda: stored_empty(400000, SMALL), 512),
    Bomb("4 MB of a name", lambda: NAMED + b"\x08" + bytes(6) + b"n" * 4 * MB + b"\0" + gzip.compress(SMALL)[10:], 512),
    Bomb("1 GB of zeros", lambda: zipped(1 << 30)),
    Bomb("4 MB of garbage behind", lambda: gzip.compress(SMALL) + b"garbage!" * (MB // 2), 512),
    Bomb("gzip in gzip", lambda: gzip.compress(gzip.compress(SMALL))),
]
