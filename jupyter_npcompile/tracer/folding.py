"""Calls whose arguments are constants of the code: their results are constants, too.

What NumPy must run because the size of the result depends on the values can be
captured where the values are written in the cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.tracer.breaks import Break
from jupyter_npcompile.tracer.evaluation import evaluate
from jupyter_npcompile.tracer.interpret import EncodeError, encode
from jupyter_npcompile.tracer.memory import owner
from jupyter_npcompile.tracer.operations import operation
from jupyter_npcompile.tracer.traced import is_traced

if TYPE_CHECKING:
    from jupyter_npcompile.tracer.hooks import Hooks

MAX_ELEMENTS = 4096
"""Longer constants are not written into a graph."""

_PLAIN = (int, float, complex, str, bytes, type(None), slice, range, np.generic, np.dtype, type)


_NUMBERS = (np.ndarray, np.number, np.bool_, int, float, complex)


def _leaves(values: Any) -> Iterator[Any]:
    if isinstance(values, dict):
        values = tuple(values.values())
    if isinstance(values, tuple | list):
        for value in values:
            yield from _leaves(value)
    else:
        yield values


def folds(hooks: Hooks, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether every argument is the same in every replay, and none can be written."""
    if kwargs.get("out") is not None:
        return False
    return all(
        hooks.recorder.is_known(leaf) and np.size(leaf.value) <= MAX_ELEMENTS
        if is_traced(leaf)
        else isinstance(leaf, _PLAIN) or leaf is ... or operation(leaf) is not None
        for leaf in _leaves((args, kwargs))
    )


def fold(
    hooks: Hooks,
    callee: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    refusal: Break,
) -> Any:
    """Let NumPy compute the results now, and put them into the graph.

    Raises
    ------
    Break
        The refusal, when the results are not numbers, are many, or share memory.
    """
    if isinstance(callee, type) or callee is np.nested_iters:
        raise refusal  # it makes an object, and an iterator may write when it is let go of
    result = evaluate(hooks, callee, args, kwargs)
    several = isinstance(result, tuple | list)
    results = list(result) if several else [result]
    if not all(isinstance(value, _NUMBERS) for value in results):
        raise refusal
    if sum(np.size(value) for value in results) > MAX_ELEMENTS:
        raise refusal
    if any(isinstance(value, np.ndarray) and owner(value).base is not None for value in results):
        raise refusal
    operands = [leaf.value for leaf in _leaves((args, kwargs)) if is_traced(leaf)]
    if any(np.may_share_memory(value, operand) for value in results for operand in operands):
        raise refusal
    for k, first in enumerate(results):
        if any(np.shares_memory(first, second) for second in results[:k]):
            raise refusal
    try:
        constants = tuple(encode(value) for value in results)
    except EncodeError:
        raise refusal from None
    given = (constants,) if several else constants
    return hooks.recorder.record(hooks.root, "python.constant", given, {}, result)
