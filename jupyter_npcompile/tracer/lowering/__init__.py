"""Lowering: NumPy-level graph to functional ATen graph."""

from __future__ import annotations

from jupyter_npcompile.tracer.lowering.errors import LoweringError
from jupyter_npcompile.tracer.lowering.program import INDUCTOR, Lowered, lower

__all__ = ["INDUCTOR", "Lowered", "LoweringError", "lower"]
