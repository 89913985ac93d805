"""NumPy cells, traced to PyTorch and compiled.

Put ``%%npcompile`` on the first line of a notebook cell after
``%load_ext jupyter_npcompile``, or use `compile` on a function.
"""

from __future__ import annotations

import gc
import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jupyter_npcompile.api import compare, explain, last_report, wait
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
    from jupyter_npcompile.compiling import compile
    from jupyter_npcompile.graph.comparison import Difference
    from jupyter_npcompile.magic import load_ipython_extension, unload_ipython_extension
    from jupyter_npcompile.runtime.check import DifferenceError
    from jupyter_npcompile.runtime.settings import settings
    from jupyter_npcompile.runtime.stats import stats
    from jupyter_npcompile.tracer.breaks import graph_break
    from jupyter_npcompile.views.comparison import Comparison
    from jupyter_npcompile.views.report import Report
    from jupyter_npcompile.widgets import GradientWidget, GraphWidget

_HOMES = {
    "Comparison": "views.comparison",
    "Difference": "graph.comparison",
    "DifferenceError": "runtime.check",
    "GradientError": "autodiff.errors",
    "GradientWidget": "widgets",
    "GraphWidget": "widgets",
    "Report": "views.report",
    "check_grads": "autodiff.differences",
    "compare": "api",
    "compile": "compiling",
    "elementwise_grad": "autodiff.api",
    "explain": "api",
    "grad": "autodiff.api",
    "graph_break": "tracer.breaks",
    "hessian": "autodiff.api",
    "hvp": "autodiff.api",
    "jacobian": "autodiff.api",
    "jvp": "autodiff.api",
    "last_report": "api",
    "load_ipython_extension": "magic",
    "register_vjp": "autodiff.vjps",
    "settings": "runtime.settings",
    "stats": "runtime.stats",
    "stop_gradient": "autodiff.cuts",
    "unload_ipython_extension": "magic",
    "value_and_grad": "autodiff.api",
    "vjp": "autodiff.api",
    "vmap_grad": "autodiff.api",
    "wait": "api",
}
"""Where the public names are. They are imported when somebody asks for them: a
compile worker, which imports this package too, is ready a second sooner without."""


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # What is imported stays: to look for garbage among it takes as long as to import a third of it.
    collects = gc.isenabled()
    gc.disable()
    try:
        value = globals()[name] = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    finally:
        if collects:
            gc.enable()
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})


__version__ = "0.1.0"

__all__ = [
    "Comparison",
    "Difference",
    "DifferenceError",
    "GradientError",
    "GradientWidget",
    "GraphWidget",
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
