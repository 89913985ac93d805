"""A compiled cell: its program, its regions, and what is remembered for the next run."""

from __future__ import annotations

import ast
import builtins
import itertools
import sys
import types
import weakref
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from time import perf_counter
from types import FrameType
from typing import Any, TypeAlias

from jupyter_npcompile.cell import CellProgram, SourceText, build_cell, callees
from jupyter_npcompile.cell.syntax import clone, descend, sealed
from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.runtime.copied_namespace import names_in
from jupyter_npcompile.runtime.device.residency import Residency
from jupyter_npcompile.runtime.device.watch import watch_of
from jupyter_npcompile.runtime.devices import CPU
from jupyter_npcompile.runtime.frame import ModuleFrame
from jupyter_npcompile.runtime.function_handle import FunctionHandle
from jupyter_npcompile.runtime.helpers import Picks, helpers, worth_picking
from jupyter_npcompile.runtime.loop_state import LoopState, loop_states
from jupyter_npcompile.runtime.policy import Options, is_open
from jupyter_npcompile.runtime.selector.allowance import Allowance, share
from jupyter_npcompile.runtime.selector.rest import Rest
from jupyter_npcompile.runtime.selector.selector import Selector
from jupyter_npcompile.runtime.state import RegionState, add_filename
from jupyter_npcompile.runtime.traceable import RegionCode

MAX_CELLS = 500
"""Cells whose plans are remembered for when they run again."""

FEW = 2
"""Runs of a cell that has not shown that it runs again and again."""

BUILDING = 0.008
"""Seconds to take a cell apart that do not count: what is more, a run has lost to us already."""

_numbers = itertools.count(1)


@dataclass
class Family:
    """Cells that differ in constants only: a person, or a loop, tries one value after the other.

    Parameters
    ----------
    allowance : Allowance
        How long our own work may hold up their runs: a value that is never seen again does not
        pay for what is done once.
    runs : int
        How often they have run, all together.
    """

    allowance: Allowance = field(default_factory=Allowance)
    runs: int = 0


@dataclass
class Remembered:
    """What one run of a cell leaves for the next.

    Parameters
    ----------
    name : str
        Builtin name under which its skeleton finds the handle of a run.
    program : CellProgram
        Its skeleton and regions.
    states : list of RegionState
        The plans of its regions.
    functions : list of FunctionHandle
        The functions that it defines.
    loops : list of LoopState
        Its loops at module level.
    filenames : set of str
        The names that its code has had: IPython gives it a new one each time.
    runs : int
        How often it has run.
    selector : Selector
        Between its loops with guards and as they were written.
    family : Family
        Cells that differ from it in constants only: its allowance is theirs.
    places : set of str
        The notebook's cells that hold this text, as far as the frontend tells.
    mentioned : list of str, optional
        The names in its text, once somebody has asked.
    latest : callable
        Gives the handle of the latest run, while that exists.
    """

    name: str
    program: CellProgram
    states: list[RegionState]
    functions: list[FunctionHandle]
    loops: list[LoopState] = field(default_factory=list)
    filenames: set[str] = field(default_factory=set)
    runs: int = 0
    selector: Selector = field(default_factory=lambda: Selector(brief=0.0))
    family: Family = field(default_factory=Family)
    places: set[str] = field(default_factory=set)
    mentioned: list[str] | None = None
    latest: Callable[[], CellHandle | None] = lambda: None

    def is_running(self) -> bool:
        """Whether a run of it has not ended yet."""
        handle = self.latest()
        return handle is not None and not handle.has_ended

    def leave(self, place: str) -> None:
        """A cell of the notebook holds another text by now."""
        self.places.discard(place)
        if not self.places:
            self.abandon()

    def abandon(self) -> None:
        """The cell will not run again: what is compiled for it is given up."""
        for state in self.states:
            state.abandon()
        for loop in self.loops:
            loop.abandon()

    def lose_functions(self) -> None:
        """What it has defined is gone: another cell has defined that anew, probably."""
        if (
            self.runs <= FEW
            and not self.is_running()
            and not any(made.is_there for made in self.functions)
        ):
            self.abandon()


Key: TypeAlias = tuple[str, str, Options, frozenset[str]]
"""The text of a cell, its statements, how it is compiled, and what it has a compiled form of."""

Calls: TypeAlias = tuple[frozenset[str], frozenset[str]]
"""What a cell calls by its name, and what the functions do that it defines."""

_calls: dict[tuple[str, str], Calls] = {}
"""Those of cells that have run, by text and statements."""

_families: dict[int, Family] = {}
_known: dict[Key, Remembered] = {}
_places: dict[str, Key] = {}
"""What each cell of the notebook held when it ran last."""


