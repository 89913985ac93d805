"""Twins: the user's own statements, beside those that are guarded.

A guard costs a fraction of a microsecond. Around a statement that does no more
than an addition, that is as much again. Where nothing compiled fits, a loop
therefore goes on in its twin, the same statements without guards, as soon as
the frame says so; and a function runs as it was written.

    for x in frame.keep(0, frame.iter(xs)):
        ...                                   # guarded
        if frame.plain[0]:
            for x in frame.rest(0):
                ...                           # as written
            break
"""

from __future__ import annotations

import ast
import dis
from collections.abc import Sequence

from jupyter_npcompile.cell.syntax import (
    FUNCTIONS,
    Place,
    attribute,
    blocks,
    call,
    clone,
    constant,
    descend,
    extent,
    load,
    point,
    replaced,
)

Declaration = ast.Global | ast.Nonlocal

DEEPEST = 4
"""Levels of blocks in a loop that has a twin; Python allows 20 in a function."""

MAX_OUTSIDE = 8
"""Levels of blocks around it."""

_NEVER_CALLED = (ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.JoinedStr)


def has_twin(node: ast.For | ast.While, outside: int, *, in_function: bool) -> bool:
    """Whether a loop may have a twin.

    Parameters
    ----------
    node : ast.For or ast.While
        The loop.
    outside : int
        How many blocks it lies in.
    in_function : bool
        Whether it is part of a function. In a cell the definitions in it are
        compiled, and Python's warnings about its syntax are shown: once.
    """
    if outside > MAX_OUTSIDE or levels([node]) > DEEPEST or _jumps(node.orelse):
        return False
    for part in descend(node):
        if isinstance(part, Declaration):
            return False
        if not in_function and (isinstance(part, FUNCTIONS) or _may_warn(part)):
            return False
    return True


def with_twin(
    node: ast.For | ast.While,
    body: Sequence[ast.stmt],
    orelse: Sequence[ast.stmt],
    frame: str,
    number: int,
) -> ast.stmt:
    """Give a guarded loop a twin.

    Parameters
    ----------
    node : ast.For or ast.While
        The loop as it was written.
    body, orelse : sequence of ast.stmt
        Its bodies with their guards.
    frame : str
        Name of the frame that the guards ask.
    number : int
        The loop's number in its cell or function.
    """
    place = point(node)
    asked = attribute(load(frame, place), "plain", place)
    test = ast.Subscript(asked, constant(number, place), ast.Load(), **place)
    twin = replaced(node, orelse=[clone(statement) for statement in orelse])
    switch = ast.If(test=test, body=[twin, ast.Break(**place)], orelse=[], **place)
    made = replaced(node, body=[*body, switch], orelse=list(orelse))
    if isinstance(node, ast.While) or isinstance(twin, ast.While) or isinstance(made, ast.While):
        return made
    place, whole = extent(node.iter), extent(node)
    twin.iter = _ask(frame, "rest", [constant(number, place)], place)
    iterator = _ask(frame, "iter", [clone(node.iter)], whole if _STATEMENT_ITERATES else place)
    made.iter = _ask(frame, "keep", [constant(number, place), iterator], extent(iterator))
    # An iterator ends with its loop, however that is left.
    let_go = ast.Expr(_ask(frame, "drop", [constant(number, place)], place), **place)
    return ast.Try(body=[made], handlers=[], orelse=[], finalbody=[let_go], **whole)


def as_written(statements: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Copy statements; declarations of names have been made already."""
    return [_Undeclared().visit(clone(statement)) for statement in statements]


def declarations(statements: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Return the ``global`` and ``nonlocal`` statements among statements, at any depth."""
    found: list[ast.stmt] = []
    for statement in statements:
        if isinstance(statement, Declaration):
            found.append(clone(statement))
        elif not isinstance(statement, (ast.ClassDef, *FUNCTIONS)):
            for _, body in blocks(statement):
                found += declarations(body)
    return found


class _Undeclared(ast.NodeTransformer):
    def visit_Global(self, node: ast.Global) -> ast.stmt:
        return ast.Pass(**extent(node))

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.stmt:
        return ast.Pass(**extent(node))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.stmt:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        return node


def levels(statements: Sequence[ast.stmt]) -> int:
    """Return how deeply blocks lie in each other."""
    deepest = 0
    for statement in statements:
        if not isinstance(statement, (ast.ClassDef, *FUNCTIONS)):
            inner = [levels(body) for _, body in blocks(statement)]
            deepest = max([deepest, *(1 + levels for levels in inner)])
    return deepest


def _jumps(statements: Sequence[ast.stmt]) -> bool:
    """Whether statements leave, or begin anew, a loop around them."""
    for statement in statements:
        if isinstance(statement, ast.Break | ast.Continue):
            return True
        if isinstance(statement, (ast.For, ast.AsyncFor, ast.While)):
            if _jumps(statement.orelse):
                return True
        elif not isinstance(statement, (ast.ClassDef, *FUNCTIONS)) and any(
            _jumps(body) for _, body in blocks(statement)
        ):
            return True
    return False


def _may_warn(node: ast.AST) -> bool:
    """Whether Python's compiler may warn of a node."""
    if isinstance(node, ast.Assert):
        return isinstance(node.test, ast.Tuple)
    if isinstance(node, ast.Call):
        return isinstance(node.func, _NEVER_CALLED)
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, _NEVER_CALLED)
    if isinstance(node, ast.Compare) and any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
        return any(isinstance(part, _NEVER_CALLED) for part in (node.left, *node.comparators))
    return False


def _ask(frame: str, method: str, arguments: list[ast.expr], place: Place) -> ast.Call:
    # Python shows a call of an attribute that spans lines at its last line.
    start = Place(
        lineno=place["lineno"],
        col_offset=place["col_offset"],
        end_lineno=place["lineno"],
        end_col_offset=place["col_offset"],
    )
    return call(attribute(load(frame, start), method, start), arguments, place)


def _statement_iterates() -> bool:
    """Whether a traceback shows the whole statement, not its expression, for ``for k in 5``."""
    code = compile("for k in 5: pass", "<loop>", "exec")
    (found,) = (i.positions for i in dis.get_instructions(code) if i.opname == "GET_ITER")
    return found is not None and found.col_offset == 0


_STATEMENT_ITERATES = _statement_iterates()
