"""Stores that overlap what they read: ``u[1:-1, 1:-1] += u[2:, 1:-1] + u[:-2, 1:-1]``.

All that is stored has to be computed before anything of it is written. But a row is read by rows
near to it alone: so rows are computed in blocks, and written once nobody reads them any more
(``lag_of`` in ``headers/overlaps.hpp``). They lie in the cache until then. What is small, or is
read from far away, is one block.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from jupyter_npcompile.loops.kinds import ArrayType
from jupyter_npcompile.loops.values import Applied, Lazy, Ref, Scalar
from jupyter_npcompile.loops.writer import Writer

BLOCK = 2048
"""Elements that are computed before any of them is written, if a row is not longer."""

Fill = Callable[[Ref, Sequence[str], Lazy], None]
New = Callable[[str, str], Ref]


def behind(
    writer: Writer,
    target: Ref,
    dims: Sequence[str],
    value: Lazy,
    leaves: Sequence[Ref],
    new: New,
    fill: Fill,
) -> None:
    """Write a store by blocks of rows.

    Parameters
    ----------
    writer : Writer
        Where it is written.
    target : Ref
        An array, of one dimension at least.
    dims : sequence of str
        Its shape.
    value : array
        What is stored, with its numbers computed beforehand.
    leaves : sequence of Ref
        The arrays in it.
    new : callable
        Makes an array of a dtype and a length.
    fill : callable
        Writes the elements of an expression into an array that it does not overlap.
    """
    w, n = writer, dims[0]
    leaves = list({leaf.code: leaf for leaf in leaves}.values())
    lags = ", ".join(f"lag_of({target.code}, {leaf.code})" for leaf in leaves)
    lag = w.hold("i64", f"math::max<i64>({{{lags}}})")
    line = w.hold("i64", " * ".join(dims[1:]) or "1", "n")
    some = w.hold(
        "i64", f"math::max<i64>({BLOCK} / math::max<i64>({line}, 1), math::max<i64>({lag}, 1))"
    )
    step = w.hold("i64", f"{some} <= {n} / 2 ? {some} : {n}")
    k, count, half = (w.name(prefix) for prefix in ("k", "m", "half"))
    rows = new(target.dtype, f"({step} < {n} ? 2 : 1) * {step} * {line}").code
    with w.block(f"for (i64 {k} = 0, {half} = 0; {k} < {n}; {k} += {step}, {half} ^= 1)"):
        w.emit(f"const i64 {count} = math::min<i64>({step}, {n} - {k});")
        part = _View(w, ArrayType(target.dtype, target.ndim, True))
        part.begin(f"{rows}.p + {half} * {step} * {line}")
        size = "1"
        for d in range(target.ndim - 1, -1, -1):
            part.dimension(d, count if d == 0 else dims[d], size)
            size = f"{size} * {dims[d]}"
        own = {leaf.code: _rows_of(w, leaf, dims, k, count) for leaf in leaves}
        value = _replaced(value, own)
        fill(part.ref, [count, *dims[1:]], value)
        kept = f"{rows}.p + (({half} ^ 1) * {step} + {step} - {lag}) * {line}"
        w.emit(
            f"if ({k}) put_rows({target.code}, {k} - {lag}, {lag}, {kept});",
            f"put_rows({target.code}, {k}, {k} + {count} < {n} ? {count} - {lag} : {count}, "
            f"{part.ref.code}.p);",
        )


class _View:
    """A view that is written down, field by field."""

    def __init__(self, writer: Writer, type: ArrayType, root: str = "") -> None:
        self._writer = writer
        self.ref = Ref(writer.name("w"), type, root=root)
        writer.emit(f"{type.view} {self.ref.code};")

    def begin(self, pointer: str) -> None:
        """Where it begins."""
        code = self.ref.code
        self._writer.emit(f"{code}.p = {pointer}; {code}.b = nullptr; {code}.id = ++ids_;")

    def dimension(self, d: int, size: str, step: str) -> None:
        """How long a dimension is, and how far its elements are apart."""
        self._writer.emit(f"{self.ref.code}.n[{d}] = {size}; {self.ref.code}.s[{d}] = {step};")


def _rows_of(writer: Writer, leaf: Ref, dims: Sequence[str], first: str, count: str) -> Ref:
    """Some rows of an operand, or all of it where it has one for all, or does not fit."""
    if leaf.ndim < len(dims):
        return leaf
    made = Ref(writer.name("w"), leaf.type, root=leaf.root)
    writer.emit(f"{leaf.type.view} {made.code} = {leaf.code};")
    with writer.block(f"if ({leaf.code}.n[0] == {dims[0]})"):
        writer.emit(f"{made.code}.p += {first} * {leaf.code}.s[0]; {made.code}.n[0] = {count};")
    return made


def _replaced(value: Lazy, own: Mapping[str, Ref]) -> Lazy:
    """The same expression of other arrays."""
    if isinstance(value, Ref):
        return own[value.code]
    assert isinstance(value, Applied)
    operands = [o if isinstance(o, Scalar) else _replaced(o, own) for o in value.operands]
    return replace(value, operands=tuple(operands))
