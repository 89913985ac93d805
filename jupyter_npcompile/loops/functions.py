"""All functions that a native loop has in C++: these modules fill the table."""

from __future__ import annotations

from jupyter_npcompile.loops import methods
from jupyter_npcompile.loops.calls import find
from jupyter_npcompile.loops.library import (
    correlations,
    creation,
    diagonals,
    fields,
    histograms,
    joining,
    linear_algebra,
    matrices,
    missing,
    norms,
    padding,
    printing,
    products,
    python_calls,
    rearranging,
    running,
    searching,
    selection,
    splitting,
    subscripted,
    summaries,
    transforms,
    ufuncs,
)

__all__ = [
    "correlations",
    "creation",
    "diagonals",
    "fields",
    "find",
    "histograms",
    "joining",
    "linear_algebra",
    "matrices",
    "methods",
    "missing",
    "norms",
    "padding",
    "printing",
    "products",
    "python_calls",
    "rearranging",
    "running",
    "searching",
    "selection",
    "splitting",
    "subscripted",
    "summaries",
    "transforms",
    "ufuncs",
]
