"""Calls: of NumPy and Python in C++, of NumPy itself, and of functions written into the loop."""

from __future__ import annotations

import ast
import functools
import types as pytypes
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from jupyter_npcompile.cell.names import bound_names
from jupyter_npcompile.loops import arithmetic, closures, elementwise, errors, hosts, lists, methods
from jupyter_npcompile.loops.calls import array
from jupyter_npcompile.loops.frames import Frame, NeedsMemory
from jupyter_npcompile.loops.functions import find
from jupyter_npcompile.loops.fusion.liveness import needed_after
from jupyter_npcompile.loops.given import fixed_value
from jupyter_npcompile.loops.inlining import Inlined, definition_of
from jupyter_npcompile.loops.joins import either_returned
from jupyter_npcompile.loops.kinds import ArrayType, Declined, Fixed, Raises, RangeType, Type
from jupyter_npcompile.loops.library import mapped, masked, stacks
from jupyter_npcompile.loops.names import Names
from jupyter_npcompile.loops.records import Step
from jupyter_npcompile.loops.values import (
    Closure,
    Holder,
    Items,
    Known,
    Listed,
    Locked,
    Method,
    Ref,
    Scalar,
    Value,
    dtype_of,
    plain,
)
from jupyter_npcompile.tracer.sources import as_defined

DEEPEST = 6
"""Calls of functions in each other that are written into the loop."""


LARGE = 1 << 62
"""Integers from here on have more bits than those of Python's have in loops."""

PLAIN = (abs, float, int, bool, round)
"""What takes a 0-d array for its element, as ufuncs do."""


TAKE_GENERATORS = (sum, min, max, any, all, list, sorted)
"""Functions of Python of a generator expression, which is the same as of a list."""

IN_ORDER = (
    *(np.matmul, np.dot, np.vdot, np.inner, np.reshape, np.ravel, np.transpose, np.swapaxes),
    *(np.moveaxis, np.squeeze, np.expand_dims, np.broadcast_to, np.shape, np.size, np.ndim, len),
    *(np.where, np.clip, np.trace, np.diag, np.outer, np.allclose, np.array_equal),
)
"""Functions whose results are views or numbers, computed element by element, or in C's order."""

REDUCING = (
    *(np.sum, np.mean, np.max, np.min, np.any, np.all, np.prod, np.std, np.var, np.ptp),
    *(np.argmax, np.argmin, np.median, np.count_nonzero),
)
"""Functions whose results have an order only where there are more than two dimensions."""

REDUCING_METHODS = frozenset(
    (
        *("sum", "mean", "max", "min", "any", "all", "prod", "std", "var", "ptp"),
        *("argmax", "argmin", "median", "count_nonzero"),
    )
)
"""Methods of which that is so: they are called as the functions, which is where it is asked."""

METHODS_IN_ORDER = frozenset(
    [
        "copy",
        "flatten",
        "ravel",
        "reshape",
        "transpose",
        "swapaxes",
        "squeeze",
        "dot",
        "item",
        "tolist",
        "fill",
    ]
)
"""Methods of which that is so."""


def keeps_order(function: Any) -> bool:
    """Whether nobody need ask in which order the arguments of a function lie in memory."""
    module = getattr(function, "__module__", None) or ""
    return (
        isinstance(function, np.ufunc)
        or function in IN_ORDER
        or module.startswith("numpy.linalg")  # LAPACK's results are copied
    )


READING: tuple[Any, ...] = (
    *(*REDUCING, np.sort, np.diag, np.where, np.clip, np.outer, np.dot, np.linalg.norm, len, abs),
    *(np.concatenate, np.stack, np.vstack, np.hstack, np.column_stack, np.dstack, np.allclose),
    *(np.array, np.copy, np.cumsum, np.diff, np.interp, np.tensordot, np.einsum, np.kron),
    *(np.compress, np.extract),
)
"""Functions whose results are never views of their arguments, besides ufuncs."""


def only_reads(function: Any) -> bool:
    """Whether what a function gives is never a view of its arguments, or one of them.

    Examples
    --------
    >>> only_reads(np.sqrt), only_reads(np.sum), only_reads(np.reshape)
    (True, True, False)
    """
    return isinstance(function, np.ufunc) or function in READING


