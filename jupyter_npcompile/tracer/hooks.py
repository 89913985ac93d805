"""The hooks that instrumented code calls: each does what Python does, on NumPy, and records it.

Every operation of an instrumented statement is a call of one of these methods
with its position. Traced values are computed by NumPy at once, so dtypes,
shapes, views and errors are NumPy's own; plain Python values pass through
untouched. What cannot be captured raises ``Break``.
"""

from __future__ import annotations

import builtins
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from operator import length_hint
from typing import Any, NoReturn

import numpy as np

from jupyter_npcompile.graph.nodes import Position, ValueType
from jupyter_npcompile.tracer import (
    attributes,
    brackets,
    calls,
    elision,
    identity,
    indexing,
    interrupts,
    members,
    numpy_calls,
    sources,
)
from jupyter_npcompile.tracer.breaks import Break, NeedsCopy, Postponed
from jupyter_npcompile.tracer.definitions import is_definition
from jupyter_npcompile.tracer.evaluation import PythonErrors
from jupyter_npcompile.tracer.interpret import value_type
from jupyter_npcompile.tracer.nested import concrete_in
from jupyter_npcompile.tracer.operations import UFUNCS, is_numpy_function
from jupyter_npcompile.tracer.operators import is_array_like, operate
from jupyter_npcompile.tracer.recorder import Recorder
from jupyter_npcompile.tracer.sources import NameSource, Source
from jupyter_npcompile.tracer.traced import BoundMethod, Flags, Opaque, is_traced

At = tuple[int, int] | None
"""Line and column of an operation, or None where they are not known."""

_CONVERSIONS: dict[str, Callable[[Any], str]] = {"s": str, "r": repr, "a": ascii}
_PLAIN_OWNERS = (str, bytes, tuple, range, slice, np.dtype, np.finfo, np.iinfo, int, float, complex)
_READING_METHODS = frozenset(["items", "keys", "values", "get", "index", "count", "copy"])


LONG = 16
"""Iterations of a loop that is looked after while it is unrolled."""


