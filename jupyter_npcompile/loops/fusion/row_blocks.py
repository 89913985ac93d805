"""Statements that do their work row by row, written as a loop over blocks of rows.

The same is done with columns. What `rows.by_columns` decides is along which axis blocks lie.
"""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from jupyter_npcompile.cell.syntax import point
from jupyter_npcompile.loops import cuts
from jupyter_npcompile.loops.calls import number
from jupyter_npcompile.loops.courtesy import give_way
from jupyter_npcompile.loops.fusion.fusible import names_in, result_apart
from jupyter_npcompile.loops.fusion.liveness import needed_after
from jupyter_npcompile.loops.fusion.row_expressions import COUNT, NotByRows, of_rows, size_drawn
from jupyter_npcompile.loops.fusion.rows import Rows
from jupyter_npcompile.loops.given import Constant
from jupyter_npcompile.loops.kinds import CTYPES, INT, ArrayType, Declined, is_few
from jupyter_npcompile.loops.statements import Statements
from jupyter_npcompile.loops.values import Cut, Ref, Scalar, Value
from jupyter_npcompile.loops.writer import Writer

BLOCK = 8192
"""Elements of an array that are worked on at a time: several such fit into the cache."""

LARGE = 1 << 15
"""Elements of an array that does not stay in the cache from one statement to the next."""

NARROWEST = 32
"""Columns of a block: with fewer, little of what comes from memory with them is used."""

FITTING = 1 << 17
"""Elements of a block of columns that is worth it."""

FEWEST = 4
"""Rows of a block in which something is done anew that is the same for all rows."""


LEAST = 2
"""Passes through all elements, beside two for each array that is needed afterwards: what is
written to memory anyway, and copied from a block, may as well be written at once."""


