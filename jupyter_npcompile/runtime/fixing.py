"""Rewrites of a cell, tried on copies of what it reads, and kept if nothing else changes."""

from __future__ import annotations

import ast
import contextlib
import random
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np

from jupyter_npcompile.cell.rewrites import (
    Candidate,
    CellText,
    Kind,
    Situation,
    candidates,
    edited,
    observed,
    parse_cell,
)
from jupyter_npcompile.cell.syntax import clone
from jupyter_npcompile.graph.fixes import Declined, Fix, FixesData
from jupyter_npcompile.graph.report import ReportData
from jupyter_npcompile.runtime import figures
from jupyter_npcompile.runtime.cell_comparison import Cell, CellTrial
from jupyter_npcompile.runtime.cells import compile_cell
from jupyter_npcompile.runtime.check import Mismatch
from jupyter_npcompile.runtime.comparison import work_lines
from jupyter_npcompile.runtime.contrast import Contrast
from jupyter_npcompile.runtime.copied_namespace import CopiedNamespace
from jupyter_npcompile.runtime.effects import effect
from jupyter_npcompile.runtime.observation import Observation
from jupyter_npcompile.runtime.policy import Options
from jupyter_npcompile.runtime.subjects import report_of
from jupyter_npcompile.runtime.trial import Trial

TIER = "aten"
"""What shows what can be compiled, without a compiler."""

SECONDS = 60.0
"""After this long no further rewrite is tried."""

PROBE = "__npcompile_probe__"
RANDOM = "Python's random numbers"
FIGURES = "what is drawn"

_NUMBERS = "biufc"


class Refused(Exception):  # noqa: N818 - it names a state, not a mistake
    """A cell that cannot be tried, with the reason."""


def find_fixes(cell: Cell) -> FixesData:
    """Look for rewrites of a cell that take break points away.

    Nothing of the user's is touched: the cell and its rewrites run on copies, in
    NumPy and captured.

    Parameters
    ----------
    cell : Cell
        The cell, and the namespace in which it would run again now.
    """
    # Before anything is copied: copies call methods of the user's objects.
    reason = effect(cell.tree, cell.namespace)
    if reason:
        return FixesData(cell.source, refusal=reason)
    try:
        return _Fixing(cell).data()
    except Refused as refusal:
        return FixesData(cell.source, refusal=str(refusal))


