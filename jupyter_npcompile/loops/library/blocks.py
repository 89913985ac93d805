"""Sums and extremes along several axes: the blocks of an image, ``x.mean(axis=(1, 3))``."""

from __future__ import annotations

from collections.abc import Sequence

from jupyter_npcompile.loops import cuts, elementwise
from jupyter_npcompile.loops.kinds import ArrayType, Number
from jupyter_npcompile.loops.library import reductions
from jupyter_npcompile.loops.values import Cut, Lazy, Locked, Ref, Scalar
from jupyter_npcompile.loops.writer import Writer

_TEMPLATES = {
    "sum": "({0} + {1})",
    "max": "np_max<double>({0}, {1})",
    "min": "np_min<double>({0}, {1})",
}


def along_several(writer: Writer, value: Lazy, places: Sequence[int], name: str) -> Ref:
    """A sum, maximum or minimum along some of the axes, one after the other.

    Parameters
    ----------
    writer : Writer
        Where it is written.
    value : array
        Of more dimensions than there are axes.
    places : sequence of int
        The axes, from the last to the first.
    name : {"sum", "max", "min"}
        What is computed.
    """
    if name != "sum" and (turned := _columns_of_windows(writer, value, places)) is not None:
        value, places = turned
    is_row = isinstance(value, Ref) and not value.type.thin and value.dtype == "float64"
    if len(places) < 2 or not is_row or places[0] != value.ndim - 1:
        return _one_by_one(writer, value, places, name)
    assert isinstance(value, Ref)
    dims = elementwise.shape_of(writer, value)
    kept = [n for d, n in enumerate(dims) if d not in places]
    made = elementwise.new(writer, value.dtype, kept)
    for length in reductions.SHORT:
        with writer.block(f"if ({dims[-1]} == {length})"):
            columns = [_column(writer, value, item, length) for item in range(length)]
            _one_by_one(writer, _joined(columns, name), places[1:], name, made)
        writer.emit("else")
    with writer.block():
        _one_by_one(writer, value, places, name, made)
    return made


def _columns_of_windows(
    writer: Writer, value: Lazy, places: Sequence[int]
) -> tuple[Ref, Sequence[int]] | None:
    """Windows with their axes before the last one of the array on which they slide.

    An element of all windows in a row, and the next one of all of them, lie beside each other: an
    extreme of short windows is one of a few long rows.

    Parameters
    ----------
    writer : Writer
        Where it is written.
    value : array
        What may be windows.
    places : sequence of int
        Axes, from the last to the first.

    Returns
    -------
    tuple of (Ref, sequence of int), optional
        A view, and where these axes are in it; None of what are no windows.
    """
    count, first = len(places), value.ndim - len(places)
    if not isinstance(value, Locked) or not value.is_window or first < 1:
        return None
    if sorted(places) != [*range(first, value.ndim)]:
        return None
    order = [*range(first - 1), *range(first, value.ndim), first - 1]
    type = ArrayType(value.dtype, value.ndim, True)  # a guess, which is tested
    return cuts.turned(writer, value.view, order, type), [*range(first + count - 2, first - 2, -1)]


def _one_by_one(
    writer: Writer, value: Lazy, places: Sequence[int], name: str, made: Ref | None = None
) -> Ref:
    *before, last = places
    for place in before:
        value = reductions.along(writer, value, place, name)
    return reductions.along(writer, value, last, name, made=made)


def _column(writer: Writer, ref: Ref, item: int, length: int) -> Ref:
    """One element of each row, where all rows have so many."""
    code = Scalar(str(item), Number("py", "int64"), const=item, proven=True)
    made = cuts.view(writer, ref, [Cut(None, None, None)] * (ref.ndim - 1) + [code])
    return Ref(made.code, ArrayType(ref.dtype, ref.ndim - 1, False, apart=length), root=ref.root)


def _joined(columns: Sequence[Ref], name: str) -> Lazy:
    """What is made of the elements of each row, from the first to the last."""
    first, *others = columns
    made: Lazy = first
    if name == "sum":
        made = elementwise.apply("(0.0 + {0})", [made], first.dtype)  # no sum is -0.0
    for other in others:
        made = elementwise.apply(_TEMPLATES[name], [made, other], first.dtype)
    return made
