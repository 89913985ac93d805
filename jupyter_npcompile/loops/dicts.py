"""Dicts that are made in a run: each value is a variable, as if it had a name of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from jupyter_npcompile.loops import lists
from jupyter_npcompile.loops.kinds import Declined
from jupyter_npcompile.loops.values import Entries, Items, Known, Listed, Slots, Value

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names


def key_of(t: Names, some: Slots, key: Value) -> str:
    """A key that the dict has."""
    text = key.value if isinstance(key, Known) else None
    if not isinstance(text, str) or text not in some.names:
        raise Declined("a key that a dict was not made with", t.line)
    return text


def read(t: Names, some: Slots, key: str) -> Value:
    """A value."""
    frame, t.frame = t.frame, some.frame
    try:
        found = t.read(some.variable(key))
    finally:
        t.frame = frame
    if isinstance(found, Listed) and frame is not some.frame:
        raise Declined("a list in a dict of another function", t.line)
    return found


def write(t: Names, some: Slots, key: str, value: Value) -> None:
    """Replace a value."""
    if t.frame is not some.frame:
        raise Declined("a dict of another function that is changed", t.line)
    if isinstance(value, Items) and value.is_list:
        value = lists.changing(t, value)  # somebody may append to it
    if isinstance(value, Entries | Slots):
        raise Declined("a dict in a dict", t.line)
    t.assign(some.variable(key), value)


def given_back(t: Names, value: Value) -> Value:
    """A value that a function returns: what its dicts hold then.

    Raises
    ------
    Declined
        Where one is there twice, or belongs to who has called the function.
    """
    seen: list[Slots] = []

    def made(part: Value) -> Value:
        if isinstance(part, Items):
            return Items(tuple(map(made, part.items)), part.is_list)
        if not isinstance(part, Slots):
            return part
        if part in seen or part.frame is not t.frame:
            raise Declined("a dict with two names", t.line)
        seen.append(part)
        items = [read(t, part, key) for key in part.names]
        return Entries(part.names, tuple(map(_only, items)))

    return made(value)


def _only(value: Value) -> Value:
    """An empty list that the dict alone has known."""
    if not isinstance(value, Listed) or value.type.item is not None or value.type.is_shared:
        return value
    return replace(value, name="")
