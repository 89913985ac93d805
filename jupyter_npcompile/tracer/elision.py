"""Memory of temporaries, used again as NumPy's operators do.

In ``a * b + c`` NumPy adds ``c`` in place: nobody else can see the product.
During a recording every value has a traced array around it, so that NumPy
cannot know. Fresh memory for each operation would make the first run of a
cell with large arrays take twice as long as the cell does.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from jupyter_npcompile.tracer.memory import WRITEABLE
from jupyter_npcompile.tracer.traced import Traced, is_traced

LEAST = 256 * 1024
"""Bytes of an array for which it pays; as in NumPy."""

_KINDS = {
    "Add": "iufcb",
    "Sub": "iufc",
    "Mult": "iufcb",
    "Div": "fc",
    "FloorDiv": "iuf",
    "Pow": "fc",
    "LShift": "iu",
    "RShift": "iu",
    "BitAnd": "iub",
    "BitOr": "iub",
    "BitXor": "iub",
}
_UNARY_KINDS = {"USub": "iufc", "UAdd": "iufc", "Invert": "iub"}
_COMMUTATIVE = frozenset({"Add", "Mult", "BitAnd", "BitOr", "BitXor"})
_NUMBERS = {"i": (int,), "u": (int,), "f": (int, float), "c": (int, float, complex), "b": (bool,)}

_COUNTS = sys.implementation.name == "cpython" and sys.version_info < (3, 14)
"""Whether a variable counts as a reference; later Pythons borrow what they load."""

DYING = 2
"""References to an argument that nobody but the called function has: its own, and the counting."""


def spare(operation: str, left: Any, right: Any, counts: tuple[int, int]) -> Traced | None:
    """The operand whose memory the result of an operator may have.

    Parameters
    ----------
    operation : str
        By its name in :mod:`ast`.
    left, right : object
        The operands.
    counts : tuple of int
        ``sys.getrefcount`` of each, in the function that was called with them.
    """
    kinds = _KINDS.get(operation)
    if kinds is None or not _COUNTS:
        return None
    if operation == "Pow" and isinstance(_concrete(right), np.ndarray):
        return None
    if counts[0] <= DYING and _fits(left, right, kinds):
        return left  # type: ignore[no-any-return]
    if operation in _COMMUTATIVE and counts[1] <= DYING and _fits(right, left, kinds):
        return right  # type: ignore[no-any-return]
    return None


def spare_operand(operation: str, operand: Any, count: int) -> Traced | None:
    """The same for operators that have one operand."""
    kinds = _UNARY_KINDS.get(operation)
    if kinds is None or not _COUNTS or count > DYING or not _dies(operand, kinds):
        return None
    return operand  # type: ignore[no-any-return]


def _dies(operand: Any, kinds: str) -> bool:
    """Whether nobody sees the memory of an array any more, which NumPy would then use again."""
    if not is_traced(operand) or type(operand.value) is not np.ndarray:
        return False
    if sys.getrefcount(operand.value) > DYING:
        return False
    value = operand.value
    if (
        not value.shape
        or value.nbytes < LEAST
        or not value.flags.owndata
        or not value.flags.num & WRITEABLE
    ):
        return False
    return value.dtype.kind in kinds and value.dtype.isnative and operand.source is None


def _fits(operand: Any, other: Any, kinds: str) -> bool:
    if not _dies(operand, kinds):
        return False
    value = operand.value
    other = _concrete(other)
    if isinstance(other, np.ndarray | np.generic):
        # As in NumPy, however the elements of the other lie: the result lies as this one does.
        fits = not other.shape or other.shape == value.shape
        return fits and np.can_cast(other.dtype, value.dtype, "safe")
    return type(other) in _NUMBERS[value.dtype.kind]


def _concrete(value: Any) -> Any:
    return value.value if is_traced(value) else value


def hand_over(traced: Traced) -> None:
    """Leave a stand-in where a value was whose memory another has now."""
    value = traced.value
    traced.value = np.broadcast_to(np.zeros((), value.dtype), value.shape)
