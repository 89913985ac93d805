"""Neighbouring statements on arrays of one shape, written as one C++ loop.

Each statement of NumPy goes through all of its arrays before the next one begins.
Where no statement reads, at another place, what another one writes, it makes no
difference to do all of them for one element, and then for the next. What only the
run shows (shapes, overlaps) is tested before the loop, and the statements are
written as they stand, too.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.loops.fusion.composing import composed
from jupyter_npcompile.loops.fusion.fusible import (
    RESULT,
    NotFusible,
    may_fuse,
    result_apart,
)
from jupyter_npcompile.loops.fusion.groups import Group
from jupyter_npcompile.loops.fusion.steps import Steps
from jupyter_npcompile.loops.fusion.unrolling import unrolled
from jupyter_npcompile.loops.kinds import Declined
from jupyter_npcompile.loops.values import Ref, Value


@dataclass(frozen=True)
class Unit:
    """A statement, and those that it stands for.

    Parameters
    ----------
    statement : ast.stmt
        As it is written.
    steps : sequence of ast.stmt
        Assignments.
    rest : ast.Return, optional
        What follows it where it is an expression that is returned.
    """

    statement: ast.stmt
    steps: Sequence[ast.stmt]
    rest: ast.Return | None = None


class Fusing(Steps):
    """Writes statements, some of them together."""

    def body(self, statements: Sequence[ast.stmt]) -> bool:
        """Write statements; False when what follows them is never reached."""
        statements = composed(statements, self.frame.needed, self.frame.composed, self.resolve)
        at = alone = seen = 0
        while at < len(statements):
            if at >= seen:
                done, more, rest = self.by_rows(statements[at:])
                if rest is not None:
                    return self.statement(rest)
                seen = at + more
                if done:
                    at += done
                    continue
            if at >= alone:
                units, alone = self.together(statements[at:])
                alone += at
                if units and units[-1].rest is not None:
                    return self.statement(units[-1].rest)
                at += len(units)
                continue
            self.line = statements[at].lineno
            if not self.statement(statements[at]):
                return False
            at += 1
        return True

    def together(self, statements: Sequence[ast.stmt]) -> tuple[Sequence[Unit], int]:
        """Write the first statements as one loop.

        Returns
        -------
        units : sequence of Unit
            The statements that are written; none where they are too few.
        alone : int
            How many statements need not be looked at again.
        """
        w, frame = self.writer, self.frame
        if frame.is_apart or frame.carried is not None:
            return (), len(statements)
        units = self.units(statements)
        if sum(len(unit.steps) for unit in units) < 2:
            return (), 1
        mark, before = w.mark(), dict(frame.env)
        w.emit("{")
        group, done = self.gathered(units)
        held, frame.held, frame.views = frame.held, {}, None
        units = units[:done]
        # A grid's axes are several steps of one statement.
        is_one = sum(len(unit.steps) for unit in units) < 2
        if (
            len(group.steps) >= 2
            and not is_one
            and not self.shows_views(units, group)
            and self.finish(group, units, held)
        ):
            w.emit("}")
            return units, done
        w.back(mark)
        frame.env = before
        return (), 1 if group.views else max(done, 1)

    def shows_views(self, units: Sequence[Unit], group: Group) -> bool:
        """Whether names are needed later of which NumPy has views, and a group new arrays."""
        needed = self.frame.needed.get(id(units[-1].statement))
        return bool(group.views) and (needed is None or not needed.isdisjoint(group.views))

    def units(self, statements: Sequence[ast.stmt]) -> list[Unit]:
        """The first statements, as far as their form allows to put them together."""
        found: list[Unit] = []
        for statement in statements:
            if may_fuse(statement):
                found.append(Unit(statement, [statement]))
                continue
            if isinstance(statement, ast.For):
                steps = unrolled(statement, self.resolve)
                if steps is not None and all(map(may_fuse, steps)):
                    found.append(Unit(statement, steps))
                    continue
            if found and isinstance(statement, ast.Return):
                given = statement.value
                if given is not None and not isinstance(given, ast.Name | ast.Tuple):
                    value, rest = result_apart(statement)
                    found.append(Unit(value, [value], rest))
            break
        return found

    def gathered(self, units: Sequence[Unit]) -> tuple[Group, int]:
        """What is written before the loop; returns it, and how many of the statements it holds."""
        w, frame = self.writer, self.frame
        group = Group()
        frame.views, frame.held = {}, {}
        for done, unit in enumerate(units):
            saved = (w.mark(), group.copy(), dict(frame.held), dict(frame.views))
            try:
                for step in unit.steps:
                    self.step(group, step)
            except (NotFusible, Declined):
                mark, group, frame.held, frame.views = saved
                w.back(mark)
                return group, done
        return group, len(units)

    def finish(self, group: Group, units: Sequence[Unit], held: dict[str, Value]) -> bool:
        """Write the loop, and the statements as they stand; False if that is not to be."""
        w, frame = self.writer, self.frame
        last = units[-1]
        needed = frame.needed.get(id(last.statement))
        wanted = {
            name: value
            for name, value in held.items()
            if (last.rest is None and (needed is None or name in needed)) or name.startswith(RESULT)
        }
        codes = {value.code for value in wanted.values() if isinstance(value, Ref)}
        stored = group.stored(codes)
        if stored is None:
            return False
        tests = group.conditions()
        before = dict(frame.env)
        w.emit(f"if ({' && '.join(tests)}) {{" if tests else "{")
        group.emit(w, stored, is_tested=bool(tests))
        for name, value in wanted.items():
            self.assign(name, value)
        self.forget(held, wanted)
        for target in group.targets.values():
            self.note_write(target)
        after, end = frame.env, len(w.lines)
        if tests:
            w.emit("} else { // apart")
            frame.env = before
            self.as_they_stand(units)
            self.forget(held, wanted)
            joined = self.joined(after, frame.env)
            self.convert_all(frame.env, joined)
            mark = len(w.lines)
            self.convert_all(after, joined)
            extra = w.lines[mark:]
            del w.lines[mark:]
            w.lines[end:end] = extra
            frame.env = joined
        w.emit("}")
        return True

    def as_they_stand(self, units: Sequence[Unit]) -> None:
        """Write statements one after the other."""
        w, frame = self.writer, self.frame
        frame.is_apart = w.is_rare = True
        try:
            for unit in units:
                mark, before = w.mark(), dict(frame.env)
                try:
                    self.statement(unit.statement)
                except Declined:
                    if len(unit.steps) == 1:
                        raise
                    w.back(mark)
                    frame.env = before
                    for step in unit.steps:
                        self.statement(step)
        finally:
            frame.is_apart = w.is_rare = False

    def forget(self, names: dict[str, Value], wanted: dict[str, Value]) -> None:
        """Nobody reads these names any more."""
        for name in names:
            if name not in wanted:
                self.frame.env.pop(name, None)
