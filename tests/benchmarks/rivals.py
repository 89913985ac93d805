"""torch.compile and npcompile in turns, in one process, wherever their figures are close.

Figures of two processes are each against the NumPy of that process, which may run on memory
that the other does not have, beside a neighbour that the other did not have: NumPy itself took
117 and 138 ms for one call. Where that may decide who is faster, both are timed in pairs.

Usage: ``python -m tests.benchmarks --rivals``, after torch.compile was measured.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks import turns
from tests.benchmarks.markdown import number, table, time
from tests.benchmarks.results import Results
from tests.benchmarks.timing import Timing
from tests.benchmarks.tools import OURS, TORCH
from tests.benchmarks.turns import Turns

CLOSE = 1.3
"""How many times as fast as torch.compile ours is where the figures of two processes will do."""

HEADING = "## torch.compile, in turns"


@dataclass(frozen=True)
class Match:
    """Steady states of torch.compile and of ours, in pairs.

    Parameters
    ----------
    program, size : str
        Of what.
    timing : Timing
        torch.compile in NumPy's place: the ratio is how many times as fast as it ours is.
    """

    program: str
    size: str
    timing: Timing


@dataclass(frozen=True)
class Matches(Turns):
    """Steady states of programs in turns.

    Parameters
    ----------
    matches : tuple of Match
        Each.
    """

    matches: tuple[Match, ...] = ()

    def find(self, program: str, size: str) -> Match | None:
        """What was measured of a program at a size."""
        known = {(one.program, one.size): one for one in self.matches}
        return known.get((program, size))

    def section(self) -> str:
        """What the report says."""
        rows = [
            [
                *(one.program, one.size, str(one.timing.pairs)),
                *(time(one.timing.numpy_s), time(one.timing.tool_s)),
                *(number(one.timing.ratio), f"{one.timing.low:.2f} to {one.timing.high:.2f}"),
            ]
            for one in sorted(self.matches, key=lambda one: one.timing.ratio)
        ]
        header = ["program", "size", "pairs", TORCH.label, OURS.label, "faster by", "quartiles"]
        return "\n\n".join(
            [
                *self.begin(HEADING),
                f"Where figures of two processes are within {CLOSE:.1f} of each other, both are "
                "timed in pairs in one process, with one thread, once all is compiled.",
                table(header, rows),
            ]
        )

    @classmethod
    def read(cls, path: Path) -> Matches:
        """Read what `write` wrote."""
        data = turns.read(path)
        matches = (
            Match(one["program"], one["size"], Timing(**one["timing"])) for one in data["matches"]
        )
        return cls(data["machine"], data["date"], tuple(matches))


def finished(results: Results) -> Iterator[tuple[str, str, Timing, Timing]]:
    """Steady states of ours and of torch.compile, by program and size, where both have any."""
    for (program, tool), row in results.rows.items():
        other = results.rows.get((program, TORCH.name))
        if tool != OURS.name or other is None:
            continue
        for size, ours in row.single.items():
            theirs = other.single.get(size)
            if theirs and theirs.status == "ok" and theirs.timing and ours.timing:
                yield program, size, ours.timing, theirs.timing


def close(results: Results) -> list[tuple[str, str]]:
    """Programs and sizes in which torch.compile may be as fast as ours, or faster.

    Either by its speed against NumPy's, or by the seconds that a call takes.
    """
    return [
        (program, size)
        for program, size, ours, theirs in finished(results)
        if ours.ratio < CLOSE * theirs.ratio or CLOSE * ours.tool_s > theirs.tool_s
    ]
