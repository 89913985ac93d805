"""Functions that run as one piece of native code: the same results, errors and aliasing."""

from __future__ import annotations

import builtins
import inspect
from collections import ChainMap
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile
from jupyter_npcompile.graph.kernels import FUNCTION
from jupyter_npcompile.loops.sequences import Numbers
from jupyter_npcompile.runtime import whole_function
from jupyter_npcompile.runtime.functions import handle_of
from jupyter_npcompile.runtime.loop_compile import Job, LoopCompile, no_constants
from jupyter_npcompile.runtime.loop_state import MAX_REFUSALS
from jupyter_npcompile.runtime.selector.selector import Bucket, Turn
from jupyter_npcompile.runtime.selector.thresholds import PATIENT
from jupyter_npcompile.runtime.subjects import report_of
from jupyter_npcompile.runtime.whole_function import FEWEST, WholeFunction
from tests.loops.test_random import arguments
from tests.support.compiling.batches import Batches
from tests.support.loops.loop_programs import program
from tests.support.loops.native_batches import compiled_together
from tests.support.loops.native_loops import Function, define, differences, outcome

pytestmark = pytest.mark.usefixtures("straight_functions")

FOREVER = 10**9

LISTS = (503, 506, 508)
"""Random programs with lists and random draws that have a native form."""

WORDS = (21, 29)
"""Random programs with dicts, functions of their own and the like."""


def whole(
    function: Function, given: Sequence[Any], *, lengths: bool = False
) -> tuple[Function, WholeFunction]:
    """A function whose every call goes to native code for all of it, if there is any."""
    made = jupyter_npcompile.compile(function)
    state = handle_of(made).whole
    bound = inspect.signature(function).bind(*given)
    bound.apply_defaults()
    names = ChainMap(bound.arguments, function.__globals__, vars(builtins))
    constants = no_constants if state.forms else lambda name: name not in bound.arguments
    job = Job.of_names(
        state.loop, Numbers(), names, whole=True, constants=constants, lengths=lengths
    )
    LoopCompile(state, job, waited=True).run()
    state._selector._blind, state._selector._until = FOREVER, FOREVER
    return made, state


def assert_whole(text: str, *given: Any) -> WholeFunction:
    """Compare three calls; the first one is the check."""
    function = define(text)
    made, state = whole(function, [np.copy(v) if isinstance(v, np.ndarray) else v for v in given])
    assert not state.closed, state.closed
    for _ in range(3):
        pairs = [[v.copy() if isinstance(v, np.ndarray) else v for v in given] for _ in range(2)]
        wrong = differences(outcome(function, pairs[0]), outcome(made, pairs[1]))
        assert not wrong, wrong
    return state


TABLE = """
def f(a, b):
    table = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int64)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            same = a[i - 1] == b[j - 1]
            table[i, j] = max(table[i - 1, j], table[i, j - 1], table[i - 1, j - 1] + same)
    return table[-1, -1]
"""


def test_all_of_a_function() -> None:
    rng = np.random.default_rng(0)
    state = assert_whole(TABLE, rng.integers(0, 3, 20), rng.integers(0, 3, 30))
    (form,) = state.forms
    assert (form.checked, form.iterations, form.refusals) == (True, 2, 0)


ENDINGS = (
    "return a",
    "return a[1:], total",
    "return a.copy(), (total, None)",
    "",
    "return",
    "if total > 1e9: return total",
    "a *= 2\n    return total",
    "return b if total > 0 else b",
)
ENDED = """
def f(a, b, x):
    total = 0.0
    for i in range(len(a)):
        a[i] += b[i] * x
        total += a[i]
    {}
"""


@pytest.fixture(scope="module")
def ended() -> Batches[str]:
    """Functions with each of the endings."""
    texts = map(ENDED.format, ENDINGS)
    given = [np.ones(9), np.ones(9), 0.5]
    return Batches(texts, compiled_together, lambda text: whole(define(text), given))


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_it_returns(ending: str, ended: Batches[str]) -> None:
    rng = np.random.default_rng(1)
    ended.need(text := ENDED.format(ending))
    state = assert_whole(text, rng.normal(size=9), rng.normal(size=9), 0.5)
    assert state.forms[0].iterations == 2


