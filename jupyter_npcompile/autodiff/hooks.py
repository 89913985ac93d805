"""The hooks of code that is followed: each does what Python does, and tells the tape.

Values are the code's own. Where none of the operands is active, a hook costs
little more than the operation. Where one is, NumPy computes through the
recorder of ``tracer/``, so that the tape has a node for it.
"""

from __future__ import annotations

import functools
import itertools
import operator
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from jupyter_npcompile.autodiff import attributes, calls, effects, loops, python_numbers, texts
from jupyter_npcompile.autodiff.flat_elements import FlatElements
from jupyter_npcompile.autodiff.special_methods import (
    NOTHING,
    read_attribute,
    setter_of,
    user_method,
)
from jupyter_npcompile.autodiff.steps import host, perform
from jupyter_npcompile.autodiff.taints import CutInt
from jupyter_npcompile.autodiff.tape import Tape
from jupyter_npcompile.tracer.numpy_calls import array_attribute
from jupyter_npcompile.tracer.sources import OPERATORS

At = tuple[int, int] | None
About = tuple[tuple[str, ...], str]
"""Names that a loop's iteration starts from, and its text."""
Pattern = tuple[Any, ...] | None
"""None for a name, a tuple for a target that is taken apart."""

_PYTHON = {
    "Add": "add", "Sub": "sub", "Mult": "mul", "Div": "truediv", "Pow": "pow",
    "FloorDiv": "floordiv", "Mod": "mod", "USub": "neg", "UAdd": "pos",
}  # fmt: skip
_SPECIAL = {
    "Add": "add", "Sub": "sub", "Mult": "mul", "Div": "truediv", "Pow": "pow",
    "FloorDiv": "floordiv", "Mod": "mod", "MatMult": "matmul", "BitAnd": "and", "BitOr": "or",
    "BitXor": "xor", "LShift": "lshift", "RShift": "rshift",
}  # fmt: skip
_IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.iadd, "Sub": operator.isub, "Mult": operator.imul, "Div": operator.itruediv,
    "FloorDiv": operator.ifloordiv, "Mod": operator.imod, "Pow": operator.ipow,
    "MatMult": operator.imatmul, "BitAnd": operator.iand, "BitOr": operator.ior,
    "BitXor": operator.ixor, "LShift": operator.ilshift, "RShift": operator.irshift,
}  # fmt: skip
_COMPARING = {
    "Lt": "__lt__", "LtE": "__le__", "Gt": "__gt__", "GtE": "__ge__", "Eq": "__eq__",
    "NotEq": "__ne__",
}  # fmt: skip
_SWAPPED = {
    "Lt": "__gt__", "LtE": "__ge__", "Gt": "__lt__", "GtE": "__le__", "Eq": "__eq__",
    "NotEq": "__ne__", "In": "__contains__", "NotIn": "__contains__",
}  # fmt: skip
_UNARY = {"USub": "__neg__", "UAdd": "__pos__", "Invert": "__invert__"}
_BUFFERS = frozenset({"data", "ctypes", "__array_interface__", "__array_struct__"})
_VIEWS = frozenset({"T", "mT", "real", "imag"})
_ZERO = frozenset({"FloorDiv"})
_HEAP = 1 << 9
_SIZED = (range, list, tuple, dict, set, np.ndarray)
_NUMBERS = (int, float, complex, bool, CutInt)


