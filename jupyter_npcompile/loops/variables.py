"""The variables in C++ that hold values in a loop, by the names that have them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from jupyter_npcompile.loops import arithmetic, elementwise, lists, reuse, small_arrays
from jupyter_npcompile.loops.calls import number
from jupyter_npcompile.loops.frames import Env, Frame, NeedsMemory
from jupyter_npcompile.loops.given import fixed
from jupyter_npcompile.loops.joins import have_join
from jupyter_npcompile.loops.kinds import (
    ArrayType,
    CutType,
    Declined,
    DictType,
    Fixed,
    ListType,
    LockedType,
    Maybe,
    Number,
    RangeType,
    SourceType,
    TupleType,
    Type,
    Unbound,
    ZeroDimType,
)
from jupyter_npcompile.loops.records import text_of
from jupyter_npcompile.loops.values import (
    Applied,
    Bounds,
    Closure,
    Cut,
    Entries,
    Flattened,
    Gathered,
    Holder,
    Items,
    Known,
    Listed,
    Locked,
    Ref,
    Scalar,
    Slots,
    Source,
    Value,
    ZeroDim,
)
from jupyter_npcompile.loops.writer import Writer

_RETURNED = re.compile(r"return(_\d+)*")

GIVEN_BACK = "0return"
"""Begins what holds the result of a function: no name of the user's begins with a digit."""


