"""Arrays at odd addresses, as messages bring them, take part in native code by copies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.loops.loop_code import LoopCode
from jupyter_npcompile.runtime.alignment import Aligned
from tests.support.loops.native_loops import define, differences, outcome, ran_natively


def odd(array: Any, *, is_locked: bool = False) -> Any:
    """The same array at an odd address."""
    memory = np.zeros(array.nbytes + 1, np.uint8)[1:]
    made = np.ndarray(array.shape, array.dtype, memory, 0, array.strides)
    made[...] = array
    made.flags.writeable = not is_locked
    assert not made.flags.aligned
    return made


def code(*inputs: str, written: tuple[str, ...] = ()) -> LoopCode:
    return LoopCode("", inputs, (), {}, (), (), written)


TEXTS = {
    "new": "return out",
    "itself": "return x",
    "a view": "return x[1:, ::2]",
    "both": "return [out, (x.T, n), x]",
    "a sum": "return out.sum()",
}


@pytest.mark.parametrize("result", TEXTS)
@pytest.mark.parametrize("is_locked", [False, True])
def test_results_are_numpys(result: str, is_locked: bool) -> None:
    function = define(
        "def f(x, n):\n    out = np.zeros(x.shape)\n"
        "    for i in range(x.shape[0]):\n        level = 0.0\n"
        "        for j in range(x.shape[1]):\n            level = 0.5 * level + x[i, j]\n"
        f"            out[i, j] = level\n    {TEXTS[result]}\n"
    )
    made = npc.compile(function)
    rng = np.random.default_rng(0)
    for _ in range(30):
        x = odd(rng.normal(size=(40, 30)), is_locked=is_locked)
        wrong = differences(outcome(function, (x, 3)), outcome(made, (x, 3)))
        assert not wrong, wrong
        assert npc.wait()
    assert ran_natively(made)
    got, expected = made(x, 3), function(x, 3)
    if result == "itself":
        assert got is x
    elif result == "a view":
        assert np.shares_memory(got, x)
        assert got.strides == expected.strides
        assert got.flags.writeable == expected.flags.writeable
    elif result == "both":
        assert got[2] is x
        assert np.shares_memory(got[1][0], x)


def test_what_is_written_into_is_written_into() -> None:
    function = define(
        "def f(x, n):\n    for k in range(n):\n        for i in range(1, len(x)):\n"
        "            x[i] = x[i] + 0.5 * x[i - 1]\n    return x\n"
    )
    made = npc.compile(function)
    for _ in range(10):
        pair = odd(np.linspace(0, 1, 200)), odd(np.linspace(0, 1, 200))
        assert made(pair[0], 3) is pair[0]
        np.testing.assert_array_equal(pair[0], function(pair[1], 3))
        assert npc.wait()


def test_only_what_has_to_be_is_copied() -> None:
    x, y = odd(np.ones((3, 4))), np.ones(3)
    found = Aligned.of(code("x", "y", "n", "z"), [x, y, 3, x])
    assert found is not None
    (pair,) = found.copies
    assert pair[0] is x
    assert [one is other for one, other in zip(found.values, [x, y, 3, x], strict=True)] == [
        *(False, True, True, False)
    ]
    assert found.values[0] is found.values[3]
    assert found.values[0].flags.aligned
    assert found.restored(y) is y
    assert found.restored([y, 3]) == [y, 3]


def test_what_must_not_be_copied_is_not() -> None:
    x = odd(np.ones((3, 4)))
    for names, values in [
        (code("x", written=("x",)), [x]),
        (code("x"), [x[:, ::2]]),
        (code("x", "y"), [x, x[1:]]),
        (code("x"), [np.ones(3)]),
        (code("x"), [3]),
    ]:
        assert Aligned.of(names, values) is None


@pytest.mark.parametrize("order", ["C", "F"])
def test_views_of_copies_are_views_of_arrays(order: Any) -> None:
    x = odd(np.asarray(np.arange(24.0).reshape(4, 6), order=order))
    found = Aligned.of(code("x"), [x])
    assert found is not None
    copy = found.values[0]
    for view in (copy[1:], copy[::-1], copy.T[2], copy[..., None], copy.ravel("K")[3:], copy[:0]):
        made = found.restored({"a": (view, 1)})["a"][0]
        np.testing.assert_array_equal(made, view)
        assert made.strides == view.strides
        assert np.may_share_memory(made, x) == np.may_share_memory(view, copy)