class _Fixing(CellTrial):
    """One search for fixes."""

    @cached_property
    def _numpy(self) -> str | None:
        """What the notebook calls NumPy."""
        return next((name for name, value in self.cell.namespace.items() if value is np), None)

    def _fresh(self) -> CopiedNamespace:
        copy = super()._fresh()
        if self._numpy is not None:  # a rewrite may need it where the cell does not
            copy.space[self._numpy] = np
        return copy

    def data(self) -> FixesData:
        """Try every rewrite that the break points suggest."""
        began = perf_counter()
        source = self.cell.source
        if self._pristine.shared:
            raise Refused(f"{self._pristine.shared[0]} objects cannot be copied")
        native = self._natively(self.cell.tree)
        if native.error is not None:
            kind, message, line = native.error
            where = "" if line is None else f" in line {line}"
            raise Refused(f"run again now, the cell raises {kind}{where}: {message}")
        before = self._captured(source)
        points = frozenset((point.line, point.column) for point in before.breaks)
        if not points:
            return FixesData(source)
        nodes = observed(self.cell.tree.body, frozenset(line for line, _ in points))
        kinds, again = self._kinds(nodes)
        unstable = {mismatch.root for mismatch in _contrast(native, again)}
        fixes: list[Fix] = []
        declined: list[Declined] = []
        mended: set[int] = set()
        for candidate in candidates(self._situation(points, kinds, native)):
            if candidate.line in mended:
                continue
            if perf_counter() - began > SECONDS:
                reason = f"there was no time left: {SECONDS:.0f} s had passed"
                declined.append(Declined(candidate.line, candidate.title, reason))
                continue
            found = self._try(candidate, before, native, unstable)
            if isinstance(found, Declined):
                declined.append(found)
                continue
            fix, after = found
            fixes.append(fix)
            mended |= {candidate.line, *_gone(before, after)}
        fixes.sort(key=lambda fix: fix.line)
        left = [one for one in declined if one.line not in mended]
        return FixesData(source, tuple(fixes), tuple(left), breaks=len(before.breaks))

    def _situation(
        self, points: frozenset[tuple[int, int]], kinds: dict[int, Kind], native: Observation
    ) -> Situation:
        known = {name: kind_of(value, within=True) for name, value in native.names.items()}
        finals = {name: kind for name, kind in known.items() if kind is not None}
        text = CellText(self.cell.source, (*self.cell.namespace, *native.names))
        return Situation(text, self.cell.tree.body, points, kinds, finals, self._numpy or "np")

    def _kinds(self, nodes: Sequence[ast.expr]) -> tuple[dict[int, Kind], Observation]:
        """What expressions give, and the run with a probe around each that tells."""
        seen: list[list[Kind | None]] = [[] for _ in nodes]

        def probe(number: int, value: Any) -> Any:
            kind = kind_of(value)
            if kind not in seen[number]:
                seen[number].append(kind)
            return value

        numbers = {id(node): number for number, node in enumerate(nodes)}
        tree = clone(self.cell.tree)
        pairs = zip(ast.walk(self.cell.tree), ast.walk(tree), strict=True)
        probed = {id(copy): numbers[id(node)] for node, copy in pairs if id(node) in numbers}
        tree = ast.fix_missing_locations(_Probes(probed).visit(tree))
        run = self._natively(tree, probe)
        found = {
            id(node): kinds[0]
            for node, kinds in zip(nodes, seen, strict=True)
            if len(kinds) == 1 and kinds[0] is not None
        }
        return found, run

    def _try(
        self, candidate: Candidate, before: ReportData, native: Observation, unstable: set[str]
    ) -> tuple[Fix, ReportData] | Declined:
        source = edited(self.cell.source, candidate.edits)
        try:
            tree = parse_cell(source)
        except SyntaxError as error:
            return Declined(candidate.line, candidate.title, f"it is no valid Python: {error}")
        reason = _difference(native, self._natively(tree), candidate, unstable)
        if not reason:
            after = self._captured(source)
            gain = _gain(before, after)
            if gain:
                old = self.cell.source
                fix = Fix(candidate.line, candidate.title, old, source, gain, candidate.notes)
                return fix, after
            reason = "nothing more would be compiled"
        return Declined(candidate.line, candidate.title, reason)

    def _natively(self, tree: ast.Module, probe: Any = None) -> Observation:
        """A run in NumPy, on copies."""
        copy = self._fresh()
        copy.space[PROBE] = probe
        return self._run_in(tree, copy)

    def _captured(self, source: str) -> ReportData:
        """The report of a run, on copies, in which all is compiled that can be."""
        cell = self.cell
        options = Options(cell.device, trial=Trial(TIER))
        tree = parse_cell(source)
        handle = compile_cell(tree, source, options, display_last=cell.display_last)
        copy = self._fresh()
        handle.namespace = copy.space
        handle.enter()
        try:
            self._run_in(handle.program.tree, copy)
        finally:
            handle.leave(completed=False)
        return report_of(handle)

    def _run_in(self, tree: ast.Module, copy: CopiedNamespace) -> Observation:
        drawn: list[Any] = []
        try:
            with figures.apart(drawn):
                seen = self._execute(tree, copy, contextlib.nullcontext())
            seen.names[RANDOM] = random.getstate()
            seen.names[FIGURES] = drawn
        finally:
            self._start.restore()
        return seen


class _Probes(ast.NodeTransformer):
    """Puts a call of the probe around expressions."""

    def __init__(self, numbers: dict[int, int]) -> None:
        self.numbers = numbers

    def visit(self, node: ast.AST) -> Any:
        """Wrap a node, if it is one of them, after what is in it."""
        number = self.numbers.get(id(node))
        found = self.generic_visit(node)
        if number is None:
            return found
        assert isinstance(found, ast.expr)
        call = ast.Call(ast.Name(PROBE, ast.Load()), [ast.Constant(number), found], [])
        return ast.copy_location(call, found)


