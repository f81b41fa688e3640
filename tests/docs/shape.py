"""Whether what a program says has the shape of what a page shows: numbers, devices and spaces may differ."""

import re

NUMBER = r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?"


def normal(line):
    line = re.sub(r"\b(?:pthread|cpu)-\S.*$", "DEVICE", line)   # PoCL's names of processors
    line = re.sub(rf"{NUMBER} (?:bytes|kB|MB|GB|TB)\b", "SIZE", line)
    line = re.sub(rf"{NUMBER} (?:ns|us|ms|s)\b", "TIME", line)
    line = re.sub(NUMBER, "0", line)
    return re.sub(r"\s+", " ", line).strip()


def agrees(shown, said):
    """Lines of `...` stand for any number of lines. Returns the first line of `shown` that is not found, or None."""
    said, at, skipping = [normal(line) for line in said.splitlines()], 0, True
    for line in shown.splitlines():
        if line.strip() == "...":
            skipping = True
            continue
        if not line.strip():
            continue
        wanted = normal(line)
        while at < len(said) and said[at] != wanted and (skipping or not said[at]):
            at += 1
        if at == len(said) or said[at] != wanted:
            return line
        at, skipping = at + 1, False
    return None
