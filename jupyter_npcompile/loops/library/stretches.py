"""Elementwise work on all rows as if they were one, which is how NumPy adds new arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence

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
        loop.merge()
        size = " * ".join(loop.dims)

        def write(unit: bool) -> None:
            count, out = (writer.name(prefix) for prefix in ("m", "out"))
            # Elements are asked for in order, so nobody has to find out in which row one lies:
            # a division takes longer than a short row.
            place = [writer.name("at") for _ in loop.dims]
            writer.emit(f"i64 {', '.join(f'{name} = 0' for name in place)};")
            writer.emit(f"{result} = {result} + pairwise_by<{c}>(")
            writer.emit(f"[&](i64, i64 {count}, {c} *{out}) {{")
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
    *above, begin = place
    with w.block(f"while ({count} > 0)"):
        for counter, name in zip(loop.counters, above, strict=False):
            w.emit(f"const i64 {counter} = {name};")
        start = w.hold("i64", begin, "b")
        part = w.hold("i64", f"std::min<i64>({count}, {n} - {start})", "m")
        loop.begin_row()
        w.emit("#pragma GCC ivdep")
        w.emit(f"for (i64 {k} = {start}; {k} < {start} + {part}; {k}++)")
        w.emit(f"{out}[{k} - {start}] = ({c}){loop.element(value, unit=unit)};")
        w.emit(f"{out} += {part}; {count} -= {part}; {begin} += {part};")
        _move(w, place, loop.dims)


def _move(w: Writer, place: Sequence[str], dims: Sequence[str]) -> None:
    """At the end of a row, go to the beginning of the next one."""
    for d in reversed(range(1, len(place))):
        w.emit(f"if ({place[d]} == {dims[d]}) {{ {place[d]} = 0; {place[d - 1]}++;")
    w.emit("}" * (len(place) - 1))
