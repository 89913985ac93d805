"""Calls: of NumPy and Python in C++, of NumPy itself, and of functions written into the loop."""

from __future__ import annotations

import ast
import types as pytypes
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from jupyter_npcompile.loops import arithmetic, elementwise, hosts, lists, methods, stacks
from jupyter_npcompile.loops.calls import array
from jupyter_npcompile.loops.functions import find
from jupyter_npcompile.loops.inlining import definition_of
from jupyter_npcompile.loops.kinds import Declined, Fixed
from jupyter_npcompile.loops.liveness import needed_after
from jupyter_npcompile.loops.names import Frame, Names
from jupyter_npcompile.loops.values import Known, Listed, Method, Ref, Value

DEEPEST = 6
"""Calls of functions in each other that are written into the loop."""


TAKE_GENERATORS = (sum, min, max, any, all, list, sorted)
"""Functions of Python of a generator expression, which is the same as of a list."""

TAKE_LISTS = (np.array, np.asarray, np.concatenate)
"""Functions of NumPy that do not make one array of a list."""


class Calls(Names):
    """Writes calls."""

    def on_call(self, node: ast.Call) -> Value:
        """A call."""
        function = self.expression(node.func)
        if any(isinstance(arg, ast.Starred) for arg in node.args):
            raise Declined("a starred argument", node.lineno)
        if any(keyword.arg is None for keyword in node.keywords):
            raise Declined("a starred argument", node.lineno)
        if len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp):
            taken = isinstance(function, Known) and function.value in TAKE_GENERATORS
            if not taken or node.keywords:
                raise Declined("a generator expression", node.lineno)
            assert isinstance(function, Known)
            return self.on_generator_of(function.value, node.args[0])
        values = self.expressions([*node.args, *(keyword.value for keyword in node.keywords)])
        args, named = values[: len(node.args)], values[len(node.args) :]
        kwargs = {str(k.arg): value for k, value in zip(node.keywords, named, strict=True)}
        if isinstance(function, Method):
            return methods.method(self, function.owner, function.name, args, kwargs)
        if not isinstance(function, Known):
            raise Declined("a call of something that is no function", node.lineno)
        out = kwargs.pop("out", None)
        if out is not None:
            return self.into(out, self.called(function.value, args, kwargs))
        call = find(function.value)
        if call is not None or hosts.is_host(function.value):
            return self.called(function.value, args, kwargs)
        if type(function.value) is pytypes.FunctionType:
            return self.inlined(function.value, args, kwargs)
        raise Declined(f"`{ast.unparse(node.func)}`", node.lineno)

    @abstractmethod
    def on_generator_of(self, function: Any, node: ast.GeneratorExp) -> Value:
        """What a function of Python makes of the items of a generator expression."""

    def into(self, out: Value, value: Value) -> Value:
        """Write a result into an array: ``out=``."""
        if not isinstance(out, Ref):
            raise Declined("out= with something that is no array", self.line)
        made = array(value)
        stored = elementwise.converted(made, out.dtype, same_kind=True)
        elementwise.store(self.writer, out, stored)
        self.note_write(out)
        return out

    def called(self, function: Any, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        """A call of a function of NumPy or Python, in C++ or by NumPy itself."""
        if any(isinstance(value, Listed) for value in (*args, *kwargs.values())):
            args, kwargs = self.without_lists(function, args, kwargs)
        call = find(function)
        if call is None:
            return hosts.call(self, function, args, kwargs)
        mark = self.writer.mark()
        try:
            return call(self, args, kwargs)
        except Declined:
            if not hosts.is_host(function):
                raise
            self.writer.back(mark)
            return hosts.call(self, function, args, kwargs)

    def without_lists(
        self, function: Any, args: Sequence[Value], kwargs: Mapping[str, Value]
    ) -> tuple[Sequence[Value], Mapping[str, Value]]:
        """Arguments with arrays for lists, where NumPy makes arrays of them."""
        module = getattr(function, "__module__", "numpy") or "numpy"
        if function in TAKE_LISTS or module.partition(".")[0] != "numpy":
            return args, kwargs

        def made(value: Value) -> Value:
            return stacks.as_array(self, value) if isinstance(value, Listed) else value

        return list(map(made, args)), {key: made(value) for key, value in kwargs.items()}

    def inlined(
        self, function: pytypes.FunctionType, args: Sequence[Value], kwargs: Mapping[str, Value]
    ) -> Value:
        """Write a function of Python's into the loop."""
        if self.depth >= DEEPEST:
            raise Declined("functions that call each other too deeply", self.line)
        found = definition_of(function)
        bound = found.bind(args, kwargs, arithmetic.constant)
        self.codes.append((function, function.__code__, function.__defaults__))
        outer, jumps, line = self.frame, self.jumps, self.line
        self.calls += 1
        number = self.calls
        frame = Frame(f"f{number}_", found.lookup, found.own, is_loop=False)
        frame.function = function
        frame.result = "return"
        frame.label = self.writer.name("back")
        frame.changed = lists.changed_names(found.body)
        frame.needed = needed_after(found.body, frozenset())
        held = [(name, self.settled(value)) for name, value in bound]
        self.frame, self.jumps = frame, []
        self.depth += 1
        try:
            for name, value in held:
                self.assign(name, value)
            self.writer.emit("{")
            if self.body(found.body):
                if frame.returns is not None:
                    raise Declined("a function that returns in some cases only", self.line)
                frame.returns = Fixed(id(None), None)
            self.writer.emit("}")
            self.writer.emit(f"{frame.label}: ;")
            assert frame.returns is not None
            result = self.value("return", frame.returns)
        finally:
            self.depth -= 1
            self.frame, self.jumps, self.line = outer, jumps, line
        return result
