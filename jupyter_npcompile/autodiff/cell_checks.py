"""A cell that is run again, as plain Python on copies, to check its gradient."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from jupyter_npcompile.autodiff.checking import copied
from jupyter_npcompile.autodiff.trees import flatten
from jupyter_npcompile.cell.syntax import clone

MOVE = "__npcompile_move__"
"""What a cell that is run again calls where it binds a variable that is moved."""

MOST = 100_000_000
"""Bytes of what a cell uses that are copied."""

_ACTING = (
    *(ast.With, ast.AsyncWith, ast.AsyncFor, ast.Await, ast.Yield, ast.YieldFrom),
    *(ast.Delete, ast.ClassDef, ast.Global, ast.Nonlocal),
)
"""What may do more than compute, and is not seen to."""


def kept(namespace: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """What a cell uses, as it is before the run; nothing if that is too much to copy."""
    found = {name: namespace[name] for name in names if name in namespace}
    leaves = (leaf for value in found.values() for leaf in flatten(value)[0])
    if sum(leaf.nbytes for leaf in leaves if isinstance(leaf, np.ndarray)) > MOST:
        return {}
    return {name: copied(value) for name, value in found.items()}


def reason_not_to(tree: ast.Module, before: Mapping[str, Any], used: Sequence[str]) -> str:
    """Why a cell is not run again, or ``""``.

    Examples
    --------
    >>> reason_not_to(ast.parse("y = x * 2"), {"x": 1.0}, ["x"])
    ''
    >>> reason_not_to(ast.parse("model.w = x"), {"x": 1.0}, ["x"])
    'the cell does more than compute (line 1)'
    """
    for node in ast.walk(tree):
        stored = isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
        if stored or isinstance(node, _ACTING):
            return f"the cell does more than compute (line {getattr(node, 'lineno', 0)})"
    return "" if before or not used else "it uses too much memory for a copy"


class PlainCell:
    r"""The outputs of a cell as one number, from values of its variables.

    Parameters
    ----------
    tree : ast.Module
        The cell.
    namespace : mapping
        Its names before the run.
    names : sequence of str
        The variables.
    bound_at : mapping of str to int
        Those that the cell binds itself, and which of the bindings counts.
    seeds : mapping of str to numpy.ndarray
        The weights of the elements of each output.

    Examples
    --------
    >>> cell = ast.parse("w = 2.0\ny = w * x")
    >>> run = PlainCell(cell, {"x": 1.0}, ["x", "w"], {"w": 1}, {"y": np.ones(())})
    >>> run(3.0, 5.0)
    15.0
    """

    def __init__(
        self,
        tree: ast.Module,
        namespace: Mapping[str, Any],
        names: Sequence[str],
        bound_at: Mapping[str, int],
        seeds: Mapping[str, Any],
    ) -> None:
        moving = ast.fix_missing_locations(_Moving(frozenset(bound_at)).visit(clone(tree)))
        self._code = compile(moving, "<cell>", "exec")
        self._namespace = dict(namespace)
        self._names, self._bound_at, self._seeds = list(names), dict(bound_at), dict(seeds)

    def __call__(self, *values: Any) -> float:
        """Run it."""
        given = dict(zip(self._names, values, strict=True))
        counts: dict[str, int] = {}

        def move(name: str, value: Any) -> Any:
            counts[name] = counts.get(name, 0) + 1
            return given[name] if counts[name] == self._bound_at[name] else value

        space = {name: copied(value) for name, value in self._namespace.items()}
        space |= {name: value for name, value in given.items() if name not in self._bound_at}
        space[MOVE] = move
        exec(self._code, space)
        return float(sum(np.sum(np.real(space[name] * seed)) for name, seed in self._seeds.items()))


class _Moving(ast.NodeTransformer):
    """Passes what is bound to variables through a call."""

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            node.value = self._moved(node.targets[0], node.value)
            return node
        bound = [part for target in node.targets for part in ast.walk(target)]
        names = [part.id for part in bound if isinstance(part, ast.Name) and part.id in self._names]
        return [
            node,
            *(
                ast.copy_location(
                    ast.Assign(
                        [ast.Name(name, ast.Store())],
                        self._moved(ast.Name(name, ast.Store()), ast.Name(name, ast.Load())),
                    ),
                    node,
                )
                for name in names
            ),
        ]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self._moved(node.target, node.value)
        return node

    def _moved(self, target: ast.expr, value: ast.expr) -> ast.expr:
        if isinstance(target, ast.Name) and target.id in self._names:
            name = ast.Constant(target.id)
            return ast.Call(ast.Name(MOVE, ast.Load()), [name, value], [])
        return value
