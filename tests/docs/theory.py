#!/usr/bin/env python3
"""The formulas of docs/theory, written down once more as the pages have them, against the references of the program.

theory.py [PART OF A NAME...]     PARALLAX_BIN is the program; small arrays, no library but Python's own
"""

import cmath
import json
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

PROGRAM = os.environ["PARALLAX_BIN"]
CHECKS = []
CODES = {"u1": "B", "u4": "I", "f4": "f", "c8": "f"}


def check(function):
    CHECKS.append(function)
    return function


def write(path, kind, shape, values):
    header = "{'descr': '%s%s', 'fortran_order': False, 'shape': %s, }" % ("|" if kind == "u1" else "<", kind, tuple(shape))
    header += " " * (117 - len(header)) + "\n"
    path.write_bytes(
        b"\x93NUMPY\x01\x00"
        + struct.pack("<H", len(header))
        + header.encode()
        + struct.pack(f"<{len(values)}{CODES[kind]}", *values)
    )


def read(path):
    data = path.read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    kind = data[10 : 10 + length].split(b"'descr': '")[1].split(b"'")[0].decode()[1:]
    size = {"u1": 1, "u4": 4, "f4": 4, "c8": 4}[kind]
    values = struct.unpack(f"<{(len(data) - 10 - length) // size}{CODES[kind]}", data[10 + length :])
    return [complex(a, b) for a, b in zip(values[::2], values[1::2])] if kind == "c8" else list(values)


