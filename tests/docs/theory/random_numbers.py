"""Random numbers and statistics."""

import math

from check import check, close, f32, pattern, run


@check
def numbers_random():
    def splitmix64(x):
        x = (x + 0x9E3779B97F4A7C15) % 2**64
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
        return x ^ (x >> 31)

    def uniform(bits):
        return ((bits >> 11) + 0.5) / 2**53

    for seed in (1, 12345):
        should = []
        for i in range(200):
            u1, u2 = uniform(splitmix64(2 * i + (seed << 32))), uniform(splitmix64(2 * i + 1 + (seed << 32)))
            should.append(math.sqrt(-2 * math.log(u1)) * math.cos(2 * math.pi * u2))
        got = run(
            {"run": "noise", "kind": "gaussian", "variance": 1, "seed": seed, "clip": False},
            {"image": ("f4", (10, 20), [0.0] * 200)},
            ["image"],
        )["image"]
        close(got, should, 1e-6, f"seed {seed}")


@check
def numbers_statistics():
    values = [f32(v / 7 + 1000) for v in pattern(13, 11)]
    record = run({"run": "reduce"}, {"array": ("f4", (143,), values)}, ["value", "statistics"])
    mean = math.fsum(values) / 143
    close([record["value"]["value"], record["statistics"]["mean"]], [math.fsum(values), mean], 1e-12, "sum")
    close([record["statistics"]["variance"]], [math.fsum((v - mean) ** 2 for v in values) / 143], 1e-7, "variance")
