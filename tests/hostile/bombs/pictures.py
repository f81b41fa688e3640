"""BMP, PGM and PPM."""

import struct

from bombs.bomb import Bomb, MB


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
