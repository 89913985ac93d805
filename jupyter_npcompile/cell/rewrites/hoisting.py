"""Rewrites that put a part of a statement on a line of its own before it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_npcompile.cell.rewrites.candidates import (
    Candidate,
    Situation,
    is_plain,
    name_for,
    numpy_function,
    statements,
)
from jupyter_npcompile.cell.rewrites.text import Edit, fields_of
from jupyter_npcompile.cell.syntax import COMPREHENSIONS

_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Assert)
_WORK = (ast.Call, ast.BinOp, ast.UnaryOp)


def hoisted(situation: Situation) -> Iterator[Candidate]:
    """What a break point cannot do without moves out of the statement with the array work.

    An unknown call goes before the statement; of a statement that cannot be
    captured as a whole (a print, an ``if``, an ``assert``), the array work does.
    """
    for statement in statements(situation.body):
        found = _expression(situation, statement)
        if found is None:
            continue
        whole, line = found
        unknown = _unknown_call(situation, statement, whole)
        if unknown is not None:
            yield _hoist(situation, statement, line, [unknown], "call it on a line of its own")
        elif isinstance(statement, ast.Expr | ast.If | ast.Assert) or _binds_attribute(statement):
            works = list(array_work(situation, whole))
            if works:
                yield _hoist(situation, statement, line, works, "compute it on a line of its own")


def _expression(situation: Situation, statement: ast.stmt) -> tuple[ast.expr, int] | None:
    """What a statement with a break point evaluates first, and the line of that."""
    text = situation.text
    if isinstance(statement, ast.If):
        # An elif is no place to put a line before.
        fits = text.begins_line(statement) and text.of(statement).startswith("if")
        value: ast.expr | None = statement.test
        line = situation.breaks_at(statement.test)
    elif isinstance(statement, _SIMPLE):
        fits = text.stands_alone(statement)
        value = statement.test if isinstance(statement, ast.Assert) else statement.value
        line = situation.breaks_at(statement)
    else:
        return None
    return (value, line) if fits and value is not None and line is not None else None


def _binds_attribute(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Assign) and any(
        isinstance(target, ast.Attribute) for target in statement.targets
    )


def _unknown_call(
    situation: Situation, statement: ast.stmt, whole: ast.expr
) -> tuple[ast.expr, Edit] | None:
    """The call inside a statement at which capture stopped."""
    for node in certain(whole):
        if not isinstance(node, ast.Call) or not is_plain(node):
            continue
        if numpy_function(node.func, situation.numpy):
            continue  # what NumPy must do itself gains nothing from a line of its own
        text = situation.text
        place = node.lineno, text.start(node) - text.line_start(node)
        alone = node is whole and isinstance(statement, ast.Expr | ast.Assign)
        if place in situation.points and not alone:
            return node, text.replace(node, "")
    return None


def _hoist(
    situation: Situation,
    statement: ast.stmt,
    line: int,
    parts: list[tuple[ast.expr, Edit]],
    title: str,
) -> Candidate:
    lines, edits = with_names(situation, parts)
    return Candidate(line, title, (situation.text.before(statement, *lines), *edits))


def with_names(
    situation: Situation, parts: list[tuple[ast.expr, Edit]]
) -> tuple[list[str], list[Edit]]:
    """Statements that compute parts of an expression, and the names in their places."""
    text = situation.text
    names: dict[str, str] = {}
    edits = []
    for node, edit in parts:
        code = text.source[edit.start : edit.end]
        if code not in names:
            names[code] = text.name(name_for(node))
        edits.append(Edit(edit.start, edit.end, names[code]))
    return [f"{name} = {code}" for code, name in names.items()], edits


def certain(node: ast.expr) -> Iterator[ast.expr]:
    """The parts of an expression that are evaluated once whenever it is."""
    yield node
    if isinstance(node, ast.BoolOp):
        yield from certain(node.values[0])
    elif isinstance(node, ast.IfExp):
        yield from certain(node.test)
    elif isinstance(node, ast.JoinedStr | ast.Lambda):
        return
    elif isinstance(node, COMPREHENSIONS):
        yield from certain(node.generators[0].iter)
    else:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.keyword):
                yield from certain(child.value)
            elif isinstance(child, ast.expr):
                yield from certain(child)


def array_work(situation: Situation, node: ast.expr) -> Iterator[tuple[ast.expr, Edit]]:
    """The largest parts of an expression that compute arrays or NumPy scalars."""
    kind = situation.kinds.get(id(node))
    if kind is not None and kind.form != "python" and isinstance(node, _WORK) and is_plain(node):
        yield node, situation.text.replace(node, "")
    elif isinstance(node, ast.JoinedStr):
        yield from _formatted(situation, node)
    elif isinstance(node, ast.Call):
        receiver = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        for part in (*receiver, *node.args, *(keyword.value for keyword in node.keywords)):
            yield from array_work(situation, part)
    elif isinstance(node, ast.BoolOp):
        yield from array_work(situation, node.values[0])
    elif isinstance(node, ast.IfExp):
        yield from array_work(situation, node.test)
    elif not isinstance(node, (*COMPREHENSIONS, ast.Lambda)):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from array_work(situation, child)


def _formatted(situation: Situation, node: ast.JoinedStr) -> Iterator[tuple[ast.expr, Edit]]:
    for value, edit in formatted_fields(situation, node):
        kind = situation.kinds.get(id(value))
        if kind is not None and kind.form != "python" and isinstance(value, _WORK):
            yield value, edit


def formatted_fields(situation: Situation, node: ast.JoinedStr) -> list[tuple[ast.expr, Edit]]:
    """The expressions of an f-string with their places; none if they cannot be told."""
    text = situation.text
    start = text.start(node)
    values = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
    places = list(fields_of(text.of(node)))
    if len(values) != len(places):
        return []
    found = []
    for value, (first, last) in zip(values, places, strict=True):
        code = text.source[start + first : start + last]
        lead = len(code) - len(code.lstrip())
        code = code.strip()
        try:
            same = ast.dump(ast.parse(code, mode="eval").body) == ast.dump(value)
        except SyntaxError:
            return []
        if not same:
            return []
        place = start + first + lead
        found.append((value, Edit(place, place + len(code), "")))
    return found
