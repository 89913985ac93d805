"""Operands of products that are computed on the way: ``(0.1 * x.T) @ y``.

NumPy lays out the elements of ``0.1 * x.T`` as those of ``x``: column by column. It
reads and writes memory in order then, and the library that multiplies matrices takes
either order. A product does not show which one its operands had, so they may have any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jupyter_npcompile.loops import elementwise
from jupyter_npcompile.loops.kinds import ArrayType
from jupyter_npcompile.loops.library.rearranging import transposed
from jupyter_npcompile.loops.values import Applied, Lazy, Ref, Scalar
from jupyter_npcompile.loops.writer import Writer

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names


def operand(t: Names, value: Lazy) -> Ref:
    """An operand of a product in memory, laid out like what it is computed from.

    Parameters
    ----------
    t : Names
        Where the code goes.
    value : Ref, Gathered or Applied
        The operand.
    """
    writer = t.writer
    if not isinstance(value, Applied) or value.ndim != 2 or elementwise.sources_of(value):
        return elementwise.materialise(writer, value)
    wide = [leaf for leaf in elementwise.leaves_of(value) if leaf.ndim == 2]
    if not wide or any(leaf.type.unit or leaf.type.is_small for leaf in wide):
        return elementwise.materialise(writer, value)
    result = writer.variable(writer.name("operand"), ArrayType(value.dtype, 2, False).c)
    tests = dict.fromkeys(f"lies_by_columns({leaf.code})" for leaf in wide)
    with writer.block(f"if ({' && '.join(tests)})"):
        turned = elementwise.copied(writer, _turned(t, value), in_memory=True)
        writer.emit(f"{result} = {transposed(t, turned).code};")
    with writer.block("else"):
        made = elementwise.copied(writer, value, in_memory=True)
        writer.emit(f"{result} = {made.code};")
    return Ref(result, ArrayType(value.dtype, 2, False), is_fresh=True)


def _turned(t: Names, value: Lazy | Scalar) -> Lazy | Scalar:
    """An expression with rows for columns."""
    if isinstance(value, Applied):
        parts = tuple(_turned(t, part) for part in value.operands)
        return Applied(value.template, parts, value.dtype, value.ndim)
    if not isinstance(value, Ref):
        return value
    return transposed(t, value) if value.ndim == 2 else _column(t.writer, value)


def _column(writer: Writer, ref: Ref) -> Ref:
    """A vector, which each row has an element of."""
    name = writer.name("w")
    type = ArrayType(ref.dtype, 2, False, thin=True)
    writer.emit(
        f"{type.view} {name} = {{{ref.code}.p, {{{ref.n(0)}, 1}}, {{{ref.code}.s[0], 1}}, "
        f"{ref.code}.b, ++ids_}};"
    )
    return Ref(name, type, root=ref.root)
