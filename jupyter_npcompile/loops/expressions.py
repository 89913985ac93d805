"""From expressions to C++."""

from __future__ import annotations

import ast
import types as pytypes
from abc import abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np

from jupyter_npcompile.loops import arithmetic, closures, elementwise, lists, methods, modular
from jupyter_npcompile.loops.calls import array, elements, number
from jupyter_npcompile.loops.conditions import Conditions
from jupyter_npcompile.loops.courtesy import give_way
from jupyter_npcompile.loops.kinds import Declined, ListType
from jupyter_npcompile.loops.library.printing import parts_of
from jupyter_npcompile.loops.library.products import product
from jupyter_npcompile.loops.library.ufuncs import ufunc
from jupyter_npcompile.loops.records import Step
from jupyter_npcompile.loops.source import Comprehension, as_loop, is_own, named
from jupyter_npcompile.loops.values import (
    Applied,
    Entries,
    Holder,
    Items,
    Known,
    Listed,
    Method,
    Scalar,
    Text,
    Value,
    plain,
)


class Expressions(Conditions):
    """Writes expressions."""

    def expression(self, node: ast.expr) -> Value:
        """The value of an expression; what it needs is written before."""
        give_way()
        method = getattr(self, f"on_{type(node).__name__.lower()}", None)
        if method is None:
            raise Declined(named(node), node.lineno)
        value: Value = method(node)
        if isinstance(value, Applied) and elementwise.size_of(value) > elementwise.MOST:
            return elementwise.materialise(self.writer, value)
        return value

    def on_constant(self, node: ast.Constant) -> Value:
        """A number, a text, None."""
        if isinstance(node.value, bool | int | float | complex):
            return arithmetic.constant(node.value)
        return Known(node.value)

    def on_name(self, node: ast.Name) -> Value:
        """The value of a name."""
        return self.read(node.id)

    def on_tuple(self, node: ast.Tuple) -> Value:
        """A tuple of values."""
        return Items(tuple(self.spread(node.elts)))

    def on_list(self, node: ast.List) -> Value:
        """A list of values; it is known whether somebody changes it when it gets a name."""
        return Items(tuple(self.spread(node.elts)), is_list=True)

    def on_lambda(self, node: ast.Lambda) -> Value:
        """A function, which is written where it is called."""
        return closures.defined(self, node)

    def on_dict(self, node: ast.Dict) -> Value:
        """A dict that is returned."""
        names = tuple(key.value if isinstance(key, ast.Constant) else None for key in node.keys)
        if not all(isinstance(name, str) and name.isprintable() for name in names):
            raise Declined("a dict whose keys are no texts", node.lineno)
        if len(set(names)) < len(names):
            raise Declined("a dict with a key twice", node.lineno)
        return Entries(tuple(map(str, names)), tuple(self.expressions(node.values)))

    def on_joinedstr(self, node: ast.JoinedStr) -> Value:
        """A formatted text, which may be printed."""
        return Text(
            tuple(
                part if isinstance(part, str) else (self.settled(self.expression(part[0])), part[1])
                for part in parts_of(node)
            )
        )

    def on_listcomp(self, node: Comprehension) -> Value:
        """A list comprehension: a loop that appends to a list, with names of its own."""
        made = self.comprehended(node, Listed("", ListType(None)))
        assert isinstance(made, Listed)
        return replace(made, name="")

    def on_generator_of(self, function: Any, node: ast.GeneratorExp) -> Value:
        """What a function of Python makes of the items of a generator expression."""
        if function in (any, all):
            until = function is any
            start = arithmetic.constant(not until)
            return self.settled(self.comprehended(node, start, until))
        made = self.on_listcomp(node)
        return made if function is list else self.called(function, [made], {})

    def comprehended(self, node: Comprehension, start: Value, until: bool | None = None) -> Value:
        """The loop of a comprehension: what its name is bound to in the end."""
        if any(generator.is_async for generator in node.generators):
            raise Declined("a comprehension that waits", node.lineno)
        name, loop = as_loop(node, until)
        self.assign(name, start)
        self.within += 1
        self.for_loop(loop)
        self.within -= 1
        made = self.read(name)
        for part in [part for part in self.frame.env if is_own(part, node)]:
            del self.frame.env[part]
        return made

    def on_attribute(self, node: ast.Attribute) -> Value:
        """An attribute of a module or of an array."""
        owner = self.expression(node.value)
        if isinstance(owner, Holder):
            return self.member(owner, node.attr)
        if isinstance(owner, Known) and isinstance(owner.value, np.ufunc):
            return Method(owner, node.attr)
        if isinstance(owner, Known):
            path = _dotted(node)
            try:
                value = getattr(owner.value, node.attr)
            except AttributeError:
                raise Declined(f"`{node.attr}`", node.lineno) from None
            if path is not None and isinstance(owner.value, pytypes.ModuleType):
                self.fixed[self.found(path[0]), *path[1:]] = value
            elif not isinstance(owner.value, pytypes.ModuleType):
                raise Declined(f"the attribute `{node.attr}`", node.lineno)
            if isinstance(value, bool | int | float | complex):
                return arithmetic.constant(value)
            return Known(value)
        found = methods.attribute(self, owner, node.attr)
        return Method(owner, node.attr) if found is None else found

    def member(self, owner: Holder, name: str) -> Value:
        """An attribute of an object, or of its class; properties are written like functions."""
        record = owner.record
        if record.type is dict:
            return Method(owner, name)
        if name in record.entries:
            return self.entry(owner, Step(record.type, name))
        try:
            found = record.attribute(name)
        except AttributeError:
            raise Declined(f"`{name}` is not there", self.line) from None
        step = Step(record.type, name, of_class=True)
        self.fixed[*owner.path, step] = found
        if isinstance(found, pytypes.FunctionType):
            return Method(owner, name)
        if isinstance(found, property) and isinstance(found.fget, pytypes.FunctionType):
            return self.inlined(found.fget, [owner], {})
        if type(found) in (bool, int, float):
            return arithmetic.constant(found)
        raise Declined(f"`{name}` of the class {record.type.__name__}", self.line)

    def on_binop(self, node: ast.BinOp) -> Value:
        """An arithmetic operator."""
        found = self._last_bits(node) if modular.is_asked(node) else None
        if found is not None:
            return found
        left, right = self.expressions([node.left, node.right])
        wraps = node in self.wraps
        return self.operate(arithmetic.UFUNCS[type(node.op)], left, right, wraps=wraps)

    def _last_bits(self, node: ast.BinOp) -> Value | None:
        """An operator that asks for last bits only; None where that is nothing special."""
        mark, earlier = self.writer.mark(), self.wraps
        ring = frozenset(modular.ring_of(node.left))
        right = self.expression(node.right) if ring else None
        if right is None or not modular.are_last_bits(node, right):
            self.writer.back(mark)
            return None
        self.wraps = earlier | ring
        try:
            left = self.expression(node.left)
        except modular.NotIntegersError:
            self.writer.back(mark)
            return None
        finally:
            self.wraps = earlier
        return self.operate(arithmetic.UFUNCS[type(node.op)], left, right)

    def operate(self, name: str, left: Value, right: Value, *, wraps: bool = False) -> Value:
        """An arithmetic operator; of Python's integers the last bits only, where it wraps."""
        if isinstance(left, Items) and isinstance(right, Items) and name == "add":
            if left.is_list != right.is_list:
                raise Declined("a list and a tuple", self.line)
            return Items((*left.items, *right.items), left.is_list)
        if isinstance(left, Items) and left.is_list and name == "multiply":
            return lists.repeated(self, left.items, number(right))
        a, b = array(plain(left)), array(plain(right))
        if wraps:
            modular.require_integers(a, b)
        if name == "matmul":
            return product(self, elements(a), elements(b))
        if isinstance(a, Scalar) and isinstance(b, Scalar):
            made = arithmetic.binary(name, a, b, wraps=wraps)
            return Scalar(self.writer.hold(made.type.c, made.code), made.type, made.tag, made.const)
        return elementwise.binary(name, a, b)

    def on_unaryop(self, node: ast.UnaryOp) -> Value:
        """An operator before its operand."""
        value = array(plain(self.expression(node.operand)))
        if isinstance(value, Scalar):
            made = arithmetic.unary(node.op, value)
            return made
        name = {ast.USub: "negative", ast.UAdd: "positive", ast.Invert: "invert"}.get(type(node.op))
        if name is None:
            raise Declined("not of an array", node.lineno)
        return ufunc(self, name, [value])

    def on_namedexpr(self, node: ast.NamedExpr) -> Value:
        """``name := value``; where it stands, it is evaluated, and before others that read it."""
        self.assign(node.target.id, self.expression(node.value))
        return self.read(node.target.id)

    @abstractmethod
    def for_loop(self, node: ast.For) -> None:
        """Write a ``for`` in the loop."""


def _dotted(node: ast.expr) -> tuple[str, ...] | None:
    if isinstance(node, ast.Name):
        return (node.id,)
    if isinstance(node, ast.Attribute):
        inner = _dotted(node.value)
        return None if inner is None else (*inner, node.attr)
    return None