class Variables:
    """Writes the C++ that moves values into variables and out of them.

    Parameters
    ----------
    frame : Frame
        The function, or the loop itself, whose names they are at present.

    Attributes
    ----------
    in_memory : frozenset of str
        Names whose small arrays are in memory.
    given_back : frozenset of str
        Variables of small arrays that the present ``return`` returns.
    boxed : frozenset of str
        Names of small arrays of which lists have copies.
    changes_items : bool
        Whether arrays are written into that lists have.
    """

    def __init__(self, frame: Frame) -> None:
        self.writer = Writer()
        self.frame = frame
        self.groups: dict[str, str] = {}
        self.line = 0
        self.in_memory: frozenset[str] = frozenset()
        self.given_back: frozenset[str] = frozenset()
        self.boxed: frozenset[str] = frozenset()
        self.changes_items = False

    def group(self, name: str) -> str:
        """The variables that may share memory, by one of them."""
        while self.groups.get(name, name) != name:
            name = self.groups[name]
        return name

    def share(self, name: str, root: str) -> None:
        """Two variables may share memory."""
        if root:
            self.groups[self.group(name)] = self.group(root)

    def variable(self, name: str, type: Number | ArrayType | ListType | SourceType) -> str:
        """The C++ variable of a name while it has a type."""
        variable = self.writer.variable(f"{self.frame.prefix}{name}_{type.code}", type.c)
        if isinstance(type, ArrayType) and type.is_small:
            small_arrays.noted(self, name, variable)
        return variable

    def tag(self, name: str, type: Number) -> str:
        """The C++ variable that says whose number a name is."""
        return self.writer.variable(f"g_{self.frame.prefix}{name}_{type.code}", "int")

    def flag(self, name: str) -> str:
        """The C++ variable that says whether a name is bound."""
        return self.writer.variable(f"m_{self.frame.prefix}{name}", "bool")

    def value(self, name: str, known: Type) -> Value:
        """What a name of a certain type is in C++."""
        if isinstance(known, Number):
            tag = self.tag(name, known) if known.is_tagged else ""
            return Scalar(self.variable(name, known), known, tag)
        if isinstance(known, ArrayType):
            variable = self.variable(name, known)
            return Ref(variable, known, root=variable)
        if isinstance(known, LockedType):
            variable = self.variable(name, known.array)
            return Locked.of(Ref(variable, known.array, root=variable), is_window=known.is_window)
        if isinstance(known, ZeroDimType):
            return ZeroDim(Scalar(self.variable(name, known.number), known.number), name)
        if isinstance(known, RangeType):
            parts = [number(self.value(f"{name}_{k}", t)) for k, t in enumerate(known.bounds)]
            step = parts[2] if known.step is None else arithmetic.constant(known.step)
            return Bounds(parts[0], parts[1], step)
        if isinstance(known, TupleType):
            items = tuple(self.value(f"{name}_{k}", t) for k, t in enumerate(known.items))
            return Items(items, known.is_list, has_name=True)
        if isinstance(known, ListType):
            code = "" if known.item is None else self.variable(name, known)
            return Listed(code, known, name)
        if isinstance(known, CutType):
            ends = [
                None if type is None else number(self.value(f"{name}_{k}", type))
                for k, type in enumerate(known.bounds)
            ]
            return Cut(*ends)
        if isinstance(known, SourceType):
            return Source(self.variable(name, known))
        if isinstance(known, DictType):
            items = tuple(self.value(f"{name}_{k}", t) for k, t in enumerate(known.items))
            return Entries(known.names, items)
        if isinstance(known, Fixed):
            value = known.value
            return value if isinstance(value, Closure | Holder | Slots) else fixed(value)
        raise Declined(f"`{name}` may not be bound", self.line)

    def store(self, name: str, value: Value) -> Type:
        """Write a value into the variables of a name; returns its type."""
        if isinstance(value, Scalar):
            type = value.type
            code = value.code
            self.writer.emit(f"{self.variable(name, type)} = {code};")
            if type.is_tagged:
                self.writer.emit(f"{self.tag(name, type)} = {arithmetic.tag_of(value)};")
            return type
        if isinstance(value, Locked):
            owner = small_arrays.name_of(self.writer, value.view)
            if owner is not None:
                raise NeedsMemory(owner or name)
            made = self.store(name, value.view)
            assert isinstance(made, ArrayType)
            return LockedType(made, value.is_window)
        if isinstance(value, ZeroDim):
            # What is given back has no other name any more.
            if value.name not in ("", name) and not _is_given_back(name):
                raise Declined("a 0-d array with two names", self.line)
            element = self.store(name, value.number)
            assert isinstance(element, Number)
            return ZeroDimType(element)
        if isinstance(value, Bounds):
            bounds = (value.start, value.stop, value.step)
            for k, part in enumerate(bounds):
                self.store(f"{name}_{k}", part)
            step = value.step.const
            return RangeType(tuple(b.type for b in bounds), step if isinstance(step, int) else None)
        if isinstance(value, (Ref, Applied, Gathered)):
            known = self.frame.env.get(name)
            is_known = isinstance(known, ArrayType) and known.unit and not known.thin
            if (
                isinstance(value, Applied)
                and not isinstance(value, Flattened)
                and isinstance(known, ArrayType)
                and is_known
                and not known.is_small
                and (known.dtype, known.ndim) == (value.dtype, value.ndim)
            ):
                old = Ref(self.variable(name, known), known)
                ref = reuse.computed(self.writer, old, value)
            else:
                ref = small_arrays.bound(self, name, elementwise.materialise(self.writer, value))
            variable = self.variable(name, ref.type)
            self.writer.emit(f"{variable} = {ref.code};")
            self.share(variable, ref.root)
            return ref.type
        if isinstance(value, Items):
            if value.is_given:
                raise Declined("a list from outside, by another name", self.line)
            named = [item.name for item in _zero_dims(value) if item.name]
            if len({*named}) < len(named):
                raise Declined("a 0-d array in two places", self.line)
            types = tuple(self.store(f"{name}_{k}", item) for k, item in enumerate(value.items))
            return TupleType(types, value.is_list)
        if isinstance(value, Listed):
            return self._store_list(name, value)
        if isinstance(value, Cut):
            ends = (value.start, value.stop, value.step)
            for k, bound in enumerate(ends):
                if bound is not None:
                    self.store(f"{name}_{k}", bound)
            return CutType(tuple(None if bound is None else bound.type for bound in ends))
        if isinstance(value, Source):
            self.writer.emit(f"{self.variable(name, SourceType())} = {value.code};")
            return SourceType()
        if isinstance(value, Closure):
            return Fixed(id(value), value)
        if isinstance(value, Holder):
            return Fixed(text_of(value.path), value)
        if isinstance(value, Slots):
            if value.frame is self.frame and value.name != name:
                raise Declined("a dict with two names", self.line)
            return Fixed((value.name, value.names, id(value.frame)), value)
        if isinstance(value, Entries) and _is_given_back(name):
            types = tuple(self.store(f"{name}_{k}", item) for k, item in enumerate(value.items))
            return DictType(value.names, types)
        if isinstance(value, Known):
            return Fixed(id(value.value), value.value)
        said = "what is returned is" if name[0].isdigit() else f"`{name}` is bound to"
        raise Declined(f"{said} something that loops do not have", self.line)

    def _store_list(self, name: str, value: Listed) -> ListType:
        value = lists.shared(self, value)
        if value.type.item is not None:
            variable = self.variable(name, value.type)
            self.writer.emit(f"{variable} = {value.code};")
            self.share(variable, value.code)
        return value.type

    def convert(self, name: str, source: Type, target: Type) -> None:
        """Have a name's variables as another type has them."""
        if isinstance(source, Unbound) and isinstance(target, Maybe):
            self.writer.emit(f"{self.flag(name)} = false;")
            return
        if source == target or isinstance(target, Unbound | Fixed) or isinstance(source, Unbound):
            return
        if isinstance(target, Maybe):
            held = source.type if isinstance(source, Maybe) else source
            if not have_join(held, target.type):  # it has had two types on the way to there
                self.writer.emit(f"{self.flag(name)} = false;")
                return
            if held is source:
                self.writer.emit(f"{self.flag(name)} = true;")
            self.convert(name, held, target.type)
            return
        if isinstance(source, Number) and isinstance(target, Number):
            here, there = self.variable(name, source), self.variable(name, target)
            if here != there:
                fits = target.kind in "iu" and target.is_tagged
                code = f"fitting<{target.c}>({here})" if fits else f"({target.c}){here}"
                self.writer.emit(f"{there} = {code};")
            if target.is_tagged and not (source.is_tagged and here == there):
                tag = "2" if target.mixed and source.dtype == "int64" else _plain_tag(source)
                self.writer.emit(f"{self.tag(name, target)} = {tag};")
        elif isinstance(source, ArrayType) and isinstance(target, ArrayType):
            self._convert_array(name, source, target)
        elif isinstance(source, ListType) and isinstance(target, ListType):
            if source.item is None:
                lists.emptied(self, name, target)
        elif isinstance(source, TupleType) and isinstance(target, TupleType):
            # Of another length they are only as long as types have not settled.
            for k, (a, b) in enumerate(zip(source.items, target.items, strict=False)):
                self.convert(f"{name}_{k}", a, b)

    def _convert_array(self, name: str, source: ArrayType, target: ArrayType) -> None:
        """Have a small array in memory, as the name has it where two ways meet."""
        if not source.is_small or target.is_small:
            return
        if source.is_shared or source.is_view:
            raise NeedsMemory(name)
        value = Ref(self.variable(name, source), source)
        with self.writer.block():
            memory = small_arrays.boxed(self.writer, value)
            self.writer.emit(f"{self.variable(name, target)} = {memory.code};")

    def convert_all(self, source: Env, target: Env) -> None:
        """Have all variables as another environment has them."""
        for name, type in target.items():
            if name in source:
                self.convert(name, source[name], type)

    def settled(self, value: Value) -> Value:
        """The same value, computed once."""
        if isinstance(value, Scalar):
            if value.const is not None:
                return value
            tag = self.writer.hold("int", value.tag) if value.tag else ""
            return Scalar(self.writer.hold(value.type.c, value.code), value.type, tag)
        if isinstance(value, ZeroDim):
            element = self.settled(value.number)
            assert isinstance(element, Scalar)
            return replace(value, number=element)
        if isinstance(value, Locked):
            view = self.settled(value.view)
            assert isinstance(view, Ref)
            return value.part(view)
        if isinstance(value, Bounds):
            ends = (self.settled(end) for end in (value.start, value.stop, value.step))
            return Bounds(*map(number, ends))
        if isinstance(value, (Applied, Gathered)):
            return elementwise.materialise(self.writer, value)
        if isinstance(value, Ref):
            if not value.root or value.code != value.root or value.is_fresh:
                return value
            name = self.writer.name("a")
            self.writer.emit(f"{value.type.c} {name} = {value.code};")
            return Ref(name, value.type, root=value.root)
        if isinstance(value, Items):
            return replace(value, items=tuple(map(self.settled, value.items)))
        if isinstance(value, Entries):
            return Entries(value.names, tuple(map(self.settled, value.items)))
        if isinstance(value, Listed):
            return lists.shared(self, value)
        return value


def _is_given_back(name: str) -> bool:
    """Whether a name is that of what a function returns, or of a part of it."""
    return name.startswith(GIVEN_BACK) or _RETURNED.fullmatch(name) is not None


def _zero_dims(value: Value) -> Iterator[ZeroDim]:
    """The arrays of no dimension in something."""
    if isinstance(value, ZeroDim):
        yield value
    if isinstance(value, Items):
        for item in value.items:
            yield from _zero_dims(item)


def _plain_tag(type: Number) -> str:
    return "0" if type.origin == "py" else "1"
