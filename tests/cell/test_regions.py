"""What is guarded, what stays, and why."""

from __future__ import annotations

import ast

import pytest

from jupyter_npcompile.cell import build_cell
from jupyter_npcompile.cell.regions import has_work, refusal, runs, stays_native


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("x = a + b", None),
        ("x[0], (y, *z) = a", None),
        ("x += 1", None),
        ("f(x)", None),
        ("x = [f(lambda y: y) for i in a]", None),
        ("import numpy", "import"),
        ("from numpy import *", "import"),
        ("def f(): pass", "definition"),
        ("class A: pass", "definition"),
        ("f = lambda x: x + 1", "definition"),
        ("g = (i for i in x)", "generator expression"),
        ("for i in x: pass", "control flow"),
        ("pass", "control flow"),
        ("raise E", "control flow"),
        ("assert x + 1", "assert"),
        ("del x[0]", "del"),
        ("x: int", "annotated assignment"),
        ("(x): int = 1", "annotated assignment"),
        ("x.y: int = 1", "annotated assignment"),
        ("x.y = a + b", "assigns an attribute"),
        ("x, (y, z.w) = a", "assigns an attribute"),
        ("x.y += 1", "assigns an attribute"),
        ("await f()", "await"),
        ("x = [i async for i in f()]", "await"),
        ("x = (y := 1) + 2", "assignment expression (:=)"),
        ("x = [a for b[0] in c]", "assignment target"),
        ("print(x)", "print"),
        ("x = f(input('?'))", "input"),
        ("x = [print(i) for i in a]", "print"),
        ("get_ipython().run_line_magic('time', '')", "IPython command"),
        ("x = locals()['y']", "locals"),
        ("global x", "global or nonlocal"),
    ],
)
def test_refusal(source: str, reason: str | None) -> None:
    assert refusal(ast.parse(source).body[0]) == reason


@pytest.mark.parametrize(
    ("source", "work"),
    [
        ("x = 3", False),
        ("x = -3", False),
        ("x = 2 ** 10", False),
        ("x = y", False),
        ("x, y = y, x", False),
        ("x = 's'", False),
        ("x = f'{y + 1}'", False),
        ("x = [1, 2, y]", False),
        ("x = y if z else w", False),
        ("x = y.T", True),
        ("x = -y", True),
        ("x = y[0]", True),
        ("x[0] = 1", True),
        ("x += 1", True),
        ("x = [1, y + 1]", True),
        ("x = f()", True),
        ("x = y < 1", True),
        ("x = [i * 2 for i in y]", True),
    ],
)
def test_work(source: str, work: bool) -> None:
    assert has_work(ast.parse(source).body[0]) is work


@pytest.mark.parametrize(
    ("source", "shape"),
    [
        ("a = 1\nb = 2", "s2"),
        ("a = 1\nb = a + 1\nc = 3\nd = b + c\ne = 5", "s1 r3 s1"),
        ("'doc'\na = b + 1\n'text'\nc = a + 1", "s1 r3"),
        ("a = b + 1\nprint(a)\nc = a + 1", "r1 s1 r1"),
        ("print(a)\nprint(b)", "s1 s1"),
        ("", ""),
    ],
)
def test_runs(source: str, shape: str) -> None:
    body = ast.parse(source).body
    found = list(runs(body, "module"))
    assert " ".join(f"{'sr'[guarded]}{len(part)}" for guarded, part in found) == shape
    assert [statement for _, part in found for statement in part] == body


def test_run_ends_where_nested_scopes_look() -> None:
    body = ast.parse("a = b + 1\nc = a + 1\nd = c + 1").body
    found = [len(part) for _, part in runs(body, "function", {"a"})]
    assert found == [1, 2]


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("def f(): return 1", None),
        ("@d\ndef f(): pass", "decorated function"),
        ("def f(): yield", "generator function"),
        ("def f(): return (yield)", "generator function"),
        ("def f():\n  def g(): yield", None),
        ("def f(): global x", "global or nonlocal"),
        ("def f(): return vars()", "uses vars"),
        ("def f(): return [eval(i) for i in x]", "uses eval"),
    ],
)
def test_functions(source: str, reason: str | None) -> None:
    node = ast.parse(source).body[0]
    assert isinstance(node, ast.FunctionDef)
    assert stays_native(node) == reason


def test_methods_and_nested_functions_stay_native() -> None:
    source = """
class A:
    def method(self):
        return self.x + 1
def outer(x):
    def inner(y):
        return y + 1
    return inner(x) + 1
"""
    program = build_cell(ast.parse(source), source, handle="H")
    assert [function.name for function in program.functions] == ["outer"]
    assert [line.reason for line in program.lines] == [
        "definition",
        "method of a class",
        "method of a class",
        "definition",
        "definition",
        "nested function",
        None,
    ]