class TapeHooks:
    """Hooks for one run.

    Parameters
    ----------
    tape : Tape
        Where active values are known.
    """

    slice = slice

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.watched: Callable[[str, Any], Any] | None = None

    def bind(self, name: str, value: Any) -> Any:
        """A name that is watched gets a value."""
        return value if self.watched is None else self.watched(name, value)

    # -- operators

    def binary(self, at: At, operation: str, left: Any, right: Any) -> Any:
        """``left <operation> right``, by the operation's :mod:`ast` name."""
        node_of = self.tape.node_of
        if isinstance(left, str | bytes):
            return texts.binary(self, at, operation, left, right)
        if node_of(left) is None and node_of(right) is None and not self._contains(left, right):
            return self._plain(operation, left, right)
        if at is not None:
            self.tape.at(at)
        if operation in _PYTHON and _is_python(left) and _is_python(right):
            return self._numbers(operation, left, right)
        if operation in _ZERO:
            self.tape.note("`//` is piecewise constant: its derivative is zero")
        native = OPERATORS[operation]
        return perform(
            self,
            lambda hooks, *args: hooks.binary(None, operation, *args),
            lambda: native(left, right),
            (left, right),
            what=f"the operator {operation}",
        )

    def _contains(self, left: Any, right: Any) -> bool:
        """Whether an array meets a list of active numbers."""
        if type(left) in (list, tuple) and isinstance(right, np.ndarray | np.generic):
            return self.tape.has_active(left)
        if type(right) in (list, tuple) and isinstance(left, np.ndarray | np.generic):
            return self.tape.has_active(right)
        return False

    def _plain(self, operation: str, left: Any, right: Any) -> Any:
        for one, other, prefix in ((left, right, "__"), (right, left, "__r")):
            name = _SPECIAL.get(operation)
            method = name and user_method(one, f"{prefix}{name}__")
            if method:
                made = self.call(None, types.MethodType(method, one), other)
                if made is not NotImplemented:
                    return made
        made = OPERATORS[operation](left, right)
        step = self.tape.tainted_in((left, right))
        return made if step is None else self.tape.taint(made, step)

    def _numbers(self, operation: str, *operands: Any) -> Any:
        """Arithmetic of Python's own numbers."""
        plain = [int(x) if type(x) is CutInt else x for x in operands]
        result = OPERATORS[operation](*plain)
        if type(result) is bool or not isinstance(result, _NUMBERS):
            return result
        return self.record(f"python.{_PYTHON[operation]}", operands, result)

    def record(self, op: str, operands: tuple[Any, ...], result: Any) -> Any:
        """Enter an operation that has been computed."""
        tape = self.tape
        wrapped = tuple(tape.wrap(operand) for operand in operands)
        return tape.unwrap(tape.recorder.record(tape.hooks, op, wrapped, {}, result))

    def unary(self, at: At, operation: str, operand: Any) -> Any:
        """``<operation> operand``."""
        if self.tape.node_of(operand) is None:
            method = user_method(operand, _UNARY[operation])
            if method:
                return self.call(at, types.MethodType(method, operand))
            return OPERATORS[operation](operand)
        if at is not None:
            self.tape.at(at)
        if operation in _PYTHON and _is_python(operand):
            return self._numbers(operation, operand)
        native = OPERATORS[operation]
        return perform(
            self,
            lambda hooks, arg: hooks.unary(None, operation, arg),
            lambda: native(operand),
            (operand,),
            what=f"the operator {operation}",
        )

    def compare(self, at: At, operation: str, left: Any, right: Any) -> Any:
        """``left <operation> right`` for comparisons, ``is`` and ``in``."""
        if operation in ("Is", "IsNot"):
            return (left is right) == (operation == "Is")
        node_of = self.tape.node_of
        if node_of(left) is not None or node_of(right) is not None:
            if at is not None:
                self.tape.at(at)
            self.tape.note("a comparison has the derivative zero")
            made = _compared(operation, left, right)
            if isinstance(made, bool | np.bool_):
                self.tape.turn(bool(made))
            return made
        for one, other, names in ((left, right, _COMPARING), (right, left, _SWAPPED)):
            method = user_method(one, names.get(operation, ""))
            if method:
                made = self.call(at, types.MethodType(method, one), other)
                if made is not NotImplemented:
                    return _as_asked(operation, made)
        return _compared(operation, left, right)

    def augment(self, at: At, operation: str, left: Any, right: Any) -> Any:
        """``left <operation>= right``; returns what the target is bound to."""
        tape = self.tape
        if not isinstance(left, np.ndarray):
            if type(left) in (float, int, complex, CutInt) or isinstance(left, np.generic):
                return self.binary(at, operation, left, right)
            method = user_method(left, f"__i{_SPECIAL.get(operation, '')}__")
            if method:
                return self.call(at, types.MethodType(method, left), right)
            if user_method(left, f"__{_SPECIAL.get(operation, '')}__"):
                return self.binary(at, operation, left, right)
            if isinstance(left, list | dict | set):
                if isinstance(right, np.ndarray):
                    return self.binary(at, operation, left, right)
                effects.note_effect(self, left)
            if isinstance(left, str | bytes):
                return self.binary(at, operation, left, right)
            step = tape.tainted_in((left, right))
            made = _IN_PLACE[operation](left, right)
            return made if step is None else tape.taint(made, step)
        if tape.node_of(left) is None and not tape.has_active(right):
            tape.before_write(left)
            return _IN_PLACE[operation](left, right)
        if at is not None:
            tape.at(at)
        if operation in _ZERO:
            tape.note("`//=` is piecewise constant: its derivative is zero")
        self._open(left, right)

        def native() -> Any:
            return _IN_PLACE[operation](left, right)

        return perform(
            self,
            lambda hooks, *args: hooks.augment(None, operation, *args),
            native,
            (left, right),
            what=f"the operator {operation}",
            writes=(left,),
        )

    def _elements(self, value: Any) -> Any:
        """What a list takes out of an array."""
        active = type(value) is np.ndarray and self.tape.node_of(value) is not None
        return list(self.items(value)) if active else value

    def _open(self, target: Any, value: Any) -> None:
        """An array is written with something active."""
        tape = self.tape
        if target.dtype.kind in "biu" and np.asarray(_first(value)).dtype.kind in "fc":
            tape.activate_cut(target, "a store into an array of integers")
        else:
            tape.activate(target)

    # -- indexing

    def subscript(self, at: At, obj: Any, index: Any) -> Any:
        """``obj[index]``."""
        tape = self.tape
        if tape.node_of(obj) is None:
            method = user_method(obj, "__getitem__")
            if method:
                return self.call(at, types.MethodType(method, obj), index)
            absent = user_method(obj, "__missing__")
            if absent and isinstance(obj, dict) and index not in obj:
                return self.call(at, types.MethodType(absent, obj), index)
            found = obj[index]
            step = tape.tainted_in((obj,), 0)
            if step is not None:
                return tape.taint(found, step)
            if isinstance(obj, dict | list | tuple) and isinstance(found, list | dict | set):
                effects.inherit_outside(self, obj, found)
            return found
        if at is not None:
            tape.at(at)
        if tape.has_active(index):
            tape.note("an index has the derivative zero")
            index = plain_index(index)
        result = perform(
            self,
            lambda hooks, *args: hooks.subscript(None, *args),
            lambda: obj[index],
            (obj, index),
            what="an index",
        )
        return result

    def store(self, at: At, obj: Any, index: Any, value: Any) -> None:
        """``obj[index] = value``."""
        tape = self.tape
        if not isinstance(obj, np.ndarray):
            method = user_method(obj, "__setitem__")
            if method:
                self.call(at, types.MethodType(method, obj), index, value)
                return
            if isinstance(obj, list | dict):
                effects.note_effect(self, obj)
                if isinstance(index, slice):
                    value = self._elements(value)
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
        self._open(obj, value)
        index = plain_index(index)

        def native() -> None:
            obj[index] = value

        perform(
            self,
            lambda hooks, *args: hooks.store(None, *args),
            native,
            (obj, index, value),
            what="a store",
            writes=(obj,),
        )

    def delete(self, at: At, obj: Any, index: Any) -> None:
        """``del obj[index]``."""
        method = user_method(obj, "__delitem__")
        if method:
            self.call(at, types.MethodType(method, obj), index)
            return
        if isinstance(obj, list | dict):
            effects.note_effect(self, obj)
        del obj[plain_index(index)]

    def context(self, at: At, manager: Any) -> Any:
        """What a ``with`` enters."""
        enter, leave = user_method(manager, "__enter__"), user_method(manager, "__exit__")
        followed = enter is not None and leave is not None and enter.__module__ != "contextlib"
        return Context(self, manager) if followed else manager

    # -- loops

    def iterate(self, at: At, iterable: Any, pattern: Pattern = None) -> Iterable[Any]:
        """What a ``for`` or a comprehension runs over."""
        items = self.items(iterable)
        if pattern is None:
            return items
        return (self.unpack(None, item, pattern) for item in items)

    def loop(
        self, at: At, iterable: Any, pattern: Pattern, step: types.FunctionType, about: About
    ) -> None:
        """A ``for`` whose body is a function."""
        if at is not None:
            self.tape.at(at)
        count = len(iterable) if isinstance(iterable, _SIZED) else None
        items = iter(self.iterate(None, iterable, pattern))
        loops.run(self, loops.Items(items), step, about, count)

    def loop_while(
        self, at: At, test: Callable[[], Any], step: types.FunctionType, about: About
    ) -> None:
        """A ``while`` whose body is a function."""
        if at is not None:
            self.tape.at(at)
        loops.run(self, loops.Test(test), step, about, None)

    def items(self, iterable: Any) -> Iterable[Any]:
        """The elements of something, those of an active array known to the tape."""
        if isinstance(iterable, np.ndarray) and self.tape.node_of(iterable) is not None:
            if iterable.ndim == 0:
                return iter(iterable)  # Python raises
            return (self.subscript(None, iterable, k) for k in range(len(iterable)))
        method = user_method(iterable, "__iter__")
        if method:
            return self._steps(self.call(None, types.MethodType(method, iterable)))
        if not hasattr(type(iterable), "__iter__") and user_method(iterable, "__getitem__"):
            return self._counted(iterable)
        step = self.tape.tainted(iterable)
        if step is not None:
            return (self.tape.taint(item, step) for item in iterable)
        return iterable  # type: ignore[no-any-return]

    def _counted(self, sequence: Any) -> Iterator[Any]:
        """The old protocol: indices from 0 until there is an error."""
        for index in itertools.count():
            try:
                item = self.subscript(None, sequence, index)
            except IndexError:
                return
            yield item

    def _steps(self, iterator: Any) -> Iterator[Any]:
        method = user_method(iterator, "__next__")
        if not method:
            yield from iterator
            return
        while True:
            try:
                item = self.call(None, types.MethodType(method, iterator))
            except StopIteration:
                return
            yield item

    def unpack(self, at: At, value: Any, pattern: Pattern) -> Any:
        """A value as it is taken apart into several targets."""
        if pattern is None:
            return value
        items = self.items(value)
        if items is value and not any(part is not None for part in pattern):
            return value
        found = list(items)
        if len(found) != len(pattern):
            return found  # a star takes the rest, or Python raises
        return [self.unpack(None, item, part) for item, part in zip(found, pattern, strict=True)]

    # -- attributes

    def attribute(self, at: At, obj: Any, name: str) -> Any:
        """``obj.name``."""
        kind = type(obj)
        if kind is types.ModuleType:
            return getattr(obj, name)
        tape = self.tape
        if kind is np.ndarray or isinstance(obj, np.generic):
            if tape.node_of(obj) is not None:
                return self._member(at, obj, name)
            return getattr(obj, name)
        if kind in (float, complex) and tape.node_of(obj) is not None:
            return self._part(obj, name)
        if kind.__flags__ & _HEAP and not isinstance(obj, type):
            own = read_attribute(self, at, obj, name)
            if own is not NOTHING:
                return own
        found = getattr(obj, name)
        step = tape.tainted(obj)
        if step is not None and not callable(found):
            return tape.taint(found, step)
        outer = kind.__flags__ & _HEAP and id(obj) not in tape.inside
        if outer and isinstance(found, list | dict | set):
            effects.note_outside(self, found)
        return found

    def _member(self, at: At, obj: Any, name: str) -> Any:
        if name in _BUFFERS:
            if at is not None:
                self.tape.at(at)
            return host(self, operator.attrgetter(name), (obj,), {}, f"`.{name}` is memory")
        if name in _VIEWS:
            if at is not None:
                self.tape.at(at)
            return perform(
                self,
                lambda hooks, arg: array_attribute(hooks, arg, name),
                lambda: getattr(obj, name),
                (obj,),
                what=f"`.{name}`",
            )
        if name == "flat":
            return FlatElements(self, obj)
        return getattr(obj, name)

    def _part(self, number: Any, name: str) -> Any:
        """An attribute of an active number of Python's."""
        if name in ("real", "imag"):
            return python_numbers.part(self, number, name)
        if name == "conjugate":
            return functools.partial(python_numbers.conjugate, self, number)
        return getattr(number, name)

    def set_attribute(self, at: At, value: Any, obj: Any, name: str) -> None:
        """``obj.name = value``."""
        if isinstance(obj, np.ndarray):
            if at is not None:
                self.tape.at(at)
            attributes.store(self, obj, name, value)
            return
        setter = setter_of(obj, name)
        if setter is None:
            setattr(obj, name, value)
        else:
            self.call(at, setter, value)

    # -- text

    def formatted(self, at: At, value: Any, conversion: int, spec: str) -> Any:
        """A value in an f-string."""
        if at is not None:
            self.tape.at(at)
        return texts.formatted(self, value, conversion, spec)

    def joined(self, at: At, *parts: str) -> str:
        """An f-string."""
        return texts.joined(self, parts)

    def before_text(self, at: At, names: dict[str, Any], *spaces: Any) -> Any:
        """``eval`` and ``exec`` are about to run on these names, or in these namespaces."""
        if at is not None:
            self.tape.at(at)
        return texts.Execution(self, names, spaces)

    def after_text(self, at: At, what: str, before: Any, made: Any) -> Any:
        """They have run."""
        return before.finish(what, made)

    # -- calls

    def call(self, at: At, func: Any, *args: Any, **kwargs: Any) -> Any:
        """``func(*args, **kwargs)``."""
        if at is not None:
            self.tape.at(at)
        return calls.call(self, func, args, kwargs)

    def host(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], reason: str) -> Any:
        """A call of something that is not followed."""
        return host(self, func, args, kwargs, reason)


