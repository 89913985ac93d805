"""From expressions to C++."""

from __future__ import annotations

import ast
import types as pytypes
from abc import abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np

from jupyter_npcompile.cell.syntax import assign, point, store
from jupyter_npcompile.loops import aggregates, arithmetic, elementwise, lists, methods
from jupyter_npcompile.loops.calls import array, elements, number
from jupyter_npcompile.loops.kinds import Declined, ListType, Number, Unbound
from jupyter_npcompile.loops.printing import parts_of
from jupyter_npcompile.loops.products import product
from jupyter_npcompile.loops.source import Comprehension, as_loop, is_own, named
from jupyter_npcompile.loops.subscripts import Subscripts
from jupyter_npcompile.loops.ufuncs import ufunc
from jupyter_npcompile.loops.values import (
    Applied,
    Items,
    Known,
    Listed,
    Method,
    Scalar,
    Text,
    Value,
)


class Expressions(Subscripts):
    """Writes expressions."""

    def condition(self, node: ast.expr) -> str:
        """A C++ condition: only the truth of ``and``, ``or`` and ``not`` counts here."""
        w = self.writer
        if isinstance(node, ast.BoolOp):
            sign = "" if isinstance(node.op, ast.And) else "!"
            result = w.variable(w.name("b"), "bool")
            for place, part in enumerate(node.values):
                w.emit(f"{result} = {self.condition(part)};")
                if place < len(node.values) - 1:
                    w.emit(f"if ({sign}{result}) {{")
            w.emit("}" * (len(node.values) - 1))
            return result
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return f"(!{self.condition(node.operand)})"
        return self.truth(self.expression(node))

    def truth(self, value: Value) -> str:
        """A C++ condition."""
        if isinstance(value, Scalar):
            return arithmetic.truth(value)
        if isinstance(value, Known) and (value.value is None or isinstance(value.value, str)):
            return "true" if value.value else "false"
        if isinstance(value, Listed):
            return lists.truth(value)
        raise Declined("the truth of something that is no number", self.line)

    def expression(self, node: ast.expr) -> Value:
        """The value of an expression; what it needs is written before."""
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
        return Items(tuple(self.expressions(node.elts)))

    def on_list(self, node: ast.List) -> Value:
        """A list of values; it is known whether somebody changes it when it gets a name."""
        return Items(tuple(self.expressions(node.elts)), is_list=True)

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
        self.for_loop(loop)
        made = self.read(name)
        for part in [part for part in self.frame.env if is_own(part, node)]:
            del self.frame.env[part]
        return made

    def on_attribute(self, node: ast.Attribute) -> Value:
        """An attribute of a module or of an array."""
        owner = self.expression(node.value)
        if isinstance(owner, Known) and isinstance(owner.value, np.ufunc):
            return Method(owner, node.attr)
        if isinstance(owner, Known):
            path = _dotted(node)
            try:
                value = getattr(owner.value, node.attr)
            except AttributeError:
                raise Declined(f"`{node.attr}`", node.lineno) from None
            if path is not None and isinstance(owner.value, pytypes.ModuleType):
                self.fixed[self.frame.function, path] = value
            elif not isinstance(owner.value, pytypes.ModuleType):
                raise Declined(f"the attribute `{node.attr}`", node.lineno)
            if isinstance(value, bool | int | float | complex):
                return arithmetic.constant(value)
            return Known(value)
        found = methods.attribute(self, owner, node.attr)
        return Method(owner, node.attr) if found is None else found

    def on_binop(self, node: ast.BinOp) -> Value:
        """An arithmetic operator."""
        left, right = self.expressions([node.left, node.right])
        return self.operate(arithmetic.UFUNCS[type(node.op)], left, right)

    def operate(self, name: str, left: Value, right: Value) -> Value:
        """An arithmetic operator."""
        if isinstance(left, Items) and isinstance(right, Items) and name == "add":
            if left.is_list != right.is_list:
                raise Declined("a list and a tuple", self.line)
            return Items((*left.items, *right.items), left.is_list)
        if isinstance(left, Items) and left.is_list and name == "multiply":
            return lists.repeated(self, left.items, number(right))
        a, b = array(left), array(right)
        if name == "matmul":
            return product(self, elements(a), elements(b))
        if isinstance(a, Scalar) and isinstance(b, Scalar):
            made = arithmetic.binary(name, a, b)
            return Scalar(self.writer.hold(made.type.c, made.code), made.type, made.tag, made.const)
        return elementwise.binary(name, a, b)

    def on_unaryop(self, node: ast.UnaryOp) -> Value:
        """An operator before its operand."""
        value = array(self.expression(node.operand))
        if isinstance(value, Scalar):
            made = arithmetic.unary(node.op, value)
            return made
        name = {ast.USub: "negative", ast.UAdd: "positive", ast.Invert: "invert"}.get(type(node.op))
        if name is None:
            raise Declined("not of an array", node.lineno)
        return ufunc(self, name, [value])

    def on_boolop(self, node: ast.BoolOp) -> Value:
        """``and``, ``or``."""
        join = "" if isinstance(node.op, ast.And) else "!"
        chain = _Chain(self, node, join)
        for part in node.values:
            chain.add(self.expression(part))
        return chain.value()

    def on_compare(self, node: ast.Compare) -> Value:
        """A comparison, or a chain of them."""
        if len(node.ops) == 1:
            left, right = self.expressions([node.left, node.comparators[0]])
            return self.compared(node.ops[0], left, right)
        left = self.expression(node.left)
        chain = _Chain(self, node, "")
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            right = self.settled(self.expression(comparator))
            chain.add(self.compared(op, self.settled(left), right))
            left = right
        return chain.value()

    def compared(self, op: ast.cmpop, left: Value, right: Value) -> Value:
        """One comparison."""
        if isinstance(op, ast.Is | ast.IsNot):
            if isinstance(right, Known) and right.value is None:
                same = isinstance(left, Known) and left.value is None
                return arithmetic.constant(same == isinstance(op, ast.Is))
            raise Declined("is", self.line)
        if isinstance(op, ast.In | ast.NotIn):
            found = aggregates.contains(self, left, right)
            return found if isinstance(op, ast.In) else arithmetic.unary(ast.Not(), found)
        symbol, name = arithmetic.COMPARISONS[type(op)]
        if symbol in ("==", "!=") and _is_text(left) and _is_text(right):
            assert isinstance(left, Known)
            assert isinstance(right, Known)
            return arithmetic.constant((left.value == right.value) == (symbol == "=="))
        a, b = array(left), array(right)
        if isinstance(a, Scalar) and isinstance(b, Scalar):
            return arithmetic.compare(symbol, name, a, b)
        return elementwise.compare(symbol, name, a, b)

    def on_ifexp(self, node: ast.IfExp) -> Value:
        """``a if test else b``."""
        # No name of the user's begins with a digit.
        name = f"0choice{node.lineno}_{node.col_offset}"
        place = point(node)
        body: list[ast.stmt] = [assign(store(name, place), node.body, place)]
        orelse: list[ast.stmt] = [assign(store(name, place), node.orelse, place)]
        self.branch(ast.If(node.test, body, orelse, **place))
        if isinstance(self.frame.env.get(name), Unbound):
            raise Declined("an if-expression of different types", node.lineno)
        made = self.settled(self.read(name))
        del self.frame.env[name]
        return made

    @abstractmethod
    def branch(self, node: ast.If) -> bool:
        """Write an ``if``."""

    @abstractmethod
    def for_loop(self, node: ast.For) -> None:
        """Write a ``for`` in the loop."""


