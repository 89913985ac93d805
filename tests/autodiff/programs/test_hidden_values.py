"""Active values where they are easily overlooked: slots, mappings, arrays that are resized.

Also keywords that are named as parameters of ours are, and Python's complex
numbers. A gradient is right, or refused with a reason that names the place.
"""

from __future__ import annotations

import collections
import ctypes
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.autodiff.steps import name_of
from tests.support.session.seeds import seeds


@pytest.fixture(autouse=True)
def tape(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")


def differences(f: Callable[..., Any], x: Any) -> Any:
    if not isinstance(x, np.ndarray):
        return (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
    steps = (np.eye(x.size) * 1e-6).reshape(-1, *x.shape)
    return np.array([(f(x + h) - f(x - h)) / 2e-6 for h in steps]).reshape(x.shape)


def demand_gradient(f: Callable[..., Any], x: Any) -> None:
    wanted = differences(f, x.copy() if isinstance(x, np.ndarray) else x)
    np.testing.assert_allclose(npc.grad(f)(x), wanted, rtol=1e-5, atol=1e-6)


# -- objects without a dict


@dataclass(slots=True)
class Cell:
    v: Any

    def __add__(self, other: Any) -> Cell:
        return Cell(self.v + other.v)

    def __pow__(self, k: int) -> Cell:
        return Cell(self.v**k)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self.v)


class Base:
    __slots__ = ("__hidden", "empty")

    def keep(self, v: Any) -> None:
        self.__hidden = v

    def give(self) -> Any:
        return self.__hidden


class Derived(Base):
    __slots__ = ("w",)


class Mixed(Base):
    """It has slots of its base, and a dict."""


@dataclass(frozen=True, slots=True)
class Frozen:
    v: Any

    def __mul__(self, other: Frozen) -> Frozen:
        return Frozen(self.v * other.v)


def kept(kind: type[Base], v: Any) -> Base:
    made = kind()
    made.keep(v)
    return made


OPAQUE: dict[str, Callable[[Any], Any]] = {
    "a sum of objects": lambda x: (np.array([Cell(v) for v in x], dtype=object) ** 2).sum().v,
    "a product of objects": lambda x: np.prod(np.array([Frozen(v) for v in x], dtype=object)).v,
    "private slots": lambda x: sum(o.give() for o in np.array([kept(Derived, v) for v in x])),
    "slots of a base": lambda x: sum(o.give() for o in np.array([kept(Mixed, v) for v in x])),
    "nested": lambda x: sum(o.v.v for o in np.array([Cell(Frozen(v)) for v in x], dtype=object)),
    "in a list": lambda x: sum(o[0].v for o in np.array([[Cell(v)] for v in x], dtype=object)),
    "stored": lambda x: _stored(x),
    "sorted": lambda x: sorted([Cell(v) for v in x], key=lambda cell: -cell.v)[0].v ** 2,
    "handed on": lambda x: sum(cell.v**2 for cell in [Cell(v) for v in x]),
    "an array of it": lambda x: np.sum(np.asarray(Cell(x * 2)) ** 2),
}


def _stored(x: Any) -> Any:
    cells = np.empty(len(x), object)
    for k in range(len(x)):
        cells[k] = Cell(x[k] ** 2)
    return cells.sum().v


LOG: list[int] = []


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("effect", [False, True], ids=["pure", "with an effect"])
@pytest.mark.parametrize("name", OPAQUE)
def test_what_is_in_slots_is_seen(name: str, effect: bool, kind: Any) -> None:
    """With an effect, or in single precision, no check can notice what the tape has lost."""
    f = OPAQUE[name]

    def logged(x: Any) -> Any:
        LOG.append(1)
        return f(x)

    x = np.array([1.0, 4.0])
    wanted = differences(f, x)
    refused = ""
    try:
        made = npc.grad(logged if effect else f)(x.astype(kind))
    except npc.GradientError as error:
        refused = str(error)
    assert "line" in refused if refused else np.allclose(made, wanted, rtol=1e-4)


# -- names of keywords


def apply(x: Any, func: Any) -> Any:
    return func(x)


def shift(x: Any, at: int) -> Any:
    return x[at:]


def many(**named: Any) -> Any:
    return sum(np.sum(value) * (k + 1) for k, value in enumerate(named.values()))


class Holder:
    def __init__(self, at: Any, func: Any, hooks: Any = 1.0) -> None:
        self.at, self.func, self.hooks = at, func, hooks


def _held(x: Any) -> Any:
    held = Holder(at=x**2, func=np.sum, hooks=x)
    return held.func(held.at * held.hooks)


KEYWORDS: dict[str, Callable[[Any], Any]] = {
    "func": lambda x: apply(x**2, func=np.sum),
    "at": lambda x: shift(x**2, at=1).sum(),
    "all of ours": lambda x: many(
        self=x, at=x**2, func=x**3, hooks=x * 2, inner=x**2, args=x, kwargs=x, name=x, obj=x**3
    ),
    "a class": _held,
    "of a lambda": lambda x: (lambda self, at: self * at)(self=x[0], at=x[1]),
    "of a dict": lambda x: dict(at=x[0], func=x[1] ** 2)["func"],  # noqa: C408
    "of a namespace": lambda x: types.SimpleNamespace(at=x[0], func=x[1] ** 2).func,
}


@pytest.mark.parametrize("name", KEYWORDS)
def test_keywords_may_have_any_name(name: str) -> None:
    demand_gradient(KEYWORDS[name], np.array([1.5, 4.0]))


def test_arguments_may_be_called_self() -> None:
    made = npc.value_and_grad(lambda x, self: x * self)(3.0, self=2.0)
    assert made == (6.0, 2.0)
    assert npc.jacobian(lambda x, self: x * self)(3.0, self=2.0) == 2.0


# -- mappings


class Units(Mapping[str, Any]):
    """A mapping that is no dict."""

    def __init__(self, held: Any) -> None:
        self._held = dict(held)

    def __getitem__(self, key: str) -> Any:
        return self._held[key] * 2

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)


