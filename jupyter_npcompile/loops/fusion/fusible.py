"""Which statements may share one C++ loop, as far as their syntax tells, and what they read."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np

from jupyter_npcompile.cell.syntax import assign, load, point, store
from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.loops.fusion.unrolling import Resolve
from jupyter_npcompile.loops.kinds import CTYPES

_MAKES = (
    *(np.zeros, np.ones, np.empty, np.full),
    *(np.zeros_like, np.ones_like, np.empty_like, np.full_like),
)

_READS = (
    *(np.roll, np.sum, np.max, np.min, np.mean, np.meshgrid, np.indices),
    *(np.dtype(name).type for name in CTYPES),
    *(len, int, float, bool, min, max, range),
)
"""Functions without effects that are called before the loop begins."""

_COMPUTED = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Call)
"""What is no array that lies anywhere yet."""

_METHODS = ("sum", "max", "min", "mean", "copy", "astype")


class NotFusible(Exception):  # noqa: N818 - it names a verdict, not a mistake
    """A statement that needs a loop of its own."""


@dataclass
class Reads:
    """What an expression reads.

    Attributes
    ----------
    elsewhere : set of str
        Names of arrays that may be read at other places than the one that is written.
    subscripts : list of ast.Subscript
        Views and elements of arrays that have names.
    """

    elsewhere: set[str] = field(default_factory=set)
    subscripts: list[ast.Subscript] = field(default_factory=list)


def may_fuse(node: ast.stmt) -> bool:
    """Whether a statement has the form of one that may share a loop."""
    if isinstance(node, ast.Assign):
        (target, *others) = node.targets
        return not others and (_is_place(target) or bool(apart_names(target)))
    if isinstance(node, ast.AugAssign):
        return _is_place(node.target) and not isinstance(node.op, ast.MatMult)
    return isinstance(node, ast.Expr) and out_of(node.value) is not None


def apart_names(node: ast.expr) -> list[str]:
    """The names of a target ``a, b = ...``, each of which is another one.

    Examples
    --------
    >>> [apart_names(ast.parse(t).body[0].targets[0]) for t in ("a, b = c", "a, a = c", "a = c")]
    [['a', 'b'], [], []]
    """
    if not isinstance(node, ast.Tuple):
        return []
    names = [item.id for item in node.elts if isinstance(item, ast.Name)]
    return names if len(set(names)) == len(node.elts) else []


def _is_place(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) or (
        isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)
    )


def is_whole(node: ast.expr, ndim: int) -> bool:
    """Whether what stands in square brackets leaves out nothing of an array.

    Examples
    --------
    >>> texts = ("x[:]", "x[...]", "x[:, ...]", "x[:, :]", "x[1:]", "x[0]")
    >>> [is_whole(ast.parse(text, mode="eval").body.slice, 1) for text in texts]
    [True, True, True, False, False, False]
    """
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    slices = [part for part in parts if isinstance(part, ast.Slice)]
    dots = [part for part in parts if isinstance(part, ast.Constant) and part.value is ...]
    return (
        len(slices) + len(dots) == len(parts)
        and len(slices) <= ndim
        and len(dots) <= 1
        and not any(part.lower or part.upper or part.step for part in slices)
    )


def out_of(node: ast.expr) -> ast.expr | None:
    """Where a call of a function of NumPy puts its result: ``out=``.

    Examples
    --------
    >>> ast.unparse(out_of(ast.parse("np.add(a, b, out=c)", mode="eval").body))
    'c'
    """
    if not isinstance(node, ast.Call) or [k.arg for k in node.keywords] != ["out"]:
        return None
    place = node.keywords[0].value
    return place if _is_place(place) else None


def result_apart(node: ast.Return) -> tuple[ast.Assign, ast.Return]:
    """``return expression`` as an assignment, and the return of a name that no user has.

    Examples
    --------
    >>> print(*map(ast.unparse, result_apart(ast.parse("return a + b").body[0])), sep="; ")
    0value1_0 = a + b; return 0value1_0
    """
    assert node.value is not None
    place, name = point(node), f"{RESULT}{node.lineno}_{node.col_offset}"
    returned = ast.Return(load(name, place), **place)
    return assign(store(name, place), node.value, place), returned


RESULT = "0value"
"""How the names of results begin: no name of the user's begins with a digit."""


