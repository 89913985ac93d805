"""NumPy cells, traced to PyTorch and compiled.

Put ``%%npcompile`` on the first line of a notebook cell after
``%load_ext jupyter_npcompile``, or use `compile` on a function.
"""

from __future__ import annotations

from typing import Any

from jupyter_npcompile.api import compare, compile, explain, last_report, wait
from jupyter_npcompile.autodiff.api import (
    elementwise_grad,
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    value_and_grad,
    vjp,
    vmap_grad,
)
from jupyter_npcompile.autodiff.cuts import stop_gradient
from jupyter_npcompile.autodiff.differences import check_grads
from jupyter_npcompile.autodiff.errors import GradientError
from jupyter_npcompile.autodiff.vjps import register_vjp
from jupyter_npcompile.graph.comparison import Difference
from jupyter_npcompile.magic import load_ipython_extension, unload_ipython_extension
from jupyter_npcompile.runtime.check import DifferenceError
from jupyter_npcompile.runtime.settings import settings
from jupyter_npcompile.runtime.stats import stats
from jupyter_npcompile.tracer.breaks import graph_break
from jupyter_npcompile.views.comparison import Comparison
from jupyter_npcompile.views.report import Report


def __getattr__(name: str) -> Any:
    """Find the widgets, which are imported when somebody asks for them."""
    if name in ("GradientWidget", "GraphWidget"):
        from jupyter_npcompile import widgets

        return getattr(widgets, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__version__ = "0.1.0"

__all__ = [
    "Comparison",
    "Difference",
    "DifferenceError",
    "GradientError",
    "Report",
    "check_grads",
    "compare",
    "compile",
    "elementwise_grad",
    "explain",
    "grad",
    "graph_break",
    "hessian",
    "hvp",
    "jacobian",
    "jvp",
    "last_report",
    "load_ipython_extension",
    "register_vjp",
    "settings",
    "stats",
    "stop_gradient",
    "unload_ipython_extension",
    "value_and_grad",
    "vjp",
    "vmap_grad",
    "wait",
]
