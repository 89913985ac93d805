"""Methods and properties that classes written in Python give their objects."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.autodiff.taints import own_names

if TYPE_CHECKING:
    from jupyter_npcompile.autodiff.hooks import TapeHooks

_HEAP = 1 << 9
"""Classes that were made when the program ran."""

NOTHING = object()
"""Python reads the attribute itself."""


def user_method(obj: Any, name: str) -> types.FunctionType | None:
    """The special method that a class written in Python gives an object."""
    kind = type(obj)
    if not kind.__flags__ & _HEAP or issubclass(kind, np.ndarray | np.generic):
        return None
    return _followed(_in_class(kind, name))


def read_attribute(hooks: TapeHooks, at: Any, obj: Any, name: str) -> Any:
    """What a property or a method of the class gives for an attribute; else `NOTHING`."""
    own = user_method(obj, "__getattribute__")
    if own is not None:
        return hooks.call(at, own, obj, name)
    found = _in_class(type(obj), name)
    if isinstance(found, property):
        getter = _followed(found.fget)
        return NOTHING if getter is None else hooks.call(at, getter, obj)
    held = own_names(obj)
    reading = user_method(found, "__get__")
    if reading is not None and (name not in held or hasattr(type(found), "__set__")):
        return hooks.call(at, reading, found, obj, type(obj))
    if isinstance(found, functools.cached_property) and name not in held:
        held[name] = hooks.call(at, found.func, obj)
        return held[name]
    if found is None and name not in held:
        own = user_method(obj, "__getattr__")
        return NOTHING if own is None else hooks.call(at, own, obj, name)
    return NOTHING


def setter_of(obj: Any, name: str) -> Callable[[Any], Any] | None:
    """What stores a value into an attribute, if it can be followed."""
    kind = type(obj)
    if not kind.__flags__ & _HEAP or issubclass(kind, type):
        return None
    own = _followed(_in_class(kind, "__setattr__"))
    if own is not None:
        return functools.partial(own, obj, name)
    found = _in_class(kind, name)
    if isinstance(found, property):
        setter = _followed(found.fset)
        return None if setter is None else functools.partial(setter, obj)
    setter = user_method(found, "__set__")
    return None if setter is None else functools.partial(setter, found, obj)


def _in_class(kind: type, name: str) -> Any:
    for base in kind.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return None


def _followed(found: Any) -> types.FunctionType | None:
    from jupyter_npcompile.autodiff.functions import is_library

    return found if isinstance(found, types.FunctionType) and not is_library(found) else None
