"""Copies and positions of syntax trees."""

from __future__ import annotations

import ast
import copy

import pytest

from jupyter_npcompile.cell import build_cell
from jupyter_npcompile.cell.syntax import SourceText, clone, descend
from tests.support.cells.snippets import SNIPPETS


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


def test_attributes_of_other_tools_do_not_matter() -> None:
    """Traceback tools set `parent` on nodes, even on those that all trees share."""
    source = "x = a + f(b)[0]\nprint(x)\nx * 2"
    tree = ast.parse(source)
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            child.parent = node  # type: ignore[attr-defined]
    try:
        program = build_cell(tree, source, handle="H")
        assert not any(hasattr(part, "parent") for part in ast.walk(program.tree) if part._fields)
        compile(program.tree, "<cell>", "exec")
        assert len(list(descend(tree))) == sum(1 for node in ast.walk(tree) if node._fields)
    finally:
        for node in ast.walk(tree):
            vars(node).pop("parent", None)
