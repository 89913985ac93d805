"""``is``: what a recording may say of which objects two values are.

Where it depends on who calls, the answer is a guard: a replay asks again. Where it
depends on what the graph computes, Python has to ask.
"""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.tracer.breaks import Break
from jupyter_npcompile.tracer.sources import ComputedSource
from jupyter_npcompile.tracer.traced import Opaque, is_traced

if TYPE_CHECKING:
    from jupyter_npcompile.tracer.hooks import Hooks
    from jupyter_npcompile.tracer.inputs import Inputs
    from jupyter_npcompile.tracer.sources import Source

_VALUES = (int, float, complex, str, bytes, tuple, frozenset, range, slice, np.dtype)
"""Types whose equal values Python may keep once, or several times."""

_SMALL = range(-5, 257)
"""Integers that Python has once."""

REASON = "`is` asks which object a value is, not what it is"
HINT = "compare with `==`, or use the value itself as a truth value"


def same(hooks: Hooks, left: Any, right: Any) -> bool:
    """Whether two values of a recording are one object, now and in every replay.

    Parameters
    ----------
    hooks : Hooks
        Who is asked.
    left, right : object
        Values of the recording.

    Raises
    ------
    Break
        When a replay could not find out.
    """
    recorder = hooks.recorder
    one, other = _object(recorder, left), _object(recorder, right)
    kind = type(one)
    if kind is not type(other):
        return False  # guards look at types
    if kind is np.bool_:
        found = hooks.concrete(left, REASON) is hooks.concrete(right, REASON)
        return bool(found)
    if left is right and (is_traced(left) or isinstance(left, Opaque)):
        return True
    if kind is np.ndarray and (is_traced(left) or is_traced(right)):
        return one is other  # how arrays share memory is looked at, too
    if isinstance(one, types.FunctionType):
        recorder.pin(one)
        recorder.pin(other)
        return one is other
    sources = _source(recorder, left), _source(recorder, right)
    if None not in sources:
        return _asked(recorder, sources, one is other)
    if isinstance(one, np.generic) or kind in (list, dict):
        return one is other  # one of them is new
    if isinstance(one, _VALUES) or isinstance(left, Opaque) or isinstance(right, Opaque):
        return _of_values(recorder, (left, right), sources, one is other)
    return one is other


def _of_values(
    recorder: Inputs, values: tuple[Any, Any], sources: tuple[Any, Any], found: bool
) -> bool:
    """Of two values of Python's, one of which is no input at least."""
    operands = []
    for value, source in zip(values, sources, strict=True):
        if source is None and not _is_single(value):
            raise Break("value", REASON, HINT)
        operands.append(value if source is None else source)
    if sources == (None, None):
        return found
    return _asked(recorder, (operands[0], operands[1]), found)


def _is_single(value: Any) -> bool:
    """Whether no other object is equal to a value.

    Examples
    --------
    >>> _is_single(7), _is_single(7000), _is_single("seven"), _is_single(object())
    (True, False, False, True)
    """
    if type(value) is int:
        return value in _SMALL
    return not is_traced(value) and not isinstance(value, _VALUES)


def _asked(recorder: Inputs, operands: tuple[Any, Any], found: bool) -> bool:
    """The answer, which replays have to find, too."""
    recorder.fix(ComputedSource("is", operands), found)
    return found


def _object(recorder: Inputs, value: Any) -> Any:
    """The user's own object behind a value of the recording."""
    origin = recorder.origin(value)
    if origin is not None:
        return origin[0]
    return value.value if is_traced(value) or isinstance(value, Opaque) else value


def _source(recorder: Inputs, value: Any) -> Source | None:
    """Where a replay finds the object, if it is from outside."""
    if is_traced(value) or isinstance(value, Opaque):
        source: Source | None = value.source
        return source
    origin = recorder.origin(value)
    return None if origin is None else origin[1]
