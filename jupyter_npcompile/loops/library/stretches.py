"""Elementwise work on all rows as if they were one, which is how NumPy adds new arrays."""

from __future__ import annotations

from jupyter_npcompile.loops import elementwise
from jupyter_npcompile.loops.nests import Loop
from jupyter_npcompile.loops.values import Lazy
from jupyter_npcompile.loops.writer import Writer


def add(writer: Writer, value: Lazy, result: str, c: str) -> None:
    """Add all elements of an expression to a variable, without making an array of them.

    Parameters
    ----------
    writer : Writer
        Where it is written.
    value : array
        Of several dimensions.
    result : str
        The variable in C++.
    c : str
        Its type.
    """
    with writer.block():
        value = elementwise.hoisted(writer, value)
        loop = Loop(writer, elementwise.shape_of(writer, value))
        loop.prepare(value)
        size = " * ".join(loop.dims)

        def write(unit: bool) -> None:
            first, count, out = (writer.name(prefix) for prefix in ("f", "m", "out"))
            writer.emit(f"{result} = {result} + pairwise_by<{c}>(")
            writer.emit(f"[&](i64 {first}, i64 {count}, {c} *{out}) {{")
            _compute(loop, value, (first, count, out), c, unit=unit)
            writer.emit(f"}}, 0, {size});")

        loop.variants(write)


def _compute(loop: Loop, value: Lazy, names: tuple[str, str, str], c: str, *, unit: bool) -> None:
    """Compute so many elements from a first one on."""
    w, k, n = loop.writer, loop.counters[-1], loop.dims[-1]
    first, count, out = names
    with w.block(f"while ({count} > 0)"):
        begin = w.hold("i64", f"{first} % {n}", "b")
        above = w.hold("i64", f"{first} / {n}")
        for d in reversed(range(1, loop.ndim - 1)):
            w.emit(f"const i64 {loop.counters[d]} = {above} % {loop.dims[d]};")
            above = w.hold("i64", f"{above} / {loop.dims[d]}")
        w.emit(f"const i64 {loop.counters[0]} = {above};")
        part = w.hold("i64", f"std::min<i64>({count}, {n} - {begin})", "m")
        loop.begin_row()
        w.emit("#pragma GCC ivdep")
        w.emit(f"for (i64 {k} = {begin}; {k} < {begin} + {part}; {k}++)")
        w.emit(f"{out}[{k} - {begin}] = ({c}){loop.element(value, unit=unit)};")
        w.emit(f"{out} += {part}; {first} += {part}; {count} -= {part};")
