"""What docs/python.md and the package's own example show, run; and the types that checkers see."""

import ast
import doctest
import pathlib
import re

import pytest

import parallax

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "python.md"


def test_the_page(capsys):
    if not PAGE.exists():
        pytest.skip("the documentation is not here")
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert len(blocks) == 2
    names = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    assert names["amplitude"].shape == (480, 640)
    assert 'did you mean "pixel_um"' in capsys.readouterr().out


def test_the_package():
    assert doctest.testmod(parallax).failed == 0


def test_the_types_of_the_compiled_module():
    stub = pathlib.Path(parallax.__file__).parent / "_parallax.pyi"
    tree = ast.parse(stub.read_text(encoding="utf-8"))
    described = {node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    described |= {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)}
    there = {name for name in vars(parallax._parallax) if not name.startswith("_")}
    assert there - described == set()
