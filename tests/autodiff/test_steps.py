"""Values that leave the sight of hooks: followed, or refused also where nothing can be checked."""

from __future__ import annotations

import array
import collections
import decimal
import fractions
import operator
import pickle
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc

X = np.array([0.7, 1.3, -2.1, 0.2, 1.9])

seen: list[int] = []


@pytest.fixture(autouse=True)
def tape(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")


def numeric(f: Callable[..., Any], x: np.ndarray) -> np.ndarray:
    steps = 1e-6 * np.eye(len(x))
    return np.array([(f(x + step) - f(x - step)) / 2e-6 for step in steps])


def unchecked(f: Callable[..., Any]) -> Callable[..., Any]:
    """The same with an effect, so that no plain run can tell what is wrong."""

    def run(x: Any) -> Any:
        seen.append(1)
        return f(x)

    return run


def queue(x: Any) -> Any:
    held = collections.deque(x, maxlen=3)
    held.extendleft(x[:2] ** 2)
    return held[0] * held[1] + held[2]


def sets(x: Any) -> Any:
    held = set(x[:2])
    held.update(x[2:])
    return max(held) ** 2 * min(held)


def stored_slices(x: Any) -> Any:
    held = [1.0, 2.0, 3.0]
    held[1:] = x**2
    held += [x[0]]
    total = operator.add([1.0], x[:1])
    return held[2] * held[-1] + np.sum(total)


def special_methods(x: Any) -> Any:
    value = float(x[0])
    square = value.__pow__(2) + value.__rsub__(3) * value.__neg__()
    return square + value.__truediv__(2).__abs__() + value.__float__() + value.__radd__(1)


def operators(x: Any) -> Any:
    y = x.copy()
    operator.iadd(y, x[::-1])
    operator.setitem(y, 1, x[2] ** 2)
    return operator.getitem(y, 1) * operator.getitem(y, 0)


def set_operations(x: Any) -> Any:
    return (
        np.sum(np.intersect1d(x, x[:3]) ** 2)
        + np.sum(np.union1d(x, x[:3]) ** 3)
        + np.sum(np.setdiff1d(x, x[:3]) ** 2)
        + np.sum(np.setxor1d(x, x[2:]))
    )


def counted(x: Any) -> Any:
    return x[np.flatnonzero(x > 0)[1]] ** 2 * np.argwhere(x > 0).sum()


def sinc(x: Any) -> Any:
    return np.sum(np.sinc(x - 0.2) * np.arange(5.0))


def memory(x: Any) -> Any:
    y = x * 2.0
    np.frombuffer(y)[0] = 5.0 * y[1]
    z = np.asarray(memoryview(x))
    return np.frombuffer(x, offset=8)[1] ** 2 + np.frombuffer(x.data)[0] ** 3 + (y * y * z).sum()


FOLLOWED = [
    queue, sets, stored_slices, special_methods, operators, set_operations, counted, sinc, memory,
]  # fmt: skip


@pytest.mark.parametrize("f", FOLLOWED, ids=lambda f: f.__name__)
def test_it_is_followed(f: Callable[..., Any]) -> None:
    expected = numeric(f, X)
    np.testing.assert_allclose(npc.grad(f)(X), expected, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(npc.grad(unchecked(f))(X), expected, rtol=1e-6, atol=1e-7)


def records(x: Any) -> Any:
    table = np.zeros(5, [("a", float), ("b", int)])
    table["a"] = x
    return table["a"] @ table["a"]


REFUSED: dict[str, Callable[..., Any]] = {
    "memory of another type": lambda x: float(np.frombuffer(x, np.float32)[1]),
    "bytes": lambda x: np.frombuffer(x.tobytes())[0] ** 2,
    "a pickle": lambda x: np.sum(pickle.loads(pickle.dumps(x)) ** 2),
    "text": lambda x: float(str(x[0])) ** 2,
    "hexadecimal": lambda x: float.fromhex(float(x[0]).hex()) ** 2,
    "array.array": lambda x: array.array("d", x)[0] ** 2,
    "struct": lambda x: struct.unpack("d", struct.pack("d", x[0]))[0] ** 2,
    "a fraction": lambda x: float(fractions.Fraction(float(x[0]))) ** 2,
    "a decimal": lambda x: float(decimal.Decimal(float(x[0]))) ** 2,
    "longdouble": lambda x: float((x.astype(np.longdouble) ** 2).sum()),
    "an array of text": lambda x: float(x.astype(str)[0]) ** 2,
    "an iterator of NumPy": lambda x: sum(float(v) ** 2 for v in np.nditer(x)),
    "np.broadcast": lambda x: sum(a * b for a, b in np.broadcast(x, x)),
    "an array of records": records,
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_where_nothing_can_be_checked(name: str) -> None:
    with pytest.raises(npc.GradientError):
        npc.grad(unchecked(REFUSED[name]))(X)


def test_text_of_values_may_be_made(capsys: pytest.CaptureFixture[str]) -> None:
    def f(x: Any) -> Any:
        print(str(x[0]), repr(x[1]), format(x[2], ".2f"), len(x.tobytes()))
        return np.sum(x**2)

    np.testing.assert_allclose(npc.grad(f)(X), 2 * X)
    assert capsys.readouterr().out == "0.7 np.float64(1.3) -2.10 40\n"


def test_files_are_written_once(tmp_path: Path) -> None:
    path = tmp_path / "values.npy"

    def f(x: Any) -> Any:
        np.save(path, x**2)
        return np.sum(x**2)

    gradient = npc.grad(f)
    np.testing.assert_allclose(gradient(X), 2 * X)
    np.testing.assert_array_equal(np.load(path), X**2)
    (check,) = gradient.checks.values()
    assert check.status == "unchecked"


def test_another_number_of_iterations_nearby_is_no_mistake() -> None:
    """Conjugate gradients end after as many steps as there are unknowns, for this matrix only."""
    rng = np.random.default_rng(0)
    square = rng.normal(size=(4, 4))
    matrix, right = square @ square.T + 4 * np.eye(4), rng.normal(size=4)

    def solve(a: Any, b: Any, steps: float) -> Any:
        x, r = np.zeros(4), b.copy()
        p, size, count = r.copy(), r @ r, 0
        while size > 1e-20 and count < steps:
            moved = a @ p
            rate = size / (p @ moved)
            x, r = x + rate * p, r - rate * moved
            size, before, count = r @ r, size, count + 1
            p = r + size / before * p
        return x @ x

    gradient = npc.grad(lambda a: solve(a, right, np.inf))
    np.testing.assert_allclose(gradient(matrix), npc.grad(solve)(matrix, right, 4), rtol=1e-9)
    (check,) = gradient.checks.values()
    assert str(check) == "inconclusive: nearby, a test or a loop goes another way"
