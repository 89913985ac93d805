"""NumPy cells, traced to PyTorch and compiled.

Put ``%%npcompile`` on the first line of a notebook cell after
``%load_ext jupyter_npcompile``, or use `compile` on a function.
"""

from __future__ import annotations

from jupyter_npcompile.api import compare, compile, explain, last_report, wait
from jupyter_npcompile.graph.comparison import Difference
from jupyter_npcompile.magic import load_ipython_extension, unload_ipython_extension
from jupyter_npcompile.runtime.check import DifferenceError
from jupyter_npcompile.runtime.settings import settings
from jupyter_npcompile.runtime.stats import stats
from jupyter_npcompile.tracer.breaks import graph_break
from jupyter_npcompile.views.comparison import Comparison
from jupyter_npcompile.views.report import Report

__version__ = "0.1.0"

__all__ = [
    "Comparison",
    "Difference",
    "DifferenceError",
    "Report",
    "compare",
    "compile",
    "explain",
    "graph_break",
    "last_report",
    "load_ipython_extension",
    "settings",
    "stats",
    "unload_ipython_extension",
    "wait",
]
