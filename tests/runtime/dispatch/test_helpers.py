"""Functions that compiled code calls by name: a compiled form of their own, and nothing else."""

from __future__ import annotations

import gc
import pickle
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell

import jupyter_npcompile as npc
from jupyter_npcompile.runtime import helpers as module
from jupyter_npcompile.runtime import notices
from jupyter_npcompile.runtime.arrivals import Arrived
from jupyter_npcompile.runtime.function_handle import HelperHandle
from jupyter_npcompile.runtime.functions import handle_of
from jupyter_npcompile.runtime.helpers import Picks, helpers, is_worth, worth_picking
from jupyter_npcompile.runtime.policy import Options
from jupyter_npcompile.runtime.selector.rest import Rest
from jupyter_npcompile.runtime.subjects import report_of
from tests.support.cells.native import assert_same
from tests.support.loops.native_loops import define


class Caller(Picks):
    """What calls functions by their names."""

    def __init__(self) -> None:
        self.options = Options()
        self._rest = Rest(())
        self._rest.allowance.begin(1)
        self._picked = helpers.known(self.options)


SMOOTH = """
def smooth(x):
    y = np.zeros(len(x))
    last = 0.0
    for i in range(len(x)):
        last = 0.5 * last + 0.25 * x[i]
        y[i] = last if last > 0 else -last
    return y
"""

CALLER = """
def run(x, found):
    y = smooth(x)
    found.setdefault("count", []).append(y[0])
    return y.sum()
"""


@pytest.fixture(autouse=True)
def _aten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")
    monkeypatch.setattr(npc.settings, "first_run_check", "raise")


def functions(text: str) -> tuple[Callable[..., Any], dict[str, Any]]:
    """The last function of a text, compiled, and all of its names."""
    last = define(text)
    return npc.compile(last), last.__globals__


def handle_behind(function: Any) -> module.Handle | None:
    """What stands behind the compiled form of a function, if there is one."""
    known = helpers.known(Options()).get(id(function))
    return known.handle if known is not None and known.is_form_of(function) else None


def form(names: dict[str, Any], name: str) -> HelperHandle | None:
    """What stands behind the compiled form of a function."""
    found = handle_behind(names[name])
    assert found is None or isinstance(found, HelperHandle)
    return found


def captured(handle: HelperHandle | None) -> int:
    """How many regions of a compiled form were captured."""
    assert handle is not None
    return sum(bool(state.used) for state in handle.states)


def test_a_function_with_a_loop_gets_a_form_of_its_own() -> None:
    fast, names = functions(SMOOTH + CALLER)
    x = np.arange(30.0)  # whose sums are exact
    expected = names["run"](x, {})
    for _ in range(3):
        found: dict[str, Any] = {}
        assert fast(x, found) == expected
        assert found == {"count": [names["smooth"](x)[0]]}
    assert captured(form(names, "smooth")) > 0
    assert vars(names["smooth"]) == {}  # nothing of ours hangs on it


def test_reports_are_about_what_calls_it() -> None:
    fast, names = functions(SMOOTH + CALLER)
    fast(np.ones(5), {})
    report = npc.last_report()
    assert report is not None
    assert "def run" in report.source.splitlines()[0]
    handle = form(names, "smooth")
    assert handle is not None
    assert "def smooth" in report_of(handle).source.splitlines()[0]


def test_a_name_may_mean_something_else_by_now() -> None:
    fast, names = functions(SMOOTH + CALLER)
    x = np.ones(6)
    fast(x, {})
    kept = names["smooth"]
    for other in (lambda x: x * 3, np.cumsum, define(SMOOTH.replace("0.25", "0.75"))):
        names["smooth"] = other
        for _ in range(2):
            assert fast(x, {}) == other(x).sum()
    names["smooth"] = kept
    assert fast(x, {}) == kept(x).sum()
    del names["smooth"]
    with pytest.raises(NameError, match="name 'smooth' is not defined"):
        fast(x, {})


class Unhashable:
    """Something to call that has no hash."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise AssertionError

    def __call__(self, x: Any) -> Any:
        return x + 1


def test_whatever_is_called_is_called() -> None:
    fast, names = functions(SMOOTH + CALLER)
    names["smooth"] = Unhashable()
    assert fast(np.zeros(3), {}) == 3.0
    names["smooth"] = 7
    with pytest.raises(TypeError, match="'int' object is not callable"):
        fast(np.zeros(3), {})


def test_functions_may_be_changed() -> None:
    text = (
        SMOOTH.replace("smooth(x)", "smooth(x, factor=0.5)").replace("0.5 *", "factor *") + CALLER
    )
    fast, names = functions(text)
    x = np.arange(5.0)
    plain = names["run"]
    assert fast(x, {}) == plain(x, {})
    names["smooth"].__defaults__ = (0.125,)
    assert fast(x, {}) == plain(x, {})
    names["smooth"].__code__ = (
        define(text.replace("0.25 *", "0.75 *")).__globals__["smooth"].__code__
    )
    assert fast(x, {}) == plain(x, {})


def test_functions_that_call_themselves_and_each_other() -> None:
    text = """
