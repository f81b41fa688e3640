#!/usr/bin/env python3
"""OME-TIFF over several files, drawn at random, written by tifffile and read by the program: elements, axes, distances, channels.

    tests/foreign/ome_sets.py --program build/bin/parallax --work FOLDER [--seed N] [--sets N] [--keep FOLDER]

Each set is drawn by a seed, which is printed: axes and their order, how planes are spread over files and pages, what the OME-XML says
of them and where it stands (in every file, in one, beside them), type, byte order, samples, compression, tiles, pyramid, names. What was
drawn is the truth; tifffile's own reading is held against it, too, where it reads such sets. In some sets something is amiss: those are
refused, or told, in words that name it. Runs itself in the virtual environment that suites.py makes; ends with 77 where there is none.
"""

import argparse
import itertools
import json
import math
import os
import random
import re
import shutil
import sys
import tempfile
import uuid
import warnings

from suites import again

TYPES = {"uint8": "uint8", "int8": "int8", "uint16": "uint16", "int16": "int16", "uint32": "uint32", "int32": "int32", "float32": "float", "float64": "double"}
NAMES = ["plane", "a plane", "pläne", "A&B", "it's", "100%", "x.ome", "(1)", "µm_α"]
NAMESPACE = "http://www.openmicroscopy.org/Schemas/OME/2016-06"


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


