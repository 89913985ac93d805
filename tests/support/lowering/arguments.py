"""Arguments for calls of NumPy that can be made twice, with the same types and other values.

An argument is described, not made: a description gives the same dtypes, shapes,
strides and overlaps every time and, for each ``run``, values of its own. What is
recorded on the values of run 0 is replayed on those of run 1, which shows guards
that are missing and numbers that were baked into a graph.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Runs = int
Shape = tuple[int, ...]
Generator = np.random.Generator
Memo = dict[int, np.ndarray]


@dataclass(frozen=True)
class Memory:
    """An array that owns its memory.

    Parameters
    ----------
    dtype, shape, order
        As NumPy has them.
    values : str
        What it holds, a key of `VALUES`, with an argument after a colon.
    seed : int
        Where the values start.
    """

    dtype: str
    shape: tuple[int, ...]
    values: str = "ordinary"
    seed: int = 0
    order: str = "C"

    def make(self, run: Runs, memo: Memo) -> np.ndarray:
        """The array; the same description is the same memory within one call."""
        if id(self) not in memo:
            name, _, argument = self.values.partition(":")
            rng = np.random.default_rng((self.seed, run))
            with np.errstate(all="ignore"):
                values = VALUES[name](rng, np.dtype(self.dtype), self.shape, argument)
            memo[id(self)] = np.array(values, self.dtype, order=self.order).reshape(
                self.shape, order=self.order
            )
        return memo[id(self)]


@dataclass(frozen=True)
class Array:
    """An array, or a view of one.

    Parameters
    ----------
    memory : Memory
        Descriptions that hold the same one overlap.
    steps : tuple
        How the view is taken: ``("index", index)``, ``("transpose", axes)``,
        ``("spread", shape)``, ``("windows", width)``, ``("frozen",)``.
    """

    memory: Memory
    steps: tuple[Any, ...] = ()

    def make(self, run: Runs, memo: Memo) -> np.ndarray:
        """The array; the same description is the same object within one call."""
        if id(self) not in memo:
            array = self.memory.make(run, memo)
            for name, *details in self.steps:
                array = STEPS[name](array, *details)
            memo[id(self)] = array
        return memo[id(self)]


@dataclass(frozen=True)
class Number:
    """A NumPy scalar or a Python number, with a value for each run."""

    values: tuple[Any, Any]

    def make(self, run: Runs, memo: Memo) -> Any:
        """The number."""
        return self.values[run % 2]

    def __repr__(self) -> str:
        return f"Number(({self.values[0]!r}, {self.values[1]!r}))"


@dataclass
class Call:
    """A call: arguments may be descriptions, in lists and tuples too.

    Parameters
    ----------
    args, kwargs
        What is passed.
    warns : bool
        Whether floating-point errors warn; otherwise they are ignored.
    method : bool
        Whether the first argument's method of that name is called.
    """

    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    warns: bool = False
    method: bool = False

    def make(self, run: Runs) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of one run, all made anew."""
        memo: Memo = {}
        args: Any = made(self.args, run, memo)
        return args, made(self.kwargs, run, memo)


