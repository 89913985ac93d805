"""From conditions to C++: truth, comparisons, and choices between expressions."""

from __future__ import annotations

import ast
import operator
import types as pytypes
from abc import abstractmethod
from typing import Any

import numpy as np

from jupyter_npcompile.cell.syntax import assign, load, point, store
from jupyter_npcompile.loops import arithmetic, elementwise, lists, small_arrays
from jupyter_npcompile.loops.calls import array
from jupyter_npcompile.loops.frames import NeedsMemory
from jupyter_npcompile.loops.kinds import BOOL, Declined, Number, Unbound
from jupyter_npcompile.loops.library import aggregates
from jupyter_npcompile.loops.records import Step
from jupyter_npcompile.loops.subscripts import Subscripts
from jupyter_npcompile.loops.values import (
    Closure,
    Entries,
    Holder,
    Items,
    Known,
    Listed,
    Ref,
    Scalar,
    Slots,
    Value,
    plain,
)

TRUE, FALSE = "true", "false"

DECIDED = {TRUE: FALSE, FALSE: TRUE}
"""Conditions that are known now, and their opposites."""


class Conditions(Subscripts):
    """Writes conditions."""

    def condition(self, node: ast.expr) -> str:
        """A C++ condition: only the truth of ``and``, ``or`` and ``not`` counts here.

        It is ``true`` or ``false`` where that is known now.
        """
        w = self.writer
        if isinstance(node, ast.BoolOp):
            sign, end = ("", FALSE) if isinstance(node.op, ast.And) else ("!", TRUE)
            result, opened = "", 0
            for part in node.values:
                test = self.condition(part)
                if test == end:
                    w.emit("}" * opened)
                    return end
                if test not in DECIDED:
                    result = result or w.variable(w.name("b"), "bool")
                    w.emit(f"{result} = {test};", f"if ({sign}{result}) {{")
                    opened += 1
            w.emit("}" * opened)
            return result or (TRUE if end == FALSE else FALSE)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            test = self.condition(node.operand)
            return DECIDED.get(test, f"(!{test})")
        return self.truth(self.expression(node))

    def truth(self, value: Value) -> str:
        """A C++ condition; ``true`` or ``false`` where that is known now."""
        known = known_truth(value)
        if known is not None:
            return TRUE if known else FALSE
        if isinstance(value, Scalar):
            return arithmetic.truth(value)
        if isinstance(value, Listed):
            return lists.truth(value)
        raise Declined("the truth of something that is no number", self.line)

    def on_boolop(self, node: ast.BoolOp) -> Value:
        """``and``, ``or``."""
        is_and = isinstance(node.op, ast.And)
        first, *others = node.values
        value = self.expression(first)
        while others and (known := known_truth(value)) is not None:
            if known != is_and:
                return value
            value = self.expression(others.pop(0))
        if not others:
            return value
        if not isinstance(value, Scalar) or value.type.dtype != "bool":
            return self._one_of(node, value, others)
        chain = _Chain(self, node, "" if is_and else "!")
        chain.add(value)
        for part in others:
            chain.add(self.expression(part))
        return chain.value()

    def _one_of(self, node: ast.BoolOp, value: Value, others: list[ast.expr]) -> Value:
        """``a or b`` of numbers: one of them."""
        # No name of the user's begins with a digit.
        name = f"0either{node.lineno}_{node.col_offset}"
        place = point(node)
        test: ast.expr = load(name, place)
        if isinstance(node.op, ast.Or):
            test = ast.UnaryOp(ast.Not(), test, **place)
        rest = others[0] if len(others) == 1 else ast.BoolOp(node.op, others, **place)
        self.assign(name, value)
        return self._chosen(
            name, ast.If(test, [assign(store(name, place), rest, place)], [], **place)
        )

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
            if isinstance(left, Ref) and isinstance(right, Ref):
                return self._are_one(left, right, isinstance(op, ast.Is))
            raise Declined("is", self.line)
        if isinstance(op, ast.In | ast.NotIn):
            if _is_text(left) and isinstance(right, Items):
                texts = [item.value for item in right.items if _is_text(item)]
                if all(_is_text(item) or _is_of_python(item) for item in right.items):
                    assert isinstance(left, Known)
                    return arithmetic.constant((left.value in texts) == isinstance(op, ast.In))
            if _is_text(left) and isinstance(right, Slots | Holder):
                assert isinstance(left, Known)
                return self._has_key(left.value, right, isinstance(op, ast.In))
            found = aggregates.contains(self, left, right)
            return found if isinstance(op, ast.In) else arithmetic.unary(ast.Not(), found)
        symbol, name = arithmetic.COMPARISONS[type(op)]
        if symbol in ("==", "!=") and _is_text(left) and _is_text(right):
            assert isinstance(left, Known)
            assert isinstance(right, Known)
            return arithmetic.constant((left.value == right.value) == (symbol == "=="))
        if _is_text(left) != _is_text(right) and symbol in ("==", "!="):
            other = right if _is_text(left) else left
            if _is_of_python(other):
                return arithmetic.constant(symbol == "!=")
        if isinstance(left, Items) and isinstance(right, Items) and symbol in ("==", "!="):
            return self._equal_items(left, right, symbol == "==")
        a, b = array(plain(left)), array(plain(right))
        if isinstance(a, Scalar) and isinstance(b, Scalar):
            if _is_real(a) and _is_real(b):
                return arithmetic.constant(_COMPARED[symbol](a.const, b.const))
            return arithmetic.compare(symbol, name, a, b)
        return elementwise.compare(symbol, name, a, b)

    def _are_one(self, left: Ref, right: Ref, wanted: bool) -> Scalar:
        """Whether two names have the same array."""
        if (left.dtype, left.ndim) != (right.dtype, right.ndim):
            return arithmetic.constant(not wanted)
        for ref in (left, right):
            owner = small_arrays.name_of(self.writer, ref)
            if owner is not None:
                raise NeedsMemory(owner)
        code = f"(is_same({left.code}, {right.code}, given) == {str(wanted).lower()})"
        return Scalar(self.writer.hold("bool", code, "b"), BOOL)

    def _equal_items(self, left: Items, right: Items, wanted: bool) -> Value:
        """Whether two tuples of integers are equal."""
        pairs = list(zip(left.items, right.items, strict=False))
        for part in (*left.items, *right.items):
            # Floats are equal in a tuple where they are one object, NaN or not.
            if not isinstance(part, Scalar) or part.type.kind not in "ib" or part.type.mixed:
                raise Declined("a comparison of such tuples", self.line)
        if len(left.items) != len(right.items) or left.is_list != right.is_list:
            return arithmetic.constant(not wanted)
        if all(_is_real(part) for pair in pairs for part in pair):
            return arithmetic.constant(all(a.const == b.const for a, b in pairs) == wanted)
        tests = [f"(i64){a.code} == (i64){b.code}" for a, b in pairs]
        code = f"(({' && '.join(tests)}) == {str(wanted).lower()})"
        return Scalar(self.writer.hold("bool", code, "b"), BOOL)

    def _has_key(self, key: str, some: Slots | Holder, wanted: bool) -> Value:
        """``key in some``: a dict from outside may lose what it has, or get it, any time."""
        if isinstance(some, Slots):
            return arithmetic.constant((key in some.names) == wanted)
        if some.record.type is not dict or key not in some.record.entries:
            raise Declined("in", self.line)
        self.entry(some, Step(dict, key))  # what is an input is there
        return arithmetic.constant(wanted)

    def on_ifexp(self, node: ast.IfExp) -> Value:
        """``a if test else b``."""
        # No name of the user's begins with a digit.
        name = f"0choice{node.lineno}_{node.col_offset}"
        place = point(node)
        body: list[ast.stmt] = [assign(store(name, place), node.body, place)]
        orelse: list[ast.stmt] = [assign(store(name, place), node.orelse, place)]
        return self._chosen(name, ast.If(node.test, body, orelse, **place))

    def _chosen(self, name: str, choice: ast.If) -> Value:
        """What a choice between two expressions binds a name to."""
        self.within += 1
        self.branch(choice)
        self.within -= 1
        if isinstance(self.frame.env.get(name), Unbound):
            raise Declined("an if-expression of different types", choice.lineno)
        made = self.settled(self.read(name))
        del self.frame.env[name]
        return made

    @abstractmethod
    def branch(self, node: ast.If) -> bool:
        """Write an ``if``."""