class Context:
    """A context manager whose methods are followed.

    Parameters
    ----------
    hooks : TapeHooks
        Of the run.
    manager : object
        Its class is written in Python.
    """

    def __init__(self, hooks: TapeHooks, manager: Any) -> None:
        self._hooks = hooks
        self._manager = manager

    def __enter__(self) -> Any:
        return self._hooks.call(None, type(self._manager).__enter__, self._manager)

    def __exit__(self, *error: Any) -> Any:
        return self._hooks.call(None, type(self._manager).__exit__, self._manager, *error)


def _as_asked(operation: str, made: Any) -> Any:
    if operation in ("In", "NotIn"):
        return bool(made) == (operation == "In")
    return made


def _compared(operation: str, left: Any, right: Any) -> Any:
    if operation in ("In", "NotIn"):
        return (left in right) == (operation == "In")
    return OPERATORS[operation](left, right)


def plain_index(index: Any) -> Any:
    """An index without active numbers."""
    if type(index) is tuple:
        return tuple(plain_index(part) for part in index)
    if isinstance(index, slice):
        return slice(*(plain_index(part) for part in (index.start, index.stop, index.step)))
    if isinstance(index, np.ndarray):
        return index.copy()
    return int(index) if type(index) is CutInt else index


def _is_python(value: Any) -> bool:
    """Whether a value is a number of Python's own."""
    return isinstance(value, _NUMBERS) and not isinstance(value, np.generic)


def _first(value: Any) -> Any:
    while type(value) in (list, tuple) and value:
        value = value[0]
    return value


__all__ = ["TapeHooks"]