class CellHandle(Picks, ModuleFrame):
    """What the guards of a cell ask, for one run of the cell.

    Parameters
    ----------
    source : str
        The cell, its magic line included.
    program : CellProgram
        Its skeleton and regions.
    kept : Remembered
        Plans and functions from earlier runs of the same cell.
    options : Options
        How it is compiled.
    name : str
        Builtin name under which the skeleton finds this object.
    body : list of ast.stmt
        The original statements.
    copies : Residency, optional
        What the cell before has left on the device.
    waits : callable, optional
        Whether results may be late now, until after the run: see `Watch`.
    """

    __slots__ = (
        *("__weakref__", "_around", "_kept", "_picked", "body", "filenames", "functions"),
        *("has_ended",),
        *("loops", "name", "namespace", "options", "program", "source", "states"),
    )

    def __init__(
        self,
        source: str,
        program: CellProgram,
        kept: Remembered,
        options: Options,
        name: str,
        body: list[ast.stmt],
        copies: Residency | None = None,
        waits: Callable[[], bool] | None = None,
    ) -> None:
        rest = Rest(
            [loop.regions for loop in program.loops],
            kept.selector,
            [loop.comes_back for loop in program.loops],
        )
        waits = waits if program.holds else None
        watch = watch_of(options.device, program.reaches, copies, waits)
        super().__init__(kept.states, rest, None, kept.loops, watch=watch)
        self._kept = kept
        self.has_ended = False
        kept.runs += 1
        kept.family.runs += 1
        self._rest.allowance = kept.family.allowance
        self._rest.allowance.begin(kept.family.runs)
        self._around: Allowance | None = None
        self._picked = helpers.known(options)
        for state in kept.states:
            state.rest = self._rest
        for loop in kept.loops:
            loop.rest = self._rest
        self.source = source
        self.program = program
        self.states = kept.states
        self.loops = kept.loops
        self.functions = kept.functions
        self.filenames = kept.filenames
        self.options = options
        self.name = name
        self.body = body
        self.namespace: dict[str, Any] = {}

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it to compile."""
        return not (self.states or self.loops or self.functions)

    def at(self, region: int, index: int, frame: FrameType | None = None) -> bool:
        """Whether statement ``index`` of a region must run natively."""
        frame = frame or sys._getframe(1)
        if frame.f_code.co_filename not in self.filenames:
            states = [*self.states, *(state for made in self.functions for state in made.states)]
            add_filename(frame.f_code.co_filename, self.filenames, states)
        if frame.f_locals is not frame.f_globals:
            return True  # %%timeit runs the cell as the body of a function
        try:
            return super().at(region, index, frame)
        except KeyboardInterrupt as interrupt:
            raise interrupt.with_traceback(None)  # noqa: B904 - it is the same one

    def define(self, index: int) -> Callable[[types.FunctionType], types.FunctionType]:
        """The decorator that turns a definition of the cell into a compiled function."""
        return self.functions[index].attach

    def enter(self) -> None:
        """Make the handle visible to the cell's code, and to nothing else."""
        setattr(builtins, self.name, self)
        self._around = share(self._rest.allowance)
        if self.program.loops and is_open(self.options) and not self._is_compiling():
            self._take_sides()

    def _is_compiling(self) -> bool:
        """Whether something is being compiled, which a loop of this run may go over to."""
        return any(loop.is_compiling or loop.is_untried for loop in self.loops) or any(
            plan.state == "pending" for state in self.states for plan in state.every_plan()
        )

    def _take_sides(self) -> None:
        """Let the loops of this run go on as they were written, if that is faster, or a trial."""
        rest = self._rest
        mentioned = self._kept.mentioned
        if mentioned is None:
            mentioned = self._kept.mentioned = sorted(names_in(ast.Module(self.body, [])))
        values = {name: self.namespace.get(name) for name in mentioned}
        self._turn = rest.selector.turn(values, rest.changes, rest.saved)
        if rest.selector.written if self._turn is None else self._turn.written:
            self.written = True
            rest.give_up()

    def leave(self, *, completed: bool = True) -> None:
        """Take it away again.

        Parameters
        ----------
        completed : bool
            Whether the cell ran to its end, so that its time says something.
        """
        self.has_ended = True
        share(self._around)
        if completed:
            self.end()
        if getattr(builtins, self.name, None) is self:
            delattr(builtins, self.name)

    def release(self) -> Residency | None:
        """What the run has left on the device, when it is over; the handle lets go of it."""
        watch, self._watch = self._watch, None
        return None if watch is None else watch.residency