def test_what_numpy_raises() -> None:
    text = """
def f(a, n):
    for i in range(n):
        if a[i] > 99:
            raise ValueError(f"{i}: {a[i]}")
        a[i] *= 2
    return a
"""
    good, late = np.arange(5.0), np.array([1.0, 2.0, 100.0])
    assert_whole(text, good, 5)
    assert_whole(text, late, 3)
    assert_whole(text, good, 9)  # an index out of bounds, after some writes


def test_one_argument_twice_and_views_of_one() -> None:
    text = """
def f(a, b):
    for i in range(1, len(b)):
        a[i] = a[i - 1] + b[i]
    return a
"""
    function = define(text)
    made, _ = whole(function, [np.ones(8), np.ones(8)])
    for part in (slice(None), slice(1, None), slice(None, -1)):
        calls = []
        for one in (function, made, made):
            a = np.arange(8.0)
            calls.append((one(a, a[part]).tolist(), a.tolist()))
        assert calls[0] == calls[1] == calls[2]


def test_other_types_go_another_way() -> None:
    function = define(TABLE)
    made, state = whole(function, [np.arange(5), np.arange(6)])
    for one, two in (
        (np.arange(5.0), np.arange(6)),
        ([1, 2, 3], [2, 3]),
        (np.arange(5, dtype=np.int32)[::2], np.arange(3)),
    ):
        assert made(one, two) == function(one, two)
    assert state.forms[0].iterations == 0


def test_what_it_reads_may_change() -> None:
    function = define(
        """
FACTOR = 2.0

def helper(x):
    return x + 1

def f(a):
    for i in range(len(a)):
        a[i] = helper(a[i]) * FACTOR
    return a.sum()
"""
    )
    made, state = whole(function, [np.arange(4.0)])
    names = function.__globals__
    for change in ({}, {"FACTOR": 3.0}, {"helper": abs}, {"FACTOR": 5}, {"range": lambda n: [0]}):
        names.update(change)
        assert made(np.arange(4.0)) == function(np.arange(4.0)), change
    assert state.forms[0].refusals == 0


STEPS = """
def f(x, y):
    n, m = x.shape
    most = np.full((n, (m - 1) // 2), -np.inf)
    for j in range(3):
        np.maximum(most, x[:, j : j + m - 2 : 2], out=most)
    y[::3] = y[::3] * 2 + y[1::3]
    z = y[::-1] * y + y[::-1] ** 2
    x[:, ::4] -= x[:, 3::4]
    return most, z, x[::2, ::-1] - x[::2], y[1::2] - y[:-1:2], y[::4] * 0.5
"""


@pytest.mark.parametrize("width", [8, 64, 1])
def test_steps_of_slices(width: int) -> None:
    rng = np.random.default_rng(width)
    given = rng.normal(size=(6, 4 * width)), rng.normal(size=12 * width)
    made, state = whole(function := define(STEPS), [each.copy() for each in given])
    assert not state.closed, state.closed
    wide = rng.normal(size=(12, 8 * width)), rng.normal(size=24 * width)
    for x, y in (
        *(given, (np.asfortranarray(given[0]), given[1]), (given[0][:, ::-1], given[1][::-1])),
        *((wide[0][::2, ::2], wide[1][::2]), (wide[0][:6, : 4 * width], given[1])),
    ):
        for _ in range(2):
            pairs = [_as_it_lies(x, y) for _ in range(2)]
            wrong = differences(outcome(function, pairs[0]), outcome(made, pairs[1]))
            assert not wrong, wrong
    assert state.forms[0].iterations > 1


