"""Lowerings that are broken on purpose."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from jupyter_npcompile.tracer.lowering import interpreter
from jupyter_npcompile.tracer.lowering.values import Value
from jupyter_npcompile.tracer.table import lowering_of

Break = Callable[..., Any]
"""``broken(lowering, trace, *args, **kwargs)``: what a lowering gives instead."""


@contextlib.contextmanager
def broken_lowering(op: str, instead: Break) -> Iterator[None]:
    """Replace the lowering of one operation.

    Parameters
    ----------
    op : str
        As a node names it, ``"numpy.cumsum"``.
    instead : callable
        Called with the true lowering and its arguments.
    """
    row = lowering_of(op)
    assert row is not None
    true = interpreter.find_lowering

    def find(lowering: str) -> Any:
        found = true(lowering)
        if lowering != row.lowering:
            return found

        def tensor(trace: Any, *args: Any, **kwargs: Any) -> Any:
            result = found(trace, *args, **kwargs)
            return result.read() if isinstance(result, Value) else result

        return lambda trace, *args, **kwargs: instead(tensor, trace, *args, **kwargs)

    interpreter.find_lowering = find  # type: ignore[assignment]
    try:
        yield
    finally:
        interpreter.find_lowering = true


def plus_one(lowering: Any, trace: Any, *args: Any, **kwargs: Any) -> Any:
    """Everything is one more."""
    return lowering(trace, *args, **kwargs) + 1


def last_element(lowering: Any, trace: Any, *args: Any, **kwargs: Any) -> Any:
    """The last element along the last axis is wrong, where there are at least two."""
    import torch

    result = lowering(trace, *args, **kwargs)
    if result.ndim == 0 or result.shape[-1] < 2:
        return result
    last = torch.arange(result.shape[-1]) == result.shape[-1] - 1
    return result + last.to(result.dtype)


def half_precision(lowering: Any, trace: Any, *args: Any, **kwargs: Any) -> Any:
    """What is computed is rounded to half precision."""
    import torch

    result = lowering(trace, *args, **kwargs)
    return result.to(torch.float16).to(result.dtype)


def wrong_for_negatives(lowering: Any, trace: Any, *args: Any, **kwargs: Any) -> Any:
    """Negative results lose their sign."""
    return lowering(trace, *args, **kwargs).abs()
