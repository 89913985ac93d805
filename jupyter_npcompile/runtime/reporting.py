"""From what ran to a report: one status per line, break points, regions, graphs."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

from jupyter_npcompile.cell import Line
from jupyter_npcompile.cell.lines import NESTED
from jupyter_npcompile.cell.regions import PLAIN
from jupyter_npcompile.cell.syntax import last_line
from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph import (
    Assignment,
    BreakPoint,
    CapturedGraph,
    Graph,
    LineReport,
    ReportData,
    Status,
)
from jupyter_npcompile.graph.kernels import FUNCTION
from jupyter_npcompile.graph.summary import NOT_RUN
from jupyter_npcompile.runtime import loop_reports
from jupyter_npcompile.runtime.bodies import (
    bodies_in,
    guards_in,
    header_end,
    is_compound,
    statements_in,
)
from jupyter_npcompile.runtime.hints import hint_for
from jupyter_npcompile.runtime.loop_state import LoopState
from jupyter_npcompile.runtime.region_reports import region_of
from jupyter_npcompile.runtime.state import RegionState
from jupyter_npcompile.runtime.work import makes_array, numpy_call
from jupyter_npcompile.tracer.breaks import RANDOM
from jupyter_npcompile.tracer.recording import Stop

DRAWN = f"{RANDOM}, drawn before the compiled code runs"
"""Reason of lines that draw: no break point, for nothing is split."""

POSTPONED = (
    "left to NumPy this time: to capture it would have held up the run",
    "it is captured when the cell runs again; --ahead waits for it",
)
"""Reason and hint of lines for which a run had no time."""

AWAITED = (
    "NumPy runs it until all of the function is one piece of native code",
    "that is compiled in the background; a later call shows what is captured",
)
"""The same where nothing is recorded, for it may never be needed."""

MEASURED = (
    "it ran to check and to time the native loop",
    "the loop runs natively from now on, where that is faster",
)
"""Reason and hint of lines of a loop whose native form has had no turn yet."""

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

_ORDINARY = frozenset({"import", "definition", NOT_RUN, PLAIN, "plain Python"})
"""Statements that are no break point wherever they stand."""


@dataclass
class Subject:
    """A cell or function whose run is reported.

    Parameters
    ----------
    body : sequence of ast.stmt
        Its statements, with the positions that the lines carry.
    lines : sequence of Line
        Every statement, with the part it plays.
    states : mapping of (int or None, int) to RegionState
        Regions by function index (None: the cell itself) and number.
    loops : mapping of (int or None) to sequence of LoopState
        Loops, by function index.
    namespace : mapping
        What names mean after the run.
    source, first_line
        Its text, and the number of its first line.
    device : str
        Where segments run.
    filenames : frozenset of str
        File names that its code has had.
    hides_work : bool
        Whether it is one call, of what computes in lines that are not listed.
    """

    body: Sequence[ast.stmt]
    lines: Sequence[Line]
    states: Mapping[tuple[int | None, int], RegionState]
    loops: loop_reports.Loops
    namespace: Mapping[str, Any]
    source: str = ""
    first_line: int = 1
    device: str = "cpu"
    filenames: frozenset[str] = frozenset()
    hides_work: bool = False


@dataclass
class _Entry:
    """What is known about one statement while the report is built."""

    line: Line
    node: ast.stmt | None = None
    captured: bool = False
    status: Status = "python"
    reason: str | None = None
    hint: str | None = None
    stop: Stop | None = None
    assigns: tuple[Assignment, ...] = ()
    splits: bool = False
    call: bool = False
    drawn: bool = False


def report(subject: Subject) -> ReportData:
    """Account for every statement of a cell or function.

    Parameters
    ----------
    subject : Subject
        What ran.
    """
    return _Reporter(subject).report()


@dataclass
class _Reporter:
    subject: Subject
    entries: list[_Entry] = field(default_factory=list)
    loop_ids: dict[int, int] = field(default_factory=dict)

    def report(self) -> ReportData:
        """Build the report."""
        subject = self.subject
        ids = {key: number for number, key in enumerate(subject.states)}
        loops = loop_reports.shown(subject.loops)
        self.loop_ids = {id(state): len(ids) + k for k, (_, state) in enumerate(loops)}
        nodes = {(node.lineno, node.col_offset): node for node in statements_in(subject.body)}
        guards = dict(guards_in(nodes.values()))
        by_place: dict[tuple[int, int], list[ast.stmt]] = {}
        for node in nodes.values():
            by_place.setdefault((node.lineno, header_end(node)), []).append(node)
        taken: dict[tuple[int, int], int] = {}
        for line in subject.lines:
            place = (line.line, line.end_line)
            index = taken.get(place, 0)
            taken[place] = index + 1
            found = by_place.get(place, [])
            self.entries.append(self._entry(line, found[index] if index < len(found) else None))
            if not found and line.line in guards:
                self._guard(self.entries[-1], guards[line.line])
        self._find_splits()
        self._find_callers()
        breaks = tuple(self._breaks())
        return ReportData(
            device=subject.device,
            lines=tuple(
                LineReport(
                    entry.line.line,
                    entry.line.end_line,
                    entry.line.source,
                    entry.status,
                    entry.reason,
                    entry.hint,
                    self._region_id(entry, ids),
                    entry.assigns,
                )
                for entry in self.entries
            ),
            breaks=breaks,
            regions=(
                *(
                    region_of(number, subject.states[key], self._native(*key))
                    for key, number in ids.items()
                ),
                *(loop_reports.region_of(self.loop_ids[id(state)], state) for _, state in loops),
            ),
            graph=_graphs(subject),
            source=subject.source,
            first_line=subject.first_line,
        )

    def _native(self, function: int | None, region: int) -> LoopState | None:
        return loop_reports.native(self.subject.loops, function, region)

    def _region_id(self, entry: _Entry, ids: Mapping[tuple[int | None, int], int]) -> int | None:
        if entry.line.region is None:
            return None
        loop = self._native(entry.line.function, entry.line.region)
        if loop is not None and entry.captured:
            return self.loop_ids[id(loop)]
        return ids.get((entry.line.function, entry.line.region))

    # -- statements

    def _entry(self, line: Line, node: ast.stmt | None) -> _Entry:
        entry = _Entry(line, node)
        if line.region is not None and line.statement is not None:
            state = self.subject.states.get((line.function, line.region))
            if self._native(line.function, line.region) is not None:
                entry.captured, entry.status = True, "compiled"
                return entry
            if state is not None:
                self._region_statement(entry, state, line.statement)
                return entry
        entry.reason = line.reason
        if line.role != "definition" and self._was_inlined(line):
            entry.status, entry.reason, entry.captured = "compiled", None, True
        elif node is not None and (work := numpy_call(node, self.subject.namespace)) is not None:
            entry.status, entry.call = "host", isinstance(work, ast.Call)
        return entry

    def _guard(self, entry: _Entry, guard: ast.expr) -> None:
        """Account for the test of a ``case``, which is no statement."""
        work = numpy_call(guard, self.subject.namespace)
        if work is not None:
            entry.status, entry.call = "host", isinstance(work, ast.Call)

    def _region_statement(self, entry: _Entry, state: RegionState, index: int) -> None:
        for start, plan in state.used.items():
            if start <= index < plan.stop:
                works = plan.recording.drawing.get(index)
                if works is False:
                    entry.drawn, entry.status, entry.reason = True, "host", DRAWN
                    return
                if works:
                    entry.reason = DRAWN
                if not plan.recording.graph.nodes:
                    entry.reason = "plain Python"
                    return
                entry.captured, entry.status = True, "compiled"
                entry.assigns = tuple(
                    Assignment(name.strip("<>"), type.dtype, type.shape)
                    for statement, name, type in plan.recording.assigned
                    if statement == index
                )
                return
        stop = state.stops.get(index)
        if stop is not None:
            entry.stop = stop
            entry.reason = stop.cause.reason
            if stop.cause.kind != "inner" and self._holds_work(entry):
                entry.status, entry.hint = "host", stop.cause.hint or None
        elif index in state.closed:
            entry.reason, entry.status = state.closed[index], "host"
        elif index in state.postponed:
            self._left(entry, *(AWAITED if state.rest.puts_off else POSTPONED))
        elif self._was_inlined(entry.line):
            entry.status, entry.captured = "compiled", True
        elif loop_reports.was_measured(self.subject.loops, entry.line.function, entry.line.region):
            self._left(entry, *MEASURED)
        else:
            entry.reason = NOT_RUN

    def _left(self, entry: _Entry, reason: str, hint: str) -> None:
        """NumPy ran a statement this time."""
        entry.reason, entry.hint = reason, hint
        entry.status = "host" if _computes(entry) or self._calls_numpy(entry) else "python"

    def _was_inlined(self, line: Line) -> bool:
        """Whether a helper's line ran as part of a segment of its caller."""
        lines = range(line.line, line.end_line + 1)
        places = {(name, number) for name in self.subject.filenames for number in lines}
        return any(
            places & plan.recording.inlined
            for state in self.subject.states.values()
            for plan in state.used.values()
        )

    def _calls_numpy(self, entry: _Entry) -> bool:
        names = self.subject.namespace
        return entry.node is not None and (
            numpy_call(entry.node, names) is not None or makes_array(entry.node, names)
        )

    def _holds_work(self, entry: _Entry) -> bool:
        assert entry.stop is not None
        if self.subject.hides_work or entry.stop.worked:
            return True
        if entry.stop.cause.kind in ("host", "value", "limit"):
            return True
        if entry.node is None:
            return False
        if entry.stop.cause.kind == "input" and _computes(entry):
            return True
        return self._calls_numpy(entry)

    # -- break points

    def _find_splits(self) -> None:
        by_node = {id(entry.node): entry for entry in self.entries if entry.node is not None}
        for body, loops in bodies_in(self.subject.body):
            captured = [
                not isinstance(statement, _DEFINITIONS)  # what it holds runs elsewhere
                and any(
                    id(node) in by_node and by_node[id(node)].captured
                    for node in statements_in([statement])
                )
                for statement in body
            ]
            for index, statement in enumerate(body):
                entry = by_node.get(id(statement))
                if entry is None or entry.captured or is_compound(statement):
                    continue
                around = (
                    any(captured)
                    if loops
                    else (any(captured[:index]) and any(captured[index + 1 :]))
                )
                entry.splits = around

    def _find_callers(self) -> None:
        """Have lines of nested functions say which break point left them to NumPy."""
        lines: dict[str, int] = {}
        for entry in self.entries:
            if entry.stop is None or entry.node is None:
                continue
            for call in ast.walk(entry.node):
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
                    lines.setdefault(call.func.id, entry.line.line)
        nested = [
            (range(node.lineno, last_line(node) + 1), lines[node.name])
            for node in statements_in(self.subject.body)
            if isinstance(node, ast.FunctionDef) and node.name in lines
        ]
        for entry in self.entries:
            if entry.reason != NESTED or entry.captured:
                continue
            callers = [line for inside, line in nested if entry.line.line in inside]
            if callers:
                entry.reason = f"{NESTED}, for which line {callers[-1]} has the reason"
                entry.splits = entry.call = False

    def _breaks(self) -> Iterable[BreakPoint]:
        """Break points; their lines say the same, so that it is shown once."""
        for entry in self.entries:
            point = self._break(entry)
            if point is not None:
                entry.reason, entry.hint = point.reason, point.hint
                yield point

    def _break(self, entry: _Entry) -> BreakPoint | None:
        if (
            entry.captured
            or entry.drawn
            or entry.reason in (POSTPONED[0], AWAITED[0], MEASURED[0])
            or loop_reports.holding(self.subject.loops, entry.line.function, entry.line.line)
            or (entry.reason in _ORDINARY and entry.status == "python")
        ):
            return None
        stop, reason = entry.stop, entry.reason or "ordinary Python"
        if stop is None:
            if not entry.splits and not entry.call:
                return None
            column = 0 if entry.node is None else entry.node.col_offset
            text = (
                f"{reason}: the NumPy call in it stays in NumPy"
                if entry.call
                else f"{reason} between array operations"
            )
            hint = hint_for(reason, holds_call=entry.call)
            return BreakPoint(entry.line.line, column, reason.split()[0], text, hint)
        cause = stop.cause
        drawn = "np.random" in cause.reason
        listed = entry.splits or cause.kind == "explicit" or (entry.status == "host" and not drawn)
        if cause.kind == "inner" or not listed:
            return None
        line = stop.position.line or entry.line.line
        hint = cause.hint or ("" if self.subject.hides_work else hint_for(cause.kind))
        return BreakPoint(line, stop.position.column, cause.kind, cause.reason, hint)


