"""The bodies of code: what stands in a compound statement, at every depth, in source order."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence


def statements_in(body: Sequence[ast.stmt]) -> Iterable[ast.stmt]:
    """Statements at every depth, in source order."""
    for statement in body:
        yield statement
        for nested, _ in bodies_of(statement):
            yield from statements_in(nested)


def guards_in(statements: Iterable[ast.stmt]) -> Iterable[tuple[int, ast.expr]]:
    """The tests of ``case ... if test:``, by line."""
    for statement in statements:
        for case in getattr(statement, "cases", ()):
            if case.guard is not None:
                yield case.pattern.lineno, case.guard


def bodies_of(statement: ast.stmt) -> Iterable[tuple[list[ast.stmt], bool]]:
    """The bodies of a compound statement, and whether each runs repeatedly."""
    loop = isinstance(statement, ast.For | ast.While | ast.AsyncFor)
    for name in ("body", "orelse", "finalbody"):
        nested = getattr(statement, name, None)
        if isinstance(nested, list) and nested:
            yield nested, loop and name == "body"
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield part.body, False


def bodies_in(
    body: Sequence[ast.stmt], loops: bool = False
) -> Iterable[tuple[Sequence[ast.stmt], bool]]:
    """A body and those in it, and whether each runs repeatedly."""
    yield body, loops
    for statement in body:
        for nested, loop in bodies_of(statement):
            yield from bodies_in(nested, loop)


def is_compound(statement: ast.stmt) -> bool:
    """Whether a statement has bodies."""
    return any(True for _ in bodies_of(statement))


def header_end(node: ast.stmt) -> int:
    """The last line of a statement before its first body."""
    if isinstance(node, ast.Match):
        return max(node.lineno, node.cases[0].pattern.lineno - 1)
    bodies = [nested for nested, _ in bodies_of(node)]
    if not bodies:
        return node.end_lineno or node.lineno
    first = bodies[0][0]
    first_line = min([first.lineno, *(d.lineno for d in getattr(first, "decorator_list", ()))])
    return max(node.lineno, int(first_line) - 1)
