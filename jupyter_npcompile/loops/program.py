"""A whole loop as a C++ file: arguments in, iterations, results out."""

from __future__ import annotations

import ast
import builtins
import itertools
from collections import abc
from collections.abc import Callable, Mapping
from typing import Any

from jupyter_npcompile.loops import dicts, errors
from jupyter_npcompile.loops.boundary import Boundary
from jupyter_npcompile.loops.carried import Carried
from jupyter_npcompile.loops.entry import entry_file, signature
from jupyter_npcompile.loops.found_out import FoundOut, WiderInput
from jupyter_npcompile.loops.frames import Jumps, NeedsInput
from jupyter_npcompile.loops.fusion.liveness import needed_after
from jupyter_npcompile.loops.kinds import (
    ArrayType,
    CutType,
    Declined,
    Fixed,
    ListType,
    Maybe,
    Number,
    RangeType,
    RecordType,
    Type,
    Unbound,
)
from jupyter_npcompile.loops.lists import changed_names
from jupyter_npcompile.loops.loop_code import Assumption, LoopCode
from jupyter_npcompile.loops.records import FreeVariable, Path, Step, name_of, text_of
from jupyter_npcompile.loops.sequences import Numbers, Sequence
from jupyter_npcompile.loops.translator import BLOCK, has_loops, is_long, tested_inside
from jupyter_npcompile.loops.values import Closure, Holder, Known, Slots, Value
from jupyter_npcompile.loops.variables import GIVEN_BACK


