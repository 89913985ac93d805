"""NumPy as native loops call it: it raises where it would warn."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from jupyter_npcompile.loops.guarded import guarded
from tests.runtime.dispatch.test_whole_function import assert_whole


def tiny(x: Any) -> Any:
    return np.multiply(x, 1e-300)


@pytest.mark.parametrize("under", ["ignore", "warn", "raise"])
def test_underflow_is_as_the_caller_has_it(under: Any) -> None:
    """Also where that changes between two calls."""
    call = guarded(tiny, {}, ())
    assert call(1e-300) == 0
    with np.errstate(under=under):
        if under == "ignore":
            assert call(1e-300) == 0
        else:
            with pytest.raises(FloatingPointError, match="underflow"):
                call(1e-300)
    assert call(1e-300) == 0


def test_what_is_ignored() -> None:
    with pytest.raises(FloatingPointError, match="divide"):
        guarded(np.log, {}, ())(0.0)
    assert guarded(np.log, {}, (), {"divide"})(0.0) == -np.inf
    with np.errstate(all="ignore"), pytest.raises(FloatingPointError, match="divide"):
        guarded(np.log, {}, ())(0.0)


def test_the_caller_s_state_is_kept() -> None:
    before = np.geterr()
    guarded(np.sqrt, {}, ())(4.0)
    with pytest.raises(FloatingPointError):
        guarded(np.sqrt, {}, ())(-1.0)
    assert np.geterr() == before


def test_threads_do_not_wait_for_each_other() -> None:
    """While one of them is inside."""
    inside, leave = threading.Event(), threading.Event()

    def slow(x: float) -> float:
        inside.set()
        assert leave.wait()
        return x

    found: list[float] = []
    first = threading.Thread(target=lambda: found.append(guarded(slow, {}, ())(1.0)))
    first.start()
    assert inside.wait()
    assert guarded(np.sqrt, {}, ())(4.0) == 2.0
    leave.set()
    first.join()
    assert found == [1.0]


LOOP = """
def f(x):
    found = []
    for k in range(len(x)):
        found.append(np.partition(x[k], 3)[3] + np.linalg.slogdet(x[k].reshape(4, 4))[1])
    return np.array(found)
"""


def test_a_loop_that_calls_numpy() -> None:
    x = np.random.default_rng(0).normal(size=(30, 16))
    state = assert_whole(LOOP, x)
    assert state.forms[0].iterations
    assert_whole(LOOP, np.vstack([x, np.zeros((1, 16))]))  # where NumPy warns
