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


LOOPS = {
    "elements": "for i in range(len(b)):\n        b[i] = v[i] * s",
    "a number": "for i in range(len(b)):\n        b[i] = s * (i + 1)",
    "a sum": "t = v[0] * 0\n    for i in range(len(b)):\n        t += v[i] * s\n        b[i] = t",
    "added": "for i in range(len(b)):\n        b[i] += v[i] * s",
    "a row": "for i in range(len(b)):\n        c[i, 0] = v[i] * s\n        b[i] = c[i, 0]",
    "an item": "for i in range(len(b)):\n        b[i] = v[i].item() * int(s)",
    "the larger": "for i in range(len(b)):\n        b[i] = max(v[i], s)",
    "while": "i = 0\n    while i < len(b):\n        b[i] = v[i] if v[i] > s else s\n        i += 1",
    "made": "for i in range(len(b)):\n        d = np.array([v[i], s], dtype=b.dtype)\n"
    "        b[i] = d[0] + d[1]",
    "zeros": "for i in range(len(b)):\n        d = np.zeros(2, dtype=b.dtype)\n"
    "        d[1] = v[i]\n        b[i] = d[1]",
    "full": "for i in range(len(b)):\n        d = np.full(2, v[i], dtype=b.dtype)\n"
    "        b[i] = d[1]",
    "helper": "for i in range(len(b)):\n        b[i] = double(v[i])",
}


def loop_of(body: str) -> Any:
    return define(
        "def double(t):\n    return t + t\n\n"
        f"def f(b, v, s):\n    c = np.zeros((len(b), 2), b.dtype)\n    {body}\n    return b"
    )


def stored(function: Any, dtype: str, values: Any, factor: Any) -> tuple[str, str, str]:
    b = np.arange(4).astype(dtype)
    said = ""
    try:
        function(b, values, factor)
    except (OverflowError, ValueError) as error:
        said = f"{type(error).__name__}: {error}"
    return said, str(b.dtype), str(b.tolist())


@pytest.mark.parametrize("pair", [("int8", "int64"), ("int16", "int32"), ("uint8", "int64")])
@pytest.mark.parametrize("name", LOOPS)
def test_in_native_loops(name: str, pair: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The first runs store what has room, which is what is compared; later ones do not."""
    monkeypatch.setattr(npc.settings, "tier", "auto")
    target, source = pair
    plain, made = loop_of(LOOPS[name]), npc.compile(loop_of(LOOPS[name]), ahead=True)
    kind = np.dtype(source).type
    for values, factor in (
        *(([1, 2, 3, 4], 1), ([2, 1, 1, 2], 2), ([1, 1, 1, 1], 3), ([1, 2, 0, 1], 1)),
        *(([1, 2, 100, 3], 2), ([1, 2, 3, 300], 1), ([-100, 1, 1, 1], 2), ([1, 1, 1, 1], 90)),
        *(([1, 40_000, 1, 1], 1), ([-1, 1, 1, 1], 1), ([1, 2, 3, 4], 2)),
    ):
        given, scale = np.array(values, dtype=source), kind(factor)
        with np.errstate(over="ignore"):
            expected = stored(plain, target, given, scale)
            assert stored(made, target, given, scale) == expected, (values, factor)
