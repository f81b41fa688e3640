#!/usr/bin/env python3
"""Stacks of ours as ImageJ itself reads them, and ImageJ's own as Parallax reads them: axes, distances, unit, times, elements.

    tests/foreign/imagej.py --program build/bin/parallax [--seed N] [--stacks N] [--keep FOLDER]

Needs ImageJ 1 and a Java runtime (Debian's package imagej; PARALLAX_IMAGEJ names another ij.jar) and nothing beside Python. Ends with
77 where they are not there. What is drawn is drawn by a seed, which is printed.
"""

import argparse
import json
import math
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

from program import Program
from truth import METRES, elements_of

JAR = os.environ.get("PARALLAX_IMAGEJ", "/usr/share/java/ij.jar")
NRRD = {"u8": "uint8", "u16": "uint16", "i16": "int16", "u32": "uint32", "i32": "int32", "f32": "float"}
CODES = {"u8": "B", "u16": "H", "i16": "h", "u32": "I", "i32": "i", "f32": "f"}
BITS = {"u8": 8, "u16": 16, "i16": 16, "u32": 32, "i32": 32, "f32": 32}   # of what ImageJ makes of them
UNITS = {**METRES, "\u00b5m": 1e-6, "micron": 1e-6, "inch": 0.0254, "\u00c5": 1e-10}
SECONDS = {"sec": 1.0, "msec": 1e-3, "min": 60.0}

# What ImageJ says of each file, and its elements plane by plane: a calibrated value, of colours 24 bits. Macros open files by `open`,
# which makes menus first, for which there must be a screen; so they are opened as File > Import > URL does. Of a large plane it says
# one element in 1009: macros are slow.
SAY = r"""
setBatchMode(true);
files = split(File.openAsString(getArgument() + "/files"), "\n");
for (i = 0; i < files.length; i++) {
    call("ij.IJ.runPlugIn", "ij.plugin.URLOpener", "file://" + files[i]);
    getDimensions(w, h, c, z, t);
    getVoxelSize(x, y, d, unit);
    Stack.getUnits(ux, uy, uz, ut, uv);
    getMinAndMax(low, high);
    print("file|" + i + "|" + w + "|" + h + "|" + c + "|" + z + "|" + t + "|" + bitDepth() + "|" + d2s(x, -9) + "|" + d2s(y, -9) + "|" +
          d2s(d, -9) + "|" + ux + "|" + uy + "|" + uz + "|" + ut + "|" + d2s(Stack.getFrameInterval(), -9) + "|" + low + "|" + high);
    for (n = 1; n <= nSlices; n++) {
        setSlice(n);
        line = "";
        step = 1;
        if (w * h > 1000) step = 1009;
        for (k = 0; k < w * h; k += step) {
            u = k % w;
            v = floor(k / w);
            if (bitDepth() == 24) line += "" + (getPixel(u, v) & 0xffffff) + " ";
            else line += d2s(getValue(u, v), -9) + " ";
        }
        print("plane|" + i + "|" + line);
    }
    close();
}
"""

# What ImageJ writes. Of i16 it makes numbers with a sign, as it has them from a file.
SAVE = r"""
setBatchMode(true);
folder = getArgument() + "/";
random("seed", SEED);
function fill() {
    for (n = 1; n <= nSlices; n++) {
        setSlice(n);
        for (y = 0; y < getHeight(); y++) {
            for (x = 0; x < getWidth(); x++) {
                value = floor(random * pow(2, bitDepth()));
                if (bitDepth() == 32) value = random("gaussian") * 100;
                setPixel(x, y, value);
            }
        }
    }
}
function save(name) { saveAs("Tiff", folder + name + ".tif"); close(); }
newImage("a", "8-bit black", 7, 5, 1); fill(); save("plane");
newImage("a", "8-bit black", 7, 5, 3); fill(); call("ij.IJ.runPlugIn", "ij.plugin.LutLoader", "fire"); save("fire");
newImage("a", "16-bit black", 7, 5, 4); fill(); setVoxelSize(0.5, 0.25, 2, "micron"); save("volume");
newImage("a", "16-bit black", 7, 5, 4); fill(); setVoxelSize(0.5, 0.5, 1, "um"); save("one");
newImage("a", "16-bit black", 7, 5, 4); fill(); setVoxelSize(0.1, 0.1, 1, "inch"); save("inch");
newImage("a", "16-bit black", 7, 5, 6); fill(); Stack.setDimensions(3, 2, 1); setVoxelSize(2, 2, 5, "A"); save("angstrom");
newImage("a", "8-bit black", 7, 5, 3); fill(); setVoxelSize(2, 2, 1, "um"); Stack.setYUnit("mm"); Stack.setZUnit("cm"); save("units");
newImage("a", "32-bit black", 7, 5, 24); fill(); Stack.setDimensions(2, 3, 4); Stack.setFrameInterval(0.25);
setVoxelSize(0.5, 0.5, 1.5, "mm"); setMinAndMax(-20, 30); save("hyper");
newImage("a", "32-bit black", 7, 5, 3); fill(); Stack.setDimensions(1, 1, 3); Stack.setTUnit("msec"); Stack.setFrameInterval(40); save("times");
newImage("a", "RGB black", 7, 5, 3); fill(); setVoxelSize(3, 3, 3, "nm"); save("colours");
call("ij.IJ.runPlugIn", "ij.plugin.URLOpener", "file://" + folder + "signed.tif"); save("signed_again");
"""
SAVED = ["plane", "fire", "volume", "one", "inch", "angstrom", "units", "hyper", "times", "colours", "signed_again"]