class Set:
    """What a set holds, and how it is spread over files."""

    def __init__(self):
        self.sizes = {axis: random.choice([1, 1, 2, 3, 4]) for axis in "TZC"}
        self.order = "XY" + "".join(random.sample("TZC", 3))   # the fastest first
        self.kind = random.choice(list(TYPES))
        self.samples = 3 if self.kind in ("uint8", "uint16") and random.random() < 0.2 else 1
        if self.samples > 1 and self.sizes["C"] > 1 and random.random() < 0.7:
            self.sizes["C"] = 1
        self.planar = self.samples > 1 and random.random() < 0.3
        self.height, self.width = random.randint(3, 40), random.randint(3, 40)
        self.levels = random.choice([0, 0, 0, 1, 2])
        if self.levels:
            self.height, self.width = 16 * random.randint(2, 4), 16 * random.randint(2, 4)
        self.spacing = {axis: random.choice([0.25, 0.5, 0.325, 2.0, 12.7]) for axis in "XYZ"} if random.random() < 0.7 else {}
        self.unit = random.choice(["", "µm", "nm", "mm"])
        self.interval = random.choice([0, 0.5, 40.0])
        self.channels = [random.choice(["DAPI", "a & b", "GFP <1>", "λ"]) + str(i) for i in range(self.sizes["C"])] if random.random() < 0.5 else []
        shape = (*(self.sizes[axis] for axis in self.order[:1:-1]), self.height, self.width) + ((self.samples,) if self.samples > 1 else ())
        count = math.prod(shape)
        if self.kind.startswith("float"):
            self.array = RANDOM.standard_normal(count).astype(self.kind).reshape(shape)
        else:
            limits = numpy.iinfo(self.kind)
            self.array = RANDOM.integers(limits.min, limits.max, count, dtype=self.kind, endpoint=True).reshape(shape)
        self.spread()
        self.say()

    def spread(self):
        """Which planes stand in which file, in which order of pages."""
        axes = self.order[:1:-1]
        planes = list(itertools.product(*(range(self.sizes[axis]) for axis in axes)))
        how = random.choice(["one", "each", "axis", "runs", "drawn", "drawn"])
        if how == "one" or len(planes) == 1:
            files = [planes]
        elif how == "each":
            files = [[plane] for plane in planes]
        elif how == "axis":
            axis = random.randrange(3)
            files = [[plane for plane in planes if plane[axis] == i] for i in range(self.sizes[axes[axis]])]
        elif how == "runs":
            cuts = sorted(random.sample(range(1, len(planes)), min(len(planes) - 1, random.randint(1, 4))))
            files = [planes[a:b] for a, b in zip([0, *cuts], [*cuts, len(planes)])]
        else:
            files = [[] for _ in range(random.randint(1, min(6, len(planes))))]
            for i, plane in enumerate(random.sample(planes, len(planes))):
                files[i if i < len(files) else random.randrange(len(files))].append(plane)
        if random.random() < 0.3:
            files = [random.sample(pages, len(pages)) for pages in files]
        self.axes, self.how = axes, how
        stem = random.choice(NAMES)
        self.files = [{"planes": pages, "name": f"{stem}_{i}{random.choice(['.ome.tif', '.ome.tiff', '.tif'])}", "uuid": f"urn:uuid:{uuid.UUID(int=random.getrandbits(128))}",
                       "big": random.random() < 0.3, "order": random.choice("<>"), "compression": random.choice([None, None, "zlib", "lzw", "packbits", "zstd"]),
                       "tile": random.random() < 0.4 or self.levels > 0} for i, pages in enumerate(files)]

    def number(self, plane):
        number = 0
        for axis, at in zip(self.axes, plane):
            number = number * self.sizes[axis] + at
        return number

    def runs(self, pages):
        """(first page, planes) of pages whose planes follow each other."""
        runs = []
        for page, plane in enumerate(pages):
            if runs and self.number(plane) == self.number(runs[-1][1][-1]) + 1:
                runs[-1][1].append(plane)
            else:
                runs.append((page, [plane]))
        return runs

    def say(self):
        """The OME-XML's parts, and where it stands."""
        self.where = random.choice(["all", "all", "first", "companion"]) if len(self.files) > 1 else random.choice(["all", "companion"])
        self.with_uuid = random.random() < 0.7
        self.prefix = random.choice(["", "", "ome:"])
        style = random.choice(["each", "bare", "runs", "least"])
        blocks = []
        for file in self.files:
            pages = file["planes"]
            text = f'urn:uuid:{file["uuid"][9:]}'
            if not self.with_uuid:
                text = "" if self.where != "all" else text   # tifffile tells files apart by these alone
            inner = random.choice([text, f"\n   {text}  " if text else "", f"<![CDATA[{text}]]>", f"<!-- of {pages[0]} -->{text}"])
            named = f'<UUID FileName="{escaped(file["name"])}">{inner}</UUID>'
            runs = self.runs(pages) if style in ("runs", "least") else [(page, [plane]) for page, plane in enumerate(pages)]
            whole = style == "least" and len(runs) == 1   # all pages of the file, in order: nothing need be said but the first plane
            for page, planes in runs:
                said = [f'First{axis}="{at}"' for axis, at in zip(self.axes, planes[0]) if at > 0 or random.random() < 0.5]
                if not whole:
                    said.append(f'IFD="{page}"')
                if len(planes) > 1 and not whole or style == "each":
                    said.append(f'PlaneCount="{len(planes)}"')
                random.shuffle(said)
                blocks.append(f'<TiffData {" ".join(said)}>{named}</TiffData>')
        if random.random() < 0.3:
            random.shuffle(blocks)
        self.blocks = blocks

    def xml(self, root):
        sizes = dict(self.sizes, C=self.sizes["C"] * self.samples)
        pixels = f'ID="Pixels:0" DimensionOrder="{self.order}" Type="{TYPES[self.kind]}" SizeX="{self.width}" SizeY="{self.height}" ' + " ".join(f'Size{a}="{n}"' for a, n in sizes.items())
        for axis, value in self.spacing.items():
            pixels += f' PhysicalSize{axis}="{value}"' + (f' PhysicalSize{axis}Unit="{self.unit}"' if self.unit else "")
        if self.interval:
            pixels += f' TimeIncrement="{self.interval}" TimeIncrementUnit="s"'
        channels = "".join(f'<Channel ID="Channel:0:{c}" SamplesPerPixel="{self.samples}"' + (f' Name="{escaped(self.channels[c])}"' if self.channels else "") + "/>" for c in range(self.sizes["C"]))
        attribute = f' UUID="{root}"' if root else ""
        text = (f'<OME xmlns="{NAMESPACE}"{attribute} Creator="a &gt; b"><!-- <TiffData IFD="99"/> --><Image ID="Image:0" Name="a > b"><AcquisitionDate>2024-01-01T00:00:00</AcquisitionDate>'
                f'<Pixels {pixels}>{channels}{"".join(self.blocks)}</Pixels></Image><StructuredAnnotations><XMLAnnotation ID="Annotation:0"><Value><Image><Pixels SizeX="1"/></Image></Value>'
                f'</XMLAnnotation></StructuredAnnotations></OME>')
        if self.prefix:
            for name in ("OME", "Image", "Pixels", "Channel", "TiffData", "UUID"):
                text = text.replace(f"<{name} ", f"<{self.prefix}{name} ").replace(f"<{name}>", f"<{self.prefix}{name}>").replace(f"</{name}>", f"</{self.prefix}{name}>")
            text = text.replace(f'xmlns="{NAMESPACE}"', f'xmlns:ome="{NAMESPACE}"')
        return '<?xml version="1.0" encoding="UTF-8"?>' + text

    def write(self, folder):
        for i, file in enumerate(self.files):
            root = file["uuid"] if self.with_uuid else ""
            if self.where == "all" or (self.where == "first" and i == 0):
                text = self.xml(root)
            else:
                master = self.files[0]["name"] if self.where == "first" else "set.companion.ome"
                attribute = f' UUID="{root}"' if root else ""
                text = f'<?xml version="1.0"?><OME xmlns="{NAMESPACE}"{attribute}><BinaryOnly MetadataFile="{escaped(master)}" UUID="{self.files[0]["uuid"] if self.where == "first" else "urn:uuid:0"}"/></OME>'
            with tifffile.TiffWriter(os.path.join(folder, file["name"]), bigtiff=file["big"], byteorder=file["order"]) as out:
                for page, plane in enumerate(file["planes"]):
                    data = self.array[plane]
                    if self.planar:
                        data = numpy.moveaxis(data, -1, 0)
                    shared = {"compression": file["compression"], "metadata": None, "contiguous": False, "tile": (16, 16) if file["tile"] else None,
                              "photometric": "rgb" if self.samples > 1 else "minisblack", "planarconfig": ("separate" if self.planar else "contig") if self.samples > 1 else None}
                    out.write(data, description=text.encode() if page == 0 else None, subifds=self.levels or None, **shared)
                    for level in range(1, self.levels + 1):
                        out.write(data[..., ::2**level, ::2**level] if self.planar or self.samples == 1 else data[::2**level, ::2**level], subfiletype=1, **shared)
        if self.where == "companion":
            text = self.xml("urn:uuid:0")
            how = random.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16"])
            with open(os.path.join(folder, "set.companion.ome"), "wb") as out:
                out.write(text.replace('encoding="UTF-8"', f'encoding="{"UTF-16" if how == "utf-16" else "UTF-8"}"').encode(how))

    def truth(self, level=0):
        """(axes, array) as the program gives them: none of one index."""
        array = self.array
        if level:
            array = array[:, :, :, ::2**level, ::2**level]
        names = [a.lower() for a in self.axes] + ["y", "x"] + (["c"] if self.samples > 1 else [])
        if self.samples > 1:
            names[:3] = ["n" if a == "c" else a for a in names[:3]]
        keep = [i for i, n in enumerate(array.shape) if i >= 3 or n > 1]
        return [names[i] for i in keep], array.reshape([array.shape[i] for i in keep])

    def __str__(self):
        return (f"{self.kind} {self.order} {self.sizes} of {self.height} x {self.width} x {self.samples}, {len(self.files)} files ({self.how}), words in {self.where}, "
                f"UUIDs {self.with_uuid}, levels {self.levels}: {self.blocks[:3]}")


