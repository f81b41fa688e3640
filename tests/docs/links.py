#!/usr/bin/env python3
"""Links and citations lead somewhere: pages to pages, their sections and the code's files; comments to pages and their
sections; the index to every page.

    links.py          from the repository, or with PARALLAX_SOURCE; it needs neither a build nor a device

Pages are README.md, CONTRIBUTING.md, SECURITY.md and those below docs. A citation in the code is such a path, with or without a
#section.
"""

import os
import pathlib
import re
import sys

import pages

CODE = ("benchmarks", "cmake", "configs", "engine", "examples", "host", "kernels_cl", "lab", "python", "tests", "tools")
ENDINGS = {".c", ".cl", ".clh", ".cmake", ".cpp", ".h", ".hpp", ".in", ".json", ".py", ".pyi", ".sh", ".txt"}
LINK = re.compile(r"\]\(([^)\s]+)\)")
CITATION = re.compile(r"\bdocs/(?:[\w.-]+/)*[\w-]+\.md(?:#[\w-]+)?")
INDEX = "docs/README.md"
TOP = {*CODE, "docs"}
ROOMS = ("engine", "engine/algorithms", "engine/include", "host", "host/include", "lab", "lab/include", "kernels_cl", "tests")


def without_code(text):
    """A page without its blocks of code, and without code within lines."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL))


def sections_of(path):
    """The names by which a page's headings are linked to, as the sites that show them make them."""
    found, names = {}, set()
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        name = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()).replace(" ", "-")
        count = found.get(name, 0)
        found[name] = count + 1
        names.add(f"{name}-{count}" if count else name)
    return names


class Links:
    def __init__(self, source):
        self.source = pathlib.Path(source)
        self.sections = {}

    def problem_of(self, path, section):
        """Why `path`, and the section of it if there is one, is no place to point at; None: it is."""
        if not path.exists():
            return "which is not there"
        if not section or path.suffix != ".md":
            return None
        if path not in self.sections:
            self.sections[path] = sections_of(path)
        return None if section in self.sections[path] else "which has no such section"

    def of_page(self, name):
        """Problems of a page, and the files of the repository that it links to."""
        page, problems, targets = self.source / name, [], []
        for link in LINK.findall(without_code(page.read_text(encoding="utf-8"))):
            if "://" in link:
                continue
            target, _, section = link.partition("#")
            path = pathlib.Path(os.path.normpath(page.parent / target)) if target else page
            if why := self.problem_of(path, section):
                problems.append(f"{name}: a link to {link}, {why}")
            targets.append(path)
        return problems, targets

    def paths_of_page(self, name):
        """Problems of our paths in a page: `engine/io/format.hpp`, or as includes have them, `core/plan.hpp`."""
        problems = []
        text = re.sub(r"^```.*?^```$", "", (self.source / name).read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for span in re.findall(r"`([^`\n]+)`", text):
            path = re.split(r"[:#]", span.split()[0])[0].rstrip("/")
            if re.search(r"[^\w./+-]", path):  # a pattern, or what somebody puts in
                continue
            if name.endswith("adding-an-algorithm.md") and "invert" in path:  # its example, which stands in the page alone
                continue
            ours = path.split("/")[0] in TOP and "/" in path
            if ours or re.fullmatch(r"\w+/[\w/]+\.(hpp|cpp|cl|clh)", path):
                if not any((self.source / folder / path).exists() for folder in ([""] if ours else ROOMS)):
                    problems.append(f"{name}: `{span}`, which is not there")
        return problems

    def of_code(self):
        problems = []
        for folder in CODE:
            for path in sorted((self.source / folder).rglob("*")):
                if path.suffix not in ENDINGS or "third_party" in path.parts or not path.is_file():
                    continue
                for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").split("\n"), 1):
                    for cited in CITATION.findall(line):
                        target, _, section = cited.partition("#")
                        if why := self.problem_of(self.source / target, section):
                            problems.append(f"{path.relative_to(self.source)}:{number}: cites {cited}, {why}")
        return problems

    def without_a_place(self):
        """Pages that the index does not name, and the index where README.md does not."""
        named = {str(path.relative_to(self.source)) for path in self.of_page(INDEX)[1] if path.is_relative_to(self.source)}
        problems = [
            f"{name}: {INDEX} does not link to it"
            for name in pages.names_of(self.source)
            if name not in named and name not in (INDEX, "README.md")
        ]
        if self.source / INDEX not in self.of_page("README.md")[1]:
            problems.append(f"README.md: no link to {INDEX}")
        return problems

    def all(self):
        problems = []
        for name in pages.names_of(self.source):
            problems += self.of_page(name)[0] + self.paths_of_page(name)
        return problems + self.without_a_place() + self.of_code()


def main():
    source = os.environ.get("PARALLAX_SOURCE", pathlib.Path(__file__).resolve().parents[2])
    problems = Links(source).all()
    for problem in problems:
        print("FAILED", problem, file=sys.stderr)
    print(f"{len(pages.names_of(source))} pages, {len(problems)} links or citations that lead nowhere")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
