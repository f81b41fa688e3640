"""The lattice-Boltzmann scheme, a point source, additive operator splitting."""

import math

from check import check, close, pattern, run


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
