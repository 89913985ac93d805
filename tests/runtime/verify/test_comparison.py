"""compare(): what differs, at which line, in which function, with a smallest input."""

from __future__ import annotations

import inspect
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.runtime import artifacts, history
from jupyter_npcompile.tracer import interpret
from jupyter_npcompile.tracer import lowering as lowerings
from tests.support.compiling.broken import (
    Break,
    broken_lowering,
    half_precision,
    last_element,
    plus_one,
    wrong_for_negatives,
)
from tests.support.compiling.local_worker import compiled_here


def compare(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> npc.Comparison:
    return npc.compare(fn, *args, tier="aten", **kwargs)


def line_of(fn: Callable[..., Any], text: str) -> int:
    """The line of this file on which a function says something."""
    lines, first = inspect.getsourcelines(fn)
    return first + next(k for k, line in enumerate(lines) if text in line)


def again(smallest: str) -> Any:
    """Run a smallest call: what it gives or leaves, in NumPy."""
    space: dict[str, Any] = {"np": np}
    *lead, last = smallest.split("; ")
    exec("; ".join(lead), space)
    try:
        return eval(last, space)
    except SyntaxError:
        exec(last, space)
        return space[last[0]]


# -- programs with one operation to break


def running(x: Any) -> Any:
    y = x * 2
    z = np.cumsum(y)
    return z, z[::2].sum()


def lengths(x: Any, y: Any) -> Any:
    total = np.hypot(x + 1, y)
    return total.mean(axis=0)


def bounded(x: Any) -> Any:
    return np.clip(x, -1, 1) * 3


def by_method(x: Any) -> Any:
    s = x.std(axis=1, keepdims=True)
    return x / (s + 1)


def in_place(x: Any, y: Any) -> None:
    x[1:-1] += y[:-2]


def stored(x: Any, y: Any) -> None:
    view = x[::2]
    view[:] = y[::2]


def in_loop(x: Any) -> Any:
    for step in range(3):
        x = x + np.sin(x) * step
        print("step", step)
    return x


def selected(x: Any) -> Any:
    return np.where(x > 2, x, 0)[::-1]


CASES: list[tuple[str, Break, Callable[..., Any], tuple[Any, ...], str, str, str]] = [
    ("numpy.cumsum", plus_one, running, (np.arange(40),), "cumsum", "np.cumsum",
     "np.cumsum(np.array([0]))"),
    ("numpy.cumsum", last_element, running, (np.arange(40.0) / 7,), "cumsum", "np.cumsum",
     "np.cumsum(np.array([0.0, 0.0]))"),
    ("numpy.hypot", plus_one, lengths, (np.ones((5, 4)), np.arange(20.0).reshape(5, 4)), "hypot",
     "np.hypot", "np.hypot(np.array([0.0]), np.array([0.0]))"),
    ("numpy.hypot", half_precision, lengths, (np.ones((5, 4)) / 3, np.ones((5, 4)) / 7), "hypot",
     "np.hypot", ""),
    ("numpy.clip", plus_one, bounded, (np.linspace(-3, 3, 9),), "clip", "np.clip",
     "np.clip(np.array([0.0]), -1, 1)"),
    ("numpy.clip", wrong_for_negatives, bounded, (np.linspace(-3, 3, 9),), "clip", "np.clip",
     "np.clip(np.array([-1.0]), -1, 1)"),
    ("numpy.std", plus_one, by_method, (np.arange(12.0).reshape(3, 4),), "std", "ndarray.std",
     ""),
    ("numpy.add", plus_one, in_place, (np.zeros(9), np.arange(9.0)), "+=", "np.add",
     "a = np.array([0.0]); np.add(a, np.array([0.0]), out=a)"),
    ("numpy.sin", plus_one, in_loop, (np.arange(6.0),), "sin", "np.sin",
     "np.sin(np.array([0.0]))"),
    ("numpy.where", plus_one, selected, (np.arange(6),), "where", "np.where",
     "np.where(np.array([False]), np.array([0]), 0)"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("op", "instead", "fn", "args", "word", "function", "smallest"),
    CASES,
    ids=[f"{case[0]}-{case[1].__name__}" for case in CASES],
)
def test_a_broken_lowering_is_named(
    op: str,
    instead: Break,
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    word: str,
    function: str,
    smallest: str,
) -> None:
    assert compare(fn, *args).equal
    before = [np.array(arg) for arg in args]
    with broken_lowering(op, instead):
        found = compare(fn, *args)
    assert not found.equal
    for difference in found.differences:
        if difference.kind == "output":
            continue
        assert difference.kind == "value"
        assert difference.line == line_of(fn, word)
        assert difference.function == function
        assert difference.column is not None
        if smallest:
            assert difference.smallest == smallest
        again(difference.smallest)
        assert difference.count
        assert difference.expected != difference.actual
    assert all(np.array_equal(a, b) for a, b in zip(before, args, strict=True))
    assert compare(fn, *args).equal, "the broken artifact was kept"


def test_nothing_stays_in_the_cache() -> None:
    known = dict(artifacts._artifacts)
    compare(running, np.arange(7))
    assert artifacts._artifacts == known


def test_what_was_compiled_before_is_not_trusted() -> None:
    npc.settings.tier, kept = "aten", npc.settings.tier
    try:
        npc.compile(running)(np.arange(8))  # its artifact is right, and known
    finally:
        npc.settings.tier = kept
    with broken_lowering("numpy.cumsum", plus_one):
        assert not compare(running, np.arange(8)).equal


def test_shared_memory_and_copies_of_views(monkeypatch: pytest.MonkeyPatch) -> None:
    def views(x: Any) -> Any:
        y = x + 1
        return y, y[1:]

    assert compare(views, np.arange(5)).equal
    true = interpret.run_node

    def copies(node: Any, values: Any) -> Any:
        values[node.id] = true(node, values).copy()
        return values[node.id]

    monkeypatch.setattr(interpret, "run_node", copies)
    found = compare(views, np.arange(5))
    (difference,) = [d for d in found.differences if "shared" in d.text]
    assert difference.kind == "aliasing"
    assert difference.name == "return value[1]"
    assert difference.function == "ndarray.__getitem__"
    assert difference.line == line_of(views, "y[1:]")
    assert again(difference.smallest) is not None


def test_a_wrong_dtype(monkeypatch: pytest.MonkeyPatch) -> None:
    true = artifacts.Artifact.run

    def single(self: Any, values: Any) -> Any:
        outputs, written = true(self, values)
        return {k: v.astype(np.float32) for k, v in outputs.items()}, written

    monkeypatch.setattr(artifacts.Artifact, "run", single)
    found = compare(lambda x: np.tanh(x), np.arange(3.0))
    (difference,) = found.differences
    assert (difference.kind, difference.expected, difference.actual) == (
        "dtype",
        "float64",
        "float32",
    )
    assert difference.function == "np.tanh"
    assert difference.smallest == "np.tanh(np.array([0.0]))"


def test_two_faults_are_told_apart() -> None:
    def both(x: Any) -> Any:
        first = np.cumsum(x)
        print("between")
        second = np.hypot(x, x)
        return first, second

    with broken_lowering("numpy.cumsum", plus_one), broken_lowering("numpy.hypot", plus_one):
        found = compare(both, np.arange(3.0))
    assert {d.function for d in found.differences} >= {"np.cumsum"}


def test_exceptions_are_compared() -> None:
    def fails(x: Any) -> Any:
        y = np.sqrt(x)
        return y[len(x)]

    assert compare(fails, np.ones(3)).equal

    def raises(lowering: Any, trace: Any, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("no such lowering")

    with broken_lowering("numpy.sqrt", raises):
        found = compare(fails, np.ones(3))
    assert found.equal, "what cannot be lowered runs in NumPy"
    assert any("no such lowering" in note for note in found.notes)


def test_warnings_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    def warns(x: Any) -> Any:
        warnings.warn("careful", UserWarning, stacklevel=1)
        return x * 2

    assert compare(warns, np.ones(3)).equal


def test_printed_text_is_compared() -> None:
    with broken_lowering("numpy.sin", plus_one):
        found = compare(in_loop, np.zeros(2))
    kinds = {d.kind for d in found.differences}
    assert kinds == {"value"}

    def prints(x: Any) -> None:
        y = np.cumsum(x)
        print("sum", y[-1])

    with broken_lowering("numpy.cumsum", plus_one):
        (difference,) = compare(prints, np.arange(3)).differences
    assert difference.kind == "output"
    assert (difference.expected, difference.actual) == ("sum 3", "sum 4")
    assert difference.function == "np.cumsum"


def test_rounding_is_reported_and_passes() -> None:
    def nudge(lowering: Any, trace: Any, *args: Any, **kwargs: Any) -> Any:
        return lowering(trace, *args, **kwargs) * (1 + 2**-52)

    with broken_lowering("numpy.exp", nudge):
        found = compare(lambda x: np.exp(x), np.ones(4))
    assert found.equal
    assert found.rounding == 1


def test_rounding_that_grows_is_no_difference() -> None:
    def chaotic(x: Any) -> Any:
        for _ in range(120):
            x = 3.9 * x * (1 - x)
        return x

    def nudge(lowering: Any, trace: Any, *args: Any, **kwargs: Any) -> Any:
        return lowering(trace, *args, **kwargs) * (1 + 2**-52)

    with broken_lowering("numpy.subtract", nudge):
        found = compare(chaotic, np.linspace(0.1, 0.8, 6))
    assert found.equal
    assert found.rounding > 1_000_000
    assert any("rounding has grown" in note for note in found.notes)


def test_clocks_are_not_compared() -> None:
    def timed(x: Any) -> Any:
        return time.perf_counter(), np.exp(x)

    found = compare(timed, np.ones(2))
    assert found.equal
    assert found.unstable == ("return value[0]",)


def test_random_numbers_start_and_stay_the_same() -> None:
    rng = np.random.default_rng(5)
    legacy = np.random.get_state(legacy=False)

    def draws(rng: Any, n: int) -> Any:
        return rng.normal(size=n) * 2 + np.random.rand(n)

    assert compare(draws, rng, 4).equal
    assert rng.normal() == np.random.default_rng(5).normal()
    np.testing.assert_equal(np.random.get_state(legacy=False), legacy)


def test_a_loop_that_wrong_values_never_end_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jupyter_npcompile.runtime.function_comparison.patience", lambda _: 0.3)

    def shrinks(x: Any) -> Any:
        while True:
            x = np.tanh(x) / 2
            if x.max() < 0.01:
                return x

    with broken_lowering("numpy.tanh", plus_one):
        found = compare(shrinks, np.ones(3))
    assert not found.equal
    assert found.differences[0].function == "np.tanh"
    assert any("stopped" in note for note in found.notes)


def test_compiled_functions_and_callables_without_source() -> None:
    @npc.compile
    def scale(x: Any, *, k: float = 2.0) -> Any:
        x *= k
        return x

    assert compare(scale, np.ones(3), k=3.0).equal
    with broken_lowering("numpy.multiply", plus_one):
        found = compare(scale, np.ones(3), k=3.0)
    assert {d.name for d in found.differences} == {"x", "return value"}
    with broken_lowering("numpy.cosh", plus_one):
        (difference,) = compare(np.cosh, np.zeros((3, 3))).differences
    assert difference.smallest == "np.cosh(np.array([0.0]))"


def test_last_report_stays() -> None:
    npc.compile(running)(np.arange(3))
    before = history.last()
    compare(lengths, np.ones((2, 2)), np.ones((2, 2)))
    assert history.last() is before


def test_generators_are_compared_by_what_they_yield() -> None:
    def parts(x: Any) -> Any:
        for k in range(2):
            y = np.cosh(x)
            yield y + k

    found = compare(parts, np.zeros(2))
    assert found.equal
    assert found.arrays == 3


def test_arguments_are_judged() -> None:
    async def later() -> None:
        return None

    with pytest.raises(TypeError, match="asynchronous"):
        npc.compare(later)
    with pytest.raises(ValueError, match="'auto' is not one of 'aten', 'inductor'"):
        npc.compare(np.sin, 1.0, tier="auto")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not int"):
        npc.compare(3)  # type: ignore[arg-type]


@pytest.mark.slow
def test_inductor() -> None:
    assert npc.compare(running, np.arange(9.0), tier="inductor").equal
    with compiled_here(), broken_lowering("numpy.multiply", plus_one):
        (first, *_) = npc.compare(running, np.arange(9.0), tier="inductor").differences
    assert first.function == "np.multiply"


def test_a_fault_that_no_operation_has_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def twice(x: Any) -> Any:
        y = x - 1
        z = np.sqrt(y)
        return z - 2

    true, seen = lowerings.lower, list[str]()

    def lower(graph: Any) -> Any:
        seen[:] = [node.op for node in graph.nodes]
        return true(graph)

    def only_in_company(lowering: Any, trace: Any, *args: Any, **kwargs: Any) -> Any:
        seen.append("called")
        late = seen.count("called") == 2  # the second subtraction of one graph
        return lowering(trace, *args, **kwargs) + (1 if late else 0)

    monkeypatch.setattr(lowerings, "lower", lower)
    with broken_lowering("numpy.subtract", only_in_company):
        found = compare(twice, np.arange(5.0) + 1)
    difference = found.differences[0]
    assert difference.line == line_of(twice, "z - 2")
    assert difference.function == "np.subtract"
    assert difference.smallest == ""
    assert "only together" in difference.note
