"""``np.pad``: arrays with more around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jupyter_npcompile.loops import arithmetic, elementwise
from jupyter_npcompile.loops.calls import elements, of
from jupyter_npcompile.loops.kinds import CTYPES, ArrayType, Declined
from jupyter_npcompile.loops.values import Items, Known, Ref, Scalar, Value

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names

MODES = ("constant", "edge", "wrap", "reflect", "symmetric")


@of(np.pad)
def _pad(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    mode = args[2] if len(args) > 2 else kwargs.get("mode", Known("constant"))
    constant = kwargs.get("constant_values", arithmetic.constant(0))
    if set(kwargs) - {"mode", "constant_values"} or not 2 <= len(args) <= 3:
        raise Declined("np.pad with these arguments")
    if not isinstance(mode, Known) or mode.value not in MODES:
        raise Declined("np.pad in this mode")
    if "constant_values" in kwargs and mode.value != "constant":
        raise Declined("np.pad with these arguments")
    w = t.writer
    ref = elementwise.materialise(w, elements(args[0]))
    kind = np.dtype(ref.dtype).kind
    if not isinstance(constant, Scalar) or (constant.const != 0 and constant.type.kind != kind):
        raise Declined("np.pad with these values")
    filled = elementwise.converted(constant, ref.dtype)
    assert isinstance(filled, Scalar)
    names = []
    for side in range(2):
        name = w.name("pad")
        widths = [_width(args[1], d, ref.ndim, side) for d in range(ref.ndim)]
        w.emit(f"const i64 {name}[{ref.ndim}] = {{{', '.join(widths)}}};")
        names.append(name)
    w.emit(f"NEED(!lies_in_columns({ref.code}));")  # so would the result
    type = ArrayType(ref.dtype, ref.ndim, True)
    made = w.name("a")
    number, c = np.dtype(ref.dtype).num, CTYPES[ref.dtype]
    w.emit(
        f"{type.c} {made} = padded<{c}, {ref.ndim}>(run, {ref.code}, {names[0]}, {names[1]}, "
        f"{mode.value.upper()}, {filled.code}, {number});"
    )
    return Ref(made, type, is_fresh=True)


def _width(value: Value, d: int, ndim: int, side: int) -> str:
    """How much is added in a dimension, before it or behind it."""
    for _ in range(2):  # for all dimensions, or one pair for each
        if isinstance(value, Items):
            items = value.items
            if items and isinstance(items[0], Items):
                if len(items) not in (1, ndim):
                    raise Declined("np.pad by these widths")
                value = items[d if len(items) == ndim else 0]
            elif len(items) in (1, 2):  # NumPy takes two numbers for before and behind
                value = items[side if len(items) == 2 else 0]
            else:
                raise Declined("np.pad by these widths")
    if not isinstance(value, Scalar) or value.type.kind not in "iu" or value.type.mixed:
        raise Declined("np.pad by these widths")
    return f"(i64){value.code}"
