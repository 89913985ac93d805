# ruff: noqa: D103 - each function lowers the NumPy function of its name

"""Arrays taken apart: every part is a view."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from jupyter_npcompile.tracer.lowering.indexing import picked, sliced
from jupyter_npcompile.tracer.lowering.trace import Trace, known_array
from jupyter_npcompile.tracer.lowering.values import Value


def _parts(trace: Trace, x: Value, sections: Any, axis: int) -> list[Value]:
    size = x.shape[axis]
    known = known_array(sections)
    if known is None:
        trace.unsupported("the places to split at are not constant")
    if known.ndim == 0:
        ends = np.cumsum([0] + [len(p) for p in np.array_split(np.arange(size), int(known))])
        bounds = list(pairwise(ends))
    else:
        cuts = [0, *known.tolist(), size]
        bounds = list(pairwise(cuts))
        bounds[-1] = (bounds[-1][0], None)
    return [
        sliced(trace, x, axis, slice(int(a), None if b is None else int(b)), 0) for a, b in bounds
    ]


def split(trace: Trace, ary: object, indices_or_sections: object, axis: object = 0) -> list[Value]:
    x = trace.value(ary)
    return _parts(trace, x, indices_or_sections, trace.axis(axis, x.ndim))


def array_split(
    trace: Trace, ary: object, indices_or_sections: object, axis: object = 0
) -> list[Value]:
    return split(trace, ary, indices_or_sections, axis)


def hsplit(trace: Trace, ary: object, indices_or_sections: object) -> list[Value]:
    x = trace.value(ary)
    return _parts(trace, x, indices_or_sections, 1 if x.ndim > 1 else 0)


def vsplit(trace: Trace, ary: object, indices_or_sections: object) -> list[Value]:
    return _parts(trace, trace.value(ary), indices_or_sections, 0)


def dsplit(trace: Trace, ary: object, indices_or_sections: object) -> list[Value]:
    return _parts(trace, trace.value(ary), indices_or_sections, 2)


def unstack(trace: Trace, x: object, /, *, axis: object = 0) -> list[Value]:
    value = trace.value(x)
    place = trace.axis(axis, value.ndim)
    return [picked(trace, value, place, k) for k in range(value.shape[place])]
