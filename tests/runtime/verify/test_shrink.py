"""Smaller arguments: what is cut, what stays together, when the search ends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jupyter_npcompile.runtime import shrink as module
from jupyter_npcompile.runtime.shrink import shrink


def test_arguments_that_belong_together_are_cut_together() -> None:
    def fails(values: list[Any]) -> bool:
        a, b = values
        return a.shape == b.shape and bool((a > 5).any())

    a, b = shrink([np.arange(60.0).reshape(6, 10), np.ones((6, 10))], fails)
    assert a.shape == b.shape == (1,)
    assert a[0] == 6
    assert b[0] == 0


def test_a_position_in_the_middle_is_found() -> None:
    x = np.zeros(37, int)
    x[20] = 7
    (small,) = shrink([x], lambda values: 7 in values[0])
    assert small.tolist() == [7]


def test_two_positions_far_apart() -> None:
    x = np.arange(50)
    (small,) = shrink([x], lambda v: 3 in v[0] and 40 in v[0])
    assert small.tolist() == [3, 40]


def test_strides_stay_where_they_matter() -> None:
    x = np.arange(40.0)[::-2]
    (small,) = shrink([x], lambda values: values[0].strides[0] < 0)
    assert small.strides[0] < 0
    assert small.size <= 2
    (plain,) = shrink([x], lambda values: True)
    assert plain.flags.c_contiguous


def test_shared_memory_stays_where_it_matters() -> None:
    x = np.arange(40.0)
    a, b = shrink([x[1:], x[:-1]], lambda values: np.shares_memory(*values))
    assert np.shares_memory(a, b)
    assert max(a.size, b.size) <= 2


@pytest.mark.parametrize(
    ("value", "small"),
    [
        (np.float32(3.7), np.float32(0)),
        (-12, 0),
        (True, False),
        (np.array([np.nan, 3.0]), np.array([0.0])),
        (np.uint8(200), np.uint8(0)),
        (2.5 + 1j, 0j),
    ],
)
def test_numbers_become_simple(value: Any, small: Any) -> None:
    (found,) = shrink([value], lambda values: True)
    assert type(found) is type(small)
    assert np.array_equal(found, small)


def test_what_matters_of_a_number_stays() -> None:
    assert shrink([12345], lambda values: values[0] > 100) == [101]
    (found,) = shrink([np.array([0.1, np.nan])], lambda values: np.isnan(values[0]).any())
    assert np.isnan(found).tolist() == [True]
    (odd,) = shrink([7.25], lambda values: values[0] % 1 != 0)
    assert odd % 1 != 0


def test_it_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each trial takes a second of a clock that is made for this."""
    trials: list[int] = []

    def fails(values: list[Any]) -> bool:
        trials.append(values[0].size)
        return bool(values[0].sum() > 1000)

    monkeypatch.setattr(module, "perf_counter", lambda: len(trials))
    shrink([np.arange(1000.0)], fails, seconds=1e6)
    assert len(trials) > 20
    trials.clear()
    shrink([np.arange(1000.0)], fails, seconds=10)
    assert len(trials) == 10


def test_the_arguments_are_not_changed() -> None:
    x = np.arange(6.0)
    shrink([x], lambda values: True)
    assert x.tolist() == [0, 1, 2, 3, 4, 5]
