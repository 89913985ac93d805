"""Lists, tuples and dicts among the arguments of a call: what traced values are in them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from jupyter_npcompile.tracer.breaks import Break
from jupyter_npcompile.tracer.traced import Opaque, Traced

MAX_ITEMS = 1_000
"""Python objects in the lists of one call; looking at more takes longer than NumPy does."""

_LEAVES = frozenset({bool, int, float, complex, str, type, type(None), np.dtype})
"""Types of arguments that hold no traced value, and are what they are."""


def demand_short(values: Any) -> None:
    """Make sure that lists and tuples, and those in them, hold no more than `MAX_ITEMS`.

    Raises
    ------
    Break
        When they do: a graph would hold every item.
    """
    left, unseen = MAX_ITEMS, [values]
    while unseen:
        container = unseen.pop()
        left -= len(container)
        if left < 0:
            raise Break(
                "limit",
                f"more than {MAX_ITEMS} Python objects are passed to a NumPy call",
                "np.full, np.tile, np.arange and their kin make a long array without a list",
            )
        unseen += [item for item in container if type(item) in (list, tuple)]


def traced_in(values: Any) -> list[Traced]:
    """Traced values in nested containers, in order."""
    found: list[Traced] = []
    _gather((values,), found)
    return found


def _gather(values: Iterable[Any], found: list[Traced]) -> None:
    for value in values:
        kind = type(value)
        if kind is Traced:
            found.append(value)
        elif kind in _LEAVES:
            continue
        elif isinstance(value, tuple | list):
            _gather(value, found)
        elif isinstance(value, dict):
            _gather(value.values(), found)
        elif isinstance(value, slice):
            _gather((value.start, value.stop, value.step), found)


def concrete_in(values: Any) -> Any:
    """The same structure with NumPy's values in place of traced ones."""
    kind = type(values)
    if kind is Traced:
        return values.value
    if kind in _LEAVES:
        return values
    if isinstance(values, Opaque):
        raise Break("input", values.reason)
    if type(values) in (tuple, list):
        return type(values)(concrete_in(value) for value in values)
    if type(values) is dict:
        return {key: concrete_in(value) for key, value in values.items()}
    if isinstance(values, slice):
        return slice(*(concrete_in(v) for v in (values.start, values.stop, values.step)))
    return values
