"""Statements that do their work row by row do it for a few rows at a time, and nobody sees it."""

from __future__ import annotations

import ast
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from jupyter_npcompile.loops.fusion import row_blocks
from jupyter_npcompile.loops.fusion.row_expressions import NotByRows
from jupyter_npcompile.loops.fusion.rows import Rows
from jupyter_npcompile.loops.kinds import ArrayType
from tests.runtime.dispatch.test_whole_function import whole
from tests.support.loops.native_loops import define, differences, outcome

pytestmark = pytest.mark.usefixtures("straight_functions")


@pytest.fixture
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a few rows, of arrays of any size, whatever is needed afterwards."""
    monkeypatch.setattr(row_blocks, "BLOCK", 12)
    monkeypatch.setattr(row_blocks, "LARGE", 0)
    monkeypatch.setattr(row_blocks, "FEWEST", 2)
    monkeypatch.setattr(row_blocks, "NARROWEST", 2)
    monkeypatch.setattr(row_blocks, "LEAST", -100)


def rows_of(text: str, *, by_columns: bool = False, **dimensions: int) -> Rows:
    """What is found of statements, of arrays with these numbers of dimensions."""
    names = {"np": np, "abs": abs}

    def resolve(node: ast.expr) -> Any:
        try:
            return eval(ast.unparse(node), dict(names))
        except NameError:
            raise LookupError from None

    env = {name: ArrayType("float64", ndim, True) for name, ndim in dimensions.items()}
    rows = Rows(env, resolve, max(dimensions.values()), by_columns)
    for statement in ast.parse(text).body:
        rows.add(statement)
    return rows


BY_COLUMNS = (
    ("y = np.cumsum(x, axis=0) - w; z = y[1:] - y[:-1]; t = z.max(axis=0)", {"x", "w"}),
    ("y = np.maximum.accumulate(x, axis=0) / w[None]", {"x", "w"}),
    ("y = (x - x.mean(axis=0)) / np.sqrt(w); y[0] = 1; y[1:] *= w", {"x", "w"}),
    ("y = x[-1] * w", {"x", "w"}),
)

NOT_BY_COLUMNS = (
    "y = x - x.max(axis=-1, keepdims=True)",
    "y = x[:, 1:] - x[:, :-1]",
    "y = x - w[:, None]",
    "y = np.cumsum(w) * x",
    "y = x * 2; y[:, 0] = 1",
    "y = x.T * 2",
    "y = x.transpose(1, 0) * 2",
)

BY_ROWS = (
    ("y = x - x.max(axis=1, keepdims=True)", {"x"}),
    ("y = (x - w) / np.sqrt(w)", {"x"}),
    ("y = x - w[None, :]", {"x"}),
    ("y = x * v[:, None]", {"x", "v"}),
    ("y = x[:, 1:] - x[:, :-1]; z = y.sum(axis=-1)", {"x"}),
    ("y = np.where(x > 0, x, w); y[:, 0] = 1; y += w", {"x"}),
    ("y = np.sort(x, axis=1)[:, ::-1] * 2", {"x"}),
    ("y = ((x[:, None] - w[None, :, None]) ** 2).sum(axis=(1, 2))", {"x"}),
    ("x = x - x.mean(axis=1)[:, None]; y = x * x", {"x"}),
    ("y = x[:, 1:] + x.shape[1]", {"x"}),
)

NOT_BY_ROWS = (
    "y = x - x.max(axis=0)",
    "y = x - x.max()",
    "y = x / x.sum(axis=1)",  # the sums lie along a row
    "y = x[1:] - x[:-1]",
    "y = x[::-1] * 2",
    "y = x",
    "y = x[:, 1:]",
    "y = x @ x",
    "y = x * 2; z = y * y.shape[0]",
    "y = np.cumsum(x, axis=0)",
    "y = x * 2; z = y.sum(axis=1) - x",
    "y = x * 2; y[0] = 1",
    "y = x * 2; y[:, v] = 1; y[v] = 2",
    "x -= w",
    "y = w * 2",
    "y = x * v[:, None] + v",  # by rows, and the same for all of them
    "y = np.outer(x, x)",
    "y = np.add(x, x, out=x)",
    "y = f(x)",
)


@pytest.mark.parametrize(("text", "inputs"), BY_ROWS)
def test_what_is_done_by_rows(text: str, inputs: set[str]) -> None:
    assert {*rows_of(text, x=2, w=1, v=1).inputs} == inputs


@pytest.mark.parametrize("text", NOT_BY_ROWS)
def test_what_is_not(text: str) -> None:
    with pytest.raises(NotByRows):
        rows_of(text, x=2, w=1, v=1)


@pytest.mark.parametrize(("text", "inputs"), BY_COLUMNS)
def test_what_is_done_by_columns(text: str, inputs: set[str]) -> None:
    assert {*rows_of(text, by_columns=True, x=2, w=1).inputs} == inputs


@pytest.mark.parametrize("text", NOT_BY_COLUMNS)
def test_what_is_not_done_by_columns(text: str) -> None:
    with pytest.raises(NotByRows):
        rows_of(text, by_columns=True, x=2, w=1)


def test_what_cannot_be_added_changes_nothing() -> None:
    rows = rows_of("y = x * 2", x=2, w=1, v=1)
    before = ({*rows.inputs}, {*rows.whole}, dict(rows.made), len(rows.statements))
    with pytest.raises(NotByRows):
        rows.add(ast.parse("z = x * v[:, None] + v").body[0])
    assert ({*rows.inputs}, {*rows.whole}, dict(rows.made), len(rows.statements)) == before


def test_what_may_go_before() -> None:
    rows = rows_of("y = x * w", x=2, w=1)
    texts = ("k = np.ones(3) * 2", "k = y * 2", "w = np.ones(3)", "k = print(3)", "x = w * 2")
    found = [rows.may_go_before(ast.parse(text).body[0]) for text in texts]
    assert found == [True, False, False, False, False]


def program(seed: int) -> str:
    """Random statements on rows: ``x`` and ``y`` have rows, ``c`` a number for each, ``w`` none."""
    rng = random.Random(seed)
    wide, lines = ["x", "y"], []
    column = ["c[:, None]"]

    def operand() -> str:
        one = rng.choice([*wide, *wide, *column, "w", "s", "w[None, :]", "2.5"])
        return rng.choice([one, one, f"np.abs({one})", f"(-{one})"])

    def line(name: str) -> str:
        how = rng.choice(["sum", "max", "min", "mean", "sum"])
        of = f"({rng.choice(wide)} * {operand()})"
        kept = rng.choice(["axis=1, keepdims=True", "axis=-1, keepdims=True", "1", "axis=-1"])
        if "keepdims" not in kept:
            column.append(f"{name}[:, None]")
            return f"{name} = np.{how}({of}, {kept})"
        column.append(name)
        return f"{name} = {of}.{how}({kept})"

    for place in range(rng.randint(4, 7)):
        what, name = rng.randrange(6), f"t{place}"
        if what < 2 or place == 1:
            lines.append(line(name))
        elif what == 2 and len(wide) > 2:
            target = wide[-1]
            lines.append(rng.choice([f"{target} += {operand()}", f"{target}[:, 1:] = s"]))
        elif what == 3:
            lines.append(f"w{place} = w * {place} + s")
            lines.append(f"{name} = {rng.choice(wide)} - w{place}")
            wide.append(name)
        else:
            name = rng.choice([name, name, "x"])
            value = f"{rng.choice(wide)} {rng.choice('+-*')} {operand()}"
            lines.append(
                f"{name} = {rng.choice([value, f'np.where({value} > 0, {operand()}, y)'])}"
            )
            wide = [*(n for n in wide if n != name), name]
    made = sorted({text.split(" ")[0].split("[")[0] for text in lines})
    result = f"{wide[-1]} - {wide[-1]}.max(axis=1, keepdims=True)"
    body = "\n    ".join(lines)
    return f"def f(x, y, c, w, s):\n    {body}\n    z = {result}\n    return z, {', '.join(made)}\n"


def arguments(run: int) -> Sequence[Any]:
    """Arrays that lie in memory in all sorts of ways; some do not fit."""
    rng = np.random.default_rng(run)
    n, m = (int(v) for v in rng.integers(2, 9, 2))
    n = {3: 0, 4: 1}.get(run, n)
    x, y = rng.normal(size=(2, n, m))
    c, w = rng.normal(size=n), rng.normal(size=m)
    if run == 1:
        x = np.asfortranarray(x)
    elif run == 2:
        x, y = np.repeat(x, 2, 1)[:, ::2], y[::-1, ::-1]
    elif run == 5:
        y, c = y[:1], c[:1]
    elif run == 6:
        x = np.broadcast_to(x[:, :1], x.shape)
    elif run == 7 and n:
        x[0, 0] = np.nan
    elif run == 8:
        w = rng.normal(size=m + 1)
    return x, y, c, w, float(rng.normal())


@pytest.mark.usefixtures("_small_blocks")
@pytest.mark.parametrize("seed", [0])
def test_random_rows(seed: int) -> None:
    text = program(seed)
    function = define(text)
    made, state = whole(function, arguments(0))
    assert not state.closed, state.closed
    assert "put_part<" in state.forms[0].code.source, text
    ran = 0
    for run in range(14):
        form = state.forms[0]
        form.refusals, before = 0, form.iterations
        expected, found = outcome(function, arguments(run)), outcome(made, arguments(run))
        assert not differences(expected, found), f"run {run} of\n{text}"
        ran += form.iterations > before
    assert ran > 6


DRAWDOWNS = """
def f(moves, w, s):
    moves = moves * s + w
    prices = np.exp(np.cumsum(moves, axis=0) / 4)
    peaks = np.maximum.accumulate(prices, axis=0)
    falls = 1 - prices / peaks
    lowest = falls.min(axis=0, keepdims=True)
    falls -= lowest
    return prices[-1], falls.max(axis=0), falls.argmax(axis=0), moves[1:] - moves[:-1], lowest
