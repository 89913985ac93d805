"""Lists that are made in a loop: their items have one type, as those of an array have.

A list has a type for its items that holds for all of them. As long as it has one
name, that may become wider by what is appended; a list that may have two names
keeps it, for through the other name nobody would know.

A list that was there before is only appended to: nobody knows what is in it. Its
new items are kept apart, and become its own when the run is over.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from jupyter_npcompile.loops import arithmetic, cuts, elementwise, small_arrays
from jupyter_npcompile.loops.joins import as_item, join_items
from jupyter_npcompile.loops.kinds import (
    SIZE,
    ArrayType,
    Declined,
    ListType,
    Number,
    Raises,
    TupleType,
    Type,
    item_c,
)
from jupyter_npcompile.loops.values import (
    Applied,
    Cut,
    Gathered,
    Items,
    Known,
    Listed,
    Locked,
    Ref,
    Scalar,
    Value,
)

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names
    from jupyter_npcompile.loops.variables import Variables

CHANGING = ("append", "pop", "insert", "extend", "reverse", "sort", "remove", "clear")
"""Methods that change a list."""


def changed_names(statements: Sequence[ast.stmt]) -> frozenset[str]:
    """Names of what may be lists that are changed; other lists are as good as tuples.

    Examples
    --------
    >>> sorted(changed_names(ast.parse("a.append(1); b[0] = 2; c = [b[1]]; b = d").body))
    ['a', 'b', 'd']
    """
    found: set[ast.expr] = set()
    same: list[tuple[str, str]] = []
    for node in (part for statement in statements for part in ast.walk(statement)):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            same += [(name, node.value.id) for name in names]
            same += [(node.value.id, name) for name in names]
        if isinstance(node, ast.Attribute):
            found.update({node.value} if node.attr in CHANGING else ())
        elif isinstance(node, ast.Subscript):
            found.update(() if isinstance(node.ctx, ast.Load) else {node.value})
        elif isinstance(node, ast.AugAssign):
            found.add(node.target)
    changed = {node.id for node in found if isinstance(node, ast.Name)}
    while more := {other for name, other in same if name in changed} - changed:
        changed |= more
    return frozenset(changed)


def display(t: Names, items: Sequence[Value]) -> Listed:
    """A list of some items."""
    if not items:
        return Listed("", ListType(None))
    held = [_held(t, item) for item in items]
    kind = _type(held[0])
    for item in held[1:]:
        kind = join_items(kind, _type(item))
    made = new(t, kind)
    for item in held:
        _push(t, made, item)
    return made


def changing(t: Names, value: Items) -> Listed:
    """A list that may be changed from now on.

    Raises
    ------
    Declined
        Where another name has it that does not know of this.
    """
    if value.has_name:
        raise Declined("a list that is changed by another name", t.line)
    return display(t, value.items)


def repeated(t: Names, items: Sequence[Value], times: Scalar) -> Listed:
    """``[item] * times``."""
    if len(items) != 1 or times.type.kind != "i" or times.type.mixed:
        raise Declined("a list that is repeated", t.line)
    (item,) = (_held(t, item) for item in items)
    made = new(t, _type(item))
    count = t.writer.hold("i64", f"math::max<i64>((i64){times.code}, 0)")
    code = _code(item, made.type.item)
    if isinstance(item, Ref):
        t.share(made.code, item.root)
    t.writer.emit(f"NEED({count} < (i64)1 << 32);")
    t.writer.emit(f"{made.code}->items.assign((size_t){count}, {code});")
    return made


def new(t: Names, item: Type) -> Listed:
    """A list without items, for items of a type."""
    kind = ListType(as_item(item))
    name = t.writer.variable(t.writer.name("list"), kind.c)
    t.writer.emit(f"{name} = std::make_shared<Listed<{item_c(kind.item)}>>();")
    return Listed(name, kind)


def emptied(t: Variables, name: str, target: ListType) -> None:
    """Have an empty list where a name is bound to one of a certain type."""
    if target.item is not None:
        made = f"std::make_shared<Listed<{item_c(target.item)}>>()"
        t.writer.emit(f"{t.variable(name, target)} = {made};")


def shared(t: Variables, value: Listed) -> Listed:
    """A list that gets another name."""
    if not value.name:
        return value
    inner(value)
    if value.type.item is None:
        raise Declined("an empty list, by two names", t.line)
    kind = replace(value.type, is_shared=True)
    if value.name in t.frame.env:
        t.frame.env[value.name] = kind
    return Listed(value.code, kind)


def method(t: Names, owner: Listed, name: str, args: Sequence[Value]) -> Value | None:
    """Call a method of a list; None for one that loops do not have."""
    known = t.frame.env.get(owner.name)
    if isinstance(known, ListType):  # arguments may have changed it
        found = t.value(owner.name, known)
        assert isinstance(found, Listed)
        owner = found
    if name == "append" and len(args) == 1:
        _append(t, owner, args[0])
        return Known(None)
    inner(owner)
    if name == "pop" and len(args) <= 1:
        return _pop(t, owner, args)
    if name in ("reverse", "clear") and not args:
        if owner.code:
            t.writer.emit(f"{owner.code}->{name}();")
        return Known(None)
    return None


def inner(owner: Listed) -> Listed:
    """A list that is looked at, which must have been made here.

    Raises
    ------
    Declined
        For a list from outside: what is in it is not known.
    """
    if owner.type.is_given:
        raise Declined("a list from outside that is not only appended to")
    return owner


def _append(t: Names, owner: Listed, value: Value) -> None:
    item = _held(t, value)
    _push(t, _taking(t, owner, _type(item)), item)


def _taking(t: Names, owner: Listed, kind: Type) -> Listed:
    """A list into which an item of some type goes: then its items may be of that type, too."""
    if owner.type.item is not None:
        kind = join_items(owner.type.item, kind)
    if kind == owner.type.item:
        return owner
    if owner.type.is_shared or owner.name not in t.frame.env:
        raise Declined("a list whose items change their type, by two names", t.line)
    wider = replace(owner.type, item=kind)
    if owner.type.item is None:
        emptied(t, owner.name, wider)
    t.frame.env[owner.name] = wider
    return Listed(t.variable(owner.name, wider), wider, owner.name)


def _push(t: Names, owner: Listed, item: Value) -> None:
    if isinstance(item, Ref):
        t.share(owner.code, item.root)
    t.writer.emit(f"{owner.code}->push({_code(item, owner.type.item)});")


def _pop(t: Names, owner: Listed, args: Sequence[Value]) -> Value:
    if not owner.code:
        raise Raises("pop of an empty list", t.line)
    place = _place(owner, args[0] if args else arithmetic.constant(-1))
    held = t.writer.hold("i64", place)
    item = item_at(t, owner, held)
    t.writer.emit(f"{owner.code}->erase({held});")
    return item


def _place(owner: Listed, index: Value) -> str:
    if not isinstance(index, Scalar) or index.type.dtype == "bool":
        raise Declined("a list by such an index")
    return f"at({cuts.as_index(index)}, {owner.code}->size())"


def read(t: Names, owner: Listed, index: Value) -> Value:
    """``list[index]``."""
    if not inner(owner).code:
        raise Raises("an item of an empty list", t.line)
    if isinstance(index, Cut):
        made = new(t, item_type(owner))
        t.share(made.code, owner.code)
        t.writer.emit(
            f"{{ const Slice cut = slice({cuts.cut_code(index)}, {owner.code}->size()); "
            f"{made.code}->take(*{owner.code}, cut, {cuts.step_of(index)}); }}"
        )
        return made
    return item_at(t, owner, t.writer.hold("i64", _place(owner, index)))


def write(t: Names, owner: Listed, index: Value, value: Value) -> None:
    """``list[index] = value``."""
    item = _held(t, value)
    if not inner(owner).code:
        raise Raises("an item of an empty list", t.line)
    owner = _taking(t, owner, _type(item))
    if isinstance(item, Ref):
        t.share(owner.code, item.root)
    place = _place(owner, index)
    t.writer.emit(f"{owner.code}->items[{place}] = {_code(item, owner.type.item)};")


def iterated(t: Names, owner: Listed) -> Listed:
    """A list that a loop goes through, which must not change meanwhile."""
    if not inner(owner).code:
        raise Declined("a loop over an empty list", t.line)
    held = t.writer.variable(t.writer.name("list"), owner.type.c)
    guard = t.writer.name("guard")
    t.share(held, owner.code)
    t.writer.emit(f"{held} = {owner.code};", f"const Reader {guard}({held}->readers);")
    return Listed(held, replace(owner.type, is_shared=True))


def iteration(t: Names, owner: Listed) -> tuple[str, Callable[[str], Value]]:
    """How many items a list has, and an item by its position."""
    return f"{owner.code}->size()", lambda position: item_at(t, owner, position)


def length(t: Names, owner: Listed) -> Scalar:
    """``len(list)``."""
    if not inner(owner).code:
        return arithmetic.constant(0)
    return Scalar(t.writer.hold("i64", f"{owner.code}->size()"), SIZE)


def is_list(value: Value) -> bool:
    """Whether a value is a list."""
    return isinstance(value, Listed) or (isinstance(value, Items) and value.is_list)


def truth(owner: Listed) -> str:
    """C++ for whether a list has items."""
    return f"({owner.code}->size() > 0)" if inner(owner).code else "false"


def item_type(owner: Listed) -> Type:
    """The type of the items of a list that has some."""
    item = inner(owner).type.item
    if item is None:
        raise Declined("a list that is empty")
    return item


def item_at(t: Names, owner: Listed, place: str) -> Value:
    """The item at a place that is there."""
    held = t.writer.name("item")
    t.writer.emit(f"const auto {held} = {owner.code}->items[{place}];")
    return item_value(t, held, item_type(owner), owner.code)


def item_value(t: Names, code: str, kind: Type, root: str) -> Value:
    """An item, by the C++ that reads it."""
    if isinstance(kind, Number):
        return Scalar(f"{code}.v", kind, f"{code}.tag" if kind.is_tagged else "")
    if isinstance(kind, TupleType):
        parts = [
            item_value(t, f"std::get<{k}>({code})", part, root) for k, part in enumerate(kind.items)
        ]
        return Items(tuple(parts), kind.is_list)
    assert isinstance(kind, ArrayType)
    return Ref(code, kind, root=root)


def _held(t: Names, value: Value) -> Value:
    """An item, computed now."""
    value = t.settled(value)
    if isinstance(value, Locked):
        raise Declined("a list of read-only views", t.line)
    if isinstance(value, (Applied, Gathered)):
        value = elementwise.materialise(t.writer, value)
    return small_arrays.listed(t, value) if isinstance(value, Ref) else value


def _type(value: Value) -> Type:
    if isinstance(value, Scalar | Ref):
        return as_item(value.type)
    if isinstance(value, Items):
        return as_item(TupleType(tuple(map(_type, value.items)), value.is_list))
    raise Declined("a list of these")


def _code(value: Value, kind: Type | None) -> str:
    """C++ for an item."""
    assert kind is not None
    if isinstance(value, Scalar):
        return f"{item_c(kind)}{{({value.type.c}){value.code}, {arithmetic.tag_of(value)}}}"
    if isinstance(value, Items):
        assert isinstance(kind, TupleType)
        parts = map(_code, value.items, kind.items)
        return f"{item_c(kind)}({', '.join(parts)})"
    assert isinstance(value, Ref)
    return f"{item_c(kind)}({value.code})"
