"""Whether a statement holds NumPy work, judged from its text and the names it uses."""

from __future__ import annotations

import ast
import types
from collections.abc import Mapping
from typing import Any

import numpy as np

from jupyter_npcompile.tracer.operations import is_numpy_function, operation
from jupyter_npcompile.tracer.table import is_constant


def numpy_call(node: ast.AST, namespace: Mapping[str, Any]) -> ast.expr | None:
    """The first NumPy call, or operation on an array, in a piece of code.

    Parameters
    ----------
    node : ast.AST
        A statement, or an expression of its header.
    namespace : mapping
        What its names mean.

    Examples
    --------
    >>> numpy_call(ast.parse("print(np.sum(x))"), {"np": np, "print": print}) is not None
    True
    >>> numpy_call(ast.parse("print('done')"), {"np": np, "print": print}) is None
    True
    """
    for part in _own(node):
        if isinstance(part, ast.Call) and _is_numpy(_resolve(part.func, namespace)):
            return part
        if isinstance(part, ast.BinOp | ast.Compare | ast.UnaryOp | ast.Subscript):
            operands = [part.value] if isinstance(part, ast.Subscript) else _operands(part)
            if any(isinstance(_resolve(o, namespace), np.ndarray) for o in operands):
                return part
    return None


def makes_array(node: ast.AST, namespace: Mapping[str, Any]) -> bool:
    """Whether a statement computes an array or NumPy scalar, by whatever means.

    Parameters
    ----------
    node : ast.AST
        A statement.
    namespace : mapping
        What its names mean, once it has run.

    Examples
    --------
    >>> names = {"y": np.ones(3), "n": 3}
    >>> [makes_array(ast.parse(text).body[0], names) for text in ("y = a.b + 1", "n = a.b + 1")]
    [True, False]
    """
    if not isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) or node.value is None:
        return False
    if not any(isinstance(part, _OPERATIONS) for part in ast.walk(node.value)):
        return isinstance(node, ast.AugAssign) and _is_array(node.target, namespace)
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return any(_is_array(part, namespace) for target in targets for part in ast.walk(target))


_OPERATIONS = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Call)


def _is_array(node: ast.AST, namespace: Mapping[str, Any]) -> bool:
    named = isinstance(node, ast.Name) and namespace.get(node.id)
    return isinstance(named, np.ndarray | np.generic)


def _own(node: ast.AST) -> list[ast.AST]:
    """A node and what it holds, without the bodies of nested statements."""
    found = [node]
    for child in ast.iter_child_nodes(node):
        nested = isinstance(child, ast.stmt) and isinstance(node, ast.stmt)
        if not nested and not isinstance(child, ast.ExceptHandler | ast.match_case | ast.Lambda):
            found.extend(_own(child))
    return found


def _operands(node: ast.expr) -> list[ast.expr]:
    return [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]


def _resolve(node: ast.expr, namespace: Mapping[str, Any]) -> Any:
    """What a dotted name means now; nothing is called and no property is read."""
    if isinstance(node, ast.Name):
        return namespace.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = _resolve(node.value, namespace)
        if isinstance(owner, types.ModuleType):
            return vars(owner).get(node.attr)
        if isinstance(owner, np.ndarray | np.random.Generator | np.random.RandomState | np.ufunc):
            return getattr(type(owner), node.attr, None) and _Method(owner)
    return None


class _Method:
    """A method of an array, of a ufunc or of a generator."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner


def _is_numpy(callee: Any) -> bool:
    if isinstance(callee, _Method):
        return True
    if callee is None or isinstance(callee, np.ndarray):
        return False
    try:
        name = operation(callee)
    except (AttributeError, TypeError):
        return False
    if name is None:
        return is_numpy_function(callee) and not isinstance(callee, types.ModuleType)
    return not is_constant(name)
