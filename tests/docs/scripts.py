#!/usr/bin/env python3
"""Every script is one: Python files are parsed, files for a shell read by it, and nothing of them is run. What takes too long for
every change (tools/check) is otherwise found broken only when somebody needs it.

    scripts.py        from the repository, or with PARALLAX_SOURCE; it needs neither a build nor a device
"""

import ast
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(os.environ.get("PARALLAX_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
FOLDERS = ("benchmarks", "cmake", "configs", "examples", "python", "tests", "tools", ".ci")


def first_line(path):
    with open(path, "rb") as file:
        return file.readline(200).decode("utf-8", "replace")


def wrong(path):
    """What is wrong with a script; None of what is right, or no script."""
    begins = first_line(path) if not path.suffix else ""
    if path.suffix == ".py" or begins.startswith("#!") and "python" in begins:
        try:
            ast.parse(path.read_text(encoding="utf-8"), str(path))
        except SyntaxError as error:
            return f"{error.lineno}: {error.msg}"
    elif path.suffix == ".sh" or begins.startswith("#!") and "sh" in begins:
        done = subprocess.run(["bash", "-n", path], capture_output=True, text=True)
        if done.returncode != 0:
            return done.stderr.strip()
    else:
        return None
    return ""


def main():
    found = {path: wrong(path) for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*")) if path.is_file()}
    bad = {path: error for path, error in found.items() if error}
    for path, error in bad.items():
        print(f"{path.relative_to(ROOT)}: {error}")
    print(f"{sum(error is not None for error in found.values())} scripts, {len(bad)} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
