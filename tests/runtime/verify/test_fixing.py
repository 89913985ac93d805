"""Fixes are tried on copies: they give what the cell gave, and nothing of the user's changes."""

from __future__ import annotations

import contextlib
import io
import random
import types
from typing import Any

import numpy as np
import pytest

from jupyter_npcompile.cell.rewrites import parse_cell
from jupyter_npcompile.graph.fixes import FixesData
from jupyter_npcompile.runtime import figures
from jupyter_npcompile.runtime.cell_comparison import Cell
from jupyter_npcompile.runtime.fixing import find_fixes


def space(seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {
        "__name__": "__main__",
        "np": np,
        "random": random,
        "x": rng.normal(size=30),
        "n": int(rng.integers(2, 5)),
        "img": rng.normal(size=(4, 5)),
        "items": [1.5, 2.5],
    }


@contextlib.contextmanager
def nowhere(module: types.ModuleType) -> Any:
    yield


def fixes(source: str, names: dict[str, Any] | None = None) -> FixesData:
    cell = Cell(
        parse_cell(source),
        source,
        space() if names is None else names,
        (),
        "<cell>",
        lambda tree, mode: compile(tree, "<cell>", mode),  # type: ignore[arg-type]
        nowhere,
    )
    return find_fixes(cell)


def run(source: str, seed: int) -> tuple[dict[str, Any], str]:
    """The cell in plain Python."""
    names = space(seed)
    random.seed(seed)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(parse_cell(source), "<cell>", "exec"), names)
    return names, printed.getvalue()


LOOP = "%%npcompile\nfor i in range(n):\n    x = x * 0.5 + 1\n    {}\n    x[0] = 2\nz = x + 1\n"

FIXED = {
    "print": (LOOP.format("print(i, x.sum())"), "print after the loop", ()),
    "f-string": (LOOP.format("print(f'{i}: {x.mean():.3f} {np.max(x)}')"), "print after", ()),
    "print an array": (LOOP.format("print(x[:3])"), "print after", ()),
    "item": ("h = []\n" + LOOP.format("h.append(x.sum().item())")[12:], "convert them once", ()),
    "float": ("h = []\n" + LOOP.format("h.append(float(x @ x))")[12:], "convert them once", ()),
    "append": ("h = []\n" + LOOP.format("h.append(x.sum())")[12:], "make a list of it", ()),
    "array": (
        "h = []\n" + LOOP.format("h.append(x * i)")[12:] + "r = np.array(h)",
        "prealloc",
        "h",
    ),
    "ints": ("h = []\n" + LOOP.format("h.append(int(x.argmax()))")[12:], "convert them once", ()),
    "draw": (LOOP.format("x = x + random.random()"), "before the loop", ()),
    "gauss": (LOOP.format("s = random.gauss(0, 1)\n    x = x * s"), "before the loop", ()),
    "hoist": ("a = np.sin(x * random.random())\nb = a + 1", "on a line of its own", ()),
    "if": ("a = x * 2\nif a.sum() > 3:\n    a = a + 1\nb = a / 3", "on a line of its own", ()),
    "last": ("a = x * 2\nprint('mean', a.mean())\nb = a + 1", "after the array code", ()),
    "first": ("a = x * 2\ns = random.random()\nb = a + s", "before the array code", ()),
    "vectorize": ("f = np.vectorize(lambda t: t * 2 if t > 0 else -t)\nb = f(x)", "np.vector", "f"),
    "function": (
        "def g(t):\n    u = abs(t)\n    if u < 1:\n        return u\n    elif u < 2:\n"
        "        return 2 * u\n    return -u\nf = np.vectorize(g)\nb = f(x) + 1",
        "np.vectorize",
        "f",
    ),
    "decorated": (
        "@np.vectorize\ndef g(t):\n    if t > 0 and t < 1:\n        return t * 2\n    return -t\n"
        "a = x * 2\nb = g(a)",
        "np.vectorize",
        "g",
    ),
    "object": (
        "o = np.array([1.0, 2.0], dtype=object)\np = np.asarray(o * 2, float)",
        "numbers",
        "o",
    ),
    "empty": ("o = np.empty(3, dtype=object)\no[:] = 1.5\np = float(o.sum()) + x", "numbers", "o"),
    "positions": ("a = x * 2\na[np.where(a > 0)] = 0\nb = a + 1", "the mask itself", ()),
}


@pytest.mark.parametrize("name", FIXED)
def test_a_fix_gives_what_the_cell_gave(name: str) -> None:
    """Also for other values than those that it was tried with."""
    source, title, changed = FIXED[name]
    found = fixes(source)
    assert found.fixes, (found.summary, found.declined)
    fix = found.fixes[0]
    assert title in fix.title
    for seed in (0, 7):
        before, printed = run(source, seed)
        after, other = run(fix.new, seed)
        assert printed == other
        for key, value in before.items():
            if key not in changed and not key.startswith("__") and not callable(value):
                assert_equal(value, after[key])


