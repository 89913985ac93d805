"""Floating-point errors that only a replay meets: NumPy reports them as without the magic."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import settings as budget

import jupyter_npcompile
from jupyter_npcompile.graph.nodes import Graph, Node, Ref, ValueType
from jupyter_npcompile.tracer.floating import KINDS, can_report, looks
from jupyter_npcompile.tracer.lowering.flags import reported_at
from jupyter_npcompile.tracer.table import lowering_of
from tests.support.compiling.batches import Batches
from tests.support.compiling.segment_batches import compiled_together

PLAIN = np.array([1.0, 2.0, 3.0])
ZERO = np.array([0.0, 1.0, 2.0])
NAN = np.array([np.nan, 1.0, 2.0])
INFINITE = np.array([np.inf, 1.0, -2.0])
HUGE = np.array([1e308, -1e308, 1e308])
TINY = np.array([1e-308, 2.0, 3.0])
VALUES = (PLAIN, PLAIN * 2, ZERO, ZERO, NAN, NAN, INFINITE, INFINITE, HUGE, TINY, -PLAIN, PLAIN)


@pytest.fixture(autouse=True)
def forced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "aten")
    monkeypatch.setattr(jupyter_npcompile.settings, "first_run_check", "raise")


def seen(function: Callable[..., Any], *args: Any) -> tuple[list[str], str]:
    """What a call warns of, and what it gives or raises."""
    copies = [np.copy(arg) if isinstance(arg, np.ndarray) else arg for arg in args]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = repr(function(*copies))
        except FloatingPointError as error:
            result = repr(error)
    return [str(warning.message) for warning in caught], result


def masked(x: Any) -> Any:
    out = np.zeros(3)
    np.log(x, where=x > 0, out=out)
    return out


def ignoring(**errors: Any) -> Callable[..., Any]:
    def function(x: Any) -> Any:
        with np.errstate(**errors):
            y = 1 / x + np.exp(x)
            z = np.log(x) * x
        return y, z

    return function


def overwritten(x: Any) -> Any:
    y = x * x
    y[:2] = 0
    return y + 1


def narrowed(x: Any) -> Any:
    z = np.zeros(3, np.float32)
    z[:] = x
    return z


def in_place(x: Any) -> Any:
    x *= 2
    x[1:] /= x[:-1]
    return x


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "at the end of a chain": lambda x: np.log(x) + 1,
    "hidden by a comparison": lambda x: np.where(np.exp(x) > 2, 1.0, 0.0),
    "overwritten": overwritten,
    "an ignored division": ignoring(divide="ignore"),
    "an ignored overflow": ignoring(over="ignore"),
    "invalid ones ignored": ignoring(invalid="ignore", divide="ignore"),
    "everything ignored": ignoring(all="ignore"),
    "everything raised": ignoring(all="raise"),
    "a narrowing conversion": lambda x: np.float32(x).sum(),
    "a narrowing store": narrowed,
    "infinity in a sine alone": lambda x: np.sin(x),
    "infinity in a sine": lambda x: np.sin(x) + np.nanmean(x),
    "a maximum of differences": lambda x: (x[1:] - x[:-1]).max(),
    "a mask": masked,
    "nan in the graph": lambda x: x + np.nan,
    "nan made and left out": lambda x: np.nansum(1 / np.where(x == 0, np.nan, x)),
    "in place": in_place,
    "a product of matrices": lambda x: np.outer(x, x) @ np.outer(x, x),
    "a running sum": lambda x: np.cumsum(x * 1e308),
    "to integers": lambda x: x.astype(int),
    "powers": lambda x: x**-3 + x**0.5,
    "remainders": lambda x: (x // ZERO, x % 2.0),
    "complex": lambda x: np.exp(x * 1j) / x,
    "complex, divisions ignored": np.errstate(divide="ignore")(lambda x: np.exp(x * 1j) / x),
    "half precision": lambda x: x.astype(np.float16) * 3,
    "moments": lambda x: (x.mean(), x.var(), x.std(), np.linalg.norm(x)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.filterwarnings("ignore")
def test_errors_on_replay(name: str) -> None:
    function = FUNCTIONS[name]
    compiled = jupyter_npcompile.compile(function)
    for number, x in enumerate(VALUES):
        found, expected = seen(compiled, x), seen(function, x)
        if name == "a product of matrices" and not np.isfinite(x).all():
            # Whether NumPy's library warns of infinities depends on the processor.
            found, expected = ([], found[1]), ([], expected[1])
        assert found == expected, (number, x)


@pytest.fixture(scope="module")
def batches() -> Batches[str]:
    """The functions, of which some are compiled at a time."""

    def ask(name: str) -> None:
        seen(jupyter_npcompile.compile(FUNCTIONS[name]), VALUES[0])

    return Batches(FUNCTIONS, compiled_together, ask)


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.filterwarnings("ignore")
def test_errors_on_replay_of_kernels(
    name: str, batches: Batches[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jupyter_npcompile.settings, "tier", "inductor")
    monkeypatch.setattr(jupyter_npcompile.settings, "first_run_check", "off")
    batches.need(name)
    function = FUNCTIONS[name]
    compiled = jupyter_npcompile.compile(function)
    for number, x in enumerate(VALUES):
        assert seen(compiled, x)[0] == seen(function, x)[0], (number, x)


@pytest.mark.parametrize(
    "pair", [(2, 3), (2**62, 4), (-(2**63), -1), (2**63 - 1, 1), (5, -7)], ids=str
)
def test_integer_scalars_that_wrap(pair: tuple[int, int]) -> None:
    def function(a: Any, b: Any) -> Any:
        return a * b, a + b, a - b

    compiled = jupyter_npcompile.compile(function)
    compiled(np.int64(1), np.int64(2))
    assert seen(compiled, *map(np.int64, pair)) == seen(function, *map(np.int64, pair))


numbers = st.sampled_from([0.0, -0.0, 1.0, -2.0, np.inf, -np.inf, np.nan, 1e308, 1e-308, 0.5])
UFUNCS = str.split(
    "add subtract multiply divide floor_divide remainder power fmod hypot arctan2 logaddexp "
    "maximum copysign float_power nextafter heaviside"
)
ONE = str.split(
    "sqrt log log2 log10 log1p exp exp2 expm1 sin cos tan arcsin arccos arctanh arccosh sinh cosh "
    "tanh square reciprocal spacing sign rint cbrt degrees"
)


@budget(max_examples=60)
@given(st.sampled_from(UFUNCS), *[st.lists(numbers, min_size=4, max_size=4)] * 4)
def test_binary_ufuncs(name: str, a: Any, b: Any, c: Any, d: Any) -> None:
    check_replay(getattr(np, name), (np.array(a), np.array(b)), (np.array(c), np.array(d)))


@budget(max_examples=60)
@given(st.sampled_from(ONE), *[st.lists(numbers, min_size=4, max_size=4)] * 2)
def test_unary_ufuncs(name: str, a: Any, b: Any) -> None:
    check_replay(getattr(np, name), (np.array(a),), (np.array(b),))


def check_replay(ufunc: Any, first: Any, second: Any) -> None:
    def function(*args: Any) -> Any:
        return ufunc(*args)

    compiled = jupyter_npcompile.compile(function)
    for values in (first, second, second, first):
        with np.errstate(all="warn", under="ignore"):
            assert seen(compiled, *values)[0] == seen(function, *values)[0], values


EXTREMES = [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, np.inf, -np.inf, np.nan, 1.7e308, 5e-324, 0.5]


def watched_ufuncs() -> list[np.ufunc]:
    found = {u for u in vars(np).values() if isinstance(u, np.ufunc) and not u.signature}
    rows = {u: lowering_of(f"numpy.{u.__name__}") for u in found if u.nin <= 2}
    kept = [u for u, row in rows.items() if row is not None and row.status == "lowered"]
    return sorted(kept, key=lambda u: u.__name__)


@pytest.mark.parametrize("ufunc", watched_ufuncs(), ids=lambda u: u.__name__)
def test_no_report_is_missed(ufunc: np.ufunc) -> None:
    """Whenever NumPy warns for some numbers, the flag is up."""
    for numbers in itertools.product(EXTREMES, repeat=ufunc.nin):
        operands = [np.array([number]) for number in numbers]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                made = ufunc(*operands)
            except TypeError:
                return
        results = made if isinstance(made, tuple) else (made,)
        node = Node(0, f"numpy.{ufunc.__name__}", types=KIND * len(results), reports=KINDS)
        flagged = can_report(node) and any(
            bool(reported_at(node, [torch.from_numpy(x) for x in operands], torch.from_numpy(y)))
            for y in results
            if y.dtype.kind == "f"
        )
        assert flagged or not caught, numbers


KIND = (ValueType("array", "float64", (3,), (8,)),)


def test_one_look_at_the_end_of_a_chain() -> None:
    x = Node(0, "input", types=KIND)
    nodes = (
        Node(1, "numpy.exp", (Ref(0),), types=KIND, reports=KINDS),
        Node(2, "numpy.multiply", (Ref(1), Ref(0)), types=KIND, reports=KINDS),
        Node(3, "numpy.maximum", (Ref(2), 0), types=KIND, reports=KINDS),
        Node(4, "numpy.sqrt", (Ref(3),), types=KIND, reports=KINDS),
    )
    graph = Graph("numpy", (x,), nodes)
    assert looks(graph) == {1: "never", 2: "finite", 3: "never", 4: "finite"}


def test_exact_looks_where_nan_came_in() -> None:
    x = Node(0, "input", types=KIND, finite=False)
    y = Node(1, "numpy.exp", (Ref(0),), types=KIND, reports=KINDS)
    z = Node(2, "numpy.add", (Ref(1), Ref(0)), types=KIND, reports=KINDS)
    assert looks(Graph("numpy", (x,), (y, z))) == {1: "exact", 2: "exact"}


def test_nothing_to_look_for() -> None:
    x = Node(0, "input", types=KIND)
    y = Node(1, "numpy.exp", (Ref(0),), types=KIND)
    assert looks(Graph("numpy", (x,), (y,))) == {1: "never"}


def test_what_is_overwritten_shows_nothing() -> None:
    @jupyter_npcompile.compile
    def function(x: Any) -> Any:
        logarithm = np.log(x)
        turned = -logarithm
        turned[:] = 0
        return turned + x

    for _ in range(2):
        function(PLAIN)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        function(ZERO)


def test_one_look_for_what_shows_in_both_branches() -> None:
    x = Node(0, "input", types=KIND)
    nodes = (
        Node(1, "numpy.exp", (Ref(0),), types=KIND, reports=KINDS),
        Node(2, "numpy.subtract", (1.0, Ref(1)), types=KIND, reports=KINDS),
        Node(3, "numpy.where", (Ref(0), Ref(2), Ref(1)), types=KIND, reports=KINDS),
        Node(4, "numpy.multiply", (Ref(3), Ref(0)), types=KIND, reports=KINDS),
    )
    assert looks(Graph("numpy", (x,), nodes)) == {1: "never", 2: "never", 3: "never", 4: "finite"}
    hidden = Node(3, "numpy.where", (Ref(0), Ref(2), 0.0), types=KIND, reports=KINDS)
    found = looks(Graph("numpy", (x,), (*nodes[:2], hidden, nodes[3])))
    assert found == {1: "finite", 2: "never", 3: "never", 4: "finite"}


@pytest.mark.parametrize(
    ("name", "first", "value"), [("nextafter", 1.0, 1.0), ("multiply", 1e-300, 1e-300)]
)
def test_an_underflow_where_indices_choose_is_not_missed(
    name: str, first: float, value: float
) -> None:
    @np.errstate(under="warn")
    def function(x: Any, value: float) -> Any:
        getattr(np, name).at(x, [0], value)
        return x

    compiled = jupyter_npcompile.compile(function)
    for _ in range(2):
        compiled(PLAIN.copy(), 2.0)
    for start in (0.0, first):
        x = np.array([start, start])
        assert seen(compiled, x, value) == seen(function, x, value)
