#!/usr/bin/env python3
"""cuCIM, scikit-image's interface on an NVIDIA card, and CuPy on which it stands, as a device of `parallax compare`:
--worker "cuCIM=python3 python/peers/cucim_peer.py"."""

import cucim
import cucim.skimage.exposure
import cucim.skimage.metrics
import cupy
import cupyx.scipy.fft
import cupyx.scipy.ndimage
from arrays import Library, Pictures
from worker import serve

if __name__ == "__main__":
    library = Library(cupy, cupyx.scipy.ndimage, cupyx.scipy.fft, ("cupy", "cupyx.scipy.ndimage", "cupyx.scipy.fft"))
    library.algorithms.update(Pictures(cupy, cucim.skimage.exposure, cucim.skimage.metrics, "cucim.skimage").algorithms)
    serve("cuCIM", f"{cucim.__version__}, CuPy {cupy.__version__}", library.prepare, kind="gpu", vendor="NVIDIA", upload=cupy.asarray,
          to_host=cupy.asnumpy, finish=cupy.cuda.get_current_stream().synchronize)
