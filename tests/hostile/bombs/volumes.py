"""Headers of text: NRRD, MetaImage, FITS."""

import struct
import zlib

from bombs.bomb import Bomb, MB
from tiffs import deflate_zeros


def gzip_zeros(count):
    """Without a checksum that fits: nobody comes to it."""
    checksum = zlib.crc32(bytes(count)) if count <= 1 << 28 else 0
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + deflate_zeros(count)[2:-4] + struct.pack("<II", checksum, count & 0xffffffff)


def nrrd(sizes, data=b"", encoding="raw", kind="uchar", more=""):
    return (f"NRRD0004\ntype: {kind}\ndimension: {len(sizes)}\nsizes: {' '.join(map(str, sizes))}\n"
            f"endian: little\nencoding: {encoding}\n{more}\n").encode() + data


def metaimage(sizes, data=b"", more=""):
    return (f"ObjectType = Image\nNDims = {len(sizes)}\nDimSize = {' '.join(map(str, sizes))}\n{more}"
            f"ElementType = MET_UCHAR\nElementDataFile = LOCAL\n").encode() + data


def fits(cards, data=b""):
    return b"".join(card.ljust(80).encode() for card in [*cards, "END"]).ljust(-(-(len(cards) + 1) // 36) * 2880) + data


def image_cards(sizes, first="SIMPLE  =                    T", bits=8):
    axes = [f"NAXIS{i + 1}".ljust(8) + f"= {size:20}" for i, size in enumerate(sizes)]
    return [first, f"BITPIX  = {bits:20}", f"NAXIS   = {len(sizes):20}", *axes]


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
    Bomb("2 GB behind the elements", lambda: metaimage([8, 8], deflate_zeros(2 << 30), "CompressedData = True\n"),
         says="behind its elements"),
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
