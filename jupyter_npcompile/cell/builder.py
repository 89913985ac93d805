"""The builder of skeletons: straight-line runs become regions, each statement with its guard."""

from __future__ import annotations

import abc
import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from jupyter_npcompile.cell.names import (
    bound_names,
    exposed,
    in_order,
    loaded,
    reads_and_targets,
    rebound_names,
)
from jupyter_npcompile.cell.program import (
    Loop,
    Region,
    Scope,
    Statement,
    StatementKind,
)
from jupyter_npcompile.cell.reach import Reach, is_nothing, reach
from jupyter_npcompile.cell.regions import runs
from jupyter_npcompile.cell.syntax import (
    Place,
    SourceText,
    attribute,
    call,
    clone,
    constant,
    descend,
    extent,
    last_line,
    load,
    point,
    replaced,
)
from jupyter_npcompile.cell.twins import has_twin, is_plain, level, with_twin

Names = frozenset[str]


class Builder(abc.ABC):
    """Rewrites bodies; what differs by scope is in the subclasses."""

    scope: Scope

    def __init__(self, text: SourceText, frame: str, *, tells: bool = False) -> None:
        self.text = text
        self.tells = tells
        self.reaches: list[Reach | None] = []
        self.frame = frame
        self.regions: list[Region] = []
        self.loops: list[Loop] = []
        self.around: list[int] = []
        self.headers: list[list[ast.stmt]] = []
        self.depth = 0
        self.guarded: dict[int, tuple[int, int]] = {}
        self.place = Place(lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)
        self.displayed: ast.Expr | None = None
        self.captured: Names = frozenset()
        self.picks: Names = frozenset()

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
                    if isinstance(statement, ast.Continue) and self.headers:
                        result += map(clone, self.headers[-1])
                    told = self.told(statement)
                    result += told
                    result.append(self.skeleton(statement, later[offset]))
                    if isinstance(statement, (ast.For, ast.While)):
                        result += map(clone, told)  # its header has run since
            position += len(part)
        return result

    def told(self, node: ast.stmt | None) -> list[ast.stmt]:
        """Tell the frame that a statement outside regions, or its header, runs.

        None stands for code that may reach anything.
        """
        if not self.tells or (node is not None and is_nothing(node)):
            return []
        found = None if node is None else reach(node)
        if found is not None and isinstance(node, ast.For):
            names = {path.partition(".")[0] for path in found.values | found.calls}
            if names & bound_names([node]):
                found = None  # it may iterate over something else by now
        if found not in self.reaches:
            self.reaches.append(found)
        place = self.place if node is None else point(node)
        self.place = place
        test = ask(self.frame, "outside", (self.reaches.index(found),), place)
        # Not an expression: IPython may be asked to display the values of all.
        return [ast.If(test, [ast.Pass(**place)], [], **place)]

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
        self.depth += level(node)
        try:
            return self.compound(node, after)
        finally:
            self.depth -= level(node)

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
        again = None if after is None else after | exposed([node])
        first, number = len(self.regions), len(self.loops)
        twin = not isinstance(node, ast.AsyncFor) and has_twin(
            node, self.depth - level(node), in_function=self.scope == "function"
        )
        if self.tells and isinstance(node, ast.While) and node.orelse:
            twin = False  # nobody is told when it is gone over to
        outer = self.around[-1] if self.around else None
        if twin and not isinstance(node, ast.AsyncFor):
            assigned = bound_names([replaced(node, orelse=[])])
            names = assigned if after is None else assigned & (after | exposed([node]))
            native = is_plain(node, in_function=self.scope == "function")
            wanted, rebound = in_order(names, node), rebound_names(node)
            made = Loop(number, node, range(0), outer, native, assigned, wanted, rebound)
            self.loops.append(made)
            self.around.append(number)
        header = self.told(node)
        self.headers.append(header)
        # Told after it has run, and before it runs again.
        body = [*header, *self.body(node.body, again), *map(clone, header)]
        self.headers.pop()
        if twin:
            self.around.pop()
        inside = range(first, len(self.regions))
        orelse = self.body(node.orelse, after)
        if orelse:
            orelse = [*self.told(node), *orelse]
        # Without a statement to guard, it may still be one that looks for an element.
        searches = any(isinstance(part, ast.Subscript) for part in descend(node))
        alone = not inside and not (twin and searches and self.loops[number].native)
        if alone or not twin or isinstance(node, ast.AsyncFor):
            if twin:
                del self.loops[number:]
            return replaced(node, body=body, orelse=orelse)
        loop = replace(self.loops[number], regions=inside)
        self.loops[number] = loop
        return with_twin(loop, body, orelse, self.frame, in_function=self.scope == "function")

    def try_statement(self, node: ast.Try | ast.TryStar, after: Names | None) -> ast.stmt:
        """Rewrite a ``try``; a handler may read what the body has bound."""
        handlers = [handler.body for handler in node.handlers]
        last = None if after is None else after | loaded(node.finalbody)
        inside = last
        if last is not None:
            inside = last | loaded([*node.handlers, *node.orelse])
        bodies = [self.body(node.body, inside)]
        bodies += [[*self.told(None), *self.body(handler, last)] for handler in handlers]
        final = self.body(node.finalbody, after)
        return replaced(
            node,
            body=bodies[0],
            handlers=[
                replaced(handler, body=body)
                for handler, body in zip(node.handlers, bodies[1:], strict=True)
            ],
            orelse=self.body(node.orelse, last),
            finalbody=[*self.told(None), *final] if final else [],
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