"""


@pytest.mark.usefixtures("_small_blocks")
def test_columns() -> None:
    function = define(DRAWDOWNS)
    x, _, _, w, s = arguments(0)
    made, state = whole(function, (x, w, s))
    assert not state.closed, state.closed
    assert "put_part<1>" in state.forms[0].code.source
    ran = 0
    for run in range(12):
        form = state.forms[0]
        form.refusals, before = 0, form.iterations
        x, _, _, w, s = arguments(run)
        given = (x, w, s)
        expected, found = outcome(function, given), outcome(made, given)
        assert not differences(expected, found), f"run {run}"
        ran += form.iterations > before
    assert ran > 4


ATTENTION = """
def f(q, k, v):
    _, n, width = q.shape
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(width)
    future = np.triu(np.ones((n, n), dtype=bool), k=1)
    scores[:, future] = -np.inf
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights @ v
"""


@pytest.mark.usefixtures("_small_blocks")
def test_stacks_and_what_lies_between() -> None:
    given = [np.random.default_rng(k).normal(size=(5, 7, 4)) for k in range(3)]
    function = define(ATTENTION)
    made, state = whole(function, given)
    assert not state.closed, state.closed
    source = state.forms[0].code.source
    assert source.count("put_part<") == 1
    for _ in range(3):
        assert not differences(outcome(function, given), outcome(made, given))
    assert state.forms[0].iterations


HELPED = """
def softmax(z):
    z = z - np.max(z, axis=-1, keepdims=True)
    e = np.exp(z)
    return e / np.sum(e, axis=-1, keepdims=True)

