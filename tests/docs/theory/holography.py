"""Propagation, background, off-axis holograms, focus."""

import cmath
import math

from check import check, close, dft, inverse, pattern, run, signed, turn

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