def _as_it_lies(*arrays: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    """Copies of arrays, views like them of memory of their own."""
    made = []
    for array in arrays:
        base = array if array.base is None else array.base
        start = array.ctypes.data - base.ctypes.data
        made.append(
            np.ndarray(array.shape, array.dtype, base.copy(order="K"), start, array.strides)
        )
    return made


CONSTANTS = """
MODULUS, MASK, LIMIT, ROOT = 97, np.uint64(0xF0F0F0F0F0F0F0F0), 2.5, 1 - 2j
BYTE, SMALL, EVEN, LARGE = np.int8(-3), np.float32(0.1), np.True_, 2**62
N = 5

def f(a, b, N):
    c = (a * 7919 % MODULUS) ^ MASK
    for i in range(N):
        if b[i] > LIMIT or EVEN:
            b[i] = b[i] * SMALL + BYTE
    return c, b * ROOT, b[:2] + BYTE, (MASK >> np.uint64(4)), SMALL * BYTE, i + LARGE // 2
"""


def test_constants_are_part_of_the_code_until_they_change() -> None:
    function = define(CONSTANTS)

    def given() -> list[Any]:
        return [np.arange(7, dtype=np.uint64), np.linspace(0, 4, 6), 3]

    made, state = whole(function, given())
    assert not state.closed, state.closed
    names = function.__globals__
    assert {path[0] for path in (known.path for known in state.forms[0].code.assumptions)} >= {
        *("MODULUS", "MASK", "LIMIT", "ROOT", "BYTE", "SMALL", "EVEN")
    }
    assert set(state.forms[0].code.inputs) == {"a", "b", "N", "LARGE"}
    changes: list[dict[str, Any]] = [
        *({}, {"MASK": np.uint64(1)}, {"MODULUS": 98}, {"MODULUS": np.int64(98)}),
        *({"ROOT": complex(1, -0.0)}, {"ROOT": complex(1, 0.0)}, {"SMALL": np.float32(0.2)}),
        *({"SMALL": 0.2}, {"BYTE": np.int8(3)}, {"EVEN": np.False_}, {"LIMIT": np.nan}),
    ]
    for change in changes:
        names.update(change)
        for _ in range(2):
            wrong = differences(outcome(function, given()), outcome(made, given()))
            assert not wrong, (change, wrong)


def test_helpers_read_numbers_of_numpy() -> None:
    assert_whole(
        """
BIAS, SHIFT = np.float32(0.25), np.uint8(3)

def helper(x):
    return (x >> SHIFT) + BIAS

def f(a):
    for i in range(len(a)):
        a[i] = a[i] + SHIFT
    return helper(a)
""",
        np.arange(40, dtype=np.uint8),
    )


def test_a_constant_that_has_changed_is_none_any_more() -> None:
    function = define("SCALE = np.float64(2.0)\n\ndef f(a):\n    return (a * SCALE - 1).sum()")
    made, state = whole(function, [np.arange(9.0)])
    made(np.arange(9.0))
    for scale in (3.0, 4.0, 5.0):
        function.__globals__["SCALE"] = np.float64(scale)
        for _ in range(12):
            assert made(np.arange(9.0)) == function(np.arange(9.0))
            assert jupyter_npcompile.wait()
    assert [form.code.inputs for form in state.forms] == [("a",), ("a", "SCALE")]
    assert state.forms[1].iterations > 20


@pytest.mark.parametrize("check", ["off", "replace", "raise"])
def test_random_programs(check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "first_run_check", check)
    first = {"off": 0, "replace": 8, "raise": 12}[check]
    seeds = range(first, first + (8 if check == "off" else 4))
    ran = 0
    with compiled_together():
        for seed in seeds:
            whole(define(program(seed)), arguments(seed))
    for seed in seeds:
        function = define(program(seed))
        made, state = whole(function, arguments(seed))
        for run in range(3):
            expected = outcome(function, arguments(seed + run))
            wrong = differences(expected, outcome(made, arguments(seed + run)))
            assert not wrong, f"{seed}, run {run}: {wrong}"
        ran += any(form.iterations for form in state.forms)
    assert ran


def test_random_programs_with_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "first_run_check", "off")
    ran = 0
    for seed in LISTS:
        function = define(program(seed, lists=True))
        made, state = whole(function, arguments(seed))
        for run in range(3):
            expected = outcome(function, arguments(seed + run))
            wrong = differences(expected, outcome(made, arguments(seed + run)))
            assert not wrong, f"{seed}, run {run}: {wrong}"
        ran += any(form.iterations for form in state.forms)
    assert ran >= len(LISTS) // 2


def with_a_dict(seed: int) -> list[Any]:
    """Inputs of a random program that takes a dict, too."""
    p = {"c": 0.5, "t": np.float64(1.0), "n": 3, "w": np.ones(3), "mode": "some"}
    return [*arguments(seed), p]


def test_random_programs_with_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "first_run_check", "off")
    for seed in WORDS:
        function = define(program(seed, words=True))
        made, state = whole(function, with_a_dict(seed))
        assert not state.closed, (seed, state.closed)
        for run in range(4):
            expected = outcome(function, with_a_dict(seed + run))
            wrong = differences(expected, outcome(made, with_a_dict(seed + run)))
            assert not wrong, f"{seed}, run {run}: {wrong}"
        assert state.forms[0].iterations


