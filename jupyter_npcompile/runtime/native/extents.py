"""Integers in generated code that may follow from symbolic sizes: in C++, and as numbers.

An expression is known by what it is for some sizes: the recorded ones, and some
that nobody would choose. Two expressions that agree for all of them are the same.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.runtime.compile_errors import UnbuildableError

SIZES = "sizes"
"""The array of sizes in C++."""

SAMPLES = ((101, 211, 307, 401, 503), (10007, 20011, 30011, 40009, 50021))
"""From which sizes are made that nobody would choose."""


@dataclass(frozen=True, slots=True)
class Extent:
    """An integer.

    Parameters
    ----------
    text : str
        In C++.
    values : tuple of int
        What it is for each set of sizes.
    """

    text: str
    values: tuple[int, ...]

    @property
    def is_fixed(self) -> bool:
        """Whether it is the same for all sizes."""
        return not self.text or self.text.lstrip("-").isdigit()

    def __bool__(self) -> bool:
        return any(self.values)

    def __add__(self, other: Extent) -> Extent:
        return self._with(other, "+", operator.add)

    def __sub__(self, other: Extent) -> Extent:
        return self._with(other, "-", operator.sub)

    def __mul__(self, other: Extent) -> Extent:
        return self._with(other, "*", operator.mul)

    def _with(self, other: Extent, sign: str, function: Callable[[int, int], int]) -> Extent:
        values = tuple(map(function, self.values, other.values))
        if self.is_fixed and other.is_fixed:
            return Extent(str(values[0]), values)
        return Extent(f"({self.text} {sign} {other.text})", values)


class Extents:
    """The integers of one generated module.

    Parameters
    ----------
    examples : sequence of int
        What the symbols were in the recording, by their numbers.

    Examples
    --------
    >>> extents = Extents([100, 50])
    >>> extents.name("s77", 1)
    >>> extents.read("2*s77 + 1").text
    '((2 * sizes[1]) + 1)'
    >>> extents.read("2*s77 + 1").values[0]
    101
    """

    def __init__(self, examples: Sequence[int] = ()) -> None:
        self._sets = [tuple(examples)]
        if examples:
            for sample in SAMPLES:
                spread = (sample[k % len(sample)] + 2 * k * k for k in range(len(examples)))
                self._sets.append(tuple(spread))
        self._known: dict[str, Extent] = {}

    @property
    def count(self) -> int:
        """How many symbols there are."""
        return len(self._sets[0])

    def fixed(self, number: int) -> Extent:
        """An integer that is always the same."""
        return Extent(str(number), (number,) * len(self._sets))

    def of(self, value: int | Extent) -> Extent:
        """An integer, whichever way it is given."""
        return self.fixed(value) if isinstance(value, int) else value

    def symbol(self, index: int) -> Extent:
        """A symbol, by its number."""
        return Extent(f"{SIZES}[{index}]", tuple(sizes[index] for sizes in self._sets))

    def name(self, name: str, value: int | Extent) -> None:
        """Note what a name stands for: a symbol, by its number, or anything."""
        self._known[name] = self.symbol(value) if isinstance(value, int) else value

    def has(self, name: str) -> bool:
        """Whether a name is an integer."""
        return name in self._known

    def read(self, expression: str | ast.expr) -> Extent:
        """An expression in Python's syntax.

        Raises
        ------
        UnbuildableError
            When it is no integer that is known.
        """
        if isinstance(expression, str):
            expression = ast.parse(expression, mode="eval").body
        return self._read(expression)

    def tuple(self, node: ast.expr) -> tuple[Extent, ...]:
        """A tuple of expressions."""
        if not isinstance(node, ast.Tuple):
            raise UnbuildableError(ast.unparse(node))
        return tuple(map(self._read, node.elts))

    def product(self, factors: Sequence[Extent]) -> Extent:
        """The product of integers."""
        return reduce(operator.mul, factors, self.fixed(1))

    def condition(self, expression: str) -> str:
        """A condition in Python's syntax as C++."""
        return self._condition(ast.parse(expression, mode="eval").body)

    def _read(self, node: ast.expr) -> Extent:
        match node:
            case ast.Constant(value=bool()):
                pass
            case ast.Constant(value=int(number)):
                return self.fixed(number)
            case ast.Name(id=name) if name in self._known:
                return self._known[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self.fixed(0) - self._read(operand)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                function, text = _OPERATORS[type(op)]
                one, two = self._read(left), self._read(right)
                values = tuple(map(function, one.values, two.values))
                if one.is_fixed and two.is_fixed:
                    return self.fixed(values[0])
                return Extent(text.format(one.text, two.text), values)
            case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int(power))) if (
                0 <= power <= 8
            ):
                return self.product([self._read(left)] * power)
            case ast.Call(func=ast.Name(id=name), args=args) if name in ("max", "min") and args:
                parts = [self._read(part) for part in args]
                columns = zip(*(part.values for part in parts), strict=True)
                values = tuple(_EXTREMES[name](*column) for column in columns)
                text = reduce(
                    lambda a, b: f"std::{name}<int64_t>({a}, {b})", (p.text for p in parts)
                )
                return Extent(text, values)
        raise UnbuildableError(f"an integer that is written `{ast.unparse(node)}`")

    def _condition(self, node: ast.expr) -> str:
        match node:
            case ast.BoolOp(op=op, values=values):
                sign = " && " if isinstance(op, ast.And) else " || "
                return f"({sign.join(map(self._condition, values))})"
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return f"!{self._condition(operand)}"
            case ast.Constant(value=bool(truth)):
                return str(int(truth))
            case ast.Compare(left=left, ops=ops, comparators=others):
                parts = [self._read(part).text for part in (left, *others)]
                tests = (
                    f"({a} {_COMPARISONS[type(op)]} {b})"
                    for a, op, b in zip(parts, ops, parts[1:], strict=False)
                )
                return f"({' && '.join(tests)})"
        raise UnbuildableError(f"a condition that is written `{ast.unparse(node)}`")


def _floor_divide(a: int, b: int) -> int:
    return a // b if b else 0  # of sizes that nobody would choose


def _modulo(a: int, b: int) -> int:
    return a % b if b else 0


_OPERATORS: Mapping[type[ast.operator], tuple[Callable[[int, int], int], str]] = {
    ast.Add: (operator.add, "({} + {})"),
    ast.Sub: (operator.sub, "({} - {})"),
    ast.Mult: (operator.mul, "({} * {})"),
    ast.FloorDiv: (_floor_divide, "npcompile_floor_divide({}, {})"),
    ast.Mod: (_modulo, "npcompile_modulo({}, {})"),
}
_EXTREMES: Mapping[str, Callable[..., int]] = {
    "max": lambda *values: max(values),
    "min": lambda *values: min(values),
}
_COMPARISONS: Mapping[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}

HELPERS = """
static inline int64_t npcompile_floor_divide(int64_t a, int64_t b) {
  if (b == 0) throw 0;
  int64_t q = a / b;
  return q - (a % b != 0 && (a < 0) != (b < 0));
}
static inline int64_t npcompile_modulo(int64_t a, int64_t b) {
  return a - npcompile_floor_divide(a, b) * b;
}
"""
"""What the expressions call, in C++."""


def holds(conditions: Sequence[str], sizes: Mapping[str, int]) -> bool:
    """Whether conditions are true for sizes.

    Examples
    --------
    >>> holds(["s0 > 2", "s0 % 2 == 0"], {"s0": 4})
    True
    """
    known: dict[str, Any] = {"max": max, "min": min, "__builtins__": {}, **sizes}
    return all(eval(condition, known) for condition in conditions)
