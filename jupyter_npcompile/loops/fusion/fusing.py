"""Neighbouring statements on arrays of one shape, written as one C++ loop.

Each statement of NumPy goes through all of its arrays before the next one begins.
Where no statement reads, at another place, what another one writes, it makes no
difference to do all of them for one element, and then for the next. What only the
run shows (shapes, overlaps) is tested before the loop, and the statements are
written as they stand, too.
"""

from __future__ import annotations

import ast
import re
import types
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jupyter_npcompile.cell.syntax import point
from jupyter_npcompile.loops import arithmetic, elementwise
from jupyter_npcompile.loops.calls import array
from jupyter_npcompile.loops.fusion.fusible import (
    RESULT,
    NotFusible,
    Reads,
    apart_names,
    extent_of,
    may_fuse,
    out_of,
    reads_of,
    result_apart,
)
from jupyter_npcompile.loops.fusion.groups import Group
from jupyter_npcompile.loops.fusion.row_blocks import RowBlocks
from jupyter_npcompile.loops.fusion.unrolling import unrolled
from jupyter_npcompile.loops.given import is_fixed
from jupyter_npcompile.loops.kinds import (
    ArrayType,
    Declined,
    Number,
    TupleType,
    Type,
    is_few,
    lengths_of,
)
from jupyter_npcompile.loops.library import axes, grids
from jupyter_npcompile.loops.values import Applied, Ref, Scalar, Value


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


