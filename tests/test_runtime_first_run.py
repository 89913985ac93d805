"""The first run of a cell: what the dry run computed in NumPy is the result."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile
from jupyter_npcompile.runtime.worker import Compiler
from tests.native import assert_same
from tests.test_same_as_native import CASES, Case


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


def test_what_was_recorded_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "auto")

    def double(x: Any) -> Any:
        return x * 2

    function = jupyter_npcompile.compile(double)
    y = function(np.ones(5))
    assert sys.getrefcount(y) == 2
