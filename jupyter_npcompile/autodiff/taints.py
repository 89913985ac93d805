"""What was made of active values by something that is not followed: text, bytes, objects.

Such a value holds no gradient, but numbers that are made of it again would
have one. It is known by identity, with the step that made it, and so is what
is made of it in turn; a number at the end is a constant behind a barrier.
"""

from __future__ import annotations

import contextlib
import copy
import operator
import sys
import types
from collections import deque
from collections.abc import Iterator
from dataclasses import field
from typing import Any

import numpy as np

from jupyter_npcompile.autodiff.errors import GradientError, Place
from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.tracer.memory import is_supported

_HEAP = 1 << 9
_IMMUTABLE = 1 << 8
"""Classes that are not written in Python."""

PLAIN = frozenset({int, bool, str, bytes, type(None), range, type(Ellipsis), type, type(sys)})
"""Types of which nobody expects numbers that are followed."""

HOLDING: tuple[Any, ...] = (
    *(tuple, list, set, frozenset, deque, type({}.values()), type({}.items()), type({}.keys())),
)
"""Types that hold values as they are."""

_ITERATORS = frozenset({type(iter(())), type(iter([])), type(reversed([]))})
"""Types of iterators that can be looked into."""

_CODE = (type, types.FunctionType, types.MethodType, types.BuiltinFunctionType, np.ufunc)

_VALUES = (*HOLDING, dict, np.ndarray, np.generic, float, complex, str, bytes, BaseException)


class CutInt(int):
    """An integer that was made of an active number: it has no derivative.

    Small integers exist once in Python, so that only an instance of its own
    can be followed.
    """

    __slots__ = ()


class CutText(str):
    """A single character of a text that was made of active numbers: others exist once, too."""

    __slots__ = ()


def uncut(value: Any) -> Any:
    """A plain integer or character in the place of one that is followed."""
    if type(value) is CutInt:
        return int(value)
    return str(value) if type(value) is CutText else value


@dataclass(frozen=True)
class Step:
    """Something on the tape that is no operation of NumPy.

    Parameters
    ----------
    what : str
        How a person would call it.
    place : Place
        Where.
    value : object
        What it gave, when it is a constant to the gradient.
    reason, hint : str
        Why no gradient passes, if none does.
    function : object
        What computes it on tensors, if something does: see `evaluation`.
    """

    what: str
    place: Place
    value: Any = None
    reason: str = ""
    hint: str = ""
    function: Any = field(default=None, compare=False)

    def refuse(self) -> GradientError:
        """The error for a gradient that would flow through it."""
        return GradientError(self.reason, self.hint, self.place)


