"""Small files that cost a reader without limits much: of each format, what its headers, codes and lists allow."""

import gzip
import json
import lzma
import struct
import zlib

from tiffs import (At, BITS, COMPRESSION, COUNTS, DESCRIPTION, HEIGHT, OFFSETS, PHOTOMETRIC, PLANAR, ROWS, SAMPLES, TILE_COUNTS, TILE_OFFSETS,
                   WIDTH, Tiff, deflate_zeros, lzw_zeros, picture, tiles, zstd_zeros)

MB = 1 << 20


class Bomb:
    """declared: bytes of the array that the file says it holds, and may; 0 where it must be refused. holes: bytes of nothing behind `make`'s.
    raw: how the job says that the bytes lie. ns: of processor time that a declared byte may take."""

    def __init__(self, name, make, declared=0, holes=0, raw=None, says=None, ns=150):
        self.name, self.make, self.declared, self.holes, self.raw, self.says, self.ns = name, make, declared, holes, raw, says, ns


# PNG

def chunk(kind, data=b"", length=None):
    return struct.pack(">I", len(data) if length is None else length) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, body, bits=8, colour=0, interlaced=0):
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, interlaced)) + body


def pixels(count):
    return chunk(b"IDAT", deflate_zeros(count))


END = chunk(b"IEND")
ONE = chunk(b"IDAT", zlib.compress(b"\0\0"))
PALETTE = chunk(b"PLTE", bytes(range(6)))


def compressed_text(kind):
    head = {b"zTXt": b"k\0\0", b"iTXt": b"k\0\1\0\0\0", b"iCCP": b"k\0\0"}[kind]
    return chunk(kind, head + deflate_zeros(7 * MB))


def bytewise(data):
    return b"".join(chunk(b"IDAT", data[i:i + 1]) for i in range(len(data)))


PNG = [
    Bomb("61 bytes, an EXIF block of 2 GB", lambda: png(1, 1, struct.pack(">I", 0x7fffffff) + b"eXIf" + bytes(20))),
    Bomb("an unknown chunk of 2 GB", lambda: png(1, 1, struct.pack(">I", 0x7fffffff) + b"abCd" + bytes(20))),
    Bomb("zTXt, 7 MB each", lambda: png(1, 1, compressed_text(b"zTXt") * 280 + ONE + END), 1),
    Bomb("zTXt behind the pixels", lambda: png(1, 1, ONE + compressed_text(b"zTXt") * 280 + END), 1),
    Bomb("iTXt, 7 MB each", lambda: png(1, 1, compressed_text(b"iTXt") * 280 + ONE + END), 1),
    Bomb("iCCP, 7 MB each", lambda: png(1, 1, compressed_text(b"iCCP") * 280 + ONE + END), 1),
    Bomb("160,000 texts", lambda: png(1, 1, chunk(b"tEXt", b"k\0") * 160000 + ONE + END), 1),
    Bomb("160,000 unknown chunks", lambda: png(1, 1, chunk(b"abCd") * 160000 + ONE + END), 1),
    Bomb("160,000 palettes of sPLT",
         lambda: png(1, 1, b"".join(chunk(b"sPLT", b"%d\0\x08" % i) for i in range(130000)) + ONE + END), 1),
    Bomb("130,000 EXIF blocks", lambda: png(1, 1, chunk(b"eXIf", b"II*\0") * 130000 + ONE + END), 1),
    Bomb("160,000 empty pieces of pixels", lambda: png(1, 1, chunk(b"IDAT") * 160000 + ONE + END), 1),
    Bomb("160,000 empty pieces behind the pixels", lambda: png(1, 1, ONE + chunk(b"IDAT") * 160000 + END), 1),
    Bomb("pixels in pieces of a byte", lambda: png(8192, 8192, bytewise(deflate_zeros(8193 * 8192)) + END), 8192 * 8192),
    Bomb("2 GB behind the last row", lambda: png(1, 1, pixels(2 << 30) + END), says="more pixels than rows and columns"),
    Bomb("4 MB behind the end", lambda: png(1, 1, ONE + END) + bytes(4 * MB), 1),
    Bomb("2^31 - 1 rows and columns", lambda: png(0x7fffffff, 0x7fffffff, ONE + END)),
    Bomb("2^31 - 1 rows of a bit", lambda: png(1, 0x7fffffff, ONE + END, 1)),
    Bomb("60,000 rows and columns of bits", lambda: png(60000, 60000, ONE + END, 1)),
    Bomb("as much as deflate can hold", lambda: png(16000, 16000, pixels(16001 * 16000) + END), 16000 * 16000),
    Bomb("cut off", lambda: png(16000, 16000, pixels(16001 * 16000)[:200000]), 16000 * 16000),
    Bomb("20 million rows of a bit", lambda: png(1, 20000000, pixels(40000000) + END, 1), 20000000),
    Bomb("20 million rows, interlaced", lambda: png(1, 20000000, pixels(40000000) + END, 8, 0, 1), 20000000, ns=300),   # each byte is a row
    Bomb("20 million columns", lambda: png(20000000, 1, pixels(20000001) + END), 20000000),
    Bomb("a palette of colours and 1 bit", lambda: png(8000, 8000, PALETTE + pixels(1001 * 8000) + END, 1, 3), 3 * 8000 * 8000),
    Bomb("a palette, interlaced", lambda: png(4000, 4000, PALETTE + pixels(520 * 4000) + END, 1, 3, 1), 3 * 4000 * 4000),
    Bomb("16-bit colours with alpha", lambda: png(4000, 4000, pixels(32001 * 4000) + END, 16, 6), 8 * 4000 * 4000),
]