class Program(Boundary):
    """One attempt at writing the file.

    Parameters
    ----------
    node, lookup, assigned, wanted, sequence, may_lack
        See `jupyter_npcompile.loops.translation.translate`.
    inputs : mapping of str to Type
        What is known to come from outside.
    found_out : FoundOut
        What attempts before this one have found out.
    """

    def __init__(
        self,
        node: ast.For | ast.While,
        lookup: Callable[[str], Any],
        assigned: frozenset[str],
        wanted: abc.Sequence[str],
        inputs: Mapping[str, Type],
        found_out: FoundOut,
        sequence: Sequence | None,
        may_lack: bool,
    ) -> None:
        found = found_out
        super().__init__(
            lookup, inputs, assigned, found.lacking, found.by_value, found.replaced, found.in_memory
        )
        self.paths = dict(found_out.paths)
        for name, value in found_out.first.items():
            self.frame.env[name] = Fixed(id(value), value)
            self.fixed[name,] = value
        self.may_lack = may_lack
        self.node = node
        self.frame.changed = changed_names([node])
        self.frame.needed = needed_after([node], frozenset(wanted))
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
                None if proof is None else Carried.of(self.node),
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
        if self.replaced:
            for path in list(self.paths.values()):
                if isinstance(path[-1], Step):
                    self.holder_of(path)  # none may be there twice
        takes = list(self.arguments)
        arrays = list(self.rows)
        for name in self.inputs:
            takes.append(self.take(name))
            if isinstance(self.inputs[name], ArrayType):
                arrays.append(f"args[{len(takes) - 1}]")
        outputs, fixed, made = [], {}, []
        kept: list[str] = []
        for name in self.wanted:
            if name not in exit and name not in self.lacking:
                raise NeedsInput(name)  # it stays what it is
            type = exit.get(name, Unbound())
            if isinstance(type, Unbound):
                raise Declined(f"`{name}` may not be bound, or its type changes")
            if isinstance(type, CutType | RangeType):
                raise Declined(f"`{name}` is a slice, or a range")
            if isinstance(type, Fixed):
                if isinstance(type.value, Closure | Holder | Slots):
                    raise Declined(f"`{name}` is a function, or an object")
                fixed[name] = type.value
            else:
                outputs.append(name)
                otherwise = ""
                if isinstance(type, Maybe) and self._is_bound_before(name):
                    kept.append(name)
                    takes.append("true")
                    otherwise = f"args[{len(takes)}]"
                elif isinstance(type, Maybe) and not self.may_lack:
                    self.needed.append(self.flag(name))
                made.append(self.make(name, type, otherwise))
        names = list(self.inputs)
        stored = [
            (names.index(self.holder_of(path)), path[-1], self.make(name, self.inputs[name]))
            for name, path in self.paths.items()
            if name in self.replaced
        ]
        first = len(self.arguments) + 1
        source = entry_file(
            errors.pinned(body, w.variables),
            takes,
            made,
            w.variables,
            hosts=len(self.hosts),
            legacy=self.legacy,
            printed=self.printed,
            needed=self.needed,
            returned=list(self.returns.values()),
            fits=self.fits(),
            grown=self.grown(),
            records=[
                first + place
                for place, name in enumerate(names)
                if isinstance(self.inputs[name], RecordType)
            ],
            stored=[(first + place, _step(step), made) for place, step, made in stored],
            is_wide=w.is_wide,
        )
        written = tuple(
            name
            for name, type in self.inputs.items()
            if isinstance(type, ArrayType) and self.is_written(self.variable(name, type))
        )
        assumptions = tuple(Assumption(path, value) for path, value in self.fixed.items())
        codes = tuple({id(found[0]): found for found in self.codes}.values())
        return LoopCode(
            source,
            (*self.inputs, *kept),
            tuple(outputs),
            fixed,
            assumptions,
            codes,
            written,
            tuple(self.hosts),
            signature(
                {text_of(self.paths.get(name, (name,))): t for name, t in self.inputs.items()}
            ),
            draws_legacy=self.legacy is not None,
            printed=[] if self.printed is None else self.hosts[self.printed],
            paths={name: path for name, path in self.paths.items() if name in self.inputs},
            stored=tuple((place, _step(step)) for place, step, _ in stored),
            apart=self._apart(),
        )

    def _apart(self) -> tuple[tuple[Path, Path], ...]:
        tables = [path for path, value in self.fixed.items() if type(value) is list]
        given = [
            self.paths.get(name, (name,))
            for name, type in self.inputs.items()
            if isinstance(type, ListType)
        ]
        return tuple(itertools.product(tables, given))

    def _is_bound_before(self, name: str) -> bool:
        """Whether a name is bound before the loop, to what it stays if nothing is assigned."""
        if hasattr(builtins, name):
            return False  # what is found may be Python's own
        try:
            self.frame.lookup(name)
        except KeyError:
            return False
        return True

    def holder_of(self, path: Path) -> str:
        """The input that is the record in which something lies.

        Raises
        ------
        NeedsInput
            When it is none yet.
        """
        name = f"{name_of(path[:-1])}_"
        if name not in self.inputs:
            raise NeedsInput(name, path[:-1], RecordType())
        return name

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
                and (head.dtype in ("bool", "float64") or head.kind in "iu")
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
        w.emit("if (at_ >= left_) { status_ = NOTHING; goto done_; }")
        pause = "{ status_ = PAUSED; goto done_; }"
        if has_loops(node):
            with w.block("for (const i64 begin_ = at_; at_ < left_; at_++)"):
                w.emit("LOOK(run);", f"if (run.enough && at_ > begin_) {pause}")
                reached = self._outer_body(node, jumps, item)
        else:
            with w.block("for (const i64 begin_ = at_;;)"):
                w.emit("LOOK(run);", f"const i64 stop_ = math::min<i64>(left_, at_ + {BLOCK});")
                with w.block("for (; at_ < stop_; at_++)"):
                    place = len(w.lines)
                    reached = self._outer_body(node, jumps, item)
                    if is_long(w.lines[place:]):
                        looks = "LOOK(run);", f"if (run.enough && at_ > begin_) {pause}"
                        w.lines[place:place] = looks
                w.emit("if (LIKELY(at_ >= left_)) break;", f"if (run.enough) {pause}")
        w.emit("status_ = FINISHED; goto done_;")
        w.emit(f"break_{jumps.number}: status_ = LEFT; at_++; goto done_;")
        return reached

    def _outer_body(self, node: ast.For, jumps: Jumps, item: Callable[[str], Value]) -> bool:
        w = self.writer
        place = len(w.lines)
        with w.block():
            self.target(node.target, item("at_"))
        reached = self.body(node.body)
        if reached:
            self.ends(jumps)
        self.shift(place)
        w.emit(f"next_{jumps.number}: ;")
        return reached

    def outer_while(self, jumps: Jumps) -> bool:
        """Write the loop; the variable `at_` counts its iterations."""
        w = self.writer
        assert isinstance(self.node, ast.While)
        if tested_inside(self.node) is not self.node:
            raise Declined("a loop whose test binds names", self.node.lineno)
        with w.block("for (;;)"):
            w.emit("LOOK(run);")
            # Before the first iteration there may be no arrays to give names.
            w.emit("if (!at_ && !left_) { status_ = NOTHING; goto done_; }")
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
            self.errors_as(jumps.ignored)
            self.writer.emit(f"goto next_{jumps.number};")
            return
        super().jump(node)

    def give_back(self, node: ast.Return) -> bool:
        """Write ``return``; that of the function around the loop ends the run."""
        if not self.frame.is_loop:
            return super().give_back(node)
        if any(isinstance(type, ListType) for type in self.inputs.values()):
            raise Declined("a return, and a list from outside that grows", node.lineno)
        self.sole = None if self.within else node.value
        self.given_back = frozenset()
        name = f"{GIVEN_BACK}{node.lineno}_{node.col_offset}"
        with self.writer.block(), self.binding(name):
            value = Known(None) if node.value is None else self.expression(node.value)
            type = self.store(name, self.settled(dicts.given_back(self, value)))
            # One place may be written several times, with different types.
            key = (node.lineno, node.col_offset, type)
            self.returns.setdefault(key, self.make(name, type))
            number = list(self.returns).index(key)
            self.errors_as(errors.NONE)
            self.writer.emit(f"status_ = RETURNED; return_ = {number}; at_++; goto done_;")
        return False


def _step(step: str | Step | FreeVariable) -> Step:
    assert isinstance(step, Step)
    return step
