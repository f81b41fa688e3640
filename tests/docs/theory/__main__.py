"""The formulas of docs/theory, written down once more as the pages have them, against the references of the program.

python3 theory [PART OF A NAME...]     PARALLAX_BIN is the program; small arrays, no library but Python's own
"""

import sys

# Each adds its checks to the list.
import box_counts, diffusion, holography, images, random_numbers, transforms   # noqa: E401, F401
from check import CHECKS


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
