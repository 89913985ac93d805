"""Makes the arguments of a failing call smaller and simpler while it still fails."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

import numpy as np

from jupyter_npcompile.runtime.copies import Copier
from jupyter_npcompile.tracer.memory import Array, is_writeable, owner

SECONDS = 4.0
"""How long a search may take."""

ELEMENTS = 12
"""Largest array whose elements are simplified one by one."""

_SIMPLE = (0, 1, 2, -1, 3)
_NUMBERS = (bool, int, float, complex)


def shrink(
    values: list[Any], fails: Callable[[list[Any]], bool], seconds: float = SECONDS
) -> list[Any]:
    """Search greedily for smaller values with which something still fails.

    Axes of equal length are cut together, so that arguments that belong
    together go on fitting; then arrays lose axes, gaps and order; then numbers
    become 0, 1, 2 or at least round.

    Parameters
    ----------
    values : list
        Arrays and numbers; anything else stays as it is.
    fails : callable
        Whether it still fails with these values, of which it may change
        nothing. Must be true of ``values``.
    seconds : float
        How long to search.

    Examples
    --------
    >>> shrink([np.arange(100.0) / 7], lambda values: values[0].max() > 3)
    [array([4.])]
    """
    return _Search(values, fails, perf_counter() + seconds).run()


class _Search:
    def __init__(
        self, values: list[Any], fails: Callable[[list[Any]], bool], deadline: float
    ) -> None:
        self.values = values
        self._fails = fails
        self._deadline = deadline

    def run(self) -> list[Any]:
        self._try([_plain(value) for value in self.values])
        improved = True
        while improved and perf_counter() < self._deadline:
            steps = (self._shorten, self._flatten, self._tidy, self._simplify)
            improved = sum(step() for step in steps) > 0
        return self.values

    def _try(self, candidate: list[Any]) -> bool:
        if perf_counter() >= self._deadline or not self._fails(candidate):
            return False
        self.values = candidate
        return True

    def _arrays(self) -> Iterator[tuple[int, Array]]:
        for place, value in enumerate(self.values):
            if type(value) is np.ndarray:
                yield place, value

    # -- fewer elements

    def _shorten(self) -> bool:
        improved = False
        for length in sorted({n for _, array in self._arrays() for n in array.shape}, reverse=True):
            if length > 1:
                axes = [
                    (p, k) for p, a in self._arrays() for k in range(a.ndim) if a.shape[k] == length
                ]
                groups = [axes] if len(axes) == 1 else [axes, *([axis] for axis in axes)]
                for group in groups:
                    improved |= self._cut(group, length)
        return improved

    def _cut(self, axes: list[tuple[int, int]], length: int) -> bool:
        """Keep part of some axes, as little as possible."""
        improved = False
        while length > 1:
            half = length // 2
            parts = [slice(0, 1), slice(length - 1, None), slice(0, length - half)]
            parts += [slice(half, None), slice(1, None), slice(0, -1)]
            for part in dict.fromkeys((p.start, p.stop) for p in parts):
                kept = slice(*part)
                if self._try(self._sliced(axes, kept)):
                    length = len(range(length)[kept])
                    improved = True
                    break
            else:
                return improved | self._drop(axes, length)
        return improved

    def _sliced(self, axes: list[tuple[int, int]], kept: slice) -> list[Any]:
        cut = list(self.values)
        for place, axis in axes:
            if axis < cut[place].ndim:
                cut[place] = cut[place][(slice(None),) * axis + (kept,)]
        return [_own(value) if _alone(k, cut) else value for k, value in enumerate(cut)]

    def _drop(self, axes: list[tuple[int, int]], length: int) -> bool:
        """Leave out single positions in the middle."""
        improved = False
        for position in range(min(length - 2, ELEMENTS), 0, -1):
            cut = list(self.values)
            for place, axis in axes:
                if axis < cut[place].ndim and position < cut[place].shape[axis]:
                    cut[place] = np.delete(cut[place], position, axis)
            improved |= self._try(cut)
        return improved

    def _flatten(self) -> bool:
        """Take away axes of length 1, but the last one."""
        improved = False
        most = max((array.ndim for _, array in self._arrays()), default=0)
        for axis in range(-1, -most - 1, -1):
            places = [
                p for p, a in self._arrays() if a.ndim >= max(2, -axis) and a.shape[axis] == 1
            ]
            for group in [places] if len(places) < 2 else [places, *([p] for p in places)]:
                cut = list(self.values)
                for place in group:
                    if cut[place].ndim >= max(2, -axis):
                        cut[place] = _own(np.squeeze(cut[place], axis))
                improved |= bool(group) and self._try(cut)
        return improved

    # -- simpler memory and numbers

    def _tidy(self) -> bool:
        """Lay arrays out one after the other, each in memory of its own."""
        improved = False
        for place, array in self._arrays():
            plain = _plain(array)
            untidy = array.strides != plain.strides or not _alone(place, self.values)
            if untidy or not is_writeable(array):
                improved |= self._try([*self.values[:place], plain, *self.values[place + 1 :]])
        return improved

    def _simplify(self) -> bool:
        improved = False
        for place, value in enumerate(self.values):
            if type(value) is np.ndarray and value.dtype.kind in "biufc" and value.size:
                improved |= self._simplify_array(place)
            elif type(value) in _NUMBERS or isinstance(value, np.number | np.bool_):
                for simple in _simpler(value):
                    if self._try([*self.values[:place], simple, *self.values[place + 1 :]]):
                        improved = True
                        break
        return improved

    def _simplify_array(self, place: int) -> bool:
        array = self.values[place]
        for simple in _SIMPLE[:3]:
            filled = np.full(array.shape, simple, array.dtype)
            if _cost_of(filled) < _cost_of(array) and self._try(self._with(place, ..., filled)):
                return True
        if array.dtype.kind in "fc" and self._round(place, array):
            return True
        if array.size > ELEMENTS:
            return False
        improved = False
        for index in np.ndindex(array.shape):
            for simple in _simpler(self.values[place][index]):
                if self._try(self._with(place, index, simple)):
                    improved = True
                    break
        return improved

    def _round(self, place: int, array: Array) -> bool:
        with np.errstate(all="ignore"):
            rounded = np.rint(array)
        if np.array_equal(rounded, array, equal_nan=True):
            return False
        return self._try(self._with(place, ..., rounded))

    def _with(self, place: int, index: Any, content: Any) -> list[Any]:
        """The values with other contents of one array; what shares memory shares it."""
        copies: list[Any] = Copier().copy(self.values)
        if not is_writeable(copies[place]):
            copies[place] = copies[place].copy(order="K")
        copies[place][index] = content
        return copies


def _plain(value: Any) -> Any:
    return np.array(value, order="C") if type(value) is np.ndarray else value


def _own(value: Any) -> Any:
    """The same in memory of its own, in the same order of axes."""
    if type(value) is not np.ndarray or value.base is None:
        return value
    made = value.copy(order="K")
    return made if made.strides == value.strides else value


def _alone(place: int, values: list[Any]) -> bool:
    """Whether no other of the arrays lies in the same memory."""
    if type(values[place]) is not np.ndarray:
        return True
    mine = owner(values[place])
    return not any(
        type(other) is np.ndarray and owner(other) is mine
        for k, other in enumerate(values)
        if k != place
    )


def _cost(value: Any) -> float:
    """How much there is to read in a number."""
    if value != value or abs(value) == math.inf:
        return 6
    if value in _SIMPLE:
        return _SIMPLE.index(int(value.real))
    if isinstance(value, complex | np.complexfloating):
        return 7 + _cost(value.real) + _cost(value.imag)
    whole = value == round(float(value))
    return (8 if whole else 100 + len(str(value))) + math.log2(1 + abs(float(value)))


def _cost_of(array: Array) -> float:
    return sum(_cost(value) for value in array.ravel()[:1000].tolist())


def _simpler(value: Any) -> Iterator[Any]:
    """Simpler numbers of the same type, the simplest first."""
    kind = type(value)
    candidates: list[Any] = [n for n in _SIMPLE if n >= 0 or _signed(value)]
    number = value.item() if isinstance(value, np.generic) else value
    if isinstance(number, float) and math.isfinite(number):
        candidates += [float(round(number)), float(math.ceil(number)), round(number, 1)]
        candidates += [number // 2, number - math.copysign(1, number)]
    elif isinstance(number, complex):
        candidates += [number.real, complex(0, number.imag)]
    elif isinstance(number, int) and not isinstance(number, bool):
        candidates += [number // 2, number - (1 if number > 0 else -1)]
    for candidate in candidates:
        if isinstance(number, bool | np.bool_) and candidate not in (0, 1):
            continue
        if isinstance(number, int) and not _signed(value) and candidate < 0:
            continue
        made = kind(candidate)
        if _cost(made) < _cost(value):
            yield made


def _signed(value: Any) -> bool:
    return not isinstance(value, bool | np.bool_ | np.unsignedinteger)
