"""Loops that only compare, choose and copy: NumPy warns of nothing that is in them.

GCC compares vectors with instructions that set a floating-point flag for NaN. In a loop
that does no arithmetic the flag can have no other reason, and is as it was after it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from jupyter_npcompile.loops.values import Applied, Lazy, Ref, Scalar, dtype_of, walk
from jupyter_npcompile.loops.writer import Writer

_COMPARING = "lt|le|gt|ge|np_max|np_min|np_sign|at_least|at_most|better|ranked"

_COMPARES = re.compile(rf"\b({_COMPARING})\b")

_QUIET = re.compile(
    r"(?:\{\d+\}|\{\{|\}\}|[()\s,?:&|!]|<\w+(?:, \w+)?>|[!=<>]=?|\(double\)|\(bool8?\)|-(?=\{)"
    rf"|true|false|\b(?:{_COMPARING}|chosen|math::fabs|math::signbit)\b"
    r"|-?0x[\da-f.]+p[+-]\d+|INFINITY|NAN)*"
)
"""What sets no flag but by comparing."""


def unheard(
    writer: Writer, values: Sequence[Lazy | Scalar], *, compares: bool | None = None
) -> None:
    """Say that flags stay as they are until the end of the block, if these only compare.

    Parameters
    ----------
    writer : Writer
        Where it is written.
    values : sequence
        All that is computed there; their numbers have names.
    compares : bool, optional
        Whether they are compared with each other.
    """
    parts = [part for value in values for part in walk(value)]
    templates = [part.template for part in parts if isinstance(part, Applied)]
    if compares is None:
        compares = any(map(_COMPARES.search, templates))
    floats = any(np.dtype(dtype_of(part)).kind == "f" for part in parts)
    if not compares or not floats or not all(map(_QUIET.fullmatch, templates)):
        return
    numbers = [part for part in parts if isinstance(part, Scalar) and part.const is None]
    if not all(part.code.isidentifier() for part in numbers):
        return
    # What was computed before may not be so later.
    for code in dict.fromkeys(part.code for part in numbers):
        writer.emit(f"{{ auto pinned = {code}; pin(pinned); }}")
    roots = [part.root for part in parts if isinstance(part, Ref)]
    for root in dict.fromkeys(root for root in roots if root in writer.small):
        writer.emit(f"pin({root});")
    writer.emit("const Unheard unheard{run};")
