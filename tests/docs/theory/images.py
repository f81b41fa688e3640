"""Equalisation, windows, thresholds, measures."""

import math

from check import check, close, f32, pattern, run


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
