"""What libraries with NumPy's interface do of our algorithms: NumPy with SciPy, CuPy with cupyx."""

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
