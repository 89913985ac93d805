"""Reductions and products: numbers and smaller arrays from arrays."""

from __future__ import annotations

import numpy as np

from jupyter_npcompile.loops import elementwise, indexing
from jupyter_npcompile.loops.elementwise import Element, Loop
from jupyter_npcompile.loops.kinds import CTYPES, ArrayType, Declined, Number
from jupyter_npcompile.loops.values import Cut, Known, Lazy, Ref, Scalar
from jupyter_npcompile.loops.writer import Writer

SUMS = {"b": "int64", "i": "int64", "u": "uint64"}
"""The dtype of a sum, by the kind of the elements."""


COUNTED = (
    Number("np", "int64")
    if isinstance(np.count_nonzero(np.ones(1)), np.integer)
    else Number("py", "int64", 40)
)
"""What ``np.count_nonzero`` gives: another type in some versions of NumPy."""


def total(writer: Writer, value: Lazy, dtype: str | None = None) -> Scalar:
    """The sum of all elements, added in NumPy's order."""
    kind = np.dtype(value.dtype).kind
    dtype = dtype or SUMS.get(kind, value.dtype)
    c = CTYPES[dtype]
    result = writer.name("sum")
    zero = "Complex(0.0)" if kind == "c" else "0"
    writer.emit(f"{c} {result} = {zero};")
    if value.ndim > 1:
        value = elementwise.materialise(writer, value)
        row = flat(writer, value)
        with writer.block(f"if ({value.code}.contiguous())"):
            _add_rows(writer, row, result, c, kind)
        with writer.block("else"):
            _add_rows(writer, value, result, c, kind)
    else:
        _add_rows(writer, value, result, c, kind)
    return Scalar(result, Number("np", dtype))


def flat(writer: Writer, ref: Ref) -> Ref:
    """The elements of an array in one row, if they lie so."""
    name = writer.name("w")
    type = ArrayType(ref.dtype, 1, True)
    writer.emit(f"{type.view} {name};")
    writer.emit(f"{name}.p = {ref.code}.p; {name}.n[0] = {ref.code}.size(); {name}.s[0] = 1;")
    writer.emit(f"{name}.b = {ref.code}.b; {name}.id = 0;")
    return Ref(name, type, root=ref.root)


def _add_rows(writer: Writer, value: Lazy, result: str, c: str, kind: str) -> None:
    with writer.block():
        value = elementwise.hoisted(writer, value)
        dims = elementwise.shape_of(writer, value)
        loop = Loop(writer, dims)
        loop.prepare(value)

        def body(element: Element, counters: list[str]) -> None:
            k = counters[-1]
            function = f"[&](i64 {k}) {{ return ({c}){element(value)}; }}"
            if kind in "fc":
                writer.emit(f"{result} = {result} + pairwise<{c}>({function}, 0, {dims[-1]});")
            else:
                writer.emit(f"{result} += plain_sum<{c}>({function}, {dims[-1]});")

        loop.rows(body)


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

        def body(element: Element, counters: list[str]) -> None:
            writer.emit(step.format(acc=acc, x=element(value)))

        loop.run(body)
    return acc


def extreme(writer: Writer, value: Lazy, name: str) -> Scalar:
    """The largest or smallest element; NaN where there is one."""
    kind = np.dtype(value.dtype).kind
    if kind == "c":
        raise Declined("an order of complex numbers")
    value = elementwise.materialise(writer, value)
    for d in range(value.ndim):
        writer.emit(f"NEED({value.code}.n[{d}] > 0);")
    c = CTYPES[value.dtype]
    acc = fold(writer, value, f"{{acc}} = np_{name}<{c}>({{acc}}, {{x}});", f"{value.code}.p[0]", c)
    return Scalar(acc, Number("np", value.dtype, 1 if kind == "b" else 63))


def place_of_extreme(writer: Writer, value: Lazy, name: str) -> Scalar:
    """Where the first of the largest or smallest elements is."""
    if value.ndim != 1 or np.dtype(value.dtype).kind == "c":
        raise Declined(f"np.arg{name} of several dimensions")
    ref = elementwise.materialise(writer, value)
    writer.emit(f"NEED({ref.code}.n[0] > 0);")
    better, c = "gt" if name == "max" else "lt", CTYPES[ref.dtype]
    order = f"[](const {c} a, const {c} b) {{ return {better}<{c}>(a, b); }}"
    place = f"first_place({ref.code}.p, {ref.code}.n[0], {ref.code}.s[0], {order})"
    best = writer.hold("i64", place, "best")
    return Scalar(best, Number("np", "int64"))


