"""What is computed across a stack of arrays, element by element: the stack is not made.

``np.median(np.stack(windows), axis=0)`` reads each element of the stack once. It is a function of
as many elements as there are layers, which is written into the loop that needs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.loops import arithmetic, elementwise
from jupyter_npcompile.loops.kinds import CTYPES, ArrayType
from jupyter_npcompile.loops.promotion import cast
from jupyter_npcompile.loops.values import Applied, Lazy, Ref
from jupyter_npcompile.loops.writer import Writer

MOST = 25
"""Layers whose elements are put in order by pairs that are known beforehand: a window of 5 x 5."""

MOST_ADDED = 7
"""Layers that are added one after the other in any case: NumPy adds eight numbers that lie in one
row in another order."""


@dataclass(frozen=True)
class Layers:
    """Arrays of one shape and dtype that were put on top of each other last.

    Parameters
    ----------
    begin, end : int
        The lines of the text that do so.
    place : int
        The axis along which they lie.
    parts : tuple of Lazy
        The arrays.
    items : str
        C++ for a vector of them instead, where only the run knows how many they are.
    """

    begin: int
    end: int
    place: int
    parts: tuple[Lazy, ...] = ()
    items: str = ""


def note(
    writer: Writer, made: Ref, begin: int, place: int, parts: Sequence[Lazy] = (), items: str = ""
) -> None:
    """Note how a stack was made, from some line on."""
    writer.layers[made.code] = Layers(begin, len(writer.lines), place, tuple(parts), items)


def is_last(writer: Writer, value: Lazy) -> bool:
    """Whether something is a stack that was made last: nothing has read it."""
    if not isinstance(value, Ref):
        return False
    layers: Layers | None = writer.layers.get(value.code)
    return layers is not None and layers.end == len(writer.lines)


def across(writer: Writer, value: Lazy, place: int, name: str) -> Applied | Ref | None:
    """A reduction along an axis of a stack that nothing else reads, which is taken back.

    Parameters
    ----------
    writer : Writer
        Where the stack was written.
    value : array
        The stack, maybe.
    place : int
        The axis.
    name : {"median", "sum", "mean", "max", "min"}
        What is computed.

    Returns
    -------
    Applied or Ref or None
        None where it is no such stack, or where NumPy may compute in another order.
    """
    if not isinstance(value, Ref) or not is_last(writer, value):
        return None
    layers: Layers = writer.layers[value.code]
    if layers.place != place:
        return None
    if layers.items:
        return _medians(writer, value, layers) if name == "median" else None
    count = len(layers.parts)
    adds = name in ("sum", "mean")
    if not 2 <= count <= (MOST_ADDED if adds else MOST):
        return None
    if np.dtype(value.dtype).kind == "c":
        return None
    del writer.layers[value.code], writer.lines[layers.begin :]
    if name == "median":
        return _median(layers.parts)
    if name in ("max", "min"):
        order = f"{CTYPES[value.dtype]}, {str(name == 'max').lower()}"
        return _folded(f"better<{order}>({{0}}, {{1}})", layers.parts)
    total = _total(layers.parts, mean=name == "mean")
    if name == "sum":
        return total
    return elementwise.binary("true_divide", total, arithmetic.constant(float(count)))


def _folded(template: str, parts: Sequence[Lazy]) -> Applied:
    made = reduce(lambda a, b: elementwise.apply(template, [a, b], a.dtype), parts)
    assert isinstance(made, Applied)
    return made


def _total(parts: Sequence[Lazy], *, mean: bool) -> Applied:
    """The sum, which NumPy begins at zero: it is never -0.0."""
    kind = np.dtype(parts[0].dtype).kind
    dtype = parts[0].dtype
    if kind in "biu":
        dtype = "float64" if mean else {"u": "uint64"}.get(kind, "int64")
    c = CTYPES[dtype]
    texts = [f"({c}){{{k}}}" for k in range(len(parts))]
    return elementwise.apply(f"({' + '.join([f'({c})0', *texts])})", parts, dtype)


def _result(dtype: str) -> str:
    """The dtype of a median."""
    return dtype if np.dtype(dtype).kind == "f" else "float64"


def _medians(writer: Writer, value: Ref, layers: Layers) -> Ref:
    del writer.layers[value.code], writer.lines[layers.begin :]
    dtype = _result(value.dtype)
    made = Ref(writer.name("a"), ArrayType(dtype, value.ndim - 1, True), is_fresh=True)
    numbers = f"{np.dtype(dtype).num}, {np.dtype(value.dtype).num}"
    code = f"medians_across<{CTYPES[dtype]}>(run, {layers.items}, {numbers})"
    writer.emit(f"{made.type.c} {made.code} = {code};")
    return made


def _median(parts: Sequence[Lazy]) -> Applied:
    """The element in the middle, or the mean of both; NaN where there is one, but never -0.0."""
    held, count = parts[0].dtype, len(parts)
    dtype = _result(held)
    given = ", ".join(f"{{{k}}}" for k in range(count))

    def ranked(place: int) -> str:
        return cast(f"ranked<{CTYPES[held]}, {place}>({{{{{given}}}}})", held, dtype)

    c = CTYPES[dtype]
    text = f"(({c})0 + {ranked(count // 2)})"
    if count % 2 == 0:
        text = f"((({c})0 + {ranked(count // 2 - 1)} + {ranked(count // 2)}) / ({c})2)"
    return elementwise.apply(text, parts, dtype)
