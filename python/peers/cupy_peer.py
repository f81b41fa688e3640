#!/usr/bin/env python3
"""CuPy as a device of `parallax compare`: --worker "CuPy=python3 python/peers/cupy_peer.py"."""

import cupy
import cupyx.scipy.fft
import cupyx.scipy.ndimage
from arrays import Library
from worker import serve

if __name__ == "__main__":
    library = Library(cupy, cupyx.scipy.ndimage, cupyx.scipy.fft, ("cupy", "cupyx.scipy.ndimage", "cupyx.scipy.fft"))
    serve("CuPy", cupy.__version__, library.prepare, kind="gpu", vendor="NVIDIA", upload=cupy.asarray, to_host=cupy.asnumpy,
          finish=cupy.cuda.get_current_stream().synchronize)
