"""Iterators of loops: what is left of them, and the same a few items later."""

from __future__ import annotations

import ast
import collections
import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.loops.given import type_of
from jupyter_npcompile.loops.kinds import ArrayType, Declined
from jupyter_npcompile.loops.sequences import Numbers, Rows, Sequence, Together

_RANGE = type(iter(range(0)))
_SEQUENCE = type(iter(np.zeros(1)))


@dataclass(frozen=True, slots=True)
class Remaining:
    """What an iterator has not given yet.

    Parameters
    ----------
    kind : Numbers, Rows or Together
        What it goes through.
    count : int
        How many items.
    arguments : tuple
        Of a native loop, to find them.
    """

    kind: Sequence
    count: int
    arguments: tuple[Any, ...]


def remaining(iterator: Iterator[Any]) -> Remaining:
    """What an iterator has not given yet; it is not changed.

    Raises
    ------
    Declined
        When it is of a kind that native loops do not have.

    Examples
    --------
    >>> numbers = iter(range(3, 20, 2))
    >>> _ = next(numbers)
    >>> remaining(numbers).count, remaining(numbers).arguments
    (8, (5, 2))
    """
    kind = type(iterator)
    if kind is _RANGE:
        left = _range(iterator)
        return Remaining(Numbers(), len(left), (left.start, left.step))
    if kind is _SEQUENCE:
        found = _parts(iterator)
        if len(found) == 3 and type(found[1][0]) is np.ndarray:
            array, place = found[1][0], found[2]
            type_ = type_of(array)
            if isinstance(type_, ArrayType):
                return Remaining(Rows(type_), len(array) - place, (array, place))
    if kind is zip:
        parts = [remaining(part) for part in _parts(iterator)[1]]
        if parts:
            return _together(parts)
    if kind is enumerate:
        inner, first = _parts(iterator)[1]
        rest = remaining(inner)
        if type(first) is int:
            return _together([Remaining(Numbers(), rest.count, (first, 1)), rest])
    raise Declined(f"a loop over {_named(iterator)}")


def _together(parts: list[Remaining]) -> Remaining:
    return Remaining(
        Together(tuple(part.kind for part in parts)),
        min(part.count for part in parts),
        tuple(argument for part in parts for argument in part.arguments),
    )


def _parts(iterator: Iterator[Any]) -> tuple[Any, ...]:
    """How a built-in iterator would be pickled: what it goes through, and where it is."""
    found: Any = iterator.__reduce__()
    return tuple(found)


def _range(iterator: Iterator[int]) -> range:
    found = _parts(iterator)
    whole: range = found[1][0]
    done = found[2] if len(found) == 3 and found[2] is not None else 0
    return whole[done:]


def _named(iterator: Iterator[Any]) -> str:
    kind = type(iterator).__name__
    return {"iterator": "this", "list_iterator": "a list", "tuple_iterator": "a tuple"}.get(
        kind, f"a {kind}"
    )


def later(iterator: Iterator[Any], count: int) -> Iterator[Any]:
    """An iterator that has given some more items.

    Examples
    --------
    >>> next(later(iter(range(10)), 4))
    4
    >>> next(later(enumerate(range(10)), 2))
    (2, 2)
    """
    if count == 0:
        return iterator
    kind = type(iterator)
    if kind is _RANGE:
        return iter(_range(iterator)[count:])
    if kind is zip:
        return zip(*(later(part, count) for part in _parts(iterator)[1]), strict=False)
    if kind is enumerate:
        inner, first = _parts(iterator)[1]
        return enumerate(later(inner, count), first + count)
    _, (array,), place = _parts(iterator)
    made: Any = iter(array)
    made.__setstate__(place + count)
    items: Iterator[Any] = made
    return items


def advance(iterator: Iterator[Any], count: int) -> None:
    """Have an iterator give some items to nobody.

    Examples
    --------
    >>> numbers = iter(range(10))
    >>> advance(numbers, 4)
    >>> next(numbers)
    4
    """
    collections.deque(itertools.islice(iterator, count), maxlen=0)


def is_own(node: ast.expr, namespace: Mapping[str, Any]) -> bool:
    """Whether nobody else can hold the iterator of an expression.

    What a loop goes through may be an iterator itself, which the user's code
    goes on with later.
    """
    if isinstance(node, ast.Name):
        return isinstance(namespace.get(node.id), np.ndarray | range)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        function = namespace.get(node.func.id)
        if function is range:
            return True
        if function is enumerate:
            return bool(node.args) and is_own(node.args[0], namespace)
        if function is zip:
            return not node.keywords and all(is_own(arg, namespace) for arg in node.args)
        return False
    return isinstance(node, ast.Subscript | ast.Attribute | ast.BinOp)