def reads_of(node: ast.expr, resolve: Resolve) -> Reads:
    """What an expression reads.

    Parameters
    ----------
    node : ast.expr
        It is written nowhere else in the meantime.
    resolve : callable
        The value of a name from outside; raises LookupError where nobody knows it.

    Raises
    ------
    NotFusible
        When it may have effects, or holds what is not done element by element.

    Examples
    --------
    >>> def elsewhere(text):
    ...     node = ast.parse(text, mode="eval").body
    ...     return sorted(reads_of(node, lambda node: getattr(np, node.attr)).elsewhere)
    >>> elsewhere("a[1:] * b - np.roll(c, 1)")
    ['c']
    >>> elsewhere("w[n] * a[0:, k]")
    ['k', 'n']
    """
    reads = Reads()
    _read(node, resolve, reads)
    return reads


def _read(node: ast.expr, resolve: Resolve, reads: Reads) -> None:
    if isinstance(node, ast.Name | ast.Constant):
        return
    if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
        _read(node.left, resolve, reads)
        _read(node.right, resolve, reads)
    elif isinstance(node, ast.UnaryOp):
        _read(node.operand, resolve, reads)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and _is_order(node.ops[0]):
        _read(node.left, resolve, reads)
        _read(node.comparators[0], resolve, reads)
    elif isinstance(node, ast.Subscript):
        _subscript(node, resolve, reads)
    elif isinstance(node, ast.Call):
        _call(node, resolve, reads)
    elif isinstance(node, ast.Attribute):
        _attribute(node, resolve)
    elif isinstance(node, ast.Tuple):
        for part in node.elts:
            _read(part, resolve, reads)
    else:
        raise NotFusible


def _is_order(op: ast.cmpop) -> bool:
    return isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE | ast.Eq | ast.NotEq)


def _attribute(node: ast.Attribute, resolve: Resolve) -> None:
    if isinstance(node.value, ast.Name) and node.attr in ("shape", "size", "ndim"):
        return
    try:
        resolve(node)
    except LookupError:
        raise NotFusible from None


def _subscript(node: ast.Subscript, resolve: Resolve, reads: Reads) -> None:
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    for part in parts:
        bounds = [part]
        if isinstance(part, ast.Slice):
            bounds = [b for b in (part.lower, part.upper, part.step) if b is not None]
        for bound in bounds:
            _read(bound, resolve, reads)
            # An index that is an array chooses elements anywhere.
            reads.elsewhere |= names_in(bound)
    if not isinstance(node.value, ast.Name):
        if not isinstance(node.value, ast.Attribute):
            raise NotFusible
        _attribute(node.value, resolve)
    else:
        reads.subscripts.append(node)


def _call(node: ast.Call, resolve: Resolve, reads: Reads) -> None:
    if any(isinstance(arg, ast.Starred) for arg in node.args):
        raise NotFusible
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    for arg in given:
        _read(arg, resolve, reads)
    if isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS:
        owner = node.func.value
        if isinstance(owner, ast.Name):
            try:
                resolve(owner)
            except LookupError:
                reads.elsewhere |= names_in(node)
                return
        elif node.func.attr == "astype" and isinstance(owner, _COMPUTED):
            _read(owner, resolve, reads)
            return
    try:
        function = resolve(node.func)
    except LookupError:
        raise NotFusible from None
    if not node.keywords and (
        isinstance(function, np.ufunc) or is_among(function, (np.where, abs))
    ):
        return
    if (
        not is_among(function, (*_READS, *_MAKES))
        and getattr(math, node_name(node), 0) is not function
    ):
        raise NotFusible
    for arg in given:
        reads.elsewhere |= names_in(arg)


def is_among(value: Any, among: Sequence[Any]) -> bool:
    """Whether an object is one of these."""
    return any(value is one for one in among)


def node_name(node: ast.Call) -> str:
    """The last part of the name of what is called."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def names_in(node: ast.AST) -> set[str]:
    """All names in an expression or a statement."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def extent_of(node: ast.Subscript) -> str | None:
    """A text that is the same for slices of an array that surely have the same shape.

    Examples
    --------
    >>> texts = ("x[1:-1]", "x[2:]", "x[:-2, :]", "x[1:]", "x[i:]", "x[:2]")
    >>> [extent_of(ast.parse(text, mode="eval").body) for text in texts]
    ['x-2', 'x-2', 'x-2', 'x-1', None, None]
    """
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if not isinstance(node.value, ast.Name):
        return None
    taken = []
    for part in parts:
        if not isinstance(part, ast.Slice) or part.step is not None:
            return None
        low, high = _integer(part.lower), _integer(part.upper)
        if low is None or high is None or low < 0 or high > 0 or (part.upper and not high):
            return None
        taken.append(low - high)
    while taken and not taken[-1]:
        taken.pop()
    return f"{node.value.id}{''.join(f'-{count}' for count in taken)}"


def _integer(node: ast.expr | None) -> int | None:
    if node is None:
        return 0
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    return value if type(value) is int else None
