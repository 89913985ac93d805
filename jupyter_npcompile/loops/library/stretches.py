"""Elementwise work on all rows as if they were one, which is how NumPy adds new arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jupyter_npcompile.loops import elementwise
from jupyter_npcompile.loops.nests import Loop
from jupyter_npcompile.loops.values import Lazy
from jupyter_npcompile.loops.writer import Writer

FEW = 4
"""Operations that are written once more for each length of rows that have no loop."""


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
        loop.merge()
        size = " * ".join(loop.dims)

        def write(unit: bool) -> None:
            count, out = (writer.name(prefix) for prefix in ("m", "out"))
            # Elements are asked for in order, so nobody has to find out in which row one lies:
            # a division takes longer than a short row.
            place = [writer.name("at") for _ in loop.dims]
            writer.emit(f"i64 {', '.join(f'{name} = 0' for name in place)};")
            writer.emit(f"{result} = {result} + pairwise_by<{c}>(")
            writer.emit(f"[&](i64, i64 {count}, {c} *{out}) INLINED {{")
            _compute(loop, value, place, (count, out), c, unit=unit)
            writer.emit(f"}}, 0, {size});")

        loop.variants(lambda unit: _in_block(writer, write, unit=unit))


def _in_block(writer: Writer, write: Callable[[bool], None], *, unit: bool) -> None:
    with writer.block():
        write(unit)


def _compute(
    loop: Loop, value: Lazy, place: Sequence[str], names: tuple[str, str], c: str, *, unit: bool
) -> None:
    """Compute so many elements from a place on, which is moved behind them."""
    w, k, n = loop.writer, loop.counters[-1], loop.dims[-1]
    count, out = names
    # Copies, which are kept in registers.
    own = [w.name("at") for _ in place]
    w.emit(*(f"i64 {here} = {there};" for here, there in zip(own, place, strict=True)))
    *above, begin = own
    with w.block(f"while ({count} > 0)"):
        for counter, name in zip(loop.counters, above, strict=False):
            w.emit(f"const i64 {counter} = {name};")
        part = w.hold("i64", f"math::min<i64>({count}, {n} - {begin})", "m")
        loop.begin_row()
        element = f"({c}){loop.element(value, unit=unit)}"
        if unit and elementwise.size_of(value) <= FEW:
            function = f"[&](i64 {k}) {{ return {element}; }}"
            w.emit(f"compute_row<{c}>({function}, {begin}, {part}, {out});")
        else:
            w.emit("#pragma GCC ivdep")
            w.emit(f"for (i64 {k} = {begin}; {k} < {begin} + {part}; {k}++)")
            w.emit(f"{out}[{k} - {begin}] = {element};")
        w.emit(f"{out} += {part}; {count} -= {part}; {begin} += {part};")
        # At the end of a row comes the beginning of the next one.
        for d in reversed(range(1, len(own))):
            w.emit(f"if ({own[d]} == {loop.dims[d]}) {{ {own[d]} = 0; {own[d - 1]}++;")
        w.emit("}" * (len(own) - 1))
    w.emit(*(f"{there} = {here};" for here, there in zip(own, place, strict=True)))
