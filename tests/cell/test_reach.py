"""What statements can reach, and that the skeleton tells of each before it runs."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

from jupyter_npcompile.cell import build_cell, build_function
from jupyter_npcompile.cell.reach import Reach, is_nothing, may_hold, reach


def of(source: str) -> Reach | None:
    return reach(ast.parse(source).body[0])


def test_names_of_what_is_read_called_and_bound() -> None:
    found = of("t = print(x.size, k + 1, math.sqrt(y))")
    assert found is not None
    assert found.values == {"x.size", "k", "y"}
    assert found.calls == {"print", "math.sqrt"}
    assert found.binds == {"t"}
    assert of("k += x") == Reach(frozenset("x"), frozenset("k"), frozenset(), frozenset("k"))
    assert of("for i, j in zip(a, b): x[0] = 1") == Reach(
        frozenset("ab"), frozenset(), frozenset({"zip"}), frozenset("ij")
    )


@pytest.mark.parametrize(
    "source",
    [
        *("x[0] = 1", "x.a = 1", "x[0] += 1", "x[:], y = 1, 2", "del x[0]", "del x", "import os"),
        *("x: int = 1", "raise x", "f(*x)", "f(**x)", "f(key=g)", "x.f(1, 2)", "f()(1)"),
        *("x[0].f()", "'a'.join(x)", "y = [k for k in x]", "y = lambda: x", "(y := x)"),
        *("for x[0] in y: pass", "with x: pass", "class A: pass", "def f(): pass"),
        *("print(x, file=y)", "x.sum(out=y)", "await x", "yield x"),
    ],
)
def test_what_may_reach_anything(source: str) -> None:
    tree = compile(source, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST)
    assert reach(tree.body[0]) is None


def test_what_does_nothing_is_left_where_it_stands() -> None:
    tree = ast.parse("'text'\nfrom __future__ import annotations\npass\nimport os\nx = 1")
    assert [is_nothing(node) for node in tree.body] == [True, True, True, False, False]
    program = build_cell(tree, "", handle="H", tells=True)
    compile(program.tree, "<cell>", "exec")


SOURCE = """
x = x + 1
print(x)
for k in range(3):
    x = x * 2
    while f(k):
        x = x + 3
    else:
        x = x + 4
    if k:
        x = x + 5
try:
    g(x)
except ValueError:
    x = x + 6
finally:
    x = x + 7
"""


class Told:
    """A handle that notes in which order it is asked and told."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.plain = [False] * 3
        self.over = self.leaves = False
        self.iterators: dict[int, Any] = {}

    def at(self, region: int, index: int) -> bool:
        self.heard.append(f"region {region}")
        return True

    def outside(self, number: int) -> bool:
        self.heard.append(f"outside {number}")
        return False

    iter = iter

    def begin(self, loop: int, iterator: Any) -> bool:
        self.iterators[loop] = iterator
        return False

    keep = begin

    def native(self, loop: int) -> bool:
        return False

    def rest(self, loop: int) -> Any:
        return self.iterators[loop]

    def skips(self, loop: int) -> bool:
        return False

    def around(self, loop: object) -> Any:
        return contextlib.nullcontext()

    @property
    @contextlib.contextmanager
    def late(self) -> Iterator[None]:
        self.heard.append("hold")
        try:
            yield
        finally:
            self.heard.append("settle")


