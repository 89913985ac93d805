"""Reductions and products: numbers and smaller arrays from arrays."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from jupyter_npcompile.loops import cuts, elementwise
from jupyter_npcompile.loops.costs import element_cost
from jupyter_npcompile.loops.kinds import (
    CTYPES,
    SIZE,
    ArrayType,
    Declined,
    Number,
    is_few,
    lengths_of,
)
from jupyter_npcompile.loops.library import stretches
from jupyter_npcompile.loops.nests import Element, Loop
from jupyter_npcompile.loops.quiet import unheard
from jupyter_npcompile.loops.values import Cut, Known, Lazy, Ref, Scalar
from jupyter_npcompile.loops.writer import Writer

SUMS = {"b": "int64", "i": "int64", "u": "uint64"}
"""The dtype of a sum, by the kind of the elements."""


COUNTED = Number("np", "int64") if isinstance(np.count_nonzero(np.ones(1)), np.integer) else SIZE
"""What ``np.count_nonzero`` gives: another type in some versions of NumPy."""


FEW, EIGHT = 16, 8
"""Elements of a known number that are written one by one, at most; and from when on those that are
added have another order where they lie beside each other."""


SHORT = (2, 3, 4)
"""Lengths of rows that are added without a loop: the coordinates of points, pairs."""


def total(writer: Writer, value: Lazy, dtype: str | None = None) -> Scalar:
    """The sum of all elements, added in NumPy's order."""
    kind = np.dtype(value.dtype).kind
    dtype = dtype or SUMS.get(kind, value.dtype)
    c = CTYPES[dtype]
    result = writer.name("sum")
    writer.emit(f"{c} {result} = {'Complex(0.0)' if kind == 'c' else '0'};")
    if value.ndim > 1 and kind in "fc" and _is_small(writer, value):
        value = elementwise.materialise(writer, value)
    if value.ndim == 1 or kind not in "fc":
        _add_rows(writer, value, result, c, kind)
    elif isinstance(value, Ref) and value.type.is_small:
        _add_rows(writer, flat(writer, value), result, c, kind)
    elif isinstance(value, Ref):
        # What lies in one piece is one row for NumPy.
        with writer.block(f"if ({value.code}.contiguous())"):
            _add_rows(writer, flat(writer, value), result, c, kind)
        with writer.block("else"):
            _add_rows(writer, value, result, c, kind)
    else:
        stretches.add(writer, value, result, c)
    return Scalar(result, Number("np", dtype))


def _is_small(writer: Writer, value: Lazy) -> bool:
    """Whether an array would be a value if it were computed."""
    leaves = elementwise.leaves_of(value)
    known = all(leaf.n(d).isdigit() for leaf in leaves for d in range(leaf.ndim))
    if not known or not writer.keeps_small:
        return False
    in_order = all(leaf.type.is_small for leaf in leaves if leaf.ndim > 1)
    return in_order and is_few(lengths_of(elementwise.shape_of(writer, value)))


def flat(writer: Writer, ref: Ref) -> Ref:
    """The elements of an array in one row, if they lie so."""
    name = writer.name("w")
    dims = [ref.n(d) for d in range(ref.ndim)]
    lengths = (math.prod(map(int, dims)),) if all(n.isdigit() for n in dims) else ()
    type = ArrayType(ref.dtype, 1, True, lengths=lengths)
    writer.emit(f"{type.view} {name};")
    writer.emit(f"{name}.p = {ref.code}.p; {name}.n[0] = {ref.code}.size(); {name}.s[0] = 1;")
    writer.emit(f"{name}.b = {ref.code}.b; {name}.id = 0;")
    return Ref(name, type, root=ref.root)


