#!/usr/bin/env python3
"""OpenCV as a device of `parallax compare`: --worker "OpenCV=python3 python/peers/opencv_peer.py"."""

import cv2
import numpy
from arrays import one_step, plane, window
from worker import Refused, serve

BORDERS = {"reflect_101": cv2.BORDER_REFLECT_101, "reflect": cv2.BORDER_REFLECT, "replicate": cv2.BORDER_REPLICATE}


def box_filter(parameters, inputs):
    image, size = plane(inputs["image"]), window(parameters)
    if parameters["border"] not in BORDERS:
        raise Refused(f"the border {parameters['border']}")
    border = BORDERS[parameters["border"]]
    return "cv2.blur", lambda: {"image": cv2.blur(image, (size, size), borderType=border)}


def transform(parameters, inputs):
    if parameters["kind"] != "c2c" or parameters["direction"] == "inverse" or parameters["dimensions"] != 2 or inputs["array"].ndim != 2:
        raise Refused(f"{parameters['kind']} {parameters['direction']} of {inputs['array'].ndim} axes")
    pairs = inputs["array"].view(numpy.float32).reshape(*inputs["array"].shape, 2)
    return "cv2.dft", lambda: {"array": cv2.dft(pairs, flags=cv2.DFT_COMPLEX_OUTPUT).view(numpy.complex64)[..., 0]}


def equalize(parameters, inputs):
    image = plane(inputs["image"])
    if parameters.get("formula") != "opencv" or image.dtype != numpy.uint8:
        raise Refused(f"{image.dtype}, formula {parameters.get('formula')}: 8 bits by OpenCV's own formula")
    return "cv2.equalizeHist", lambda: {"image": cv2.equalizeHist(image)}


ALGORITHMS = {"box_filter": box_filter, "fft": transform, "equalize": equalize}


def prepare(steps, inputs):
    make, parameters = one_step(steps, ALGORITHMS)
    return make(parameters, inputs)


if __name__ == "__main__":
    serve("OpenCV", cv2.__version__, prepare)
