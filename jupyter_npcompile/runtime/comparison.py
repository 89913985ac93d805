"""Two runs compared: what differs, where it arises, and what only seems to differ."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from dataclasses import replace

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.comparison import Difference
from jupyter_npcompile.graph.report import ReportData
from jupyter_npcompile.runtime.check import Mismatch, root_of
from jupyter_npcompile.runtime.contrast import Contrast
from jupyter_npcompile.runtime.culprit import Culprit
from jupyter_npcompile.runtime.devices import CPU
from jupyter_npcompile.runtime.inspection import Inspection
from jupyter_npcompile.runtime.native.gxx import command
from jupyter_npcompile.runtime.observation import RANDOM, Observation
from jupyter_npcompile.runtime.reference import TIER

RETURNED = "return value"
"""What the value that a function returns is called."""


def forced_tier(device: str = CPU) -> str:
    """The tier of a trial when none is asked for: the device, or Inductor where it can compile."""
    if device != CPU:
        return device
    return "inductor" if shutil.which(command()[0]) else "aten"


@dataclass
class Result:
    """What the comparison of two observations showed.

    Parameters
    ----------
    found : list of Mismatch
        Differences of values.
    events : list of Difference
        Differences of warnings, output and exceptions.
    rounding : int
        Largest distance among floating-point values that pass.
    relative : float
        The same as part of the largest number of its array.
    arrays : int
        How many arrays were compared.
    """

    found: list[Mismatch]
    events: list[Difference]
    rounding: int
    relative: float
    arrays: int


def contrasted(native: Observation, other: Observation, inspection: Inspection) -> Result:
    """Compare two observations."""
    contrast = Contrast(inspection.rounding)
    contrast.names(native.names, other.names)
    events = list(_events(native, other))
    arrays = sum(not path.startswith(RANDOM) for path, _, _ in contrast.arrays)
    return Result(contrast.found, events, contrast.rounding_ulps, contrast.relative, arrays)


def patience(native: Observation) -> float:
    """How long a run may take that computes with wrong values: they may never end a loop."""
    return 10.0 + 20.0 * native.seconds


def _events(native: Observation, other: Observation) -> Iterable[Difference]:
    if native.error != other.error:
        yield _exception(native.error, other.error)
    missing = list(other.warnings)
    for warning in native.warnings:
        if warning in missing:
            missing.remove(warning)
            continue
        text = f"{warning[0]} is not given: {warning[1]}"
        yield Difference("warning", warning[0], text, warning[1], "nothing", warning[2])
    for warning in missing:
        if warning not in native.warnings:
            text = f"{warning[0]} is given, which NumPy does not give: {warning[1]}"
            yield Difference("warning", warning[0], text, "nothing", warning[1], warning[2])
    if native.output != other.output:
        before, after = _first_lines(native.output, other.output)
        text = f"{before!r} became {after!r}"
        yield Difference("output", "printed text", text, before, after)


Raised = tuple[str, str, int | None] | None


def _exception(before: Raised, after: Raised) -> Difference:
    line = (before or after or ("", "", None))[2]
    if before and after and before[:2] == after[:2]:
        one, other = f"line {before[2]}", f"line {after[2]}"
        return Difference("exception", before[0], f"{one} became {other}", one, other, line)
    one, other = _said(before), _said(after)
    return Difference("exception", "exception", f"{one} became {other}", one, other, line)


def _said(error: Raised) -> str:
    return "no exception" if error is None else f"{error[0]}: {error[1]}"


def _first_lines(before: str, after: str) -> tuple[str, str]:
    """The first line in which two texts differ."""
    first, second = before.splitlines(), after.splitlines()
    for index in range(max(len(first), len(second))):
        pair = first[index : index + 1], second[index : index + 1]
        if pair[0] != pair[1]:
            return "".join(pair[0])[:200], "".join(pair[1])[:200]
    return before[-200:], after[-200:]


@dataclass
class Verdict:
    """Turns what was found into differences with their causes.

    Parameters
    ----------
    inspection : Inspection
        What was found out about the segments.
    """

    inspection: Inspection

    def differences(self, result: Result) -> list[Difference]:
        """Every difference, with line, function and a smallest failing call."""
        found = [self._caused(_difference(m), self._culprit(m.root)) for m in result.found]
        first = next(iter(self.inspection.culprits), None)
        for event in result.events:
            follows = event.kind in ("output", "exception") and event.line is None
            found.append(self._caused(event, first if follows else None))
        return found

    def _culprit(self, root: str) -> Culprit | None:
        blame = self.inspection.blame
        name = "return" if root == RETURNED else root
        return blame.get(name) or next(iter(self.inspection.culprits), None)

    def _caused(self, difference: Difference, culprit: Culprit | None) -> Difference:
        if culprit is None:
            return difference
        return replace(
            difference,
            line=culprit.node.position.line or None,
            column=culprit.node.position.column,
            function=culprit.function,
            smallest=culprit.smallest,
            shown=culprit.shown,
            note=culprit.note,
        )


def _difference(mismatch: Mismatch) -> Difference:
    return Difference(
        mismatch.kind,
        mismatch.name,
        mismatch.text,
        mismatch.expected,
        mismatch.actual,
        ulps=mismatch.ulps,
        count=mismatch.count,
        size=mismatch.size,
        index=mismatch.index,
    )


# -- what only looks like a difference


Again = Callable[[], Observation]
"""Runs something once more."""


def sifted(
    native: Observation,
    result: Result,
    inspection: Inspection,
    in_numpy: Again,
    from_graph: Callable[[Inspection], Observation],
) -> tuple[list[str], list[str], int]:
    """Take out what no operation is to blame for.

    A name that NumPy itself gives another value in a second run (a time, a
    random number) is not compared. A floating-point value that is NumPy's, bit
    for bit, when NumPy runs the very operations that were captured, can differ
    only since rounding has grown on its way through the computation.

    Parameters
    ----------
    native, result, inspection
        A run in NumPy, what differs from it, and what is known of the causes.
    in_numpy, from_graph : callable
        Run it again, in NumPy, and with captured operations in NumPy.

    Returns
    -------
    unstable : list of str
        Names that are not compared.
    notes : list of str
        Names whose rounding has grown.
    rounding : int
        How much, in units in the last place.
    """
    unstable: list[str] = []
    if inspection.culprits or not (result.found or result.events):
        return unstable, [], 0
    twice = contrasted(native, in_numpy(), inspection)
    unstable = list(dict.fromkeys(m.name for m in twice.found))
    result.found[:] = [m for m in result.found if m.name not in unstable]
    names = {(event.kind, event.name) for event in twice.events}
    unstable += [name for kind, name in names if kind in ("output", "warning")]
    result.events[:] = [e for e in result.events if (e.kind, e.name) not in names]
    grown = [m for m in result.found if m.kind == "value" and m.ulps is not None]
    if not grown:
        return unstable, [], 0
    exact = Contrast()
    by_operations = Inspection(TIER)
    exact.names(native.names, from_graph(by_operations).names)
    if not by_operations.runs:
        return unstable, [], 0  # nothing of it ran
    wrong = {m.root for m in exact.found}
    passed = [m for m in grown if m.root not in wrong and exact.rounding_ulps == 0]
    result.found[:] = [m for m in result.found if m not in passed]
    notes = [
        f"{m.name}: rounding has grown on its way through the computation, to "
        f"{m.ulps:,} units in the last place; each operation alone is NumPy's up to rounding"
        for m in passed
    ]
    return unstable, notes, max((m.ulps or 0 for m in passed), default=0)


def work_lines(report: ReportData) -> tuple[int, int]:
    """How many lines with NumPy work were captured, of how many."""
    statuses = [line.status for line in report.lines]
    captured = statuses.count("compiled")
    return captured, captured + statuses.count("host")


def reasons(report: ReportData) -> list[str]:
    """What of a run was not compared, since NumPy ran it, and why."""
    notes = [
        f"line {line.line} ran in NumPy, so there is nothing to compare: {line.reason}"
        for line in report.lines
        if line.status == "host" and line.reason
    ]
    for region in report.regions:
        if region.note and region.note != "plain Python":
            notes.append(f"lines {region.lines[0]}-{region.lines[1]}: {region.note}")
    return list(dict.fromkeys(notes))


def located(differences: list[Difference], report: ReportData) -> list[Difference]:
    """Give the line of its statement to what no operation is to blame for."""
    lines: dict[str, int] = {}
    for line in report.lines:
        for assigned in line.assigns:
            lines.setdefault(assigned.name, line.line)
        if line.source.strip().startswith("return"):
            lines.setdefault(RETURNED, line.line)
    only = report.lines[0].line if len(report.lines) == 1 else None
    return [
        d if d.line is not None else replace(d, line=lines.get(root_of(d.name), only))
        for d in differences
    ]