class Hooks:
    """Hooks for a region; names resolve as the region sees them.

    Parameters
    ----------
    recorder : Recorder
        Where operations go.

    Attributes
    ----------
    module : dict or None
        The namespace in which the region binds names, when it is a module's:
        helpers read from it what the region has bound.
    bound : dict of str to object
        What the region has bound so far.
    binders : dict of str to int
        The statement that has bound each name last.
    replaced : dict of str to object
        What the present statement has bound anew, as it was before.
    assigned : list of tuple
        Statement, name and type of every array or number that was bound.
    """

    passing = (Break, NeedsCopy, Postponed)
    """What no ``except`` of traced code may catch."""

    @staticmethod
    def caught(stop: BaseException) -> BaseException:
        """What a ``try`` of traced code sees of what ended its body."""
        return getattr(stop, "error", None) or stop

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.root = self
        self.module: dict[str, Any] | None = None
        self.bound: dict[str, Any] = {}
        self.binders: dict[str, int] = {}
        self.replaced: dict[str, Any] = {}
        self.assigned: list[tuple[int, str, ValueType]] = []

    # -- statements and names

    def statement(self, index: int) -> None:
        """Statement ``index`` of the region begins."""
        self.replaced.clear()

    def bind(self, index: int, name: str, value: Any) -> None:
        """Statement ``index`` has bound ``name``; what it was bound to before may be freed."""
        if self.binders.get(name, index) != index:
            self.replaced[name] = self.bound[name]
        self.bound[name] = value
        self.binders[name] = index
        if is_traced(value):
            self.assigned.append((index, name, value_type(value.value)))

    def bound_before(self, stop: int) -> dict[str, Any]:
        """What the statements before the present one, or before its end, have bound."""
        early = {name: value for name, value in self.bound.items() if self.binders[name] < stop}
        return early | {
            name: value for name, value in self.replaced.items() if self.binders[name] >= stop
        }

    def name(self, name: str, value: Any) -> Any:
        """A name is read that the traced code has not assigned."""
        if value is sources.MISSING:
            raise Break("error", f"NumPy raises NameError: name {name!r} is not defined")
        return self.recorder.lift(self.root, self.source(name, value), value)

    def source(self, name: str, value: Any) -> Source:
        """Where a replay finds the name."""
        return NameSource(name)

    def for_helper(self, function: types.FunctionType) -> HelperHooks:
        """Hooks for a helper function that the traced code calls."""
        return HelperHooks(self.root, function)

    def _at(self, at: At) -> None:
        if at is not None:
            interrupts.allow()
            self.recorder.position = Position(*at)
            self.recorder.step()

    # -- operators

    def binary(self, at: At, operation: str, left: Any, right: Any) -> Any:
        """``left <operation> right``, by the operation's :mod:`ast` name."""
        self._at(at)
        counts = sys.getrefcount(left), sys.getrefcount(right)
        self.recorder.spare = elision.spare(operation, left, right, counts)
        return operate(self, operation, left, right)

    def unary(self, at: At, operation: str, operand: Any) -> Any:
        """``<operation> operand``."""
        self._at(at)
        count = sys.getrefcount(operand)
        self.recorder.spare = elision.spare_operand(operation, operand, count)
        return operate(self, operation, operand)

    def compare(self, at: At, operation: str, left: Any, right: Any) -> Any:
        """``left <operation> right`` for comparisons, ``is`` and ``in``."""
        self._at(at)
        if operation in ("Is", "IsNot"):
            return identity.same(self, left, right) == (operation == "Is")
        if operation in ("In", "NotIn"):
            if isinstance(right, Opaque):
                raise Break("input", right.reason)
            if is_traced(right) or (is_traced(left) and left.source is None):
                self.stop("value", "`in` needs the values")
            found = self.concrete(left, "`in` needs the value") in right
            return found if operation == "In" else not found
        return operate(self, operation, left, right)

    def augment(self, at: At, operation: str, left: Any, right: Any) -> Any:
        """``left <operation>= right``; returns what the target is bound to."""
        self._at(at)
        if is_traced(left) and isinstance(left.value, np.ndarray):
            if operation == "MatMult" and np.ndim(concrete_in(right)) < 2:
                self.stop("error", "NumPy raises ValueError: `@=` with a vector")
            numpy_calls.numpy_call(self, UFUNCS[operation], (left, right), {"out": left})
            return left
        if isinstance(left, list | dict | set | Opaque) and not self.recorder.is_local(left):
            self.recorder.note_change(left)
            self.stop("effect", f"a {type(left).__name__.lower()} is changed in place")
        if self.recorder.is_local(left):
            self.recorder.mutations += 1
            with PythonErrors():
                return sources.IN_PLACE[operation](left, right)
        return operate(self, operation, left, right)

    # -- indexing

    @staticmethod
    def slice(start: Any, stop: Any, step: Any) -> slice:
        """``start:stop:step`` inside an index."""
        return slice(start, stop, step)

    def subscript(self, at: At, obj: Any, index: Any) -> Any:
        """``obj[index]``."""
        self._at(at)
        if is_traced(obj):
            return indexing.getitem(self, obj, index)
        if isinstance(obj, Opaque):
            raise Break("input", attributes.describe_opaque((obj,)))
        if brackets.is_indexed(obj):
            return brackets.indexed(self, obj, index)
        if isinstance(obj, members.Flat):
            return obj[index]
        if isinstance(obj, list | tuple | dict | str | bytes | range | Flags):
            key = self.concrete(index, "Python needs the value of the index")
            with PythonErrors(always=True):
                return obj[key]
        if isinstance(obj, type):
            return types.GenericAlias(obj, index)  # list[int]
        self.stop("call", f"an element of a {type(obj).__name__} is read")

    def store(self, at: At, obj: Any, index: Any, value: Any) -> None:
        """``obj[index] = value``."""
        self._at(at)
        if self.recorder.is_local(obj):
            self.recorder.mutations += 1
            with PythonErrors():
                obj[self.concrete(index, "Python needs the value of the index")] = value
            return
        if isinstance(obj, members.Flat):
            obj[index] = value
            return
        if not is_traced(obj):
            self.recorder.note_change(obj)
            self.stop("effect", f"an element of a {_kind(obj)} is assigned")
        indexing.setitem(self, obj, index, value)

    def iterate(self, at: At, iterable: Any) -> Iterable[Any]:
        """What a ``for`` or a comprehension runs over."""
        self._at(at)
        if is_traced(iterable):
            if not isinstance(iterable.value, np.ndarray) or iterable.value.ndim == 0:
                self.stop("error", "NumPy raises TypeError: iteration over a 0-d array")
            self.recorder.demand_fixed_size(iterable)
            return (self.subscript(None, iterable, k) for k in range(len(iterable.value)))
        if isinstance(iterable, Opaque):
            raise Break("input", attributes.describe_opaque((iterable,)))
        if isinstance(iterable, np.ndarray):
            raise Break("input", "an array that tracing has not seen being made")
        with PythonErrors():
            items: Iterator[Any] = iter(iterable)
        left = length_hint(items)
        return items if left < LONG else self._followed(items, left)

    def _followed(self, items: Iterator[Any], left: int) -> Iterator[Any]:
        """Iterate as long as that does not clearly make the recording too long."""
        before = len(self.recorder.nodes)
        for done, item in enumerate(items):
            if done.bit_count() == 1:
                self.recorder.demand_short_loop(before, done, left - done)
            yield item

    def unpack(self, at: At, value: Any, count: int, star: int | None = None) -> tuple[Any, ...]:
        """The values for a tuple target of ``count`` names, the ``star``-th starred."""
        items = list(self.iterate(at, value))
        needed = count if star is None else count - 1
        if len(items) < needed or (star is None and len(items) > needed):
            self.stop("error", "Python raises ValueError: wrong number of values to unpack")
        if star is None:
            return tuple(items)
        tail = count - star - 1
        end = len(items) - tail
        return (*items[:star], items[star:end], *items[end:])

    # -- attributes

    def attribute(self, at: At, obj: Any, name: str) -> Any:
        """``obj.name``."""
        self._at(at)
        if is_traced(obj):
            return members.member(self, obj, name)
        if isinstance(obj, Opaque):
            return attributes.opaque_attribute(self, obj, name)
        if isinstance(obj, types.ModuleType):
            return attributes.module_attribute(self, obj, name)
        if isinstance(obj, list | dict) and name not in _READING_METHODS:
            if not self.recorder.is_local(obj):
                self.recorder.note_change(obj)
                self.stop("effect", f"the method `{name}` of a {type(obj).__name__} may change it")
            self.recorder.mutations += 1
        if isinstance(obj, type) and not attributes.is_plain_type(obj):
            return attributes.class_attribute(self, obj, name)
        if isinstance(obj, (*_PLAIN_OWNERS, list, dict, Flags, np.ufunc, type, BoundMethod)) or (
            is_numpy_function(obj) or isinstance(obj, tuple) or brackets.is_indexed(obj)
        ):
            with PythonErrors(always=True):
                return getattr(obj, name)
        self.stop("call", f"the attribute `{name}` of a {_kind(obj)} is read")

    # -- calls, truth, text

    def call(self, at: At, func: Any, /, *args: Any, **kwargs: Any) -> Any:
        """``func(*args, **kwargs)``."""
        self._at(at)
        return calls.call(self, func, args, kwargs)

    def truth(self, at: At, value: Any) -> bool:
        """The truth of a value that decides what runs next."""
        self._at(at)
        if is_traced(value):
            if self.recorder.is_known(value):
                with PythonErrors():
                    return bool(value.value)
            if value.source is None or (value.id is not None and is_array_like(value)):
                raise Break(
                    "value",
                    "what runs next depends on a value that the graph computes",
                    "use np.where, or put the test on a line of its own outside the function",
                )
            return bool(self.concrete(value, "what runs next depends on the value"))
        if isinstance(value, Opaque):
            raise Break("input", attributes.describe_opaque((value,)))
        return bool(value)

    def format(self, at: At, value: Any, conversion: str | None, spec: str) -> str:
        """One part of an f-string."""
        self._at(at)
        value = self.concrete(value, "text needs the value")
        if conversion:
            value = _CONVERSIONS[conversion](value)
        return builtins.format(value, spec)

    # -- values that Python needs

    def concrete(self, value: Any, why: str) -> Any:
        """The plain Python value, guarded; a break when the graph computes it.

        Parameters
        ----------
        value : object
            Anything; traced numbers that come from outside are replaced by
            their value, on which the recording then depends.
        why : str
            The reason to give when that is impossible.
        """
        if not is_traced(value):
            if type(value) is tuple:
                return tuple(self.concrete(item, why) for item in value)
            if isinstance(value, slice):
                parts = (value.start, value.stop, value.step)
                return slice(*(self.concrete(part, why) for part in parts))
            return value
        if self.recorder.is_known(value) and np.ndim(value.value) == 0:
            return value.value
        if value.source is None or isinstance(value.value, np.ndarray):
            raise Break("value", why, "delay the conversion until after the computation")
        self.recorder.fix(value.source, value.value)
        return value.value

    def stop(self, kind: Any, reason: str) -> NoReturn:
        """End the recording."""
        raise Break(kind, reason)


