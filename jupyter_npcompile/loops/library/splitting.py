"""Calls that cut an array into views: ``np.split`` and its like, where the places are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from jupyter_npcompile.loops import arithmetic, cuts, elementwise
from jupyter_npcompile.loops.calls import elements, named, of
from jupyter_npcompile.loops.kinds import Declined, Number
from jupyter_npcompile.loops.library.results import NONE, place_of
from jupyter_npcompile.loops.values import ALL, Cut, Items, Ref, Scalar, Value

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names

MOST = 32
"""Pieces, at most: each is a variable in C++."""


def _piece(t: Names, ref: Ref, place: int, start: Scalar | None, stop: Scalar | None) -> Ref:
    full: list[cuts.Index] = [ALL] * ref.ndim
    full[place] = Cut(start, stop, None)
    return cuts.view(t.writer, ref, full)


def _split(t: Names, ref: Ref, where: Value, place: int, *, even: bool) -> Items:
    """The pieces of an array.

    Parameters
    ----------
    ref : Ref
        The array.
    where : Value
        How many pieces, or at which places it is cut.
    place : int
        Along which dimension.
    even : bool
        Whether so many pieces have to be of the same length.
    """
    w = t.writer
    if isinstance(where, Items):
        ends = [end for end in where.items if isinstance(end, Scalar) and type(end.const) is int]
        if len(ends) != len(where.items) or len(ends) >= MOST:
            raise Declined("places at which an array is split, which are not known")
        pairs = zip([None, *ends], [*ends, None], strict=True)
        pieces = [_piece(t, ref, place, start, stop) for start, stop in pairs]
        return Items(tuple(pieces), is_list=True)
    count = where.const if isinstance(where, Scalar) else None
    if type(count) is not int or not 0 < count <= MOST:
        raise Declined("how many pieces an array is split into")
    length = ref.n(place)
    if even:
        w.emit(f"NEED({length} % {count} == 0);")  # or NumPy raises
    starts = []
    for k in range(count + 1):
        if length.isdigit():
            each, longer = divmod(int(length), count)
            starts.append(arithmetic.constant(k * each + min(k, longer)))
            continue
        extra = "" if even else f" + math::min<i64>({k}, {length} % {count})"
        start = w.name("at")
        w.emit(f"const i64 {start} = {k} * ({length} / {count}){extra};")
        starts.append(Scalar(start, Number("py", "int64", 41)))
    found = [_piece(t, ref, place, *ends) for ends in pairwise(starts)]
    return Items(tuple(found), is_list=True)


def _register(function: Callable[..., object], *, even: bool, axis: int | None = None) -> None:
    name = f"np.{function.__name__}"

    @of(function)
    def call(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        names = ("ary", "indices_or_sections", "axis")[: 3 if axis is None else 2]
        given = named(name, names, args, kwargs)
        ref = elementwise.materialise(t.writer, elements(given.get("ary", NONE)))
        if axis is not None and ref.ndim <= axis and function is not np.hsplit:
            raise Declined(f"{name} of so few dimensions")
        place = min(axis, ref.ndim - 1) if axis is not None else 0
        if "axis" in given:
            place = place_of(given["axis"], ref.ndim)
        return _split(t, ref, given.get("indices_or_sections", NONE), place, even=even)


_register(np.split, even=True)
_register(np.array_split, even=False)
_register(np.hsplit, even=True, axis=1)
_register(np.vsplit, even=True, axis=0)
_register(np.dsplit, even=True, axis=2)
