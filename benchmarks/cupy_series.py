#!/usr/bin/env python3
"""A series of holograms as somebody writes it with CuPy and threads, to stand beside `parallax run` with a "for_each".

    cupy_series.py FOLDER OUT npy|tif|png|tif8 [THREADS]

Each thread reads a TIFF, reconstructs one distance (a transform, a transfer function, a transform back, without padding) on a stream
of its own, and writes the amplitude: f32 as NPY or TIFF, 8 bits as PNG or (tif8) TIFF. Prints frames a second of all but the first few.
"""

import pathlib
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from threading import local

import cupy
import imageio.v3
import numpy
import tifffile

WAVELENGTH, PIXEL, DISTANCE = 532e-9, 1.4e-6, 500e-6
own = local()


def transfer(shape):
    fy, fx = (cupy.fft.fftfreq(n, PIXEL) for n in shape)
    inside = 1 / WAVELENGTH**2 - fy[:, None] ** 2 - fx[None, :] ** 2
    return cupy.where(inside > 0, cupy.exp(2j * numpy.pi * DISTANCE * cupy.sqrt(cupy.maximum(inside, 0))), 0).astype(cupy.complex64)


def one(source, target, factor, bytes_):
    if not hasattr(own, "stream"):
        own.stream = cupy.cuda.Stream(non_blocking=True)
        own.pinned = {}
    image = tifffile.imread(source)
    with own.stream:
        field = cupy.fft.ifft2(cupy.fft.fft2(cupy.asarray(image).astype(cupy.float32)) * factor)
        amplitude = cupy.abs(field)
        if bytes_:
            amplitude = (amplitude * (255 / amplitude.max())).astype(cupy.uint8)
        if amplitude.nbytes not in own.pinned:
            memory = cupy.cuda.alloc_pinned_memory(amplitude.nbytes)
            own.pinned[amplitude.nbytes] = numpy.frombuffer(memory, amplitude.dtype, amplitude.size).reshape(amplitude.shape)
        host = own.pinned[amplitude.nbytes]
        amplitude.get(own.stream, out=host, blocking=True)
    if target.suffix == ".npy":
        numpy.save(target, host)
    elif target.suffix == ".tif":
        tifffile.imwrite(target, host)
    else:
        imageio.v3.imwrite(target, host)


if __name__ == "__main__":
    folder, out, kind = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    threads = int(sys.argv[4]) if len(sys.argv) > 4 else 16
    out.mkdir(parents=True, exist_ok=True)
    sources = sorted(folder.glob("*.tif"))
    factor = transfer(tifffile.imread(sources[0]).shape)
    with ThreadPoolExecutor(threads) as pool:
        work = lambda s: one(s, out / f"{s.stem}.{kind.removesuffix('8')}", factor, kind in ("png", "tif8"))   # noqa: E731
        list(pool.map(work, sources[:threads]))   # plans, memory
        began = time.perf_counter()
        list(pool.map(work, sources))
        print(f"CuPy, {threads} threads, {kind}: {len(sources) / (time.perf_counter() - began):.0f} a second")
