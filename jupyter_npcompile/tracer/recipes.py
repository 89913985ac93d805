"""Recipes: how a replay makes what a name is bound to."""

from __future__ import annotations

import functools
import types
from typing import Any, TypeAlias

import numpy as np

from jupyter_npcompile.cell import HOOKS
from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.nodes import Ref
from jupyter_npcompile.tracer.breaks import Break
from jupyter_npcompile.tracer.nested import MAX_ITEMS, traced_in
from jupyter_npcompile.tracer.recorder import Recorder
from jupyter_npcompile.tracer.sources import Source
from jupyter_npcompile.tracer.traced import Interim, Opaque, is_traced

MAX_CONTAINERS = 1000


@dataclass(frozen=True, slots=True)
class FromSource:
    """A result that a replay fetches, or computes with Python, itself."""

    source: Source


@dataclass(frozen=True, slots=True)
class Literal:
    """A result that is always the same immutable object."""

    value: Any


@dataclass(slots=True, eq=False)
class Container:
    """A list, tuple or dict that is built anew around its elements."""

    type: type
    keys: tuple[Any, ...] | None
    items: tuple[Recipe, ...]


Recipe: TypeAlias = "Ref | FromSource | Literal | Container"
"""How a replay makes what a name is bound to. A ``Ref`` is a node's value."""


def recipe(value: Any, recorder: Recorder, made: dict[int, Container]) -> Recipe:
    """How a replay makes a value.

    Parameters
    ----------
    value : object
        What traced code has made.
    recorder : Recorder
        Of the recording.
    made : dict of int to Container
        Containers seen so far: a list that has two names stays one list.

    Raises
    ------
    Break
        When no replay could make it.
    """
    origin = recorder.origin(value)
    if origin is not None:
        return FromSource(origin[1])
    if id(value) in made:
        return made[id(value)]
    if is_traced(value):
        if value.id is None or (value.source is not None and isinstance(value.value, np.ndarray)):
            return FromSource(value.source)
        return Ref(value.id)
    if isinstance(value, Opaque):
        return FromSource(value.source)
    if isinstance(value, Interim):
        raise Break("value", "a method or flags object of an array is kept in a variable")
    if isinstance(value, functools.partial):
        raise Break("call", "a method of an object that is not traced is kept in a variable")
    if isinstance(value, types.FunctionType):
        if HOOKS in value.__code__.co_freevars:
            raise Break("call", "a function made here is kept in a variable")
        recorder.pin(value)
    if isinstance(value, tuple) or type(value) in (list, dict):
        if len(made) > MAX_CONTAINERS:
            raise Break("limit", "more containers than are worth following, or one in itself")
        if len(value) > MAX_ITEMS:
            kind = type(value).__name__
            raise Break("limit", f"a {kind} of more than {MAX_ITEMS} objects is kept in a variable")
        recorder.demand_patience()
        keys = tuple(value) if type(value) is dict else None
        made[id(value)] = container = Container(type(value), keys, ())
        items = value.values() if isinstance(value, dict) else value
        container.items = tuple(recipe(item, recorder, made) for item in items)
        return container
    if isinstance(value, np.ndarray):
        raise Break("input", "an array that tracing has not seen being made")
    if isinstance(value, set | frozenset) or traced_in(value):
        raise Break("value", f"a {type(value).__name__} is kept in a variable")
    if (
        isinstance(value, types.GeneratorType)
        or hasattr(value, "__next__")
        or hasattr(value, "__await__")
    ):
        raise Break("effect", "an iterator or coroutine is kept in a variable")
    return Literal(value)


def concrete(value: Any) -> Any:
    """NumPy's value of something traced, at any depth."""
    if is_traced(value) or isinstance(value, Opaque):
        return value.value
    if type(value) in (list, tuple):
        return type(value)(concrete(item) for item in value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(concrete(item) for item in value))
    if type(value) is dict:
        return {key: concrete(item) for key, item in value.items()}
    return value