def even(x, n, seen):
    for k in range(2):
        seen[k] = seen.get(k, 0) + n
    return x.sum() if n == 0 else odd(x * 2, n - 1, seen)

def odd(x, n, seen):
    total = 0.0
    for v in x:
        total += v
    return total if n == 0 else even(x + total, n - 1, seen)

def run(x, n):
    seen = {}
    return even(x, n, seen), odd(x, n, seen), seen
"""
    fast, names = functions(text)
    for n in (0, 1, 5):
        assert fast(np.arange(3.0), n) == names["run"](np.arange(3.0), n)
    report = npc.last_report()
    assert report is not None  # their reports ask for each other


def test_errors_come_from_the_same_lines() -> None:
    text = SMOOTH.replace("    return y", "    return y[len(x)]") + CALLER
    fast, names = functions(text)

    def lines(function: Callable[..., Any]) -> list[tuple[str, int]]:
        with pytest.raises(IndexError) as raised:
            function(np.ones(3), {})
        traceback = [(str(it.path), it.lineno) for it in raised.traceback]
        return [place for place in traceback if "native loop" in place[0]]

    assert lines(fast) == lines(names["run"])


def test_nothing_keeps_a_function() -> None:
    smooth = define(SMOOTH)
    caller = Rest(())
    caller.allowance.begin(1)
    known, key = helpers.known(Options()), id(smooth)
    assert (
        helpers.pick(smooth, Options(), caller)(np.ones(3)).tolist() == smooth(np.ones(3)).tolist()
    )
    assert key in known
    gone = weakref.ref(smooth)
    del smooth.__globals__["smooth"], smooth
    gc.collect()
    assert gone() is None
    assert key not in known


def test_not_many_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each holds the namespace that its function was defined in."""
    helpers.clear()
    monkeypatch.setattr(module, "MOST", 3)
    caller = Rest(())
    caller.allowance.begin(1)
    known = [define(SMOOTH) for _ in range(8)]
    for number, smooth in enumerate(known):
        helpers.pick(smooth, Options(), caller)
        assert len(helpers.known(Options())) == min(number + 1, 3)
    assert [handle_behind(smooth) is not None for smooth in known] == [False] * 5 + [True] * 3


def test_loops_comprehensions_and_later_definitions() -> None:
    text = """
def run(rows, found):
    parts = [smooth(row) for row in rows]
    total = sum(smooth(row)[-1] for row in rows)
    for row in rows:
        found.setdefault(len(row), []).append(smooth(row)[0])
        parts.append(smooth(row))
    return parts, total
"""
    last = define(text)
    fast = npc.compile(last)
    names = last.__globals__
    names["smooth"] = define(SMOOTH)  # it was not there when the other one was compiled
    rows = [np.arange(float(n)) for n in (3, 4, 5)]
    for _ in range(3):
        one: dict[int, Any] = {}
        other: dict[int, Any] = {}
        parts, total = fast(rows, one)
        expected, sum_of = last(rows, other)
        assert [part.tolist() for part in parts] == [part.tolist() for part in expected]
        assert (total, one) == (sum_of, other)
    assert captured(form(names, "smooth")) > 0


def test_what_a_form_costs_is_its_callers() -> None:
    """Where nothing is left of the caller's allowance, Python calls the function."""
    caller, smooth = Caller(), define(SMOOTH)
    caller._rest.allowance.spent = 1e9
    looks = 0
    for _ in range(10_000):
        known = helpers.known(Options()).get(id(smooth))
        looks += known is None or known.left == 0
        assert caller.pick(smooth) is smooth
    assert looks < 5_000  # and soon without a look each time
    assert handle_behind(smooth) is None
    caller._rest.allowance.spent = 0.0
    assert [caller.pick(smooth) for _ in range(module.MANY + 1)][-1] is not smooth
    assert caller._rest.ran
    handle = handle_behind(smooth)
    assert handle is not None
    assert handle.rest.allowance.caller is caller._rest.allowance


