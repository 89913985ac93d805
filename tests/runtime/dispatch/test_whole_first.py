"""All of a function is compiled first: nothing in it is recorded or compiled before that."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.graph.nodes import Graph
from jupyter_npcompile.runtime import loop_compile, loop_store
from jupyter_npcompile.runtime.function_handle import FunctionHandle
from jupyter_npcompile.runtime.prospects import moves_only
from jupyter_npcompile.runtime.reporting import AWAITED
from jupyter_npcompile.runtime.selector import allowance, thresholds
from jupyter_npcompile.runtime.whole_function import WholeFunction
from tests.support.compiling.handles import asked_for, handle
from tests.support.compiling.kept import nothing_is_kept
from tests.support.loops.native_loops import Function, define

pytestmark = pytest.mark.usefixtures("straight_functions")

LOOP = """
def f(x, n):
    y = np.sqrt(x) + 1.0
    for i in range(1, n):
        y[i] = 0.5 * y[i - 1] + x[i]
    return y * 2.0
"""

STRAIGHT = """
def f(x, n):
    y = np.sqrt(x) + n
    return y * 2.0
"""

CURVED = STRAIGHT.replace("sqrt", "sin")

DECLINED = """
def f(x, n):
    y = np.sqrt(x) + n
    return y * 2.0, np.poly1d(y)
"""


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Graph]]:
    """The segments of which compiled code is asked for; there is none, for that takes long."""
    monkeypatch.setattr(npc.settings, "tier", "auto")
    monkeypatch.setattr(loop_compile, "WORTH", 0.0)
    yield asked_for(monkeypatch)
    npc.wait()


@pytest.fixture
def unearned(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Calls have earned no recording; what sets what they must have earned."""

    def ask(seconds: float) -> None:
        monkeypatch.setattr(thresholds, "EARNED", seconds)

    ask(1e6)
    return ask


def call(function: Function, made: Function, times: int, size: int = 64) -> None:
    for k in range(times):
        x = np.linspace(0, 1 + k, size)
        np.testing.assert_allclose(made(x, size), function(x, size), rtol=1e-13)
        assert npc.wait()


@pytest.mark.parametrize("text", [LOOP, STRAIGHT])
def test_nothing_is_recorded_while_it_is_compiled(
    text: str, unearned: Callable[[float], None], asked: list[Graph]
) -> None:
    before = npc.stats()["recordings"]
    function = define(text)
    made = npc.compile(function)
    call(function, made, 12)
    whole = handle(made).whole
    assert whole is not None
    assert whole.is_ready
    assert whole.forms[0].checked
    assert npc.stats()["recordings"] == before
    assert not asked
    assert not any(loop.forms for loop in handle(made).loops[:1] if not whole.has_lost)


def test_the_report_says_what_is_waited_for(unearned: Callable[[float], None]) -> None:
    function = define(LOOP)
    made = npc.compile(function)
    made(np.ones(4), 4)
    report = npc.last_report()
    assert report is not None
    lines = [line for line in report.lines if line.status == "host"]
    assert {line.reason for line in lines} == {AWAITED[0]}
    assert len(lines) == 3
    explained = npc.explain(made, np.ones(4), 4)
    assert explained.graph.numpy  # who asks for it gets it


def test_in_a_cell_it_is_recorded_for_its_report(unearned: Callable[[float], None]) -> None:
    before = npc.stats()["recordings"]
    made = npc.compile(define(LOOP))
    allowance.share(allowance.Allowance())
    try:
        made(np.ones(4), 4)
    finally:
        allowance.share(None)
    assert npc.stats()["recordings"] > before


def test_what_calls_have_earned_is_recorded(unearned: Callable[[float], None]) -> None:
    """So that there is a graph to look at; the other side of a race runs with guards."""
    before = npc.stats()["recordings"]
    function = define(STRAIGHT)
    made = npc.compile(function)
    call(function, made, 2)
    assert npc.stats()["recordings"] == before
    unearned(-1e6)
    handle(made).rest.end()
    call(function, made, 6)
    assert npc.stats()["recordings"] > before


@pytest.mark.parametrize("news", ["whole", "segment"])
def test_calls_that_were_spared_asking_ask_when_there_is_something_new(news: str) -> None:
    """Up to 31 of them, of a second each perhaps, ran in NumPy before what was ready."""
    made = npc.compile(define(LOOP))
    made(np.ones(4), 4)
    found = handle(made)
    assert npc.wait()
    found.unasked = 31
    if news == "segment":
        found.rest.end()
    else:
        assert found.whole is not None
        (form,) = found.whole.forms
        found.whole.compiled(form, 0.0)
    assert found.unasked == 0


