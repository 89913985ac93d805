"""From a row of the table to the function it names."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

from jupyter_npcompile.tracer.table import lowering_of

Lowering = Callable[..., Any]
"""``f(trace, *args, **kwargs)``: see `trace`."""

_PACKAGE = __name__.rpartition(".")[0]


@cache
def find_lowering(lowering: str) -> Lowering:
    """The function that a row of the table names, ``"module:function"``.

    Examples
    --------
    >>> find_lowering("reductions:sum").__name__
    'sum'
    """
    module, _, name = lowering.partition(":")
    return getattr(importlib.import_module(f"{_PACKAGE}.{module}"), name)  # type: ignore[no-any-return]


@cache
def find_kernel(ufunc: str) -> Lowering:
    """The kernel of a ufunc, by the ufunc's name."""
    row = lowering_of(f"numpy.{ufunc}")
    if row is None or row.lowering is None:
        raise LookupError(ufunc)
    return find_lowering(row.lowering)
