"""What is computed by vectors of our own: NaN, zeros of two signs and odd lengths as in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jupyter_npcompile.loops.costs import WIDE
from jupyter_npcompile.loops.elementwise import apply
from jupyter_npcompile.loops.kinds import ArrayType, Number
from jupyter_npcompile.loops.lanes import lane_of
from jupyter_npcompile.loops.values import Ref, Scalar
from tests.loops.fusion.test_fusing import is_same
from tests.runtime.dispatch.test_whole_function import whole
from tests.support.loops.native_loops import define, outcome

pytestmark = pytest.mark.usefixtures("straight_functions")

X, Y = (Ref(name, ArrayType("float64", 1, True)) for name in "xy")
ONE = Scalar("1.0", Number("np", "float64"))
MOST = "np_max<double>({0}, {1})"


def test_which_loops_gain() -> None:
    most = apply(MOST, [X, Y], "float64")
    assert lane_of([most], [X]) == "Lanes<double>"
    assert lane_of([apply("({0} - {1})", [most, ONE], "float64")], [X]) == "Lanes<double>"
    assert lane_of([apply(MOST, [X, ONE], "float64")], [X]) == ""  # two instructions anyway
    assert lane_of([apply("({0} + {1})", [X, Y], "float64")], [X]) == ""
    assert lane_of([apply("math::exp({0})", [most], "float64")], [X]) == ""
    assert lane_of([apply("floor_mod({0}, {1})", [X, ONE], "float64")], [X]) == "Lanes<double>"
    assert lane_of([most], [Ref("z", ArrayType("float64", 1, False))]) == ""
    assert lane_of([most], [Ref("z", ArrayType("bool", 1, True))]) == ""
    assert lane_of([apply("np_max<int64_t>({0}, {1})", [X, Y], "int64")], [X]) == ""


def test_which_sums_are_long_enough() -> None:
    total = X
    for _ in range(WIDE):
        total = apply("({0} + {1})", [total, Y], "float64")
    assert lane_of([total], [X]) == "Chains<double>"
    assert lane_of([total.operands[0]], [X]) == ""
    assert lane_of([total], [Ref("z", ArrayType("float64", 1, False))]) == ""
    assert lane_of([apply("({0} / {1})", [total, Y], "float64")], [X]) == ""
    assert lane_of([apply("((float){0})", [total], "float32")], [X]) == ""


STENCIL = """
def f(x, w, n):
    total, place = np.zeros((3, n), x.dtype), x[:3, :n].copy()
    for i in range(14):
        total += w[i] * x[i : i + 3, i : i + n]
    for i in range(1):
        place -= w[0] * x[:3, :n] + w[1] * x[1:4, 1 : 1 + n] - w[2] * place * w[3] + w[4] * (
            x[2:5, 0 : 2 * n : 2] - w[5] * -place + w[6] * x[3:6, 3 : 3 + n] - w[7] * w[8] * place
            - w[9] * (x[4:7, :n] + x[5:8, :n] * x[6:9, :n]) - (place + x[7:10, :1]) * w[10]
        ) - (x[8:11, :n] - w[11]) * (w[12] + w[13] * x[9:12, 2 : 2 + n])
    return total, place
"""


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_long_sums(dtype: str) -> None:
    """Of any number of elements, with an operand that is written and steps: each bit as NumPy's."""
    function = define(STENCIL)
    rng = np.random.default_rng(8)
    native, state = whole(function, [np.ones((20, 99), dtype), np.ones(14, dtype), 9])
    assert not state.closed, state.closed
    assert "Chains<" in state.forms[0].code.source
    for n in (1, 2, 3, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 40, 48):
        x = np.stack(
            [drawn(rng, 100, dtype) if k % 3 == 0 else rng.normal(size=100) for k in range(20)]
        )
        given = [x.astype(dtype), rng.normal(size=14).astype(dtype), n]
        assert same_numbers(function(*given), native(*given)), (dtype, n)
    assert state.forms[0].iterations > 10


PROGRAM = """
def f(x, y, w, n):
    largest, least = np.full(n, -np.inf), x[:n] - y[:n]
    for i in range(3):
        np.maximum(largest, x[i : i + 2 * n : 2], out=largest)
        least = np.minimum(least, y[i : i + n]) - w[:n]
    np.minimum(w[:n], y[:n], out=w[:n])
    both = np.maximum(x[:n], y[:n])
    return largest, least, both, np.maximum(w[1:n], w[: n - 1]), w
"""


def drawn(rng: np.random.Generator, size: int, dtype: str) -> Any:
    """Numbers with what is special among them, so that each meets each."""
    special = [np.nan, -np.nan, 0.0, -0.0, np.inf, -np.inf]
    x = rng.normal(size=size)
    places = rng.random(size) < 0.5
    x[places] = rng.choice(special[:4] if rng.random() < 0.5 else special[2:4], places.sum())
    return x.astype(dtype)


def test_elements_of_all_kinds() -> None:
    function = define(PROGRAM)
    rng = np.random.default_rng(3)
    for dtype in ("float64", "float32"):
        first = [np.ones(100, dtype), np.ones(100, dtype), np.ones(100, dtype), 9]
        native, state = whole(function, first)
        assert not state.closed, state.closed
        assert "Lanes<" in state.forms[0].code.source
        for n in (1, 2, 7, 8, 9, 15, 16, 17, 24, 31, 33, 40):
            given = [drawn(rng, 100, dtype) for _ in range(3)]
            pair = [[v.copy() for v in given] + [n] for _ in range(2)]
            expected, found = outcome(function, pair[0]), outcome(native, pair[1])
            assert is_same(expected.result, found.result), (dtype, n)
            assert is_same(pair[0][:3], pair[1][:3]), (dtype, n)