def assert_equal(one: Any, other: Any) -> None:
    assert type(one) is type(other)
    if isinstance(one, list):
        assert len(one) == len(other)
        for first, second in zip(one, other, strict=True):
            assert_equal(first, second)
    elif isinstance(one, np.ndarray | np.generic):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        assert np.array_equal(one, other)
    elif not isinstance(one, types.ModuleType):
        assert one == other


DECLINED = {
    "the first element decides": "f = np.vectorize(lambda t: 0 if t < 9 else t)\nb = f(x)",
    "an overflow": "o = np.array([2**62], dtype=object)\np = o * 4\nq = x + 1",
    "a warning": "f = np.vectorize(lambda t: np.sqrt(t) if t > 0 else -t)\nb = f(x)",
}


@pytest.mark.parametrize("name", DECLINED)
def test_what_differs_is_not_offered(name: str) -> None:
    found = fixes(DECLINED[name])
    assert not found.fixes
    assert found.declined
    assert "not offered" not in found.summary


REFUSED = [
    ("print(x.sum())\nnp.save('never', x)", "line 2 calls np.save"),
    ("a = x * 2\nopen('never')\nb = a + 1", "line 2 calls open"),
    ("a = x * 2\nq = x + undefined\nprint(a.sum())\nb = q + 1", "raises NameError in line 2"),
    ("import os\na = x * 2\nos.remove('never')\nb = a + 1", "line 3 calls os.remove"),
    ("a = x * 2\nawait a\nb = a + 1", "line 2 awaits"),
    ("a = x * 2\nnp.pi = 3\nb = a + 1", "changes the module numpy"),
]


@pytest.mark.parametrize(("source", "reason"), REFUSED)
def test_what_may_reach_the_world_is_not_tried(source: str, reason: str) -> None:
    if "import os" in source:
        import os

        found = fixes(source, {**space(), "os": os})
    else:
        found = fixes(source)
    assert reason in found.refusal
    assert found.fixes == ()


class Hashed:
    """Counts how often it is asked for its hash."""

    asked = 0

    def __hash__(self) -> int:
        Hashed.asked += 1
        return 1


class Finalized(np.ndarray):
    """Counts how often one is made."""

    made = 0

    def __array_finalize__(self, _: object) -> None:
        Finalized.made += 1


@pytest.mark.parametrize("source", ["y = table[1]", "y = other + 1", "y = eval('1')"])
def test_what_is_not_tried_is_not_copied(source: str) -> None:
    names = {**space(), "table": {Hashed(): 1}, "other": np.ones(3).view(Finalized), "held": Hashed}
    before = Hashed.asked, Finalized.made
    found = fixes(f"{source}\na = x * 2\nopen('never')\nb = a + 1", names)
    assert found.refusal
    assert (Hashed.asked, Finalized.made) == before


def test_nothing_of_the_users_changes() -> None:
    names = space()
    before = {name: np.copy(v) for name, v in names.items() if isinstance(v, np.ndarray)}
    state, drawn = random.getstate(), np.random.get_state()[1].copy()
    source = "x[0] = 5\nout = []\n" + LOOP.format("print(np.random.rand(), x.sum())")[12:]
    source += "items.append(3)\ndel img"
    assert fixes(source, names).fixes
    assert set(names) == set(space())
    for name, value in before.items():
        assert np.array_equal(names[name], value)
    assert names["items"] == [1.5, 2.5]
    assert random.getstate() == state
    assert np.array_equal(np.random.get_state()[1], drawn)


def test_plots_are_compared_as_pictures() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    figure, axes = pyplot.subplots()
    source = LOOP.format("plt.plot(x)")
    found = fixes(source, {**space(), "plt": pyplot})
    assert [fix.title for fix in found.fixes] == ["plot after the loop"]
    assert pyplot.get_fignums() == [figure.number]
    assert not axes.lines
    pyplot.close(figure)
    pictures: list[list[Any]] = [[], [], []]
    for height, found_pictures in zip((1, 1, 2), pictures, strict=True):
        with figures.apart(found_pictures):
            pyplot.plot([0, height, 1])
    assert np.array_equal(pictures[0], pictures[1])
    assert not np.array_equal(pictures[0], pictures[2])


def test_a_fix_for_several_break_points_is_offered_once() -> None:
    source = "o = np.array([1.0, 2.0], dtype=object)\np = o * 2\nq = np.asarray(p, float) + 1"
    found = fixes(source)
    assert [fix.line for fix in found.fixes] == [1]
    assert found.breaks == 3
