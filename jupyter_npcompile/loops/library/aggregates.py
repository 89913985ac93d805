"""What Python's functions make of all items of a list: ``sum``, ``min``, ``max``, ``sorted``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from jupyter_npcompile.loops import arithmetic, elementwise, lists
from jupyter_npcompile.loops.calls import elements
from jupyter_npcompile.loops.kinds import (
    BOOL,
    ArrayType,
    Declined,
    ListType,
    Number,
    Raises,
    item_c,
)
from jupyter_npcompile.loops.values import Items, Listed, Ref, Scalar, Value

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names


def total(t: Names, owner: Listed) -> Scalar | Ref:
    """``sum(list)``: it begins with Python's zero."""
    if not lists.inner(owner).code:
        return arithmetic.constant(0)
    item = lists.item_type(owner)
    if isinstance(item, ArrayType):
        return _total_of_arrays(t, owner)
    if not isinstance(item, Number) or item.dtype not in ("int64", "float64"):
        raise Declined("sum of such a list")
    if item.dtype == "float64" and item.origin != "np" and sys.version_info >= (3, 12):
        raise Declined("a sum of floats, whose errors Python makes good")
    w = t.writer
    acc, tag, c = w.name("sum"), w.name("tag"), item.c
    w.emit(f"NEED({owner.code}->size() > 0);", f"{c} {acc} = 0;", f"int {tag} = 0;")
    added = f"checked_add<i64>({acc}, item.v)" if item.dtype == "int64" else f"{acc} + item.v"
    w.emit(
        f"for (const auto &item : {owner.code}->items) "
        f"{{ {acc} = {added}; {tag} = {tag} || item.tag == 1; }}"
    )
    return Scalar(acc, item, tag if item.is_tagged else "")


def _total_of_arrays(t: Names, owner: Listed) -> Ref:
    """A sum of arrays of one shape; without any it would be the zero.

    Python makes a new array for each of them, which nobody sees but the last.
    """
    w = t.writer
    w.emit(f"NEED({owner.code}->size() > 0);")
    first = lists.item_at(t, owner, "0")
    made = elementwise.materialise(
        w, elementwise.binary("add", arithmetic.constant(0), elements(first))
    )
    k = w.name("k")
    with w.block(f"for (i64 {k} = 1; {k} < {owner.code}->size(); {k}++)"):
        item = elements(lists.item_at(t, owner, k))
        for d, n in enumerate(elementwise.shape_of(w, item)):
            w.emit(f"NEED({n} == {made.code}.n[{d}]);")
        sum = elementwise.binary("add", made, item)
        if sum.dtype != made.dtype:
            raise Declined("a sum of arrays whose type changes")
        elementwise.store(w, made, sum)
    return made


def falling(kwargs: Mapping[str, Value]) -> bool:
    """What ``reverse=`` says."""
    known = kwargs.get("reverse", arithmetic.constant(False))
    if set(kwargs) - {"reverse"} or not isinstance(known, Scalar) or type(known.const) is not bool:
        raise Declined("an order with these arguments")
    return known.const


def ordered(t: Names, owner: Listed, *, falling: bool) -> Listed:
    """``sorted(list)``: what is equal stays in order."""
    if not lists.inner(owner).code:
        return Listed("", ListType(None))
    made = lists.new(t, lists.item_type(owner))
    t.writer.emit(f"{made.code}->items = {owner.code}->items;")
    order(t, made, falling=falling)
    return made


def order(t: Names, owner: Listed, *, falling: bool) -> None:
    """``list.sort()``."""
    if not lists.inner(owner).code:
        return
    item = lists.item_type(owner)
    if not isinstance(item, Number) or item.kind == "c":
        raise Declined("an order of such a list")
    # With NaN among them the result depends on how they are sorted.
    t.writer.emit(f"{owner.code}->template sort<{str(falling).lower()}>();")


def extreme(t: Names, owner: Listed, order: str) -> Value:
    """``max(list)`` or ``min(list)``: the first of them."""
    if not lists.inner(owner).code:
        raise Raises("min or max of an empty list", t.line)
    item = lists.item_type(owner)
    if not isinstance(item, Number) or item.kind == "c":
        raise Declined("min or max of such a list")
    w = t.writer
    best = w.name("best")
    w.emit(f"NEED({owner.code}->size() > 0);", f"{item_c(item)} {best} = {owner.code}->items[0];")
    better = f"{order}<{item.c}>(item.v, {best}.v)"
    w.emit(f"for (const auto &item : {owner.code}->items) if ({better}) {best} = item;")
    return lists.item_value(t, best, item, owner.code)


def contains(t: Names, value: Value, some: Value) -> Scalar:
    """``value in some``, of integers: an item that is no number may be there without equality."""
    if not isinstance(value, Scalar) or not _is_integer(value.type):
        raise Declined("in")
    w = t.writer
    if isinstance(some, Items):
        items = [item for item in some.items if isinstance(item, Scalar)]
        if len(items) < len(some.items) or not all(_is_integer(item.type) for item in items):
            raise Declined("in")
        x = w.hold("i64", value.code)
        tests = [f"{x} == (i64){item.code}" for item in items]
        return Scalar(w.hold("bool", " || ".join(tests) or "false", "b"), BOOL)
    if not isinstance(some, Listed):
        raise Declined("in")
    if not lists.inner(some).code:
        return arithmetic.constant(False)
    item = lists.item_type(some)
    if not isinstance(item, Number) or not _is_integer(item):
        raise Declined("in")
    x, found = w.hold("i64", value.code), w.name("b")
    w.emit(f"bool {found} = false;")
    search = f"if (item.v == {x}) {{ {found} = true; break; }}"
    w.emit(f"for (const auto &item : {some.code}->items) {search}")
    return Scalar(found, BOOL)


def _is_integer(type: Number) -> bool:
    return type.dtype == "int64" and not type.mixed
