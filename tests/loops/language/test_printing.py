"""Prints in native loops: the same lines in the same order, once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jupyter_npcompile
from tests.runtime.dispatch.test_whole_function import whole
from tests.support.loops.native_loops import assert_same, define, differences, how, outcome, reasons

TALK = """
def f(x, n):
    total = 0
    for k in range(n):
        total += x[k]
        if k % 3 == 2:
            print(f"{k:>3}: {total:.4f} {total!r} {{}}", k, x[0], "of {n}", x[:2], sep="|")
            print("so far", total, end=";\\n", flush=True)
        x[0] += 0.5
    print()
    return total
"""


@pytest.fixture(params=["off", "raise"])
def _native(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "native-loop")
    monkeypatch.setattr(jupyter_npcompile.settings, "first_run_check", request.param)


def said(function: Any, given: list[Any], capsys: pytest.CaptureFixture[str]) -> tuple[Any, str]:
    """What comes of a call, and what it prints."""
    capsys.readouterr()
    found = outcome(function, given)
    return found, capsys.readouterr().out


@pytest.mark.usefixtures("_native")
def test_loops(capsys: pytest.CaptureFixture[str]) -> None:
    function = define(TALK)
    native = assert_same(function, lambda run: [np.arange(10.0), 8 + run])
    assert how(native) == "native", reasons(native)
    for n in (8, 0, 10, 12):  # the last one is out of bounds: nothing is said twice
        expected, found = (said(f, [np.arange(10.0), n], capsys) for f in (function, native))
        assert not differences(expected[0], found[0])
        assert expected[1] == found[1]


def test_whole_functions(capsys: pytest.CaptureFixture[str]) -> None:
    function = define(TALK)
    native, state = whole(function, [np.arange(10.0), 8])
    for n in (8, 8, 12, 9):  # the first call is the check
        expected, found = (said(f, [np.arange(10.0), n], capsys) for f in (function, native))
        assert not differences(expected[0], found[0])
        assert expected[1] == found[1]
    assert state.forms[0].iterations


@pytest.mark.usefixtures("_native")
def test_texts_are_only_printed() -> None:
    text = "def f(x):\n    for i in range(3): x[i] = len(f'{i}')\n    return x\n"
    native = assert_same(define(text), lambda run: [np.zeros(3)])
    assert how(native) == "python"
