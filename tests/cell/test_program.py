"""Inputs, targets and liveness of regions."""

from __future__ import annotations

import ast

from jupyter_npcompile.cell import Region, build_cell, build_function

SOURCE = """\
x = a + b
x, y = x + 1, c[i]
z[j] = y
x * y
"""


def region(source: str) -> Region:
    return build_cell(ast.parse(source), source, handle="H").regions[0]


def test_inputs_are_read_before_they_are_bound() -> None:
    whole = region(SOURCE)
    assert whole.inputs() == ("a", "b", "c", "i", "z", "j")
    assert whole.inputs(1) == ("x", "c", "i", "z", "j")
    assert whole.inputs(1, 2) == ("x", "c", "i")
    assert whole.inputs(2, 2) == ()


def test_targets_in_order() -> None:
    assert region(SOURCE).targets() == ("x", "y")
    assert region(SOURCE).targets(2) == ()


def test_everything_at_module_level_is_live() -> None:
    whole = region(SOURCE)
    assert whole.live() == ("x", "y")
    assert whole.taken(1) == ()  # the namespace has them


def test_statements() -> None:
    whole = region(SOURCE)
    assert [part.kind for part in whole.statements] == ["assign", "assign", "assign", "display"]
    assert whole.lines == (1, 4)
    assert [part.index for part in whole.statements] == [0, 1, 2, 3]


def test_region_numbers_are_indices() -> None:
    source = "a = b + 1\nprint()\nfor i in a:\n    c = i + 1\nd = c + 1"
    program = build_cell(ast.parse(source), source, handle="H")
    assert [part.id for part in program.regions] == [0, 1, 2]


def test_live_names_of_a_loop_body() -> None:
    node = ast.parse(
        "def f(n):\n  s = n * 0\n  for i in range(n):\n    t = s + i\n    u = t * 2\n"
        "    s = u + 1\n  return s"
    ).body[0]
    assert isinstance(node, ast.FunctionDef)
    body = build_function(node).regions[1]
    assert body.live(0, 3) == ("s",)  # the loop binds the others before it reads them again
    outside = ast.parse("def f(n):\n  t = n + 1\n  u = t * 2\n  return u + 1").body[0]
    assert isinstance(outside, ast.FunctionDef)
    straight = build_function(outside).regions[0]
    assert straight.live(0, 2) == ("u",)
    assert straight.live(0, 3) == ()
