"""The builder of skeletons: straight-line runs become regions, each statement with its guard."""

from __future__ import annotations

import abc
import ast
from collections.abc import Sequence
from typing import cast

from jupyter_npcompile.cell.names import loaded, reads_and_targets
from jupyter_npcompile.cell.program import (
    Region,
    Scope,
    Statement,
    StatementKind,
)
from jupyter_npcompile.cell.regions import runs
from jupyter_npcompile.cell.syntax import (
    Place,
    SourceText,
    attribute,
    call,
    clone,
    constant,
    extent,
    last_line,
    load,
    point,
    replaced,
)
from jupyter_npcompile.cell.twins import has_twin, with_twin

Names = frozenset[str]


class Builder(abc.ABC):
    """Rewrites bodies; what differs by scope is in the subclasses."""

    scope: Scope

    def __init__(self, text: SourceText, frame: str) -> None:
        self.text = text
        self.frame = frame
        self.regions: list[Region] = []
        self.loops: list[range] = []
        self.depth = 0
        self.guarded: dict[int, tuple[int, int]] = {}
        self.displayed: ast.Expr | None = None
        self.captured: Names = frozenset()

    @abc.abstractmethod
    def guard(self, region: Region, statement: Statement) -> ast.stmt:
        """Return a statement of a region with the question that guards it."""

    def definition(self, node: ast.FunctionDef) -> ast.stmt:
        """Rewrite a definition; inside functions it stays what it is."""
        return clone(node)

    def body(self, statements: Sequence[ast.stmt], after: Names | None) -> list[ast.stmt]:
        """Rewrite a body after which the names `after` may be read (None: all)."""
        result: list[ast.stmt] = []
        later = _read_later(statements, after)
        position = 0
        for guarded, part in runs(statements, self.scope, self.captured):
            if guarded:
                region = self.region(part, later[position + len(part) - 1])
                result.extend(self.guard(region, statement) for statement in region.statements)
            else:
                for offset, statement in enumerate(part, position):
                    result.append(self.skeleton(statement, later[offset]))
            position += len(part)
        return result

    def region(self, nodes: Sequence[ast.stmt], after: Names | None) -> Region:
        """Number a region."""
        statements = []
        for index, node in enumerate(nodes):
            reads, targets = reads_and_targets(node)
            statements.append(
                Statement(
                    index, node, node.lineno, last_line(node), reads, targets, self.kind(node)
                )
            )
            self.guarded[id(node)] = len(self.regions), index
        region = Region(len(self.regions), self.scope, tuple(statements), after, self.text)
        self.regions.append(region)
        return region

    def kind(self, node: ast.stmt) -> StatementKind:
        """Return what kind of statement it is."""
        if isinstance(node, ast.Expr):
            return "display" if node is self.displayed else "expr"
        return cast("StatementKind", type(node).__name__.lower())

    def skeleton(self, node: ast.stmt, after: Names | None) -> ast.stmt:
        """Rewrite the bodies that lie in a statement that is not guarded."""
        if isinstance(node, ast.FunctionDef):
            return self.definition(node)
        self.depth += 1
        try:
            return self.compound(node, after)
        finally:
            self.depth -= 1

    def compound(self, node: ast.stmt, after: Names | None) -> ast.stmt:
        """Rewrite a statement that may hold others."""
        if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            return self.loop(node, after)
        if isinstance(node, ast.If):
            return replaced(
                node, body=self.body(node.body, after), orelse=self.body(node.orelse, after)
            )
        if isinstance(node, (ast.With, ast.AsyncWith)):
            return replaced(node, body=self.body(node.body, after))
        if isinstance(node, (ast.Try, ast.TryStar)):
            return self.try_statement(node, after)
        if isinstance(node, ast.Match):
            cases = [replaced(case, body=self.body(case.body, after)) for case in node.cases]
            return replaced(node, cases=cases)
        return clone(node)

    def loop(self, node: ast.For | ast.AsyncFor | ast.While, after: Names | None) -> ast.stmt:
        """Rewrite a loop, and give it a twin where it may have one."""
        again = None if after is None else after | loaded([node])
        first = len(self.regions)
        body = self.body(node.body, again)
        inside = range(first, len(self.regions))
        orelse = self.body(node.orelse, after)
        if (
            not inside
            or isinstance(node, ast.AsyncFor)
            or not has_twin(node, self.depth - 1, in_function=self.scope == "function")
        ):
            return replaced(node, body=body, orelse=orelse)
        self.loops.append(inside)
        return with_twin(node, body, orelse, self.frame, len(self.loops) - 1)

    def try_statement(self, node: ast.Try | ast.TryStar, after: Names | None) -> ast.stmt:
        """Rewrite a ``try``; a handler may read what the body has bound."""
        handlers = [handler.body for handler in node.handlers]
        last = None if after is None else after | loaded(node.finalbody)
        inside = last
        if last is not None:
            inside = last | loaded([*node.handlers, *node.orelse])
        bodies = [self.body(node.body, inside)]
        bodies += [self.body(handler, last) for handler in handlers]
        return replaced(
            node,
            body=bodies[0],
            handlers=[
                replaced(handler, body=body)
                for handler, body in zip(node.handlers, bodies[1:], strict=True)
            ],
            orelse=self.body(node.orelse, last),
            finalbody=self.body(node.finalbody, after),
        )


def _read_later(statements: Sequence[ast.stmt], after: Names | None) -> list[Names | None]:
    """Return for each statement of a body the names that may be read after it."""
    if after is None:
        return [None] * len(statements)
    later: list[Names | None] = []
    for statement in reversed(statements):
        later.append(after)
        after = after | loaded([statement])
    return later[::-1]


def question(
    name: str,
    region: Region,
    statement: Statement,
    body: ast.stmt,
    otherwise: list[ast.stmt],
) -> ast.If:
    """Return a statement that runs unless a segment has covered it."""
    place = point(statement.node)
    test = ask(name, "at", (region.id, statement.index), place)
    return ast.If(test=test, body=[body], orelse=otherwise, **extent(statement.node))


def ask(name: str, method: str, arguments: tuple[int, ...], place: Place) -> ast.Call:
    """Return a call of a method of the frame or handle that has this name."""
    function = attribute(load(name, place), method, place)
    return call(function, [constant(argument, place) for argument in arguments], place)
