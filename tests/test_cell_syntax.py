"""Copies and positions of syntax trees."""

from __future__ import annotations

import ast
import copy

import pytest

from jupyter_npcompile.cell.syntax import SourceText, clone
from tests.cell_snippets import SNIPPETS


@pytest.mark.parametrize("name", SNIPPETS)
def test_clone_is_a_deep_copy(name: str) -> None:
    tree = ast.parse(SNIPPETS[name])
    copied = clone(tree)
    wanted = ast.dump(copy.deepcopy(tree), include_attributes=True)
    assert ast.dump(copied, include_attributes=True) == wanted
    originals = {id(node) for node in ast.walk(tree) if node._fields or node._attributes}
    assert not any(id(node) in originals for node in ast.walk(copied))


def test_columns() -> None:
    text = SourceText.of("a\r\néß = '🙂' + x\rb")
    assert text.lines == ("a", "éß = '🙂' + x", "b")
    node = ast.parse("éß = '🙂' + x").body[0]
    assert isinstance(node, ast.Assign)
    assert isinstance(node.value, ast.BinOp)
    assert text.column(2, node.value.right.col_offset) == 11
    assert text.column(2, 999) == 12  # past the end, as f-strings of Python 3.11 may say
    assert text.column(7, 3) == 3
    assert (text.line(3), text.line(4), text.span(1, 2)) == ("b", "", "a\néß = '🙂' + x")