def made(value: Any, run: Runs, memo: Memo) -> Any:
    """A description, or a structure of them, with values."""
    if isinstance(value, Array | Number):
        return value.make(run, memo)
    if isinstance(value, dict):
        return {key: made(item, run, memo) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(made(item, run, memo) for item in value)
    return value


# -- views


def _spread(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    return np.broadcast_to(array, shape)


def _windows(array: np.ndarray, width: int) -> np.ndarray:
    return np.lib.stride_tricks.sliding_window_view(array, width)


def _frozen(array: np.ndarray) -> np.ndarray:
    view = array.view()
    view.flags.writeable = False
    return view


STEPS: dict[str, Callable[..., np.ndarray]] = {
    "index": operator.getitem,
    "transpose": np.transpose,
    "spread": _spread,
    "windows": _windows,
    "frozen": _frozen,
    "view": lambda array: array.view(),
}


# -- values


def _cut(numbers: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Numbers moved into what a dtype holds."""
    if dtype.kind == "b":
        return numbers > 0
    if dtype.kind == "u":
        return np.abs(numbers)
    return numbers


def _ordinary(rng: Generator, dtype: np.dtype, shape: Shape, _: str) -> np.ndarray:
    if dtype.kind in "biu":
        return _cut(rng.integers(-9, 10, shape), dtype)
    found = rng.normal(size=shape) * 3
    return found + 1j * rng.normal(size=shape) if dtype.kind == "c" else found


def _special(rng: Generator, dtype: np.dtype, shape: Shape, _: str) -> np.ndarray:
    found = _ordinary(rng, dtype, shape, "").astype(dtype)
    if dtype.kind == "b":
        return found
    pool = special_numbers(dtype)
    if dtype.kind == "c":
        chosen = np.empty(shape, dtype)
        chosen.real, chosen.imag = rng.choice(pool, shape), rng.choice(pool, shape)
        return np.asarray(np.where(rng.random(shape) < 0.7, chosen, found))
    return np.asarray(np.where(rng.random(shape) < 0.7, rng.choice(pool, shape), found))


def special_numbers(dtype: np.dtype) -> np.ndarray:
    """Values at which things go wrong; for complex numbers, those of their parts."""
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        values = [0, 1, 2, 3, info.bits - 1, info.bits, info.max, info.max - 1, info.max // 2]
        return np.array(
            values + ([-1, -2, -3, info.min, info.min + 1] * (dtype.kind == "i")), dtype
        )
    kind = np.empty(0, dtype).real.dtype
    info = np.finfo(kind)
    small = [0.0, 1, 2, 0.5, 1.5, 2.5, 3, np.inf, float(info.max), float(info.tiny)]
    small += [float(info.smallest_subnormal), float(info.eps), float(info.max) / 2, 1e-3]
    return np.array([*small, *(-x for x in small), np.nan, np.nan, 0.0, -0.0], kind)


def _infinite(rng: Generator, dtype: np.dtype, shape: Shape, _: str) -> np.ndarray:
    """Ordinary numbers with some infinities, NaN and zeros among them."""
    found = _ordinary(rng, dtype, shape, "").astype(dtype)
    if dtype.kind not in "fc":
        return found
    odd = rng.choice(np.array([np.inf, -np.inf, np.nan, 0.0, -0.0], found.real.dtype), shape)
    return np.asarray(np.where(rng.random(shape) < 0.3, odd, found)).astype(dtype)


def _wide(rng: Generator, dtype: np.dtype, shape: Shape, _: str) -> np.ndarray:
    """Any bits at all."""
    if dtype.kind == "b":
        return np.asarray(rng.random(shape) < 0.5)
    count = int(np.prod(shape))
    return np.frombuffer(rng.bytes(count * dtype.itemsize), dtype).reshape(shape)


def _few(rng: Generator, dtype: np.dtype, shape: Shape, _: str) -> np.ndarray:
    """Few different ones, so that many are equal."""
    numbers = np.asarray(rng.choice([-0.0, 0.0, 1.0, -1.0, 2.0], shape))
    return _cut(numbers, dtype)


def _distinct(rng: Generator, dtype: np.dtype, shape: Shape, _: str) -> np.ndarray:
    count = int(np.prod(shape))
    return np.asarray(rng.permutation(count)).reshape(shape)


def _sorted(rng: Generator, dtype: np.dtype, shape: Shape, _: str) -> np.ndarray:
    found = _few(rng, dtype, shape, "") if rng.random() < 0.3 else _ordinary(rng, dtype, shape, "")
    return np.sort(found.astype(dtype), axis=0)


def _rising(rng: Generator, dtype: np.dtype, shape: Shape, _: str) -> np.ndarray:
    return np.asarray(np.cumsum(rng.integers(1, 4, shape)) - 4.0)


def _index(rng: Generator, dtype: np.dtype, shape: Shape, size: str) -> np.ndarray:
    """Indices, negative ones too, seldom outside."""
    high = int(size)
    low = -high if dtype.kind == "i" else 0
    found = rng.integers(low, max(high, low + 1), shape)
    return np.asarray(np.where(rng.random(shape) < 0.02, high + 1, found))


def _small(rng: Generator, dtype: np.dtype, shape: Shape, size: str) -> np.ndarray:
    """Integers from 0 up to, not including, a size."""
    return _cut(rng.integers(0, int(size), shape), dtype)


def _unit(rng: Generator, dtype: np.dtype, shape: Shape, _: str) -> np.ndarray:
    found = rng.uniform(-1, 1, shape)
    return found + 1j * rng.uniform(-1, 1, shape) if dtype.kind == "c" else found


def _near_one(rng: Generator, dtype: np.dtype, shape: Shape, _: str) -> np.ndarray:
    """From -1.5 to 1.5 but not near 0: products neither vanish nor overflow."""
    found = rng.uniform(0.5, 1.5, shape) * rng.choice([-1.0, 1.0], shape)
    return found + 1j * rng.uniform(-1, 1, shape) if dtype.kind == "c" else _cut(found * 2, dtype)


def _positive(rng: Generator, dtype: np.dtype, shape: Shape, _: str) -> np.ndarray:
    return np.asarray(rng.uniform(0.5, 9, shape))


def _regular(rng: Generator, dtype: np.dtype, shape: Shape, _: str) -> np.ndarray:
    """Matrices that are far from singular."""
    found = np.asarray(_unit(rng, dtype, shape, ""))
    size = min(shape[-2:])
    return found + np.eye(*shape[-2:]) * (size + 1.0)


def _definite(rng: Generator, dtype: np.dtype, shape: Shape, _: str) -> np.ndarray:
    found = np.asarray(_unit(rng, dtype, shape, ""))
    return found @ np.conj(np.swapaxes(found, -1, -2)) + np.eye(shape[-1])


def _deficient(rng: Generator, dtype: np.dtype, shape: Shape, _: str) -> np.ndarray:
    """Matrices of which some are singular, exactly."""
    found = np.round(_regular(rng, dtype, shape, ""))
    if shape[-2] > 1 and rng.random() < 0.6:
        found[..., 0, :] = 0
    return found


Values = Callable[[Generator, np.dtype, Shape, str], np.ndarray]
VALUES: dict[str, Values] = {
    "ordinary": _ordinary,
    "special": _special,
    "infinite": _infinite,
    "wide": _wide,
    "few": _few,
    "distinct": _distinct,
    "sorted": _sorted,
    "rising": _rising,
    "index": _index,
    "small": _small,
    "unit": _unit,
    "near_one": _near_one,
    "positive": _positive,
    "regular": _regular,
    "definite": _definite,
    "deficient": _deficient,
}
