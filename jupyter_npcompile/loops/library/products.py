"""Products of vectors and matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jupyter_npcompile.loops import arithmetic, cuts, elementwise, hosts, small_arrays
from jupyter_npcompile.loops.calls import elements, of
from jupyter_npcompile.loops.kinds import INT, ArrayType, Declined, is_few
from jupyter_npcompile.loops.library import inner_products, linear_algebra, reductions
from jupyter_npcompile.loops.library.operands import operand
from jupyter_npcompile.loops.library.rearranging import reshaped
from jupyter_npcompile.loops.values import Cut, Items, Lazy, Ref, Scalar, Value

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names

SMALL = 2048
"""Multiplications in a product of matrices that is not worth a call of a library."""


def product(t: Names, left: Lazy, right: Lazy) -> Value:
    """``left @ right``: in C++ where it is small, by a library where it is not."""
    w = t.writer
    if left.ndim == right.ndim == 1 or left.ndim > 2 or right.ndim > 2:
        if left.ndim > 2 and right.ndim <= 2 and left.dtype == right.dtype == "float64":
            return _of_stack(t, left, right)
        if left.ndim == right.ndim > 2 and linear_algebra.is_suitable(left, right):
            return linear_algebra.product_of_stacks(t, left, right)
        if left.ndim > 2 or right.ndim > 2:
            return hosts.call(t, np.matmul, [left, right], {})
        return inner_products.product(w, left, right)
    a, b = operand(t, left), operand(t, right)
    if np.result_type(a.dtype, b.dtype).name not in ("float64", "float32") or a.dtype != b.dtype:
        return hosts.call(t, np.matmul, [a, b], {})
    if is_few(a.type.lengths) and is_few(b.type.lengths):
        return inner_products.product(w, a, b)
    type = ArrayType(a.dtype, a.ndim + b.ndim - 2, True)
    result = w.variable(w.name("product"), type.c)
    work = " * ".join(
        [f"{a.code}.size()", f"{b.code}.n[1]"] if b.ndim == 2 else [f"{a.code}.size()"]
    )
    with w.block(f"if ({work} <= {SMALL})"):
        made = inner_products.product(w, a, b)
        assert isinstance(made, Ref)
        w.emit(f"{result} = {small_arrays.in_memory(w, made).code};")
    with w.block("else"):
        if linear_algebra.is_suitable(a, b):
            w.emit(f"{result} = {linear_algebra.product(a, b)};")
        else:
            w.emit(f"{result} = {hosts.product(t, a, b, type.ndim, a.dtype).code};")
    return Ref(result, type)


def _of_stack(t: Names, left: Lazy, right: Lazy) -> Ref:
    """All rows of all matrices as those of one."""
    w = t.writer
    a, b = elementwise.materialise(w, left), elementwise.materialise(w, right)
    w.emit(f"NEED({a.code}.contiguous() && {a.code}.size() > 0 && {b.code}.size() > 0);")
    lengths = [Scalar(w.hold("i64", f"{a.code}.n[{d}]", "n"), INT) for d in range(a.ndim)]
    rows = reshaped(t, a, Items((arithmetic.constant(-1), lengths[-1])))
    found = product(t, rows, b)
    assert isinstance(found, Ref)
    columns = (Scalar(f"{found.code}.n[1]", INT),) if b.ndim == 2 else ()
    made = reshaped(t, found, Items((*lengths[:-1], *columns)))
    w.emit(f"own({made.code});")
    return made


@of(np.matmul)
def _matmul(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if kwargs or len(args) != 2:
        raise Declined("np.matmul with these arguments")
    return product(t, elements(args[0]), elements(args[1]))


@of(np.dot)
def _dot(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if len(args) == 2 and elements(args[1]).ndim > 2:
        raise Declined("np.dot with a stack of matrices, which is no product of matrices")
    return _matmul(t, args, kwargs)


@of(np.outer)
def _outer(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if kwargs or len(args) != 2:
        raise Declined("np.outer with these arguments")
    a, b = (elementwise.materialise(t.writer, elements(arg)) for arg in args)
    if a.ndim != 1 or b.ndim != 1:
        raise Declined("np.outer of several dimensions")
    return elementwise.binary("multiply", reductions.keep(t.writer, a, 1), b)


@of(np.cross)
def _cross(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if kwargs or len(args) != 2:
        raise Declined("np.cross with these arguments")
    a, b = (elementwise.materialise(t.writer, elements(arg)) for arg in args)
    if a.ndim != 1 or b.ndim != 1 or a.dtype != b.dtype or np.dtype(a.dtype).kind != "f":
        raise Declined("np.cross of these")
    for ref in (a, b):
        t.writer.emit(f"NEED({ref.code}.n[0] == 3);")
    made = elementwise.new(t.writer, a.dtype, ["3"])
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        first = f"{a.code}.p[{i} * {a.code}.s[0]] * {b.code}.p[{j} * {b.code}.s[0]]"
        second = f"{a.code}.p[{j} * {a.code}.s[0]] * {b.code}.p[{i} * {b.code}.s[0]]"
        t.writer.emit(f"{made.code}.p[{k}] = {first} - {second};")
    return cuts.view(t.writer, made, [Cut(None, None, None)])  # so NumPy's is one
