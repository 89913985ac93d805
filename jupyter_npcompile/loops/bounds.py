"""Indices of an innermost loop that one look before the loop proves to be in bounds.

GCC vectorises no loop that may be left anywhere. So such a loop is written
twice, without checks and with them, and which of the two runs is decided
before it begins. An index is linear in the counter of the loop: where its first
and last value are in bounds, all are.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import field

from jupyter_npcompile.cell.syntax import clone
from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.loops.kinds import Fixed, Number, Type


@dataclass(frozen=True)
class Need:
    """An index that has to be in bounds.

    Parameters
    ----------
    array : str
        The C++ variable of the array.
    dimension : int
        Of the array.
    index : ast.expr
        What stands there.
    """

    array: str
    dimension: int
    index: ast.expr = field(compare=False)
    text: str = ""


class Proof:
    """What is known of the indices of a loop.

    Parameters
    ----------
    counter : str
        The name that counts its iterations.
    body : sequence of ast.stmt
        Its statements.

    Attributes
    ----------
    needs : dict of Need to Need
        What has to be looked at before the loop, in order.
    """

    def __init__(self, counter: str, body: Sequence[ast.stmt]) -> None:
        self.counter = counter
        self.bound = {
            node.id
            for statement in body
            for node in ast.walk(statement)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        self.needs: dict[Need, Need] = {}

    @property
    def applies(self) -> bool:
        """Whether the counter is not bound by the body."""
        return self.counter not in self.bound

    def admits(self, index: ast.expr, names: dict[str, Type]) -> bool:
        """Whether an index is linear in the counter, and known before the loop else.

        Examples
        --------
        >>> proof = Proof("i", ast.parse("k = 3").body)
        >>> types = {"i": Number("py", "int64", 40), "n": Number("py", "int64", 40)}
        >>> texts = ("i", "n - 2 * i + 1", "i * i", "i // 2", "i + k")
        >>> [proof.admits(ast.parse(text, mode="eval").body, types) for text in texts]
        [True, True, False, False, False]
        """
        return self._degree(index, names) is not None

    def _degree(self, node: ast.expr, names: dict[str, Type]) -> int | None:
        """0 for what does not depend on the counter, 1 for what is linear; else None."""
        if isinstance(node, ast.Constant):
            small = type(node.value) is int and abs(node.value) < 1 << 31
            return 0 if small else None
        if isinstance(node, ast.Name):
            type_ = names.get(node.id)
            if isinstance(type_, Fixed) and node.id not in self.bound:
                small = type(type_.value) is int and abs(type_.value) < 1 << 31
                return 0 if small else None
            if node.id in self.bound or not isinstance(type_, Number):
                return None
            if type_.is_tagged or type_.origin != "py" or type_.dtype != "int64":
                return None
            return int(node.id == self.counter)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return self._degree(node.operand, names)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult):
            left, right = self._degree(node.left, names), self._degree(node.right, names)
            if left is None or right is None:
                return None
            degree = left + right if isinstance(node.op, ast.Mult) else max(left, right)
            return degree if degree <= 1 else None
        return None

    def require(self, array: str, dimension: int, index: ast.expr) -> None:
        """An index of an array is not checked in the loop."""
        need = Need(array, dimension, index, ast.dump(index))
        self.needs.setdefault(need, need)


class _Renamed(ast.NodeTransformer):
    def __init__(self, old: str, new: str) -> None:
        self.old, self.new = old, new

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if node.id != self.old:
            return node
        return ast.copy_location(ast.Name(self.new, node.ctx), node)


def renamed(node: ast.expr, old: str, new: str) -> ast.expr:
    """A copy of an expression with another name in it.

    Examples
    --------
    >>> ast.unparse(renamed(ast.parse("i + n", mode="eval").body, "i", "k"))
    'k + n'
    """
    made = _Renamed(old, new).visit(clone(node))
    assert isinstance(made, ast.expr)
    return made
