"""Names in a loop: their types at the moment, and the variables that hold them."""

from __future__ import annotations

import ast
import builtins
import types as pytypes
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from jupyter_npcompile.loops import arithmetic, dicts, elementwise, errors, lists
from jupyter_npcompile.loops.calls import number
from jupyter_npcompile.loops.frames import Env, Frame, FunctionCode, Jumps, NeedsInput, NeedsValue
from jupyter_npcompile.loops.given import fixed, is_fixed, kind_of, type_of, wide_enough
from jupyter_npcompile.loops.kinds import (
    PYTHON,
    UNBOUND,
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
    describe,
    have_join,
    join,
)
from jupyter_npcompile.loops.records import Path, Record, Step, name_of, text_of
from jupyter_npcompile.loops.source import PYTHONS
from jupyter_npcompile.loops.values import (
    Applied,
    Bounds,
    Closure,
    Cut,
    Entries,
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
)
from jupyter_npcompile.loops.writer import Writer

GIVEN_BACK = "0return"
"""Begins what holds the result of a function: no name of the user's begins with a digit."""


Asked = TypeVar("Asked")


class Names(ABC):
    """Writes the C++ of statements.

    Parameters
    ----------
    lookup : callable
        The value that a name has at present.
    inputs : mapping of str to Type
        Names that are arguments of the C++ function.
    assigned : frozenset of str
        Names that the loop assigns.
    lacking : frozenset of str
        Those of them that are not bound before it.
    by_value : frozenset of str
        Names of integers that are part of the code.
    replaced : frozenset of str
        Inputs that are entries of a dict or an object, and replaced.
    """

    def __init__(
        self,
        lookup: Callable[[str], Any],
        inputs: Mapping[str, Type],
        assigned: frozenset[str],
        lacking: frozenset[str] = frozenset(),
        by_value: frozenset[str] = frozenset(),
        replaced: frozenset[str] = frozenset(),
    ) -> None:
        self.lacking = lacking
        self.by_value = by_value
        self.replaced = replaced
        self.writer = Writer()
        self.frame = Frame("v_", lookup, assigned, is_loop=True)
        self.frame.env = dict(inputs)
        self.outermost = self.frame
        self.inputs = dict(inputs)
        self.assigned = assigned
        self.fixed: dict[tuple[pytypes.FunctionType | None, Path], Any] = {}
        self.hosts: list[Any] = []
        self.legacy: int | None = None
        self.printed: int | None = None
        self.codes: list[FunctionCode] = []
        self.jumps: list[Jumps] = []
        self.groups: dict[str, str] = {}
        self.written: set[str] = set()
        self.depth = 0
        self.calls = 0
        self.writes = 0
        self.effects = 0
        self.line = 0
        self.ignored = errors.NONE
        self.sole: ast.expr | None = None
        self.within = 0

    def group(self, name: str) -> str:
        """The variables that may share memory, by one of them."""
        while self.groups.get(name, name) != name:
            name = self.groups[name]
        return name

    def share(self, name: str, root: str) -> None:
        """Two variables may share memory."""
        if root:
            self.groups[self.group(name)] = self.group(root)

    def note_write(self, ref: Ref) -> None:
        """The memory of an array is written into."""
        self.writes += 1
        if ref.root:
            self.written.add(ref.root)
            self.effects += self.depth > 0 and self.reaches_out(ref.root)

    def reaches_out(self, variable: str) -> bool:
        """Whether the memory of a variable of a function may be known outside of it."""
        group, prefix = self.group(variable), self.frame.prefix
        return any(
            self.group(other) == group and not other.startswith(prefix)
            for other in self.writer.variables
        )

    def is_written(self, variable: str) -> bool:
        """Whether the memory of a variable may be written into."""
        group = self.group(variable)
        return any(self.group(name) == group for name in self.written)

    def variable(self, name: str, type: Number | ArrayType | ListType | SourceType) -> str:
        """The C++ variable of a name while it has a type."""
        c = type.c
        return self.writer.variable(f"{self.frame.prefix}{name}_{type.code}", c)

    def tag(self, name: str, type: Number) -> str:
        """The C++ variable that says whose number a name is."""
        return self.writer.variable(f"g_{self.frame.prefix}{name}_{type.code}", "int")

    def flag(self, name: str) -> str:
        """The C++ variable that says whether a name is bound."""
        return self.writer.variable(f"m_{self.frame.prefix}{name}", "bool")

    def errors_as(self, ignored: frozenset[str]) -> None:
        """From here on NumPy ignores these errors, and no others."""
        if ignored != self.ignored:
            self.writer.emit(errors.edge(ignored))

    def read(self, name: str) -> Value:
        """The value of a name."""
        frame = self.frame
        if name.startswith(PYTHONS):
            return fixed(getattr(builtins, name.removeprefix(PYTHONS)))
        if name in frame.held:
            return frame.held[name]
        if frame.around is not None and name not in frame.own:
            self.frame = frame.around
            try:
                return self.read(name)
            finally:
                self.frame = frame
        known = frame.env.get(name)
        if known is not None and not isinstance(known, Unbound | Maybe):
            return self.value(name, known)
        if name in frame.own and not frame.is_loop:
            raise Declined(frame.why_unbound(name), self.line)
        if frame.is_loop and name in frame.own:
            if name in self.inputs or (None, (name,)) in self.fixed:
                raise Declined(f"the type of `{name}` changes", self.line)
            if name in self.lacking and isinstance(known, Maybe):
                self.writer.emit(f"NEED({self.flag(name)});")  # or Python raises
                return self.value(name, known.type)
            raise NeedsInput(name)
        return self.outside(name)

    def outside(self, name: str) -> Value:
        """A name that nothing here assigns."""
        if not self.frame.is_loop and name in self.assigned:
            # It may be the same variable: a global name, or one of a closure.
            raise Declined(f"`{name}`, which a function reads, and the loop binds", self.line)
        try:
            value = self.frame.lookup(name)
        except KeyError:
            raise Declined(f"`{name}` is not bound", self.line) from None
        if is_fixed(value):
            self.fixed[self.frame.function, (name,)] = value
            return fixed(value)
        if self.frame.is_loop and isinstance(value, Record):
            return Holder((name,), value)
        if self.frame.is_loop and name in self.by_value:
            self.fixed[None, (name,)] = value
            return arithmetic.constant(value)
        if self.frame.is_loop:
            if type_of(value) is None:
                raise Declined(f"`{name}` is {kind_of(value)}", self.line)
            raise NeedsInput(name)
        if isinstance(value, (bool, int, float, complex)) and type(value) in PYTHON.values():
            self.fixed[self.frame.function, (name,)] = value
            return arithmetic.constant(value)
        raise Declined(f"`{name}`, which a function reads, is {kind_of(value)}", self.line)

    def by_its_value(self, name: str) -> None:
        """The value of a name from outside is needed now, if it is an integer."""
        if self.frame.is_loop and name in self.inputs and name not in self.assigned:
            known = self.inputs[name]
            if isinstance(known, Number) and known.origin == "py" and known.dtype != "float64":
                raise NeedsValue(name)

    def entry(self, holder: Holder, step: Step) -> Value:
        """An entry of a dict, or of an object.

        Raises
        ------
        NeedsInput
            When it is no input yet.
        """
        path = (*holder.path, step)
        found = holder.record.entries[step.name]
        if isinstance(found, Record):
            return Holder(path, found)
        if is_fixed(found):
            self.fixed[None, path] = found
            return fixed(found)
        type = type_of(found)
        if type is None or isinstance(type, ListType):
            raise Declined(f"`{text_of(path)}` is {kind_of(found)}", self.line)
        name = name_of(path)
        if name is None:
            raise Declined(f"`{text_of(path)}`", self.line)
        if name not in self.inputs:
            raise NeedsInput(name, path, type)
        made = self.in_outermost(lambda: self.value(name, self.frame.env[name]))
        # What is read now may be replaced before it is used.
        return self.settled(made) if name in self.replaced else made

    def in_outermost(self, ask: Callable[[], Asked]) -> Asked:
        """Ask something where the names around all functions are."""
        frame, self.frame = self.frame, self.outermost
        try:
            return ask()
        finally:
            self.frame = frame

    def replace_entry(self, holder: Holder, step: Step, value: Value) -> None:
        """Write the replacement of an entry of a dict, or of an object.

        Raises
        ------
        NeedsInput
            When it is not known yet that it is replaced, or with what.
        """
        path = (*holder.path, step)
        name, old = name_of(path), type_of(holder.record.entries.get(step.name))
        if name is None or not isinstance(old, Number | ArrayType):
            raise Declined(f"`{text_of(path)}` is bound anew", self.line)
        known = self.inputs.get(name, old)
        made = self.in_outermost(lambda: self.store(name, value))
        wide = wide_enough(known, made)
        if wide is None:
            text = f"`{text_of(path)}` is {describe(old)}, and then {describe(made)}"
            raise Declined(text, self.line)
        if name not in self.replaced or wide != known:
            raise NeedsInput(name, path, wide, replaces=True)

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
            return Locked.of(Ref(variable, known.array, root=variable))
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

    def assign(self, name: str, value: Value) -> None:
        """Bind a name."""
        if isinstance(value, Entries):
            slots = Slots(name, value.names, self.frame)
            items = [self.settled(item) for item in value.items]
            for key, item in zip(value.names, items, strict=True):
                dicts.write(self, slots, key, item)
            value = slots
        if isinstance(value, Items) and value.is_list and name in self.frame.changed:
            value = lists.changing(self, value)
        self.frame.env[name] = self.store(name, value)

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
            made = self.store(name, value.view)
            assert isinstance(made, ArrayType)
            return LockedType(made)
        if isinstance(value, Bounds):
            bounds = (value.start, value.stop, value.step)
            for k, part in enumerate(bounds):
                self.store(f"{name}_{k}", part)
            step = value.step.const
            return RangeType(tuple(b.type for b in bounds), step if isinstance(step, int) else None)
        if isinstance(value, (Ref, Applied, Gathered)):
            ref = elementwise.materialise(self.writer, value)
            variable = self.variable(name, ref.type)
            self.writer.emit(f"{variable} = {ref.code};")
            self.share(variable, ref.root)
            return ref.type
        if isinstance(value, Items):
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
        if isinstance(value, Entries) and name.startswith((GIVEN_BACK, "return")):
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
                self.writer.emit(f"{there} = ({target.c}){here};")
            if target.is_tagged and not (source.is_tagged and here == there):
                tag = "2" if target.mixed and source.dtype == "int64" else _plain_tag(source)
                self.writer.emit(f"{self.tag(name, target)} = {tag};")
        elif isinstance(source, ListType) and isinstance(target, ListType):
            if source.item is None:
                lists.emptied(self, name, target)
        elif isinstance(source, TupleType) and isinstance(target, TupleType):
            # Of another length they are only as long as types have not settled.
            for k, (a, b) in enumerate(zip(source.items, target.items, strict=False)):
                self.convert(f"{name}_{k}", a, b)

    def convert_all(self, source: Env, target: Env) -> None:
        """Have all variables as another environment has them."""
        for name, type in target.items():
            if name in source:
                self.convert(name, source[name], type)

    def joined(self, *environments: Env) -> Env:
        """What holds whichever way was taken."""
        made = dict(environments[0])
        for other in environments[1:]:
            for name in {*made, *other}:
                try:
                    made[name] = join(made.get(name, UNBOUND), other.get(name, UNBOUND))
                except Declined as clash:
                    either = {type(part.get(name, UNBOUND)) for part in (made, other)}
                    if either == {Number, ArrayType}:
                        self.frame.begun |= {name}
                    made[name] = UNBOUND
                    self.frame.clashes[name] = clash.reason
        return made

    def settled(self, value: Value) -> Value:
        """The same value, computed once."""
        if isinstance(value, Scalar):
            if value.const is not None:
                return value
            tag = self.writer.hold("int", value.tag) if value.tag else ""
            return Scalar(self.writer.hold(value.type.c, value.code), value.type, tag)
        if isinstance(value, Locked):
            view = self.settled(value.view)
            assert isinstance(view, Ref)
            return Locked.of(view)
        if isinstance(value, Bounds):
            ends = (self.settled(end) for end in (value.start, value.stop, value.step))
            return Bounds(*map(number, ends))
        if isinstance(value, (Applied, Gathered)):
            return elementwise.materialise(self.writer, value)
        if isinstance(value, Ref):
            if not value.root or value.code != value.root:
                return value
            name = self.writer.name("a")
            self.writer.emit(f"{value.type.c} {name} = {value.code};")
            return Ref(name, value.type, root=value.root)
        if isinstance(value, Items):
            return Items(tuple(map(self.settled, value.items)), value.is_list, value.has_name)
        if isinstance(value, Entries):
            return Entries(value.names, tuple(map(self.settled, value.items)))
        if isinstance(value, Listed):
            return lists.shared(self, value)
        return value

    def expressions(self, nodes: Sequence[ast.expr]) -> list[Value]:
        """The values of expressions, one after the other."""
        values: list[Value] = []
        for node in nodes:
            before = self.effects
            value = self.expression(node)
            if self.effects != before and any(isinstance(v, Applied | Gathered) for v in values):
                # What is not computed yet would be so from what is written here.
                raise Declined("a function that writes, beside work on arrays", self.line)
            values.append(value)
        return values

    def spread(self, nodes: Sequence[ast.expr]) -> list[Value]:
        """The values of expressions, and for each with a star what is in it."""
        starred = [isinstance(node, ast.Starred) for node in nodes]
        plain = [node.value if isinstance(node, ast.Starred) else node for node in nodes]
        found: list[Value] = []
        for value, star in zip(self.expressions(plain), starred, strict=True):
            if not star:
                found.append(value)
            elif isinstance(value, Items):
                found += value.items
            else:
                raise Declined("a star before something that is no tuple", self.line)
        return found

    @abstractmethod
    def called(self, function: Any, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        """A call of a function of NumPy or Python, in C++ or by NumPy itself."""

    @abstractmethod
    def expression(self, node: ast.expr) -> Value:
        """The value of an expression; what it needs is written before."""

    @abstractmethod
    def body(self, statements: Sequence[ast.stmt]) -> bool:
        """Write statements; False when what follows them is never reached."""


def _plain_tag(type: Number) -> str:
    return "0" if type.origin == "py" else "1"
