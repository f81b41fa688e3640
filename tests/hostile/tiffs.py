"""TIFF files, byte by byte: directories as one likes them, true or not."""

import struct
import zlib

SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 12: 8, 13: 4, 16: 8, 18: 8}
CODES = {1: "B", 2: "B", 3: "H", 4: "I", 7: "B", 13: "I", 16: "Q", 18: "Q"}
WIDTH, HEIGHT, BITS, COMPRESSION, PHOTOMETRIC, DESCRIPTION = 256, 257, 258, 259, 262, 270
OFFSETS, SAMPLES, ROWS, COUNTS, PLANAR = 273, 277, 278, 279, 284
TILE_WIDTH, TILE_HEIGHT, TILE_OFFSETS, TILE_COUNTS = 322, 323, 324, 325


class At:
    """Values that stand elsewhere in the file already."""

    def __init__(self, offset, count):
        self.offset, self.count = offset, count


class Tiff:
    """The header, then whatever is added; directories are chained in the order of directory()."""

    def __init__(self, big=False):
        self.big = big
        self.parts = [b"II" + struct.pack("<HHHQ", 43, 8, 0, 0) if big else b"II" + struct.pack("<HI", 42, 0)]
        self.size = len(self.parts[0])
        self.links = [(0, 8 if big else 4)]   # part, place in it: where the next directory's offset is to stand

    def add(self, data):
        """Returns where it stands."""
        at = self.size
        self.parts.append(data)
        self.size += len(data)
        return at

    def directory(self, entries, sort=True):
        """entries: (tag, type, values or At); a number stands for itself. Returns where it stands."""
        number = "<Q" if self.big else "<I"
        inside = 8 if self.big else 4
        rows = []
        for tag, kind, values in sorted(entries, key=lambda entry: entry[0]) if sort else entries:
            if isinstance(values, At):
                rows.append(struct.pack("<HH", tag, kind) + struct.pack(number, values.count) + struct.pack(number, values.offset))
                continue
            if isinstance(values, int):
                values = [values]
            data = bytes(values) if isinstance(values, bytes) else struct.pack(f"<{len(values)}{CODES[kind]}", *values)
            place = data.ljust(inside, b"\0") if len(data) <= inside else struct.pack(number, self.add(data))
            rows.append(struct.pack("<HH", tag, kind) + struct.pack(number, len(values)) + place)
        body = struct.pack("<Q" if self.big else "<H", len(rows)) + b"".join(rows)
        at = self.add(body + bytes(inside))
        self.lead_to(at)
        self.links.append((len(self.parts) - 1, len(body)))
        return at

    def lead_to(self, at):
        """The last directory's next one."""
        part, place = self.links[-1]
        code = "<Q" if self.big else "<I"
        old = self.parts[part]
        self.parts[part] = old[:place] + struct.pack(code, at) + old[place + struct.calcsize(code):]

    def bytes(self):
        return b"".join(self.parts)


def picture(width, height, bits=8, compression=1, rows=None, samples=1, photometric=1):
    """The entries of a page but for where its strips are."""
    return [(WIDTH, 4, width), (HEIGHT, 4, height), (BITS, 3, [bits] * samples), (COMPRESSION, 3, compression),
            (PHOTOMETRIC, 3, photometric), (SAMPLES, 3, samples), (ROWS, 4, rows or height)]


def tiles(width, height, tile_width, tile_height, bits=8, compression=1):
    return [(WIDTH, 4, width), (HEIGHT, 4, height), (BITS, 3, bits), (COMPRESSION, 3, compression), (PHOTOMETRIC, 3, 1), (SAMPLES, 3, 1),
            (TILE_WIDTH, 4, tile_width), (TILE_HEIGHT, 4, tile_height)]


def lzw_zeros(count):
    """TIFF's LZW of so many zeros: codes that grow by one byte each, and a new table each 3,837 codes."""
    bits, length, width = 0, 0, 9
    out = bytearray()

    def put(code, width):
        nonlocal bits, length
        bits = (bits << width) | code
        length += width
        while length >= 8:
            out.append((bits >> (length - 8)) & 255)
            length -= 8
        bits &= (1 << length) - 1

    done = 0
    while done < count:
        put(256, 9)
        put(0, 9)
        done += 1
        code, run, width = 258, 2, 9
        while done < count and code < 4093:
            if run > count - done:
                put(0, width)
                done += 1
            else:
                put(code, width)
                done += run
            run += 1
            code += 1
            width = 9 if code < 511 else 10 if code < 1023 else 11 if code < 2047 else 12
        if done < count:
            put(256, width)
            bits <<= (8 - length) % 8   # the next table begins here; a decoder reads on by bits, so nothing is padded
            bits >>= (8 - length) % 8
    put(257, width)
    if length:
        out.append((bits << (8 - length)) & 255)
    return bytes(out)


def zstd_zeros(count):
    """A Zstandard frame of runs of 128 KiB, four bytes each."""
    out = bytearray(b"\x28\xb5\x2f\xfd\x00\x38")
    while count > 0:
        run = min(count, 1 << 17)
        count -= run
        out += struct.pack("<I", (count == 0) | 1 << 1 | run << 3)[:3] + b"\0"
    return bytes(out)


def deflate_zeros(count):
    squeeze = zlib.compressobj(9)
    piece = bytes(1 << 20)
    out = [squeeze.compress(piece[:min(len(piece), count - done)]) for done in range(0, count, len(piece))]
    return b"".join(out) + squeeze.flush()

