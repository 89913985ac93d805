"""One operation on active values: recorded where it has a lowering, a host step elsewhere."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.autodiff.errors import CAST, CONCRETE
from jupyter_npcompile.autodiff.taints import CutInt, Step, contents, uncut
from jupyter_npcompile.tracer.breaks import Break, NeedsCopy
from jupyter_npcompile.tracer.memory import Array, owner

if TYPE_CHECKING:
    from jupyter_npcompile.autodiff.hooks import TapeHooks

EXPONENTS = frozenset({"numpy.frexp"})
"""Operations with integer results that are no casts."""


def perform(
    hooks: TapeHooks,
    recorded: Callable[..., Any],
    native: Callable[[], Any],
    operands: tuple[Any, ...],
    *,
    what: str,
    writes: tuple[Any, ...] = (),
    keywords: dict[str, Any] | None = None,
    hint: str = CONCRETE,
) -> Any:
    """Compute an operation through the recorder; where it cannot, let Python compute it.

    Parameters
    ----------
    hooks : TapeHooks
        Of the run.
    recorded : callable
        ``recorded(hooks of the recorder, *operands)``.
    native : callable
        The same on the real values.
    operands : tuple
        Real values.
    what : str
        Its name, for an error.
    writes : tuple
        Arrays it writes.
    keywords : dict, optional
        Further operands by name.
    hint : str
        What to do where no gradient flows.
    """
    tape = hooks.tape
    mark = tape.mark()
    try:
        wrapped = [tape.wrap(operand) for operand in operands]
        named = {key: tape.wrap(value) for key, value in (keywords or {}).items()}
        made = recorded(tape.hooks, *wrapped, **named)
    except NeedsCopy:
        raise AssertionError("nothing is protected here") from None
    except Break as stop:
        tape.forget_since(mark)
        step = Step(what, tape.place, reason=_reason(what, stop), hint=hint)
        result = native()
        for target in writes:
            lose(hooks, target, step)
        return tape.taint(result, step)
    result = tape.unwrap(made)
    return _checked(hooks, mark, result, what)


def _reason(what: str, stop: Break) -> str:
    return f"no gradient flows through {what}: {stop.reason}"


def _checked(hooks: TapeHooks, mark: int, result: Any, what: str) -> Any:
    """Integers among the results are casts."""
    nodes = hooks.tape.recorder.nodes
    if len(nodes) == mark or nodes[mark].op in EXPONENTS:
        return result
    if isinstance(result, tuple | list):
        return result
    kind = result.dtype.kind if isinstance(result, np.ndarray | np.generic) else ""
    if kind in "iu" and kind and hooks.tape.is_active(result):
        writes = any(node.writes for node in nodes[mark:])
        return result if writes else hooks.tape.cut(what, result)
    if type(result) is CutInt:
        return hooks.tape.cut(what, int(result))
    return result


def lose(hooks: TapeHooks, target: Any, step: Step) -> None:
    """An active array was written by something that is not followed."""
    tape = hooks.tape
    if not tape.is_active(target):
        return
    whole = owner(target)
    if not tape.is_active(whole):
        whole = target
    content = whole.copy()
    tape.step(Step(step.what, step.place, content.copy(), step.reason, step.hint), content)
    target, stored = tape.wrap(whole), tape.wrap(content)
    tape.recorder.record(tape.hooks, "setitem", (target, ..., stored), {}, None, (target,))
    tape.unwrap(None)


def host(
    hooks: TapeHooks, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], reason: str
) -> Any:
    """Call something on real values, once; what it makes of active values holds no gradient.

    Parameters
    ----------
    hooks : TapeHooks
        Of the run.
    func : callable
        What is called.
    args, kwargs
        Its arguments.
    reason : str
        Why it is not followed.
    """
    tape = hooks.tape
    arrays = _arrays((args, kwargs))
    for array in arrays:
        if not tape.is_active(array):
            tape.before_write(array)
    given = (func, getattr(func, "__self__", None), *args, *kwargs.values())
    args, kwargs = without_cuts(args), without_cuts(kwargs)
    if not tape.touches(given) and not _has_function(given[1:]):
        return func(*args, **kwargs)
    step = tape.tainted_in(given) or Step(name_of(func), tape.place, reason=reason, hint=CONCRETE)
    before = [(array, array.copy()) for array in arrays if array.flags.writeable]
    result = func(*args, **kwargs)
    tape.taint_receivers(given, step)
    if tape.effects:
        tape.spilled = tape.spilled or step
    for array, old in before:
        if not np.array_equal(array, old, equal_nan=array.dtype.kind in "fc"):
            tape.activate(array)
            lose(hooks, array, step)
    return tape.taint(result, step)


def _has_function(values: Any, depth: int = 2) -> bool:
    """Whether somebody is given a function, which may compute with anything."""
    if isinstance(values, types.FunctionType | types.MethodType | functools.partial):
        return True
    held = contents(values) if isinstance(values, tuple | list | dict) and depth else ()
    return any(_has_function(value, depth - 1) for value in held)


def _arrays(values: Any, depth: int = 3) -> list[Array]:
    if type(values) is np.ndarray:
        return [values]
    if depth and isinstance(values, tuple | list):
        return [array for value in values for array in _arrays(value, depth - 1)]
    if depth and isinstance(values, dict):
        return _arrays(tuple(values.values()), depth - 1)
    return []


def without_cuts(values: Any) -> Any:
    """Plain integers in the place of those that are followed."""
    if type(values) is tuple:
        return tuple(without_cuts(value) for value in values)
    if type(values) is dict:
        return {key: without_cuts(value) for key, value in values.items()}
    return uncut(values)


def name_of(func: Any) -> str:
    """How a person calls a function."""
    if isinstance(func, np.ufunc):
        named: str = func.__name__
        return f"np.{named}" if getattr(np, named, None) is func else named
    name = getattr(func, "__qualname__", None) or type(func).__name__
    module = str(getattr(func, "__module__", "") or "")
    if module in ("builtins", "__main__", "") or func is type:
        return str(name)
    return f"{module.replace('numpy', 'np', 1) if module.startswith('numpy') else module}.{name}"


__all__ = ["CAST", "host", "lose", "name_of", "perform", "without_cuts"]