def test_every_statement_outside_regions_is_told_of_first() -> None:
    program = build_cell(ast.parse(SOURCE), SOURCE, handle="H", tells=True)
    reaches = program.reaches
    assert reaches is not None
    told, calls = Told(), iter([True, False] * 3)

    def f(k: int) -> bool:
        told.heard.append("f")
        return next(calls)

    def g(x: int) -> None:
        told.heard.append("g")
        raise ValueError

    class Handle(Told):
        def keep(self, loop: int, iterator: Any) -> Any:
            return iterator

    handle = Handle()
    handle.heard = told.heard
    space: dict[str, Any] = {"x": 1, "f": f, "g": g, "H": handle, "print": lambda x: None}
    exec(compile(program.tree, "<cell>", "exec"), space)
    heard = told.heard
    unknown = f"outside {reaches.index(None)}"
    for place, event in enumerate(heard):
        if event == "g":
            assert heard[place - 1].startswith("region")  # and the answer is: run it
            assert heard[place + 1] == unknown  # in the handler, before its region
        if event == "f":  # the test of a loop: told before it runs, and when it has run
            assert heard[place - 1].startswith("outside")
            assert heard[place + 1].startswith("outside")
    last = max(place for place, event in enumerate(heard) if event.startswith("region"))
    assert heard[last - 1] == unknown  # in `finally`
    assert space["x"] > 0


@pytest.mark.parametrize("ends", ["", "raise ValueError"])
def test_a_loop_of_a_cell_is_settled_however_it_ends(ends: str) -> None:
    source = f"for k in range(2):\n    x = x + 1\n    if k:\n        continue\n    {ends}\n"
    program = build_cell(ast.parse(source), source, handle="H", tells=True)
    told = Told()
    try:
        exec(compile(program.tree, "<cell>", "exec"), {"H": told, "x": 0})
    except ValueError:
        assert ends
    heard = [event for event in told.heard if event in ("hold", "settle", "region 0")]
    assert heard == ["hold", "hold", *["region 0"] * (1 if ends else 2), "settle", "settle"]


def test_a_header_whose_names_are_bound_in_its_loop_may_be_anything() -> None:
    source = "for k in range(n):\n    f(k)\n    {} = 3\n"
    for name, known in (("m", True), ("n", False), ("range", False)):
        text = source.format(name)
        reaches = build_cell(ast.parse(text), text, handle="H", tells=True).reaches
        assert reaches is not None
        assert any(one and "range" in one.calls for one in reaches) is known


@pytest.mark.parametrize(
    ("source", "in_cell", "in_function"),
    [
        ("for k in x:\n    f(k)", True, True),
        ("try:\n    f()\nexcept (ValueError, np.linalg.LinAlgError):\n    pass", True, True),
        ("try:\n    f()\nexcept g():\n    pass", False, False),
        ("try:\n    f()\nexcept:\n    pass", True, True),
        ("k: int = 3", True, True),
        ("k: g(x) = 3", False, True),
        ("def f():\n    k: g(x) = 3", True, True),
    ],
)
def test_where_foreign_code_would_run_untold_nothing_is_held(
    source: str, in_cell: bool, in_function: bool
) -> None:
    body = ast.parse(source).body
    assert may_hold(body, in_function=False) is in_cell
    assert may_hold(body, in_function=True) is in_function


def test_nothing_is_told_unless_it_is_asked_for() -> None:
    program = build_cell(ast.parse(SOURCE), SOURCE, handle="H")
    assert program.reaches is None
    assert "outside" not in ast.unparse(program.tree)


def test_where_nobody_can_ask_nothing_is_told() -> None:
    source = "x = x + 1\nwith y:\n    x = x + 2\n"
    assert build_cell(ast.parse(source), source, handle="H", tells=True).reaches is None
    program = build_cell(ast.parse("x + 1\nprint(x)"), "", handle="H", tells=True)
    assert program.reaches is not None
    shown = build_cell(ast.parse("x + 1\nprint(x)"), "", handle="H", display_all=True, tells=True)
    assert shown.reaches is None


def test_a_docstring_stays_first() -> None:
    source = 'def f(x):\n    "says it"\n    y = x + 1\n    print(y)\n    return y * 2'
    program = build_function(ast.parse(source).body[0], tells=True)  # type: ignore[arg-type]
    definition: Any = program.factory.body[0].body[-1]  # type: ignore[attr-defined]
    assert ast.get_docstring(definition) == "says it"
    assert program.reaches is not None
