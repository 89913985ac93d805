"""Functions that are defined anew: each call of a function defines those in its body.

``def step(x): def slope(x): ...`` makes a new `slope` in each call. Native code into which it was
written holds for the new one, too: it has the same code object, and what it reads of the names
around it is compared, or read, in its own cells.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any

Redefined = Mapping[types.FunctionType, types.FunctionType]
"""What functions are now, by what they were when a loop was translated."""

SAME: Redefined = types.MappingProxyType({})
"""Nothing was defined anew."""


def is_redefined(value: Any, expected: Any, is_same: Callable[[Any, Any], bool]) -> bool:
    """Whether a function does what another did, but for what it reads in its cells.

    Parameters
    ----------
    value, expected : object
        What it is, and what it was.
    is_same : callable
        Compares defaults.

    Examples
    --------
    >>> def made(offset, by=2):
    ...     def shifted(x, by=by):
    ...         return by * x + offset
    ...     return shifted
    >>> from operator import eq
    >>> is_redefined(made(1), made(3), eq), is_redefined(made(1), made(1, 3), eq)
    (True, False)
    """
    return (
        type(value) is types.FunctionType
        and type(expected) is types.FunctionType
        and value.__code__ is expected.__code__
        and value.__globals__ is expected.__globals__
        and not value.__dict__
        and not expected.__dict__
        and is_same(value.__defaults__, expected.__defaults__)
        and value.__kwdefaults__ is None
        and expected.__kwdefaults__ is None
    )


def is_one_to_one(redefined: Redefined) -> bool:
    """Whether functions, and the cells that they read, are as many as before, and shared as before.

    Native code reads a variable once for all functions that had it in one cell.

    Examples
    --------
    >>> def pair(offset):
    ...     return (lambda x: x + offset), (lambda x: x - offset)
    >>> (a, b), (c, d), (_, e) = pair(1), pair(2), pair(3)
    >>> is_one_to_one({a: c, b: d}), is_one_to_one({a: c, b: e})
    (True, False)
    """
    pairs = {(id(old), id(new)) for old, new in redefined.items()}
    for old, new in redefined.items():
        cells = zip(old.__closure__ or (), new.__closure__ or (), strict=True)
        pairs |= {(id(before), id(now)) for before, now in cells}
    return len(pairs) == len({old for old, _ in pairs}) == len({new for _, new in pairs})