class Taints:
    """Objects that were made of active values, and what they were made by.

    Attributes
    ----------
    spilled : Step or None
        The first call that may have written active numbers where files, or
        what looks like them, are read.
    """

    def __init__(self) -> None:
        self.spilled: Step | None = None
        self._objects: dict[int, tuple[Any, Step]] = {}

    def step(self, step: Step, value: Any, operands: tuple[Any, ...] = ()) -> Any:
        """Enter a value that is followed: the tape does."""
        raise NotImplementedError

    def is_active(self, value: Any) -> bool:
        """Whether a value depends on a leaf: the tape knows."""
        raise NotImplementedError

    def active_in(self, values: Any, depth: int = 4) -> Iterator[Any]:
        """Active values in nested containers, and in the attributes of plain objects."""
        kind = type(values)
        if kind in PLAIN:
            return
        if kind is np.ndarray or isinstance(values, np.generic | float | complex | CutInt):
            if self.is_active(values):
                yield values
        elif depth and isinstance(values, slice):
            yield from self.active_in((values.start, values.stop, values.step), depth - 1)
        elif depth:
            for value in contents(values):
                yield from self.active_in(value, depth - 1)

    def has_active(self, values: Any) -> bool:
        """Whether there is an active value in nested containers."""
        return any(True for _ in self.active_in(values))

    def touches(self, values: Any) -> bool:
        """Whether something active, or made of something active, is in nested containers."""
        return self.has_active(values) or self.tainted_in((values,)) is not None

    def makes_text(self, values: Any) -> bool:
        """Whether text of these values is text of active ones."""
        return self.touches(values)

    def taint(self, value: Any, step: Step) -> Any:
        """Enter what a call made of active values: numbers, arrays, and objects that hold them."""
        kind = type(value)
        if kind is np.ndarray:
            return self._tainted_array(value, step)
        if isinstance(value, np.inexact | float | complex) and not isinstance(value, np.longdouble):
            if self.is_active(value):
                return value  # it only handed on what it was given
            fresh = value if isinstance(value, np.generic) else operator.neg(-value)
            return self.step(_holding(step, value), fresh)
        if kind is int:
            return self.step(_holding(step, value), value)
        if kind in (tuple, list):
            return kind(self.taint(item, step) for item in value)
        if kind is dict:
            return {key: self.taint(item, step) for key, item in value.items()}
        if kind is str and len(value) == 1:
            value = CutText(value)
        written = kind in (bytes, str) and len(value) > 0
        if written or (kind not in PLAIN and not isinstance(value, _CODE)):
            self.taint_object(value, step)
        return value

    def _tainted_array(self, value: Any, step: Step) -> Any:
        if value.dtype.kind == "b":
            return value
        if not is_supported(value.dtype):
            self.taint_object(value, step)
            return value
        if self.is_active(value):
            return value  # it only handed on what it was given
        return self.step(_holding(step, value.copy()), value)

    def taint_object(self, value: Any, step: Step) -> None:
        """Remember an object that holds numbers made of active ones."""
        self._objects[id(value)] = (value, step)

    def taint_receivers(self, values: Any, step: Step) -> None:
        """What was given together with active values may have kept them: buffers, streams."""
        for value in contents(values):
            if is_opaque(type(value)):
                self.taint_object(value, step)

    def tainted_in(self, values: Any, depth: int = 3) -> Step | None:
        """The call that made something in nested containers out of active values."""
        if not self._objects:
            return None
        for value in values:
            found = self._objects.get(id(value))
            if found is not None:
                return found[1]
            if depth and type(value) not in PLAIN and not isinstance(value, np.ndarray):
                step = self.tainted_in(contents(value), depth - 1)
                if step is not None:
                    return step
        return None

    def tainted(self, value: Any) -> Step | None:
        """The call that made an object out of active values."""
        found = self._objects.get(id(value))
        return None if found is None else found[1]


def contents(value: Any) -> Any:
    """What a container or a plain object holds.

    Examples
    --------
    >>> list(contents({"a": 1.0}))
    ['a', 1.0]
    >>> list(contents(types.SimpleNamespace(a=2.0)))
    [2.0]
    >>> list(contents(type("Point", (), {"__slots__": ("x",)})()))
    []
    """
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    if isinstance(value, HOLDING):
        return list(value)
    kind = type(value)
    if kind in _ITERATORS:
        return list(copy.copy(value))
    if kind is types.SimpleNamespace or (kind.__flags__ & _HEAP and not isinstance(value, type)):
        return [*own_names(value).values(), *_in_slots(value)]
    return ()


def _in_slots(value: Any) -> Iterator[Any]:
    """What is stored in the ``__slots__`` of an object; nothing of its class runs."""
    for base in type(value).__mro__:
        for held in vars(base).values() if base.__flags__ & _HEAP else ():
            if isinstance(held, types.MemberDescriptorType):
                with contextlib.suppress(AttributeError):  # not set yet
                    yield held.__get__(value)


def own_names(value: Any) -> dict[str, Any]:
    """The attributes that an object has of its own; nothing of its class runs."""
    try:
        held: dict[str, Any] = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return held


def is_opaque(kind: type) -> bool:
    """Whether objects of a class change, and keep what nobody sees.

    Examples
    --------
    >>> import io
    >>> is_opaque(io.StringIO), is_opaque(bytearray), is_opaque(float), is_opaque(list)
    (True, True, False, False)
    """
    if (
        issubclass(kind, (*_VALUES, type))
        or any("__call__" in base.__dict__ for base in kind.__mro__)
        or kind in PLAIN
    ):
        return False
    if kind.__eq__ is not object.__eq__ and getattr(kind, "__hash__", None) is not None:
        return False  # it is a value
    if kind.__module__ in ("itertools", "builtins") and hasattr(kind, "__next__"):
        return False
    return any(
        not base.__flags__ & _HEAP or base.__flags__ & _IMMUTABLE
        for base in kind.__mro__
        if base is not object and not base.__module__.startswith("numpy")
    )


def _holding(step: Step, value: Any) -> Step:
    return Step(step.what, step.place, value, step.reason, step.hint)