class _Chain:
    """Truth values of which each is computed only when those before it do not decide."""

    def __init__(self, t: Conditions, node: ast.expr, join: str) -> None:
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


def known_truth(value: Value) -> bool | None:
    """The truth of a value, where that is known now.

    Examples
    --------
    >>> known_truth(Known("")), known_truth(arithmetic.constant(2)), known_truth(Known(np.sin))
    (False, True, True)
    """
    if isinstance(value, Scalar):
        return None if value.const is None else bool(value.const)
    if isinstance(value, Items):
        return bool(value.items)
    if isinstance(value, Known) and _has_plain_truth(value.value):
        return bool(value.value)
    if isinstance(value, Slots | Entries):
        return bool(value.names)
    return True if isinstance(value, Closure) else None


def _has_plain_truth(value: Any) -> bool:
    return value is None or isinstance(value, str | np.ufunc | pytypes.FunctionType)


def _is_of_python(value: Value) -> bool:
    """Whether a value is None, or a number of Python's: equal to no text."""
    if isinstance(value, Scalar):
        return value.type.origin == "py"
    return isinstance(value, Known) and value.value is None


def _is_real(value: Scalar) -> bool:
    """Whether a value is a real number of Python's that is known now."""
    return value.type.origin == "py" and type(value.const) in (bool, int, float)


_COMPARED = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _is_text(value: Value) -> bool:
    return isinstance(value, Known) and isinstance(value.value, str)
