"""The pages of the documentation, block by block.

What a checker must know of a block stands in comments before it, which a reader does not see:

<!-- not run: REASON -->                    the whole block
<!-- not run: `COMMAND`, `COMMAND`: REASON -->  only these commands of a console block; others are run
<!-- long: ... -->                          the same, for what takes too long for every change: run where the label is long
<!-- file: NAME -->                         later blocks of the page find the block under this name
"""

import dataclasses
import pathlib
import re

FENCE = re.compile(r"^```(\w*)\s*$")
MARK = re.compile(r"^<!-- (not run|long|file): (.+?) -->$")


@dataclasses.dataclass
class Block:
    page: str
    line: int
    language: str
    text: str
    marks: dict

    @property
    def place(self):
        return f"{self.page}:{self.line}"

    def left_out(self, mark):
        """The commands that a mark is about, and why; None as commands: all of them."""
        text = self.marks.get(mark)
        if text is None:
            return [], ""
        named = re.match(r"((?:`[^`]+`(?:, )?)+): (.+)$", text)
        return (re.findall(r"`([^`]+)`", named[1]), named[2]) if named else (None, text)


def blocks_of(path, name):
    blocks, marks, fence, start, lines = [], {}, None, 0, []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if fence is not None:
            if line.rstrip() == "```":
                blocks.append(Block(name, start, fence, "\n".join(lines) + "\n", marks))
                fence, marks = None, {}
            else:
                lines.append(line)
        elif found := FENCE.match(line):
            fence, start, lines = found[1], number, []
        elif found := MARK.match(line.strip()):
            marks[found[1]] = found[2]
        elif line.strip():
            if marks:
                raise ValueError(f"{name}:{number}: a mark that no block follows")
    if fence is not None:
        raise ValueError(f"{name}:{start}: a block without an end")
    return blocks


def names_of(repository):
    repository = pathlib.Path(repository)
    at_the_top = [name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "results/README.md") if (repository / name).exists()]
    return at_the_top + [str(path.relative_to(repository)) for path in sorted((repository / "docs").rglob("*.md"))]


def pages_of(repository):
    repository = pathlib.Path(repository)
    return {name: blocks_of(repository / name, name) for name in names_of(repository)}