def f(x, w, n):
    total = 0.0
    for _ in range(n):
        p = softmax(x @ w)
        w -= 0.001 * (x.T @ p)
        total += p[0, 0]
    return total, w
"""


@pytest.mark.usefixtures("_small_blocks")
def test_what_needs_no_memory_in_the_blocks_of_a_helper() -> None:
    function = define(HELPED)
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(40, 8)), rng.normal(size=(8, 4))
    made, state = whole(function, (x, w.copy(), 5))
    assert not state.closed, state.closed
    for _ in range(3):
        expected = outcome(function, (x, w.copy(), 5))
        assert not differences(expected, outcome(made, (x, w.copy(), 5)))
    assert state.forms[0].iterations


DRAWN = """
def f(rng, y, x, n, m):
    noise = rng.{draw}
    level = y + 0.25 * noise
    paths = np.cumsum(level, axis=1)
    best = paths.max(axis=1) - RATE * noise.mean(axis=1)
    return best, best.sum(), rng.random(3)
"""

CHOSEN = """
def f(rng, y, x, n, m):
    chosen = rng.integers(0, len(x), size=(n, m))
    ratios = x[chosen].mean(axis=1) / x[chosen].max(axis=1)
    return ratios, np.sort(ratios), rng.integers(0, 9, size=2)
"""

DRAWS = (
    *("standard_normal((n, m))", "normal(0.5, 2.0, (n, m))", "uniform(size=(n, m), high=3.0)"),
    *("random((n, m))", "exponential(2.0, size=(n, m))", "integers(0, len(x), (n, m))"),
)


@pytest.mark.usefixtures("_small_blocks")
@pytest.mark.parametrize("draw", [*DRAWS, ""])
def test_what_is_drawn_by_rows(draw: str) -> None:
    text = DRAWN.format(draw=draw) if draw else CHOSEN
    function = define(text, {"RATE": 0.03125})
    rng = np.random.default_rng(5)
    given = [rng, rng.normal(size=(20, 4)), rng.normal(size=9), 20, 4]
    native, state = whole(function, given)
    assert not state.closed, state.closed
    assert "blocks_" in state.forms[0].code.source
    for n, m in ((20, 4), (1, 4), (7, 3), (31, 2), (0, 4), (3, 40)):
        x, y = rng.normal(size=9), rng.normal(size=(n, m))
        results = [f(np.random.default_rng(n), y, x, n, m) for f in (function, native)]
        wrong = differences(*(outcome(lambda r=r: r, []) for r in results))
        assert not wrong, (draw, n, m, wrong)


def test_normal_numbers_of_all_layers() -> None:
    function = define(
        "def f(rng, n):\n"
        "    x = np.empty(n)\n"
        "    for k in range(n): x[k] = rng.standard_normal()\n"
        "    return x, rng.normal(1.0, 2.0, n), rng.random()"
    )
    native, state = whole(function, [np.random.default_rng(0), 50])
    assert not state.closed, state.closed
    for bits in (np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64):
        results = [f(np.random.Generator(bits(7)), 60_000) for f in (function, native)]
        for one, other in zip(*results, strict=True):
            assert np.array_equal(one, other), bits