class _Chain:
    """Truth values of which each is computed only when those before it do not decide."""

    def __init__(self, t: Expressions, node: ast.expr, join: str) -> None:
        self.writer = t.writer
        self.node = node
        self.join = join
        self.result = self.writer.variable(self.writer.name("b"), "bool")
        self.tag = self.writer.variable(self.writer.name("g"), "int")
        self.origins: set[str] = set()
        self.open = 0

    def add(self, value: Value) -> None:
        """The next one."""
        if not isinstance(value, Scalar) or value.type.dtype != "bool":
            raise Declined("and, or of something that is no truth value", self.node.lineno)
        self.writer.emit(f"{self.result} = {value.code};")
        self.writer.emit(f"{self.tag} = {arithmetic.tag_of(value)};")
        self.origins.add(value.type.origin)
        self.writer.emit(f"if ({self.join}{self.result}) {{")
        self.open += 1

    def value(self) -> Scalar:
        """All of them."""
        self.writer.emit("}" * self.open)
        if len(self.origins) == 1:
            (origin,) = self.origins
            if origin != "any":
                return Scalar(self.result, Number(origin, "bool", 1))  # type: ignore[arg-type]
        return Scalar(self.result, Number("any", "bool", 1), self.tag)


def _is_text(value: Value) -> bool:
    return isinstance(value, Known) and isinstance(value.value, str)


def _dotted(node: ast.expr) -> tuple[str, ...] | None:
    if isinstance(node, ast.Name):
        return (node.id,)
    if isinstance(node, ast.Attribute):
        inner = _dotted(node.value)
        return None if inner is None else (*inner, node.attr)
    return None
