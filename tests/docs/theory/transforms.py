"""The definition of the transform."""

from check import check, close, dft, inverse, pattern, run


@check
def fourier_definition():
    values = [complex(a, b) for a, b in zip(pattern(7, 6), pattern(7, 6, 5))]
    flat = [part for v in values for part in (v.real, v.imag)]
    for direction, should in (("forward", dft(values, 7, 6, -1)), ("inverse", inverse(values, 7, 6))):
        close(
            run({"run": "fft", "direction": direction}, {"array": ("c8", (6, 7), flat)}, ["array"])["array"],
            should,
            1e-6,
            direction,
        )
