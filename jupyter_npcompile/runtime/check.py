"""The first-run check: what a compiled segment gave, against what NumPy gave."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.comparison import Kind
from jupyter_npcompile.graph.nodes import Graph
from jupyter_npcompile.runtime.ulps import distance
from jupyter_npcompile.tracer.memory import Array

ULPS = 512.0
"""Rounding differences up to this many units in the last place of the largest
element pass: compiled reductions add in another order."""

BLOCK = 2**17
"""Elements that are looked at together."""


@dataclass(frozen=True, slots=True)
class Rounding:
    """How large rounding errors may be.

    Parameters
    ----------
    magnitude : float
        Of the largest number that went in.
    precision : float
        Relative spacing of the coarsest floating-point type in the graph.
    """

    magnitude: float = 0.0
    precision: float = 0.0


MANY = 16
"""Numbers of a list beyond which they are compared together."""

_PLAIN = {bool, float, np.float64, np.int64, np.bool_}

NO_ROUNDING = Rounding()
_NUMERIC = (np.ndarray, np.generic, int, float, complex)


def precision(graph: Graph) -> float:
    """Relative spacing of the coarsest floating-point type in a graph."""
    types = {type.dtype for node in (*graph.inputs, *graph.nodes) for type in node.types}
    floats = [np.dtype(name) for name in types if np.dtype(name).kind in "fc"]
    return max((float(np.finfo(dtype).eps) for dtype in floats), default=0.0)


class DifferenceError(AssertionError):
    """A compiled result differs from NumPy's (``first_run_check="raise"``)."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One way in which two values differ.

    Parameters
    ----------
    kind : str
        What differs: ``"value"``, ``"dtype"``, ``"order"`` ...
    name : str
        What the value is called.
    text : str
        The difference in words, without the name.
    expected, actual : str
        NumPy's and the compiled one, where they differ first.
    ulps : int or None
        Largest distance in units in the last place, for floating-point values.
    count, size : int
        How many elements differ, of how many.
    index : tuple of int
        Where they differ first.
    """

    kind: Kind
    name: str
    text: str
    expected: str
    actual: str
    ulps: int | None = None
    count: int = 0
    size: int = 0
    index: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}: {self.text}"

    @property
    def root(self) -> str:
        """The name of which the value is a part."""
        return root_of(self.name)


def root_of(name: str) -> str:
    """The name with which the name of a part begins.

    Examples
    --------
    >>> root_of("x[0].y")
    'x'
    """
    return re.split(r"[.\[(]", name, maxsplit=1)[0].strip()


def difference(
    name: str,
    expected: Any,
    actual: Any,
    rounding: Rounding = NO_ROUNDING,
    inputs: frozenset[int] = frozenset(),
) -> str | None:
    """Say how a compiled value differs from NumPy's, or None when it does not.

    Type, dtype, shape, strides and flags must be the same, integers and
    booleans exactly equal; floating-point values may differ by rounding.

    Parameters
    ----------
    name : str
        What the value is called.
    expected, actual : object
        NumPy's value and the compiled one.
    rounding : Rounding
        What the value was computed from, to judge cancellation.
    inputs : frozenset of int
        ``id`` of arrays that stand for inputs: a replay passes inputs through.

    Examples
    --------
    >>> difference("y", np.float64(1.0), 1.0)
    'y: type float64 became float'
    >>> difference("y", np.arange(3), np.arange(3)) is None
    True
    """
    found = next(mismatches(name, expected, actual, rounding, inputs), None)
    return None if found is None else str(found)


def mismatches(
    name: str,
    expected: Any,
    actual: Any,
    rounding: Rounding = NO_ROUNDING,
    inputs: frozenset[int] = frozenset(),
) -> Iterator[Mismatch]:
    """Find every way in which `difference` tells two values apart.

    Where the dtype or the shape differs, values are not looked at.

    Parameters
    ----------
    name, expected, actual, rounding, inputs
        As for `difference`.

    Examples
    --------
    >>> (found,) = mismatches("y", np.array([1.0, 2.0]), np.array([1.0, 2.5]))
    >>> found.kind, found.index, found.expected, found.actual
    ('value', (1,), '2.0', '2.5')
    """
    if id(expected) in inputs:
        return
    if type(expected) is not type(actual):
        before, after = type(expected).__name__, type(actual).__name__
        yield _changed("type", name, "type", before, after)
    elif isinstance(expected, tuple | list):
        if len(expected) != len(actual):
            yield _changed("value", name, "length", len(expected), len(actual))
            return
        kinds = {type(item) for item in (*expected, *actual)}
        if len(expected) > MANY and len(kinds) == 1 and kinds <= _PLAIN:
            yield from _values(name, np.asarray(expected), np.asarray(actual), rounding)
            return
        for k, (before, after) in enumerate(zip(expected, actual, strict=True)):
            yield from mismatches(f"{name}[{k}]", before, after, rounding, inputs)
    elif isinstance(expected, dict):
        if list(expected) != list(actual):
            yield _changed("value", name, "keys", list(expected), list(actual))
            return
        for key in expected:
            yield from mismatches(f"{name}[{key!r}]", expected[key], actual[key], rounding, inputs)
    elif isinstance(expected, np.ndarray):
        found = list(layout_mismatches(name, expected, actual))
        yield from found
        if not any(mismatch.kind in ("dtype", "shape") for mismatch in found):
            yield from _values(name, expected, actual, rounding)
    elif isinstance(expected, np.generic | int | float | complex):
        yield from _values(name, np.asarray(expected), np.asarray(actual), rounding)


def _changed(kind: Kind, name: str, what: str, before: object, after: object) -> Mismatch:
    return Mismatch(kind, name, f"{what} {before} became {after}", str(before), str(after))


def layout_mismatches(name: str, expected: Any, actual: Any) -> Iterator[Mismatch]:
    """In which ways two arrays differ, their values apart.

    Parameters
    ----------
    name, expected, actual
        As for `difference`; anything with the attributes of arrays will do.
    """
    if expected.dtype != actual.dtype:
        yield _changed("dtype", name, "dtype", expected.dtype, actual.dtype)
    if expected.shape != actual.shape:
        yield _changed("shape", name, "shape", expected.shape, actual.shape)
        return
    visible = [k for k, n in enumerate(expected.shape) if n > 1] if expected.size else []
    strides = any(expected.strides[k] != actual.strides[k] for k in visible)
    if strides and expected.dtype == actual.dtype:
        yield _changed("order", name, "strides", expected.strides, actual.strides)
    if (expected.base is None) != (actual.base is None):
        before, after = ("owns its memory", "is a view")[:: 1 if expected.base is None else -1]
        text = f"an array that {before} became one that {after}"
        yield Mismatch("aliasing", name, text, before, after)


def _values(name: str, expected: Array, actual: Array, rounding: Rounding) -> Iterator[Mismatch]:
    if expected.dtype != actual.dtype:
        yield _changed("dtype", name, "dtype", expected.dtype, actual.dtype)
        return
    if expected.size == 0:
        return
    if expected.size > BLOCK and _is_close(expected, actual, rounding):
        return
    if expected.dtype.kind not in "fc":
        wrong = expected != actual
    else:
        wrong = _wrong(expected, actual, _tolerance(expected, rounding))
    count = int(np.count_nonzero(wrong))
    if not count:
        return
    index = tuple(int(k[0]) for k in np.nonzero(np.atleast_1d(wrong)))
    first = np.atleast_1d(expected)[index], np.atleast_1d(actual)[index]
    where = f"[{', '.join(map(str, index))}]" if expected.ndim else ""
    text = (
        f"{count} of {expected.size} values differ, first {name}{where}: "
        f"{first[0]!s} became {first[1]!s}"
    )
    yield Mismatch(
        "value",
        name,
        text,
        str(first[0]),
        str(first[1]),
        distance(expected[wrong], actual[wrong]),
        count,
        expected.size,
        index if expected.ndim else (),
    )


def _is_close(expected: Array, actual: Array, rounding: Rounding) -> bool:
    """Whether no value differs, looked at block by block: there may be no room for more."""
    if expected.dtype.kind not in "fc":
        return all(not (expected[k] != actual[k]).any() for k in blocks(expected))
    tolerance = _tolerance(expected, rounding)
    return not any(_wrong(expected[k], actual[k], tolerance).any() for k in blocks(expected))


def _tolerance(expected: Array, rounding: Rounding) -> float:
    epsilon = max(float(np.finfo(expected.dtype).eps), rounding.precision)
    return ULPS * epsilon * max(_largest(expected), rounding.magnitude)


def _wrong(expected: Array, actual: Array, tolerance: float) -> Array:
    with np.errstate(all="ignore"):
        close = np.abs(expected - actual) <= tolerance
        same = (expected == actual) | (np.isnan(expected) & np.isnan(actual))
        wrong: Array = ~(same | (np.isfinite(expected) & np.isfinite(actual) & close))
    return wrong


def blocks(array: Array) -> Iterator[tuple[slice, ...]]:
    """Indices of parts of an array, none of them large.

    Examples
    --------
    >>> list(blocks(np.zeros((2, 3))))
    [(slice(None, None, None), slice(0, 3, None))]
    """
    if not array.ndim:
        yield ()
        return
    longest = int(np.argmax(array.shape))
    count = array.shape[longest]
    step = max(1, BLOCK * count // max(array.size, 1))
    before = (slice(None),) * longest
    for begin in range(0, count, step):
        yield (*before, slice(begin, min(begin + step, count)))


def _largest(array: Array) -> float:
    """The largest finite magnitude in an array; 0 where there is none."""
    largest = 0.0
    with np.errstate(all="ignore"):
        for index in blocks(array):
            block = np.abs(array[index])
            largest = max(largest, float(np.max(block, initial=0.0, where=np.isfinite(block))))
    return largest


def magnitude(values: Mapping[Any, Any]) -> float:
    """The largest finite magnitude among arrays and numbers: the scale of rounding errors."""
    arrays = (np.asarray(value) for value in values.values() if isinstance(value, _NUMERIC))
    return max((_largest(array) for array in arrays if array.dtype.kind in "fc"), default=0.0)