class HelperHooks(Hooks):
    """Hooks for a helper function that runs inlined: its names are its own.

    Parameters
    ----------
    root : Hooks
        The hooks of the region.
    function : types.FunctionType
        The helper.
    """

    def __init__(self, root: Hooks, function: types.FunctionType) -> None:
        self.recorder = root.recorder
        self.root = root
        self.function = function
        self._numpy = is_numpy_function(function) or is_definition(function)

    def _at(self, at: At) -> None:
        """Positions stay those of the call in the cell; the lines that ran are noted."""
        self.recorder.step()
        if at is not None and not self._numpy:
            self.recorder.inlined[self.function.__code__.co_filename, at[0]] = None

    def name(self, name: str, value: Any) -> Any:
        """A global, closure variable or builtin of the helper is read."""
        function, root = self.function, self.root
        own = name in function.__code__.co_freevars
        if root.module is function.__globals__ and name in root.bound and not own:
            return root.bound[name]
        if self._numpy:
            return value
        return super().name(name, value)

    def truth(self, at: At, value: Any) -> bool:
        """The truth of a value; NumPy's own branches go the same way until a check fails.

        Which way ``np.gradient`` or ``np.polyfit`` turns is a property of the
        inputs that seldom changes. In a user's helper the branch is the point.
        """
        graph_computes = is_traced(value) and value.source is None
        if not self._numpy or not graph_computes or self.recorder.is_known(value):
            return super().truth(at, value)
        with PythonErrors():
            outcome = bool(value.value)
        self.recorder.record(self.root, "python.assume", (value, outcome), {}, None)
        return outcome

    def source(self, name: str, value: Any) -> Source:
        """Where a replay finds the name."""
        code = self.function.__code__
        if name in code.co_freevars:
            index = code.co_freevars.index(name)
            found = self.recorder.function_source(self.function)
            if found is not None:
                return sources.ClosureSource(found, name, index)
            cell = (self.function.__closure__ or ())[index]
            return sources.CellSource(name, cell, id(cell))
        module = self.function.__globals__
        return sources.GlobalSource(name, module, id(module))


MISSING = sources.MISSING


def _kind(value: Any) -> str:
    return type(value.value if isinstance(value, Opaque) else value).__name__