class Fusing(RowBlocks):
    """Writes statements, some of them together."""

    def body(self, statements: Sequence[ast.stmt]) -> bool:
        """Write statements; False when what follows them is never reached."""
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

    def resolve(self, node: ast.expr) -> Any:
        """The value of a name that nothing here assigns, or of an attribute of a module.

        Raises
        ------
        LookupError
            When nobody knows it.
        """
        frame = self.frame
        path: list[str] = []
        inner = node
        while isinstance(inner, ast.Attribute):
            path.insert(0, inner.attr)
            inner = inner.value
        if not isinstance(inner, ast.Name):
            raise LookupError
        name = inner.id
        if name in frame.own or name in frame.env or name in self.assigned:
            raise LookupError(name)
        try:
            value = frame.lookup(name)
        except ValueError:  # a variable of a closure that is not bound yet
            raise LookupError(name) from None
        if not is_fixed(value):
            raise LookupError(name)
        self.fixed[self.found(name),] = value
        for place, attribute in enumerate(path):
            if not isinstance(value, types.ModuleType) or not hasattr(value, attribute):
                raise LookupError(attribute)
            value = getattr(value, attribute)
            self.fixed[self.found(name), *path[: place + 1]] = value
        return value

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

    def step(self, group: Group, node: ast.stmt) -> None:
        """Add a statement to a group.

        Raises
        ------
        NotFusible, Declined
            When it cannot be added.
        """
        begin, known = len(self.writer.lines), [*group.fresh]
        self.line = node.lineno
        if isinstance(node, ast.Assign):
            self.assigned_together(group, node)
        elif isinstance(node, ast.AugAssign):
            self.augmented_together(group, node)
        else:
            assert isinstance(node, ast.Expr)
            self.called_together(group, node.value)
        # What is written before the loop cannot know what the loop computes.
        text = "\n".join(self.writer.lines[begin:])
        if self.writer.keeps_small and is_few(lengths_of(group.dims)):
            raise NotFusible  # nothing of it goes through memory
        if known and re.search(rf"\b({'|'.join(known)})\b", text):
            raise NotFusible
        group.look()

    def assigned_together(self, group: Group, node: ast.Assign) -> None:
        """Add ``target = value``."""
        (target,) = node.targets
        if isinstance(target, ast.Tuple):
            self.unpacked_together(group, apart_names(target), node.value)
            return
        reads = reads_of(node.value, self.resolve)
        if isinstance(target, ast.Name):
            value = self.expression(node.value)
            self.note_reads(group, reads)
            self.bind(group, target.id, value, self.extents(group, node.value, reads))
            return
        place = self.place(group, target, reads)
        value = self.expression(node.value)
        self.note_reads(group, reads)
        stored = elementwise.converted(array(value), place.dtype)
        group.write(self.writer, place, stored, self.extents(group, node.value, reads))

    def unpacked_together(self, group: Group, names: Sequence[str], node: ast.expr) -> None:
        """Add ``a, b = value``: a grid's axes, or a tuple of expressions."""
        if isinstance(node, ast.Tuple) and len(node.elts) == len(names):
            found = []
            for part in node.elts:
                reads = reads_of(part, self.resolve)
                value = self.expression(part)
                self.note_reads(group, reads)
                found.append((value, self.extents(group, part, reads)))
        else:
            reads = reads_of(node, self.resolve)
            try:
                values = self.axes(group, names, node)
            except LookupError:
                raise NotFusible from None
            if len(values) != len(names):
                raise NotFusible
            self.note_reads(group, reads)
            found = [(value, set[str]()) for value in values]
        for name, (value, extents) in zip(names, found, strict=True):
            if not isinstance(value, Applied):
                raise NotFusible
            self.bind(group, name, value, extents)

    def axes(self, group: Group, names: Sequence[str], node: ast.expr) -> Sequence[Applied]:
        """The arrays of a grid: ``np.indices(shape)``, ``np.mgrid[:n, :m]``.

        Raises
        ------
        NotFusible
            When something else is written.
        """
        args: Sequence[Value] = ()
        given: dict[str, Value] = {}
        maker = None
        if isinstance(node, ast.Call):
            maker = self.resolve(node.func)
            args = self.expressions(node.args)
            given = {str(k.arg): self.expression(k.value) for k in node.keywords}
        elif isinstance(node, ast.Subscript) and grids.are_slices(node.slice):
            maker = self.resolve(node.value)
            args, _ = grids.parts_of(self, node.slice)
        made = axes.apart(self, maker, args, given)
        if made is None:
            raise NotFusible
        if axes.are_views(maker):
            group.views |= {*names}
        return made

    def augmented_together(self, group: Group, node: ast.AugAssign) -> None:
        """Add ``target op= value``."""
        name = arithmetic.UFUNCS[type(node.op)]
        reads = reads_of(node.value, self.resolve)
        if isinstance(node.target, ast.Name):
            old = self.read(node.target.id)
        else:
            old = self.place(group, node.target, reads)
        value = self.expression(node.value)
        self.note_reads(group, reads)
        made = array(self.operate(name, array(old), array(value)))
        extents = self.extents(group, node.value, reads)
        if isinstance(old, Ref):
            stored = elementwise.converted(made, old.dtype, same_kind=True)
            group.write(self.writer, old, stored, extents)
        else:
            assert isinstance(node.target, ast.Name)
            self.bind(group, node.target.id, made, extents)

    def called_together(self, group: Group, node: ast.expr) -> None:
        """Add ``np.function(..., out=place)``."""
        assert isinstance(node, ast.Call)
        target = out_of(node)
        assert target is not None
        plain = ast.Call(node.func, node.args, [], **point(node))
        reads = reads_of(plain, self.resolve)
        if isinstance(target, ast.Name):
            place = self.read(target.id)
        else:
            place = self.place(group, target, reads)
        value = array(self.expression(plain))
        self.note_reads(group, reads)
        if not isinstance(place, Ref):
            raise NotFusible
        stored = elementwise.converted(value, place.dtype, same_kind=True)
        group.write(self.writer, place, stored, self.extents(group, plain, reads))

    def bind(self, group: Group, name: str, value: Value, extents: set[str]) -> None:
        """A name is bound by a statement of a group."""
        w, frame = self.writer, self.frame
        made: Value
        if isinstance(value, Scalar):
            made = self.settled(value)
        elif isinstance(value, Applied):
            made = group.bind(w, value, extents)
        else:
            made = self.begun(group, value)
        frame.held[name] = made
        assert frame.views is not None
        frame.views = {k: v for k, v in frame.views.items() if f"Name(id='{name}'" not in k}

    def begun(self, group: Group, value: Value) -> Ref:
        """A new array whose elements have been written last; instead, the loop writes them."""
        w = self.writer
        fill = w.fills.pop(value.code, None) if isinstance(value, Ref) else None
        if fill is None or fill.end != len(w.lines):
            raise NotFusible
        assert isinstance(value, Ref)
        del w.lines[fill.begin :]
        return group.start(value, fill.dims, fill.value)

    def place(self, group: Group, node: ast.expr, reads: Reads) -> Ref:
        """The view that a statement writes into."""
        assert isinstance(node, ast.Subscript)
        loaded = ast.Subscript(node.value, node.slice, ast.Load(), **point(node))
        inner = reads_of(loaded, self.resolve)
        reads.elsewhere |= inner.elsewhere
        reads.subscripts += inner.subscripts
        view = self.expression(loaded)
        if not isinstance(view, Ref) or view.is_fresh:
            raise NotFusible
        return view

    def note_reads(self, group: Group, reads: Reads) -> None:
        """Arrays are read before the loop."""
        frame = self.frame
        assert frame.views is not None
        names = set(reads.elsewhere)
        for node in reads.subscripts:
            assert isinstance(node.value, ast.Name)
            if ast.dump(node) not in frame.views:
                names.add(node.value.id)
        for name in names:
            if name in frame.held:
                continue  # a number, or it is found in the text
            known = frame.env.get(name)
            if isinstance(known, ArrayType):
                ref = self.read(name)
                assert isinstance(ref, Ref)
                group.elsewhere[ref.code] = ref
            elif known is not None and not _is_numbers(known):
                raise NotFusible

    def extents(self, group: Group, node: ast.expr, reads: Reads) -> set[str]:
        """What is written of the shape of an expression."""
        frame = self.frame
        assert frame.views is not None
        found = {
            n.id
            for n in ast.walk(node)
            if isinstance(n, ast.Name) and isinstance(frame.env.get(n.id), ArrayType)
        }
        found -= {n.value.id for n in reads.subscripts if isinstance(n.value, ast.Name)}
        found -= reads.elsewhere
        for n in reads.subscripts:
            extent = extent_of(n)
            view = frame.views.get(ast.dump(n))
            if extent is not None and view is not None:
                group.sliced[view.code] = extent
                found.add(extent)
        return found

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


def _is_numbers(type: Type) -> bool:
    """Whether what a name is bound to lies in no memory that anybody writes into."""
    if isinstance(type, TupleType):
        return all(map(_is_numbers, type.items))
    return isinstance(type, Number)