class RowBlocks(Statements):
    """Writes statements, some of them for a few rows at a time."""

    def by_rows(self, statements: Sequence[ast.stmt]) -> tuple[int, int, ast.Return | None]:
        """Write the first statements as a loop over blocks of rows.

        Returns
        -------
        done : int
            How many statements are written; 0 where they are none of this kind.
        seen : int
            How many need not be looked at again.
        rest : ast.Return, optional
            What is left of the last one.
        """
        frame, w = self.frame, self.writer
        is_closure = frame.around is not None
        if frame.is_apart or frame.in_blocks or is_closure or frame.carried is not None:
            return 0, len(statements), None
        mark, before, seen = w.mark(), dict(frame.env), 1
        for by_columns in (False, True):
            end = len(statements)
            while True:
                rows, done, rest = self._gathered(statements[:end], by_columns=by_columns)
                seen = max(seen, done)
                if rows is None or rows.passes < 2 or not rows.has_lines:
                    break
                if done == end:
                    if self._write(rows, statements[done - 1], rest):
                        return done, done, rest
                    break
                # What is behind the last of them need not be done before it.
                w.back(mark)
                frame.env, end = dict(before), done
            w.back(mark)
            frame.env = dict(before)
        return 0, seen, None

    def _gathered(
        self, statements: Sequence[ast.stmt], *, by_columns: bool
    ) -> tuple[Rows | None, int, ast.Return | None]:
        """The first statements that go together; what has nothing to do with them is written."""
        ndim = self._dimensions(statements[0])
        if ndim < 2:
            return None, 0, None
        rows, done = Rows(self.frame.env, self._resolve, ndim, by_columns), 0
        for place, statement in enumerate(statements):
            if isinstance(statement, ast.Return):
                rest = self._returned(rows, statement)
                if rest is None:
                    break
                return rows, place + 1, rest
            try:
                rows.add(statement)
                done = place + 1
            except NotByRows:
                if not done or not rows.may_go_before(statement):
                    break
                try:
                    if not self.statement(statement):
                        break
                except Declined:
                    break
                rows.env = self.frame.env
        return (rows if done else None), done, None

    def _returned(self, rows: Rows, node: ast.Return) -> ast.Return | None:
        """Add what is returned; what is left of the statement, or None where nothing is added."""
        if node.value is None:
            return None
        is_tuple = isinstance(node.value, ast.Tuple)
        items = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        left: list[ast.expr] = []
        for item in items:
            value, rest = result_apart(ast.Return(item, **point(item)))
            try:
                rows.add(value)
            except NotByRows:
                left.append(item)
            else:
                assert rest.value is not None
                left.append(rest.value)
        if all(one is other for one, other in zip(items, left, strict=True)):
            return None
        made = ast.Tuple(left, ast.Load(), **point(node)) if is_tuple else left[0]
        return ast.Return(made, **point(node))

    def _dimensions(self, node: ast.stmt) -> int:
        """Of the arrays in a statement, or of what it draws: the most."""
        give_way()
        if isinstance(node, ast.Assign):
            size = size_drawn(node.value, self.frame.env)
            if size is not None:
                return len(size.elts)
        known = (self.frame.env.get(n.id) for n in ast.walk(node) if isinstance(n, ast.Name))
        arrays = (t for t in known if isinstance(t, ArrayType) and not is_few(t.lengths))
        return max((t.ndim for t in arrays), default=0)

    def _write(self, rows: Rows, last: ast.stmt, rest: ast.Return | None) -> bool:
        """Write the loop; False when something in it has no such form."""
        w, frame = self.writer, self.frame
        needed = frame.needed.get(id(last))
        if rest is not None and rest.value is not None:
            needed = frozenset(names_in(rest.value))
        wanted = [name for name in rows.made if needed is None or name in needed]
        stored = sum(rows.made[name].ndim >= rows.ndim for name in wanted)
        if rows.passes < 2 * stored + LEAST:
            return False
        mark, before, needs = w.mark(), dict(frame.env), frame.needed
        w.emit("{")
        names = [*rows.inputs.values(), *map(of_rows, rows.made)]
        ends = frozenset(map(of_rows, wanted))
        frame.needed = {**needs, **needed_after(rows.statements, ends)}
        frame.in_blocks = True
        try:
            made = self._loop(rows, wanted)
        except Declined:
            made = None
        finally:
            frame.needed, frame.in_blocks = needs, False
        if made is None:
            w.back(mark)
            frame.env = before
            return False
        for name in (*names, COUNT):
            frame.env.pop(name, None)
        for name, ref in made.items():
            self.assign(name, ref)
        w.emit("}")
        return True

    def _loop(self, rows: Rows, wanted: Sequence[str]) -> dict[str, Ref] | None:
        """Write the loop over the blocks; returns what is made of all rows."""
        w = self.writer
        inputs = {name: self._array(name) for name in rows.inputs}
        others = [self._array(name) for name in sorted(rows.whole)]
        axes = {name: ref.ndim - 1 if rows.by_columns else 0 for name, ref in inputs.items()}
        if rows.drawn:
            count, *sizes = (as_dimension(w, self.expression(part)) for part in rows.drawn)
        else:
            first = max(inputs.values(), key=lambda ref: ref.ndim)
            own = first.ndim - 1 if rows.by_columns else 0
            count = w.hold("i64", f"{first.code}.n[{own}]", "n")
            sizes = [f"{first.code}.n[{d}]" for d in range(first.ndim) if d != own]
        size = w.hold("i64", " * ".join(sizes), "n")
        least = NARROWEST if rows.by_columns else 1
        step = w.hold("i64", f"math::max<i64>({BLOCK} / math::max<i64>({size}, 1), {least})", "n")
        tests = [f"{count} > {step}", f"{count} * {size} > {LARGE}"]
        tests += [f"{step} >= {FEWEST}"] if rows.is_heavy else []
        tests += [f"{step} * {size} <= {FITTING}"] if rows.by_columns else []
        tests += [f"{ref.code}.n[{axes[name]}] == {count}" for name, ref in inputs.items()]
        arrays = [ref for ref in (*inputs.values(), *others) if ref.ndim > 1]
        tests += [f"!is_unordered({ref.code})" for ref in arrays]
        blocks = w.hold("bool", " && ".join(tests), "blocks")
        place = len(w.lines)
        k = w.name("k")
        made: dict[str, Ref] = {}
        with w.block(f"for (i64 {k} = 0;;)"):
            stop = w.hold("i64", f"{blocks} ? {k} + {step} : INT64_MAX")
            if rows.drawn:
                some = w.hold("i64", f"{blocks} ? math::min({step}, {count} - {k}) : {count}")
                self.assign(COUNT, Scalar(some, INT))
            for name, ref in inputs.items():
                full: list[cuts.Index] = [Cut(None, None, None)] * ref.ndim
                full[axes[name]] = Cut(Scalar(k, INT), Scalar(stop, INT), None)
                self.assign(rows.inputs[name], cuts.view(w, ref, full))
            if not self.body(rows.statements):
                return None
            for name in wanted:
                part = self.read(of_rows(name))
                if not isinstance(part, Ref):
                    return None
                made[name] = Ref(w.name("a"), part.type)
                own = part.ndim - 1 if rows.by_columns else 0
                self._put(made[name], part, own, (blocks, k, step, count))
            for name in (*rows.inputs.values(), *map(of_rows, rows.made)):
                known = self.frame.env.get(name)  # what is fused into its only use has none
                if isinstance(known, ArrayType):  # the next block takes their memory
                    w.emit(f"{self.variable(name, known)} = {known.c}();")
            w.emit(f"if (!{blocks} || ({k} += {step}) >= {count}) break;")
        w.lines[place:place] = [f"{ref.type.c} {ref.code};" for ref in made.values()]
        return made

    def _resolve(self, node: ast.expr) -> Any:
        """The value of a name that nothing here assigns, or that is a constant."""
        frame = self.frame
        try:
            return self.resolve(node)
        except LookupError:
            if not isinstance(node, ast.Name) or node.id in {*frame.own, *frame.env}:
                raise
            if node.id in self.assigned:
                raise
            value = frame.lookup(node.id)
            if not isinstance(value, Constant):
                raise
            return value.value  # it is read again when its statement is written

    def _array(self, name: str) -> Ref:
        found = self.read(name)
        assert isinstance(found, Ref)
        return found

    def _put(self, all: Ref, part: Ref, axis: int, loop: tuple[str, str, str, str]) -> None:
        """Keep what has been made of some rows, or of all of them."""
        blocks, k, step, count = loop
        w, c, number = self.writer, CTYPES[all.dtype], np.dtype(all.dtype).num
        dims = [count if d == axis else f"{part.code}.n[{d}]" for d in range(part.ndim)]
        with w.block(f"if ({blocks})"):
            w.emit(f"NEED({part.code}.n[{axis}] == math::min({step}, {count} - {k}));")
            shape = w.name("d")
            w.emit(f"const i64 {shape}[{part.ndim}] = {{{', '.join(dims)}}};")
            w.emit(
                f"if (!{k}) {all.code} = fresh<{c}, {part.ndim}>(run.spare, {shape}, {number});",
                f"put_part<{axis}>({all.code}, {part.code}, {k});",
            )
        with w.block("else"):
            w.emit(f"{all.code} = {part.code};")

    @abstractmethod
    def resolve(self, node: ast.expr) -> Any:
        """The value of a name that nothing here assigns; raises LookupError."""


def as_dimension(writer: Writer, value: Value) -> str:
    """A number of elements, in a C++ variable."""
    return writer.hold("i64", cuts.as_index(number(value)), "n")
