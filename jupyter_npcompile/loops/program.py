"""A whole loop as a C++ file: arguments in, iterations, results out."""

from __future__ import annotations

import ast
import types
from collections import abc
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from jupyter_npcompile.loops import indexing
from jupyter_npcompile.loops.entry import entry_file, signature, take_array, take_number
from jupyter_npcompile.loops.kinds import (
    CTYPES,
    ArrayType,
    CutType,
    Declined,
    Fixed,
    ListType,
    Maybe,
    Number,
    SourceType,
    TupleType,
    Type,
    Unbound,
    item_c,
)
from jupyter_npcompile.loops.lists import changed_names
from jupyter_npcompile.loops.names import FunctionCode, Jumps, NeedsInput, type_of
from jupyter_npcompile.loops.translator import BLOCK, Translator, has_loops
from jupyter_npcompile.loops.values import Cut, Items, Known, Ref, Scalar, Value

__all__ = ["Declined", "LoopCode", "translate"]

FINISHED, LEFT, PAUSED, REFUSED, NOTHING, RETURNED = range(6)
"""How a run ends: its loop is over, by ``break``, goes on later, is NumPy's, has no iteration,
or its function is over."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """What is left of a ``range``: two arguments, the next number and the step."""


@dataclass(frozen=True, slots=True)
class Rows:
    """What is left of an array that is iterated over: two arguments, the array and the place."""

    type: ArrayType


@dataclass(frozen=True, slots=True)
class Together:
    """Several in step: ``zip`` and ``enumerate``."""

    parts: tuple[Sequence, ...]


Sequence = Numbers | Rows | Together


@dataclass(frozen=True, slots=True)
class Assumption:
    """Something that is compared before each run.

    Parameters
    ----------
    function : types.FunctionType or None
        In whose names it is looked up; None for those of the loop.
    path : tuple of str
        A name, and attributes.
    value : object
        What it must be.
    """

    function: types.FunctionType | None
    path: tuple[str, ...]
    value: Any


@dataclass(frozen=True, slots=True)
class LoopCode:
    """A loop in C++.

    Parameters
    ----------
    source : str
        The file, without the support it includes.
    inputs : tuple of str
        Names that are its arguments, after those of the sequence.
    outputs : tuple of str
        Names that it binds, in the order of its results.
    fixed : mapping of str to object
        Names that it binds to something that is known now.
    assumptions : tuple of Assumption
        What must be as it was.
    codes : tuple of (function, code, defaults)
        The functions that are written into it.
    written : tuple of str
        Inputs whose memory it may write into.
    hosts : tuple of callable
        Functions of NumPy that it calls: its last arguments.
    signature : str
        The types of its inputs, for a report.
    draws_legacy : bool
        Whether it draws from the generator behind `np.random.rand`.
    printed : list of str
        Where a run leaves what has to be printed.
    """

    source: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    fixed: Mapping[str, Any]
    assumptions: tuple[Assumption, ...]
    codes: tuple[FunctionCode, ...]
    written: tuple[str, ...]
    hosts: tuple[Callable[..., Any], ...] = ()
    signature: str = ""
    draws_legacy: bool = False
    printed: list[str] = field(default_factory=list)

    def show(self) -> None:
        """Print what a run has left, which counts."""
        while self.printed:
            print(self.printed.pop(0), end="")


def translate(
    node: ast.For | ast.While,
    lookup: Callable[[str], Any],
    assigned: frozenset[str],
    wanted: abc.Sequence[str],
    sequence: Sequence | None = None,
    *,
    may_lack: bool = False,
) -> LoopCode:
    """Write a loop in C++.

    Parameters
    ----------
    node : ast.For or ast.While
        The loop.
    lookup : callable
        The value that a name has at present; raises KeyError.
    assigned : frozenset of str
        Names that it assigns.
    wanted : sequence of str
        Those of them that are needed afterwards.
    sequence : Numbers, Rows or Together, optional
        What a ``for`` goes through.
    may_lack : bool
        Whether a name may stay unbound: then its result is ``NotImplemented``.

    Raises
    ------
    Declined
        With the reason, when its types cannot be proven, or it holds what
        loops do not have.
    """
    inputs: dict[str, Type] = {}
    lacking: frozenset[str] = frozenset()
    for _ in range(60):
        writer = _Program(node, lookup, assigned, wanted, inputs, sequence, may_lack, lacking)
        try:
            return writer.code()
        except WiderInput as wider:
            inputs = {**inputs, wider.name: wider.type}
        except NeedsInput as needed:
            try:
                value = lookup(needed.name)
            except KeyError:
                if needed.name in lacking:
                    line = writer.line
                    raise Declined(f"`{needed.name}` may not be bound", line) from None
                lacking |= {needed.name}
                continue
            found = type_of(value)
            if found is None:
                kind = type(value).__name__
                raise Declined(f"`{needed.name}` is a {kind}", writer.line) from None
            inputs = {**inputs, needed.name: found}
        except Declined as reason:
            raise Declined(reason.reason, reason.line or writer.line) from None
    raise Declined("too many names", node.lineno)


class WiderInput(Exception):  # noqa: N818 - it asks for something
    """A name is taken as something narrower than it is at the head of the loop."""

    def __init__(self, name: str, type: Number) -> None:
        super().__init__(name)
        self.name = name
        self.type = type


class _Program(Translator):
    def __init__(
        self,
        node: ast.For | ast.While,
        lookup: Callable[[str], Any],
        assigned: frozenset[str],
        wanted: abc.Sequence[str],
        inputs: Mapping[str, Type],
        sequence: Sequence | None,
        may_lack: bool,
        lacking: frozenset[str],
    ) -> None:
        super().__init__(lookup, inputs, assigned, lacking)
        self.may_lack = may_lack
        self.node = node
        self.frame.changed = changed_names([node])
        self.wanted = wanted
        self.sequence = sequence
        self.arguments: list[str] = []
        self.needed: list[str] = []
        self.returns: dict[tuple[int, int, Type], str] = {}
        self.rows: list[str] = []

    def code(self) -> LoopCode:
        """The whole file."""
        w = self.writer
        self.line = self.node.lineno
        if isinstance(self.node, ast.For):
            assert self.sequence is not None
            item = self.item(self.sequence)
            proof = None
            if isinstance(self.sequence, Numbers) and not has_loops(self.node):
                proof = self.proof(self.node)
            self.settle_with(
                proof,
                lambda jumps: self.outer_for(jumps, item),
                item,
                ("at_", "(left_ - 1)"),
                runs=True,
            )
        else:
            self.settle(self.outer_while, runs=True)
        self.widen()
        body, w.lines = w.lines, []
        exit = self.frame.env
        takes = list(self.arguments)
        arrays = list(self.rows)
        for name in self.inputs:
            takes.append(self.take(name))
            if isinstance(self.inputs[name], ArrayType):
                arrays.append(f"args[{len(takes) - 1}]")
        outputs, fixed, made = [], {}, []
        for name in self.wanted:
            type = exit.get(name, Unbound())
            if isinstance(type, Unbound):
                raise Declined(f"`{name}` may not be bound, or its type changes")
            if isinstance(type, CutType):
                raise Declined(f"`{name}` is a slice")
            if isinstance(type, Fixed):
                fixed[name] = type.value
            else:
                outputs.append(name)
                if isinstance(type, Maybe) and not self.may_lack:
                    self.needed.append(self.flag(name))
                made.append(self.make(name, type))
        source = entry_file(
            body,
            takes,
            made,
            w.variables,
            hosts=len(self.hosts),
            legacy=self.legacy,
            printed=self.printed,
            needed=self.needed,
            returned=list(self.returns.values()),
            grown=self.grown(),
        )
        written = tuple(
            name
            for name, type in self.inputs.items()
            if isinstance(type, ArrayType) and self.is_written(self.variable(name, type))
        )
        assumptions = tuple(
            Assumption(function, path, value) for (function, path), value in self.fixed.items()
        )
        codes = tuple({id(found[0]): found for found in self.codes}.values())
        return LoopCode(
            source,
            tuple(self.inputs),
            tuple(outputs),
            fixed,
            assumptions,
            codes,
            written,
            tuple(self.hosts),
            signature(self.inputs),
            draws_legacy=self.legacy is not None,
            printed=[] if self.printed is None else self.hosts[self.printed],
        )

    def grown(self) -> list[tuple[int, str]]:
        """Lists from outside: which arguments they are, and C++ that makes their new items."""
        found = []
        first = len(self.arguments) + 1
        for place, (name, type) in enumerate(self.inputs.items(), first):
            if isinstance(type, ListType):
                exit = self.frame.env.get(name)
                if not isinstance(exit, ListType):
                    raise Declined(f"`{name}` may be another list")
                found.append((place, self.make(name, exit)))
        return found

    def widen(self) -> None:
        """Take numbers as they are at the head of each iteration: a run may begin at any.

        Raises
        ------
        WiderInput
            For the first one that is taken as something narrower.
        """
        for name, type in self.inputs.items():
            head = self.head.get(name)
            if (
                isinstance(type, Number)
                and isinstance(head, Number)
                and head.is_tagged
                and type != head
                and (head.dtype == "float64" or not head.mixed)
                and head.dtype in ("bool", "int64", "float64")
            ):
                raise WiderInput(name, head)

    # -- the loop itself

    def ends(self, jumps: Jumps) -> None:
        """At the end of an iteration, variables are as at the head, and as after the loop."""
        env = self.frame.env
        self.convert_all(env, jumps.head)
        self.convert_all(env, jumps.exit)

    def outer_for(self, jumps: Jumps, item: Callable[[str], Value]) -> bool:
        """Write the loop; the variable `at_` counts its iterations."""
        w = self.writer
        node = self.node
        assert isinstance(node, ast.For)
        block = 1 if has_loops(node) else BLOCK
        w.emit("if (at_ >= left_) { status_ = NOTHING; goto done_; }")
        with w.block("while (at_ < left_)"):
            w.emit(f"const i64 stop_ = std::min<i64>(left_, at_ + {block});")
            w.emit("LOOK(run);")
            with w.block("for (; at_ < stop_; at_++)"):
                with w.block():
                    self.target(node.target, item("at_"))
                reached = self.body(node.body)
                if reached:
                    self.ends(jumps)
                w.emit(f"next_{jumps.number}: ;")
            w.emit("if (run.enough && at_ < left_) { status_ = PAUSED; goto done_; }")
        w.emit("status_ = FINISHED; goto done_;")
        w.emit(f"break_{jumps.number}: status_ = LEFT; at_++; goto done_;")
        return reached

    def outer_while(self, jumps: Jumps) -> bool:
        """Write the loop; the variable `at_` counts its iterations."""
        w = self.writer
        assert isinstance(self.node, ast.While)
        with w.block("for (;;)"):
            w.emit("LOOK(run);")
            w.emit("if (at_ >= left_ || (run.enough && at_)) { status_ = PAUSED; goto done_; }")
            with w.block():
                test = self.condition(self.node.test)
                w.emit(f"if (!({test})) {{ status_ = at_ ? FINISHED : NOTHING; goto done_; }}")
            reached = self.body(self.node.body)
            if reached:
                self.ends(jumps)
            w.emit(f"next_{jumps.number}: at_++;")
        w.emit(f"break_{jumps.number}: status_ = LEFT; at_++; goto done_;")
        return reached

    def jump(self, node: ast.Break | ast.Continue) -> None:
        """Write ``break`` or ``continue``; those of this loop leave the variables for both ends."""
        outer = len(self.jumps) == 1 and self.frame.is_loop
        if outer and isinstance(node, ast.Continue):
            jumps = self.jumps[-1]
            jumps.ends.append(dict(self.frame.env))
            self.ends(jumps)
            self.writer.emit(f"goto next_{jumps.number};")
            return
        super().jump(node)

    def give_back(self, node: ast.Return) -> bool:
        """Write ``return``; that of the function around the loop ends the run."""
        if not self.frame.is_loop:
            return super().give_back(node)
        if any(isinstance(type, ListType) for type in self.inputs.values()):
            raise Declined("a return, and a list from outside that grows", node.lineno)
        with self.writer.block():
            value = Known(None) if node.value is None else self.expression(node.value)
            name = f"0return{node.lineno}_{node.col_offset}"
            type = self.store(name, self.settled(value))
            # One place may be written several times, with different types.
            key = (node.lineno, node.col_offset, type)
            self.returns.setdefault(key, self.make(name, type))
            number = list(self.returns).index(key)
            self.writer.emit(f"status_ = RETURNED; return_ = {number}; at_++; goto done_;")
        return False

    # -- arguments and results

    def item(self, sequence: Sequence) -> Callable[[str], Value]:
        """Name the arguments of a sequence; returns its item by position."""
        if isinstance(sequence, Numbers):
            first, step = self.number_argument("first"), self.number_argument("step")
            self.writer.emit(f"NEED(small_range({first}, {step}, left_));")
            type = Number("py", "int64", 41)
            return lambda k: Scalar(f"({first} + {k} * {step})", type)
        if isinstance(sequence, Together):
            parts = [self.item(part) for part in sequence.parts]
            return lambda k: Items(tuple(part(k) for part in parts))
        type_ = sequence.type
        name = self.writer.variable(self.writer.name("rows"), type_.c)
        place = len(self.arguments) + 1
        self.arguments.append(take_array(f"args[{place}]", name, type_, written=True))
        self.rows.append(f"args[{place}]")
        self.written_rows = name
        start = self.number_argument("from")
        ref = Ref(name, type_, root=name)

        def item(position: str) -> Value:
            index = Scalar(f"({start} + {position})", Number("py", "int64", 41))
            full: list[indexing.Index] = [index, *[Cut(None, None, None)] * (type_.ndim - 1)]
            return indexing.read(self.writer, ref, full)

        return item

    def number_argument(self, prefix: str) -> str:
        """An argument that is a Python integer of no more than 40 bits."""
        name = self.writer.variable(self.writer.name(prefix), "i64")
        place = len(self.arguments) + 1
        self.arguments.append(f"take_int(args[{place}], {name}, 40)")
        return name

    def take(self, name: str) -> str:
        """C++ that takes an argument; false when it is of another type."""
        type = self.inputs[name]
        place = len(self.arguments) + 1 + list(self.inputs).index(name)
        if isinstance(type, ArrayType):
            variable = self.variable(name, type)
            return take_array(f"args[{place}]", variable, type, written=self.is_written(variable))
        if isinstance(type, ListType):
            return f"PyList_CheckExact(args[{place}])"
        if isinstance(type, SourceType):
            return f"take_source(args[{place}], {self.variable(name, type)}, run)"
        assert isinstance(type, Number)
        tag = self.tag(name, type) if type.is_tagged else ""
        return take_number(f"args[{place}]", self.variable(name, type), type, tag)

    def make(self, name: str, type: Type) -> str:
        """C++ that makes the object that a name is bound to."""
        if isinstance(type, Maybe):
            return (
                f"({self.flag(name)} ? {self.make(name, type.type)} : Py_NewRef(Py_NotImplemented))"
            )
        if isinstance(type, ArrayType):
            number = np.dtype(type.dtype).num
            return (
                f"make_array<{CTYPES[type.dtype]}, {type.ndim}>({self.variable(name, type)}, "
                f"{number}, results)"
            )
        if isinstance(type, Number):
            return self._make_number(name, type)
        if isinstance(type, SourceType):
            return f"Py_NewRef({self.variable(name, type)}.object)"
        if isinstance(type, TupleType):
            parts = [self.make(f"{name}_{k}", part) for k, part in enumerate(type.items)]
            made = f"make_tuple({{{', '.join(parts)}}})"
            return f"as_list({made})" if type.is_list else made
        if isinstance(type, ListType):
            return self._make_list(name, type)
        if isinstance(type, Fixed) and type.value is None:
            return "Py_NewRef(Py_None)"
        raise Declined(f"`{name}` in a tuple is known now")

    def _make_list(self, name: str, type: ListType) -> str:
        if type.item is None:
            return "PyList_New(0)"
        made = self._make_item("item", type.item)
        item = f"[&](const {item_c(type.item)} &item) -> PyObject * {{ return {made}; }}"
        return f"make_list({self.variable(name, type)}, results, {item})"

    def _make_item(self, code: str, type: Type) -> str:
        """C++ that makes the object for an item of a list."""
        if isinstance(type, Number):
            tag = f"{code}.tag" if type.is_tagged else _plain_tag(type)
            return made_number(f"{code}.v", tag, type)
        if isinstance(type, ArrayType):
            number = np.dtype(type.dtype).num
            return f"make_array<{CTYPES[type.dtype]}, {type.ndim}>({code}, {number}, results)"
        if not isinstance(type, TupleType) or type.is_list:
            raise Declined("a list of lists")  # of which one may be in it twice
        parts = [
            self._make_item(f"std::get<{k}>({code})", part) for k, part in enumerate(type.items)
        ]
        return f"make_tuple({{{', '.join(parts)}}})"

    def _make_number(self, name: str, type: Number) -> str:
        tag = self.tag(name, type) if type.is_tagged else _plain_tag(type)
        return made_number(self.variable(name, type), tag, type)


def made_number(code: str, tag: str, type: Number) -> str:
    """C++ that makes the object for a number."""
    if type.dtype in ("bool", "int64", "float64"):
        function = {"bool": "make_bool", "int64": "make_int", "float64": "make_float"}
        return f"{function[type.dtype]}({code}, {tag})"
    if type.origin == "py":
        return f"PyComplex_FromDoubles({code}.re, {code}.im)"
    if type.origin == "any":
        raise Declined("a number that is Python's or NumPy's, as it comes")
    return f"make_scalar({np.dtype(type.dtype).num}, (void *)&{code})"


def _plain_tag(type: Number) -> str:
    return "0" if type.origin == "py" else "1"
