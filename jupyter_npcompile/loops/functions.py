"""All functions that a native loop has in C++: these modules fill the table."""

from __future__ import annotations

from jupyter_npcompile.loops import (
    creation,
    linear_algebra,
    methods,
    norms,
    padding,
    printing,
    products,
    python_calls,
    rearranging,
    summaries,
    ufuncs,
)
from jupyter_npcompile.loops.calls import find

__all__ = [
    "creation",
    "find",
    "linear_algebra",
    "methods",
    "norms",
    "padding",
    "printing",
    "products",
    "python_calls",
    "rearranging",
    "summaries",
    "ufuncs",
]
