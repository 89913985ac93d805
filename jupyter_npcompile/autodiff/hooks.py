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

from jupyter_npcompile.autodiff import (
    attributes,
    builtin_calls,
    calls,
    effects,
    loops,
    operators,
    python_numbers,
    subscripts,
    texts,
)
from jupyter_npcompile.autodiff.flat_elements import FlatElements
from jupyter_npcompile.autodiff.special_methods import (
    NOTHING,
    read_attribute,
    setter_of,
    user_method,
)
from jupyter_npcompile.autodiff.steps import host, perform
from jupyter_npcompile.autodiff.tape import Tape
from jupyter_npcompile.tracer.numpy_calls import array_attribute

At = tuple[int, int] | None
About = tuple[tuple[str, ...], str]
"""Names that a loop's iteration starts from, and its text."""
Pattern = tuple[Any, ...] | None
"""None for a name, a tuple for a target that is taken apart."""

_BUFFERS = frozenset({"data", "ctypes", "__array_interface__", "__array_struct__"})
_VIEWS = frozenset({"T", "mT", "real", "imag"})
_HEAP = 1 << 9
_SIZED = (range, list, tuple, dict, set, np.ndarray)


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

    # -- operators and indexing

    binary = operators.binary
    unary = operators.unary
    compare = operators.compare
    augment = operators.augment
    subscript = subscripts.subscript
    store = subscripts.store
    delete = subscripts.delete

    def record(self, op: str, operands: tuple[Any, ...], result: Any) -> Any:
        """Enter an operation that has been computed."""
        tape = self.tape
        wrapped = tuple(tape.wrap(operand) for operand in operands)
        return tape.unwrap(tape.recorder.record(tape.hooks, op, wrapped, {}, result))

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

    def entries(self, at: At, value: Any) -> Any:
        """What ``**value`` gives; what is no mapping Python refuses."""
        return builtin_calls.entries(self, value) if hasattr(value, "keys") else value

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

    def call(self, at: At, func: Any, /, *args: Any, **kwargs: Any) -> Any:
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


__all__ = ["TapeHooks"]
