"""Arrays of few elements, all of which are known to be there: values, and not memory.

A state of three numbers is computed from another one in a few instructions, and to get memory
for it takes longer. So a new array whose lengths are known is a value in C++ (``Small``), whose
elements the compiler keeps in registers, and so are names that are bound to such arrays.

Names of NumPy's share arrays, and values are copied. That is the same as long as nobody writes
into what has two names, and nobody asks whether it is one. What may have two is marked in its
type (`ArrayType.is_shared`), and where something is done with an array that needs its memory,
`NeedsMemory` says for which name: then the loop is translated again, with that array in memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from jupyter_npcompile.loops import elementwise
from jupyter_npcompile.loops.frames import Frame, NeedsMemory
from jupyter_npcompile.loops.kinds import ArrayType, Maybe, TupleType, Type, is_few
from jupyter_npcompile.loops.values import Ref
from jupyter_npcompile.loops.writer import Writer

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names
    from jupyter_npcompile.loops.variables import Variables

_RESULTS = re.compile(r"0?return(\d+_\d+)?(_\d+)*")
"""Names of what functions return, which ends those that it had there."""

_ALONE = re.compile(r"0return\d+_\d+")
"""The name of what the outermost function returns, where that is one array."""

ALIKE = 8
"""Elements from which on sums of those that lie beside each other have an order of their own."""


def name_of(writer: Writer, ref: Ref) -> str | None:
    """The name of the value that an array is, or of which it is a part; None for memory."""
    return writer.small.get(ref.root)


def noted(t: Variables, name: str, variable: str) -> None:
    """A variable holds such values, for a name."""
    t.writer.small[variable] = "" if _RESULTS.fullmatch(name) else name


def boxed(writer: Writer, ref: Ref) -> Ref:
    """A new array in memory with the elements of a value."""
    type = ArrayType(ref.dtype, ref.ndim, True, lengths=ref.type.lengths)
    name = writer.name("a")
    number = np.dtype(ref.dtype).num
    writer.emit(f"{type.c} {name} = boxed(run.spare, {ref.code}, {number});")
    return Ref(name, type, is_fresh=True)


def in_memory(writer: Writer, ref: Ref) -> Ref:
    """An array itself, or a copy in memory where it is a value."""
    return ref if name_of(writer, ref) is None else boxed(writer, ref)


def bound(t: Variables, name: str, ref: Ref) -> Ref:
    """An array as what a name is bound to: a value, or memory.

    Raises
    ------
    NeedsMemory
        When one is not what the other has to be.
    """
    owner = name_of(t.writer, ref)
    if owner is None:
        return ref
    made = ref
    if not ref.type.is_small:
        made = _copied(t, name, ref, owner)
    if name in t.in_memory:
        if owner or made.type.is_view or made.type.is_shared:
            raise NeedsMemory(owner)
        return boxed(t.writer, made)
    if not owner:
        return made
    # It has another name, too.
    if _RESULTS.fullmatch(name):
        is_shared = _moved(t, name, ref, owner)
    else:
        shared(t, ref, owner)
        is_shared = True
    return replace(made, type=replace(made.type, is_shared=is_shared))


def _copied(t: Variables, name: str, ref: Ref, owner: str) -> Ref:
    """The value that a view of another one has."""
    few = is_few(ref.type.lengths) and name not in t.in_memory
    alike = ref.type.unit or (ref.type.length(0) or 0) < ALIKE
    if not few or ref.ndim > 1 or not alike:
        raise NeedsMemory(owner or name)
    made = elementwise.new_small(t.writer, ref.dtype, ref.type.lengths)
    t.writer.emit(f"{made.code} = {ref.code};")
    type = replace(made.type, is_view=True, is_shared=False)
    return Ref(made.code, type, root=ref.root)


def _moved(t: Variables, name: str, ref: Ref, owner: str) -> bool:
    """Whether what a function returns may have another name when it is over."""
    if ref.root in t.given_back:
        raise NeedsMemory(owner)
    t.given_back |= {ref.root}
    if _ALONE.fullmatch(name):
        return False
    own = _type_of(t.frame, ref.root)
    if own is not None and not own.is_shared:
        return False  # its names are gone then
    frame: Frame | None = t.frame
    while frame is not None:
        frame.env = {
            other: _with(frame, other, type, lambda variable: True)
            for other, type in frame.env.items()
        }
        frame = frame.caller
    return True


def shared(t: Variables, ref: Ref, owner: str) -> None:
    """A value may be that of two names from now on; those of a caller are so for a call."""
    frame = t.frame
    if not ref.root.startswith(frame.prefix):
        return
    if _type_of(frame, ref.root) is None:
        raise NeedsMemory(owner)
    frame.env = {
        name: _with(frame, name, type, lambda variable: variable == ref.root)
        for name, type in frame.env.items()
    }


def gone_through(t: Variables, ref: Ref) -> None:
    """A loop goes through a copy of a value: nobody may write into that from now on."""
    owner = name_of(t.writer, ref)
    if owner:
        shared(t, ref, owner)


def written(t: Names, ref: Ref) -> None:
    """An array is written into.

    Raises
    ------
    NeedsMemory
        When somebody else would have to see that.
    """
    owner = name_of(t.writer, ref)
    if owner is None:
        if t.boxed and _is_listed(t, ref):
            raise NeedsMemory(*t.boxed)
        t.changes_items = t.changes_items or _is_listed(t, ref)
        return
    type = _type_of(t.frame, ref.root) if owner else ref.type
    if ref.code != ref.root or type is None or type.is_shared:
        raise NeedsMemory(owner)


def lent(t: Names, ref: Ref) -> Ref:
    """An array as somebody gets it who may look at its memory, but does not keep it.

    Raises
    ------
    NeedsMemory
        When it has a name.
    """
    owner = name_of(t.writer, ref)
    if owner:
        raise NeedsMemory(owner)
    return ref if owner is None else boxed(t.writer, ref)


def listed(t: Names, ref: Ref) -> Ref:
    """An array as an item of a list, which is in memory.

    Raises
    ------
    NeedsMemory
        When it cannot be a copy.
    """
    owner = name_of(t.writer, ref)
    if owner is None:
        return ref
    if not ref.type.is_small or ref.type.is_view or ref.type.is_shared:
        raise NeedsMemory(owner)
    if owner:
        type = _type_of(t.frame, ref.root)
        if type is None or type.is_shared or t.changes_items:
            raise NeedsMemory(owner)
        shared(t, ref, owner)
        t.boxed |= {owner}
    return boxed(t.writer, ref)


def _is_listed(t: Names, ref: Ref) -> bool:
    """Whether the memory of an array may be that of an item of a list."""
    group = t.group(ref.root)
    return any(
        c.startswith("std::shared_ptr") and t.group(variable) == group
        for variable, c in t.writer.variables.items()
    )


def _values(frame: Frame, name: str, type: Type) -> Iterator[tuple[str, ArrayType]]:
    """The variables of a name that hold values, and their types."""
    if isinstance(type, Maybe):
        yield from _values(frame, name, type.type)
    elif isinstance(type, TupleType):
        for k, item in enumerate(type.items):
            yield from _values(frame, f"{name}_{k}", item)
    elif isinstance(type, ArrayType) and type.is_small:
        yield f"{frame.prefix}{name}_{type.code}", type


def _type_of(frame: Frame, variable: str) -> ArrayType | None:
    """The type of what a variable holds; None where no name of the function has it."""
    for name, type in frame.env.items():
        for found, kind in _values(frame, name, type):
            if found == variable:
                return kind
    return None


def _with(frame: Frame, name: str, type: Type, which: Callable[[str], bool]) -> Type:
    """A type, with values of some variables in it as those of several names."""
    if isinstance(type, Maybe):
        return Maybe(_with(frame, name, type.type, which))
    if isinstance(type, TupleType):
        items = (_with(frame, f"{name}_{k}", item, which) for k, item in enumerate(type.items))
        return TupleType(tuple(items), type.is_list)
    if isinstance(type, ArrayType) and type.is_small:
        return replace(type, is_shared=type.is_shared or which(f"{frame.prefix}{name}_{type.code}"))
    return type
