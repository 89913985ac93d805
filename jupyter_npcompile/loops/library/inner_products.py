"""Products of vectors and matrices that need no library: sums in NumPy's order."""

from __future__ import annotations

import numpy as np

from jupyter_npcompile.loops import elementwise
from jupyter_npcompile.loops.kinds import CTYPES, Declined, Number, is_few, lengths_of
from jupyter_npcompile.loops.library.reductions import EIGHT, elements_of
from jupyter_npcompile.loops.nests import Element, Loop
from jupyter_npcompile.loops.values import Lazy, Ref, Scalar
from jupyter_npcompile.loops.writer import Writer


def product(writer: Writer, left: Lazy, right: Lazy) -> Scalar | Ref:
    """``left @ right``."""
    dtype = np.result_type(np.dtype(left.dtype), np.dtype(right.dtype)).name
    if np.dtype(dtype).kind not in "f":
        raise Declined(f"a product of matrices of {dtype}")
    c = CTYPES[dtype]
    if left.ndim > 2 or right.ndim > 2:
        raise Declined("a product of stacks of matrices")
    if left.ndim == right.ndim == 1 and not (isinstance(left, Ref) and isinstance(right, Ref)):
        return _dot(writer, left, right, dtype)
    a, b = elementwise.materialise(writer, left), elementwise.materialise(writer, right)
    inner = a.n(a.ndim - 1)
    writer.emit(f"NEED({inner} == {b.n(0)});")
    if few := _product_of_few(writer, a, b, dtype):
        return few
    if a.ndim == b.ndim == 1:
        code = f"dot<{c}>({a.code}.p, {a.code}.s[0], {b.code}.p, {b.code}.s[0], {inner})"
        return Scalar(writer.hold(c, code, "dot"), Number("np", dtype))
    if b.ndim == 1:
        made = elementwise.new(writer, dtype, [a.n(0)])
        k = writer.name("k")
        writer.emit(
            f"for (i64 {k} = 0; {k} < {a.code}.n[0]; {k}++) {made.code}.p[{k}] = dot<{c}>("
            f"{a.code}.p + {k} * {a.code}.s[0], {a.code}.s[1], {b.code}.p, {b.code}.s[0], {inner});"
        )
        return made
    if a.ndim == 1:
        made = elementwise.new(writer, dtype, [b.n(1)])
        writer.emit(
            f"add_product<{c}>({a.code}.p, {a.code}.s[0], {inner}, {b.code}, {made.code}.p);"
        )
        return made
    made = elementwise.new(writer, dtype, [a.n(0), b.n(1)])
    k = writer.name("k")
    writer.emit(
        f"for (i64 {k} = 0; {k} < {a.code}.n[0]; {k}++) add_product<{c}>("
        f"{a.code}.p + {k} * {a.code}.s[0], {a.code}.s[1], {inner}, {b.code}, "
        f"{made.code}.p + {k} * {made.code}.s[0]);"
    )
    return made


def _product_of_few(writer: Writer, a: Ref, b: Ref, dtype: str) -> Scalar | Ref | None:
    """The same for known sizes of a few elements: number by number."""
    dims = [ref.n(d) for ref in (a, b) for d in range(ref.ndim)]
    inner = a.n(a.ndim - 1)
    if not all(n.isdigit() for n in dims) or inner != b.n(0) or not 0 < int(inner) < EIGHT:
        return None
    c, number = CTYPES[dtype], Number("np", dtype)

    def added(left: list[str], right: list[str]) -> str:
        terms = [f"({c}){x} * ({c}){y}" for x, y in zip(left, right, strict=True)]
        return " + ".join([f"({c})0", *terms])

    rows = [elements_of(a)] if a.ndim == 1 else [elements_of(a, i) for i in range(int(dims[0]))]
    columns = (
        [elements_of(b)] if b.ndim == 1 else [elements_of(b, None, j) for j in range(int(dims[-1]))]
    )
    if a.ndim == b.ndim == 1:
        return Scalar(writer.hold(c, added(rows[0], columns[0]), "dot"), number)
    lengths = [*([a.n(0)] if a.ndim == 2 else []), *([b.n(1)] if b.ndim == 2 else [])]
    if not is_few(lengths_of(lengths)):
        return None
    made = elementwise.new(writer, dtype, lengths)
    pairs = ((row, column) for row in rows for column in columns)
    for place, (row, column) in enumerate(pairs):
        writer.emit(f"{made.code}.p[{place}] = {added(row, column)};")
    return made


def _dot(writer: Writer, left: Lazy, right: Lazy, dtype: str) -> Scalar:
    """A product of two vectors that are computed as they are needed, a block at a time."""
    c, result = CTYPES[dtype], writer.name("dot")
    writer.emit(f"{c} {result};")
    with writer.block():
        sides = [elementwise.hoisted(writer, side) for side in (left, right)]
        n, other = (elementwise.shape_of(writer, side)[0] for side in sides)
        writer.emit(f"NEED({n} == {other});")
        loop = Loop(writer, [n])
        for side in sides:
            loop.prepare(side)
        k = loop.counters[-1]

        def body(element: Element, counters: list[str]) -> None:
            parts = [f"[&](i64 {k}) {{ return ({c}){element(side)}; }}" for side in sides]
            writer.emit(f"{result} = dot_by<{c}>({', '.join(parts)}, {n});")

        loop.rows(body)
    return Scalar(result, Number("np", dtype))
