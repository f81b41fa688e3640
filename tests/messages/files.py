"""Small files that mistakes are made with, good and bad ones."""

import array
import pathlib
import struct

CODES = {"u1": "B", "u2": "H", "i2": "h", "i4": "i", "u4": "I", "i8": "q", "u8": "Q", "f4": "f", "f8": "d"}


def npy(path, shape, kind="u1", values=None):
    """An array in NumPy's format, by default a texture."""
    parts = 2 if kind[0] == "c" else 1
    count = parts
    for size in shape:
        count *= size
    values = values if values is not None else [(i * 7 + i // 5) % 100 for i in range(count)]
    code = {"c8": "f", "b1": "B"}.get(kind) or CODES[kind]
    text = "{'descr': '%s%s', 'fortran_order': False, 'shape': %s, }" % ("|" if kind in ("u1", "b1") else "<", kind, tuple(shape))
    text += " " * (63 - (10 + len(text)) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + array.array(code, values).tobytes())


def nifti(path, shape, units=0):
    """A NIfTI-1 file of bytes; x is the first of `shape`."""
    head = bytearray(352)
    struct.pack_into("<i", head, 0, 348)
    struct.pack_into("<8h", head, 40, len(shape), *(list(shape) + [1] * (7 - len(shape))))
    struct.pack_into("<2h", head, 70, 2, 8)
    struct.pack_into("<8f", head, 76, 1, 1, 1, 1, 1, 1, 1, 1)
    struct.pack_into("<f", head, 108, 352)
    head[123] = units
    head[344:348] = b"n+1\0"
    count = 1
    for size in shape:
        count *= size
    path.write_bytes(bytes(head) + bytes(i % 100 for i in range(count)))


def make(folder, run):
    """`run` runs the program: what is no NPY and no NIfTI, it writes itself."""
    folder = pathlib.Path(folder)
    npy(folder / "image.npy", (16, 20))
    npy(folder / "small.npy", (8, 8))
    npy(folder / "row.npy", (1, 20))
    npy(folder / "one.npy", (1, 1))
    npy(folder / "line.npy", (100,))
    npy(folder / "volume.npy", (4, 8, 8))
    npy(folder / "four.npy", (2, 4, 8, 8))
    npy(folder / "i16.npy", (16, 20), "i2")
    npy(folder / "f64.npy", (16, 20), "f8")
    (folder / "f128.npy").write_bytes((folder / "f64.npy").read_bytes().replace(b"<f8'", b"<f16'").replace(b" \n", b"\n", 1))
    npy(folder / "f32.npy", (16, 20), "f4")
    npy(folder / "c64.npy", (16, 20), "c8")
    npy(folder / "u64.npy", (16, 20), "u8")
    npy(folder / "nan.npy", (4, 4), "f4", [float("nan")] + [1.0] * 15)
    npy(folder / "mask.npy", (16, 20), "b1", [i % 2 for i in range(320)])
    npy(folder / "empty.npy", (0, 20))
    npy(folder / "u16.npy", (16, 20), "u2")
    (folder / "stream.json").write_text('{"parallax": 1, "inputs": {"image": "-"}, "steps": [{"run": "box_filter", "radius": 2}], '
                                        '"outputs": {"image": "-"}}')
    nifti(folder / "fmri.nii", (8, 8, 4, 3), 2)
    nifti(folder / "brain.nii", (8, 8, 4), 2)
    (folder / "frames").mkdir()
    for i in range(3):
        npy(folder / "frames" / f"f{i}.npy", (16, 20))
    (folder / "empty_folder").mkdir()
    (folder / "leads_nowhere.npy").symlink_to("gone.npy")
    (folder / "leads_somewhere.npy").symlink_to("there.npy")
    (folder / "circle.npy").symlink_to("circle.npy")
    (folder / "mine.zarr").mkdir()
    (folder / "mine.zarr" / "thesis.txt").write_text("precious")
    (folder / "taken.zarr").write_text("a file")
    run({"parallax": 1, "device": {"backend": "native"}, "steps": [{"run": "phantom", "kind": "menger", "size": 9}], "outputs": {"volume": "store.ome.zarr"}})
    (folder / "job.txt").write_text("not a job")
    (folder / "scan.dcm").write_bytes(bytes(128) + b"DICM" + bytes(400))
    (folder / "scan.tif").write_bytes(bytes(128) + b"DICM" + bytes(400))
    (folder / "scan.img").write_bytes(bytes(128) + b"DICM" + bytes(400))
    (folder / "notes.txt").write_text("a text file, and no image")
    (folder / "movie.avi").write_bytes(b"RIFF\x24\x00\x00\x00AVI LIST" + bytes(100))
    (folder / "cell.czi").write_bytes(b"ZISRAWFILE" + bytes(200))
    (folder / "frame.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(200))
    (folder / "anim.gif").write_bytes(b"GIF89a" + bytes(50))
    (folder / "web.webp").write_bytes(b"RIFF\x24\x00\x00\x00WEBPVP8 " + bytes(50))
    (folder / "page.html").write_text("<!DOCTYPE html><html>not found</html>")
    (folder / "table.csv").write_text("a,b\n1,2\n")
    (folder / "data.mat").write_bytes(b"MATLAB 5.0 MAT-file" + bytes(200))
    (folder / "pack.zip").write_bytes(b"PK\x03\x04" + bytes(100))
    (folder / "file").write_text("a file where a folder should be")
    (folder / "there.npy").write_text("an earlier result")
    (folder / "nothing.png").write_bytes(b"")
    (folder / "raw.bin").write_bytes(bytes(100))
    run({"parallax": 1, "device": {"backend": "native"}, "inputs": {"image": "image.npy", "volume": "volume.npy", "words": "u16.npy"},
         "steps": [{"id": "a", "run": "convert", "type": "u8", "out": {"image": "u8"}},
                   {"id": "b", "run": "convert", "type": "u8", "in": {"image": "volume"}, "out": {"image": "stack"}},
                   {"id": "c", "run": "convert", "type": "u16", "in": {"image": "words"}, "out": {"image": "u16"}}],
         "outputs": {"png": {"of": "u8", "file": "image.png"}, "tif": {"of": "u8", "file": "image.tif"}, "stack": "stack.tif", "w": {"of": "u16", "file": "u16.png"}}})
    (folder / "cut.png").write_bytes((folder / "image.png").read_bytes()[:100])
    (folder / "wrong_name.tif").write_bytes((folder / "image.png").read_bytes())
