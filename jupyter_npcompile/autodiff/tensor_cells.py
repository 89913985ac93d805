"""Cells in which tensors that remember how they were made meet NumPy: they are followed."""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Iterator, MutableMapping
from typing import Any

import numpy as np

from jupyter_npcompile.autodiff.cells import forget_run
from jupyter_npcompile.autodiff.functions import is_library
from jupyter_npcompile.autodiff.tape import Tape
from jupyter_npcompile.cell import HOOKS, SourceText
from jupyter_npcompile.cell.syntax import descend
from jupyter_npcompile.cell.whole import whole_cell
from jupyter_npcompile.runtime.tensor_calls import remember
from jupyter_npcompile.tracer import helpers

_CUTS = frozenset({"detach", "item", "tolist"})
"""Methods whose results have no history."""

_HARMLESS = frozenset({"cpu", "clone", "contiguous", "double", "float", "squeeze"})
"""Methods that may stand between ``detach()`` and ``numpy()``."""

_MAKING = frozenset({"requires_grad", "requires_grad_", "Parameter", "nn"})
"""What the text of a cell holds that makes such tensors."""


class TensorCell:
    """One run of such a cell.

    Parameters
    ----------
    tree : ast.Module
        The cell.
    source : str
        Its text.
    names : list of str
        Names of tensors with a history that meet NumPy.
    namespace : mutable mapping
        Where the cell runs.

    Attributes
    ----------
    tree : ast.Module
        What runs in its place.
    """

    def __init__(
        self,
        tree: ast.Module,
        source: str,
        names: list[str],
        namespace: MutableMapping[str, Any],
    ) -> None:
        from jupyter_npcompile.autodiff.tensors import TensorHooks

        self.names = names
        self.namespace = namespace
        self.hooks = TensorHooks(Tape())
        self.hooks.tape.filename = "<cell>"
        self.tree = whole_cell(tree, SourceText(tuple(source.splitlines())), ())
        ast.fix_missing_locations(self.tree)

    def enter(self) -> None:
        """Let the cell find the hooks."""
        self.namespace[HOOKS] = self.hooks

    def leave(self) -> None:
        """The cell is over: what its tensors need is kept, and nothing else."""
        forget_run(self.namespace)
        self.hooks.close()

    @property
    def notes(self) -> list[str]:
        """What is told under the cell."""
        first = f"tensors with a history meet NumPy here ({', '.join(self.names)}): "
        return [f"{first}the cell was followed, not compiled", *map(str, self.hooks.tape.notes)]


def meeting(tree: ast.Module, source: str, namespace: MutableMapping[str, Any]) -> list[str]:
    """Names of tensors with a history that a cell hands to NumPy, as far as its text shows.

    Examples
    --------
    >>> source = "y = np.sin(x.numpy())"
    >>> meeting(ast.parse(source), source, {"x": 3.0})
    []
    """
    if "torch" not in sys.modules and "torch" not in source:
        return []
    names = {node.id for node in descend(tree) if isinstance(node, ast.Name)}
    known = {name for name in names if name in namespace and _has_history(namespace[name])}
    found: dict[str, None] = {}
    for statement in _statements(tree):
        _spread(statement, known)
        for node in _own(statement):
            if isinstance(node, ast.Call):
                found.update(dict.fromkeys(_met(node, known, namespace)))
    return list(found)


def _has_history(value: Any) -> bool:
    if remember((value,)):
        return True
    module = getattr(sys.modules.get("torch.nn"), "Module", None)
    return module is not None and isinstance(value, module) and remember(value.parameters())


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """The statements of a cell in order, those in loops and branches, too; not in functions."""
    waiting: list[ast.AST] = list(reversed(tree.body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if isinstance(node, ast.stmt):
            yield node
        if isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case):
            waiting += reversed(list(ast.iter_child_nodes(node)))


def _own(statement: ast.stmt) -> Iterator[ast.AST]:
    """The expressions of a statement, without those of statements in it."""
    for part in ast.iter_child_nodes(statement):
        if isinstance(part, ast.expr | ast.withitem):
            yield from ast.walk(part)


def _spread(statement: ast.stmt, known: set[str]) -> None:
    """What is bound to something made of such tensors may have a history, too."""
    if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.For):
        value = statement.iter if isinstance(statement, ast.For) else statement.value
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        if value is None or _is_cut(value) or not (_made(value) or _mentioned(value, known)):
            return
        for target in targets:
            known |= {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


def _is_cut(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _CUTS
    )


def _made(value: ast.expr) -> bool:
    """Whether an expression makes a tensor with a history."""
    for node in ast.walk(value):
        name = getattr(node, "attr", None) or getattr(node, "arg", None) or getattr(node, "id", "")
        if name in _MAKING:
            return True
    return False


def _mentioned(node: ast.AST, known: set[str]) -> list[str]:
    names = (part.id for part in ast.walk(node) if isinstance(part, ast.Name))
    return [name for name in names if name in known]


def _met(node: ast.Call, known: set[str], namespace: MutableMapping[str, Any]) -> list[str]:
    """Names that a call hands to NumPy."""
    func = node.func
    if isinstance(func, ast.Attribute) and func.attr == "numpy":
        forced = any(
            keyword.arg == "force" and getattr(keyword.value, "value", None)
            for keyword in node.keywords
        )
        return [] if forced or _is_detached(func.value) else _mentioned(func.value, known)
    if not _takes_numpy(func, namespace):
        return []
    parts = [*node.args, *(keyword.value for keyword in node.keywords)]
    return [name for part in parts if not _is_detached(part) for name in _mentioned(part, known)]


def _is_detached(node: ast.expr) -> bool:
    """Whether an expression ends in ``.detach()``, ``.data`` or ``.item()``."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in _CUTS:
            return True
        if node.func.attr == "numpy":
            return True  # it is looked at on its own
        if node.func.attr not in _HARMLESS:
            return False
        node = node.func.value
    return isinstance(node, ast.Attribute) and node.attr in ("data", "shape", "dtype", "grad")


def _takes_numpy(func: ast.expr, namespace: MutableMapping[str, Any]) -> bool:
    """Whether a function is NumPy's, or a person's that uses NumPy and is not compiled."""
    path: list[str] = []
    while isinstance(func, ast.Attribute):
        path.append(func.attr)
        func = func.value
    if not isinstance(func, ast.Name):
        return False
    value = namespace.get(func.id, np if func.id in ("np", "numpy") else None)
    if value is np:
        return True
    if path or not isinstance(value, types.FunctionType) or helpers.is_compiled(value):
        return False
    used = value.__code__.co_names
    return not is_library(value) and (
        "numpy" in used or any(value.__globals__.get(name) is np for name in used)
    )
