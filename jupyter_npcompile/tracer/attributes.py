"""Attributes of modules, classes and objects from outside: guarded like globals."""

from __future__ import annotations

import functools
import inspect
import types
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.tracer.breaks import DRAW, OWN_LINE, RANDOM, Break
from jupyter_npcompile.tracer.evaluation import PythonErrors
from jupyter_npcompile.tracer.nested import concrete_in
from jupyter_npcompile.tracer.sources import AttributeSource, GlobalSource, ObjectSource
from jupyter_npcompile.tracer.streams import DRAWS
from jupyter_npcompile.tracer.traced import DrawMethod, Opaque

if TYPE_CHECKING:
    from jupyter_npcompile.tracer.hooks import Hooks


def module_attribute(hooks: Hooks, module: types.ModuleType, name: str) -> Any:
    """``np.sin``, ``math.pi``, ``mymodule.K``: guarded like a global."""
    if name not in vars(module):
        with PythonErrors():
            getattr(module, name)
        if name not in vars(module):  # some modules import what they have when it is asked for
            raise Break("call", f"`{module.__name__}.{name}` is made on access")
    source = GlobalSource(name, vars(module), id(vars(module)))
    value = vars(module)[name]
    if type(value) in (int, float, complex) and is_numpy_module(module):
        return value
    return hooks.recorder.lift(hooks.root, source, value)


def is_numpy_module(module: types.ModuleType) -> bool:
    """Whether constants such as ``np.pi`` may be trusted to stay."""
    return module.__name__.partition(".")[0] in ("numpy", "math")


class Bound(functools.partial[Any]):
    """A method of an object from outside, bound to what stands for that in the recording."""


def opaque_attribute(hooks: Hooks, obj: Opaque, name: str) -> Any:
    """A plain instance attribute of an object from outside."""
    if isinstance(obj.value, np.random.Generator | np.random.RandomState):
        if type(obj.value).__module__.startswith("numpy.random") and name in DRAWS:
            return DrawMethod(hooks.root, obj, name)
        raise Break("host", f"`np.random`: {RANDOM}", DRAW)
    attributes = getattr(obj.value, "__dict__", None)
    method = inspect.getattr_static(type(obj.value), name, None)
    overridden = isinstance(attributes, dict) and name in attributes
    if isinstance(method, types.FunctionType) and not overridden:
        source = AttributeSource(AttributeSource(obj.source, name), "__func__")
        return Bound(hooks.recorder.lift(hooks.root, source, method), obj)
    if not isinstance(attributes, dict) or name not in attributes or isinstance(obj.value, type):
        raise Break("call", f"`{obj.source}.{name}` is not a plain attribute", OWN_LINE)
    return hooks.recorder.lift(hooks.root, AttributeSource(obj.source, name), attributes[name])


def is_plain_type(kind: type) -> bool:
    """Whether the attributes of a type are constants: a builtin's or NumPy's."""
    return kind.__module__.partition(".")[0] in ("builtins", "numpy")


def class_attribute(hooks: Hooks, owner: type, name: str) -> Any:
    """An attribute of a user's class: guarded like a global."""
    with PythonErrors():
        value = getattr(owner, name)
    source = AttributeSource(ObjectSource(owner.__name__, owner, id(owner)), name)
    return hooks.recorder.lift(hooks.root, source, value)


def describe_opaque(values: tuple[Any, ...]) -> str:
    """Why the first opaque value among some cannot be traced."""
    for value in values:
        if isinstance(value, Opaque):
            try:
                concrete_in(value)
            except Break as reason:
                return reason.reason
    return "a value that is not traced"
