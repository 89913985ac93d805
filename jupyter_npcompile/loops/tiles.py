"""Rows of few elements, and one row that is the same for all: ``x - x.mean(axis=0)``.

A loop over three elements is over before a vector is full. Where all other arrays lie in one piece,
the row is written down some times, one after the other, and that many rows are taken for one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jupyter_npcompile.loops.kinds import CTYPES

if TYPE_CHECKING:
    from jupyter_npcompile.loops.nests import Loop

ROOM = 512
"""Elements of rows that are taken for one, at the most."""

LONGEST = 48
"""Elements of a row that vectors have enough to do with."""

FEWEST = 4096
"""Elements in all, from which on it is worth it."""


def tile(loop: Loop) -> bool:
    """Take some rows for one where that can be; False where the arrays are not of that kind.

    Parameters
    ----------
    loop : Loop
        Whose arrays have been prepared, and that asks for no positions.
    """
    leaves = [*loop.leaves.values()]
    rows = [leaf for leaf in leaves if leaf.ref.ndim == 1]
    others = [leaf for leaf in leaves if leaf.ref.ndim > 1]
    last = loop.ndim - 1
    if (
        last < 1
        or loop.is_short
        or not rows
        or not others
        or any(leaf.ref.ndim != loop.ndim or "0" in leaf.steps for leaf in others)
        or any(leaf.ref.type.single or not leaf.ref.type.unit for leaf in leaves)
        or any(leaf.steps[last] == "0" for leaf in rows)
    ):
        return False
    w, dims = loop.writer, loop.dims
    size, n = w.hold("i64", " * ".join(dims), "n"), dims[last]
    tests = [f"{n} > 0 && {n} <= {LONGEST} && {size} >= {FEWEST}"]
    tests += [f"{leaf.steps[last]} == 1" for leaf in leaves]
    tests += [
        f"{leaf.steps[d]} == {leaf.steps[d + 1]} * {dims[d + 1]}"
        for leaf in others
        for d in range(last)
    ]
    is_tiled = w.hold("bool", " && ".join(tests), "one")
    wide = w.hold("i64", f"{is_tiled} ? {ROOM} / {n} * {n} : {n}", "n")
    for leaf in rows:
        c, place, k, at = CTYPES[leaf.ref.dtype], w.name("t"), w.name("k"), w.name("k")
        w.emit(f"{c} {place}[{ROOM}];")
        w.emit(f"if ({is_tiled}) for (i64 {at} = 0; {at} < {wide}; {at} += {n})")
        w.emit(f"for (i64 {k} = 0; {k} < {n}; {k}++) {place}[{at} + {k}] = {leaf.ref.code}.p[{k}];")
        leaf.base = w.name("b")
        w.emit(f"const {c} *{leaf.base} = {is_tiled} ? {place} : {leaf.ref.code}.p;")
    for leaf in others:
        leaf.steps[0] = w.hold("i64", f"{is_tiled} ? {wide} : {leaf.steps[0]}", "s")
    first = w.hold("i64", f"{is_tiled} ? ({size} + {wide} - 1) / {wide} : {dims[0]}", "n")
    between = [w.hold("i64", f"{is_tiled} ? 1 : {length}", "n") for length in dims[1:last]]
    loop.limit = w.hold("i64", f"{is_tiled} ? {size} : INT64_MAX", "n")
    loop.wide = wide
    loop.dims = [first, *between, wide]
    return True
