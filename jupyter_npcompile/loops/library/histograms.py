"""Calls that count: ``np.bincount``, ``np.histogram``, ``np.histogram2d``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.loops import arithmetic, elementwise
from jupyter_npcompile.loops.calls import elements, flag_of, named, of, whole_number
from jupyter_npcompile.loops.costs import element_cost
from jupyter_npcompile.loops.cuts import view
from jupyter_npcompile.loops.kinds import CTYPES, ArrayType, Declined
from jupyter_npcompile.loops.library.creation import array_call
from jupyter_npcompile.loops.library.reductions import SUMS
from jupyter_npcompile.loops.library.results import NONE, made, row_of
from jupyter_npcompile.loops.nests import Element, Loop
from jupyter_npcompile.loops.values import ALL, Cut, Items, Known, Lazy, Ref, Scalar, Value

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names


DEAR = 1.0
"""Nanoseconds: so much must an element cost for many to be computed before they are used."""


@of(np.bincount)
def _bincount(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    given = named("np.bincount", ("x", "weights", "minlength"), args, kwargs, none=("weights",))
    w = t.writer
    x = elements(given.get("x", NONE))
    if x.ndim != 1 or np.dtype(x.dtype).kind not in "iub" or x.dtype == "uint64":
        raise Declined("np.bincount of these")
    least = w.hold("i64", whole_number(given.get("minlength", arithmetic.constant(0))))
    weights = elements(given["weights"]) if "weights" in given else None
    if weights is not None and (weights.ndim != 1 or weights.dtype == "complex128"):
        raise Declined("np.bincount with these weights")
    result = Ref(w.name("a"), ArrayType("int64" if weights is None else "float64", 1, True), True)
    w.emit(f"{result.type.c} {result.code};")
    with w.block():
        read = [elementwise.hoisted(w, value) for value in (x, weights) if value is not None]
        dims, *others = [elementwise.shape_of(w, value) for value in read]
        for (other,) in others:
            w.emit(f"NEED({other} == {dims[0]});")
        loop = Loop(w, dims)
        for value in read:
            loop.prepare(value)

        def body(element: Element, counters: list[str]) -> None:
            (places, *rest) = [_row(value, element, counters[-1]) for value in read]
            dear = ""
            if weights is not None:
                dear = f", {str(element_cost(read[1:], []) > DEAR).lower()}"
            given = ", ".join(["run", loop.dims[-1], places, *rest, least])
            name = "counted" if weights is None else "weighed"
            w.emit(f"{result.code} = {name}<{CTYPES[x.dtype]}{dear}>({given});")

        loop.rows(body)
    return result


def _row(value: Lazy, element: Element, k: str) -> str:
    """C++ for a row: where it lies, or how an element is computed."""
    if isinstance(value, Ref):
        return f"Row<{CTYPES[value.dtype]}>{{{value.code}.p, {value.code}.s[0]}}"
    return f"[&](i64 {k}) {{ return {element(value)}; }}"


@dataclass(frozen=True)
class _Limits:
    """The outer edges of bins of one width.

    Parameters
    ----------
    first, last : str
        C++ variables for them, as the edges are computed.
    low, high : str
        What elements are compared with.
    width : str
        How far they are apart.
    given : bool
        Whether they are arguments.
    is_whole : bool
        Whether elements are compared with integers.
    """

    first: str
    last: str
    low: str
    high: str
    width: str
    given: bool
    is_whole: bool


def _limits(t: Names, row: Ref, range: Value | None) -> _Limits:
    """The outer edges: what is given, or the smallest and the largest element."""
    w = t.writer
    kind = np.dtype(row.dtype).kind
    if range is None:
        w.emit(f"NEED({row.code}.n[0] > 0);")
        pair = w.name("t")
        w.emit(f"const auto {pair} = extent({row.code});")
        low, high, is_whole = f"{pair}.first", f"{pair}.second", kind != "f"
        e = "double" if is_whole else CTYPES[row.dtype]
    else:
        low, high, is_whole = _given(t, row, range)
        e = "double"
    half = w.hold("bool", f"{low} == {high}")
    first = w.hold(e, f"{half} ? ({e}){low} - ({e})0.5 : ({e}){low}")
    last = w.hold(e, f"{half} ? ({e}){high} + ({e})0.5 : ({e}){high}")
    width = f"{last} - {first}"
    if is_whole:
        width = f"{half} ? 1.0 : (double)((uint64_t){high} - (uint64_t){low})"
        if kind != "f":
            return _Limits(first, last, f"(i64){low}", f"(i64){high}", width, True, True)
    return _Limits(first, last, first, last, width, range is not None, False)


def _given(t: Names, row: Ref, range: Value) -> tuple[str, str, bool]:
    """Outer edges that are an argument, and whether they are integers."""
    if not isinstance(range, Items) or len(range.items) != 2:
        raise Declined("a histogram in this range")
    ends = [item for item in range.items if isinstance(item, Scalar)]
    if len(ends) != 2 or any(_is_odd(end, row.dtype) for end in ends):
        raise Declined("a histogram in this range")
    is_whole = all(end.type.kind in "iu" for end in ends)
    c = "i64" if is_whole else "double"
    low, high = (t.writer.hold(c, f"({c}){end.code}") for end in ends)
    t.writer.emit(f"NEED({low} <= {high});")
    return low, high, is_whole


def _is_odd(end: Scalar, dtype: str) -> bool:
    """Whether an outer edge is of a type by which others are computed in other ways."""
    if end.type.mixed or end.type.dtype not in ("int64", "float64"):
        return True
    return dtype == "float32" and (end.type.origin != "py" or end.type.is_tagged)


@of(np.histogram)
def _histogram(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    names = ("a", "bins", "range", "density", "weights")
    given = named("np.histogram", names, args, kwargs, none=names[2:])
    w = t.writer
    ref = elementwise.materialise(w, elements(given.get("a", NONE)))
    if np.dtype(ref.dtype).kind not in "iuf" or ref.dtype == "uint64":
        raise Declined("np.histogram of these")
    row = row_of(t, ref)
    weights = _weights(t, ref, given.get("weights"))
    bins = given.get("bins", arithmetic.constant(10))
    if isinstance(bins, Scalar):
        counts, edges, seen = _even(t, row, bins, given.get("range"), weights)
    else:
        counts, edges = _between(t, row, bins)
        seen = edges
        if weights is not None:
            raise Declined("np.histogram with weights and edges")
    if flag_of(given.get("density")):
        kind = np.dtype(counts.dtype).kind
        s = CTYPES[SUMS.get(kind, counts.dtype)]
        counts = made(t, f"densities<{s}>(run, {counts.code}, {edges.code})", "float64")
    return Items((counts, seen))


def _weights(t: Names, ref: Ref, value: Value | None) -> Ref | None:
    if value is None:
        return None
    weights = elementwise.materialise(t.writer, elements(value))
    kind = np.dtype(weights.dtype).kind
    if weights.ndim != ref.ndim or kind not in "iuf" or weights.dtype == "uint64":
        raise Declined("np.histogram with these weights")
    for d in range(ref.ndim):
        t.writer.emit(f"NEED({weights.code}.n[{d}] == {ref.code}.n[{d}]);")
    return row_of(t, weights)


def _even(
    t: Names, row: Ref, bins: Scalar, range: Value | None, weights: Ref | None
) -> tuple[Ref, Ref, Ref]:
    """Bins of one width: what is in them, their edges, and as which array NumPy gives those."""
    w = t.writer
    single = row.dtype == "float32"
    limits = _limits(t, row, range)
    dtype = "float32" if single else "float64"
    c = CTYPES[dtype]
    e = "float" if single and range is None else "double"
    compared = "i64" if limits.is_whole else "double" if np.dtype(row.dtype).kind != "f" else c
    even, binning = w.name("even"), w.name("binning")
    w.emit(f"const Even<{e}> {even}({limits.first}, {limits.last}, {whole_number(bins)});")
    edges = made(t, f"{even}.all<{c}>(run, {np.dtype(dtype).num})", dtype)
    w.emit(f"NEED(is_rising({edges.code}));")  # or there are too many
    w.emit(
        f"const Binning<{CTYPES[row.dtype]}, {compared}, {c}, {e}, {e}> {binning}"
        f"{{({compared}){limits.low}, ({compared}){limits.high}, ({c}){limits.first}, "
        f"({e})({limits.width}), {even}}};"
    )
    code = f"histogram(run, {row.code}, {binning}"
    if weights is None:
        counts = made(t, f"{code})", "int64")
    else:
        number = np.dtype(weights.dtype).num
        counts = made(t, f"{code}, {weights.code}, {number})", weights.dtype)
    converted = single and range is not None
    return counts, edges, edges if converted else view(w, edges, [ALL])


def _between(t: Names, row: Ref, bins: Value) -> tuple[Ref, Ref]:
    """Bins between edges that are given."""
    edges = _edges(t, bins)
    common = np.result_type(np.dtype(row.dtype), np.dtype(edges.dtype)).name
    head = f"<{CTYPES[common]}>"
    return made(t, f"histogram_between{head}(run, {row.code}, {edges.code})", "int64"), edges


def _edges(t: Names, bins: Value) -> Ref:
    if isinstance(bins, Items):
        bins = array_call(t, [bins], {})
    edges = elementwise.materialise(t.writer, elements(bins))
    if edges.ndim != 1 or np.dtype(edges.dtype).kind not in "iuf" or edges.dtype == "uint64":
        raise Declined("a histogram with these edges")
    return edges


@of(np.histogram2d)
def _histogram2d(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    names = ("x", "y", "bins", "range", "density", "weights")
    given = named("np.histogram2d", names, args, kwargs, none=names[3:])
    w = t.writer
    x, y = (elementwise.materialise(w, elements(given.get(name, NONE))) for name in "xy")
    if x.ndim != 1 or y.ndim != 1 or not _is_double(x) or not _is_double(y):
        raise Declined("np.histogram2d of these")
    ranges: Sequence[Value] = (NONE, NONE)
    if "range" in given:
        both = given["range"]
        if not isinstance(both, Items) or len(both.items) != 2:
            raise Declined("np.histogram2d in this range")
        ranges = both.items
    axes, edges = [], []
    for row, bins, limits in zip((x, y), _both(t, given.get("bins")), ranges, strict=True):
        axis, seen = _axis(t, row, bins, limits)
        axes.append(axis)
        edges.append(seen)
    weights, step = "nullptr", "0"
    if "weights" in given:
        some = elements(given["weights"])
        if some.ndim != 1 or some.dtype == "complex128":
            raise Declined("np.histogram2d with these weights")
        doubles = elementwise.converted(some, "float64")
        assert not isinstance(doubles, Scalar)
        held = elementwise.materialise(w, doubles)
        w.emit(f"NEED({held.code}.n[0] == {x.code}.n[0]);")
        weights, step = f"{held.code}.p", f"{held.code}.s[0]"
    code = f"histogram_2d(run, {x.code}, {y.code}, {axes[0]}, {axes[1]}, {weights}, {step})"
    table = made(t, code, "float64", 2)
    if flag_of(given.get("density")):
        code = f"densities_2d(run, {table.code}, {axes[0]}, {axes[1]})"
        return Items((made(t, code, "float64", 2), *edges))
    one, minus = arithmetic.constant(1), arithmetic.constant(-1)
    return Items((view(w, table, [Cut(one, minus, None)] * 2), *edges))


def _is_double(ref: Ref) -> bool:
    """Whether NumPy computes with doubles for such numbers, and exactly."""
    return (np.dtype(ref.dtype).kind in "iu" and ref.dtype != "uint64") or ref.dtype == "float64"


def _both(t: Names, bins: Value | None) -> Sequence[Value]:
    """The bins of either axis."""
    if bins is None:
        bins = arithmetic.constant(10)
    if isinstance(bins, Scalar):
        return bins, bins
    if isinstance(bins, Items) and len(bins.items) == 2:
        return bins.items
    edges = _edges(t, bins)
    t.writer.emit(f"NEED({edges.code}.n[0] > 2);")  # or they are numbers of bins
    return edges, edges


def _axis(t: Names, row: Ref, bins: Value, range: Value) -> tuple[str, Ref]:
    """An axis in C++, and its edges as NumPy gives them."""
    w = t.writer
    axis = w.name("axis")
    if not isinstance(bins, Scalar):
        edges = _edges(t, bins)
        doubles = elementwise.converted(edges, "float64")
        assert not isinstance(doubles, Scalar)
        held = elementwise.materialise(w, doubles)
        w.emit(f"const Axis {axis} = axis_of({held.code});")
        return axis, edges
    limits = _limits(t, row, None if isinstance(range, Known) and range.value is None else range)
    even = w.name("even")
    w.emit(f"const Even<double> {even}({limits.first}, {limits.last}, {whole_number(bins)});")
    edges = made(t, f"{even}.all<double>(run, {np.dtype('float64').num})", "float64")
    w.emit(f"const Axis {axis} = axis_of({edges.code}, {even});")
    return axis, view(w, edges, [ALL])