def kind_of(value: Any, *, within: bool = False) -> Kind | None:
    """What an array could hold a value as; None for what is no number.

    Parameters
    ----------
    value : object
        Any value.
    within : bool
        Whether an array of objects counts as what it holds.

    Examples
    --------
    >>> kind_of(2.5), kind_of(np.zeros((2, 3), "f4")).shape, kind_of("a")
    (Kind(form='python', dtype='float64', shape=()), (2, 3), None)
    """
    if type(value) in (bool, int, float, complex):
        dtype = np.asarray(value).dtype
        return Kind("python", dtype.name) if dtype.kind in _NUMBERS else None
    if isinstance(value, np.generic):
        return Kind("numpy", value.dtype.name) if value.dtype.kind in _NUMBERS else None
    if type(value) is not np.ndarray:
        return None
    dtype = value.dtype
    if dtype.kind == "O" and within and value.size:
        kinds = {kind_of(item) for item in value.flat}
        only = kinds.pop()
        return None if kinds or only is None else Kind("array", only.dtype, value.shape)
    return Kind("array", dtype.name, value.shape) if dtype.kind in _NUMBERS else None


def _contrast(one: Observation, other: Observation) -> list[Mismatch]:
    contrast = Contrast()
    contrast.names(one.names, other.names)
    return contrast.found


def _difference(
    native: Observation, other: Observation, candidate: Candidate, unstable: set[str]
) -> str:
    """What a rewrite changes that it should not; empty when nothing does."""
    if other.error is not None:
        return f"it raises {other.error[0]}: {other.error[1]}"
    if native.output != other.output:
        return "it prints something else"
    warned = [Counter(warning[:2] for warning in seen.warnings) for seen in (native, other)]
    if warned[0] != warned[1]:
        (kind, message), *_ = (warned[0] - warned[1]) or (warned[1] - warned[0])
        given = "no longer gives" if warned[0] - warned[1] else "gives"
        return f"it {given} the warning {kind}: {message}"
    for mismatch in _contrast(native, other):
        name = mismatch.root
        if name in unstable or name in candidate.other or name not in native.names:
            continue
        loose = name in candidate.changed or "*" in candidate.changed
        if loose and _same_numbers(native.names[name], other.names.get(name)):
            continue
        return f"{name} becomes another: {mismatch.text}"
    return ""


def _same_numbers(one: Any, other: Any) -> bool:
    """Whether two values hold the same numbers, in whatever form."""
    try:
        first, second = (np.array(np.asarray(each).tolist()) for each in (one, other))
    except ValueError:  # of different lengths
        return False
    if first.shape != second.shape or {first.dtype.kind, second.dtype.kind} - set(_NUMBERS):
        return False
    return bool(np.allclose(first, second, rtol=1e-12, atol=0.0, equal_nan=True))


def _gain(before: ReportData, after: ReportData) -> str:
    """What is better in the second report; empty when nothing is, or anything is worse."""
    (captured, lines), (more, of) = work_lines(before), work_lines(after)
    looped, left = _in_loops(before), _in_loops(after)
    breaks, fewer = len(before.breaks), len(after.breaks)
    better = (left, fewer) < (looped, breaks) or more > captured or of - more < lines - captured
    if left > looped or fewer > breaks or not better:
        return ""
    points = f"{fewer} break point{'' if fewer == 1 else 's'}"
    points += " as before" if fewer == breaks else f" instead of {breaks}"
    if fewer == breaks and left < looped:
        points = f"{points}, but {looped - left} fewer in loops"
    return f"{more} of {of} lines captured instead of {captured} of {lines}, {points}"


def _in_loops(report: ReportData) -> int:
    """How many break points each iteration of a loop meets."""
    loops = [
        range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1)
        for node in ast.walk(parse_cell(report.source))
        if isinstance(node, ast.For | ast.While)
    ]
    return sum(any(point.line in lines for lines in loops) for point in report.breaks)


def _gone(before: ReportData, after: ReportData) -> set[int]:
    """Lines of break points that a rewrite of another line has taken away."""
    texts = (before.source.split("\n"), after.source.split("\n"))
    left = {texts[1][point.line - 1] for point in after.breaks}
    return {p.line for p in before.breaks if texts[0][p.line - 1] not in left}