# JPEG

def segment(marker, data=b""):
    return struct.pack(">BBH", 255, marker, len(data) + 2) + data


# One code of one bit for the value that matters: no difference (DC), the end of a block (AC), or a run of blocks to the end.
def huffman(kind, values):
    counts = bytes([min(1, len(values)), max(0, len(values) - 1)] + [0] * 14)
    return segment(0xc4, bytes([kind]) + counts + bytes(values))


QUANTA = segment(0xdb, bytes(65).replace(b"\0", b"\1").replace(b"\1", b"\0", 1))


def frame(marker, width, height, parts, sampling=0x11):
    return segment(marker, struct.pack(">BHHB", 8, height, width, parts) + b"".join(bytes([i + 1, sampling if i == 0 else 0x11, 0]) for i in range(parts)))


def scan(parts, first, last, high=0, low=0):
    return segment(0xda, bytes([len(parts)]) + b"".join(bytes([part, 0]) for part in parts) + bytes([first, last, high << 4 | low]))


def jpeg_progressive(width, height, parts, scans, one=None):
    """A scan of DC, then so many more; a run to the end of the blocks has 32,767 of them in 16 bits, and missing data are taken for zeros."""
    head = b"\xff\xd8" + QUANTA + frame(0xc2, width, height, parts) + huffman(0x00, [0]) + huffman(0x10, [0xe0, 0xe0])
    one = one or scan([1], 1, 63, 0, 1) + b"\x3f\xff"
    return head + scan(list(range(1, parts + 1)), 0, 0, 0, 1) + bytes(40) + one * scans + b"\xff\xd9"


def baseline(width, height, parts, data, more=b"", marker=0xc0, sampling=0x11):
    return (b"\xff\xd8" + more + QUANTA + frame(marker, width, height, parts, sampling) + huffman(0x00, [0]) + huffman(0x10, [0]) +
            scan(list(range(1, parts + 1)), 0, 63) + data + b"\xff\xd9")


def scans_of_one(width, height, count):
    """Three parts of one frame, a scan each, over and over."""
    return (b"\xff\xd8" + QUANTA + frame(0xc1, width, height, 3) + huffman(0x00, [0]) + huffman(0x10, [0]) +
            b"".join(scan([1 + i % 3], 0, 63) + bytes(8) for i in range(count)) + b"\xff\xd9")


EXIF = b"Exif\0\0II*\0\x08\0\0\0\xff\xff"

JPEG = [
    Bomb("80 KB, 5,000 progressive scans", lambda: jpeg_progressive(8000, 8000, 1, 5000), 8000 * 8000, says="scans"),
    Bomb("5,000 scans that refine DC",
         lambda: jpeg_progressive(8000, 8000, 1, 5000, scan([1], 0, 0, 1, 0) + bytes(8)), 8000 * 8000, says="scans"),
    Bomb("5,000 scans that refine AC",
         lambda: jpeg_progressive(8000, 8000, 1, 5000, scan([1], 1, 63, 2, 1) + bytes(2)), 8000 * 8000, says="scans"),
    Bomb("4,000 scans of colours", lambda: scans_of_one(4000, 4000, 4000), 3 * 4000 * 4000, says="scans"),
    Bomb("progressive, DC alone", lambda: jpeg_progressive(16000, 16000, 1, 0) + bytes(60000), 16000 * 16000),
    Bomb("progressive colours, DC alone", lambda: jpeg_progressive(8000, 8000, 3, 0) + bytes(60000), 3 * 8000 * 8000),
    Bomb("65,500 rows and columns", lambda: baseline(65500, 65500, 1, bytes(1000))),
    Bomb("progressive, 65,500 rows and columns", lambda: jpeg_progressive(65500, 65500, 3, 3)),
    Bomb("as many pixels as its length may hold, none there",
         lambda: baseline(16000, 16000, 1, b"") + bytes(60000), 16000 * 16000),
    Bomb("as many pixels, all there", lambda: baseline(16000, 16000, 1, bytes(1000002)), 16000 * 16000),
    Bomb("tall, coarse colours", lambda: baseline(1, 65500, 3, bytes(100000), sampling=0x44), 3 * 65500),
    Bomb("500,000 empty APP1", lambda: baseline(8, 8, 1, b"\0", segment(0xe1) * 500000), 64),
    Bomb("30 EXIF blocks of 64 KB", lambda: baseline(8, 8, 1, b"\0", segment(0xe1, EXIF + bytes(65500)) * 30), 64),
    Bomb("500,000 comments", lambda: baseline(8, 8, 1, b"\0", segment(0xfe) * 500000), 64),
    Bomb("100,000 tables", lambda: baseline(8, 8, 1, b"\0", huffman(0, [0]) * 100000), 64),
    Bomb("30,000 tables of quanta", lambda: baseline(8, 8, 1, b"\0", QUANTA * 30000), 64),
    Bomb("2 MB of fill bytes", lambda: baseline(8, 8, 1, b"\0", b"\xff" * 2 * MB), 64),
    Bomb("2 MB of restarts", lambda: baseline(8, 8, 1, b"\xff\xd0" * MB), 64),
    Bomb("2 MB of nothing between segments", lambda: baseline(8, 8, 1, b"\0", bytes(2 * MB)), 64),
    Bomb("4 MB behind the end", lambda: baseline(8, 8, 1, b"\0") + bytes(4 * MB), 64),
    Bomb("arithmetic codes",
         lambda: b"\xff\xd8" + QUANTA + frame(0xca, 8000, 8000, 1) + (scan([1], 0, 0, 0, 1) + bytes(8)) + (scan([1], 1, 63, 0, 1) + bytes(8)) * 3000 + b"\xff\xd9", 8000 * 8000),
    Bomb("arithmetic codes, one scan",
         lambda: b"\xff\xd8" + QUANTA + frame(0xc9, 8000, 8000, 1) + scan([1], 0, 63) + bytes(20000) + b"\xff\xd9", 8000 * 8000),
]


