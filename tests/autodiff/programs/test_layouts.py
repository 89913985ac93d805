"""Arguments that lie in memory in all ways: views in NumPy are views on the tape, copies copies.

Random programs look at an argument through views and copies, and write into these. Whether
``x.ravel()`` is the one or the other follows from how ``x`` lies.
"""

from __future__ import annotations

import itertools
import linecache
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc

STATEMENTS = (
    "y = x.ravel(); y *= 1.5",
    "y = x.reshape(-1); y[0] = y[1] * 2.0",
    "y = x.reshape(2, -1); y[1] += 0.5",
    "y = x.T; y += y[0, 0]",
    "y = np.transpose(x); y[...] = np.sin(y)",
    "y = x.swapaxes(0, 1).reshape(-1); y[2] = x[0, 0]",
    "y = np.ravel(x, order='K'); y[1] = 0.3",
    "y = x.ravel(order='A'); y -= 0.1",
    "y = x.ravel(order='F'); y[:2] *= 2.0",
    "y = x.flatten(order='K'); y *= 3.0",
    "y = x[::-1]; y[0] = x[-1] * 0.5",
    "y = x.view(); y += 0.2",
    "y = x.diagonal() * 2.0",
    "y = x.copy(); y[0] = 2.0",
    "y = np.copy(x, order='A').ravel(order='K') * np.arange(x.size)",
    "y = np.asarray(x); y[0] *= x[1]",
    "y = np.ascontiguousarray(x); y[0] += 1.0",
    "y = np.asfortranarray(x); y *= 0.5",
    "y = np.array(x, copy=None, order='F'); y *= 1.1",
)

LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "own": lambda a: a[:4, :4].copy(),
    "a part": lambda a: a[1:5, 2:6],
    "gaps": lambda a: a[::2, ::2],
    "gaps in rows": lambda a: a[::2, :4].T,
    "transposed": lambda a: a[:4, :4].T,
    "columns": lambda a: np.asfortranarray(a[:4, :4]),
    "backwards": lambda a: a[::-2, :4],
    "backwards and transposed": lambda a: a[:4, ::-2].T,
}

COUNT = 25
"""Programs for each layout."""

_files = itertools.count()


def program(chance: random.Random) -> Callable[[Any], Any]:
    """A function of some statements, whose text Python can find."""
    lines = ["def f(x):", "    s = np.sum(x * x)"]
    for k in range(chance.randint(1, 3)):
        lines += [f"    {chance.choice(STATEMENTS)}", f"    s = s + np.sum(np.sin(y) * {k + 1})"]
    text = "\n".join([*lines, "    return s + np.sum(np.cos(x))"]) + "\n"
    file = f"<layouts {next(_files)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    namespace: dict[str, Any] = {"np": np}
    exec(compile(text, file, "exec"), namespace)
    return namespace["f"]  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", LAYOUTS)
def test_writes_go_where_they_go_in_numpy(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")
    chance = random.Random(name)
    for _ in range(COUNT):
        f = program(chance)
        table = np.random.default_rng(3).uniform(0.4, 1.6, (8, 8))
        plain, followed = LAYOUTS[name](table.copy()), LAYOUTS[name](table.copy())
        value = f(plain)
        gradient = npc.value_and_grad(f)
        made, _ = gradient(followed)
        np.testing.assert_allclose(made, value, rtol=1e-12)
        np.testing.assert_allclose(followed, plain, rtol=1e-12)
        (check,) = gradient.checks.values()
        assert str(check) == "agrees"


def test_a_gradient_is_not_written_by_what_was_a_copy() -> None:
    """The derivative of what is there after a write, through an argument with gaps."""

    def f(x: Any) -> Any:
        x += 0.2
        y = x.reshape(-1)[1:]
        flat = x.ravel()
        flat[1] += 0.5
        return np.sum(np.sin(x)) + np.sum(y)

    x = np.random.default_rng(3).uniform(0.4, 1.6, (8, 8))[::2, ::2]
    start = x.copy()
    slope = np.cos(start + 0.2) + (np.arange(16) > 0).reshape(4, 4)
    np.testing.assert_allclose(npc.grad(f)(x), slope)
    np.testing.assert_allclose(x, start + 0.2)
