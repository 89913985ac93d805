"""Every line of a cell with the part it plays, for the report."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from jupyter_npcompile.cell.program import Line, Role, Scope
from jupyter_npcompile.cell.regions import PLAIN, refusal, stays_native
from jupyter_npcompile.cell.syntax import (
    FUNCTIONS,
    Function,
    Positioned,
    SourceText,
    blocks,
    first_line_of,
    last_line,
)

_FLOW = "control flow"

NESTED = "nested function"
"""Reason of lines in a function that is defined in another one: they run where it is called."""


class Lines:
    """Lists the statements of a body at any depth.

    Parameters
    ----------
    text : SourceText
        The source.
    guarded : mapping of int to (int, int)
        Region and index of guarded statements, by the ``id`` of their node.
    functions : mapping of int to (int, tuple of Line)
        Index and lines of compiled functions, by the ``id`` of their node.
    """

    def __init__(
        self,
        text: SourceText,
        guarded: Mapping[int, tuple[int, int]],
        functions: Mapping[int, tuple[int, tuple[Line, ...]]],
    ) -> None:
        self.text = text
        self.guarded = guarded
        self.functions = functions

    def of(
        self, body: Sequence[ast.stmt], scope: Scope, native: str | None = None
    ) -> tuple[Line, ...]:
        """Return the lines of `body` in source order.

        `native` is the reason why nothing in it is guarded, if that is so.
        """
        return tuple(self._body(body, scope, native))

    def _body(self, body: Sequence[ast.stmt], scope: Scope, native: str | None) -> Iterator[Line]:
        """List `body`; `native` is the reason why all of it is native, if it is."""
        for statement in body:
            if isinstance(statement, (ast.ClassDef, *FUNCTIONS)):
                yield from self._definition(statement, scope, native)
            elif id(statement) in self.guarded:
                region, index = self.guarded[id(statement)]
                yield self._line(
                    "region", statement.lineno, last_line(statement), region=region, index=index
                )
            else:
                reason = native or refusal(statement, scope) or PLAIN
                first, last = statement.lineno, last_line(statement)
                inner = list(blocks(statement))
                if inner:
                    below = _first_line(inner[0][1])
                    if isinstance(statement, ast.Match):
                        below = statement.cases[0].pattern.lineno
                    last = _header_end(self.text, statement, first, below)
                yield self._line("skeleton", first, last, reason=reason)
                yield from self._blocks(statement, scope, native)

    def _blocks(self, statement: ast.stmt, scope: Scope, native: str | None) -> Iterator[Line]:
        reason = native or _FLOW
        previous = statement.lineno
        heads: list[Positioned] = []
        if isinstance(statement, ast.Match):
            heads = [case.pattern for case in statement.cases]
        elif isinstance(statement, (ast.Try, ast.TryStar)):
            heads = list(statement.handlers)
        headers = iter(heads)
        for name, body in blocks(statement):
            if name in ("case", "handlers"):
                head = next(headers)
                last = _header_end(self.text, head, head.lineno, _first_line(body))
                yield self._line("skeleton", head.lineno, last, reason=reason)
            elif name in ("orelse", "finalbody"):
                word = "else" if name == "orelse" else "finally"
                found = self._keyword(word, previous, _first_line(body))
                if found is not None:
                    yield self._line("skeleton", found, found, reason=reason)
            yield from self._body(body, scope, native)
            previous = last_line(body[-1])

    def _keyword(self, word: str, after: int, first: int) -> int | None:
        """Return the line of ``else:`` or ``finally:`` that heads a block."""
        for number in range(first, after - 1, -1):
            rest = self.text.line(number).lstrip().removeprefix(word)
            if rest != self.text.line(number).lstrip() and rest.lstrip().startswith(":"):
                return number
        return None  # an elif, listed as the statement it is

    def _definition(
        self, node: ast.ClassDef | Function, scope: Scope, native: str | None
    ) -> Iterator[Line]:
        first = first_line_of(node)
        last = _header_end(self.text, node, node.lineno, _first_line(node.body))
        if id(node) in self.functions:
            index, lines = self.functions[id(node)]
            yield self._line("definition", first, last, reason="definition", function=index)
            yield from lines
            return
        if isinstance(node, ast.ClassDef):
            reason, inner = "definition", "class body"
        elif native == "class body":
            reason = inner = "method of a class"
        elif isinstance(node, ast.AsyncFunctionDef):
            reason = inner = "asynchronous function"
        elif scope == "function":
            reason, inner = "definition", NESTED
        else:
            reason = inner = native or stays_native(node) or PLAIN
        yield self._line("definition", first, last, reason=reason)
        yield from self._body(node.body, "function", inner)

    def _line(
        self,
        role: Role,
        first: int,
        last: int,
        *,
        reason: str | None = None,
        region: int | None = None,
        index: int | None = None,
        function: int | None = None,
    ) -> Line:
        return Line(
            line=first,
            end_line=last,
            source=self.text.span(first, last),
            role=role,
            region=region,
            statement=index,
            function=function,
            reason=reason,
        )


def _first_line(body: Sequence[ast.stmt]) -> int:
    return first_line_of(body[0])


def _header_end(text: SourceText, node: Positioned, first: int, body_line: int) -> int:
    """Return the last line of a header that starts at `first`.

    Between a header and its body there are only blank lines and comments.
    """
    for number in range(body_line - 1, first, -1):
        line = text.line(number).strip()
        if line and not line.startswith("#"):
            return number
    parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
    ends = [last_line(part) for part in parts if last_line(part) <= body_line]
    return max([first, *ends])