def _add_rows(writer: Writer, value: Lazy, result: str, c: str, kind: str) -> None:
    with writer.block():
        value = elementwise.lowered(writer, value)
        dims = elementwise.shape_of(writer, value)
        loop = Loop(writer, dims)
        loop.prepare(value)
        if kind not in "fc":
            loop.merge()

        def body(element: Element, counters: list[str]) -> None:
            k = counters[-1]
            if kind in "fc":
                row = _sum_of_row(value, element(value), k, dims[-1], c)
                writer.emit(f"{result} = {result} + {row};")
            else:
                function = f"[&](i64 {k}) {{ return ({c}){element(value)}; }}"
                writer.emit(f"{result} += plain_sum<{c}>({function}, {loop.dims[-1]});")

        loop.rows(body)


def _sum_of_row(value: Lazy, element: str, k: str, n: str, c: str) -> str:
    """C++ for the sum of a row: of what lies in memory, or is computed block by block."""
    if items := _few(element, k, n):
        return f"sum_of_few<{c}>({{{', '.join(f'({c}){item}' for item in items)}}})"
    pointer = element.removesuffix(f"[{k}]")
    if isinstance(value, Ref) and pointer != element and c == CTYPES[value.dtype]:
        return f"pairwise_of<{c}>({pointer}, {n})"
    return f"pairwise<{c}>([&](i64 {k}) {{ return ({c}){element}; }}, 0, {n})"


def fold(writer: Writer, value: Lazy, step: str, start: str, c: str) -> str:
    """Go through all elements with one variable.

    Parameters
    ----------
    writer : Writer
        Where it is written.
    value : array
        The elements.
    step : str
        C++ with ``{acc}`` for the variable and ``{x}`` for an element.
    start : str
        What the variable is at first.
    c : str
        Its C++ type.

    Returns
    -------
    str
        The variable.
    """
    acc = writer.name("acc")
    writer.emit(f"{c} {acc} = {start};")
    with writer.block():
        value = elementwise.hoisted(writer, value)
        loop = Loop(writer, elementwise.shape_of(writer, value))
        loop.prepare(value)
        unheard(writer, [value])

        def body(element: Element, counters: list[str]) -> None:
            writer.emit(step.format(acc=acc, x=element(value)))

        loop.run(body)
    return acc


def extreme(writer: Writer, value: Lazy, name: str) -> Scalar:
    """The largest or smallest element; NaN where there is one."""
    kind = np.dtype(value.dtype).kind
    if kind == "c":
        raise Declined("an order of complex numbers")
    c, acc, order = CTYPES[value.dtype], writer.name("acc"), _order(value.dtype, name)
    writer.emit(f"{c} {acc} = worst<{order}>();")
    with writer.block():
        value = elementwise.hoisted(writer, value)
        dims = elementwise.shape_of(writer, value)
        for n in dims:
            writer.emit(f"NEED({n} > 0);")
        loop = Loop(writer, dims)
        loop.prepare(value)
        loop.merge()
        if not loop.is_short:
            unheard(writer, [value], compares=True)

        def body(element: Element, counters: list[str]) -> None:
            row = _extreme_of_row(value, element(value), counters[-1], loop.dims[-1], order)
            writer.emit(f"{acc} = better<{order}>({acc}, {row});")

        loop.rows(body)
    return Scalar(acc, Number("np", value.dtype, 1 if kind == "b" else 63))


def _order(dtype: str, name: str) -> str:
    """What the functions in ``reductions.hpp`` are told about an extreme."""
    return f"{CTYPES[dtype]}, {str(name == 'max').lower()}"


def _extreme_of_row(value: Lazy, element: str, k: str, n: str, order: str) -> str:
    if items := _few(element, k, n, EIGHT):
        return f"extreme_of_few<{order}>({{{', '.join(items)}}})"
    pointer = element.removesuffix(f"[{k}]")
    if isinstance(value, Ref) and pointer != element:
        return f"extreme_of<{order}>({pointer}, {n})"
    return f"extreme<{order}>([&](i64 {k}) {{ return {element}; }}, {n})"


