# ruff: noqa: D103 - each function lowers the NumPy function of its name

"""``numpy.interp``."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.tracer.lowering.trace import Trace
from jupyter_npcompile.tracer.lowering.values import Owner, Value

FLOAT64 = np.dtype("float64")


def interp(
    trace: Trace,
    x: object,
    xp: object,
    fp: object,
    left: Any = None,
    right: Any = None,
    period: Any = None,
) -> Value:
    if trace.dtype != FLOAT64:
        trace.unsupported("complex values")
    wanted = trace.cast(trace.value(x), FLOAT64)
    where = wanted.reshape(-1)
    knots = trace.cast(trace.value(xp), FLOAT64).reshape(-1).contiguous()
    heights = trace.cast(trace.value(fp), FLOAT64).reshape(-1)
    if period is not None:
        where, knots, heights = _periodic(trace, where, knots, heights, period)
        left = right = None
    size = knots.shape[0]
    if size > 1:  # NumPy's answer for knots that do not rise is an accident
        trace.check((knots[1:] > knots[:-1]).all())
    low = heights[0] if left is None else trace.cast(left, FLOAT64)
    high = heights[-1] if right is None else trace.cast(right, FLOAT64)
    at = (torch.searchsorted(knots, where.contiguous(), right=True) - 1).clamp(0, max(size - 2, 0))
    nxt = (at + 1).clamp(max=size - 1)
    x0, x1, y0, y1 = (torch.take(table, place) for table in (knots, heights) for place in (at, nxt))
    width = x1 - x0
    # Beside knots that lie together no slope is asked for; its derivative would be NaN there.
    slope = (y1 - y0) / torch.where(width == 0, torch.ones_like(width), width)
    found = slope * (where - x0) + y0
    again = slope * (where - x1) + y1
    found = torch.where(torch.isnan(found), again, found)
    found = torch.where(torch.isnan(found) & (y0 == y1), y0, found)
    if size == 1:
        found = heights[0].expand(where.shape)
    found = trace.case(where == x0, y0, found)
    found = trace.case(where == knots[-1], heights[-1], found)
    found = torch.where(where < knots[0], low, found)
    found = torch.where(where > knots[-1], high, found)
    if size > 1:  # with a single knot NumPy does not look for NaN
        found = torch.where(torch.isnan(where), where, found)
    return Owner(found.reshape(wanted.shape), FLOAT64)


def _periodic(
    trace: Trace, where: Tensor, knots: Tensor, heights: Tensor, period: object
) -> tuple[Tensor, Tensor, Tensor]:
    """Everything in one period, with a knot of the next on either side."""
    length = trace.cast(period, FLOAT64).abs()
    trace.check(length != 0)
    rest = trace.function("remainder")
    where, knots = rest(where, length), rest(knots, length)
    order = torch.argsort(knots, stable=True)
    knots, heights = knots[order], heights[order]
    knots = torch.cat([knots[-1:] - length, knots, knots[:1] + length])
    return where, knots, torch.cat([heights[-1:], heights, heights[:1]])
