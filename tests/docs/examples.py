"""The files that the pages speak of, small. What is no NPY is written by the program itself."""

import array
import json
import pathlib
import struct

CODES = {"u1": "B", "u2": "H", "u4": "I", "f4": "f", "c8": "f"}


def npy(path, kind, shape):
    """NumPy's format; blobs on an uneven ground."""
    count = 2 if kind[0] == "c" else 1
    for size in shape:
        count *= size
    width = shape[-1]
    values = [20 + 60 * ((i % width) // 8 % 2) + 40 * ((i // width) // 8 % 2) + i * 7 % 11 for i in range(count)]
    header = "{'descr': '%s%s', 'fortran_order': False, 'shape': %s, }" % ("|" if kind == "u1" else "<", kind, tuple(shape))
    header += " " * (117 - len(header)) + "\n"   # 128 bytes in all
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + array.array(CODES[kind], values).tobytes())


IMAGES = {   # name: element type and shape
    "frame.tif": ("u1", (96, 128)), "bg/1.tif": ("u1", (96, 128)), "bg/2.tif": ("u1", (96, 128)), "dark/1.tif": ("u1", (96, 128)),
    "run7/0001.tif": ("u1", (96, 128)), "run7/0002.tif": ("u1", (96, 128)), "run7/0003.tif": ("u1", (96, 128)),
    "us.png": ("u1", (96, 128)), "image.png": ("u1", (96, 128)), "image.tif": ("u1", (96, 128)), "stack.tif": ("u1", (4, 48, 64)),
    "scan.tif": ("u1", (96, 32, 32)), "mask.nii.gz": ("u1", (16, 16, 16)), "signal.npy": ("c8", (1000,)), "counts.npy": ("u4", (1000,)),
    "samples.npy": ("f4", (1000,)), "keys.npy": ("u4", (1000,)), "places.npy": ("u4", (1000,)), "volume.tif": ("u1", (8, 48, 64)), "flat.npy": ("u2", (1500, 2000)),
    "denoised.npy": ("f4", (96, 128)), "clean.npy": ("f4", (96, 128)), "photo.npy": ("f4", (512, 512)),
}
SMOOTH = {"parallax": 1, "inputs": {"image": "image.tif"}, "steps": [{"run": "diffusion_lb", "iterations": 8}], "outputs": {"image": "smooth.tif"}}
JOBS = {
    "my_job.json": {"parallax": 1, "inputs": {"image": "image.tif"}, "steps": [{"run": "box_filter", "radius": 3}], "outputs": {"image": "my_out.tif"}},
    "smooth.json": SMOOTH,
    "count.json": {"parallax": 1, "inputs": {"volume": {"file": "scan.tif", "page_axis": "z"}}, "steps": [{"run": "box_count", "threshold": 50}], "outputs": {"counts": "counts.json"}},
}


def make(folder, run):
    """All files. `run` runs the program in a folder and raises where it fails."""
    folder = pathlib.Path(folder)
    inputs, outputs, steps = {}, {}, []
    for number, (name, (kind, shape)) in enumerate(IMAGES.items()):
        if name.endswith(".npy"):
            npy(folder / name, kind, shape)
            continue
        npy(folder / f".{number}.npy", kind, shape)
        axes = "yx" if len(shape) == 2 else "tyx" if name == "stack.tif" else "zyx"   # stated, whatever NumPy's format leaves open
        inputs[f"i{number}"] = {"file": f".{number}.npy", "raw": {"type": "u8", "axes": axes, "shape": list(shape), "offset": 128}}
        steps.append({"id": f"s{number}", "run": "convert", "type": "u8", "in": {"image": f"i{number}"}, "out": {"image": f"o{number}"}})
        outputs[f"o{number}"] = name
    (folder / ".make.json").write_text(json.dumps({"parallax": 1, "device": {"backend": "native"}, "inputs": inputs, "steps": steps, "outputs": outputs}))
    run([".make.json", "--quiet"], folder)
    for name, job in JOBS.items():
        (folder / name).write_text(json.dumps(job))
    for made in folder.glob(".*"):
        made.unlink()
