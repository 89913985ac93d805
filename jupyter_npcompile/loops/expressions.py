"""From expressions to C++."""

from __future__ import annotations

import ast
import operator
import types as pytypes
from abc import abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np

from jupyter_npcompile.cell.syntax import assign, load, point, store
from jupyter_npcompile.loops import (
    arithmetic,
    closures,
    elementwise,
    lists,
    methods,
    modular,
    small_arrays,
)
from jupyter_npcompile.loops.calls import array, elements, number
from jupyter_npcompile.loops.courtesy import give_way
from jupyter_npcompile.loops.frames import NeedsMemory
from jupyter_npcompile.loops.kinds import BOOL, Declined, ListType, Number, Unbound
from jupyter_npcompile.loops.library import aggregates
from jupyter_npcompile.loops.library.printing import parts_of
from jupyter_npcompile.loops.library.products import product
from jupyter_npcompile.loops.library.ufuncs import ufunc
from jupyter_npcompile.loops.records import Step
from jupyter_npcompile.loops.source import Comprehension, as_loop, is_own, named
from jupyter_npcompile.loops.subscripts import Subscripts
from jupyter_npcompile.loops.values import (
    Applied,
    Closure,
    Entries,
    Holder,
    Items,
    Known,
    Listed,
    Method,
    Ref,
    Scalar,
    Slots,
    Text,
    Value,
    plain,
)

TRUE, FALSE = "true", "false"

DECIDED = {TRUE: FALSE, FALSE: TRUE}
"""Conditions that are known now, and their opposites."""


class Expressions(Subscripts):
    """Writes expressions."""

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

    def on_namedexpr(self, node: ast.NamedExpr) -> Value:
        """``name := value``; where it stands, it is evaluated, and before others that read it."""
        self.assign(node.target.id, self.expression(node.value))
        return self.read(node.target.id)

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


def _dotted(node: ast.expr) -> tuple[str, ...] | None:
    if isinstance(node, ast.Name):
        return (node.id,)
    if isinstance(node, ast.Attribute):
        inner = _dotted(node.value)
        return None if inner is None else (*inner, node.attr)
    return None