def test_it_comes_by_itself() -> None:
    function = define(TABLE)
    made = jupyter_npcompile.compile(function)
    state = handle_of(made).whole
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 3, 60), rng.integers(0, 3, 80)
    expected = function(a, b)
    for _ in range(400):
        assert made(a, b) == expected
        if state.forms and state.forms[0].iterations > 20:
            break
        jupyter_npcompile.wait()
    assert state.forms[0].iterations > 20
    notes = [region.note for region in report_of(handle_of(made)).regions]
    assert any("one piece of native code" in note for note in notes), notes


LOOPS = {
    "for w in ((0.5, 1.0), (0.25, 2.0)):\n        y += w[0] * np.exp(-w[1] * x)": True,
    "for k in range(2):\n        y += k * np.exp(-x)": False,
}
"""Loops of a function, and whether only the function as a whole can have them native."""


@pytest.mark.parametrize("loop", LOOPS)
def test_long_calls_are_checked_where_no_loop_is_native(
    loop: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole_function, "LONGEST", 0.0)
    x = np.linspace(0, 1, 200)
    function = define(f"def f(x):\n    y = np.zeros_like(x)\n    {loop}\n    return y\n")
    made, state = whole(function, [x])
    (looped,) = handle_of(made).loops
    looped.busy = 1.0
    if LOOPS[loop]:
        looped.closed = looped.closed or "a loop over a tuple"
    for _ in range(2 * PATIENT):
        np.testing.assert_allclose(made(x), function(x))
    assert state.forms[0].checked == LOOPS[loop]


def test_functions_that_have_none() -> None:
    for body in (
        "return 1",
        "import math\n    return a + 1",
        "for i in a: print(i)",
        "for i in a:\n        with np.errstate(): i",
    ):
        made = jupyter_npcompile.compile(define(f"def f(a):\n    {body}\n"))
        assert handle_of(made).whole is None


def test_what_always_refuses_is_left_alone() -> None:
    """It is not made anew, either: it would be the same."""
    text = """
def f(x):
    total = 0.0
    for i in range(len(x)):
        if x[i] < 0:
            raise ValueError("negative")
        total += x[i]
    return total
"""
    made, state = whole(define(text), [np.ones(4)])
    assert not state.closed, state.closed
    assert made(np.ones(4)) == 4
    for _ in range(40 * MAX_REFUSALS):  # not every call asks
        with pytest.raises(ValueError, match="negative"):
            made(-np.ones(4))
    assert [form.refusals for form in state.forms] == [MAX_REFUSALS]
    assert state._ticket is None
    assert not state.is_ready  # calls do without it, as if it were not there


def test_what_does_not_fit_is_not_asked_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    made, state = whole(define("def f(x):\n    return np.sqrt(x) + 1\n"), [np.ones(3)])
    for _ in range(3):
        made(np.ones(3))
    monkeypatch.setattr(state, "consider", lambda frame: None)
    asked = []
    monkeypatch.setattr(
        state, "_run", lambda *given, run=state._run: asked.append(1) or run(*given)
    )
    for _ in range(1000):
        assert made(np.ones((2, 3))).shape == (2, 3)
    assert whole_function.MISSES < len(asked) < 50
    asked.clear()
    for _ in range(200):
        made(np.ones(3))
    assert len(asked) > 100 or handle_of(made).native is not None


STRAIGHT = """
def f(x, y, scale=2.0):
    \"\"\"A text, which does nothing.\"\"\"
    z = np.exp(-x * x) * y
    low, high = z.min(), z.max()
    z -= low
    return z[::2], z * scale, float(high - low), x
"""


def test_a_function_without_loops() -> None:
    rng = np.random.default_rng(3)
    for size in (1, 7, 1000):
        state = assert_whole(STRAIGHT, rng.normal(size=size), rng.normal(size=size), 3.0)
        assert state.forms[0].iterations == 2


def test_a_function_without_loops_comes_by_itself() -> None:
    function = define(STRAIGHT)
    made = jupyter_npcompile.compile(function)
    state = handle_of(made).whole
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=40), rng.normal(size=40)
    expected = outcome(function, (x, y))
    for call in range(400):
        assert call >= FEWEST - 1 or state._ticket is None
        assert not differences(expected, outcome(made, (x, y)))
        if state.forms and state.forms[0].iterations > 20:
            break
        if call >= FEWEST:
            jupyter_npcompile.wait()
    assert state.forms[0].iterations > 20, state.closed
    state._selector.written, state._rest.whole = False, state.forms[0]
    report = report_of(handle_of(made))
    assert {region.tier for region in report.regions} == {"native-loop"}
    assert "one piece of native code" in report.regions[0].note
    assert [node.op for graph in report.graph.kernels for node in graph.nodes] == [FUNCTION]


