"""What was promised, and every figure that falls short of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tests.benchmarks.accounting import numpy_seconds, standing
from tests.benchmarks.markdown import number, table
from tests.benchmarks.results import Measured, Results
from tests.benchmarks.rivals import Matches, finished
from tests.benchmarks.tools import COMPARED, NUMPY, OURS, TORCH
from tests.benchmarks.waiting import AT_ONCE, SHARE, Waits

STEADY = 0.95
"""How fast every program is at least, against NumPy."""

TINY = 20e-6
"""Seconds of a call that is so short that only its overhead counts."""

OVERHEAD = 2e-6
"""Seconds that such a call may take above NumPy."""

ASIDE = "what the operating system takes for memory aside"

TARGETS = {
    "stencil time loops": 5.0,
    "recurrences along an axis": 8.0,
    "triangular loops": 8.0,
    "dynamic programming and bits": 50.0,
    "data-dependent while": 4.0,
}
"""How many times as fast as NumPy the classes of loops are to be."""

PEER = 0.9
"""Part of the best peer's mean that they are to reach."""

LEAD = 1.5
"""How many times the best peer's mean over all programs ours is to be."""


@dataclass(frozen=True)
class Shortfall:
    """A figure that falls short.

    Parameters
    ----------
    program, size : str
        Where.
    what : str
        The figure, and what it should be.
    """

    program: str
    size: str
    what: str


def _ours(results: Results) -> Iterator[tuple[str, str, Measured]]:
    for row in results.rows.values():
        if row.tool == OURS.name:
            for size, measured in row.single.items():
                yield row.program, size, measured


def slower(results: Results) -> list[Shortfall]:
    """Programs that are slower than NumPy once all is compiled."""
    found = []
    for program, size, measured in _ours(results):
        timing = measured.timing
        if timing is None or timing.ratio >= STEADY:
            continue
        above = timing.tool_s - timing.numpy_s
        if timing.numpy_s >= TINY:
            found.append(Shortfall(program, size, f"{timing.ratio:.2f} of NumPy's speed"))
        elif above > OVERHEAD:
            found.append(Shortfall(program, size, f"{above * 1e6:.1f} µs above NumPy"))
    return found


def late(results: Results) -> list[Shortfall]:
    """Programs whose first result comes noticeably later than NumPy's.

    What the operating system takes is left out on both sides: on a virtual machine it depends
    on the memory that its host has at hand, and a call of 0.1 s may wait half a second for it.
    """
    found = []
    for program, size, measured in _ours(results):
        row = results.rows.get((program, NUMPY.name))
        first = row.single[size].own_first_s if row and size in row.single else None
        first = first or numpy_seconds(results, program, size)
        ours = measured.own_first_s
        if first is None or ours is None:
            continue
        over = ours - (1 + SHARE) * first - AT_ONCE
        if over > 0:
            what = f"{ours * 1e3:.0f} ms, NumPy {first * 1e3:.0f} ms"
            found.append(Shortfall(program, size, what))
    return found


def behind(results: Results, matches: Matches | None = None) -> list[Shortfall]:
    """Programs in which torch.compile finishes, and is faster than ours.

    What was timed in turns counts in place of figures of two processes.
    """
    found = []
    for program, size, ours, theirs in finished(results):
        match = matches.find(program, size) if matches is not None else None
        if match is not None:
            speed, what = match.timing.ratio, f"{match.timing.ratio:.2f} of its speed, in turns"
        else:
            speed, what = ours.ratio / theirs.ratio, f"{ours.ratio:.2f} against {theirs.ratio:.2f}"
        if speed < STEADY:
            found.append(Shortfall(program, size, what))
    return found


@dataclass(frozen=True)
class Aim:
    """A mean, and what it is to be.

    Parameters
    ----------
    name : str
        Of a class of programs, or of all of them.
    ours : float, optional
        Our mean, NumPy being 1.
    target : float
        What it is to be at least.
    peer : str
        The best peer.
    theirs : float, optional
        Its mean.
    share : float
        How many times that ours is to be at least.
    """

    name: str
    ours: float | None
    target: float
    peer: str
    theirs: float | None
    share: float

    @property
    def is_met(self) -> bool:
        """Whether ours is both."""
        return self.ours is not None and self.ours >= max(
            self.target, self.share * (self.theirs or 0.0)
        )


def aims(results: Results) -> list[Aim]:
    """The classes of loops, and all programs, against their targets and the best peer."""
    names = {tool for _, tool in results.rows}
    peers = {
        tool.label: standing(results, tool.name)
        for tool in COMPARED
        if tool.name in names and tool is not OURS
    }
    ours = standing(results, OURS.name)
    found = []
    for name, target in TARGETS.items():
        peer, theirs = _best((label, one.classes.get(name)) for label, one in peers.items())
        found.append(Aim(name, ours.classes.get(name), target, peer, theirs, PEER))
    peer, theirs = _best((label, one.mean) for label, one in peers.items())
    found.append(Aim("all programs", ours.mean, 1.0, peer, theirs, LEAD))
    return found


def _best(means: Iterable[tuple[str, float | None]]) -> tuple[str, float | None]:
    known = [(value, label) for label, value in means if value is not None]
    value, label = max(known, default=(None, ""))
    return label, value


def section(results: Results, waits: Waits | None = None, matches: Matches | None = None) -> str:
    """All of it, as Markdown; nothing where nothing of ours was measured.

    What was measured in turns counts in place of figures of single processes.
    """
    if not any(True for _ in _ours(results)):
        return ""
    lines = [
        [
            *(aim.name, number(aim.ours), number(aim.target)),
            *(f"{aim.peer} {number(aim.theirs)}".strip(), f"{aim.share}"),
            "yes" if aim.is_met else "**no**",
        ]
        for aim in aims(results)
    ]
    header = ["", OURS.label, "at least", "best peer", "and so much of it", "reached"]
    steady = f"has at least {STEADY} of NumPy's speed once all is compiled"
    tiny = f"takes at most {OVERHEAD * 1e6:.0f} µs more, where a call takes under 20"
    kept = [
        (f"{steady}, or {tiny}", slower(results)),
        (f"gives its first result within 5 % and 50 ms of NumPy's, {ASIDE}", late(results)),
        (
            "is, within 5 %, at least as fast as torch.compile where that finishes",
            behind(results, matches),
        ),
    ]
    parts = [f"Every program {what}: {_exceptions(found)}" for what, found in kept]
    if waits is not None:
        parts[1] = f"{waits.verdict} (In turns, see below.)"
    if not any(tool == TORCH.name for _, tool in results.rows):
        parts[-1] = "torch.compile was not measured in this run."
    return "\n\n".join(["## What was promised", table(header, lines), *parts])


def _exceptions(found: Sequence[Shortfall]) -> str:
    if not found:
        return "without exception."
    lines = [f"- `{one.program}`, {one.size}: {one.what}" for one in found]
    return "all but these.\n\n" + "\n".join(lines)
