"""Counts, and the lines through them."""

import math

from check import check, close, run


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
