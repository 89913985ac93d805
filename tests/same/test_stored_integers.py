"""A NumPy integer that is stored where it has no room: it raises, or wraps around, as in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from tests.support.loops.native_loops import define

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")

STORES = {
    "one element": "b[1] = v",
    "a slice": "b[1:] = v",
    "all": "b[...] = v",
    "fill": "b.fill(v)",
    "places": "b[[1]] = v",
    "a mask": "b[b >= 0] = v",
    "put": "np.put(b, 1, v)",
    "copyto": "np.copyto(b, v, casting='unsafe')",
    "added": "b[1] += v",
    "full": "b = np.full(3, v, dtype=b.dtype)",
    "an array of none": "b[1] = np.asarray(v)",
}

VALUES = (
    5,
    1,
    100,
    200,
    -1,
    -129,
    40_000,
    70_000,
    2**31,
    -(2**31) - 1,
    2**32 + 7,
    2**63 - 1,
    2**63,
)
"""The first two have room everywhere."""


def function_of(store: str) -> Any:
    return define(
        f"def f(a, s):\n    b = a * 1\n    v = s * s.dtype.type(1)\n    {store}\n    return b"
    )


def outcome(function: Any, dtype: str, value: Any) -> tuple[str, str]:
    try:
        found = function(np.arange(3).astype(dtype), value)
    except (OverflowError, ValueError) as error:
        return type(error).__name__, str(error)
    return str(found.dtype), str(found.tolist())


@pytest.mark.parametrize("target", INTEGERS)
@pytest.mark.parametrize("store", STORES)
def test_numpy_integers(store: str, target: str) -> None:
    npc.settings.tier, npc.settings.first_run_check = "aten", "raise"
    plain = function_of(STORES[store])
    for source in INTEGERS:
        info = np.iinfo(source)
        made = npc.compile(function_of(STORES[store]))
        for value in VALUES:
            if info.min <= value <= info.max:
                given = np.dtype(source).type(value)
                with np.errstate(over="ignore"):
                    expected = outcome(plain, target, given)
                    assert outcome(made, target, given) == expected, (source, value)