# BMP

def bmp(width, height, bits, body=b"", at=None, colours=0, header=40):
    start = 14 + header + (4 * (colours or 1 << bits) if bits <= 8 else 0)
    palette = bytes(range(256)) * 4
    return (b"BM" + struct.pack("<IHHI", 0, 0, 0, start if at is None else at) +
            struct.pack("<IiiHHIIiiII", header, width, height, 1, bits, 0, 0, 0, 0, colours, 0) + bytes(header - 40) +
            (palette[:4 * (colours or 1 << bits)] if bits <= 8 and colours < 257 else b"") + body)


BMP = [
    Bomb("2^31 rows and columns", lambda: bmp(0x7fffffff, -0x80000000, 32)),
    Bomb("2^31 - 1 columns of a bit", lambda: bmp(0x7fffffff, 1, 1)),
    Bomb("a palette of 2^32 - 1 colours", lambda: bmp(8, 8, 8, bytes(64), 1078, 0xffffffff)),
    Bomb("pixels at the end of 1 TB", lambda: bmp(1000, 1000, 8, b"", 0xf0000000), 1000000, 1 << 40),
    Bomb("8 million rows of a bit", lambda: bmp(1, 1000000, 1, bytes(4000000)), 3 * 1000000),
    Bomb("a row of 32 million bits", lambda: bmp(32000000, 1, 1, bytes(4000000)), 3 * 32000000),
    Bomb("4 MB behind the pixels", lambda: bmp(8, 8, 8, bytes(64 + 4 * MB)), 64),
]


# PGM and PPM

PGM = [
    Bomb("2^31 - 1 rows and columns", lambda: b"P5 2147483647 2147483647 255\n0"),
    Bomb("2^31 - 1 rows and columns of text", lambda: b"P2 2147483647 2147483647 65535\n0"),
    Bomb("a comment of 4 MB", lambda: b"P5 1 1\n#" + bytes(4 * MB) + b"\n255\n0", 1),
    Bomb("a comment of 1 TB", lambda: b"P5 1 1\n#", 0, 1 << 40),
    Bomb("a million comments", lambda: b"P5\n" + b"#\n" * 1000000 + b"1 1 255\n0", 1),
    Bomb("a number of 4 million digits", lambda: b"P5 1 1 " + b"0" * 4 * MB + b"255\n0", 1),
    Bomb("4 MB of blanks", lambda: b"P2 1 1 255" + b" " * 4 * MB + b"0", 1),
    Bomb("a pixel of 4 million digits", lambda: b"P2 1 1 255\n" + b"0" * 4 * MB, 1),
    Bomb("2 million pixels of text", lambda: b"P2 2000 1000 65535\n" + b"7 " * 2000000, 4000000),
    Bomb("comments between pixels", lambda: b"P2 1000 1000 255\n" + b"7#\n" * 1000000, 1000000),
    Bomb("a text that ends in a TB of nothing", lambda: b"P2 1000 1000 255\n7 7 7 ", 1000000, 1 << 40),
    Bomb("4 MB behind the pixels", lambda: b"P5 1 1 255\n0" + bytes(4 * MB), 1),
]


# NPY

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


# NIfTI

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


# NIfTI in gzip

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


# Raw

