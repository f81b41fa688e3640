#!/usr/bin/env python3
"""scikit-image, and SciPy on which it stands, as a device of `parallax compare`:
--worker "scikit-image=python3 python/peers/scikit_image_peer.py"."""

import numpy
import scipy
import scipy.fft
import scipy.ndimage
import skimage
import skimage.exposure
import skimage.metrics
from arrays import Library, Pictures
from worker import serve

if __name__ == "__main__":
    library = Library(numpy, scipy.ndimage, scipy.fft, ("numpy", "scipy.ndimage", "scipy.fft"), workers=-1)
    library.algorithms.update(Pictures(numpy, skimage.exposure, skimage.metrics, "skimage").algorithms)
    serve("scikit-image", f"{skimage.__version__}, SciPy {scipy.__version__}, NumPy {numpy.__version__}", library.prepare)
