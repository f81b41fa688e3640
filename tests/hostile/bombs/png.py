"""PNG: chunks that lie, texts, palettes, and pixels without end."""

import struct
import zlib

from bombs.bomb import Bomb, MB
from tiffs import deflate_zeros


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
