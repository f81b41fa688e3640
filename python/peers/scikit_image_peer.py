#!/usr/bin/env python3
"""scikit-image, and SciPy on which it stands, as a device of `parallax compare`:
--worker "scikit-image=python3 python/peers/scikit_image_peer.py"."""

import numpy
import scipy
import scipy.fft
import scipy.ndimage
import skimage
import skimage.exposure
from arrays import Library, plane
from worker import Refused, serve


def equalize(parameters, inputs):
    image = plane(inputs["image"])
    if parameters["formula"] != "skimage" or image.dtype != numpy.uint8:
        raise Refused(f"{image.dtype}, formula {parameters['formula']}: 8 bits by scikit-image's own formula")
    return "skimage.exposure.equalize_hist", lambda: {"image": skimage.exposure.equalize_hist(image).astype(numpy.float32)}


if __name__ == "__main__":
    library = Library(numpy, scipy.ndimage, scipy.fft, ("numpy", "scipy.ndimage", "scipy.fft"), workers=-1)
    library.algorithms["equalize"] = equalize
    serve("scikit-image", f"{skimage.__version__}, SciPy {scipy.__version__}, NumPy {numpy.__version__}", library.prepare)