class Doubled(dict[str, Any]):
    """A dict that gives something else."""

    def __getitem__(self, key: str) -> Any:
        return super().__getitem__(key) * 2

    def copy(self) -> Doubled:
        return Doubled(self)


class Counted(dict[str, Any]):
    def __missing__(self, key: str) -> Any:
        return 1.0


def _updated(x: Any) -> Any:
    held: dict[str, Any] = {"length": x[0]}
    held.update(Units({"length": x[1], "time": x[0]}))
    held.update(Doubled(mass=x[1]))
    return held["length"] ** 2 * held["time"] + held["mass"]


MAPPINGS: dict[str, Callable[[Any], Any]] = {
    "dict of a mapping": lambda x: dict(Units({"length": x[0], "time": x[1]}))["length"] ** 2,
    "dict of a dict": lambda x: dict(Doubled(length=x[0] ** 2))["length"],
    "a copy": lambda x: Doubled(length=x[0] ** 2).copy()["length"],
    "ordered": lambda x: collections.OrderedDict(Units({"length": x[1]}))["length"] ** 2,
    "with defaults": lambda x: collections.defaultdict(int, Units({"one": x[1]}))["one"] ** 2,
    "updated": _updated,
    "one that misses": lambda x: Counted(length=x[0])["length"] * Counted()["mass"] * x[1],
    "keys": lambda x: len(list(Units({"length": x[0]}))) * x[0] ** 2,
    "unpacked": lambda x: {**Units({"length": x[0]})}["length"] ** 2,
    "keywords": lambda x: many(**Units({"length": x[0], "time": x[1]})),
}


@pytest.mark.parametrize("name", MAPPINGS)
def test_mappings_hand_on_what_they_hold(name: str) -> None:
    demand_gradient(MAPPINGS[name], np.array([1.5, 4.0]))


# -- arrays that see their memory otherwise


def _resized(x: Any) -> Any:
    y = x * 2
    y.resize((2, 2))
    return (y @ y).sum()


def _resized_by_columns(x: Any) -> Any:
    y = np.array((x * 2).reshape(2, 2), order="F")
    y.resize((4,))
    return (y * np.arange(4)).sum()


def _resized_with_numbers(x: Any) -> Any:
    y = x**2
    y.resize(1, 4)
    y.resize()
    y[0, 1] *= x[0]
    return (y[0] * np.arange(4)).sum()


def _view_before(x: Any) -> Any:
    y = x**2
    head = y[:2]
    y.resize((2, 2))
    head *= 3
    return (y * y).sum()


def _buffer(x: Any) -> Any:
    buffer = np.zeros(2)
    first = x[:2] + buffer
    buffer.resize(4)
    buffer += 1
    return (x * buffer).sum() * first[0]


RESIZED: dict[str, Callable[[Any], Any]] = {
    "resized": _resized,
    "by columns": _resized_by_columns,
    "with numbers": _resized_with_numbers,
    "with a view": _view_before,
    "what is constant": _buffer,
}


@pytest.mark.parametrize("name", RESIZED)
def test_resized(name: str) -> None:
    demand_gradient(RESIZED[name], np.array([1.0, 2.0, 3.0, 4.0]))