RAW = [
    Bomb("2^62 bytes", lambda: bytes(100), raw={"type": "u8", "shape": [1 << 31, 1 << 31], "axes": "yx"}),
    Bomb("behind 2^62 bytes", lambda: bytes(100), raw={"type": "u8", "shape": [10, 10], "axes": "yx", "offset": 1 << 62}),
    Bomb("at the end of 500 GB",
         lambda: b"0", 10000, 500 << 30, raw={"type": "u8", "shape": [100, 100], "axes": "yx", "offset": 499 << 30}),
]


# TIFF

def one_strip(compression, data, width, height, bits=8, more=(), photometric=1):
    tiff = Tiff()
    at = tiff.add(data)
    tiff.directory(picture(width, height, bits, compression, photometric=photometric) + [(OFFSETS, 4, at), (COUNTS, 4, len(data)), *more])
    return tiff.bytes()


def one_tile(compression, data, width, height, tile_width, tile_height, bits=8, count=1):
    tiff = Tiff()
    at = tiff.add(data)
    tiff.directory(tiles(width, height, tile_width, tile_height, bits, compression) + [(TILE_OFFSETS, 4, [at] * count), (TILE_COUNTS, 4, [len(data)] * count)])
    return tiff.bytes()


def many_pages(count, big=False, entries=(), circle=None, kind=0):
    """Pages of a pixel."""
    tiff = Tiff(big)
    at = tiff.add(b"\7" * 16)
    for _ in range(count):
        tiff.directory([(254, 4, kind), (WIDTH, 3, 1), (HEIGHT, 3, 1), (BITS, 3, 8), (PHOTOMETRIC, 3, 1), (OFFSETS, 4, at), (COUNTS, 4, 1), *entries])
    if circle is not None:
        tiff.lead_to(circle)
    return tiff.bytes()


def shared_tags(pages, tags, length, kind=2, big=False):
    """Tags of nobody's whose values are one piece of the file, over and over."""
    tiff = Tiff(big)
    at = tiff.add(b"\7" * length)
    for page in range(pages):
        values = [(40000 + tag, kind, At(at, length)) for tag in range(tags)]
        tiff.directory([(WIDTH, 3, 1), (HEIGHT, 3, 1), (BITS, 3, 8), (PHOTOMETRIC, 3, 1), (OFFSETS, 4, at), (COUNTS, 4, 1)] + values)
    return tiff.bytes()


def strips(count, compression, data, rows_of, shared_count=None, width=1):
    """A strip a row, all of them the same piece of the file."""
    tiff = Tiff()
    at = tiff.add(data)
    tiff.directory(picture(width, count, 8, compression, rows_of) + [(OFFSETS, 4, [at] * count), (COUNTS, 4, [shared_count or len(data)] * count)])
    return tiff.bytes()


def described(text, width=1, height=1):
    return one_strip(1, b"\7" * (width * height), width, height, more=[(DESCRIPTION, 2, text + b"\0")])


def new_tags(pages, each):
    tiff = Tiff()
    at = tiff.add(b"\7" * 16)
    for page in range(pages):
        tiff.directory([(WIDTH, 3, 1), (HEIGHT, 3, 1), (BITS, 3, 8), (PHOTOMETRIC, 3, 1), (OFFSETS, 4, at), (COUNTS, 4, 1)] +
                       [(1000 + page * each + i, 1, 7) for i in range(each)])
    return tiff.bytes()


def same_tags(pages, each):
    tiff = Tiff()
    at = tiff.add(b"\7" * 16)
    for page in range(pages):
        tiff.directory([(WIDTH, 3, 1), (HEIGHT, 3, 1), (BITS, 3, 8), (PHOTOMETRIC, 3, 1), (OFFSETS, 4, at), (COUNTS, 4, 1)] + [(50000, 1, 7)] * each)
    return tiff.bytes()


def padded_stack(pages, size):
    """Pages of a pixel in a tile of many."""
    data = deflate_zeros(size * size)
    tiff = Tiff()
    at = tiff.add(data)
    for _ in range(pages):
        tiff.directory(tiles(1, 1, size, size, 8, 8) + [(TILE_OFFSETS, 4, at), (TILE_COUNTS, 4, len(data))])
    return tiff.bytes()


def jpeg_in_tiff(width, height, scans):
    return one_strip(7, jpeg_progressive(width, height, 1, scans), width, height)


def jbig(width, height):
    head = struct.pack(">BBBBIIIBBBB", 0, 0, 1, 0, width, height, height, 0, 0, 0, 0)
    return head + b"\0" * 200 + b"\xff\x02"


def jbig_tiff(width, height, real):
    return one_strip(34661, jbig(width, height), real, real, 1)