def compile_cell(
    tree: ast.Module,
    source: str,
    options: Options,
    *,
    display_last: bool = True,
    display_all: bool = False,
    place: str | None = None,
    copies: Residency | None = None,
    waits: Callable[[], bool] | None = None,
    names: Mapping[str, Any] | None = None,
    parsed: str | None = None,
    alone: bool = False,
) -> CellHandle:
    """Split a cell into skeleton and regions and get it ready to run.

    Parameters
    ----------
    tree : ast.Module
        The parsed cell, without its magic line.
    source : str
        Its text, with the magic line, to which the positions refer.
    options : Options
        How it is compiled.
    display_last : bool
        Whether the last expression is displayed.
    display_all : bool
        Whether every expression is.
    place : str, optional
        Which cell of the notebook it is: what that held before is forgotten.
    copies : Residency, optional
        What the cell before has left on the device.
    waits : callable, optional
        Whether results may be late now, until after the run: see `Watch`.
    names : mapping, optional
        What names mean now: functions that it calls may get a compiled form.
    parsed : str, optional
        What the parser was given, if nobody has changed its tree since. It takes the place
        of the statements, which take longer to compare.
    alone : bool
        Whether nobody else will see the skeleton before it is compiled, and might change it.
    """
    began = perf_counter()
    statements = ast.dump(tree, include_attributes=True) if parsed is None else parsed
    called, inside = _called(tree, (source, statements)) if names else (frozenset(), frozenset())
    known = worth_picking(called | inside, names or {}, unknown=False)
    # What a function calls may be defined after it.
    picks = known | worth_picking(inside, names or {}, unknown=True)

    def build(name: str) -> CellProgram:
        return build_cell(
            tree,
            source,
            handle=name,
            display_last=display_last,
            display_all=display_all,
            tells=options.device != CPU,
            picks=picks,
        )

    shown = str((display_last, display_all, parsed is None))
    key = (source, statements + shown, options, known)
    kept = None if options.trial is not None else _remembered(key, place)
    if kept is None:
        name = _new_name()
        kept = _fresh(name, build(name), source, options)
        if options.trial is None:
            kept.family = _family_of(tree)
    elif kept.is_running():  # it runs itself, or another thread runs it
        kept.name = _new_name()
        kept.program = build(kept.name)
    if options.trial is None:
        _known[key] = kept
        if place is not None:
            kept.places.add(place)
    for state in kept.states:
        state.begin()
    for loop in kept.loops:
        loop.wake()
    if alone:
        whole = kept.program.tree
        skeleton = ast.Module([sealed(part) for part in whole.body], whole.type_ignores)
    else:
        try:
            skeleton = clone(kept.program.tree)
        except RecursionError:
            skeleton = build(kept.name).tree
    program = replace(kept.program, tree=skeleton)
    handle = CellHandle(source, program, kept, options, kept.name, tree.body, copies, waits)
    kept.latest = weakref.ref(handle)
    kept.family.allowance.spent = max(0.0, perf_counter() - began - BUILDING)
    return handle


def _called(tree: ast.Module, text: tuple[str, str]) -> Calls:
    """What a cell calls, looked up where it has run."""
    found = _calls.pop(text, None)
    while len(_calls) >= MAX_CELLS:
        del _calls[next(iter(_calls))]
    _calls[text] = found = found or _calls_in(tree)
    return found


def _calls_in(tree: ast.Module) -> Calls:
    inside: frozenset[str] = frozenset()
    for part in descend(tree):
        if isinstance(part, ast.FunctionDef):
            inside |= callees(part.body, in_function=True)
    return callees(tree.body, in_function=False), inside


def _family_of(tree: ast.Module) -> Family:
    """The cells that have the same statements, whatever the constants in them are."""
    key = hash(tuple(_without_constants(part) for part in descend(tree)))
    found = _families.pop(key, None)
    while len(_families) >= MAX_CELLS:
        del _families[next(iter(_families))]
    _families[key] = found = found or Family()
    return found


def _without_constants(part: ast.AST) -> tuple[Any, ...]:
    """A node without what lies below it."""
    if isinstance(part, ast.Constant):
        return (ast.Constant,)
    if isinstance(part, ast.Compare):
        return (ast.Compare, *map(type, part.ops))
    fields = (value for _, value in ast.iter_fields(part))
    return (type(part), *(value if type(value) is str else type(value) for value in fields))


def _new_name() -> str:
    return f"__npcompile_{next(_numbers)}__"


def _remembered(key: Key, place: str | None) -> Remembered | None:
    """What is known about a cell; room is made for it."""
    if place is not None:
        before = _places.get(place, key)
        _places[place] = key
        if before != key and before in _known:
            kept = _known[before]
            kept.leave(place)
            if not kept.places:
                del _known[before]
    found = _known.pop(key, None)
    while len(_known) >= MAX_CELLS:
        _known.pop(next(iter(_known))).abandon()
    return found


def _fresh(name: str, program: CellProgram, source: str, options: Options) -> Remembered:
    """States without plans for the regions and functions of a cell."""
    text = SourceText.of(source)
    regions = [RegionState(RegionCode(region), options) for region in program.regions]
    kept = Remembered(
        name,
        program,
        regions,
        [FunctionHandle(made.program, options, text) for made in program.functions],
        loop_states(program.loops, options, regions, in_module=True),
    )
    itself = weakref.ref(kept)

    def when_gone() -> None:
        if (found := itself()) is not None:
            found.lose_functions()

    for made in kept.functions:
        made.when_gone = when_gone
    return kept


def forget() -> None:
    """Forget the plans of every cell, and the compiled forms of what they call."""
    _known.clear()
    _calls.clear()
    _families.clear()
    _places.clear()
    helpers.clear()
