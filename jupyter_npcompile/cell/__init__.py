"""Source to cell program: regions of guarded statements in a skeleton.

Pure Python over `ast`: nothing here imports NumPy, torch or IPython.
"""

from __future__ import annotations

from jupyter_npcompile.cell.callees import callees
from jupyter_npcompile.cell.factory import function_code, moved
from jupyter_npcompile.cell.hooks import HOOKS
from jupyter_npcompile.cell.instrument import Instrumented, helper_code, region_code
from jupyter_npcompile.cell.program import (
    CellProgram,
    FunctionProgram,
    FunctionSource,
    Line,
    Loop,
    NotTraceable,
    Region,
    Statement,
)
from jupyter_npcompile.cell.shape_assignments import reshaped
from jupyter_npcompile.cell.skeleton import FRAME, HANDLE, build_cell, build_function
from jupyter_npcompile.cell.source import Definition, SourceUnavailable, definition
from jupyter_npcompile.cell.syntax import SourceText

__all__ = [
    "FRAME",
    "HANDLE",
    "HOOKS",
    "CellProgram",
    "Definition",
    "FunctionProgram",
    "FunctionSource",
    "Instrumented",
    "Line",
    "Loop",
    "NotTraceable",
    "Region",
    "SourceText",
    "SourceUnavailable",
    "Statement",
    "build_cell",
    "build_function",
    "callees",
    "definition",
    "function_code",
    "helper_code",
    "moved",
    "region_code",
    "reshaped",
]
