"""Names in a loop: their types at the moment, and the variables that hold them."""

from __future__ import annotations

import ast
import builtins
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from jupyter_npcompile.loops import arithmetic, dicts, errors, lists, small_arrays
from jupyter_npcompile.loops.frames import Env, Frame, FunctionCode, Jumps, NeedsInput, NeedsValue
from jupyter_npcompile.loops.given import (
    Constant,
    fixed,
    is_fixed,
    kind_of,
    table_of,
    type_of,
    wide_enough,
)
from jupyter_npcompile.loops.joins import join
from jupyter_npcompile.loops.kinds import (
    UNBOUND,
    ArrayType,
    Declined,
    ListType,
    Maybe,
    Number,
    Type,
    Unbound,
    describe,
)
from jupyter_npcompile.loops.records import FreeVariable, Path, Record, Step, name_of, text_of
from jupyter_npcompile.loops.source import PYTHONS
from jupyter_npcompile.loops.values import (
    Applied,
    Entries,
    Gathered,
    Holder,
    Items,
    Ref,
    Slots,
    Value,
)
from jupyter_npcompile.loops.variables import Variables

Asked = TypeVar("Asked")


class Names(Variables, ABC):
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
    in_memory : frozenset of str, optional
        Names whose small arrays are in memory; by default all are.
    """

    def __init__(
        self,
        lookup: Callable[[str], Any],
        inputs: Mapping[str, Type],
        assigned: frozenset[str],
        lacking: frozenset[str] = frozenset(),
        by_value: frozenset[str] = frozenset(),
        replaced: frozenset[str] = frozenset(),
        in_memory: frozenset[str] | None = None,
    ) -> None:
        super().__init__(Frame("v_", lookup, assigned, is_loop=True))
        self.in_memory = in_memory or frozenset()
        self.writer.keeps_small = in_memory is not None
        self.lacking = lacking
        self.by_value = by_value
        self.replaced = replaced
        self.frame.env = dict(inputs)
        self.outermost = self.frame
        self.inputs = dict(inputs)
        self.assigned = assigned
        self.fixed: dict[Path, Any] = {}
        self.paths: dict[str, Path] = {}
        self.hosts: list[Any] = []
        self.legacy: int | None = None
        self.printed: int | None = None
        self.codes: list[FunctionCode] = []
        self.jumps: list[Jumps] = []
        self.written: set[str] = set()
        self.depth = 0
        self.calls = 0
        self.writes = 0
        self.effects = 0
        self.ignored = errors.NONE
        self.sole: ast.expr | None = None
        self.within = 0
        self.wraps: frozenset[ast.BinOp] = frozenset()

    def note_write(self, ref: Ref) -> None:
        """The memory of an array is written into."""
        small_arrays.written(self, ref)
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
        if frame.around is not None and name not in frame.own and name not in frame.env:
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
            if name in self.inputs or (name,) in self.fixed:
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
            self.fixed[self.found(name),] = value
            return fixed(value)
        table = None if name in self.frame.changed else table_of(value)
        if table is not None:
            self.fixed[self.found(name),] = table
            return fixed(table)
        if self.frame.is_loop and isinstance(value, Record):
            return Holder((name,), value)
        if isinstance(value, Constant):
            self.fixed[name,] = value.value
            return fixed(value.value)
        if self.frame.is_loop and name in self.by_value:
            self.fixed[name,] = value
            return arithmetic.constant(value)
        if self.frame.is_loop:
            if type_of(value) is None:
                raise Declined(f"`{name}` is {kind_of(value)}", self.line)
            raise NeedsInput(name)
        kind, place = type_of(value), self.found(name)
        if isinstance(kind, Number):
            self.fixed[place,] = value
            return arithmetic.constant(value)
        if not isinstance(kind, ArrayType):
            raise Declined(f"`{name}`, which a function reads, is {kind_of(value)}", self.line)
        return self.input_at((place,), kind)

    def found(self, name: str) -> str | FreeVariable:
        """Where a name that nothing here assigns is looked up: as the frame does."""
        return name if self.frame.function is None else FreeVariable(self.frame.function, name)

    def input_at(self, path: Path, kind: Type) -> Value:
        """An input that is no name of the loop.

        Raises
        ------
        NeedsInput
            When it is no input yet.
        """
        text = name_of(path)
        if text is None:
            raise Declined(f"`{text_of(path)}`", self.line)
        known = (name for name, place in self.paths.items() if place == path)
        name = next(known, f"{text}_{len(self.paths)}")
        if name not in self.inputs:
            raise NeedsInput(name, path, kind)
        return self.in_outermost(lambda: self.value(name, self.frame.env[name]))

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
            self.fixed[path] = found
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
        if isinstance(value, Ref):
            value = small_arrays.lent(self, value)
        with self.writer.in_memory():
            made = self.in_outermost(lambda: self.store(name, value))
        wide = wide_enough(known, made)
        if wide is None:
            text = f"`{text_of(path)}` is {describe(old)}, and then {describe(made)}"
            raise Declined(text, self.line)
        if name not in self.replaced or wide != known:
            raise NeedsInput(name, path, wide, replaces=True)

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

    def joined(self, *environments: Env) -> Env:
        """What holds whichever way was taken."""
        made = dict(environments[0])
        for other in environments[1:]:
            for name in {**made, **other}:
                try:
                    made[name] = join(made.get(name, UNBOUND), other.get(name, UNBOUND))
                except Declined as clash:
                    either = {type(part.get(name, UNBOUND)) for part in (made, other)}
                    if either == {Number, ArrayType}:
                        self.frame.begun |= {name}
                    made[name] = UNBOUND
                    self.frame.clashes[name] = clash.reason
        return made

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