def _few(element: str, k: str, n: str, end: int = FEW + 1) -> list[str]:
    """C++ for each element of a row, where they are known to be less than so many."""
    return [_at(element, k, str(i)) for i in range(int(n))] if n.isdigit() and int(n) < end else []


def elements_of(ref: Ref, first: int | None = None, second: int | None = None) -> list[str]:
    """C++ for the elements of a vector, of a row or of a column of a matrix of known lengths."""
    fixed, lengths = (first, second)[: ref.ndim], [int(ref.n(d)) for d in range(ref.ndim)]
    (free,) = (d for d in range(ref.ndim) if fixed[d] is None)
    places = [[*fixed[:free], i, *fixed[free + 1 :]] for i in range(lengths[free])]
    return [
        f"{ref.code}.p[{' + '.join(f'{i} * {ref.code}.s[{d}]' for d, i in enumerate(place))}]"
        for place in places
    ]


def place_of_extreme(writer: Writer, value: Lazy, name: str) -> Scalar:
    """Where the first of the largest or smallest elements is."""
    if value.ndim != 1 or np.dtype(value.dtype).kind == "c":
        raise Declined(f"np.arg{name} of several dimensions")
    ref = elementwise.materialise(writer, value)
    writer.emit(f"NEED({ref.code}.n[0] > 0);")
    order = _order(ref.dtype, name)
    if ref.n(0).isdigit() and 0 < int(ref.n(0)) <= FEW:
        items = ", ".join(elements_of(ref))
        few = writer.hold("i64", f"place_of_few<{order}>({{{items}}})", "best")
        return Scalar(few, Number("np", "int64"))
    place = f"place_of_extreme<{order}>({ref.code}.p, {ref.code}.n[0], {ref.code}.s[0])"
    best = writer.name("best")
    writer.emit(f"i64 {best};")
    with writer.block():
        unheard(writer, [ref], compares=True)
        writer.emit(f"{best} = {place};")
    return Scalar(best, Number("np", "int64"))


def places_of_extremes(writer: Writer, value: Lazy, name: str, axis: int) -> Ref:
    """Where the first of the largest or smallest elements along an axis are."""
    if np.dtype(value.dtype).kind == "c":
        raise Declined("an order of complex numbers")
    ref = elementwise.materialise(writer, value)
    others = [d for d in range(ref.ndim) if d != axis]
    n, step = f"{ref.code}.n[{axis}]", f"{ref.code}.s[{axis}]"
    writer.emit(f"NEED({n} > 0);")
    if axis < ref.ndim - 1:
        return _places_row_by_row(writer, ref, name, axis)
    made = elementwise.new(writer, "int64", [ref.n(d) for d in others])
    counters = [writer.name("k") for _ in others]
    writer.emit("{")
    unheard(writer, [ref], compares=True)
    for k, d in zip(counters, others, strict=True):
        writer.emit(f"for (i64 {k} = 0; {k} < {ref.code}.n[{d}]; {k}++) {{")
    terms = [f"{k} * {ref.code}.s[{d}]" for k, d in zip(counters, others, strict=True)]
    c = CTYPES[ref.dtype]
    row = writer.hold(f"{c} *", f"{ref.code}.p + {' + '.join(terms)}", "r")
    out = " + ".join(f"{k} * {made.code}.s[{d}]" for d, k in enumerate(counters))
    place = f"place_of_extreme<{_order(ref.dtype, name)}>({row}, {n}, {step})"
    writer.emit(f"{made.code}.p[{out}] = {place};")
    writer.emit("}" * len(counters), "}")
    return made


