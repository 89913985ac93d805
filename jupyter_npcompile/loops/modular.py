"""Integers of which only the last bits are asked for: ``(a * x + c) & 0xFFFFFFFF``.

Python's integers have as many bits as they need, and ours 64. What is added, subtracted,
multiplied, shifted to the left or taken bit by bit modulo 2**64 has the same last bits, whatever
was lost above them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_npcompile.loops.inner_loops import power_of_two
from jupyter_npcompile.loops.kinds import Number
from jupyter_npcompile.loops.values import Scalar, Value


class NotIntegersError(Exception):
    """Something besides Python's integers would get what has lost its first bits."""


_BOTH = (ast.Add, ast.Sub, ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor)
_SIMPLE = (ast.Constant, ast.Name)


def is_asked(node: ast.BinOp) -> bool:
    """Whether an operator may ask for last bits, by a number that has no effects.

    Examples
    --------
    >>> [is_asked(ast.parse(text, mode="eval").body) for text in ("a & 7", "a % m", "a % f()")]
    [True, True, False]
    """
    right = node.right.operand if isinstance(node.right, ast.UnaryOp) else node.right
    parts = (right.left, right.right) if isinstance(right, ast.BinOp) else (right,)
    is_simple = all(isinstance(part, _SIMPLE) for part in parts)
    return isinstance(node.op, ast.BitAnd | ast.Mod) and is_simple


def are_last_bits(node: ast.BinOp, right: Value) -> bool:
    """Whether a constant on the right leaves no more than 63 bits, the last ones."""
    if not isinstance(right, Scalar) or right.type.origin != "py":
        return False
    if isinstance(node.op, ast.Mod):
        return power_of_two(right.const) is not None
    return type(right.const) is int and 0 <= right.const < 1 << 63


def require_integers(*values: Value) -> None:
    """Require Python's integers.

    Raises
    ------
    NotIntegersError
        When there is anything else, such as a number of NumPy's, which asks for all bits.
    """
    for value in values:
        kind = value.type if isinstance(value, Scalar) else None
        if not isinstance(kind, Number) or kind.origin != "py" or kind.mixed:
            raise NotIntegersError
        if kind.dtype not in ("int64", "bool"):
            raise NotIntegersError


def ring_of(node: ast.expr) -> Iterator[ast.BinOp]:
    """The operators whose last bits come from those of their operands.

    Examples
    --------
    >>> tree = ast.parse("a * b + (c >> f(x * y))", mode="eval")
    >>> [ast.unparse(one) for one in ring_of(tree.body)]
    ['a * b + (c >> f(x * y))', 'a * b']
    """
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        yield from ring_of(node.operand)
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, (*_BOTH, ast.LShift)):
        return
    yield node
    yield from ring_of(node.left)
    if not isinstance(node.op, ast.LShift):
        yield from ring_of(node.right)
