"""Captured graphs and reports as plain data: text, JSON and DOT.

Nothing here imports torch, NumPy or IPython.

Examples
--------
>>> vector = ValueType("array", "float64", (4,), (8,))
>>> x = Node(0, "input", name="x", types=(vector,))
>>> graph = Graph("numpy", (x,), (Node(1, "numpy.sqrt", (Ref(0),), types=(vector,)),))
>>> print(to_text(graph))
numpy (x: float64[4]):
  %0: float64[4] = sqrt(x)
  return
>>> from_json(to_json(graph)) == graph
True
"""

from __future__ import annotations

from jupyter_npcompile.graph.captured import SCHEMA_VERSION, CapturedGraph
from jupyter_npcompile.graph.dot import to_dot, to_svg, to_svgs
from jupyter_npcompile.graph.nodes import (
    Argument,
    Constant,
    DType,
    Graph,
    Kind,
    Level,
    Node,
    Output,
    Position,
    Ref,
    Size,
    Slice,
    ValueType,
    references,
)
from jupyter_npcompile.graph.regions import RegionReport
from jupyter_npcompile.graph.report import (
    Assignment,
    BreakPoint,
    LineReport,
    ReportData,
    Status,
)
from jupyter_npcompile.graph.serial import from_json, to_json
from jupyter_npcompile.graph.text import to_text

__all__ = [
    "SCHEMA_VERSION",
    "Argument",
    "Assignment",
    "BreakPoint",
    "CapturedGraph",
    "Constant",
    "DType",
    "Graph",
    "Kind",
    "Level",
    "LineReport",
    "Node",
    "Output",
    "Position",
    "Ref",
    "RegionReport",
    "ReportData",
    "Size",
    "Slice",
    "Status",
    "ValueType",
    "from_json",
    "references",
    "to_dot",
    "to_json",
    "to_svg",
    "to_svgs",
    "to_text",
]
