"""What libraries with the interfaces of NumPy and scikit-image do of our algorithms: SciPy, scikit-image, CuPy, cuCIM."""

from worker import Refused

BORDERS = {"reflect_101": "mirror", "reflect": "reflect", "replicate": "nearest", "constant": "constant"}


def one_step(steps, algorithms):
    """The function of a job's only step, and its parameters."""
    if len(steps) != 1:
        raise Refused(f"a chain of {len(steps)} steps")
    run = steps[0]["run"]
    if run not in algorithms:
        raise Refused(f"no {run} here, but {', '.join(algorithms)}")
    return algorithms[run], steps[0]["parameters"]


def window(parameters):
    """Elements of a window that is the same along each axis."""
    if parameters.get("size") is not None:
        raise Refused("windows by size")
    radius = parameters.get("radius")
    radius = 1 if radius is None else radius
    if isinstance(radius, list):
        if len(set(radius)) != 1:
            raise Refused("another radius along each axis")
        radius = radius[0]
    return 2 * radius + 1


def plane(image):
    if image.ndim != 2:
        raise Refused(f"an image of {image.ndim} axes")
    return image


class Library:
    """`numpy`: the array module, `ndimage` and `fft` those beside it; `names`: what rows call the three."""

    def __init__(self, numpy, ndimage, fft, names, **transform_options):
        self.numpy, self.ndimage, self.fft, self.names = numpy, ndimage, fft, names
        self.transform_options = transform_options
        self.algorithms = {"box_filter": self.box_filter, "fft": self.transform, "reduce": self.reduce}

    def prepare(self, steps, inputs):
        make, parameters = one_step(steps, self.algorithms)
        return make(parameters, inputs)

    def box_filter(self, parameters, inputs):
        image, size = plane(inputs["image"]), window(parameters)
        mode, value, whole = BORDERS[parameters["border"]], parameters["value"], image.dtype.kind in "ui"

        def blur():
            mean = self.ndimage.uniform_filter(image.astype(self.numpy.float64) if whole else image, size, mode=mode, cval=value)
            return {"image": self.numpy.floor(mean + 0.5).astype(image.dtype) if whole else mean}

        return f"{self.names[1]}.uniform_filter", blur

    def transform(self, parameters, inputs):
        if parameters["kind"] != "c2c" or parameters["direction"] == "inverse":
            raise Refused(f"{parameters['kind']}, {parameters['direction']}")
        numbers, axes = inputs["array"], (-2, -1) if parameters["dimensions"] == 2 else (-1,)
        return f"{self.names[2]}.fftn", lambda: {"array": self.fft.fftn(numbers, axes=axes, **self.transform_options)}

    def reduce(self, parameters, inputs):
        numbers = inputs["array"]
        if parameters["op"] != "sum" or numbers.dtype.kind not in "ui":
            raise Refused(f"{parameters['op']} of {numbers.dtype}")
        return f"{self.names[0]}.sum", lambda: {"value": {"value": int(numbers.sum(dtype=self.numpy.uint64)), "count": int(numbers.size)}}


RANGES = {"uint8": 255, "uint16": 65535, "float32": 1}


class Pictures:
    """What scikit-image does, and cuCIM as it: `exposure` and `metrics` are theirs, `name` is what rows call them by."""

    def __init__(self, numpy, exposure, metrics, name):
        self.numpy, self.exposure, self.of, self.name = numpy, exposure, metrics, name
        self.algorithms = {"equalize": self.equalize, "metrics": self.metrics}

    def equalize(self, parameters, inputs):
        image = plane(inputs["image"])
        if parameters["formula"] != "skimage" or str(image.dtype) != "uint8":
            raise Refused(f"{image.dtype}, formula {parameters['formula']}: 8 bits by scikit-image's own formula")
        return f"{self.name}.exposure.equalize_hist", lambda: {"image": self.exposure.equalize_hist(image).astype(self.numpy.float32)}

    def metrics(self, parameters, inputs):
        image, reference = plane(inputs["image"]), plane(inputs["reference"])
        if min(image.shape) < 11:
            raise Refused("less than a window of 11 x 11")
        top = parameters["range"] or RANGES[str(reference.dtype)]
        wide = [a.astype(self.numpy.float64) for a in (image, reference)]

        def compare():
            mse = float(self.of.mean_squared_error(*wide))
            similarity = self.of.structural_similarity(*wide, data_range=top, gaussian_weights=True, sigma=1.5, use_sample_covariance=False)
            return {"metrics": {"mse": mse, "mae": float(self.numpy.abs(wide[0] - wide[1]).mean()),
                                "psnr_db": float(self.of.peak_signal_noise_ratio(wide[1], wide[0], data_range=top)) if mse > 0 else None,
                                "ssim": float(similarity), "range": top}}

        return f"{self.name}.metrics", compare