def imagej(folder, macro):
    """What a macro prints, without anybody's preferences."""
    path = os.path.join(folder, "macro.ijm")
    with open(path, "w", encoding="utf-8") as out:
        out.write(macro)
    command = ["java", "-Djava.awt.headless=true", "-Dfile.encoding=UTF-8", "-Duser.home=" + folder, "-cp", JAR, "ij.ImageJ", "-batch", path, folder]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", errors="replace", timeout=600, cwd=folder)
    if done.returncode != 0 or "xception" in done.stdout + done.stderr:
        raise RuntimeError(f"ImageJ ended with {done.returncode}: {(done.stdout + done.stderr)[-2000:]}")
    return done.stdout


class Said:
    """What ImageJ says of one file."""

    def __init__(self, line):
        words = line.split("|")
        self.sizes = dict(zip("xyczt", map(int, words[2:7])))
        self.bits = int(words[7])
        self.spacing = {axis: float(words[8 + i]) * UNITS.get(words[11 + i], math.nan) for i, axis in enumerate("xyz")}   # in m; NaN: in pixels
        self.spacing["t"] = float(words[15]) * SECONDS.get(words[14], math.nan)
        self.window = float(words[16]), float(words[17])
        self.values = []


def looked_at(folder, files):
    """What ImageJ says of files, one after the other."""
    with open(os.path.join(folder, "files"), "w", encoding="utf-8") as out:
        out.write("\n".join(os.path.join(folder, name) for name in files))
    said = []
    for line in imagej(folder, SAY).splitlines():
        if line.startswith("file|"):
            said.append(Said(line))
        elif line.startswith("plane|"):
            said[-1].values += map(float, line.rpartition("|")[2].split())
    if len(said) != len(files):
        raise RuntimeError(f"ImageJ read {len(said)} of {len(files)} files")
    return said


class Stack:
    """Drawn elements; `sizes` by axis, slowest first; `spacing` of x, y, z in `unit`, of t in s."""

    def __init__(self, kind, sizes, spacing, unit):
        self.kind, self.sizes, self.spacing, self.unit = kind, sizes, spacing, unit
        count = math.prod(sizes.values())
        if kind == "f32":
            self.values = [struct.unpack("f", struct.pack("f", random.gauss(0, 100)))[0] for _ in range(count)]
        else:
            bits = min(BITS[kind], 24)   # ImageJ makes f32 of 32 bits
            low = -(1 << (bits - 1)) if kind.startswith("i") else 0
            self.values = [random.randrange(low, low + (1 << bits)) for _ in range(count)]

    def __str__(self):
        return f"{self.kind} of {self.sizes} with {self.spacing} {self.unit}"

    @property
    def colours(self):
        return list(self.sizes)[-1] == "c"

    def write(self, path):
        """NRRD, in which every axis may have a name, a distance and a unit."""
        axes = list(self.sizes)[::-1]
        distances = " ".join(repr(self.spacing.get(axis, math.nan)) for axis in axes)
        units = " ".join('"s"' if axis == "t" else f'"{self.unit}"' if axis in self.spacing else '""' for axis in axes)
        names = " ".join(f'"{axis}"' for axis in axes)
        sizes = " ".join(str(self.sizes[axis]) for axis in axes)
        with open(path, "wb") as out:
            out.write((f"NRRD0005\ntype: {NRRD[self.kind]}\ndimension: {len(axes)}\nsizes: {sizes}\nspacings: {distances}\nunits: {units}\n"
                       f"labels: {names}\nendian: little\nencoding: raw\n\n").encode())
            out.write(struct.pack(f"<{len(self.values)}{CODES[self.kind]}", *self.values))