def _computes(entry: _Entry) -> bool:
    """Whether a statement holds arithmetic."""
    return entry.node is not None and any(
        isinstance(part, ast.BinOp | ast.UnaryOp | ast.AugAssign) for part in ast.walk(entry.node)
    )


def _graphs(subject: Subject) -> CapturedGraph:
    plans = [
        plan
        for state in subject.states.values()
        for _, plan in sorted(state.used.items())
        if plan.recording.graph.nodes
    ]
    whole = _wholes(subject)
    made = [
        None if function in whole else plan.artifact
        for (function, _), state in subject.states.items()
        for _, plan in sorted(state.used.items())
        if plan.recording.graph.nodes
    ]
    return CapturedGraph(
        numpy=tuple(plan.recording.graph for plan in plans),
        aten=tuple(plan.artifact.aten if plan.artifact else Graph("aten") for plan in plans),
        kernels=(
            *(artifact.kernels if artifact else Graph("kernels") for artifact in made),
            *loop_reports.kernels(subject.loops),
            *whole.values(),
        ),
    )


def _wholes(subject: Subject) -> dict[int | None, Graph]:
    """The functions without loops that ran as one piece of native code, by index."""
    made: dict[int | None, Graph] = {}
    for (function, _), state in subject.states.items():
        form = state.rest.whole
        if form is not None and not subject.loops.get(function) and function not in made:
            made[function] = loop_reports.kernel(form, state.lines[0], FUNCTION)
    return made
