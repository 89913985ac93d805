"""``x[index]`` and ``x[index] = value`` of a traced array."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.tracer.breaks import Break
from jupyter_npcompile.tracer.evaluation import evaluate
from jupyter_npcompile.tracer.nested import demand_short, traced_in
from jupyter_npcompile.tracer.traced import Traced

if TYPE_CHECKING:
    from jupyter_npcompile.tracer.hooks import Hooks

MASK = "np.where(mask, x, 0) keeps the shape and is captured"


def getitem(hooks: Hooks, obj: Traced, index: Any) -> Any:
    """``x[index]``."""
    demand_short((index,))
    for traced in traced_in(index):
        if isinstance(traced.value, np.bool_):
            raise Break("host", "a single boolean is an index", MASK)
    kept = _index(hooks, index)
    result = evaluate(hooks, operator.getitem, (obj, kept), {})
    if isinstance(result, np.ndarray) and any(
        traced.source is None for traced in traced_in(kept) if not is_array(traced)
    ):
        raise Break("value", "which view is taken depends on a value that the graph computes")
    return hooks.recorder.record(hooks.root, "getitem", (obj, kept), {}, result)


def setitem(hooks: Hooks, obj: Traced, index: Any, value: Any) -> None:
    """``x[index] = value``."""
    if not isinstance(obj.value, np.ndarray):
        raise Break("error", "NumPy raises TypeError: a scalar does not support item assignment")
    demand_short((index, value))
    kept = _index(hooks, index)
    hooks.recorder.open_for_writing(obj)
    hooks.recorder.mutations += 1
    evaluate(hooks, operator.setitem, (obj, kept, value), {})
    hooks.recorder.record(hooks.root, "setitem", (obj, kept, value), {}, None, (obj,))


def _index(hooks: Hooks, index: Any) -> Any:
    """An index in which slices are fixed; integers may change from call to call."""
    if type(index) is tuple:
        return tuple(_index(hooks, part) for part in index)
    return _fixed(hooks, index) if isinstance(index, slice | list) else index


def _fixed(hooks: Hooks, index: Any) -> Any:
    if isinstance(index, slice):
        why, free = "a slice needs the value", hooks.recorder.is_free
        start, stop = (b if free(b) else hooks.concrete(b, why) for b in (index.start, index.stop))
        return slice(start, stop, hooks.concrete(index.step, why))
    if type(index) is list:
        return [_fixed(hooks, part) for part in index]
    return hooks.concrete(index, "an index needs the value")


def is_array(traced: Traced) -> bool:
    """Whether a traced value is an ndarray."""
    return isinstance(traced.value, np.ndarray)
