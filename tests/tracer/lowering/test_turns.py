"""Sums of few digits are NumPy's own where it rounds row by row, whatever data came first."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.tracer.lowering.turns import ROWS, in_turn
from tests.support.session.seeds import seeds

SUMS = """
x.sum(axis=0) | x.sum(axis=1) | x.sum() | x.mean(axis=0) | x.mean(axis=1) | x.prod(axis=0)
x.std(axis=0) | np.einsum("ij->j", x) | np.einsum("ij,ij->j", x, x) | np.nansum(x, axis=0)
np.nanmean(x, axis=0) | np.average(x, axis=0) | np.average(x, axis=0, weights=x[:, 0])
np.add.reduce(x, axis=0) | np.sum(x, axis=0, dtype=np.float16) | np.sum(x, axis=0, keepdims=True)
np.linalg.norm(x, axis=0) | (x * x).sum(axis=0) | np.sum(x, axis=0, where=x > 0)
np.add.reduceat(x, [0, 100], axis=0) | np.trapezoid(x, axis=0) | x.T.sum(axis=1) | x[::-1].sum(0)
np.sum(x, axis=0, dtype=np.float32) | x[:, None].sum(axis=(0, 1)) | x.reshape(-1, 2, 2).sum((0, 2))
"""
LAYOUTS = {
    "rows": lambda x: x,
    "columns": np.asfortranarray,
    "gaps": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
}


def function_of(expression: str) -> Any:
    """A function with source."""
    source = f"def function(x):\n    y = {expression}\n    return y\n"
    filename = f"<turns {expression}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    space: dict[str, Any] = {"np": np}
    exec(compile(source, filename, "exec"), space)
    return space["function"]


def texts() -> list[str]:
    return SUMS.replace("\n", " | ").strip(" |").split(" | ")


@pytest.fixture(autouse=True)
def _aten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("dtype", "n", "bound"), [("f2", 5000, 2), ("f4", 60_000, 64)])
def test_what_came_first_does_not_decide(layout: str, dtype: str, n: int, bound: int) -> None:
    """With a few ones nothing is rounded; with many tenths NumPy's sum stops at 256."""
    few, many = np.zeros((n, 2), dtype), np.full((n, 2), 0.1, dtype)
    few[:4] = 1
    for text in texts():
        function = function_of(text)
        made = npc.compile(function, ahead=True)
        for data in (few, few, many):
            x = LAYOUTS[layout](data)
            with np.errstate(all="ignore"):
                expected, found = np.asarray(function(x)), np.asarray(made(x))
                assert expected.dtype == found.dtype
                wide, other = expected.astype(float), found.astype(float)
                error = np.abs(wide - other) / np.maximum(np.abs(wide), 0.1)
            assert not np.any(error > bound * np.finfo(dtype).eps), (text, error)


@pytest.mark.drawn
def test_layouts_and_axes_that_are_drawn() -> None:
    """As many parts as NumPy adds in turn: found out with numbers that would show each of them."""
    for seed in seeds(60):
        rng = np.random.default_rng(seed)
        shape = tuple(int(n) for n in rng.integers(1, 7, rng.integers(1, 4)))
        x = np.zeros(shape, np.float16).transpose(rng.permutation(len(shape)))
        x = np.repeat(x, 2, axis=-1)[..., ::2] if rng.random() < 0.3 else x.copy(order="K")
        axes = tuple(k for k in range(x.ndim) if rng.random() < 0.6)
        x[...] = 0.1
        # Each part is rounded to half precision: with one part only at the end.
        one = x.astype(float).sum(axis=axes).astype(np.float16)
        if in_turn(x.shape, x.strides, axes) == 1:
            np.testing.assert_array_equal(x.sum(axis=axes), one, err_msg=f"{x.strides} {axes}")


def test_few_rows_are_captured() -> None:
    function = function_of("x.sum(axis=0) + np.mean(x, axis=0) + x.std(axis=0)")
    for dtype, n in (("f4", ROWS), ("f8", 10 * ROWS)):
        assert npc.explain(function, np.ones((n, 3), dtype)).breaks == ()
    (found, *_) = npc.explain(function, np.ones((ROWS + 1, 3), "f4")).breaks
    assert "rows in single precision" in found.reason