TAKE_LISTS = (np.array, np.asarray, np.concatenate)
"""Functions of NumPy that do not make one array of a list."""


PARTS_OF_THE_CODE = ("axis", "keepdims", "ddof")
"""Arguments on which the type of a result depends, and not on their types only."""


class Calls(Names):
    """Writes calls."""

    def on_call(self, node: ast.Call) -> Value:
        """A call."""
        is_sole = node is self.sole
        counted = self._counted_in_binary(node)
        if counted is not None:
            return methods.ones_in_binary(self, self.expression(counted))
        function = self.expression(node.func)
        if any(keyword.arg is None for keyword in node.keywords):
            raise Declined("a starred argument", node.lineno)
        if len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp):
            if not self.takes_items(function) or node.keywords:
                raise Declined("a generator expression", node.lineno)
            assert isinstance(function, Known)
            return self.on_generator_of(function.value, node.args[0])
        large = _large(function, node)
        if large is not None:
            return large
        if self.takes_items(function) and len(node.args) == 1 and not node.keywords:
            assert isinstance(function, Known)
            items = self.items_of(node.args[0])
            if items is not None:
                return self.on_generator_of(function.value, items)
        for keyword in node.keywords:
            if keyword.arg in PARTS_OF_THE_CODE and isinstance(keyword.value, ast.Name):
                self.by_its_value(keyword.value.id)
        given = [keyword.value for keyword in node.keywords]
        values = self.spread([*node.args, *given])
        named = values[len(values) - len(given) :]
        args = values[: len(values) - len(given)]
        kwargs = {str(k.arg): value for k, value in zip(node.keywords, named, strict=True)}
        if isinstance(function, Method) and isinstance(function.owner, Holder):
            return self.method_of(function.owner, function.name, args, kwargs, is_sole)
        if isinstance(function, Method):
            if function.name not in METHODS_IN_ORDER and function.name not in REDUCING_METHODS:
                self.note_orders((function.owner, *args))
            return methods.method(self, function.owner, function.name, args, kwargs)
        if isinstance(function, Closure):
            found = closures.inlined(self, function)
            return self.written_in(found, args, kwargs, is_sole, function.frame)
        if not isinstance(function, Known):
            raise Declined("a call of something that is no function", node.lineno)
        out = kwargs.pop("out", None)
        if out is not None and "where" in kwargs and isinstance(function.value, np.ufunc):
            return masked.call(self, function.value, args, kwargs, out)
        if out is not None:
            return self.into(function.value, out, self.called(function.value, args, kwargs))
        call = find(function.value)
        if call is not None or hosts.is_host(function.value):
            return self.called(function.value, args, kwargs)
        if type(function.value) is pytypes.FunctionType:
            ignored = errors.decorated(function.value)
            if ignored is None:
                return self.inlined(function.value, args, kwargs, is_sole)
            # What is not in a variable might be computed on the other side of the edge.
            plain = all(isinstance(v, ast.Name | ast.Constant) for v in (*node.args, *given))
            if not plain or not is_sole or not self.frame.is_alone or self.within:
                raise Declined("a function with np.errstate, called in an expression", node.lineno)
            inner = function.value.__wrapped__  # type: ignore[attr-defined]
            return self.with_ignored(ignored, lambda: self.inlined(inner, args, kwargs, is_sole))
        raise Declined(f"`{ast.unparse(node.func)}`", node.lineno)

    def _counted_in_binary(self, node: ast.Call) -> ast.expr | None:
        """What ``bin(n).count("1")`` counts the bits of; None for another call."""
        match node:
            case ast.Call(
                func=ast.Attribute(
                    value=ast.Call(args=[counted], keywords=[]) as digits, attr="count"
                ),
                args=[ast.Constant("1")],
                keywords=[],
            ) if mapped.is_call_of(self, digits, (bin,)):
                return counted
        return None

    def with_ignored(self, ignored: frozenset[str], write: Callable[[], Value]) -> Value:
        """Write something where NumPy ignores some errors, too."""
        before = self.ignored
        self.errors_as(before | ignored)
        self.ignored = before | ignored
        try:
            made = write()
            self.errors_as(before)
        finally:
            self.ignored = before
        return made

    def takes_items(self, function: Value) -> bool:
        """Whether a function of Python's takes the items of something, one by one."""
        return isinstance(function, Known) and any(function.value is f for f in TAKE_GENERATORS)

    def items_of(self, node: ast.expr) -> ast.GeneratorExp | None:
        """The items of an array, of a range or of ``map``; None of something else."""
        if mapped.is_call_of(self, node, (*mapped.LAZY, range)):
            return mapped.generator(node)
        if isinstance(node, ast.Name):
            known = self.frame.env.get(node.id)
            if isinstance(known, RangeType) or (isinstance(known, ArrayType) and known.ndim == 1):
                return mapped.generator(node)
        return None

    def method_of(
        self,
        owner: Holder,
        name: str,
        args: Sequence[Value],
        kwargs: Mapping[str, Value],
        is_sole: bool,
    ) -> Value:
        """A method of a dict, or of an object from outside."""
        record = owner.record
        if record.type is not dict:
            function = record.attribute(name)
            assert isinstance(function, pytypes.FunctionType)
            return self.inlined(function, [owner, *args], kwargs, is_sole)
        key = args[0] if args else None
        if name != "get" or kwargs or not isinstance(key, Known) or len(args) > 2:
            raise Declined(f"the method {name} of a dict", self.line)
        if key.value not in record.entries:
            raise Declined(f"{key.value!r}, which is not in the dict", self.line)
        return self.entry(owner, Step(dict, key.value))

    @abstractmethod
    def on_generator_of(self, function: Any, node: ast.GeneratorExp) -> Value:
        """What a function of Python makes of the items of a generator expression."""

    def into(self, function: Any, out: Value, value: Value) -> Value:
        """Write a result into an array: ``out=``."""
        if not isinstance(out, Ref):
            raise Declined("out= with something that is no array", self.line)
        made = array(value)
        if not isinstance(function, np.ufunc) and dtype_of(made) != out.dtype:
            raise Declined("out= of another dtype", self.line)
        if function is np.dot:
            raise Declined("np.dot with out=", self.line)
        stored = elementwise.converted(made, out.dtype, same_kind=True)
        elementwise.store(self.writer, out, stored)
        self.note_write(out)
        return out

    def called(self, function: Any, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        """A call of a function of NumPy or Python, in C++ or by NumPy itself."""
        if any(isinstance(value, Listed) for value in (*args, *kwargs.values())):
            args, kwargs = self.without_lists(function, args, kwargs)
        if any(isinstance(value, Locked) for value in args) and not only_reads(function):
            raise Declined("a view of a read-only view", self.line)
        if function in PLAIN or isinstance(function, np.ufunc):
            args = [plain(value) for value in args]
        call = find(function)
        if call is None:
            return hosts.call(self, function, args, kwargs)
        given = (*args, *kwargs.values())
        if not keeps_order(function) and function not in REDUCING:
            self.note_orders(given)
        mark = self.writer.mark()
        try:
            made = call(self, args, kwargs)
        except Declined:
            if not hosts.is_host(function):
                raise
            self.writer.back(mark)
            made = hosts.call(self, function, args, kwargs)
        if function in REDUCING and not isinstance(made, Scalar):
            self.note_orders(given, 3)
        return made

    def note_orders(self, values: Iterable[Value], least: int = 2) -> None:
        """Note whether arrays of so many dimensions that go into something are in C's order."""
        for value in values:
            if isinstance(value, Items):
                self.note_orders(value.items, least)
            elif isinstance(value, Ref) and value.ndim >= least:
                elementwise.note_order(self.writer, value)

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
        self,
        function: pytypes.FunctionType,
        args: Sequence[Value],
        kwargs: Mapping[str, Value],
        is_sole: bool = False,
    ) -> Value:
        """Write a function of Python's into the loop."""
        found = definition_of(function)
        self.codes.append((function, function.__code__, function.__defaults__))
        written = as_defined(function)
        if written is not function:  # either may be given other defaults
            if written.__defaults__ is not function.__defaults__:
                raise Declined(f"`{function.__name__}`: its defaults were replaced", self.line)
            self.codes.append((written, written.__code__, written.__defaults__))
        return self.written_in(found, args, kwargs, is_sole, None, function)

    def written_in(
        self,
        found: Inlined,
        args: Sequence[Value],
        kwargs: Mapping[str, Value],
        is_sole: bool,
        around: Frame | None,
        function: pytypes.FunctionType | None = None,
    ) -> Value:
        """Write a function where it is called.

        Parameters
        ----------
        found : Inlined
            The function.
        args, kwargs : sequence, mapping
            What is passed.
        is_sole : bool
            Whether nothing of the statement but the call is left to be computed.
        around : Frame or None
            The names around its definition, if that is translated, too.
        function : types.FunctionType, optional
            Itself, if it is there already.
        """
        if self.depth >= DEEPEST:
            raise Declined("functions that call each other too deeply", self.line)
        bound = found.bind(args, kwargs, fixed_value if around is None else _as_it_is)
        outer, jumps, line, within = self.frame, self.jumps, self.line, self.within
        self.calls += 1
        number = self.calls
        frame = Frame(f"f{number}_", found.lookup, found.own, is_loop=False)
        frame.function = function if around is None else around.function
        frame.around, frame.caller = around, outer
        frame.is_alone = outer.is_alone and is_sole
        frame.ignored = self.ignored
        frame.result = "return"
        frame.label = self.writer.name("back")
        frame.changed = lists.changed_names(found.body)
        frame.needed = needed_after(found.body, frozenset())
        held = [(name, self.settled(value)) for name, value in bound]
        assigned = bound_names(found.body)
        self.frame, self.jumps, self.within = frame, [], 0
        self.depth += 1
        try:
            for name, value in held:
                if name not in assigned and isinstance(value, Scalar) and value.const is not None:
                    frame.env[name] = Fixed((type(value.const), repr(value.const)), value.const)
                else:
                    self.assign(name, value)
            result = self._body_of(found, frame)
        finally:
            self.depth -= 1
            self.frame, self.jumps, self.line, self.within = outer, jumps, line, within
        return result

    def _body_of(self, found: Inlined, frame: Frame) -> Value:
        """Write the body of a function; returns its result.

        It is written again where what is returned in one place must be converted to what
        is returned in another.
        """
        before, mark = dict(frame.env), self.writer.mark()
        while True:
            self.writer.emit("{")
            if self.body(found.body):
                if frame.returned:
                    raise Declined("a function that returns in some cases only", self.line)
                frame.returned.append(Fixed(id(None), None))
            self.writer.emit("}")
            if not frame.returned:
                raise Raises("a function that does not return", self.line)
            returns = functools.reduce(either_returned, frame.returned)
            if isinstance(returns, ArrayType) and len(set(map(_is_small, frame.returned))) > 1:
                raise NeedsMemory(frame.result)
            if returns == frame.returns or all(type == returns for type in frame.returned):
                self.writer.emit(f"{frame.label}: ;")
                return self.value(frame.result, returns)
            self.writer.back(mark)
            frame.env, frame.returns, frame.returned = dict(before), returns, []


def _is_small(type: Type) -> bool:
    return isinstance(type, ArrayType) and type.is_small


def _as_it_is(value: Value) -> Value:
    return value


def _large(function: Value, node: ast.Call) -> Value | None:
    """``np.uint64(0x8000000000000000)``: an integer that only an integer of NumPy's can be."""
    if not isinstance(function, Known) or len(node.args) != 1 or node.keywords:
        return None
    (arg,) = node.args
    kind = function.value
    if not isinstance(arg, ast.Constant) or type(arg.value) is not int or arg.value < LARGE:
        return None
    if not isinstance(kind, type) or not issubclass(kind, np.integer) or find(kind) is None:
        return None
    return arithmetic.large_constant(np.dtype(kind).name, arg.value)
