"""Guards: what looks alike to NumPy and is not the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.runtime.functions import handle_of

ALIKE = [dtype for dtype in "lqLQ" if np.dtype(dtype).itemsize == 8]


@pytest.fixture(autouse=True)
def _forced() -> None:
    npc.settings.tier, npc.settings.first_run_check = "aten", "raise"


@pytest.mark.parametrize("order", [ALIKE, ALIKE[::-1]])
def test_integers_of_the_same_size_keep_their_types(order: list[str]) -> None:
    @npc.compile
    def of_array(x: Any) -> Any:
        return x + x

    @npc.compile
    def of_dtype(dtype: Any) -> Any:
        return np.ones(3, dtype) + np.ones(3, dtype)

    @npc.compile
    def of_scalar(x: Any) -> Any:
        return x * np.arange(3, dtype=x.dtype)

    for _ in range(3):
        for dtype in order:
            assert of_array(np.ones(3, dtype)).dtype.char == dtype
            assert of_dtype(np.dtype(dtype)).dtype.char == dtype
            assert of_scalar(np.dtype(dtype).type(2)).dtype.char == dtype
    for function in (of_array, of_dtype, of_scalar):
        handle: Any = handle_of(function)
        plans = [plan for state in handle.states for plan in state.every_plan()]
        assert any(plan.runs for plan in plans)
        assert not any("failed" in plan.note for plan in plans)


def test_integers_with_very_many_digits() -> None:
    @npc.compile
    def scaled(x: Any, n: Any) -> Any:
        return x * (n % 7)

    for n in (10**5000, 10**5000 + 1, 3, 10**5000):
        np.testing.assert_array_equal(scaled(np.ones(3), n), np.ones(3) * (n % 7))
        assert npc.last_report() is not None
    handle: Any = handle_of(scaled)
    assert not any(state.closed for state in handle.states)
    assert "16610 bits" in "".join(str(plan.signature) for plan in handle.states[0].every_plan())


def test_flags_of_broadcast_arrays_are_asked_for_without_a_warning() -> None:
    @npc.compile
    def doubled(x: Any) -> Any:
        return x * 2

    @npc.compile
    def inside(x: Any) -> Any:
        rows, columns = np.broadcast_arrays(x[:, None], x)
        total = rows + columns
        return total.sum(), rows.shape

    @npc.compile
    def flags(x: Any) -> Any:
        rows, _ = np.broadcast_arrays(x[:, None], x)
        return rows.flags.writeable

    @npc.compile
    def repeated(x: Any) -> Any:
        zeros, _ = np.broadcast_arrays(0.0, x)
        return zeros

    for _ in range(3):
        assert memoryview(repeated(np.ones(3))).readonly
        for x in (np.ones((3, 3)), *np.broadcast_arrays(np.ones(3), np.ones((3, 1)))):
            np.testing.assert_array_equal(doubled(x), np.full((3, 3), 2.0))
        assert inside(np.ones(3)) == (18.0, (3, 3))
        with pytest.warns(FutureWarning, match="broadcast_array"):
            assert flags(np.ones(3))
    for function in (doubled, inside):
        handle: Any = handle_of(function)
        assert not any(state.closed for state in handle.states)
