"""What stands in square brackets, as it is written."""

from __future__ import annotations

import ast
from dataclasses import replace

import numpy as np

from jupyter_npcompile.cell.syntax import point
from jupyter_npcompile.loops import cuts, dicts, elementwise, indexing, lists
from jupyter_npcompile.loops.calling import Calls
from jupyter_npcompile.loops.calls import array, integer, number
from jupyter_npcompile.loops.carried import Carried
from jupyter_npcompile.loops.kinds import CTYPES, ArrayType, Declined, Fixed, Number, Raises
from jupyter_npcompile.loops.library import grids
from jupyter_npcompile.loops.records import Step
from jupyter_npcompile.loops.values import (
    Applied,
    Cut,
    Gathered,
    Holder,
    Items,
    Known,
    Listed,
    Locked,
    Parts,
    Ref,
    Scalar,
    Slots,
    Value,
)


class Subscripts(Calls):
    """Writes elements, views and selections."""

    def chosen(self, owner: Items, index: Scalar) -> Value:
        """The item of a tuple of numbers, or of such tuples, at a place that only the run shows."""
        first = owner.items[0] if owner.items else None
        if isinstance(first, Items):
            index = number(self.settled(index))
            rows = [v.items for v in owner.items if isinstance(v, Items) and not v.is_list]
            if len(rows) != len(owner.items) or len(set(map(len, rows))) != 1:
                raise Declined("an item of a tuple of different types", self.line)
            columns = (Items(column) for column in zip(*rows, strict=True))
            return Items(tuple(self.chosen(column, index) for column in columns))
        items = [number(item) for item in owner.items]
        types = {(item.type.origin, item.type.dtype) for item in items}
        if len(types) != 1 or items[0].type.is_tagged:
            raise Declined("an item of a tuple of different types", self.line)
        kind = items[0].type
        w = self.writer
        table = w.name("table")
        w.emit(f"const {kind.c} {table}[] = {{{', '.join(item.code for item in items)}}};")
        bits = max(item.type.bits for item in items)
        code = f"{table}[at({cuts.as_index(index)}, {len(items)})]"
        return Scalar(w.hold(kind.c, code), Number(kind.origin, kind.dtype, bits))

    def indices(self, node: ast.expr) -> list[cuts.Index]:
        """What stands in square brackets."""
        items = node.elts if isinstance(node, ast.Tuple) else [node]
        found: list[cuts.Index] = []
        for item in items:
            if isinstance(item, ast.Slice):
                bounds = map(self._bound, (item.lower, item.upper, item.step))
                found.append(Cut(*bounds, single=cuts.is_single(item)))
                continue
            value = self.expression(item)
            if isinstance(value, Cut):
                found.append(value)
                continue
            if isinstance(value, Scalar | Ref | Gathered | Applied):
                if isinstance(value, Scalar) and value.type.dtype == "bool":
                    raise Declined("a truth value as an index", node.lineno)
                found.append(value)
            elif isinstance(value, Known) and (value.value is None or value.value is Ellipsis):
                found.append(value)
            elif lists.is_list(value) or (isinstance(value, Items) and isinstance(node, ast.Tuple)):
                found.append(self.listed(value))
            elif isinstance(value, Items):
                found += map(self._index, value.items)
            else:
                raise Declined("this index", node.lineno)
        return found

    def _index(self, value: Value) -> cuts.Index:
        """An index that is an item of a tuple."""
        if isinstance(value, Scalar) and value.type.dtype == "bool":
            raise Declined("a truth value as an index", self.line)
        if isinstance(value, Scalar | Ref | Gathered | Applied | Cut):
            return value
        if isinstance(value, Known) and (value.value is None or value.value is Ellipsis):
            return value
        raise Declined("this index", self.line)

    def listed(self, items: Value) -> Ref:
        """A list of integers as an array."""
        made = array(self.called(np.array, [items], {}))
        if not isinstance(made, Ref):
            raise Declined("a list as an index", self.line)
        return made

    def _bound(self, node: ast.expr | None) -> Scalar | None:
        if node is None:
            return None
        value = self.expression(node)
        if isinstance(value, Known) and value.value is None:
            return None
        return number(value)

    def flat(self, node: ast.Subscript) -> ast.Subscript:
        """``a[i][j]`` as ``a[i, j]`` where that is the same: it needs no view of a row."""
        if not isinstance(node.value, ast.Subscript):
            return node
        inner = self.flat(node.value)
        if not isinstance(inner.value, ast.Name):
            return node
        known = self.frame.env.get(inner.value.id)
        first, second = _parts(inner), _parts(node)
        if not isinstance(known, ArrayType) or len(first) + len(second) > known.ndim:
            return node
        if not all(map(self._is_integer, first)):
            return node
        if not all(isinstance(part, ast.Slice) or self._is_integer(part) for part in second):
            return node
        place = point(node)
        parts = ast.Tuple([*first, *second], ast.Load(), **place)
        return ast.Subscript(inner.value, parts, node.ctx, **place)

    def _is_integer(self, node: ast.expr) -> bool:
        """Whether an index is surely an integer, by the types that names have now."""
        if isinstance(node, ast.Constant):
            return type(node.value) is int
        if isinstance(node, ast.Name):
            known = self.frame.env.get(node.id)
            if isinstance(known, Fixed):
                return type(known.value) is int
            return isinstance(known, Number) and known.kind in "iu" and not known.mixed
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.op, ast.USub) and self._is_integer(node.operand)
        if isinstance(node, ast.BinOp):
            exact = isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.FloorDiv | ast.Mod)
            return exact and self._is_integer(node.left) and self._is_integer(node.right)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            known, parts = self.frame.env.get(node.value.id), _parts(node)
            if not isinstance(known, ArrayType) or np.dtype(known.dtype).kind not in "iu":
                return False
            return len(parts) == known.ndim and all(map(self._is_integer, parts))
        return False

    def on_subscript(self, node: ast.Subscript) -> Value:
        """An element, a view or a selection; statements in one loop share their views."""
        views = self.frame.views
        if views is None:
            return self.subscript(node)
        key = ast.dump(node)
        if key in views:
            return views[key]
        value = self.subscript(node)
        if isinstance(value, Ref) and not value.is_fresh:
            views[key] = value
        return value

    def subscript(self, node: ast.Subscript) -> Value:
        """An element, a view or a selection."""
        node = self.flat(node)
        owner = self.expression(node.value)
        if isinstance(owner, Listed):
            return lists.read(self, owner, self.indices(node.slice)[0])
        if isinstance(owner, Holder):
            return self.keyed(owner, self.expression(node.slice))
        if isinstance(owner, Slots):
            return dicts.read(self, owner, dicts.key_of(self, owner, self.expression(node.slice)))
        if isinstance(owner, Parts):
            owner = Items(owner.items)
        if isinstance(owner, Items):
            if isinstance(node.slice, ast.Slice):
                return self.part(owner, node.slice)
            index = self.expression(node.slice)
            if isinstance(index, Scalar) and index.const is None:
                return self.chosen(owner, index)
            place = integer(index)
            if not -len(owner.items) <= place < len(owner.items):
                raise Raises("an index out of a tuple", node.lineno)
            item: Value = owner.items[place]
            return item
        if isinstance(owner, Locked):
            part = indexing.read(self.writer, owner.view, self.indices(node.slice))
            return owner.part(part) if isinstance(part, Ref) and not part.is_fresh else part
        if isinstance(owner, Known) and grids.is_grid(owner.value):
            return grids.read(self, owner.value, node.slice)
        if isinstance(owner, Applied | Gathered):
            owner = elementwise.materialise(self.writer, owner)
        if not isinstance(owner, Ref):
            raise Declined("an item of something that is no array", node.lineno)
        indices = self.proven(node, owner, self.indices(node.slice))
        kept = self.kept(node, owner, indices)
        if kept is not None:
            return kept
        is_dying = isinstance(node.value, ast.Name) and node.value.id in self.frame.dying
        return indexing.read(self.writer, owner, indices, is_dying=is_dying)

    def keyed(self, owner: Holder, key: Value) -> Value:
        """The value in a dict from outside, by its key."""
        return self.entry(owner, self.key_step(owner, key))

    def key_step(self, owner: Holder, key: Value) -> Step:
        """The step to a value in a dict from outside."""
        text = key.value if isinstance(key, Known) else None
        if owner.record.type is not dict or not isinstance(text, str):
            raise Declined("this key", self.line)
        if text not in owner.record.entries:
            raise Declined(f"`{text}` is not in the dict", self.line)
        return Step(dict, text)

    def attribute_step(self, owner: Holder, name: str) -> Step:
        """The step to an attribute that an object has itself."""
        if owner.record.type is dict or name not in owner.record.entries:
            raise Declined(f"`{name}` is not there", self.line)
        return Step(owner.record.type, name)

    def part(self, owner: Items, node: ast.Slice) -> Items:
        """Some items of a tuple."""
        bounds = []
        for bound in (node.lower, node.upper, node.step):
            value = self._bound(bound)
            bounds.append(None if value is None else integer(value))
        return Items(owner.items[slice(*bounds)], owner.is_list)

    def proven(
        self, node: ast.Subscript, owner: Ref, indices: list[cuts.Index]
    ) -> list[cuts.Index]:
        """The same indices; those that are looked at before the loop say so."""
        proof = self.frame.proof
        parts = _parts(node)
        if (
            proof is None
            or not isinstance(node.value, ast.Name)
            or node.value.id in proof.bound
            or not len(parts) == len(indices) == owner.ndim
        ):
            return indices
        made: list[cuts.Index] = []
        for dimension, (part, index) in enumerate(zip(parts, indices, strict=True)):
            if isinstance(index, Scalar) and proof.admits(part, self.frame.env):
                proof.require(owner.code, dimension, part)
                index = replace(index, proven=True)
            made.append(index)
        return made

    def keep(self, node: ast.Subscript, owner: Ref, indices: list[cuts.Index], held: str) -> None:
        """An element is written: the next iterations may read it from a variable."""
        carried = self.frame.carried
        if carried is None or not _are_proven(indices) or not isinstance(node.value, ast.Name):
            return
        parts = _parts(node)
        if held and carried.writes_too(node.value.id, parts):
            carried.kept(parts[carried.dimension])
        if held and carried.is_written(node.value.id, parts):
            carried.kept(parts[carried.dimension])
            self.writer.emit(f"{self._kept_in(carried, owner, 0)} = {held};")

    def kept(self, node: ast.Subscript, owner: Ref, indices: list[cuts.Index]) -> Scalar | None:
        """An element that an earlier iteration has written, and that is still in a variable."""
        carried = self.frame.carried
        if carried is None or not _are_proven(indices) or not isinstance(node.value, ast.Name):
            return None
        far = carried.distance(node.value.id, _parts(node))
        if not far:
            return None
        carried.depth = max(carried.depth, far)
        type = Number("np", owner.dtype, 1 if owner.dtype == "bool" else 63)
        return Scalar(self.writer.hold(type.c, self._kept_in(carried, owner, far), "e"), type)

    def _kept_in(self, carried: Carried, owner: Ref, far: int) -> str:
        """The variable for what was written some iterations ago."""
        w = self.writer
        while len(carried.variables) <= max(far, carried.depth):
            carried.variables.append(w.variable(w.name("last"), CTYPES[owner.dtype]))
        return carried.variables[far]

    def _held(self, index: cuts.Index) -> cuts.Index:
        if isinstance(index, Scalar) and index.const is None:
            return replace(index, code=self.writer.hold(index.type.c, index.code))
        if isinstance(index, (Applied, Gathered)):
            return elementwise.materialise(self.writer, index)
        return index


def _are_proven(indices: list[cuts.Index]) -> bool:
    return all(isinstance(index, Scalar) and index.proven for index in indices)


def _parts(node: ast.Subscript) -> list[ast.expr]:
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