def _places_row_by_row(writer: Writer, ref: Ref, name: str, axis: int) -> Ref:
    """The same along an axis that is not the last: a row at a time, for all columns."""
    others = [d for d in range(ref.ndim) if d != axis]
    made = elementwise.new(writer, "int64", [ref.n(d) for d in others])
    counters = [writer.name("k") for _ in others[:-1]]
    writer.emit("{")
    unheard(writer, [ref], compares=True)
    for k, d in zip(counters, others, strict=False):
        writer.emit(f"for (i64 {k} = 0; {k} < {ref.code}.n[{d}]; {k}++) {{")
    terms = [f"{k} * {ref.code}.s[{d}]" for k, d in zip(counters, others, strict=False)]
    start = " + ".join([f"{ref.code}.p", *terms])
    out = " + ".join(
        [f"{made.code}.p", *(f"{k} * {made.code}.s[{d}]" for d, k in enumerate(counters))]
    )
    sizes = f"{ref.code}.n[{axis}], {ref.code}.n[{ref.ndim - 1}]"
    steps = f"{ref.code}.s[{axis}], {ref.code}.s[{ref.ndim - 1}]"
    order = _order(ref.dtype, name)
    writer.emit(f"places_of_extremes<{order}>({start}, {sizes}, {steps}, {out});")
    writer.emit("}" * len(counters), "}")
    return made


def test(writer: Writer, value: Lazy, name: str) -> Scalar:
    """``any`` or ``all``."""
    symbol, start = ("|", "0") if name == "any" else ("&", "1")
    truth = elementwise.converted(value, "bool")
    assert not isinstance(truth, Scalar)
    # To leave at the first would lose what NumPy warns of in the rest, and is not vectorised.
    step = f"{{acc}} = (bool8)({{acc}} {symbol} (bool8)(bool){{x}});"
    acc = fold(writer, truth, step, start, "bool8")
    return Scalar(f"({acc} != 0)", Number("np", "bool", 1))


def count(writer: Writer, value: Lazy) -> Scalar:
    """``np.count_nonzero``."""
    truth = elementwise.converted(value, "bool")
    assert not isinstance(truth, Scalar)
    acc = fold(writer, truth, "{acc} += {x} ? 1 : 0;", "0", "i64")
    return Scalar(acc, COUNTED)


def along(
    writer: Writer,
    value: Lazy,
    axis: int,
    name: str,
    dtype: str | None = None,
    made: Ref | None = None,
) -> Ref:
    """A sum, maximum or minimum along one axis.

    Parameters
    ----------
    writer : Writer
        Where it is written.
    value : array
        Of two dimensions or more.
    axis : int
        Which; not negative.
    name : {"sum", "max", "min"}
        What is computed.
    dtype : str, optional
        Of the result.
    made : Ref, optional
        A new array for the result.
    """
    kind = np.dtype(value.dtype).kind
    if kind == "c" and name != "sum":
        raise Declined("an order of complex numbers")
    if name == "sum":
        dtype = dtype or SUMS.get(kind, value.dtype)
    dtype = dtype or value.dtype
    dims = elementwise.shape_of(writer, value)
    if name != "sum":
        writer.emit(f"NEED({dims[axis]} > 0);")
    made = made or elementwise.new(writer, dtype, [n for d, n in enumerate(dims) if d != axis])
    with writer.block():
        value = elementwise.lowered(writer, value)
        loop = Loop(writer, dims)
        loop.prepare(value)
        if name != "sum":
            unheard(writer, [value], compares=True)
        if not made.type.is_small:
            loop.made = [made]
            loop.cost = element_cost([value], elementwise.read_by(value))
        reduce = _along_rows if axis == value.ndim - 1 else _across_rows
        reduce(writer, loop, value, axis, name, dtype, made)
        if name == "sum" and axis < value.ndim - 1:
            zero = Scalar(f"({CTYPES[dtype]})0", Number("np", dtype))
            with writer.block(f"if ({dims[axis]} == 0)"):
                rest = [writer.hold("i64", f"{made.code}.n[{d}]", "n") for d in range(made.ndim)]
                elementwise.fill(writer, made, rest, zero)
    return made