def test_where_numpy_warns_it_runs() -> None:
    function = define("def f(x, y):\n    return np.log(x) / y\n")
    good, bad = np.array([1.0, 2.0]), np.array([0.0, 2.0])
    made, state = whole(function, [good, good])
    for given in ((good, good), (bad, good), (good, bad), (-good, good), (good, good)):
        wrong = differences(outcome(function, given), outcome(made, given))
        assert not wrong, wrong
    assert state.forms[0].iterations == 1


def test_what_refuses_from_the_beginning_is_tried_twice() -> None:
    made, state = whole(define("def f(x):\n    return 1 / x\n"), [np.ones(3)])
    for _ in range(5):
        with pytest.warns(RuntimeWarning, match="divide by zero"):
            assert made(np.zeros(3))[0] == np.inf
    assert state.forms[0].refusals == MAX_REFUSALS


def test_large_results_are_compared_by_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_function, "LARGE", 100)
    x = np.linspace(0, 1, 1 << 12)
    texts = [f"def f(x):\n    return {it}\n" for it in ("x * 2 + 1", "(x * 2, x + 1)", "x[1:]")]
    with compiled_together():
        for text in texts:
            whole(define(text), [x])
    for text in texts:
        function = define(text)
        made, state = whole(function, [x])
        assert not differences(outcome(function, (x,)), outcome(made, (x,)))
        assert not state.closed
        assert state.forms[0].checked


def test_a_wrong_large_result_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_function, "LARGE", 100)
    function = define("def f(x):\n    return x * 2 + 1\n")
    x = np.linspace(0, 1, 1 << 12)
    made, state = whole(function, [x])
    (form,) = state.forms
    run = form.run

    def wrong(*given: Any) -> Any:
        answer = run(*given)
        answer[2][-1] += 1
        return answer

    form.run = wrong
    assert np.array_equal(made(x), function(x))
    assert "NumPy's result was kept" in state.closed


def test_the_other_side_comes_seldom_while_it_says_nothing() -> None:
    """A call that records something is not timed: it would be tried at once again."""
    _, state = whole(define("def f(x):\n    return x * 2\n"), [np.ones(3)])
    bucket = Bucket()
    waits = [state._is_unheard(Turn(bucket, True, 0)) for _ in range(100)]
    assert not waits[0]
    assert 3 < waits.count(False) < 9
    bucket.race.plain.append(1.0)  # it was timed, in the end
    state._unheard.left = 0
    assert not state._is_unheard(Turn(bucket, True, 0))
    assert state._is_unheard(Turn(bucket, True, 0))
    state._begin_anew()  # something else was compiled
    assert not state._is_unheard(Turn(Bucket(), True, 0))


def test_a_short_call_needs_little_time_to_be_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A function without loops had to have earned the time of the longest call, not of its own."""
    function = define("def f(a, b):\n    return np.sum(a * b) + np.max(a)")
    made, state = whole(function, (np.ones(3), np.ones(3)))
    allowance = state._rest.allowance
    monkeypatch.setattr(type(allowance), "left_in_all", property(lambda self: 0.01))
    monkeypatch.setattr(type(state), "busy", property(lambda self: 0.05))
    state._looks = 1
    assert not state._is_brief()
    state._looks = 10
    assert state._is_brief()
    made(np.ones(3), np.ones(3))
    assert state.forms[0].checked


@pytest.mark.parametrize("broken", ["differences", "_is_ahead"])
def test_what_fails_after_the_call_does_not_repeat_it(
    monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    text = "def f(a):\n    a[0] += 1\n    for k in range(3):\n        a[1] += k\n    return a.sum()"
    owner = whole_function.Prediction if broken == "differences" else WholeFunction
    monkeypatch.setattr(owner, broken, None)
    monkeypatch.setattr(whole_function, "CLEAR", 0.0)
    made = jupyter_npcompile.compile(define(text), ahead=True)
    a = np.zeros(4)
    assert made(a) == 4.0
    assert a.tolist() == [1.0, 3.0, 0.0, 0.0]
    assert made(a) == 8.0