REMAINDERS = """
def f(x, y, n):
    for i in range(1):
        each, by_one = x[:n] % y[:n], (x[:n] + 0.25) % 0.75
        left, backwards = np.mod(-3.0, y[:n]), x[:n][::-1] % y[:n]
        whole = {whole}
    alone = np.zeros(n)
    for k in range(n): alone[k] = x[k] % y[k]
    return each, by_one, left, backwards, whole, alone
"""


def same_numbers(one: Any, other: Any) -> bool:
    """Whether arrays are the same, and the signs of zeros: NaN has no sign."""
    return all(
        np.array_equal(a, b, equal_nan=True) and (np.signbit(a) == np.signbit(b))[a == a].all()
        for a, b in zip(one, other, strict=True)
    )


def dividends(rng: np.random.Generator, size: int, dtype: str) -> tuple[Any, Any]:
    """Numbers of all sizes, and divisors of which many are whole multiples, or almost."""
    bits = rng.integers(0, 1 << 62, size).astype("uint64").view("float64")
    some = np.ldexp(rng.normal(size=size), rng.integers(-60, 60, size))
    x = np.where(rng.random(size) < 0.3, np.where(np.isfinite(bits), bits, 1.0), some)
    y = np.ldexp(rng.normal(size=size), rng.integers(-3, 8, size))
    times = rng.integers(-1000, 1000, size)
    x = np.where(rng.random(size) < 0.5, times * y, x)
    x = np.where(rng.random(size) < 0.3, np.nextafter(times * y, rng.choice([-1e9, 1e9], size)), x)
    y = np.where(rng.random(size) < 0.05, np.inf, y)
    x = np.where(rng.random(size) < 0.05, rng.choice([0.0, -0.0], size), x)
    x = np.where(abs(x) > 1e200, 1.0, x)  # such quotients may be too large, and are left to NumPy
    return x.astype(dtype), y.astype(dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_remainders_are_exact(dtype: str) -> None:
    function = define(REMAINDERS.format(whole="x // y" if dtype == "float64" else "x % y"))
    rng = np.random.default_rng(6)
    native, state = whole(function, [np.ones(50, dtype), np.ones(50, dtype), 9])
    assert not state.closed, state.closed
    for size in (1, 7, 8, 9, 33, *[400] * 20):
        x, y = dividends(rng, size, dtype)
        if dtype == "float32":
            x, y = np.where(abs(x) < 1e-20, 1, x).astype(dtype), np.clip(y, -99, 99)
        expected, found = outcome(function, [x, y, size]), outcome(native, [x, y, size])
        assert same_numbers(expected.result, found.result), size
        assert (expected.warned, expected.error) == (found.warned, found.error)
    assert state.forms[0].iterations > 20


def test_remainders_of_what_is_special() -> None:
    """Of NaN and infinity, by zero, and of quotients that have more digits than a number."""
    function = define(REMAINDERS.format(whole="x[:n] // y[:n]"))
    native, _ = whole(function, [np.ones(50), np.ones(50), 9])
    odd = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e300, -1e-300, 2.0**60, 5e-324, 7.5])
    x, y = (np.ascontiguousarray(part.ravel()) for part in np.meshgrid(odd, odd))
    for begin in (0, *range(100)):
        given = [x[begin:], y[begin:], 1 if begin else len(x)]
        expected, found = outcome(function, given), outcome(native, given)
        assert same_numbers(expected.result, found.result), given
        assert (expected.warned, expected.error) == (found.warned, found.error)


EXTREMES = """
def f(x):
    for i in range(1):
        most, least = x.max(), x.min()
    return most, least, x.max(axis=1), x.min(axis=1), x.max(axis=0)
"""


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_extremes(dtype: str) -> None:
    function = define(EXTREMES)
    rng = np.random.default_rng(4)
    native, state = whole(function, [np.ones((3, 50), dtype)])
    assert not state.closed, state.closed
    for n in (1, 7, 8, 16, 31, 32, 33, 64, 65, 127, 300):
        x = np.round(3 * rng.normal(size=(3, n))) + 0.0  # zeros of one sign: they come in any order
        if dtype != "int64" and n % 2:
            x[rng.integers(3), rng.integers(n)] = np.nan
        x = x.astype(dtype)
        for one, other in zip(function(x), native(x), strict=True):
            assert np.array_equal(one, other, equal_nan=True), n
            assert one.dtype == other.dtype


def test_a_column_twice() -> None:
    """What begins with a type is an expression to the compiler, and no declaration."""
    function = define(
        "def f(x, c, r):\n    for once in range(1):\n        pass\n"
        "    y = np.maximum(c, c) + x\n    z = y * r\n    return y, z\n"
    )
    rng = np.random.default_rng(0)
    given = [rng.normal(size=(9, 20)), rng.normal(size=(9, 1)), rng.normal(size=20)]
    made, state = whole(function, given)
    assert not state.closed
    for expected, found in zip(function(*given), made(*given), strict=True):
        assert is_same(expected, found)
