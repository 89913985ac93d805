"""Statements in which nothing is ever compiled are left alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jupyter_npcompile
from jupyter_npcompile.runtime.functions import FunctionHandle, handle_of
from jupyter_npcompile.runtime.pauses import LONGEST, PATIENCE, WAITING, Pauses
from jupyter_npcompile.runtime.state import RegionState


def looks(pauses: Pauses, count: int, *, waiting: bool = False) -> int:
    seen = 0
    for _ in range(count):
        if pauses.stop(3) is None:
            seen += 1
            pauses.vain(3, 5, waiting=waiting)
    return seen


def test_one_looks_less_and_less_often() -> None:
    pauses = Pauses()
    assert looks(pauses, PATIENCE) == PATIENCE
    assert pauses.stop(3) == 5
    assert looks(pauses, 100 * LONGEST) < 120


def test_while_something_compiles_one_looks_soon_enough() -> None:
    pauses = Pauses()
    assert looks(pauses, 100 * WAITING, waiting=True) >= 95


def test_what_fits_again_is_looked_at_each_time() -> None:
    pauses = Pauses()
    looks(pauses, 1000)
    pauses.end(3)
    assert looks(pauses, PATIENCE) == PATIENCE


def scalar_loop(m: Any) -> int:
    r = 0
    for byte in m:
        r ^= int(byte)
        if r & 1:
            r >>= 1
    return r


def test_a_loop_over_elements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "auto")
    calls = []
    real = RegionState.step

    def counted(*args: Any) -> Any:
        calls.append(args)
        return real(*args)

    monkeypatch.setattr(RegionState, "step", counted)
    function = jupyter_npcompile.compile(scalar_loop)
    m = np.arange(20_000) % 251
    assert function(m) == scalar_loop(m)
    assert isinstance(handle_of(function), FunctionHandle)
    assert len(calls) < 1000
