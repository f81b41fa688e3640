"""The Python of every page and the package's own example, run; and the types that checkers see."""

import ast
import doctest
import pathlib
import re

import pytest

import parallax
from test_laboratory import PROGRAM

ROOT = pathlib.Path(__file__).parents[2]


def blocks_of(page):
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Pages write where they are."""
    monkeypatch.chdir(tmp_path)


def run(page):
    names = {}
    for block in blocks_of(page):
        exec(compile(block, str(page), "exec"), names)
    return names


def test_the_page(capsys):
    page = ROOT / "docs" / "python.md"
    if not page.exists():
        pytest.skip("the documentation is not here")
    assert len(blocks_of(page)) == 2
    assert run(page)["amplitude"].shape == (480, 640)
    assert 'did you mean "pixel_um"' in capsys.readouterr().out


@pytest.mark.parametrize("page", [page for page in [ROOT / "README.md", *ROOT.glob("docs/**/*.md")]
                                  if page.name != "python.md" and page.exists() and blocks_of(page)], ids=str)
def test_other_pages(page):
    if page.name == "compare.md" and PROGRAM is None:
        pytest.skip("the program parallax is not here: PARALLAX_BIN says where it is")
    run(page)


@pytest.mark.parametrize("module", [parallax, parallax._laboratory], ids=lambda module: module.__name__)
def test_the_package(module):
    if module is parallax._laboratory and PROGRAM is None:
        pytest.skip("the program parallax is not here: PARALLAX_BIN says where it is")
    done = doctest.testmod(module)
    assert done.attempted > 0 and done.failed == 0


def test_the_types_of_the_compiled_module():
    stub = pathlib.Path(parallax.__file__).parent / "_parallax.pyi"
    tree = ast.parse(stub.read_text(encoding="utf-8"))
    described = {node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    described |= {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)}
    there = {name for name in vars(parallax._parallax) if not name.startswith("_")}
    assert there - described == set()
    assert {error.__module__ for error in (parallax.Error, *parallax.Error.__subclasses__())} == {"parallax"}
