"""How many elements a recording computes or stores, against what NumPy writes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jupyter_npcompile
from jupyter_npcompile.graph import Graph
from jupyter_npcompile.runtime.elements import most_elements
from jupyter_npcompile.runtime.functions import handle_of


def store(x: Any, index: Any) -> None:
    x[index] = 7.0


def masked(x: Any) -> None:
    x[x > 0.5] = 7.0


def recorded(function: Any, *args: Any) -> Graph:
    compiled = jupyter_npcompile.compile(function)
    compiled(*args)
    handle = handle_of(compiled)
    assert handle is not None
    plans = [plan for state in handle.states for plan in state.every_plan()]
    return plans[0].recording.graph


@pytest.fixture(autouse=True)
def op_by_op(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "aten")


@pytest.mark.parametrize("seed", range(8))
def test_what_a_store_writes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = np.zeros(rng.integers(3, 9, 2))
    first = slice(*sorted(rng.integers(0, 9, 2).tolist()), int(rng.integers(1, 4)))
    index = (first, int(rng.integers(3))) if seed % 2 else first
    store(twin := x.copy(), index)
    assert most_elements(recorded(store, x, index)) == np.count_nonzero(twin)


def test_what_values_decide_is_a_whole_array_at_most() -> None:
    assert most_elements(recorded(masked, np.linspace(0.0, 1.0, 12))) == 12