def places_of_extremes(writer: Writer, value: Lazy, name: str, axis: int) -> Ref:
    """Where the first of the largest or smallest elements along an axis are."""
    if np.dtype(value.dtype).kind == "c":
        raise Declined("an order of complex numbers")
    ref = elementwise.materialise(writer, value)
    others = [d for d in range(ref.ndim) if d != axis]
    n, step = f"{ref.code}.n[{axis}]", f"{ref.code}.s[{axis}]"
    writer.emit(f"NEED({n} > 0);")
    made = elementwise.new(writer, "int64", [f"{ref.code}.n[{d}]" for d in others])
    counters = [writer.name("k") for _ in others]
    for k, d in zip(counters, others, strict=True):
        writer.emit(f"for (i64 {k} = 0; {k} < {ref.code}.n[{d}]; {k}++) {{")
    terms = [f"{k} * {ref.code}.s[{d}]" for k, d in zip(counters, others, strict=True)]
    c = CTYPES[ref.dtype]
    row = writer.hold(f"{c} *", f"{ref.code}.p + {' + '.join(terms)}", "r")
    out = " + ".join(f"{k} * {made.code}.s[{d}]" for d, k in enumerate(counters))
    better = "gt" if name == "max" else "lt"
    order = f"[](const {c} a, const {c} b) {{ return {better}<{c}>(a, b); }}"
    place = f"first_place({row}, {n}, {step}, {order})"
    writer.emit(f"{made.code}.p[{out}] = {place};")
    writer.emit("}" * len(counters))
    return made


def test(writer: Writer, value: Lazy, name: str) -> Scalar:
    """``any`` or ``all``."""
    symbol, start = ("||", "false") if name == "any" else ("&&", "true")
    truth = elementwise.converted(value, "bool")
    assert not isinstance(truth, Scalar)
    acc = fold(writer, truth, f"{{acc}} = {{acc}} {symbol} {{x}};", start, "bool")
    return Scalar(acc, Number("np", "bool", 1))


def count(writer: Writer, value: Lazy) -> Scalar:
    """``np.count_nonzero``."""
    truth = elementwise.converted(value, "bool")
    assert not isinstance(truth, Scalar)
    acc = fold(writer, truth, "{acc} += {x} ? 1 : 0;", "0", "i64")
    return Scalar(acc, COUNTED)


