"""What a statement adds to those that share one C++ loop."""

from __future__ import annotations

import ast
import re
import types
from collections.abc import Sequence
from typing import Any

from jupyter_npcompile.cell.syntax import point
from jupyter_npcompile.loops import arithmetic, elementwise
from jupyter_npcompile.loops.calls import array
from jupyter_npcompile.loops.fusion.fusible import (
    NotFusible,
    Reads,
    apart_names,
    extent_of,
    is_whole,
    out_of,
    reads_of,
)
from jupyter_npcompile.loops.fusion.groups import Group
from jupyter_npcompile.loops.fusion.row_blocks import RowBlocks
from jupyter_npcompile.loops.given import is_fixed
from jupyter_npcompile.loops.kinds import (
    ArrayType,
    Number,
    TupleType,
    Type,
    is_few,
    lengths_of,
)
from jupyter_npcompile.loops.library import axes, grids
from jupyter_npcompile.loops.values import Applied, Ref, Scalar, Value


class Steps(RowBlocks):
    """Adds statements to groups."""

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
        if isinstance(node.value, ast.Name):
            known = self.read(node.value.id)
            if isinstance(known, Ref) and is_whole(node.slice, known.ndim):
                return known  # what is read of it lies where it is written
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


def _is_numbers(type: Type) -> bool:
    """Whether what a name is bound to lies in no memory that anybody writes into."""
    if isinstance(type, TupleType):
        return all(map(_is_numbers, type.items))
    return isinstance(type, Number)
