"""Rewrites that move a statement out of the array code, to its beginning or its end."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_npcompile.cell.rewrites.candidates import (
    Candidate,
    Situation,
    names_bound,
    names_read,
)
from jupyter_npcompile.cell.rewrites.hoisting import array_work, with_names
from jupyter_npcompile.cell.rewrites.text import Edit, edited
from jupyter_npcompile.cell.syntax import FUNCTIONS

_OPENING = (ast.Import, ast.ImportFrom, ast.ClassDef, *FUNCTIONS)


def moved(situation: Situation) -> Iterator[Candidate]:
    """What needs nothing of the array code goes before it, what only shows values after it."""
    body = situation.body
    for place, statement in enumerate(body):
        line = situation.breaks_at(statement)
        if line is None or not situation.text.stands_alone(statement):
            continue
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
            yield from _up(situation, body, place, line)
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            yield from _down(situation, body, place, line)


def _up(situation: Situation, body: list[ast.stmt], place: int, line: int) -> Iterator[Candidate]:
    statement = body[place]
    first = next((n for n, each in enumerate(body) if not isinstance(each, _OPENING)), 0)
    before = body[first:place]
    bound = names_bound([statement])
    mentioned = set().union(*map(names_read, before)) if before else set()
    needed = names_read(statement) & names_bound(before)
    if before and not needed and not bound & mentioned:
        text = situation.text
        target = text.line_start(before[0])
        edits = (text.without(statement), Edit(target, target, _lines(situation, statement) + "\n"))
        yield Candidate(line, "call it before the array code", edits)


def _down(situation: Situation, body: list[ast.stmt], place: int, line: int) -> Iterator[Candidate]:
    statement = body[place]
    assert isinstance(statement, ast.Expr)
    after = body[place + 1 :]
    if after and isinstance(after[-1], ast.Expr):
        after.pop()  # what the cell displays stays its last line
    if not after:
        return
    text = situation.text
    computed, edits = with_names(situation, list(array_work(situation, statement.value)))
    start = text.line_start(statement)
    inner = [Edit(edit.start - start, edit.end - start, edit.text) for edit in edits]
    later = edited(text.source[start : text.line_end(statement)], inner)
    target = text.line_end(after[-1])
    stays = f"\n{text.indentation(statement)}".join(computed)
    here = (
        Edit(text.start(statement), text.line_end(statement), stays)
        if computed
        else text.without(statement)
    )
    yield Candidate(line, "do it after the array code", (here, Edit(target, target, f"\n{later}")))


def _lines(situation: Situation, statement: ast.stmt) -> str:
    """A statement with what else stands on its lines."""
    text = situation.text
    return text.source[text.line_start(statement) : text.line_end(statement)]