def draw():
    kind = random.choice(list(NRRD))
    sizes = {axis: random.randint(2, 4) for axis in "tzc" if random.random() < 0.5}
    sizes.update(y=random.randint(3, 12), x=random.randint(3, 12))
    if "c" not in sizes and kind in ("u8", "u16") and random.random() < 0.4:
        sizes["c"] = 3
    lengths = [0.5, 0.325, 1.0, 2.0, 12.7, 1 / 3, round(random.uniform(0.01, 100), 4)]
    spacing = {axis: random.choice(lengths) for axis in "xyz" if axis in sizes}
    if "t" in sizes:
        spacing["t"] = random.choice([0.04, 0.5, 2.0, 60.0, round(random.uniform(0.001, 100), 4)])
    return Stack(kind, sizes, spacing, random.choice(list(METRES)))


def near(a, b):
    return math.isclose(a, b, rel_tol=2e-6, abs_tol=1e-300)


def packed(values):
    """Red, green, blue of each pixel as ImageJ has them."""
    return [values[i] << 16 | values[i + 1] << 8 | values[i + 2] for i in range(0, len(values), 3)]


def faults(stack, said, ome):
    """How ImageJ's word on a file differs from the stack that was written. OME's words it does not read: pages are then slices."""
    found = []
    pages = {axis: stack.sizes.get(axis, 1) for axis in "czt"}
    values = stack.values
    if stack.colours:
        pages["c"] = 1
        if stack.kind == "u8":
            values = packed(values)
        else:   # of 16 bits it makes three planes
            pages["c"] = 3
            plane = 3 * stack.sizes["y"] * stack.sizes["x"]
            values = [v for at in range(0, len(values), plane) for c in range(3) for v in values[at + c:at + plane:3]]
    there = [said.sizes[axis] for axis in "czt"]
    # Stacks of colours of 16 bits it does not open in one piece, and of directories it makes slices.
    deep = stack.colours and stack.kind == "u16" and math.prod(pages.values()) > 3
    plain = deep or (ome and math.prod(pages.values()) > 1)
    if math.prod(there) != math.prod(pages.values()) or (not plain and there != [pages[axis] for axis in "czt"]):
        found.append(f"c, z, t are {there} for {[pages[axis] for axis in 'czt']}")
    if [said.sizes["x"], said.sizes["y"]] != [stack.sizes["x"], stack.sizes["y"]]:
        found.append(f"{said.sizes} of {stack.sizes}")
    bits = 24 if stack.colours and stack.kind == "u8" else BITS[stack.kind]
    if said.bits != bits:
        found.append(f"{said.bits} bits for {bits}")
    # ImageJ's own words tell z and t of stacks; a plane has neither.
    for axis, wanted in stack.spacing.items():
        if ome and axis in "zt":
            continue
        wanted *= 1.0 if axis == "t" else METRES[stack.unit]
        if not near(said.spacing[axis], wanted):
            found.append(f"spacing of {axis} is {said.spacing[axis]} for {wanted}")
    size = stack.sizes["x"] * stack.sizes["y"]
    if size > 1000:
        values = [v for at in range(0, len(values), size) for v in values[at:at + size:1009]]
    if len(said.values) != len(values) or not all(map(near, said.values, values)):
        found.append(f"elements begin with {said.values[:4]} for {values[:4]}")
    # Nothing of ours says how a picture is shown: bytes as they are, all else through a window in which something is seen.
    if said.window != (0, 255) if bits in (8, 24) else not said.window[0] < said.window[1]:
        found.append(f"it is shown from {said.window[0]} to {said.window[1]}")
    return found


def written(program, folder, count):
    """Stacks of ours, read by ImageJ: lines on what is wrong, and how many files were right."""
    stacks = [Stack("u8", {"z": 3, "y": 1100, "x": 1000}, {"x": 0.5, "y": 0.5, "z": 2.0}, "um")]   # pages of several strips
    stacks[0].values = [(i * i >> 7) & 255 for i in range(len(stacks[0].values))]
    stacks += [draw() for _ in range(count)]
    job = os.path.join(folder, "job.json")
    files, of = [], []
    for i, stack in enumerate(stacks):
        stack.write(os.path.join(folder, f"in{i}.nrrd"))
        names = {"plain": f"{i}.tif", "packed": f"{i}_packed.tif", "ome": f"{i}.ome.tif"}
        if i == 0:
            names.pop("ome")
        outputs = {key: {"of": "image", "file": name, **({"compression": random.randint(1, 9)} if key == "packed" else {})} for key, name in names.items()}
        with open(job, "w", encoding="utf-8") as out:
            json.dump({"parallax": 1, "inputs": {"image": f"in{i}.nrrd"}, "steps": [{"run": "crop", "variant": "reference"}], "outputs": outputs}, out)
        status, _, err = program.call("run", job, "--out", folder, "--overwrite", "--quiet", "--device", "native")
        if status != 0:
            raise RuntimeError(f"{stack} cannot be written: {err}")
        files += names.values()
        of += [stack] * len(names)
    wrong = []
    for name, stack, said in zip(files, of, looked_at(folder, files)):
        found = faults(stack, said, name.endswith(".ome.tif"))
        wrong += [f"{name} by ImageJ, {stack}: {'; '.join(found)}"] if found else []
    return wrong, len(files) - len(wrong)


