"""The first run of a cell: what the dry run computed in NumPy is the result."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile
from jupyter_npcompile.runtime.worker import Compiler
from tests.same.test_as_native import CASES, Case
from tests.support.cells.native import assert_same


@pytest.fixture(autouse=True)
def nothing_gets_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Compiler, "submit", lambda *args, **kwargs: None)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_cell(case: Case) -> None:
    assert_same(
        case.source.strip("\n"),
        setup=case.setup,
        tier="auto",
        captured=False,
        fallbacks=case.fallbacks,
    )


def work(x: Any) -> Any:
    y = np.sort(x)
    x[:3] = y[:3]
    return y, y[1:], x


def test_numpy_computes_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "auto")
    function = jupyter_npcompile.compile(work)
    x = np.array([3.0, 1.0, 2.0, 5.0])
    y, tail, same = function(x)
    assert same is x
    assert x.tolist() == [1.0, 2.0, 3.0, 5.0]
    assert np.shares_memory(y, tail)
    assert tail.base is y
    assert y.flags.owndata
    assert y.flags.writeable
    assert not np.shares_memory(x, y)


def test_random_numbers_are_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The dry run draws, and puts the stream back; its numbers are the result all the same."""
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "auto")

    def noisy(rng: Any, x: Any) -> Any:
        z = rng.normal(size=4)
        z[0] = 7.0
        y = x + z * rng.random()
        return y, z[1:], rng.integers(9)

    before = jupyter_npcompile.stats()["recordings"]
    rng, plain = np.random.default_rng(3), np.random.default_rng(3)
    found = jupyter_npcompile.compile(noisy)(rng, np.ones(4))
    for a, b in zip(found, noisy(plain, np.ones(4)), strict=True):
        np.testing.assert_array_equal(a, b)
    assert rng.bit_generator.state == plain.bit_generator.state
    assert jupyter_npcompile.stats()["recordings"] == before + 1
    assert found[1].base is not None


def test_what_was_recorded_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "auto")

    def double(x: Any) -> Any:
        return x * 2

    function = jupyter_npcompile.compile(double)
    y = function(np.ones(5))
    assert sys.getrefcount(y) == 2