def test_what_gains_nothing_is_called_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks at the compiled form get seldom, but not more seldom than every few milliseconds."""
    caller, smooth = Caller(), define(SMOOTH)
    made = caller.pick(smooth)
    handle = handle_behind(smooth)
    assert handle is not None
    now = [0.0]
    monkeypatch.setattr(module, "perf_counter", lambda: now[0])

    def looks(count: int, seconds: float) -> int:
        """How many of so many calls, each of which takes so long, come to the handle."""
        seen = 0
        for _ in range(count):
            known = helpers.known(Options())[id(smooth)]
            seen += known.left == 0
            handle.rest.left = 2
            assert caller.pick(smooth) is smooth
            now[0] += seconds
        return seen

    assert looks(10_000, 1e-6) < 20
    assert looks(module.MANY + 1000, module.MOMENT) > 450
    handle.rest.left = 0
    assert [caller.pick(smooth) for _ in range(3)][-1] is made


def test_a_fault_of_ours_is_told_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(function: Any, options: Options) -> None:
        raise RuntimeError("no form today")

    monkeypatch.setattr(helpers, "make", fails)
    notices.forget()
    fast, names = functions(SMOOTH + CALLER)
    before = npc.stats()["fallbacks"]
    for _ in range(3):
        assert fast(np.arange(4.0), {}) == names["run"](np.arange(4.0), {})
    assert npc.stats()["fallbacks"] == before + 1
    assert notices.take() == [
        "npcompile: `smooth` has no compiled form: RuntimeError: no form today"
    ]


def test_who_calls_hears_of_news() -> None:
    caller, other = Rest(()), Rest(())
    handle = None
    smooth = define(SMOOTH)
    for rest in (caller, other):
        rest.allowance.begin(1)
        helpers.pick(smooth, Options(), rest)
        handle = handle_behind(smooth)
    assert handle is not None
    caller.callers.add(handle.rest)  # they call each other
    before = caller.changes, other.changes
    handle.rest.end()
    assert (caller.changes, other.changes) == (before[0] + 1, before[1] + 1)


def test_what_is_worth_a_form() -> None:
    smooth = define(SMOOTH)
    outer = define(SMOOTH + "\ndef outer(x):\n    return smooth(x) + 1")
    closing = define(
        "def make(k):\n    def f(x):\n        for _ in x:\n            k\n    return f"
    )
    generator = define("def g(x):\n    for v in x:\n        yield v")
    assert [is_worth(f) for f in (smooth, outer, closing(1), generator, np.mean, np.linspace)] == [
        *(True, True, False, False, False, False)
    ]
    assert not is_worth(npc.compile(smooth))
    names = {"smooth": smooth, "np": np, "tools": module, "n": 3}
    called = ("smooth", "np.mean", "tools.worth_picking", "n", "len", "later", "later.on")
    assert worth_picking(called, names, unknown=True) == {"smooth", "later"}
    assert worth_picking(called, names, unknown=False) == {"smooth"}


def test_a_function_in_another_process_calls_what_is_written() -> None:
    handle = pickle.loads(pickle.dumps(handle_of(npc.compile(define(SMOOTH)))))
    assert isinstance(handle, Arrived)
    assert handle.pick(len) is len


CELLS = {
    "a call": "y = smooth(x)\nz = y.sum()",
    "in a loop": "for k in range(30):\n    print(k, smooth(x * k)[3])\n    x[k % 5] += 1",
    "in what runs later": "rows = (smooth(x) for _ in range(3))",
    "rebound": "before = smooth(x)\nsmooth = np.cumsum\nafter = smooth(x)",
    "an error": "y = x * 2\nz = smooth(None)\nw = y + 1",
    "shown": "smooth(x)[:3]",
    "a definition": "def twice(x):\n    print(len(x))\n    return smooth(smooth(x))\ntwice(x)[0]",
}


@pytest.mark.parametrize("device", ["cpu", "standin"])
@pytest.mark.parametrize("name", CELLS)
def test_cells_that_call_functions_of_other_cells(name: str, device: str) -> None:
    setup = f"import numpy as np\nx = np.random.default_rng(RUN).normal(size=40)\n{SMOOTH}"
    assert_same(CELLS[name], setup=setup, captured=False, device=device)


def test_functions_of_a_cell_call_what_is_defined_before_and_after_it() -> None:
    shell = InteractiveShell.instance()
    shell.run_cell("%load_ext jupyter_npcompile\nimport numpy as np")
    shell.user_ns.pop("later", None)
    shell.run_cell(SMOOTH.replace("smooth", "before"))
    shell.run_cell(
        "%%npcompile --quiet\ndef both(x, seen):\n    seen.setdefault(1, before(x))\n"
        "    return seen[1] + later(x)"
    )
    shell.run_cell(SMOOTH.replace("smooth", "later"))
    names = shell.user_ns
    x = np.arange(8.0)
    for _ in range(2):
        assert names["both"](x, {}).tolist() == (2 * names["later"](x)).tolist()
    assert captured(form(names, "before")) > 0
    assert captured(form(names, "later")) > 0


def test_the_call_is_a_break_point_all_the_same() -> None:
    """It splits what is captured around it."""
    setup = f"import numpy as np\nx = np.arange(6.0)\n{SMOOTH}"
    cells = assert_same("a = x + 1\ny = smooth(a)\nz = y + 1", setup=setup, captured={2, 4})
    for report in cells.reports:
        assert [(point.line, point.kind) for point in report.breaks] == [(3, "value")]
        assert "in `smooth`: " in report.breaks[0].reason