def taken_apart(values):
    return [int(v) >> shift & 255 for v in values for shift in (16, 8, 0)]


def read(program, folder, seed):
    """ImageJ's own files, read by the program, held against what ImageJ says of them: lines on what is wrong, and how many were right."""
    signed = Stack("i16", {"z": 3, "y": 5, "x": 7}, {"x": 0.5, "y": 0.5, "z": 2.0}, "um")
    signed.write(os.path.join(folder, "signed.nrrd"))
    job = os.path.join(folder, "job.json")
    with open(job, "w", encoding="utf-8") as out:
        json.dump({"parallax": 1, "inputs": {"image": "signed.nrrd"}, "steps": [{"run": "crop", "variant": "reference"}], "outputs": {"image": "signed.tif"}}, out)
    status, _, err = program.call("run", job, "--out", folder, "--overwrite", "--quiet", "--device", "native")
    if status != 0:
        raise RuntimeError(err)
    imagej(folder, SAVE.replace("SEED", str(seed)))
    wrong = []
    for name, said in zip(SAVED, looked_at(folder, [name + ".tif" for name in SAVED])):
        path = os.path.join(folder, name + ".tif")
        info, why = program.info(path)
        output, why_not = program.array(path)
        if info is None or output is None:
            wrong.append(f"{name}: {why or why_not}")
            continue
        found = []
        shape, values = elements_of(output)
        sizes = {axis["name"]: axis["size"] for axis in info["axes"]}
        if said.bits == 24:
            said.values, said.sizes["c"] = taken_apart(said.values), 3
        if {axis: size for axis, size in said.sizes.items() if size > 1} != sizes or list(shape) != list(sizes.values()):
            found.append(f"axes {sizes} for {said.sizes}")
        if len(values) != len(said.values) or not all(map(near, values, said.values)):
            found.append(f"elements begin with {list(values[:4])} for {said.values[:4]}")
        for axis in info["axes"]:
            wanted = said.spacing.get(axis["name"], math.nan)
            if math.isnan(wanted) or (axis["name"] == "t" and wanted == 0):
                continue
            ours = (axis["spacing"] or 0) * (1.0 if axis["name"] == "t" else METRES.get(info["unit"], math.nan))
            if not near(ours, wanted):
                found.append(f"spacing of {axis['name']} is {ours} for {wanted}")
        if info["warnings"]:
            found.append(f"warnings {info['warnings']}")
        wrong += [f"{name} of ImageJ's: {'; '.join(found)}"] if found else []
    if signed.values != list(elements_of(program.array(os.path.join(folder, "signed_again.tif"))[0])[1]):
        wrong.append("numbers of 16 bits with a sign are others after they went through ImageJ")
    return wrong, len(SAVED) - len(wrong)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--stacks", type=int, default=16)
    parser.add_argument("--keep", help="a folder for the files, which stay there")
    arguments = parser.parse_args()
    if not os.path.exists(JAR) or not shutil.which("java"):
        print(f"skipped: no {JAR} or no java (Debian's package imagej; PARALLAX_IMAGEJ names another ij.jar)")
        return 77
    random.seed(arguments.seed)
    program = Program(arguments.program)
    folder = arguments.keep or tempfile.mkdtemp(prefix="parallax-imagej-")
    os.makedirs(folder, exist_ok=True)
    print(f"ImageJ: seed {arguments.seed}", flush=True)   # should ImageJ end
    try:
        faulty, sound = written(program, folder, arguments.stacks)
        unlike, alike = read(program, folder, arguments.seed)
    finally:
        if not arguments.keep:
            shutil.rmtree(folder)
    print(f"ImageJ: seed {arguments.seed}, written right {sound}, read right {alike}, wrong {len(faulty) + len(unlike)}")
    for line in faulty + unlike:
        print("  " + line)
    return 1 if faulty or unlike else 0


if __name__ == "__main__":
    sys.exit(main())