def run(step, inputs, outputs, variant="reference"):
    """Outputs of a step on the native device: lists of numbers, and records."""
    with tempfile.TemporaryDirectory(prefix="parallax-theory-") as name:
        folder, files = pathlib.Path(name), {}
        for port, (kind, shape, values) in inputs.items():
            write(folder / f"{port}.npy", kind, shape, values)
            files[port] = f"{port}.npy"
        kinds = {output: f"{output}{'.json' if output in RECORDS else '.npy'}" for output in outputs}
        job = {
            "parallax": 1,
            "inputs": files,
            "steps": [{"variant": variant, **step}],
            "outputs": {o: f"out_{f}" for o, f in kinds.items()},
        }
        (folder / "job.json").write_text(json.dumps(job))
        done = subprocess.run(
            [PROGRAM, "run", "job.json", "--device", "native", "--quiet"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        made = {o: folder / f"out_{f}" for o, f in kinds.items()}
        return {o: json.loads(path.read_text()) if o in RECORDS else read(path) for o, path in made.items()}


RECORDS = {"focus", "counts", "value", "statistics", "metrics", "threshold"}


def close(is_, should, tolerance, what):
    largest = max(abs(v) for v in should)
    worst = max(abs(a - b) for a, b in zip(is_, should))
    assert len(is_) == len(should), f"{what}: {len(is_)} numbers for {len(should)}"
    assert worst <= tolerance * largest, f"{what}: {worst} from the page's formula, of {largest}"


def turn(x):
    """exp(i 2 pi x)"""
    return cmath.exp(2j * math.pi * math.fmod(x, 1))


def dft(values, width, height, sign):
    """Rows, then columns; no factor."""

    def line(v):
        n = len(v)
        return [sum(v[j] * turn(sign * j * k % n / n) for j in range(n)) for k in range(n)]

    rows = [line(values[y * width : (y + 1) * width]) for y in range(height)]
    columns = [line([rows[y][x] for y in range(height)]) for x in range(width)]
    return [columns[x][y] for y in range(height) for x in range(width)]


def inverse(values, width, height):
    return [v / (width * height) for v in dft(values, width, height, 1)]


def signed(i, n):
    return i if i < (n + 1) // 2 else i - n


def pattern(width, height, seed=1):
    return [(37 * x * x + 101 * y + 13 * x * y + 7 * seed * (x ^ y)) % 211 for y in range(height) for x in range(width)]


# ---- holography ----------------------------------------------------------------------------------------------------

W, H, DX, DY, LAMBDA = 12, 10, 2.0, 1.5, 0.5  # of the hologram; micrometres


def good(n):
    def is_good(m):
        for prime in (2, 3, 5, 7):
            while m % prime == 0:
                m //= prime
        return m == 1

    while not is_good(n):
        n += 1
    return n


def padded(h, padding, single):
    width, height = (W, H) if padding == "none" else (good(2 * W), good(2 * H))
    left, top = (width // 2 - W // 2, height // 2 - H // 2) if single else (0, 0)
    mean = sum(h) / len(h)

    def mirrored(j, n, size):
        return j if j < n else n - 1 - (j - n) if j - n <= size - 1 - j else size - 1 - j

    frame = []
    for j in range(height):
        for i in range(width):
            x, y = (i - left) % width, (j - top) % height
            if padding == "reflect":
                x, y = mirrored(x, W, width), mirrored(y, H, height)
            frame.append(h[y * W + x] if x < W and y < H else mean if padding == "mean" else 0)
    return frame, width, height


def kernel(method, d, width, height, mean):
    """In the spectrum, for d > 0."""
    if method in ("angular_spectrum", "fresnel"):
        limit = [1 / (LAMBDA * math.sqrt((2 * d / (n * step)) ** 2 + 1)) for n, step in ((width, DX), (height, DY))]
        k = []
        for q in range(height):
            for p in range(width):
                fx, fy = signed(p, width) / (width * DX), signed(q, height) / (height * DY)
                f2 = fx * fx + fy * fy
                if method == "fresnel":
                    k.append(cmath.exp(1j * math.pi * LAMBDA * d * f2) * turn(-d / LAMBDA))
                else:
                    inside = LAMBDA**2 * f2 < 1 and abs(fx) < limit[0] and abs(fy) < limit[1]
                    k.append(turn(-d * math.sqrt(1 / LAMBDA**2 - f2)) if inside else 0)
        return k
    g = []
    for q in range(height):
        for p in range(width):
            r = math.sqrt(d * d + (signed(p, width) * DX) ** 2 + (signed(q, height) * DY) ** 2)
            front = (
                d / (2 * math.pi * r * r) * (1 / r + 2j * math.pi / LAMBDA)
                if method == "rayleigh_sommerfeld"
                else 1j / (LAMBDA * r)
            )
            g.append(front * turn(-r / LAMBDA) * DX * DY)
    k = dft(g, width, height, -1)
    if mean:
        k[0] = turn(-d / LAMBDA)
    return k


def single_transform(frame, d, width, height):
    out, cx, cy = [], width // 2, height // 2
    odx, ody = LAMBDA * abs(d) / (width * DX), LAMBDA * abs(d) / (height * DY)
    chirped = [
        v * cmath.exp(-1j * math.pi * (((i % width - cx) * DX) ** 2 + ((i // width - cy) * DY) ** 2) / (LAMBDA * d))
        for i, v in enumerate(frame)
    ]
    front = 1j / (LAMBDA * d) * turn(-d / LAMBDA) * DX * DY
    for n in range(height):
        for m in range(width):
            x, y = (m - cx) * odx, (n - cy) * ody
            total = sum(
                v * cmath.exp(2j * math.pi * ((i % width - cx) * DX * x + (i // width - cy) * DY * y) / (LAMBDA * d))
                for i, v in enumerate(chirped)
            )
            out.append(front * cmath.exp(-1j * math.pi * (x * x + y * y) / (LAMBDA * d)) * total)
    return out


def step_of(method, d, padding, **more):
    return {
        "run": "hologram",
        "wavelength_um": LAMBDA,
        "pixel_um": [DX, DY],
        "distance_um": d,
        "method": method,
        "padding": padding,
        **more,
    }


@check
def holography_propagation():
    h = [1 + v / 400 for v in pattern(W, H)]
    for method in ("angular_spectrum", "fresnel", "rayleigh_sommerfeld", "convolution"):
        for padding in ("mean", "zero", "reflect", "none"):
            d = 137.0
            frame, width, height = padded(h, padding, False)
            k = kernel(method, d, width, height, padding == "mean")
            spectrum = dft(frame, width, height, -1)
            for sign in (1, -1):
                field = inverse([a * (b if sign > 0 else complex(b).conjugate()) for a, b in zip(spectrum, k)], width, height)
                should = [field[y * width + x] for y in range(H) for x in range(W)]
                got = run(step_of(method, sign * d, padding), {"hologram": ("f4", (H, W), h)}, ["field"])["field"]
                close(got, should, 2e-6, f"{method}, {padding}, {sign * d} um")


@check
def holography_single_transform():
    h = [1 + v / 400 for v in pattern(W, H)]
    for padding in ("none", "zero", "reflect"):
        for d in (900.0, -900.0):
            frame, width, height = padded(h, padding, True)
            got = run(step_of("fresnel_single_fft", d, padding), {"hologram": ("f4", (H, W), h)}, ["field"])["field"]
            close(got, single_transform(frame, d, width, height), 5e-6, f"fresnel_single_fft, {padding}, {d} um")


@check
def holography_background():
    h, b, dark = pattern(W, H), pattern(W, H, 3), [v % 5 for v in pattern(W, H, 2)]
    b[7] = dark[7]
    should = [1 if y == z else (x - z) / (y - z) for x, y, z in zip(h, b, dark)]
    got = run(
        step_of("angular_spectrum", 0, "none", band_limit=False),
        {n: ("u1", (H, W), v) for n, v in (("hologram", h), ("background", b), ("dark", dark))},
        ["field"],
    )
    kept = [
        1 if LAMBDA**2 * ((signed(p, W) / (W * DX)) ** 2 + (signed(q, H) / (H * DY)) ** 2) < 1 else 0
        for q in range(H)
        for p in range(W)
    ]
    close(got["field"], inverse([a * k for a, k in zip(dft(should, W, H, -1), kept)], W, H), 1e-6, "background and dark frame")


@check
def holography_off_axis():
    h = [1 + v / 400 for v in pattern(W, H)]
    cx, cy, radius, d = 3.37, -2.18, 1.9, 137.0
    moved = [v * turn(-(cx * (i % W) / W + cy * (i // W) / H)) for i, v in enumerate(h)]
    frame, width, height = padded(moved, "zero", False)
    spectrum = dft(frame, width, height, -1)
    for q in range(height):
        for p in range(width):
            if (signed(p, width) * W / width) ** 2 + (signed(q, height) * H / height) ** 2 > radius**2:
                spectrum[q * width + p] = 0
    field = inverse([a * b for a, b in zip(spectrum, kernel("angular_spectrum", d, width, height, False))], width, height)
    got = run(
        step_of("angular_spectrum", d, "zero", off_axis={"x": cx, "y": cy, "radius": radius}),
        {"hologram": ("f4", (H, W), h)},
        ["field"],
    )["field"]
    close(got, [field[y * width + x] for y in range(H) for x in range(W)], 2e-6, "the order at the carrier")


@check
def holography_focus():
    h = [1 + v / 400 for v in pattern(W, H)]
    distances = [40.0, 60.0, 90.0, 130.0, 150.0]
    stencil = {
        "tenengrad": lambda a: [
            ((a(x + 1, y - 1) + 2 * a(x + 1, y) + a(x + 1, y + 1)) - (a(x - 1, y - 1) + 2 * a(x - 1, y) + a(x - 1, y + 1))) ** 2
            + ((a(x - 1, y + 1) + 2 * a(x, y + 1) + a(x + 1, y + 1)) - (a(x - 1, y - 1) + 2 * a(x, y - 1) + a(x + 1, y - 1)))
            ** 2
            for y in range(1, H - 1)
            for x in range(1, W - 1)
        ],
        "brenner": lambda a: [(a(x + 2, y) - a(x, y)) ** 2 for y in range(H) for x in range(W - 2)],
        "laplacian": lambda a: [
            (4 * a(x, y) - a(x - 1, y) - a(x + 1, y) - a(x, y - 1) - a(x, y + 1)) ** 2
            for y in range(1, H - 1)
            for x in range(1, W - 1)
        ],
        "dubois": lambda a: [a(x, y) for y in range(H) for x in range(W)],
        "variance": lambda a: [
            (a(x, y) - sum(a(u, v) for v in range(H) for u in range(W)) / (W * H)) ** 2 for y in range(H) for x in range(W)
        ],
    }
    for metric, of in stencil.items():
        got = run(
            step_of("angular_spectrum", distances, "none", autofocus={"metric": metric, "object": "amplitude"}),
            {"hologram": ("f4", (H, W), h)},
            ["amplitude", "focus"],
        )
        values = []
        for i in range(len(distances)):
            plane = got["amplitude"][i * W * H : (i + 1) * W * H]
            terms = of(lambda x, y, plane=plane: plane[y * W + x])
            values.append(sum(terms) / len(terms))
        focus = got["focus"]
        close(focus["value"], values, 1e-5, metric)
        scores = [-v if metric == "dubois" else v for v in focus["value"]]
        best = scores.index(max(scores))
        assert focus["best_index"] == best and focus["at_end"] == (best in (0, len(distances) - 1)), metric
        if 0 < best < len(distances) - 1:
            v, a, b = focus["value"], distances[best - 1] - distances[best], distances[best + 1] - distances[best]
            slope_a, slope_b = (v[best - 1] - v[best]) / a, (v[best + 1] - v[best]) / b
            curvature = (slope_b - slope_a) / (b - a)
            t = -(slope_a - curvature * a) / (2 * curvature)
            close([focus["best_distance_um"]], [distances[best] + min(max(t, a), b)], 1e-9, f"{metric}: the parabola")


# ---- transforms ----------------------------------------------------------------------------------------------------


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


# ---- diffusion -----------------------------------------------------------------------------------------------------


def diffusivities(image, width, height, sigma, threshold, edge_function):
    def mirror(i, n):
        i %= 2 * n
        return i if i < n else 2 * n - 1 - i

    radius = int(3 * sigma + 0.5)
    weights = [math.exp(-k * k / (2 * sigma * sigma)) for k in range(-radius, radius + 1)]
    weights = [w / sum(weights) for w in weights]
    rows = [
        [sum(w * image[y * width + mirror(x + k - radius, width)] for k, w in enumerate(weights)) for x in range(width)]
        for y in range(height)
    ]
    smooth = [
        [sum(w * rows[mirror(y + k - radius, height)][x] for k, w in enumerate(weights)) for x in range(width)]
        for y in range(height)
    ]
    functions = {
        "perona_malik_1": lambda r: math.exp(-r),
        "perona_malik_2": lambda r: 1 / (1 + r),
        "charbonnier": lambda r: (1 + r) ** -0.5,
        "weickert": lambda r: 1 - math.exp(-3.31488 / r**4) if r > 0 else 1,
    }
    g = []
    for y in range(height):
        for x in range(width):
            gx = (smooth[y][mirror(x + 1, width)] - smooth[y][mirror(x - 1, width)]) / 2
            gy = (smooth[mirror(y + 1, height)][x] - smooth[mirror(y - 1, height)][x]) / 2
            g.append(functions[edge_function]((gx * gx + gy * gy) / threshold**2))
    return g


@check
def diffusion_lattice_boltzmann():
    width, height = 9, 7
    start = [float(v) for v in pattern(width, height)]
    axes, diagonals = [(1, 0), (-1, 0), (0, 1), (0, -1)], [(1, 1), (-1, 1), (1, -1), (-1, -1)]
    lattices = {
        "D2Q5": ([(0, 0)] + axes, [1 / 5] * 5, 5),
        "D2Q9": ([(0, 0)] + axes + diagonals, [4 / 9] + [1 / 9] * 4 + [1 / 36] * 4, 6),
    }
    for edge_function in ("perona_malik_1", "perona_malik_2", "charbonnier", "weickert"):
        for name, (velocities, weights, factor) in lattices.items():
            image, step, every = list(start), 0.7, 2
            f = [[w * v for v in image] for w in weights]
            for n in range(5):
                if n % every == 0:
                    omega = [2 / (1 + factor * step * g) for g in diffusivities(image, width, height, 1, 30, edge_function)]
                f = [[(1 - o) * v + o * w * i for v, o, i in zip(part, omega, image)] for part, w in zip(f, weights)]
                streamed = []
                for c in velocities:
                    part = []
                    for y in range(height):
                        for x in range(width):
                            u, v, (cx, cy) = x - c[0], y - c[1], c
                            if not 0 <= u < width:
                                u, cx = x, -cx
                            if not 0 <= v < height:
                                v, cy = y, -cy
                            part.append(f[velocities.index((cx, cy))][v * width + u])
                    streamed.append(part)
                f = streamed
                image = [sum(column) for column in zip(*f)]
            got = run(
                {
                    "run": "diffusion_lb",
                    "lattice": name,
                    "step": step,
                    "threshold": 30,
                    "iterations": 5,
                    "sigma": 1,
                    "edge_function": edge_function,
                    "update_edges_every": every,
                },
                {"image": ("f4", (height, width), start)},
                ["image"],
            )["image"]
            close(got, image, 1e-6, f"{name}, {edge_function}")
            assert abs(sum(image) - sum(start)) < 1e-6 * sum(start)


@check
def diffusion_point_source():
    side, step, steps = 41, 2, 8
    for name, cs2, b in (("D2Q5", 2 / 5, 5 * step), ("D2Q9", 1 / 3, 6 * step)):
        point = [0.0] * (side * side)
        point[side * side // 2] = 1.0
        got = run(
            {"run": "diffusion_lb", "lattice": name, "step": step, "threshold": 1e9, "iterations": steps, "sigma": 0},
            {"image": ("f4", (side, side), point)},
            ["image"],
        )["image"]
        omega = 2 / (1 + b)
        should = 2 * step * steps - 2 * cs2 * (1 - omega) / omega**2 * (1 - (1 - omega) ** steps)
        close([sum(v * (i % side - side // 2) ** 2 for i, v in enumerate(got))], [should], 1e-5, f"variance of a point, {name}")


@check
def diffusion_splitting():
    width, height, tau = 9, 7, 1.5
    image = start = [float(v) for v in pattern(width, height)]

    def solve(u, g):
        """(1 - 2 tau A) by elimination of the full matrix."""
        n = len(u)
        rows = [[0.0] * n + [u[i]] for i in range(n)]
        for i in range(n):
            rows[i][i] = 1.0
            for j in (i - 1, i + 1):
                if 0 <= j < n:
                    rows[i][j] -= tau * (g[i] + g[j])
                    rows[i][i] += tau * (g[i] + g[j])
        for i in range(n):
            for j in range(i + 1, n):
                factor = rows[j][i] / rows[i][i]
                rows[j] = [a - factor * b for a, b in zip(rows[j], rows[i])]
        x = [0.0] * n
        for i in reversed(range(n)):
            x[i] = (rows[i][n] - sum(rows[i][j] * x[j] for j in range(i + 1, n))) / rows[i][i]
        return x

    for _ in range(3):
        g = diffusivities(image, width, height, 1, 30, "perona_malik_2")
        along_x = [v for y in range(height) for v in solve(image[y * width : (y + 1) * width], g[y * width : (y + 1) * width])]
        columns = [solve(image[x::width], g[x::width]) for x in range(width)]
        image = [(along_x[y * width + x] + columns[x][y]) / 2 for y in range(height) for x in range(width)]
    got = run(
        {"run": "diffusion_aos", "tau": tau, "threshold": 30, "iterations": 3, "sigma": 1},
        {"image": ("f4", (height, width), start)},
        ["image"],
    )["image"]
    close(got, image, 1e-6, "additive operator splitting")


# ---- box counts ----------------------------------------------------------------------------------------------------


def counts_of(size, is_set):
    """Black and grey boxes of the levels of a plane, and k."""
    k = (size - 1).bit_length()
    levels = []
    for m in range(k + 1):
        inside = {}
        for y in range(size):
            for x in range(size):
                if is_set(x, y):
                    inside[x >> m, y >> m] = inside.get((x >> m, y >> m), 0) + 1
        black = sum(n == 4**m for n in inside.values())
        levels.append((black, len(inside) - black))
    return levels, k


def line(numbers, first, last):
    points = [(-m, math.log2(numbers[m])) for m in range(first, last + 1)]
    n = len(points)
    mx, my = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    xx, xy, yy = (sum((x - mx) ** (2 - j) * (y - my) ** j for x, y in points) for j in range(3))
    slope = xy / xx
    return slope, math.sqrt(max(0, yy - slope * xy) / (n - 2) / xx), xy / math.sqrt(xx * yy)


@check
def box_counting_lines():
    def carpet(x, y):
        while x or y:
            if x % 3 == 1 and y % 3 == 1:
                return False
            x, y = x // 3, y // 3
        return True

    sets = {
        "carpet": (81, carpet),
        "triangle": (128, lambda x, y: x & y == 0),
        "scattered": (128, lambda x, y: x & y == 0 or (37 * x * x + 91 * y + x * y) % 89 == 0),
    }
    for name, (size, is_set) in sets.items():
        image = [255 * is_set(x, y) for y in range(size) for x in range(size)]
        levels, k = counts_of(size, is_set)
        numbers = [black + grey for black, grey in levels]
        for fit in (None, "auto"):
            record = run(
                {"run": "box_count", "threshold": 0, **({"fit": fit} if fit else {})},
                {"image": ("u1", (size, size), image)},
                ["counts"],
            )["counts"]
            assert [(one["black"], one["grey"], one["white"]) for one in record["levels"]] == [
                (b, g, 4 ** (k - m) - b - g) for m, (b, g) in enumerate(levels)
            ]
            found = automatic(numbers, k, size) if fit else (0, 1, k - 2, True)
            if found is None:
                assert record["dimension"] is None and record["why_no_dimension"], name
                continue
            change, first, last, stable = found
            assert (record["fit"]["from"], record["fit"]["to"]) == (first, last), (name, fit)
            assert not fit or (record["fit"]["stable"] == stable and abs(record["fit"]["change"] - change) < 1e-12), name
            slope, error, r = line(numbers, first, last)
            close(
                [record["dimension"], 1 + record["standard_error"], record["r"]], [slope, 1 + error, r], 1e-9, f"{name}, {fit}"
            )


def automatic(numbers, k, extent):
    """Change, first and last level, and whether it is stable, of a plane."""
    taking_part = {m for m in range(1, k + 1) if numbers[m] >= 8 and numbers[m] / (-(-extent >> m)) ** 2 <= 0.9}
    ranges = []
    for a in sorted(taking_part):
        for b in range(a + 3, k + 1):
            if taking_part.issuperset(range(a, b + 1)):
                xs = [(m - (a + b) / 2) * math.log(2) for m in range(a, b + 1)]
                ys, n = [math.log(numbers[m]) for m in range(a, b + 1)], b - a + 1
                s2, s4 = sum(x**2 for x in xs), sum(x**4 for x in xs)
                c = (sum(x * x * y for x, y in zip(xs, ys)) - s2 * sum(ys) / n) / (s4 - s2 * s2 / n)
                ranges.append((abs(2 * c * (b - a) * math.log(2)), a, b))
    stable = [one for one in ranges if one[0] <= 0.2]
    if stable:
        return *min(stable, key=lambda one: (one[1] - one[2], one[0])), True
    return (*min(ranges), False) if ranges else None


# ---- images --------------------------------------------------------------------------------------------------------


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


@check
def images_equalisation():
    image, n = pattern(13, 11), 143
    h = [image.count(v) for v in range(256)]
    cdf = [sum(h[: v + 1]) for v in range(256)]
    lowest = h[min(image)]
    s = f32(f32(255) / f32(n - lowest))
    tables = {
        "opencv": [0 if c <= lowest else min(round(f32(f32(c - lowest) * s)), 255) for c in cdf],
        "classic": [math.floor(255 * c / n + 0.5) for c in cdf],
        "skimage": [f32(c / n) for c in cdf],
    }
    for formula, table in tables.items():
        got = run({"run": "equalize", "formula": formula}, {"image": ("u1", (11, 13), image)}, ["image"])["image"]
        assert got == [table[v] for v in image], formula


@check
def images_windows():
    width, height, image = 13, 11, pattern(13, 11)
    borders = {
        "reflect_101": lambda i, n: abs(i) if i < n else 2 * n - 2 - i,
        "reflect": lambda i, n: -1 - i if i < 0 else i if i < n else 2 * n - 1 - i,
        "replicate": lambda i, n: min(max(i, 0), n - 1),
    }
    for border, at in borders.items():
        for k in (3, 4):
            mean = []
            for y in range(height):
                for x in range(width):
                    total = sum(
                        image[at(v, height) * width + at(u, width)]
                        for v in range(y - k // 2, y + k - k // 2)
                        for u in range(x - k // 2, x + k - k // 2)
                    )
                    down, rest = divmod(total, k * k)
                    mean.append(down + (2 * rest > k * k or (2 * rest == k * k and down % 2)))
            assert (
                run({"run": "box_filter", "size": k, "border": border}, {"image": ("u1", (height, width), image)}, ["image"])[
                    "image"
                ]
                == mean
            ), (border, k)


@check
def images_otsu():
    image = pattern(13, 11)
    total, n, best = sum(image), len(image), (-1, None)
    for level in sorted(set(image))[:-1]:
        w, s = sum(v <= level for v in image), sum(v for v in image if v <= level)
        variance = (s * n - total * w) ** 2 / (w * (n - w))
        if variance > best[0]:
            best = (variance, level)
    assert run({"run": "threshold"}, {"image": ("u1", (11, 13), image)}, ["threshold"])["threshold"]["value"] == best[1]


@check
def images_measures():
    width, height = 14, 13
    a, b = pattern(width, height), pattern(width, height, 2)
    n, top = width * height, 255
    mse = sum((x - y) ** 2 for x, y in zip(a, b)) / n
    window = [math.exp(-k * k / 4.5) for k in range(-5, 6)]
    window = [w / sum(window) for w in window]
    places = []
    for y in range(height - 10):
        for x in range(width - 10):

            def mean(of):
                return sum(window[v] * window[u] * of((y + v) * width + x + u) for v in range(11) for u in range(11))

            ma, mb = mean(lambda i: a[i]), mean(lambda i: b[i])
            va, vb, vab = (
                mean(lambda i: a[i] ** 2) - ma * ma,
                mean(lambda i: b[i] ** 2) - mb * mb,
                mean(lambda i: a[i] * b[i]) - ma * mb,
            )
            c1, c2 = (0.01 * top) ** 2, (0.03 * top) ** 2
            places.append((2 * ma * mb + c1) * (2 * vab + c2) / ((ma * ma + mb * mb + c1) * (va + vb + c2)))
    record = run(
        {"run": "metrics"}, {"image": ("u1", (height, width), a), "reference": ("u1", (height, width), b)}, ["metrics"]
    )["metrics"]
    for key, should in (
        ("mse", mse),
        ("mae", sum(abs(x - y) for x, y in zip(a, b)) / n),
        ("psnr_db", 10 * math.log10(top * top / mse)),
        ("ssim", sum(places) / len(places)),
    ):
        close([record[key]], [should], 1e-9, key)


# ---- numbers -------------------------------------------------------------------------------------------------------


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


def main():
    failures = 0
    for function in CHECKS:
        if sys.argv[1:] and not any(part in function.__name__ for part in sys.argv[1:]):
            continue
        try:
            function()
        except AssertionError as problem:
            failures += 1
            print(f"FAILED {function.__name__}: {problem}", file=sys.stderr)
    print(f"{len(CHECKS)} checks, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
