#!/usr/bin/env python3
"""pyclesperanto (CLIc, OpenCL) as a device of `parallax compare`: --worker "pyclesperanto=python3 python/peers/pyclesperanto_peer.py"."""

import numpy
import pyclesperanto as cle
from arrays import one_step, plane, window
from worker import Refused, serve


def box_filter(parameters, inputs):
    image, radius = inputs["image"], (window(parameters) - 1) // 2
    if parameters["border"] != "replicate" or numpy.dtype(image.dtype) != numpy.float32:
        raise Refused(f"{image.dtype} with the border {parameters['border']}: f32 with replicate, which is its own")
    return "cle.mean_box", lambda: {"image": cle.mean_box(plane(image), radius_x=radius, radius_y=radius, radius_z=0)}


def prepare(steps, inputs):
    make, parameters = one_step(steps, {"box_filter": box_filter})
    return make(parameters, inputs)


if __name__ == "__main__":
    device = cle.select_device()
    device.set_wait_to_finish(True)   # a call returns when its kernel has ended
    serve(f"pyclesperanto on {device.name}", cle.__version__, prepare, kind="gpu" if "gpu" in str(device.type).lower() else "cpu",
          upload=cle.push,
          to_host=cle.pull)