def _along_rows(
    writer: Writer, loop: Loop, value: Lazy, axis: int, name: str, dtype: str, made: Ref
) -> None:
    c, kind, n = CTYPES[dtype], np.dtype(value.dtype).kind, loop.dims[-1]
    loop.cuts_columns = False

    def short(element: Element, counters: list[str], length: int) -> None:
        k, pointer = counters[-1], _place(made, counters[:-2]) or "0"
        items = [_at(element(value), k, str(i)) for i in range(length)]
        if name == "sum":
            row = " + ".join([f"({c})0", *(f"({c})({item})" for item in items)])
        else:
            row = items[0]
            for item in items[1:]:
                row = f"better<{_order(dtype, name)}>({row}, {item})"
        writer.emit(f"({made.code}.p + {pointer})[{counters[-2]}] = {row};")

    def body(element: Element, counters: list[str]) -> None:
        k = counters[-1]
        if name != "sum":
            row = _extreme_of_row(value, element(value), k, n, _order(dtype, name))
        elif kind in "fc":
            row = f"({c})0 + {_sum_of_row(value, element(value), k, n, c)}"
        else:
            row = f"plain_sum<{c}>([&](i64 {k}) {{ return ({c}){element(value)}; }}, {n})"
        writer.emit(f"{made.code}.p[{_place(made, counters[:-1])}] = {row};")

    loop.short_rows(SHORT, short, body)


def _place(made: Ref, counters: Sequence[str]) -> str:
    """Where an element of a new array is."""
    terms = [f"{k} * {made.code}.s[{d}]" for d, k in enumerate(counters[: made.ndim])]
    return " + ".join(terms)


def _across_rows(
    writer: Writer, loop: Loop, value: Lazy, axis: int, name: str, dtype: str, made: Ref
) -> None:
    """Row by row, as NumPy does it, with one result for each column."""
    c, out = CTYPES[dtype], writer.name("out")
    loop.cuts_rows = axis > 0

    def begin(counters: list[str]) -> None:
        kept = [counter for d, counter in enumerate(counters[:-1]) if d != axis]
        offset = _place(made, kept) if kept else "0"
        writer.emit(f"{c} *{out} = {made.code}.p + {offset} + {loop.first_column};")

    def set_to(k: str, x: str) -> str:
        return f"{out}[{k}] = {f'({c})0 + ' if name == 'sum' else ''}({c}){x};"  # no sum is -0.0

    def add_to(k: str, x: str) -> str:
        if name == "sum":
            return f"{out}[{k}] = {out}[{k}] + ({c}){x};"
        return f"{out}[{k}] = better<{_order(dtype, name)}>({out}[{k}], ({c}){x});"

    def short(element: Element, counters: list[str], length: int) -> None:
        begin(counters)
        for test, write in (("==", set_to), ("!=", add_to)):
            with writer.block(f"if ({counters[axis]} {test} 0)"):
                for item in map(str, range(length)):
                    writer.emit(write(item, _at(element(value), counters[-1], item)))

    def body(element: Element, counters: list[str]) -> None:
        begin(counters)
        k, n = counters[-1], loop.dims[-1]
        for test, write in (("==", set_to), ("!=", add_to)):
            writer.emit(f"if ({counters[axis]} {test} 0) {{", "#pragma GCC ivdep")
            writer.emit(f"for (i64 {k} = 0; {k} < {n}; {k}++) {write(k, element(value))}", "}")

    loop.short_rows(SHORT, short, body)


def _at(element: str, k: str, item: str) -> str:
    """C++ for one element of a row, by that for any."""
    return re.sub(rf"\b{k}\b", item, element)


def keep(writer: Writer, ref: Ref, axis: int) -> Ref:
    """A view with an axis of length one put in."""
    full: list[cuts.Index] = [Cut(None, None, None)] * ref.ndim
    full.insert(axis, Known(None))
    made = cuts.view(writer, ref, full)
    if ref.is_fresh and not ref.type.is_small:
        writer.emit(f"own({made.code});")
    return made
