"""Lowering: NumPy-level graph to functional ATen graph.

Importing the package does not import torch: `LoweringError` is also for those
who only hear of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jupyter_npcompile.tracer.lowering.errors import LoweringError

if TYPE_CHECKING:
    from jupyter_npcompile.tracer.lowering.program import INDUCTOR, Lowered, lower

__all__ = ["INDUCTOR", "Lowered", "LoweringError", "lower"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from jupyter_npcompile.tracer.lowering import program

    return getattr(program, name)