def near(a, b):
    return math.isclose(a, b, rel_tol=1e-9)


def faults(program, case, path, level):
    choices = {"level": level} if level else {}
    info, why = program.info(path, choices)
    output, why_not = program.array(path, choices)
    if info is None or output is None:
        return [why or why_not]
    found = []
    axes, array = case.truth(level)
    ours = numpy.load(output)
    if [axis["name"] for axis in info["axes"]] != axes or ours.shape != array.shape:
        found.append(f"axes {[(a['name'], a['size']) for a in info['axes']]} for {axes} {array.shape}")
    elif ours.dtype != array.dtype or not numpy.array_equal(ours, array):
        found.append(f"elements are others: {ours.dtype} {ours.ravel()[:4]} for {array.ravel()[:4]}")
    files = len(case.files) + (case.where == "companion")
    if info.get("files", 1) != files:
        found.append(f"{info.get('files', 1)} files for {files}")
    if case.spacing and not level:
        if info["unit"] != {"": "um", "µm": "um"}.get(case.unit, case.unit):
            found.append(f"unit {info['unit']} for {case.unit}")
        for axis in info["axes"]:
            if axis["name"].upper() in case.spacing and not near(axis["spacing"], case.spacing[axis["name"].upper()]):
                found.append(f"spacing {axis} for {case.spacing}")
    if "c" in axes and case.samples == 1 and info.get("channel_names", []) != case.channels:
        found.append(f"channels {info.get('channel_names')} for {case.channels}")
    expected = [w for w in info["warnings"] if "those of the pages are called n" in w]
    if info["warnings"] != expected:
        found.append(f"warnings {info['warnings']}")
    return found


def by_tifffile(path):
    """What tifffile reads; None: it fails on such a set, as on some whose first plane stands in another file."""
    try:
        with tifffile.TiffFile(path) as file:
            return file.series[0].asarray()
    except RuntimeError:
        return None


