"""Derivatives that users register for functions that are not followed."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from jupyter_npcompile.autodiff.steps import name_of
from jupyter_npcompile.autodiff.taints import Step
from jupyter_npcompile.autodiff.trees import flatten

if TYPE_CHECKING:
    from jupyter_npcompile.autodiff.hooks import TapeHooks

F = TypeVar("F", bound=Callable[..., Any])
Vjp = Callable[..., Any]

AGAIN = "where second derivatives are needed, write the function in NumPy"

_REGISTRY: dict[Any, Vjp] = {}


def register_vjp(fn: F, vjp: Any) -> F:
    """Teach the derivative of a function that is not followed: of a library, or in C.

    Parameters
    ----------
    fn : callable
        The function, as it is called in the code. It may be called with
        arrays and numbers; its result is an array or a number, or a tuple of
        them.
    vjp : callable
        ``vjp(g, result, *args, **kwargs)`` gives the gradient with respect to
        each positional argument: a tuple, with None for an argument that has
        none, or a single array for the first argument. ``g`` is the gradient
        with respect to the result; for a tuple, a tuple of gradients. It
        gives first derivatives; a second derivative through ``fn`` is a
        `GradientError`.

    Returns
    -------
    callable
        ``fn``.

    Examples
    --------
    >>> import numpy as np
    >>> def library(x):
    ...     return np.frompyfunc(lambda v: v**3, 1, 1)(x).astype(float)
    >>> _ = register_vjp(library, lambda g, result, x: g * 3 * x**2)
    >>> from jupyter_npcompile import grad
    >>> grad(lambda x: np.sum(library(x)))(np.array([1.0, 2.0]))
    array([ 3., 12.])
    """
    if not all(map(callable, (fn, vjp))):
        raise TypeError("register_vjp() needs two functions")
    _REGISTRY[_key(fn)] = vjp
    return fn


def _key(fn: Any) -> Any:
    """What tells a function: bound methods are made anew on each access."""
    try:
        hash(fn)
    except TypeError:
        return id(fn)
    return fn


def registered(fn: Any) -> Vjp | None:
    """The derivative of a function, if somebody has registered one."""
    if not _REGISTRY:
        return None
    return _REGISTRY.get(_key(fn))


def call(hooks: TapeHooks, fn: Any, vjp: Vjp, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function with a registered derivative and enter what it gives."""
    from jupyter_npcompile.autodiff.custom import CustomVjp

    tape = hooks.tape
    leaves, _ = flatten(args)
    active = [leaf for leaf in leaves if tape.is_active(leaf)]
    if not active:
        raise_for(fn)
    operands = tuple(tape.wrap(leaf) for leaf in active)
    ids = {id(leaf) for leaf in active}
    places = tuple(k for k, leaf in enumerate(leaves) if id(leaf) in ids)
    kept = [_kept(value) for value in leaves]
    result = fn(*args, **kwargs)
    several = isinstance(result, tuple | list)
    results = list(result) if several else [result]
    values = [np.asarray(value).copy() for value in results]
    place = tape.place
    reason = f"the derivative registered for `{name_of(fn)}` has no derivative of its own"
    once = Step(name_of(fn), place, reason=reason, hint=AGAIN)
    function = CustomVjp(vjp, flatten(args)[1], kept, kwargs, tuple(values), several, places, once)
    tape.custom.append(name_of(fn))
    made = []
    for index, value in enumerate(results):
        fresh = _fresh(value)
        if np.asarray(fresh).dtype.kind not in "fc":
            made.append(fresh)
            continue
        step = Step(name_of(fn), place, value, function=functools.partial(function, index))
        made.append(tape.step(step, fresh, operands))
    if not several:
        return made[0]
    return type(result)(*made) if hasattr(result, "_fields") else type(result)(made)


def raise_for(fn: Any) -> None:
    """Active values may only be among the positional arguments."""
    raise TypeError(f"{name_of(fn)}: pass what is differentiated by position")


def _kept(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


def _fresh(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value
    return np.array(value)[()] if isinstance(value, np.generic) else operator.neg(-value)