def along(writer: Writer, value: Lazy, axis: int, name: str, dtype: str | None = None) -> Ref:
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
    """
    ref = elementwise.materialise(writer, value)
    kind = np.dtype(ref.dtype).kind
    if kind == "c" and name != "sum":
        raise Declined("an order of complex numbers")
    if name == "sum":
        dtype = dtype or SUMS.get(kind, ref.dtype)
    dtype = dtype or ref.dtype
    c = CTYPES[dtype]
    rest = [f"{ref.code}.n[{d}]" for d in range(ref.ndim) if d != axis]
    made = elementwise.new(writer, dtype, rest)
    n = f"{ref.code}.n[{axis}]"
    if name != "sum":
        writer.emit(f"NEED({n} > 0);")
    counters = [writer.name("k") for _ in rest]
    inner = writer.name("k")
    places = [*counters]
    places.insert(axis, inner)
    terms = [f"{k} * {ref.code}.s[{d}]" for d, k in enumerate(places) if d != axis]
    out = " + ".join(f"{k} * {made.code}.s[{d}]" for d, k in enumerate(counters))
    if axis == ref.ndim - 1:
        for k, size in zip(counters, rest, strict=True):
            writer.emit(f"for (i64 {k} = 0; {k} < {size}; {k}++) {{")
        row = writer.hold(f"{CTYPES[ref.dtype]} *", f"{ref.code}.p + {' + '.join(terms)}", "r")
        step = f"{ref.code}.s[{axis}]"
        function = f"[&](i64 {inner}) {{ return ({c}){row}[{inner} * {step}]; }}"
        if name != "sum":
            acc = writer.name("acc")
            writer.emit(f"{c} {acc} = {row}[0];")
            writer.emit(
                f"for (i64 {inner} = 1; {inner} < {n}; {inner}++) "
                f"{acc} = np_{name}<{c}>({acc}, {row}[{inner} * {step}]);"
            )
            code = acc
        elif kind in "fc":
            code = f"(({c})0 + pairwise<{c}>({function}, 0, {n}))"
        else:
            code = f"plain_sum<{c}>({function}, {n})"
        writer.emit(f"{made.code}.p[{out}] = {code};")
        writer.emit("}" * len(counters))
        return made
    target = elementwise.materialise(writer, made)
    with writer.block(f"for (i64 {inner} = 0; {inner} < {n}; {inner}++)"):
        index = Scalar(inner, Number("py", "int64", 40))
        full: list[indexing.Index] = [Cut(None, None, None)] * ref.ndim
        full[axis] = index
        slab = indexing.view(writer, ref, full)
        dims = [writer.hold("i64", f"{made.code}.n[{d}]", "n") for d in range(made.ndim)]
        first = elementwise.converted(slab, dtype)
        with writer.block(f"if ({inner} == 0)"):
            elementwise.fill(writer, target, dims, first)
        with writer.block("else"):
            template = "({0} + {1})" if name == "sum" else f"np_{name}<{c}>({{0}}, {{1}})"
            more = elementwise.apply(template, (target, first), dtype)
            elementwise.fill(writer, target, dims, more)
    if name == "sum":
        with writer.block(f"if ({n} == 0)"):
            dims = [writer.hold("i64", f"{made.code}.n[{d}]", "n") for d in range(made.ndim)]
            elementwise.fill(writer, target, dims, Scalar(f"({c})0", Number("np", dtype)))
    return made


def keep(writer: Writer, ref: Ref, axis: int) -> Ref:
    """A view with an axis of length one put in."""
    full: list[indexing.Index] = [Cut(None, None, None)] * ref.ndim
    full.insert(axis, Known(None))
    made = indexing.view(writer, ref, full)
    if ref.is_fresh:
        writer.emit(f"own({made.code});")
    return made


def product(writer: Writer, left: Lazy, right: Lazy) -> Scalar | Ref:
    """``left @ right``."""
    dtype = np.result_type(np.dtype(left.dtype), np.dtype(right.dtype)).name
    if np.dtype(dtype).kind not in "f":
        raise Declined(f"a product of matrices of {dtype}")
    c = CTYPES[dtype]
    if left.ndim > 2 or right.ndim > 2:
        raise Declined("a product of stacks of matrices")
    a, b = elementwise.materialise(writer, left), elementwise.materialise(writer, right)
    inner = f"{a.code}.n[{a.ndim - 1}]"
    writer.emit(f"NEED({inner} == {b.code}.n[0]);")
    if a.ndim == b.ndim == 1:
        code = f"dot<{c}>({a.code}.p, {a.code}.s[0], {b.code}.p, {b.code}.s[0], {inner})"
        return Scalar(writer.hold(c, code, "dot"), Number("np", dtype))
    if b.ndim == 1:
        made = elementwise.new(writer, dtype, [f"{a.code}.n[0]"])
        k = writer.name("k")
        writer.emit(
            f"for (i64 {k} = 0; {k} < {a.code}.n[0]; {k}++) {made.code}.p[{k}] = dot<{c}>("
            f"{a.code}.p + {k} * {a.code}.s[0], {a.code}.s[1], {b.code}.p, {b.code}.s[0], {inner});"
        )
        return made
    if a.ndim == 1:
        made = elementwise.new(writer, dtype, [f"{b.code}.n[1]"])
        writer.emit(
            f"add_product<{c}>({a.code}.p, {a.code}.s[0], {inner}, {b.code}, {made.code}.p);"
        )
        return made
    made = elementwise.new(writer, dtype, [f"{a.code}.n[0]", f"{b.code}.n[1]"])
    k = writer.name("k")
    writer.emit(
        f"for (i64 {k} = 0; {k} < {a.code}.n[0]; {k}++) add_product<{c}>("
        f"{a.code}.p + {k} * {a.code}.s[0], {a.code}.s[1], {inner}, {b.code}, "
        f"{made.code}.p + {k} * {made.code}.s[0]);"
    )
    return made
