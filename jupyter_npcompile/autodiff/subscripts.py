"""Indexing in code that is followed: reading, storing, deleting."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.autodiff import effects
from jupyter_npcompile.autodiff.special_methods import user_method
from jupyter_npcompile.autodiff.steps import perform
from jupyter_npcompile.autodiff.taints import CutInt

if TYPE_CHECKING:
    from jupyter_npcompile.autodiff.hooks import At, TapeHooks


def subscript(hooks: TapeHooks, at: At, obj: Any, index: Any) -> Any:
    """``obj[index]``."""
    tape = hooks.tape
    if tape.node_of(obj) is None:
        method = user_method(obj, "__getitem__")
        if method:
            return hooks.call(at, types.MethodType(method, obj), index)
        absent = user_method(obj, "__missing__")
        if absent and isinstance(obj, dict) and index not in obj:
            return hooks.call(at, types.MethodType(absent, obj), index)
        found = obj[index]
        step = tape.tainted_in((obj,), 0)
        if step is not None:
            return tape.taint(found, step)
        if isinstance(obj, dict | list | tuple) and isinstance(found, list | dict | set):
            effects.inherit_outside(hooks, obj, found)
        return found
    if at is not None:
        tape.at(at)
    if tape.has_active(index):
        tape.note("an index has the derivative zero")
        index = plain_index(index)
    result = perform(
        hooks,
        lambda inner, *args: inner.subscript(None, *args),
        lambda: obj[index],
        (obj, index),
        what="an index",
    )
    return result


def store(hooks: TapeHooks, at: At, obj: Any, index: Any, value: Any) -> None:
    """``obj[index] = value``."""
    tape = hooks.tape
    if not isinstance(obj, np.ndarray):
        method = user_method(obj, "__setitem__")
        if method:
            hooks.call(at, types.MethodType(method, obj), index, value)
            return
        if isinstance(obj, list | dict):
            effects.note_effect(hooks, obj)
            if isinstance(index, slice):
                value = _elements(hooks, value)
        if isinstance(obj, np.flatiter):
            tape.before_write(obj.base)
        obj[index] = value
        return
    if tape.node_of(obj) is None and not tape.has_active(value):
        tape.before_write(obj)
        obj[index] = value
        return
    if at is not None:
        tape.at(at)
    opened(hooks, obj, value)
    index = plain_index(index)

    def native() -> None:
        obj[index] = value

    perform(
        hooks,
        lambda inner, *args: inner.store(None, *args),
        native,
        (obj, index, value),
        what="a store",
        writes=(obj,),
    )


def delete(hooks: TapeHooks, at: At, obj: Any, index: Any) -> None:
    """``del obj[index]``."""
    method = user_method(obj, "__delitem__")
    if method:
        hooks.call(at, types.MethodType(method, obj), index)
        return
    if isinstance(obj, list | dict):
        effects.note_effect(hooks, obj)
    del obj[plain_index(index)]


def _elements(hooks: TapeHooks, value: Any) -> Any:
    """What a list takes out of an array."""
    active = type(value) is np.ndarray and hooks.tape.node_of(value) is not None
    return list(hooks.items(value)) if active else value


def opened(hooks: TapeHooks, target: Any, value: Any) -> None:
    """An array is written with something active."""
    tape = hooks.tape
    if target.dtype.kind in "biu" and np.asarray(_first(value)).dtype.kind in "fc":
        tape.activate_cut(target, "a store into an array of integers")
    else:
        tape.activate(target)


def plain_index(index: Any) -> Any:
    """An index without active numbers."""
    if type(index) is tuple:
        return tuple(plain_index(part) for part in index)
    if isinstance(index, slice):
        return slice(*(plain_index(part) for part in (index.start, index.stop, index.step)))
    if isinstance(index, np.ndarray):
        return index.copy()
    return int(index) if type(index) is CutInt else index


def _first(value: Any) -> Any:
    while type(value) in (list, tuple) and value:
        value = value[0]
    return value