@pytest.mark.parametrize("shape", [6, (1, 3), 0])
def test_other_memory_is_refused(shape: Any) -> None:
    def f(x: Any) -> Any:
        y = x * 2
        y.resize(shape)
        return y.sum()

    with pytest.raises(npc.GradientError, match=r"`.resize\(\)` to \d elements.*new array"):
        npc.grad(f)(np.ones(4))


def test_numpy_refuses_as_it_does() -> None:
    def f(x: Any) -> Any:
        y = np.zeros(4)
        view = y[1:]
        y.resize(6)
        return view.sum() + x

    with pytest.raises(ValueError, match="cannot resize"):
        f(1.0)
    with pytest.raises(ValueError, match="cannot resize"):
        npc.grad(f)(1.0)


# -- libraries


def test_what_a_library_hands_on_is_what_it_was_given() -> None:
    demand_gradient(lambda x: np.sum(cast("Any", x**2)), np.array([1.5, 4.0]))
    demand_gradient(lambda x: np.ma.masked_greater(x, 2).sum(), np.array([1.3, 0.7, 2.1]))


def test_arrays_that_compute_in_their_own_way_are_no_arguments() -> None:
    class Quantity(np.ndarray):
        def __array_ufunc__(self, *args: Any, **kwargs: Any) -> Any:
            return NotImplemented

    with pytest.raises(TypeError, match=r"does not follow a Quantity.*np.asarray"):
        npc.grad(np.sum)(np.ones(3).view(Quantity))


def test_a_ufunc_has_its_name_in_messages() -> None:
    sign = np.frompyfunc(float, 1, 1)
    with pytest.raises(npc.GradientError, match="float"):
        npc.grad(lambda x: np.sum(sign(x)).real)(np.ones(2))
    assert name_of(np.exp) == "np.exp"


# -- complex numbers of Python's


COMPLEX: dict[str, Callable[[Any], Any]] = {
    "square": lambda x: ((x + 1j) ** 2).real,
    "cube": lambda x: ((x + 1j) ** 3).imag,
    "root": lambda x: ((x + 1j) ** 0.5).real,
    "inverse": lambda x: ((x - 2j) ** -1).imag,
    "inverse square": lambda x: ((x - 2j) ** -2.0).real,
    "complex exponent": lambda x: ((x + 1j) ** (1 - 2j)).real,
    "of a constant": lambda x: ((1 + 2j) ** x).imag,
    "of a negative": lambda x: ((-x) ** 0.5).imag,
    "pow": lambda x: pow(x + 1j, 2).real,
    "product": lambda x: ((x + 1j) * (x - 2j)).imag,
    "quotient": lambda x: ((x + 1j) / (x - 2j)).imag,
    "size": lambda x: abs((x + 1j) ** 2),
    "conjugate": lambda x: ((x + 1j) ** 2).conjugate().imag,
    "negative": lambda x: (-((x + 1j) ** 2)).imag,
    "in place": lambda x: _powers(x).real,
    "reflected": lambda x: (2 / (x + 1j)).imag,
}


def _powers(x: Any) -> Any:
    z = x + 1j
    z **= 2
    z *= x
    z -= 1j * x
    return z


@pytest.mark.drawn
@pytest.mark.parametrize("seed", seeds(1))
@pytest.mark.parametrize("kind", [float, np.float64])
@pytest.mark.parametrize("name", COMPLEX)
def test_complex_numbers(name: str, kind: Any, seed: int) -> None:
    x = np.random.default_rng([seed, *name.encode()]).uniform(0.5, 3)
    if name == "of a negative" and kind is np.float64:
        pytest.skip("NumPy gives nan")
    demand_gradient(lambda v: COMPLEX[name](kind(v)), float(x))


# -- the check


STEEP: dict[str, tuple[Callable[[Any], Any], float]] = {
    "a pole": (np.tan, np.pi / 2),
    "an inverse": (lambda x: 1 / x, 1e-9),
    "a square of it": (lambda x: 1 / x**2, -1e-7),
    "a logarithm": (lambda x: np.log(np.abs(x)), 1e-12),
    "an arc": (lambda x: np.arctan(1e9 * x), 0.0),
    "waves": (lambda x: np.sin(1e7 * x), 0.1),
}
"""Functions that change much within a step of the check."""


@pytest.mark.parametrize("name", STEEP)
def test_steep_places_are_no_mistakes(name: str) -> None:
    f, x = STEEP[name]
    derivative = npc.grad(f)
    derivative(x)
    assert [check.status for check in derivative.checks.values()] == ["inconclusive"]


def test_a_mistake_is_one_beside_large_gradients() -> None:
    def wrong(x: Any) -> Any:
        return 1e3 * x - 1e2 * ctypes.c_double(x).value

    with pytest.raises(npc.GradientError):
        npc.grad(wrong)(1.0)