OME = b'<?xml version="1.0"?><OME><Image><Pixels DimensionOrder="XYZCT" SizeX="1" SizeY="1" SizeZ="1" SizeC="1" SizeT="1">'
OME_END = b"</Pixels></Image></OME>"
TIFF = [
    Bomb("a tile of 65,520 x 65,520 by zstd",
         lambda: one_tile(50000, zstd_zeros(65520 * 65520), 1, 1, 65520, 65520), says="tiles"),
    Bomb("a tile of 65,520 x 65,520 by deflate", lambda: one_tile(8, deflate_zeros(65520 * 65520 // 8), 1, 1, 65520, 65520)),
    Bomb("a tile of 16,000 x 16,000 by zstd", lambda: one_tile(50000, zstd_zeros(16000 * 16000), 1, 1, 16000, 16000)),
    Bomb("tiles that are nearly all outside",
         lambda: one_tile(50000, zstd_zeros(16 * 65520), 1, 65536, 65520, 16, 8, 4096), says="tiles"),
    Bomb("pages of a pixel in tiles of 2,048 x 2,048", lambda: padded_stack(2000, 2048)),
    Bomb("2^32 - 1 rows and columns", lambda: one_strip(1, b"0", 0xffffffff, 0xffffffff)),
    Bomb("2^32 - 1 strips", lambda: one_strip(1, b"0", 1, 0xffffffff, more=[(ROWS, 4, 1)])),
    Bomb("20 million strips, one there", lambda: strips_missing(20000000)),
    Bomb("65,535 samples a pixel", lambda: one_strip(8, deflate_zeros(65535 * 400), 20, 20, more=[(SAMPLES, 3, 65535)])),
    Bomb("zstd as far as the ratio goes", lambda: one_strip(50000, zstd_zeros(250000000), 25000, 10000), 250000000),
    Bomb("lzw as far as the ratio goes", lambda: one_strip(5, lzw_zeros(100000000), 10000, 10000), 100000000),
    Bomb("deflate as far as the ratio goes", lambda: one_strip(8, deflate_zeros(250000000), 25000, 10000), 250000000),
    Bomb("lzma as far as the ratio goes", lambda: one_strip(34925, lzma.compress(bytes(100000000)), 10000, 10000), 100000000),
    Bomb("packbits as far as the ratio goes", lambda: one_strip(32773, b"\x81\0" * 800000, 10000, 10240), 102400000),
    Bomb("fax, a row of 100 million bits", lambda: one_strip(4, b"\xff" * 20000, 100000000, 1, 1, photometric=0)),
    Bomb("fax, a row of 16 million bits", lambda: one_strip(4, b"\xff" * 20000, 16000000, 1, 1, photometric=0)),
    Bomb("fax, a row of 2 million bits", lambda: one_strip(4, b"\xff" * 20000, 2000000, 1, 1, photometric=0), 2000000),
    Bomb("fax, rows of a bit", lambda: one_strip(4, b"\xff" * 300000, 8, 2000000, 1, photometric=0), 16000000),
    Bomb("fax, 40,000 columns", lambda: one_strip(4, b"\xff" * 4000, 40000, 8000, 1, photometric=0), 320000000),
    Bomb("jbig, 2^31 rows and columns inside", lambda: jbig_tiff(0x40000000, 0x40000000, 64), says="JBIG"),
    Bomb("jbig, 60,000 rows and columns inside", lambda: jbig_tiff(60000, 60000, 64), says="JBIG"),
    Bomb("jpeg of 5,000 scans", lambda: jpeg_in_tiff(8000, 8000, 5000), 8000 * 8000),
    Bomb("100,000 pages", lambda: many_pages(100000), 100000),
    Bomb("400,000 directories of three entries", lambda: small_pages(400000), 0),
    Bomb("a page that leads back to the first of 1,000", lambda: many_pages(1000, circle=98)),
    Bomb("20,000 thumbnails", lambda: many_pages(20000, kind=1)),
    Bomb("20,000 pages, BigTIFF", lambda: many_pages(20000, True)),
    Bomb("200 tags of one MB", lambda: shared_tags(1, 200, MB), says="the tags of its"),
    Bomb("2,000 pages with a tag of one MB", lambda: shared_tags(2000, 1, MB), says="the tags of its"),
    Bomb("200 tags of one MB, BigTIFF", lambda: shared_tags(1, 200, MB, 1, True)),
    Bomb("4,000 tags", lambda: new_tags(1, 4000), says="entries"),
    Bomb("50,000 tags on 500 pages", lambda: new_tags(500, 100), says="kinds of tags"),
    Bomb("4,000 times a tag on 40 pages", lambda: same_tags(40, 4000)),
    Bomb("a tag of 2^32 - 1 values", lambda: one_strip(1, b"0", 1, 1, more=[(50000, 1, At(8, 0xffffffff))])),
    Bomb("a tag of 2^60 values", lambda: huge_tag()),
    Bomb("100,000 strips of one MB", lambda: strips(100000, 1, bytes(MB), 1, MB)),
    Bomb("50,000 strips of a million bytes of lzw",
         lambda: strips(50000, 5, lzw_zeros(1) + bytes(1000000), 1), says="strips have"),
    Bomb("100,000 strips of one MB of lzw", lambda: strips(100000, 5, lzw_zeros(1) + bytes(MB), 1)),
    Bomb("200,000 strips of a pixel, lzw", lambda: strips(200000, 5, lzw_zeros(1), 1), 200000),
    Bomb("200,000 strips of a pixel, deflate", lambda: strips(200000, 8, deflate_zeros(1), 1), 200000),
    Bomb("200,000 strips of a pixel, zstd", lambda: strips(200000, 50000, zstd_zeros(1), 1), 200000),
    Bomb("200,000 strips of a pixel, lzma", lambda: strips(200000, 34925, lzma.compress(b"0"), 1), 200000),
    Bomb("20,000 strips of 8 x 8, jpeg", lambda: jpeg_strips(20000), 20000 * 64),
    Bomb("a description of 40 MB", lambda: described(b"x" * 40 * MB), 1),
    Bomb("2 MB of brackets for OME-XML", lambda: described(OME + b"<" * 2 * MB + b">")),
    Bomb("2 MB of OME-XML's blocks", lambda: described(OME + b'<TiffData IFD="0"/>' * 100000 + OME_END)),
    Bomb("20 MB of OME-XML's blocks of nothing", lambda: described(OME + b"<TiffData/>" * 1900000 + OME_END)),
    Bomb("2 MB of OME-XML's images", lambda: described(b"<OME>" + b"<Image><Pixels><TiffData/></Pixels></Image>" * 48000 + b"</OME>")),
    Bomb("100,000 files of OME-XML's", lambda: described(OME + b"".join(b'<TiffData><UUID FileName="%d.tif">%d</UUID></TiffData>' % (i, i) for i in range(100000)) + OME_END),
         says="files"),
    Bomb("4,000 files of OME-XML's that are not there",
         lambda: described(OME + b"<TiffData/>" + b"".join(b'<TiffData FirstZ="0"><UUID FileName="%d.tif">%d</UUID></TiffData>' % (i, i) for i in range(4000)) + OME_END), 1),
    Bomb("2 MB of levels of OME-XML", lambda: described(b"<OME>" + b"<a>" * 700000), 1),
    Bomb("2 MB of OME-XML's comments and entities", lambda: described(b"<OME>" + b"<!-- &amp; -->" * 70000 + b'<a b="' + b"&amp;" * 200000 + b'"/></OME>'), 1),
    Bomb("2 MB of attributes of OME-XML", lambda: described(b"<OME><Image><Pixels " + b"SizeZ=' ' " * 230000 + b">" + OME_END)),
    Bomb("2 MB of brackets for tifffile", lambda: described(b'{"shape": ' + b"[" * 2 * MB)),
    Bomb("2 MB of sizes for tifffile", lambda: described(b'{"shape": [' + b"1," * 1000000 + b"1, 1]}")),
    Bomb("2 MB of lists for tifffile", lambda: described(b'{"shape": [1, 1], "more": [' + b"[]," * 700000 + b"1]}"), 1),
    Bomb("2 MB of ImageJ's lines", lambda: described(b"ImageJ=1\n" + b"unit=x\n" * 300000), 1),
    Bomb("2^60 images of ImageJ's", lambda: described(b"ImageJ=1\nimages=1152921504606846976\nslices=1152921504606846976\n")),
    Bomb("2^40 images of OME's", lambda: described(OME.replace(b'SizeZ="1"', b'SizeZ="1099511627776"') + OME_END), 1),
    Bomb("planes of 30,000 samples", lambda: planes(30000), 30000 * 64),
]


def small_pages(count):
    """The least that is a directory."""
    step = 2 + 3 * 12 + 4
    one = [struct.pack("<H", 3) + struct.pack("<HHII", 254, 4, 1, 1) + struct.pack("<HHII", WIDTH, 4, 1, 1) + struct.pack("<HHII", HEIGHT, 4, 1, 1) +
           struct.pack("<I", 8 + (i + 1) * step if i + 1 < count else 0) for i in range(count)]
    return b"II" + struct.pack("<HI", 42, 8) + b"".join(one)


def strips_missing(rows):
    tiff = Tiff()
    data = deflate_zeros(1)
    at = tiff.add(bytes(200000))
    tiff.directory(picture(1, rows, 8, 8, 1) + [(OFFSETS, 4, at), (COUNTS, 4, len(data))])
    return tiff.bytes()


def huge_tag():
    tiff = Tiff(True)
    at = tiff.add(b"0" * 16)
    tiff.directory(picture(1, 1) + [(OFFSETS, 4, at), (COUNTS, 4, 1), (50000, 16, At(16, 1 << 60))])
    return tiff.bytes()


def jpeg_strips(count):
    data = baseline(8, 8, 1, b"\0")
    tiff = Tiff()
    at = tiff.add(data)
    tiff.directory(picture(8, 8 * count, 8, 7, 8) + [(OFFSETS, 4, [at] * count), (COUNTS, 4, [len(data)] * count)])
    return tiff.bytes()


def planes(samples):
    data = deflate_zeros(64)
    tiff = Tiff()
    at = tiff.add(data)
    tiff.directory([(WIDTH, 4, 8), (HEIGHT, 4, 8), (BITS, 3, [8] * samples), (COMPRESSION, 3, 8), (PHOTOMETRIC, 3, 1), (SAMPLES, 3, samples),
                    (ROWS, 4, 8), (PLANAR, 3, 2), (OFFSETS, 4, [at] * samples), (COUNTS, 4, [len(data)] * samples)])
    return tiff.bytes()


# Headers of text, archives

def gzip_zeros(count):
    """Without a checksum that fits: nobody comes to it."""
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + deflate_zeros(count)[2:-4] + struct.pack("<II", zlib.crc32(bytes(count)) if count <= 1 << 28 else 0, count & 0xffffffff)


def nrrd(sizes, data=b"", encoding="raw", kind="uchar", more=""):
    return f"NRRD0004\ntype: {kind}\ndimension: {len(sizes)}\nsizes: {' '.join(map(str, sizes))}\nendian: little\nencoding: {encoding}\n{more}\n".encode() + data


def metaimage(sizes, data=b"", more=""):
    return f"ObjectType = Image\nNDims = {len(sizes)}\nDimSize = {' '.join(map(str, sizes))}\n{more}ElementType = MET_UCHAR\nElementDataFile = LOCAL\n".encode() + data


def fits(cards, data=b""):
    return b"".join(card.ljust(80).encode() for card in [*cards, "END"]).ljust(-(-(len(cards) + 1) // 36) * 2880) + data


def image_cards(sizes, first="SIMPLE  =                    T", bits=8):
    return [first, f"BITPIX  = {bits:20}", f"NAXIS   = {len(sizes):20}"] + [f"NAXIS{i + 1}".ljust(8) + f"= {size:20}" for i, size in enumerate(sizes)]


def archive(entries):
    """(name, stored, bytes that it says it unpacks to)"""
    out, listed = b"", b""
    for name, data, size in entries:
        common = struct.pack("<HHHIIIHH", 8, 0, 0, 0, len(data), size, len(name), 0)
        listed += b"PK\x01\x02" + struct.pack("<HHH", 20, 20, 0) + common + struct.pack("<HHHII", 0, 0, 0, 0, len(out)) + name
        out += b"PK\x03\x04" + struct.pack("<HH", 20, 0) + common + name + data
    count = min(len(entries), 65535)
    return out + listed + b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, count, count, len(listed), len(out), 0)


NRRD = [
    Bomb("2^62 bytes", lambda: nrrd([1 << 31, 1 << 31])),
    Bomb("16 axes of 2^60", lambda: nrrd([1 << 60] * 16)),
    Bomb("packed zeros", lambda: nrrd([16000, 16000], gzip_zeros(16000 * 16000), "gzip"), 16000 * 16000),
    Bomb("2 GB behind the elements", lambda: nrrd([8, 8], gzip_zeros(2 << 30), "gzip"), says="behind its elements"),
    Bomb("a header of 4 MB", lambda: nrrd([1, 1], b"0", more="k" * (4 * MB) + ": v\n")),
    Bomb("100,000 fields", lambda: nrrd([1, 1], b"0", more="".join(f"f{i}: v\n" for i in range(90000))), 1),
    Bomb("100,000 files", lambda: nrrd([1, 1], b"", more="data file: LIST\n" + "a\n" * 100000), says="files for its elements"),
    Bomb("brackets", lambda: nrrd([1, 1], b"0", more="space directions: " + "(" * 500000 + "\n")),
]
METAIMAGE = [
    Bomb("2^62 bytes", lambda: metaimage([1 << 31, 1 << 31])),
    Bomb("2 GB behind the elements", lambda: metaimage([8, 8], deflate_zeros(2 << 30), "CompressedData = True\n"), says="behind its elements"),
    Bomb("packed zeros", lambda: metaimage([16000, 16000], deflate_zeros(16000 * 16000), "CompressedData = True\n"), 16000 * 16000),
    Bomb("a header of 4 MB", lambda: metaimage([1, 1], b"0", "Comment = " + "k" * (4 * MB) + "\n")),
    Bomb("500,000 numbers", lambda: metaimage([1, 1], b"0", "Offset = " + "1 " * 500000 + "\n")),
]
FITS = [
    Bomb("2^62 bytes", lambda: fits(image_cards([1 << 31, 1 << 31]))),
    Bomb("999 axes", lambda: fits(image_cards([1] * 999), bytes(2880)), 1),
    Bomb("200,000 cards", lambda: fits(image_cards([1, 1]) + ["COMMENT"] * 200000, bytes(2880)), says="cards"),
    Bomb("5,000 empty images", lambda: fits(image_cards([])) + fits(image_cards([], "XTENSION= 'IMAGE   '")) * 5000),
    Bomb("5,000 images", lambda: fits(image_cards([])) + fits(image_cards([1], "XTENSION= 'IMAGE   '"), bytes(2880)) * 5000, 1),
]
NPZ = [
    Bomb("2^62 bytes", lambda: archive([(b"a.npy", zlib.compress(npy(shaped("(2147483648, 2147483648)")))[2:-4], 200)])),
    Bomb("2 GB in an entry of 1 KB", lambda: archive([(b"a.npy", deflate_zeros(2 << 30)[2:-4], 1000)])),
    Bomb("100,000 entries", lambda: archive([(b"%d.npy" % i, b"", 0) for i in range(60000)]), says="60000 arrays"),
    Bomb("names of 60 KB", lambda: archive([(b"%d" % i + b"n" * 60000 + b".npy", b"", 0) for i in range(100)])),
    Bomb("no list of entries", lambda: b"PK\x03\x04" + bytes(4 * MB), says="without a list"),
]
# These are read by programs of their own, which a build may lack: they end in an error in any case.
GIF = [
    Bomb("65,535 rows and columns", lambda: b"GIF89a" + struct.pack("<HHBBB", 65535, 65535, 0x80, 0, 0) + bytes(6) + b";"),
    Bomb("100,000 frames of a pixel on a large screen", lambda: b"GIF89a" + struct.pack("<HHBBB", 5000, 5000, 0x80, 0, 0) + bytes(6) +
         (b"," + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02D\x01\0") * 100000 + b";"),
]


def element(group, number, kind, data):
    return struct.pack("<HH", group, number) + kind + (struct.pack("<H", len(data)) if kind not in (b"OB", b"OW") else struct.pack("<HI", 0, len(data))) + data


def dicom(rows, columns, frames, pixels):
    meta = element(2, 0x10, b"UI", b"1.2.840.10008.1.2.1\0")
    return (bytes(128) + b"DICM" + element(2, 0, b"UL", struct.pack("<I", len(meta))) + meta + element(0x28, 2, b"US", b"\1\0") + element(0x28, 4, b"CS", b"MONOCHROME2 ") +
            element(0x28, 8, b"IS", frames) + element(0x28, 0x10, b"US", struct.pack("<H", rows)) + element(0x28, 0x11, b"US", struct.pack("<H", columns)) +
            element(0x28, 0x100, b"US", b"\x08\0") + element(0x28, 0x101, b"US", b"\x08\0") + element(0x7fe0, 0x10, b"OW", pixels))


DICOM = [
    Bomb("65,535 rows, columns and a million frames", lambda: dicom(65535, 65535, b"1000000 ", bytes(16))),
    Bomb("200 MB in an element before the pixels", lambda: dicom(4, 4, b"1 ", bytes(16)).replace(element(0x28, 8, b"IS", b"1 "), struct.pack("<HH", 0x28, 8) + b"OB" + struct.pack("<HI", 0, 200 * MB))),
    Bomb("200 MB of pixels", lambda: dicom(4, 4, b"1 ", bytes(16))[:-20] + struct.pack("<I", 200 * MB) + bytes(20)),
    Bomb("4 MB behind the pixels", lambda: dicom(4, 4, b"1 ", bytes(16)) + bytes(4 * MB), 16),
]
MAT = [
    Bomb("2 GB packed in a variable", lambda: b"MATLAB 5.0 MAT-file".ljust(124) + b"\0\1IM" + struct.pack("<II", 15, 2200000) + deflate_zeros(2 << 30)),
    Bomb("a variable of 2^31 x 2^31", lambda: b"MATLAB 5.0 MAT-file".ljust(124) + b"\0\1IM" + struct.pack("<IIIIIIIIiiIIII", 14, 64, 6, 8, 9, 0, 5, 8, 2147483647, 2147483647, 1, 1, 97, 9) + bytes(8)),
]
HDF5 = [Bomb("a superblock and nothing", lambda: b"\x89HDF\r\n\x1a\n\0\0\0\0\0\x08\x08\0\x04\0\x10\0" + bytes(200))]


def zarr(shape, chunks, files, kind="|u1", compressor=None, more=""):
    return {".zarray": json.dumps({"zarr_format": 2, "shape": shape, "chunks": chunks, "dtype": kind, "compressor": compressor and {"id": compressor},
                                   "fill_value": 0, "order": "C", "filters": None}).encode()[:-1] + more.encode() + b"}", **files}


ZARR = [
    Bomb("a million chunks of which one is there", lambda: zarr([1 << 20], [1], {"5": b"a"}), 1 << 20),
    Bomb("a million chunks in folders of which one is there", lambda: zarr([1 << 10, 1 << 10], [1, 1], {"5/5": b"a"}, more=', "dimension_separator": "/"'), 1 << 20),
    Bomb("2^56 elements", lambda: zarr([1 << 28, 1 << 28], [1 << 28, 1 << 28], {"0.0": b"a"})),
    Bomb("a header of 400,000 levels", lambda: zarr([4], [4], {"0": bytes(4)}, more=', "more": ' + "[" * 400000 + "]" * 400000), says="levels"),
]

FORMATS = {"zarr": ZARR, "nrrd": NRRD, "mha": METAIMAGE, "fits": FITS, "npz": NPZ, "gif": GIF, "dcm": DICOM, "mat": MAT, "h5": HDF5,
           "png": PNG, "jpg": JPEG, "bmp": BMP, "pgm": PGM, "npy": NPY, "nii": NIFTI, "nii.gz": GZIP, "raw": RAW, "tif": TIFF}
