"""More cells of the Python language: under the magic they give what they give without it."""

from __future__ import annotations

import pytest

import jupyter_npcompile
from tests.support.cells.native import MAGIC, Bench, assert_same
from tests.support.cells.python_cells import CELLS, Cell


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.name)
def test_cell(cell: Cell) -> None:
    assert_same(
        cell.source.strip("\n"),
        setup=cell.setup,
        earlier=cell.earlier,
        captured=cell.captured,
        fallbacks=cell.fallbacks,
    )


def test_there_are_enough() -> None:
    assert len({cell.source for cell in CELLS}) == len(CELLS) >= 110


def test_indented_cell() -> None:
    """IPython takes common indentation off a cell, which the magic line must not prevent."""
    with Bench(compiled=True) as bench:
        bench.setup("x = np.arange(3.0)")
        seen = bench.cell("    y = x * 2\n\n    if True:\n        z = y + 1\n    z", head=MAGIC)
        assert seen.error is None
        assert bench.shell.user_ns["z"].tolist() == [1.0, 3.0, 5.0]
        assert {line.line for line in jupyter_npcompile.last_report().lines} == {2, 4, 5, 6}


def test_cell_in_a_compiled_cell() -> None:
    """A compiled cell runs another one: each has its own report."""
    inner = f"{MAGIC}\nz = y + 1\nw = z * 2"
    with Bench(compiled=True) as bench:
        bench.setup("x = np.arange(3.0)")
        seen = bench.cell(f"y = x * 2\nr = get_ipython().run_cell({inner!r})\nv = w + 1\nv")
        assert (seen.error, seen.leftovers) == (None, [])
        assert bench.shell.user_ns["v"].tolist() == [3.0, 7.0, 11.0]
        assert [line.line for line in jupyter_npcompile.last_report().lines] == [2, 3, 4, 5]


def test_silent_cell_in_a_compiled_cell() -> None:
    with Bench(compiled=True) as bench:
        bench.setup("x = np.arange(3.0)")
        inner = f"{MAGIC}\nz = x + 1"
        seen = bench.cell(f"y = x * 2\nget_ipython().run_cell({inner!r}, silent=True)\nv = z + y")
        assert (seen.error, seen.leftovers) == (None, [])
        assert bench.shell.user_ns["v"].tolist() == [1.0, 4.0, 7.0]


def test_methods_in_the_report() -> None:
    """Lines of methods and nested functions that ran in a segment are compiled."""
    source = """
class M:
    def __init__(self, w):
        self.w = w
    def f(self, v):
        u = np.tanh(v * self.w)
        return u.sum() * v
    def g(self, v):
        return np.cos(v)
def outer(k):
    def inner(v):
        u = np.sin(v) * k
        return u + 1
    return inner
m = M(x * 2)
g = outer(3)
y = m.f(x) + 1
z = g(x) + 1
del m
"""
    run = assert_same(
        source.strip("\n"), setup="x = np.linspace(0.5, 3.0, 6)", captured={6, 7, 12, 13, 17, 18}
    )
    for report in run.reports:
        assert [point.line for point in report.breaks] == [9, 15]


def test_numpy_calls_in_a_match() -> None:
    source = """
y = x * 2
match np.sum(x) > 0, x[0]:
    case (a, b) if np.any(y > 100):
        z = y + 1
    case _:
        z = y + 2
w = z * 2
"""
    run = assert_same(source.strip("\n"), setup="x = np.arange(3.0)", captured={2, 7, 8})
    report = run.reports[-1]
    assert [line.line for line in report.lines if line.status == "host"] == [3, 4]
    assert [point.line for point in report.breaks] == [3, 4]


@pytest.mark.parametrize(
    "interactivity", ["all", "last_expr_or_assign", "last", "last_expr", "none"]
)
@pytest.mark.parametrize("last", ["w = z + y", "w += y", "w + y", "w[0] = 5.0", "v = w = z;", "w;"])
def test_what_is_displayed(interactivity: str, last: str) -> None:
    """IPython's setting decides which expressions are shown."""
    source = f"""
y = x * 2
y + 1
z = y + 1
for k in range(2):
    w = z * k
    w + 1
w = w + 1

def f(v):
    v + 1
    return v * 2

f(x)
w = f(w) + 1
w.sum()
{last}
"""
    shown = f"get_ipython().ast_node_interactivity = {interactivity!r}"
    setup = f"x = np.arange(3.0)\n{shown}"
    run = assert_same(source.strip("\n"), setup=setup)
    lines = {line.line for line in run.reports[-1].lines if line.status == "compiled"}
    assert lines >= {2, 4, 6, 8}
    assert lines & {3, 7} == (set() if interactivity == "all" else {3, 7})
