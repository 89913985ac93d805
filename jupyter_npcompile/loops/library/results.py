"""Arrays that C++ functions make, and what such functions take."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from jupyter_npcompile.loops import small_arrays
from jupyter_npcompile.loops.calls import integer
from jupyter_npcompile.loops.kinds import ArrayType, Declined
from jupyter_npcompile.loops.values import Known, Ref, Value

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names

NONE = Known(None)
"""An argument that is not given."""


def made(t: Names, code: str, dtype: str, ndim: int = 1) -> Ref:
    """The array that a call in C++ makes."""
    kind, name = ArrayType(dtype, ndim, True), t.writer.name("a")
    t.writer.emit(f"{kind.c} {name} = {code};")
    return Ref(name, kind, is_fresh=True)


def either(
    t: Names, condition: str, code: str, dtype: str, ndim: int, other: Callable[[], Value]
) -> Ref:
    """What C++ makes on a condition, and what a library makes where it does not hold."""
    w = t.writer
    kind = ArrayType(dtype, ndim, True)
    result = w.variable(w.name("either"), kind.c)
    with w.block(f"if ({condition})"):
        w.emit(f"{result} = {code};")
    with w.block("else"):
        found = other()
        assert isinstance(found, Ref)
        w.emit(f"{result} = {small_arrays.in_memory(w, found).code};")
    return Ref(result, kind)


def row_of(t: Names, ref: Ref) -> Ref:
    """All elements of an array, as one row."""
    kind, name = ArrayType(ref.dtype, 1, False), t.writer.name("a")
    t.writer.emit(f"{kind.c} {name} = in_a_row(run, {ref.code});")
    return Ref(name, kind, root=ref.root)


def place_of(axis: Value, ndim: int) -> int:
    """An axis, counted from the first.

    Raises
    ------
    Declined
        When it is not known, or not there.
    """
    place = integer(axis)
    place = place + ndim if place < 0 else place
    if not 0 <= place < ndim:
        raise Declined("an axis that is not there")
    return place
