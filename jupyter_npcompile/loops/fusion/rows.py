"""Which statements do their work row by row: each row of what they make needs that row alone.

``x - x.max(axis=1, keepdims=True)`` needs a row of `x` for a row of its result. Statements of
which all are so may be done for the first rows, and then for the next: what they make for a few
rows is still in the cache when the next statement reads it. ``np.cumsum(x, axis=0)`` does its
work column by column, and the same is done with columns: of those, read *column* for *row* here.
"""

from __future__ import annotations

import ast
import copy

import numpy as np

from jupyter_npcompile.cell.syntax import load, point, store
from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.loops.fusion.fusible import is_among, names_in
from jupyter_npcompile.loops.fusion.row_expressions import (
    NUMBER,
    REDUCING,
    REDUCING_FUNCTIONS,
    Kind,
    NotByRows,
    Part,
    RowExpressions,
    is_none,
    is_slice,
    method_of,
    of_rows,
    parts_of,
)

_MAKING = (
    *(np.arange, np.linspace, np.eye, np.zeros, np.ones, np.full, np.triu, np.tril, np.where),
    *(np.zeros_like, np.ones_like, len, int, float, abs),
)
"""Functions without effects, of which a statement may be done earlier."""

_PURE = ("copy", "astype", "transpose", "reshape", "ravel", *REDUCING)


_KNOWN = ("made", "inputs", "whole", "as_is", "passes", "has_lines", "is_heavy", "drawn")
"""What a statement changes that cannot be added after all."""


@dataclass
class Rows(RowExpressions):
    """Statements that have been found to do their work row by row."""

    def add(self, node: ast.stmt) -> None:
        """Add a statement.

        Raises
        ------
        NotByRows
            When it is none of this kind.
        """
        before = {name: copy.copy(getattr(self, name)) for name in _KNOWN}
        try:
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                made = self._assigned(node.targets[0], node)
            elif isinstance(node, ast.AugAssign) and not isinstance(node.op, ast.MatMult):
                made = self._augmented(node)
            else:
                raise NotByRows
            known = {*before["inputs"].values(), *map(of_rows, before["made"])}
            if self.statements and not names_in(made) & known:
                raise NotByRows
        except NotByRows:
            vars(self).update(before)
            raise
        self.statements.append(made)

    def may_go_before(self, node: ast.stmt) -> bool:
        """Whether a statement has nothing to do with the others, and may be done before them."""
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            return False
        (target,) = node.targets
        if not isinstance(target, ast.Name) or names_in(node.value) & {*self.made}:
            return False
        if target.id in {*self.made, *self.inputs, *self.as_is}:
            return False
        return all(self._is_pure(part) for part in ast.walk(node.value))

    def _is_pure(self, node: ast.AST) -> bool:
        if not isinstance(node, ast.Call):
            return not isinstance(
                node, ast.NamedExpr | ast.Lambda | ast.Starred | ast.comprehension
            )
        if any(keyword.arg in (None, "out") for keyword in node.keywords):
            return False
        try:
            function = self.resolve(node.func)
        except LookupError:
            return isinstance(node.func, ast.Attribute) and node.func.attr in _PURE
        return isinstance(function, np.ufunc) or is_among(function, (*_MAKING, *REDUCING_FUNCTIONS))

    def _assigned(self, target: ast.expr, node: ast.Assign) -> ast.stmt:
        if isinstance(target, ast.Name):
            kind, value = self.drawing(node.value) or self._fresh(node.value)
            if not kind.by_rows:
                raise NotByRows
            self.made[target.id] = kind
            self.passes += kind.ndim >= self.ndim
            return ast.Assign([store(of_rows(target.id), point(node))], value, None, **point(node))
        kind, value = self.expression(node.value)
        return ast.Assign([self._place(target, kind)], value, None, **point(node))

    def _augmented(self, node: ast.AugAssign) -> ast.stmt:
        kind, value = self.expression(node.value)
        if isinstance(node.target, ast.Name):
            held = self.made.get(node.target.id)
            if held is None or self._joined([held, kind]) != held:
                raise NotByRows
            self.passes += held.ndim >= self.ndim
            target: ast.expr = store(of_rows(node.target.id), point(node))
        else:
            target = self._place(node.target, kind)
        return ast.AugAssign(target, node.op, value, **point(node))  # type: ignore[arg-type]

    def _place(self, target: ast.expr, value: Kind) -> ast.expr:
        """Where a statement writes into what another one has made."""
        if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
            raise NotByRows
        name = target.value.id
        held = self.made.get(name)
        if held is None or not held.by_rows:
            raise NotByRows
        parts = parts_of(target)
        if not self._keeps_rows(held.ndim, parts):
            raise NotByRows
        items = [self._index(part, arrays=True) for part in parts]
        if value != NUMBER:
            if any(isinstance(part, ast.Name) or is_none(part) for part in parts):
                raise NotByRows
            kind = Kind(held.ndim - sum(not is_slice(part) for part in parts), True)
            if self._joined([kind, value]) != kind:
                raise NotByRows
        index = ast.Tuple(items, ast.Load(), **point(target))
        owner = load(of_rows(name), point(target))
        return ast.Subscript(owner, index, ast.Store(), **point(target))

    def _fresh(self, node: ast.expr) -> Part:
        """An expression whose value nothing else refers to."""
        if not isinstance(node, ast.BinOp | ast.UnaryOp | ast.Compare | ast.Call):
            raise NotByRows
        if isinstance(node, ast.Call) and method_of(node) in ("transpose", "swapaxes"):
            raise NotByRows
        return self.expression(node)
