"""First results in turns: NumPy and npcompile, each time in a process that has just started.

A first result comes once in a process, and one process may run on a busy machine while
another does not: on a virtual machine NumPy itself took 0.33 to 0.45 s for the same call. So
NumPy and npcompile take turns, and medians are compared. What is clear after a few pairs is
not measured again.

Usage: ``python -m tests.benchmarks --waiting``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.benchmarks import turns
from tests.benchmarks.markdown import table, time
from tests.benchmarks.plans import ORDER
from tests.benchmarks.turns import Turns

SHARE, AT_ONCE = 0.05, 0.05
"""Part of NumPy's first result, and seconds, that ours may come later."""

PAIRS = {"small": 1, "medium": 2, "large": 3}
"""How many pairs there are at least."""

MOST = 7
"""How many at the most, where it is not clear."""

CLEAR = 0.02
"""Seconds between a figure and what is allowed that make it clear."""

HEADING = "## First results, in turns"


@dataclass(frozen=True)
class First:
    """A first result.

    Parameters
    ----------
    seconds : float
        Until the call returned.
    system : float
        Of these, in which the operating system worked for it: nearly all of it for memory that
        is touched for the first time.
    """

    seconds: float
    system: float

    @property
    def own(self) -> float:
        """Seconds, what the operating system took aside."""
        return self.seconds - self.system


@dataclass(frozen=True)
class Wait:
    """First results of a program at a size.

    Parameters
    ----------
    program, size : str
        Which.
    numpy, ours : tuple of First
        In turns.

    Examples
    --------
    >>> one, other = First(0.1, 0.0), First(0.17, 0.01)
    >>> wait = Wait("wave", "large", (one,), (other,))
    >>> round(wait.over, 3), wait.is_late, wait.is_clear
    (0.005, True, False)
    """

    program: str
    size: str
    numpy: tuple[First, ...] = ()
    ours: tuple[First, ...] = ()

    @property
    def over(self) -> float:
        """Seconds by which ours is later than allowed; negative where it is not."""
        return self.own(self.ours) - (1 + SHARE) * self.own(self.numpy) - AT_ONCE

    @property
    def is_late(self) -> bool:
        """Whether ours comes later than allowed."""
        return self.over > 0

    @property
    def is_clear(self) -> bool:
        """Whether it need not be measured again."""
        pairs = min(len(self.numpy), len(self.ours))
        return pairs >= PAIRS[self.size] and (abs(self.over) > CLEAR or pairs >= MOST)

    @staticmethod
    def own(firsts: Sequence[First]) -> float:
        """The median, what the operating system took aside."""
        return median(one.own for one in firsts)

    @staticmethod
    def whole(firsts: Sequence[First]) -> float:
        """The median of all of it."""
        return median(one.seconds for one in firsts)


Take = Callable[[str, str, str], First]
"""Has a tool run a program at a size in a new process."""


def measured(program: str, size: str, take: Take) -> Wait:
    """Measure a program at a size in turns until it is clear."""
    wait = Wait(program, size)
    while not (wait.numpy and wait.is_clear):
        numpy = take("numpy", program, size)
        ours = take("ours", program, size)
        wait = Wait(program, size, (*wait.numpy, numpy), (*wait.ours, ours))
    return wait


@dataclass(frozen=True)
class Waits(Turns):
    """First results of programs.

    Parameters
    ----------
    waits : tuple of Wait
        Each program at each size.
    """

    waits: tuple[Wait, ...] = ()

    @property
    def verdict(self) -> str:
        """How many are late."""
        late = sum(one.is_late for one in self.waits)
        return (
            f"Of {len(self.waits)} first results {late or 'none'} "
            f"{'comes' if late < 2 else 'come'} later than 5 % and 50 ms after NumPy's."
        )

    def section(self) -> str:
        """What the report says."""
        pairs = sum(len(one.numpy) for one in self.waits)
        rows = [
            [
                *(one.program, one.size, str(len(one.numpy))),
                *(time(one.whole(one.numpy)), time(one.whole(one.ours))),
                *(time(one.own(one.numpy)), time(one.own(one.ours))),
                f"{1e3 * (one.own(one.ours) - one.own(one.numpy)):+.0f} ms",
                f"{1e3 * -one.over:.0f} ms" if not one.is_late else "**late**",
            ]
            for one in sorted(self.waits, key=lambda one: -one.over)
        ]
        header = [
            *("program", "size", "pairs", "NumPy", "npcompile"),
            *("NumPy, own", "npcompile, own", "difference", "left"),
        ]
        return "\n\n".join(
            [
                *self.begin(HEADING),
                f"Processes that have just started, NumPy's and npcompile's in turns, one thread, "
                f"{pairs} pairs, medians. *Own* is without the time in which the operating system "
                "worked for the thread, mostly to get memory; that is what is compared. Nothing "
                f"of the program had been compiled before. {self.verdict}",
                table(header, rows),
            ]
        )

    @classmethod
    def read(cls, path: Path) -> Waits:
        """Read what `write` wrote."""
        data = turns.read(path)
        waits = tuple(
            Wait(
                one["program"],
                one["size"],
                tuple(First(**each) for each in one["numpy"]),
                tuple(First(**each) for each in one["ours"]),
            )
            for one in data["waits"]
        )
        return cls(data["machine"], data["date"], waits)


def figures(programs: Iterable[str]) -> list[tuple[str, str]]:
    """What is measured, by program and size: large ones first, of which most can be late."""
    names = tuple(programs)
    return [(program, size) for size in reversed(ORDER) for program in names]
