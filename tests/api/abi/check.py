#!/usr/bin/env python3
"""What linked programs count on: the functions of parallax.h, its constants, and where the fields of its structs lie.

    check.py HEADER LIBRARY CC NM      holds them against c.txt, on 64 bits
    check.py --write ...               writes c.txt

A line of c.txt may be added. One that goes or changes breaks programs: docs/compatibility.md says when that may be. So fields are
added at the end of structs, functions and constants as they come.
"""

import pathlib
import re
import struct
import subprocess
import sys
import tempfile

LIST = pathlib.Path(__file__).with_name("c.txt")


def declared(text):
    """Functions, constants, and the fields of each struct, in the header's order."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    functions = re.findall(r"PLX_API[^;(]*?\b(plx_\w+)\s*\(", text)
    constants = [
        name
        for body in re.findall(r"\benum\b[^{;]*\{(.*?)\}", text, re.DOTALL)
        for name in re.findall(r"\bPLX_\w+", re.sub(r"=[^,}]*", "", body))
    ]
    structs = {}
    for name, body in re.findall(r"typedef struct (plx_\w+) \{(.*?)\}\s*plx_\w+;", text, re.DOTALL):
        fields = []
        for declaration in body.split(";"):
            if pointer := re.search(r"\(\*(\w+)\)", declaration):
                fields.append(pointer[1])
            elif declaration.strip():
                fields += [re.search(r"(\w+)\s*(?:\[[^\]]*\])?\s*$", part.strip())[1] for part in declaration.split(",")]
        structs[name] = fields
    return functions, constants, structs


def program(constants, structs):
    lines = ["#include <parallax/parallax.h>", "#include <stdio.h>", "int main(void) {"]
    lines += [f'    printf("constant {name} %d\\n", (int){name});' for name in constants]
    for name, fields in structs.items():
        kind = "may grow" if "struct_size" in fields else "as it is"
        lines.append(f'    printf("struct {name}, {kind}: %zu bytes\\n", sizeof({name}));')
        lines += [
            f'    printf("field {name}.{field} at %zu, %zu bytes\\n", offsetof({name}, {field}), sizeof((({name}*)0)->{field}));'
            for field in fields
        ]
    return "\n".join([*lines, "    return 0;", "}", ""])


def grown(line, now):
    """Whether it is the size of a struct that says its own, which a longer one replaces."""
    found = re.match(r"(struct \w+, may grow): (\d+) bytes$", line)
    return found is not None and any(
        other.startswith(found[1] + ":") and int(other.split()[-2]) > int(found[2]) for other in now
    )


def in_padding(line, before):
    """Whether it is a new field that lies where a struct of before ended in padding: programs of before have anything there."""
    field = re.match(r"field (\w+)\.\w+ at (\d+)", line)
    sizes = {
        found[1]: int(found[2]) for found in (re.match(r"struct (\w+), [a-z ]+: (\d+) bytes$", one) for one in before) if found
    }
    return field is not None and int(field[2]) < sizes.get(field[1], 0)


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--write"]
    header, library, compiler, nm = arguments
    if struct.calcsize("P") != 8:
        print("not looked at: the list is that of 64 bits")
        return 77
    functions, constants, structs = declared(pathlib.Path(header).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        source, made = pathlib.Path(folder) / "layout.c", pathlib.Path(folder) / "layout"
        source.write_text(program(constants, structs), encoding="utf-8")
        subprocess.run(
            [
                compiler,
                "-std=c99",
                "-DPARALLAX_STATIC",
                "-I",
                str(pathlib.Path(header).parents[1]),
                str(source),
                "-o",
                str(made),
            ],
            check=True,
        )
        layout = subprocess.run([str(made)], check=True, capture_output=True, text=True).stdout.splitlines()
    symbols = subprocess.run(
        [nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    exported = {line.split()[-1].split("@")[0] for line in symbols if re.search(r" [TW] plx_", line)}
    failures = [f"declared, but not in the library: {name}" for name in functions if name not in exported]
    failures += [f"in the library, but not declared: {name}" for name in sorted(exported - set(functions))]
    now = [f"function {name}" for name in sorted(functions)] + layout
    if "--write" in sys.argv:
        LIST.write_text("\n".join(now) + "\n", encoding="utf-8")
    before = LIST.read_text(encoding="utf-8").splitlines()
    failures += [
        f"gone or changed, which breaks programs: {line}" for line in before if line not in now and not grown(line, now)
    ]
    for line in now:
        if line not in before:
            why = (
                "in the padding of before, which programs have not set"
                if in_padding(line, before)
                else f"new, to be added to {LIST.name} (--write)"
            )
            failures.append(f"{why}: {line}")
    for failure in failures:
        print("FAILED", failure, file=sys.stderr)
    print(f"{len(functions)} functions, {len(constants)} constants, {len(structs)} structs, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
