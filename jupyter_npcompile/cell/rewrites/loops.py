"""Rewrites of loops over a range: what is gathered, shown or drawn in each iteration."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from jupyter_npcompile.cell.rewrites.candidates import (
    Candidate,
    Kind,
    Situation,
    is_plain,
    name_for,
    names_bound,
    names_read,
    numpy_function,
    statements,
)
from jupyter_npcompile.cell.rewrites.hoisting import certain, formatted_fields
from jupyter_npcompile.cell.rewrites.text import Edit, edited
from jupyter_npcompile.cell.syntax import blocks
from jupyter_npcompile.dataclass import dataclass

_LEAVES = (ast.Break, ast.Continue, ast.Return, ast.Yield, ast.YieldFrom, ast.Await)
_GATHERS = ("array", "asarray", "stack", "vstack", "hstack", "concatenate")
_NUMBERS = ("float", "int", "bool", "complex")


@dataclass(frozen=True)
class RangeLoop:
    """A loop whose iterations can be counted beforehand.

    Parameters
    ----------
    node : ast.For
        The loop.
    name : str
        Its variable.
    count, index : str
        The number of iterations, and that of the present one, as text.
    """

    node: ast.For
    name: str
    count: str
    index: str

    @property
    def bound(self) -> set[str]:
        """Names that it binds, its variable included."""
        return names_bound([self.node])


def range_loops(situation: Situation) -> Iterator[RangeLoop]:
    """The loops over a range that always run to their end."""
    for node in statements(situation.body):
        if isinstance(node, ast.For):
            found = _range_loop(situation, node)
            if found is not None:
                yield found


def _range_loop(situation: Situation, node: ast.For) -> RangeLoop | None:
    target, call = node.target, node.iter
    if not (
        isinstance(target, ast.Name)
        and isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id == "range"
        and len(call.args) in (1, 2)
        and not call.keywords
        and not node.orelse
        and all(isinstance(part, ast.Constant | ast.Name) for part in call.args)
    ):
        return None
    inside = names_bound(node.body)
    if target.id in inside or names_read(call) & inside:
        return None
    if any(isinstance(part, _LEAVES) for part in ast.walk(node)):
        return None
    if node.body[0].lineno == node.lineno:
        return None
    limits = [situation.text.of(part) for part in call.args]
    if len(limits) == 1 or limits[0] == "0":
        return RangeLoop(node, target.id, limits[-1], target.id)
    numbers = [part.value for part in call.args if isinstance(part, ast.Constant)]
    count = f"{limits[1]} - {limits[0]}"
    if len(numbers) == 2 and all(isinstance(number, int) for number in numbers):
        count = str(max(int(limits[1]) - int(limits[0]), 0))
    return RangeLoop(node, target.id, count, f"{target.id} - {limits[0]}")


def _allocation(situation: Situation, loop: RangeLoop, kind: Kind, value: ast.expr) -> str:
    """An array with room for what each iteration gives."""
    shape = loop.count
    if kind.shape:
        like = next(
            (
                part.id
                for part in ast.walk(value)
                if isinstance(part, ast.Name)
                and (known := situation.kinds.get(id(part))) is not None
                and known.shape == kind.shape
            ),
            None,
        )
        rest = ", ".join(map(str, kind.shape)) if like is None else f"*{like}.shape"
        shape = f"({loop.count}, {rest})"
    np = situation.numpy
    names = {"float64": "", "bool": ", bool"}
    return f"{np}.empty({shape}{names.get(kind.dtype, f', {np}.{kind.dtype}')})"


def _without_conversion(value: ast.expr) -> ast.expr:
    """What ``float(...)`` or ``.item()`` takes its number from."""
    if isinstance(value, ast.Call) and not value.keywords:
        function = value.func
        if isinstance(function, ast.Name) and function.id in _NUMBERS and len(value.args) == 1:
            return value.args[0]
        if isinstance(function, ast.Attribute) and function.attr == "item" and not value.args:
            return function.value
    return value


# -- a list that each iteration appends to


def preallocated(situation: Situation) -> Iterator[Candidate]:
    """A list that a loop fills becomes an array that has its size from the beginning."""
    blocks_of = list(_blocks(situation.body))
    for loop in range_loops(situation):
        for block in blocks_of:
            if loop.node in block:
                yield from _appends(situation, loop, block)


def _blocks(body: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    yield body
    for statement in statements(body):
        for _, nested in blocks(statement):
            yield nested


def _appends(situation: Situation, loop: RangeLoop, block: list[ast.stmt]) -> Iterator[Candidate]:
    text, place = situation.text, block.index(loop.node)
    for statement in loop.node.body:
        found = _append(statement)
        line = situation.breaks_at(statement)
        if found is None or line is None or not text.stands_alone(statement):
            continue
        name, value = found
        start = _empty_list(block[:place], name)
        mentions = [
            part for part in ast.walk(loop.node) if isinstance(part, ast.Name) and part.id == name
        ]
        kind = situation.kinds.get(id(value))
        if start is None or len(mentions) != 1 or kind is None:
            continue
        inner = _without_conversion(value)
        edits = [
            text.replace(start.value, _allocation(situation, loop, kind, value)),
            text.replace(statement, f"{name}[{loop.index}] = {text.of(inner)}"),
        ]
        changed: tuple[str, ...] = ()
        notes: tuple[str, ...] = ()
        if kind.form == "python":
            edits.append(text.after(loop.node, f"{name} = {name}.tolist()"))
            title = "keep the values in an array, and convert them once after the loop"
        elif _only_gathered(situation, block[place + 1 :], name):
            changed, notes = (name,), (f"{name} is an array afterwards, no list",)
            title = "preallocate an array instead of appending to a list"
        else:
            edits.append(text.after(loop.node, f"{name} = list({name})"))
            title = "preallocate an array, and make a list of it after the loop"
        yield Candidate(line, title, tuple(edits), changed, notes=notes)


def _append(statement: ast.stmt) -> tuple[str, ast.expr] | None:
    call = statement.value if isinstance(statement, ast.Expr) else None
    if (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "append"
        and isinstance(call.func.value, ast.Name)
        and len(call.args) == 1
        and not call.keywords
        and is_plain(call.args[0])
    ):
        return call.func.value.id, call.args[0]
    return None


def _empty_list(before: Sequence[ast.stmt], name: str) -> ast.Assign | None:
    """The statement that makes the list, if nothing has been done with it since."""
    for statement in reversed(before):
        if name in names_read(statement):
            if (
                isinstance(statement, ast.Assign)
                and len(statement.targets) == 1
                and isinstance(statement.targets[0], ast.Name)
                and isinstance(statement.value, ast.List)
                and not statement.value.elts
            ):
                return statement
            return None
    return None


def _only_gathered(situation: Situation, after: Sequence[ast.stmt], name: str) -> bool:
    """Whether a list is only ever made an array of, at least once."""
    gathered = 0
    mentions = 0
    for statement in after:
        for part in ast.walk(statement):
            mentions += isinstance(part, ast.Name) and part.id == name
            if isinstance(part, ast.Call) and len(part.args) >= 1:
                first = part.args[0]
                taken = numpy_function(part.func, situation.numpy) in _GATHERS
                gathered += taken and isinstance(first, ast.Name) and first.id == name
    return mentions == gathered > 0


# -- what is shown in each iteration


def shown_after(situation: Situation) -> Iterator[Candidate]:
    """What a loop prints or plots is kept in arrays, and shown when it is over."""
    for loop in range_loops(situation):
        moved = [each for each in loop.node.body if _is_shown(situation, loop, each)]
        lines = [line for each in moved if (line := situation.breaks_at(each)) is not None]
        if lines:
            found = _move(situation, loop, moved, lines[0])
            if found is not None:
                yield found


def _is_shown(situation: Situation, loop: RangeLoop, statement: ast.stmt) -> bool:
    if isinstance(statement, ast.If):
        steady = not (names_read(statement.test) & (loop.bound - {loop.name}))
        return (
            steady
            and not statement.orelse
            and all(_is_shown(situation, loop, each) for each in statement.body)
        )
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not situation.text.stands_alone(statement):
        return False
    function = call.func
    if isinstance(function, ast.Name):
        return function.id == "print"
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id in ("plt", "pyplot", "pylab")
    )


def _move(
    situation: Situation, loop: RangeLoop, moved: list[ast.stmt], line: int
) -> Candidate | None:
    text = situation.text
    arrays: dict[str, str] = {}
    allocations: list[str] = []
    edits: list[Edit] = []
    later: list[str] = []
    for statement in moved:
        parts = list(_changing(situation, loop, statement))
        stores: list[str] = []
        inner: list[Edit] = []
        offset = text.start(statement)
        for value, edit in parts:
            kind = situation.kinds.get(id(value))
            if kind is None or not is_plain(value):
                return None
            code = text.source[edit.start : edit.end]
            if code not in arrays:
                name = arrays[code] = text.name(f"{name_for(value)}s")
                source = _without_conversion(value)
                bare = code if source is value else ast.unparse(source)
                allocations.append(f"{name} = {_allocation(situation, loop, kind, value)}")
                stores.append(f"{name}[{loop.index}] = {bare}")
            place = f"{arrays[code]}[{loop.index}]"
            inner.append(Edit(edit.start - offset, edit.end - offset, place))
        indent = text.indentation(statement)
        comment = text.source[text.end(statement) : text.line_end(statement)].rstrip()
        if stores:
            kept = f"\n{indent}".join(stores)
            edits.append(Edit(offset, text.line_end(statement), kept))
        else:
            edits.append(text.without(statement))
        later.append(indent + edited(text.of(statement), inner) + comment)
    if len(moved) == len(loop.node.body) and not allocations:
        return None  # nothing would be left of the loop
    header = text.source[text.start(loop.node) : text.start(loop.node.body[0])]
    first = header.split("\n")[0].rstrip()
    outer = text.indentation(loop.node)
    after = text.after(loop.node)
    edits.append(Edit(after.start, after.end, f"\n{outer}{first}\n" + "\n".join(later)))
    edits.append(text.before(loop.node, *allocations))
    calls = [part for each in moved for part in ast.walk(each) if isinstance(part, ast.Expr)]
    verb = "print" if "print" in text.of(calls[0]) else "plot"
    notes = (f"it {verb}s when the loop is over, no longer while it runs",)
    return Candidate(line, f"{verb} after the loop", tuple(edits), notes=notes)


def _changing(
    situation: Situation, loop: RangeLoop, statement: ast.stmt
) -> Iterator[tuple[ast.expr, Edit]]:
    """Arguments whose values the loop changes, with their places."""
    inside = loop.bound - {loop.name}
    for call in ast.walk(statement):
        if not (isinstance(call, ast.Expr) and isinstance(call.value, ast.Call)):
            continue
        for value in (*call.value.args, *(keyword.value for keyword in call.value.keywords)):
            if isinstance(value, ast.JoinedStr):
                for part, edit in formatted_fields(situation, value):
                    if names_read(part) & inside:
                        yield part, edit
            elif names_read(value) & inside or _writes_into(loop, value):
                yield value, situation.text.replace(value, "")


def _writes_into(loop: RangeLoop, value: ast.expr) -> bool:
    """Whether the loop changes an array that a value mentions: ``x[i] = ...``."""
    written = {
        name
        for part in ast.walk(loop.node)
        if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store)
        for name in names_read(part.value)
    }
    return bool(written & names_read(value))


# -- what is drawn in each iteration


def drawn_before(situation: Situation) -> Iterator[Candidate]:
    """Random numbers that each iteration draws are drawn before the loop."""
    text = situation.text
    for loop in range_loops(situation):
        for statement in loop.node.body:
            value = getattr(statement, "value", None)
            if not isinstance(value, ast.expr):
                continue
            for call in certain(value):
                kind = situation.kinds.get(id(call))
                if (
                    not isinstance(call, ast.Call)
                    or (isinstance(statement, ast.Expr) and call is value)
                    or (call.lineno, text.start(call) - text.line_start(call))
                    not in situation.points
                    or kind is None
                    or kind.form != "python"
                    or names_read(call) & loop.bound
                    or not is_plain(call)
                ):
                    continue
                name = text.name("draws")
                np = situation.numpy
                code = text.of(call)
                one = f"{name}[{loop.index}]"
                if call is value and isinstance(statement, ast.Assign):
                    one += ".item()"
                yield Candidate(
                    call.lineno,
                    "draw all of it before the loop",
                    (
                        text.before(
                            loop.node,
                            f"{name} = {np}.array([{code} for _ in range({loop.count})])",
                        ),
                        text.replace(call, one),
                    ),
                )
