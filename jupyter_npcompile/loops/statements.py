"""From statements to C++: assignments, conditions, jumps."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager

import numpy as np

from jupyter_npcompile.cell.syntax import assign, clone, constant, load, point, store
from jupyter_npcompile.loops import (
    arithmetic,
    attempts,
    bindings,
    choices,
    closures,
    cuts,
    dicts,
    elementwise,
    errors,
    indexing,
    lists,
    reuse,
    scatters,
)
from jupyter_npcompile.loops.calls import array, elements
from jupyter_npcompile.loops.conditions import DECIDED, FALSE, TRUE
from jupyter_npcompile.loops.courtesy import give_way
from jupyter_npcompile.loops.expressions import Expressions
from jupyter_npcompile.loops.kinds import UNBOUND, Declined, Raises
from jupyter_npcompile.loops.records import Step
from jupyter_npcompile.loops.source import breaks_of, named
from jupyter_npcompile.loops.values import (
    Applied,
    Gathered,
    Holder,
    Items,
    Known,
    Lazy,
    Listed,
    Locked,
    Parts,
    Ref,
    Scalar,
    Slots,
    Value,
    ZeroDim,
    ndim_of,
)


class Statements(Expressions):
    """Writes statements."""

    def body(self, statements: Sequence[ast.stmt]) -> bool:
        """Write statements; False when what follows them is never reached."""
        for statement in statements:
            self.line = statement.lineno
            if not self.statement(statement):
                return False
        return True

    def statement(self, node: ast.stmt) -> bool:
        """Write a statement; False when what follows it is never reached."""
        give_way()
        unsafe = bindings.unsafe(node)
        if unsafe is not None:
            raise Declined("`:=` in such a place", unsafe.lineno)
        if isinstance(node, ast.Assign) and len(node.targets) > 1:
            return self.body(bindings.one_by_one(node))
        if isinstance(node, ast.If):
            return self.branch(node)
        if isinstance(node, ast.For | ast.While) and node.orelse:
            return self.loop_with_else(node)
        if isinstance(node, ast.For):
            self.for_loop(node)
            return True
        if isinstance(node, ast.While):
            return self.while_loop(node)
        if isinstance(node, ast.With):
            return self.with_errors(node)
        if isinstance(node, ast.Try):
            return attempts.attempt(self, node)
        if isinstance(node, ast.FunctionDef):
            self.assign(node.name, closures.defined(self, node))
            return True
        if isinstance(node, ast.Delete):
            self.delete(node)
            return True
        if isinstance(node, ast.Break | ast.Continue):
            self.jump(node)
            return False
        if isinstance(node, ast.Pass):
            return True
        if isinstance(node, ast.Return):
            return self.give_back(node)
        if isinstance(node, ast.Raise):
            # Python runs the loop again, and raises.
            self.writer.emit("bail();")
            return False
        if isinstance(node, ast.Assert):
            with self.writer.block():
                test = self.condition(node.test)
                self.writer.emit("bail();" if test == FALSE else f"NEED({test});")
            return test != FALSE
        mark = self.writer.mark()
        try:
            self.simple(node)
        except Raises:
            self.writer.back(mark)
            self.writer.emit("bail();")
            return False
        return True

    def simple(self, node: ast.stmt) -> None:
        """Write a statement without others in it."""
        value = None if isinstance(node, ast.AugAssign) else getattr(node, "value", None)
        self.sole = None if self.within else value
        frame, outer = self.frame, self.frame.dying
        frame.dying = frozenset()
        if isinstance(node, ast.Assign) and frame.views is None:
            frame.dying = reuse.dying(node)
        try:
            self._simple(node)
        finally:
            frame.dying = outer

    def binding(self, *names: str) -> AbstractContextManager[None]:
        """Write what names are bound to: in memory, where one of them has to be."""
        return self.writer.in_memory(wanted=bool(self.in_memory.intersection(names)))

    def _simple(self, node: ast.stmt) -> None:
        names = [
            part.id
            for part in ast.walk(node)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        ]
        with self.writer.block(), self.binding(*names):
            if isinstance(node, ast.Assign):
                (target,) = node.targets
                self.target(target, self.expression(node.value))
            elif isinstance(node, ast.AugAssign):
                self.augmented(node)
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                self.target(node.target, self.expression(node.value))
            elif isinstance(node, ast.Expr):
                if not isinstance(node.value, ast.Constant):
                    self.settled(self.expression(node.value))
            else:
                raise Declined(named(node), node.lineno)

    def target(self, node: ast.expr, value: Value) -> None:
        """Write the assignment of a value."""
        if isinstance(node, ast.Name):
            self.assign(node.id, value)
        elif isinstance(node, ast.Tuple | ast.List):
            self.unpack(node, value)
        elif isinstance(node, ast.Subscript):
            node = self.flat(node)
            owner = self.expression(node.value)
            if isinstance(owner, Listed):
                lists.write(self, owner, self.indices(node.slice)[0], value)
                return
            if isinstance(owner, Slots):
                key = dicts.key_of(self, owner, self.expression(node.slice))
                dicts.write(self, owner, key, value)
                return
            if isinstance(owner, Holder):
                step = self.key_step(owner, self.expression(node.slice))
                self.replace_entry(owner, step, value)
                return
            if not isinstance(owner, Ref):
                raise Declined("a store into something that is no array", node.lineno)
            stored = self.stored(value)
            indices = self.proven(node, owner, self.indices(node.slice))
            held = indexing.write(self.writer, owner, indices, stored)
            self.keep(node, owner, indices, held)
            self.note_write(owner)
        elif isinstance(node, ast.Attribute):
            owner = self.expression(node.value)
            if not isinstance(owner, Holder):
                raise Declined(named(node), node.lineno)
            self.replace_entry(owner, self.attribute_step(owner, node.attr), value)
        else:
            raise Declined(named(node), node.lineno)

    def stored(self, value: Value) -> Lazy | Scalar:
        """What is stored into an array: of a tuple or a list, an array is made."""
        if isinstance(value, Items | Listed):
            value = self.called(np.array, [value], {})
        return array(value)

    def unpack(self, node: ast.Tuple | ast.List, value: Value) -> None:
        """Write the assignment of a tuple of values."""
        starred = [k for k, item in enumerate(node.elts) if isinstance(item, ast.Starred)]
        if isinstance(value, Items | Parts):
            items = [self.settled(item) for item in value.items]
            if starred and len(items) >= len(node.elts) - 1:
                (first,) = starred
                last = len(items) - (len(node.elts) - 1 - first)
                items[first:last] = [Items(tuple(items[first:last]), is_list=True)]
        elif starred:
            raise Declined("a starred target", node.lineno)
        else:
            ref = elementwise.materialise(self.writer, elements(value))
            self.writer.emit(f"NEED({ref.code}.n[0] == {len(node.elts)});")
            items = [
                indexing.read(self.writer, ref, [arithmetic.constant(k)])
                for k in range(len(node.elts))
            ]
        if len(items) != len(node.elts):
            raise Declined("a tuple of another length", node.lineno)
        for target, item in zip(node.elts, items, strict=True):
            self.target(target.value if isinstance(target, ast.Starred) else target, item)

    def delete(self, node: ast.Delete) -> None:
        """Write ``del``: the names are not bound any more."""
        for target in node.targets:
            if not isinstance(target, ast.Name):
                raise Declined("del of something that is no name", node.lineno)
            self.read(target.id)  # or Python raises
            self.frame.env[target.id] = UNBOUND

    def augmented(self, node: ast.AugAssign) -> None:
        """Write ``target op= value``."""
        name = arithmetic.UFUNCS[type(node.op)]
        if isinstance(node.target, ast.Name):
            old = self.read(node.target.id)
            value = self.expression(node.value)
            if isinstance(old, Ref):
                self.in_place(old, old, name, value)
            elif isinstance(old, Locked):
                raise Raises("an array that nobody may write into", node.lineno)
            elif isinstance(old, ZeroDim):
                raise Declined("a 0-d array that is changed", node.lineno)
            elif isinstance(old, Listed):
                self.extend(node.target.id, name, value)
            else:
                self.assign(node.target.id, self.operate(name, old, value))
            return
        if isinstance(node.target, ast.Attribute):
            owner = self.expression(node.target.value)
            if not isinstance(owner, Holder):
                raise Declined(named(node.target), node.lineno)
            step = self.attribute_step(owner, node.target.attr)
            self.augmented_entry(owner, step, name, node.value)
            return
        if not isinstance(node.target, ast.Subscript):
            raise Declined(named(node.target), node.lineno)
        target = self.flat(node.target)
        owner = self.expression(target.value)
        if isinstance(owner, Listed):
            place = self._held(self.indices(target.slice)[0])
            item = lists.read(self, owner, place)
            lists.write(self, owner, place, self.operate(name, item, self.expression(node.value)))
            return
        if isinstance(owner, Holder | Slots):
            self.augmented_value(owner, target.slice, name, node.value)
            return
        if not isinstance(owner, Ref):
            raise Declined("a store into something that is no array", node.lineno)
        indices = self.proven(target, owner, self.indices(target.slice))
        indices = [self._held(index) for index in indices]
        if self._scattered(owner, indices, name, node.value):
            return
        old = indexing.read(self.writer, owner, indices)
        value = self.expression(node.value)
        if isinstance(old, Ref) and not cuts.is_fancy(indices):
            self.in_place(owner, old, name, value)
            return
        made = array(self.operate(name, old, value))
        if not isinstance(made, Scalar):
            made = elementwise.materialise(self.writer, made)
        held = indexing.write(self.writer, owner, indices, made)
        self.keep(target, owner, indices, held)
        self.note_write(owner)

    def _scattered(self, owner: Ref, indices: list[cuts.Index], name: str, right: ast.expr) -> bool:
        """Write ``x[places] op= value`` for an array of one dimension; False if it is none."""
        index = indices[0]
        if owner.ndim > 1 or len(indices) > 1 or not isinstance(index, Ref | Gathered | Applied):
            return False
        if index.dtype == "bool" or index.ndim > 1 or name == "matmul":
            return False
        value = array(self.expression(right))
        if not isinstance(value, Scalar):
            value = elementwise.materialise(self.writer, value)
        if ndim_of(value) > 1:
            return False

        def operation(old: Lazy) -> Lazy | Scalar:
            return array(self.operate(name, old, value))

        scatters.change(self.writer, owner, index, operation, value)
        self.note_write(owner)
        return True

    def augmented_value(
        self, owner: Holder | Slots, index: ast.expr, name: str, right: ast.expr
    ) -> None:
        """Write ``some[key] op= value`` of a dict."""
        key = self.expression(index)
        if isinstance(owner, Holder):
            self.augmented_entry(owner, self.key_step(owner, key), name, right)
            return
        text = dicts.key_of(self, owner, key)
        old = dicts.read(self, owner, text)
        value = self.expression(right)
        if isinstance(old, Ref):
            self.in_place(old, old, name, value)
        elif isinstance(old, Listed):
            raise Declined("such an operation on a list", self.line)
        else:
            dicts.write(self, owner, text, self.operate(name, old, value))

    def augmented_entry(self, owner: Holder, step: Step, name: str, right: ast.expr) -> None:
        """Write ``record.entry op= value``."""
        old = self.entry(owner, step)
        value = self.expression(right)
        if isinstance(old, Ref):
            self.in_place(old, old, name, value)
        else:
            self.replace_entry(owner, step, self.operate(name, self.settled(old), value))

    def extend(self, target: str, name: str, value: Value) -> None:
        """Write ``list += [...]``."""
        if name != "add" or not isinstance(value, Items):
            raise Declined("such an operation on a list", self.line)
        for item in value.items:
            owner = self.read(target)
            assert isinstance(owner, Listed)
            lists.method(self, owner, "append", [item])

    def in_place(self, owner: Ref, old: Ref, name: str, value: Value) -> None:
        """Write an operation into the memory of an array."""
        made = array(self.operate(name, old, value))
        stored = elementwise.converted(made, old.dtype, same_kind=True)
        elementwise.store(self.writer, old, stored)
        self.note_write(owner)

    def branch(self, node: ast.If) -> bool:
        """Write an ``if``."""
        if choices.chosen(self, node):
            return True
        if self.frame.carried is not None:
            self.frame.carried.under(node)
        w = self.writer
        test = w.name("b")
        w.emit(f"bool {test};")
        with w.block():
            found = self.condition(node.test)
            w.emit(f"{test} = {found};")
        if found in DECIDED:
            with w.block():
                return self.body(node.body if found == TRUE else node.orelse)
        before = dict(self.frame.env)
        w.emit(f"if ({test}) {{")
        first = self.body(node.body)
        after_first, first_end = self.frame.env, len(w.lines)
        w.emit("} else {")
        self.frame.env = dict(before)
        second = self.body(node.orelse)
        after_second = self.frame.env
        if first and second:
            joined = self.joined(after_first, after_second)
            self.convert_all(after_second, joined)
            w.emit("}")
            mark = len(w.lines)
            self.convert_all(after_first, joined)
            extra = w.lines[mark:]
            del w.lines[mark:]
            w.lines[first_end:first_end] = extra
            self.frame.env = joined
        else:
            w.emit("}")
            self.frame.env = after_first if first else after_second
        return first or second

    def jump(self, node: ast.Break | ast.Continue) -> None:
        """Write ``break`` or ``continue``."""
        jumps = self.jumps[-1]
        self.errors_as(jumps.ignored)
        if isinstance(node, ast.Break):
            jumps.breaks.append(dict(self.frame.env))
            self.convert_all(self.frame.env, jumps.exit)
            self.writer.emit(f"goto break_{jumps.number};")
        else:
            jumps.ends.append(dict(self.frame.env))
            self.convert_all(self.frame.env, jumps.head)
            self.writer.emit(f"goto next_{jumps.number};")

    def loop_with_else(self, node: ast.For | ast.While) -> bool:
        """Write a loop in the loop, and what is done when no ``break`` has left it."""
        loop = clone(node)
        loop.orelse = []
        breaks = breaks_of(loop)
        if not breaks:
            self.statement(loop)
            return self.body(node.orelse)
        # No name of the user's begins with a digit.
        name = f"0left{node.lineno}_{node.col_offset}"
        place = point(node)
        left = assign(store(name, place), constant(True, place), place)
        for body, index in breaks:
            body.insert(index, clone(left))
        self.assign(name, arithmetic.constant(False))
        self.statement(loop)
        test = ast.UnaryOp(ast.Not(), load(name, place), **place)
        return self.branch(ast.If(test, list(node.orelse), [], **place))

    def give_back(self, node: ast.Return) -> bool:
        """Write ``return`` in a function that is called in the loop."""
        frame = self.frame
        self.sole = None if self.within else node.value
        self.given_back = frozenset()
        with self.writer.block(), self.binding(frame.result):
            value = Known(None) if node.value is None else self.expression(node.value)
            value = self.settled(dicts.given_back(self, value))
            type = self.store(frame.result, value)
            frame.returned.append(type)
            if frame.returns is not None:
                self.convert(frame.result, type, frame.returns)
            self.errors_as(frame.ignored)
            self.writer.emit(f"goto {frame.label};")
        return False

    def with_errors(self, node: ast.With) -> bool:
        """Write ``with np.errstate(...)``."""
        before, inside = self.ignored, errors.ignored_in(self, node)
        self.errors_as(inside)
        self.ignored = inside
        try:
            reached = self.body(node.body)
            if reached:
                self.errors_as(before)
        finally:
            self.ignored = before
        return reached

    @abstractmethod
    def while_loop(self, node: ast.While) -> bool:
        """Write a ``while`` in the loop; False when what follows is never reached."""
