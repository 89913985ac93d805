"""Whether two runs on the same machine agree, and if not, why not."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tests.benchmarks.accounting import is_wrong
from tests.benchmarks.results import Measured, Results, Row
from tests.benchmarks.timing import geometric_mean

TOLERANCE = 0.15
"""By how much the figures of a class may differ."""

Run = Mapping[str, Measured]
"""What was measured of each program, at one size."""


@dataclass(frozen=True)
class Disagreement:
    """A class whose two figures differ too much.

    Parameters
    ----------
    tool, kind : str
        The tool and the class.
    first, second : float
        Its geometric means.
    program : str
        The program that moved most.
    why : str
        What is known about it.
    """

    tool: str
    kind: str
    first: float
    second: float
    program: str
    why: str


def within_run(results: Results, tool: str) -> tuple[dict[str, str], Run, Run]:
    """Classes, and the figures of two processes of one run: the first, and the restarted one."""
    rows = [row for row in _right(results, tool) if row.restart is not None]
    first: dict[str, Measured] = {}
    second: dict[str, Measured] = {}
    for row in rows:
        assert row.restart is not None
        first[row.program] = next(iter(row.single.values()))
        second[row.program] = row.restart.again
    return {row.program: row.kind for row in rows}, first, second


def between_runs(
    results: Results, earlier: Results, tool: str, size: str = "medium"
) -> tuple[dict[str, str], Run, Run]:
    """Classes, and the figures of a run and of an earlier one."""
    before = {row.program: row for row in _right(earlier, tool) if size in row.single}
    rows = [row for row in _right(results, tool) if row.program in before and size in row.single]
    return (
        {row.program: row.kind for row in rows},
        {row.program: before[row.program].single[size] for row in rows},
        {row.program: row.single[size] for row in rows},
    )


def _right(results: Results, tool: str) -> Iterable[Row]:
    return (row for row in results.rows.values() if row.tool == tool and not is_wrong(row))


def disagreements(
    tool: str, kinds: Mapping[str, str], first: Run, second: Run
) -> list[Disagreement]:
    """The classes in which two runs differ by more than the tolerance."""
    found = []
    for kind in sorted(set(kinds.values())):
        moved = {
            program: (a.timing.ratio, b.timing.ratio)
            for program in kinds
            if kinds[program] == kind
            and (a := first[program]).timing is not None
            and (b := second[program]).timing is not None
        }
        if not moved:
            continue
        means = [geometric_mean(pair[i] for pair in moved.values()) for i in (0, 1)]
        a_mean, b_mean = means
        assert a_mean is not None
        assert b_mean is not None
        if max(a_mean / b_mean, b_mean / a_mean) <= 1 + TOLERANCE:
            continue
        program = max(moved, key=lambda name: abs(math.log(moved[name][0] / moved[name][1])))
        why = reason(first[program], second[program])
        found.append(Disagreement(tool, kind, a_mean, b_mean, program, why))
    return found


def reason(first: Measured, second: Measured) -> str:
    """Why the figures of one program differ, as far as they tell."""
    a, b = first.timing, second.timing
    assert a is not None
    assert b is not None
    if first.capture is not None and second.capture is not None:
        tiers = first.capture.tiers, second.capture.tiers
        if tiers[0] != tiers[1]:
            return f"another tier won: {_tiers(tiers[0])}, then {_tiers(tiers[1])}"
    spread = max(a.spread, b.spread)
    if spread > TOLERANCE:
        return f"the pairs of one process differ by {spread:.0%} already: the machine was busy"
    numpy, tool = a.numpy_s / b.numpy_s, a.tool_s / b.tool_s
    moved = "NumPy" if abs(math.log(numpy)) > abs(math.log(tool)) else "the tool"
    change = max(numpy, 1 / numpy) if moved == "NumPy" else max(tool, 1 / tool)
    return f"{moved} took {change:.2f} times as long in one process as in the other"


def _tiers(tiers: tuple[str, ...]) -> str:
    return ", ".join(tiers) or "none"