def test_nor_are_calls_spared_by_the_one_that_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """It runs as it was written, perhaps, and what is spared then is meant for others."""
    made = npc.compile(define(LOOP))
    found = handle(made)
    made(np.ones(4), 4)
    assert npc.wait()

    def compared(*_: object) -> tuple[bool, object, None]:
        found.unasked = 31
        return True, "compared", None

    monkeypatch.setattr(WholeFunction, "call", compared)
    assert made(np.ones(4), 4) == "compared"
    assert found.unasked == 0


SPELLINGS = {
    "by name": "    y = np.exp(-x * x) + n\n    return np.exp(y / n)\n",
    "another name": "    e = np.exp\n    y = e(-x * x) + n\n    return e(y / n)\n",
    "made inside": "    z = np.linspace(0.0, 1.0, n)\n    return np.exp(-z * z) + x[:1]\n",
    "a power": "    y = (x + 1.0) ** 2.5 + n\n    return y ** 0.3\n",
    "no curve": "    y = np.sqrt(x * x) + n\n    return y * 2.0\n",
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_what_runs_natively_is_recorded_when_calls_have_earned_it(
    spelling: str,
    unearned: Callable[[float], None],
    asked: list[Graph],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And segments that may be faster are compiled, however the function is spelled."""
    function = define(f"def f(x, n):\n{SPELLINGS[spelling]}")
    made = npc.compile(function)
    call(function, made, 12, size=10_000)
    assert not any(True for state in handle(made).states for _ in state.every_plan())
    monkeypatch.setattr(FunctionHandle, "hope", "clear")
    unearned(-1e6)
    before = npc.stats()["recordings"]
    for _ in range(20_000):  # the shortcut is lent some calls, the more the further it is ahead
        call(function, made, 1, size=10_000)
        if npc.stats()["recordings"] > before:
            break
    assert any(True for state in handle(made).states for _ in state.every_plan())
    assert npc.wait()
    assert bool(asked) is (spelling != "no curve")


def test_what_has_no_native_form_is_recorded(unearned: Callable[[float], None]) -> None:
    before = npc.stats()["recordings"]
    function = define(DECLINED)
    made = npc.compile(function)
    for _ in range(8):
        made(np.ones(3), 3)
        npc.wait()
    whole = handle(made).whole
    assert whole is None or whole.closed
    assert npc.stats()["recordings"] > before


@pytest.mark.parametrize(("text", "wanted"), [(STRAIGHT, False), (CURVED, True)])
def test_segments_of_what_is_far_ahead_are_compiled_where_they_may_win(
    text: str, wanted: bool, asked: list[Graph], monkeypatch: pytest.MonkeyPatch
) -> None:
    function = define(text)
    made = npc.compile(function)
    monkeypatch.setattr(FunctionHandle, "hope", "clear")
    call(function, made, 4, size=10_000)
    assert handle(made).states[0].plans[0]
    assert bool(asked) is wanted


def test_what_is_no_array_may_come_before_the_check() -> None:
    """It was an error of ours, of the code that looks at what is written."""
    function = define("def f(x):\n    x *= 2\n    x += 1\n    return x\n")
    made = npc.compile(function)
    for _ in range(4):
        made(np.ones(50))
        npc.wait()
        whole = handle(made).whole
        if whole is not None and whole.is_ready:
            break
    assert whole is not None
    assert not whole.forms[0].checked
    assert made(3.0) == function(3.0) == 7.0
    mine, theirs = [1.0, 2.0], [1.0, 2.0]
    for given, run in ((mine, made), (theirs, function)):
        with pytest.raises(TypeError, match="'int' object is not iterable"):
            run(given)
    assert mine == theirs == [1.0, 2.0, 1.0, 2.0]


@pytest.mark.parametrize("ahead", [False, True])
def test_types_without_a_native_form_get_segments(ahead: bool, asked: list[Graph]) -> None:
    """However far ahead all of the function is for others."""
    text = "def f(x):\n    s = x\n    for i in range(30):\n        s = s * 0.5 + x\n    return s\n"
    function = define(text)
    made = npc.compile(function, ahead=ahead)
    for _ in range(12):
        np.testing.assert_allclose(made(np.ones(200)), function(np.ones(200)), rtol=1e-12)
        npc.wait()
    whole = handle(made).whole
    assert whole is not None
    assert whole.is_ready
    del asked[:]
    other = np.ones(5_000, np.complex64)
    for _ in range(6):
        np.testing.assert_allclose(made(other), function(other), rtol=1e-5)
        npc.wait()
    if not whole.fits:  # complex single precision has no native form
        assert handle(made).hope == ""
        assert asked


def test_where_nothing_is_known_they_are_compiled(
    asked: list[Graph], monkeypatch: pytest.MonkeyPatch
) -> None:
    function = define(STRAIGHT)
    made = npc.compile(function)
    monkeypatch.setattr(FunctionHandle, "hope", "ready")
    call(function, made, 4, size=10_000)
    assert asked


def test_shortcuts_may_come_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """What makes them is compiled once for a machine: the first function does not wait for it."""
    seen: list[bool] = []
    store = loop_store.store
    make = store.make_calls

    def late(ticket: Any) -> Any:
        whole = handle(made).whole
        seen.append(whole is not None and whole.is_ready)
        return make(ticket)

    monkeypatch.setattr(type(store), "calls", lambda self: None)
    monkeypatch.setattr(store, "make_calls", late)
    function = define(STRAIGHT)
    made = npc.compile(function)
    call(function, made, 12)
    assert seen == [True]
    whole = handle(made).whole
    assert whole is not None
    assert whole.forms[0].calls is not None


def test_another_kernel_has_it_from_the_second_call_on(
    recollections_count: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an earlier one has compiled, and found to pay, is looked for in the first call."""
    kept = nothing_is_kept(tmp_path, monkeypatch)
    function = define(LOOP)
    call(function, npc.compile(function), 12)
    (path,) = kept.glob("*.json")
    note = json.loads(path.read_text())
    assert note["gain"] > 0
    path.write_text(json.dumps({**note, "python": 1e6, "gain": 9.0}))
    loop_store.store.clear()  # a new kernel has loaded nothing
    before = npc.stats()
    made = npc.compile(define(LOOP))
    made(np.ones(64), 64)
    whole = handle(made).whole
    assert whole is not None
    assert whole.is_ready
    assert npc.stats()["recalled"] == before["recalled"] + 1
    assert npc.stats()["artifacts"] == before["artifacts"]
    call(function, made, 3)
    assert npc.stats()["dispatches"] > before["dispatches"]


@pytest.mark.parametrize("text", [LOOP, STRAIGHT])
def test_ahead_of_time_it_runs_from_the_second_call_on(text: str) -> None:
    function = define(text)
    made = npc.compile(function, ahead=True)
    x = np.linspace(0, 1, 3000)
    for k in range(4):
        before = npc.stats()["dispatches"]
        np.testing.assert_allclose(made(x, 3000), function(x, 3000), rtol=1e-13)
        whole = handle(made).whole
        assert whole is not None
        assert whole.is_ready
        assert k == 0 or npc.stats()["dispatches"] > before or whole.has_lost
    assert handle(made).states[0].plans[0]  # and there is a graph to look at


def test_ahead_of_time_other_types_are_waited_for_too() -> None:
    function = define(LOOP)
    made = npc.compile(function, ahead=True)
    for dtype in (np.float64, np.float32, np.int64):
        x = np.linspace(0, 9, 50).astype(dtype)
        for _ in range(2):
            found, expected = made(x.copy(), 50), function(x.copy(), 50)
            assert found.dtype == expected.dtype
            np.testing.assert_allclose(found, expected, rtol=1e-5)
    whole = handle(made).whole
    assert whole is not None
    assert len(whole.forms) == 3


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("np.zeros(x.shape)", True),
        ("np.arange(n).reshape(2, -1)", True),
        ("np.concatenate([x, x])", True),
        ("np.arange(n) * 2", False),
        ("x.astype(np.float32)", False),
    ],
)
def test_what_computes_nothing_is_not_compiled(text: str, moves: bool, asked: list[Graph]) -> None:
    function = define(f"def f(x, n):\n    y = {text}\n    return y\n")
    made = npc.compile(function)
    handle(made).whole = None
    for _ in range(3):
        np.testing.assert_array_equal(made(np.ones(4), 4), function(np.ones(4), 4))
        npc.wait()
    (plan, *_) = handle(made).states[0].plans[0]
    assert moves_only(plan.recording.graph) is moves
    assert bool(asked) is not moves