def mishap(case, folder):
    """Something amiss: (file to read, what must be said, whether it is refused)."""
    others = [file for file in case.files[1:]]
    kind = random.choice(["gone", "empty", "folder", "no TIFF", "UUID", "size", "up", "below", "absolute", "twice", "beyond"])
    first, other = case.files[0], random.choice(others)
    path = os.path.join(folder, other["name"])
    asked = os.path.join(folder, "set.companion.ome" if case.where == "companion" else first["name"])
    if kind == "gone":
        os.remove(path)
        return asked, f"{other['name']} is not there", False
    if kind == "empty":
        open(path, "w").close()
        return asked, f"{other['name']}: the file is empty", True
    if kind == "folder":
        os.remove(path)
        os.mkdir(path)
        return asked, f"{other['name']}: is a folder", True
    if kind == "no TIFF":
        with open(path, "wb") as out:
            out.write(b"BM" + bytes(100))
        return asked, f"{other['name']}: is no TIFF", True
    if kind == "UUID":
        if not case.with_uuid:
            return None
        other["uuid"] = "urn:uuid:00000000-0000-0000-0000-000000000001"
        case.write(folder)   # the file has another UUID than the words say
        return asked, f"names {other['name']} with UUID", True
    if kind == "size":
        with tifffile.TiffWriter(path, ome=False) as out:
            for _ in other["planes"]:
                out.write(numpy.zeros((case.height + 1, case.width), case.kind), metadata=None, contiguous=False)
        return asked, f"{other['name']} has", True
    name = {"up": "../" + other["name"], "below": "sub/" + other["name"], "absolute": "C:\\data\\" + other["name"]}.get(kind)
    if name:
        case.blocks = [b.replace(f'"{escaped(other["name"])}"', f'"{escaped(name)}"') for b in case.blocks]
        case.write(folder)
        return asked, "not in its own folder", True
    if kind == "twice":
        if "IFD" not in case.blocks[0]:   # then the second stands for pages behind the first's, of which there are none
            return None
        case.blocks = [case.blocks[0], *case.blocks]
        case.write(folder)
        return asked, "two places to the plane", True
    axis = random.choice("TZC")
    case.blocks[0] = re.sub(rf' ?First{axis}="\d+"', "", case.blocks[0]).replace("<TiffData ", f'<TiffData First{axis}="{case.sizes[axis]}" ')
    case.write(folder)
    return asked, "a plane beyond the", True


def run(arguments):
    random.seed(arguments.seed)
    program = Program(arguments.program)
    right = told = by_others = 0
    wrong = []
    for i in range(arguments.sets):
        folder = arguments.keep and os.path.join(arguments.keep, str(i)) or tempfile.mkdtemp(prefix="parallax-sets-")
        os.makedirs(folder, exist_ok=True)
        case = Set()
        case.write(folder)
        try:
            amiss = mishap(case, folder) if len(case.files) > 1 and random.random() < 0.25 else None
            if amiss is not None:
                path, words, refused = amiss
                info, why = program.info(path)
                said = why if info is None else "\n".join(info["warnings"])
                if words not in said or (info is None) != refused:
                    wrong.append(f"{i}: {case}: {words!r} was to be said, and what was: {said!r}")
                else:
                    told += 1
                continue
            names = [file["name"] for file in case.files] + (["set.companion.ome"] if case.where == "companion" else [])
            path = os.path.join(folder, random.choice(names))
            level = random.randint(0, case.levels)
            found = faults(program, case, path, level)
            # It finds no words beside the files, and tells files apart by their UUIDs alone.
            known = case.where == "all" or (case.where == "first" and case.with_uuid)
            theirs = by_tifffile(os.path.join(folder, case.files[0]["name"])) if known else None
            if theirs is not None:
                same = theirs.size == case.array.size and numpy.array_equal(numpy.squeeze(theirs), numpy.squeeze(numpy.moveaxis(case.array, -1, -3) if case.planar else case.array))
                by_others += same
                if not same:
                    found.append(f"tifffile reads others: {theirs.shape}")
            wrong += [f"{i}: {os.path.basename(path)} of {case}: {'; '.join(found)}"] if found else []
            right += not found
        finally:
            if not arguments.keep:
                shutil.rmtree(folder)
    print(f"OME-TIFF over several files: seed {arguments.seed}, {arguments.sets} sets, right {right} (tifffile says the same of {by_others}), "
          f"refused or told in true words {told}, wrong {len(wrong)}")
    for line in wrong:
        print("  " + line)
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--work")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--sets", type=int, default=300)
    parser.add_argument("--keep", help="a folder for the files, which stay there")
    arguments = parser.parse_args()
    if arguments.work:
        return again(arguments.work)
    global numpy, tifffile, Program, RANDOM
    import numpy
    import tifffile
    from program import Program
    RANDOM = numpy.random.default_rng(arguments.seed)
    warnings.simplefilter("ignore")
    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
