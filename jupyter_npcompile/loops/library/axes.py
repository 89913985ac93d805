"""Places in a grid, axis by axis: ``np.meshgrid``, ``np.indices``, ``np.mgrid[:n, 1:m]``.

What such a call gives repeats a row of numbers along the other axes. Where each of these arrays
has a name of its own, `apart` gives them as what is computed when it is needed, so statements that
only read them element by element need no memory for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.loops import cuts, elementwise
from jupyter_npcompile.loops.calls import elements, named, of, whole_number
from jupyter_npcompile.loops.kinds import CTYPES, Declined
from jupyter_npcompile.loops.library.creation import dtype_named, shape_named
from jupyter_npcompile.loops.library.results import NONE
from jupyter_npcompile.loops.values import ALL, Applied, Items, Known, Ref, Scalar, Value

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names


def apart(
    t: Names, maker: Any, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Sequence[Applied] | None:
    """The arrays of a grid, each as what is computed when it is needed.

    Parameters
    ----------
    t : Names
        Where it is written.
    maker : object
        What makes the grid: ``np.meshgrid``, ``np.indices``, ``np.mgrid``.
    args, kwargs : sequence, mapping
        What it is given; for ``np.mgrid``, three values for each slice.

    Returns
    -------
    sequence of Applied, optional
        None where something else is called.
    """
    if maker is np.meshgrid:
        return _repeated(t, *_rows(t, args, kwargs))
    counted = None
    if maker is np.indices:
        counted = _counted(t, args, kwargs)
    elif maker is np.mgrid:
        counted = ranges(t, args)
    if counted is None:
        return None
    dims, starts, dtype = counted
    rows = [_counters(t, n, start, dtype) for n, start in zip(dims, starts, strict=True)]
    return _repeated(t, rows, range(len(rows)))


def are_views(maker: Any) -> bool:
    """Whether the arrays of a grid are views of one array."""
    return maker is not np.meshgrid


def _repeated(t: Names, rows: Sequence[Ref], places: Sequence[int]) -> list[Applied]:
    """Rows along their axes, repeated along the others; `places` are the rows of the axes."""
    w = t.writer
    views = [
        cuts.view(w, row, [ALL if place == k else Known(None) for place in places])
        for k, row in enumerate(rows)
    ]
    return [
        Applied("{0}", (view, *(other for other in views if other != view)), view.dtype, len(rows))
        for view in views
    ]


def _rows(
    t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> tuple[list[Ref], list[int]]:
    order = kwargs.get("indexing", Known("xy"))
    if set(kwargs) - {"indexing"} or len(args) < 2 or not isinstance(order, Known):
        raise Declined("np.meshgrid with these arguments")
    rows = [elementwise.materialise(t.writer, elements(arg)) for arg in args]
    if any(row.ndim != 1 for row in rows) or order.value not in ("xy", "ij"):
        raise Declined("np.meshgrid of these")
    places = list(range(len(rows)))
    if order.value == "xy":
        places[:2] = [1, 0]
    return rows, places


@of(np.meshgrid)
def _meshgrid(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    results = _repeated(t, *_rows(t, args, kwargs))
    return Items(tuple(elementwise.materialise(t.writer, result) for result in results))


def _counted(
    t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> tuple[list[str], list[str], str]:
    given = named("np.indices", ("dimensions", "dtype"), args, kwargs)
    shape = given.get("dimensions", NONE)
    if not isinstance(shape, Items) or given.get("dtype") == NONE:
        raise Declined("np.indices of these")
    dims = shape_named(t, shape)
    return dims, ["0"] * len(dims), dtype_named(given.get("dtype"), "int64")


def ranges(t: Names, args: Sequence[Value]) -> tuple[list[str], list[str], str] | None:
    """What ``np.mgrid`` counts, where it counts whole numbers: lengths, starts, dtype.

    Parameters
    ----------
    t : Names
        Where it is written.
    args : sequence
        Start, stop and step of each slice.

    Returns
    -------
    tuple, optional
        None for other slices, and for one alone.
    """
    bounds = [tuple(args[k : k + 3]) for k in range(0, len(args), 3)]
    if len(bounds) < 2 or not all(_counts(*bound) for bound in bounds):
        return None
    w = t.writer
    dims, starts = [], []
    for start, stop, _ in bounds:
        first = "0" if start == NONE else w.hold("i64", whole_number(start))
        dims.append(w.hold("i64", f"checked_sub<i64>({whole_number(stop)}, {first})", "n"))
        starts.append(first)
        w.emit(f"NEED({dims[-1]} >= 0);")
    return dims, starts, "int64"


def _counts(start: Value, stop: Value, step: Value) -> bool:
    return step == NONE and _is_whole(stop) and (start == NONE or _is_whole(start))


def _is_whole(value: Value) -> bool:
    return isinstance(value, Scalar) and value.type.dtype == "int64" and not value.type.mixed


def _counters(t: Names, n: str, start: str, dtype: str) -> Ref:
    w = t.writer
    row = elementwise.new(w, dtype, [n])
    k = w.name("k")
    number = f"({CTYPES[dtype]})({start} + {k})"
    w.emit(f"for (i64 {k} = 0; {k} < {n}; {k}++) {row.code}.p[{k}] = {number};")
    return row


@of(np.indices)
def _indices(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    return whole(t, *_counted(t, args, kwargs))


def whole(t: Names, dims: Sequence[str], starts: Sequence[str], dtype: str) -> Ref:
    """All places of a grid as one array, whose first axis says which axis they are of."""
    w = t.writer
    made = elementwise.new(w, dtype, [str(len(dims)), *dims])
    size = w.hold("i64", " * ".join(dims), "n")
    for place, start in enumerate(starts):
        counters = [w.name("k") for _ in dims]
        at = "0"
        for k, n in zip(counters, dims, strict=True):
            w.emit(f"for (i64 {k} = 0; {k} < {n}; {k}++)")
            at = f"({at}) * {n} + {k}"
        number = f"({CTYPES[dtype]})({start} + {counters[place]})"
        w.emit(f"{made.code}.p[{place} * {size} + {at}] = {number};")
    return made
