"""Writes into an array of one dimension, at places that another array says."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from jupyter_npcompile.loops import elementwise
from jupyter_npcompile.loops.elementwise import read_by
from jupyter_npcompile.loops.kinds import CTYPES, ArrayType, Declined
from jupyter_npcompile.loops.nests import Element, Loop
from jupyter_npcompile.loops.values import Applied, Gathered, Lazy, Ref, Scalar
from jupyter_npcompile.loops.writer import Writer

Operation = Callable[[Lazy], Lazy | Scalar]


def put(writer: Writer, ref: Ref, index: Lazy, value: Lazy | Scalar) -> None:
    """Write ``ref[index] = value``: all places are in bounds before anything is written."""
    where = _places(writer, ref, index)
    n = f"{where.code}.n[0]"
    stored = elementwise.converted(value, ref.dtype)
    k = writer.name("k")
    if isinstance(stored, Scalar):
        code = writer.hold(CTYPES[ref.dtype], stored.code)
    else:
        held = _apart(writer, ref, stored)
        if held.ndim > 1:
            held = elementwise.copied(writer, held, [n])
        writer.emit(f"NEED({held.code}.n[0] == {n} || {held.code}.n[0] == 1);")
        step = writer.hold("i64", f"{held.code}.n[0] == {n} ? {held.code}.s[0] : (i64)0", "s")
        code = f"{held.code}.p[{k} * {step}]"
    writer.emit(f"NEED(are_places({where.code}, {ref.code}.n[0]));")
    place = f"place((i64){where.code}.p[{k} * {where.code}.s[0]], {ref.code}.n[0])"
    writer.emit(
        f"for (i64 {k} = 0; {k} < {n}; {k}++) {ref.code}.p[{place} * {ref.code}.s[0]] = {code};"
    )


def change(
    writer: Writer, ref: Ref, index: Lazy, operation: Operation, value: Lazy | Scalar
) -> None:
    """Write ``ref[index] op= value``.

    Parameters
    ----------
    writer : Writer
        Where it is written.
    ref, index : array
        What is written into, and where.
    operation : callable
        Gives the new elements, of the old ones.
    value : array or number
        What ``operation`` puts in, too.
    """
    where = _places(writer, ref, index)
    old = Ref(writer.name("old"), ArrayType(ref.dtype, 1, True))
    begin = len(writer.lines)
    changed = elementwise.converted(operation(old), ref.dtype, same_kind=True)
    if isinstance(changed, Scalar) or any(old.code in line for line in writer.lines[begin:]):
        raise Declined("such an operation at places that an array says")
    others = [] if isinstance(value, Scalar) else read_by(value)
    # Places that rise are all different, and each element may be written as soon as it is read.
    tests = [f"rise({where.code}, {ref.code}.n[0])"]
    tests += [f"!overlaps({ref.code}, {other.code})" for other in others]
    with writer.block(f"if ({' && '.join(dict.fromkeys(tests))})"):
        _at_once(writer, ref, where, old, changed, value)
    with writer.block("else"):
        read = Gathered(ref, where, 1)
        put(writer, ref, where, elementwise.copied(writer, operation(read)))


def _at_once(
    writer: Writer, ref: Ref, where: Ref, old: Ref, changed: Lazy, value: Lazy | Scalar
) -> None:
    changed = elementwise.hoisted(writer, changed)
    loop = Loop(writer, [f"{where.code}.n[0]"])
    for part in (where, value):
        loop.prepare(part)

    def body(element: Element, counters: list[str]) -> None:
        k = counters[-1]
        loop.locals[old.code] = f"{ref.code}.p[(i64){element(where)} * {ref.code}.s[0]]"
        writer.emit(f"for (i64 {k} = 0; {k} < {loop.dims[-1]}; {k}++)")
        writer.emit(f"{loop.locals[old.code]} = {element(changed)};")

    loop.rows(body)


def _places(writer: Writer, ref: Ref, index: Lazy) -> Ref:
    if np.dtype(index.dtype).kind not in "iu" or index.dtype == "uint64":
        raise Declined("an array of such numbers as an index")
    return _apart(writer, ref, index)


def _apart(writer: Writer, ref: Ref, value: Lazy) -> Ref:
    """An array that is as it was while another one is written into."""
    if isinstance(value, Applied | Gathered) or value.is_fresh:
        return elementwise.materialise(writer, value)
    made = writer.name("a")
    writer.emit(f"{value.type.c} {made} = {value.code};")
    if value.type.is_small:
        return Ref(made, value.type)
    with writer.block(f"if (overlaps({ref.code}, {value.code}))"):
        writer.emit(f"{made} = {elementwise.copied(writer, value, in_memory=True).code};")
    return Ref(made, value.type)
