"""The first calls together: what somebody waits who runs a program a few times and goes on.

A steady state is of no use to them. So calls are made one after the other in a process that has
just started, compile times included, in NumPy, in npcompile and in Numba: on a machine that knows
the tool but not the program, and, where the tool keeps what it compiled, in the next process.

Usage: ``python -m tests.benchmarks --early``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean

from tests.benchmarks import turns
from tests.benchmarks.markdown import number, table, time
from tests.benchmarks.tools import NUMBA, NUMPY, OURS
from tests.benchmarks.turns import Turns

COUNTS = (1, 3, 10, 30)
"""After how many calls it is looked at."""

SIZES = ("small", "medium")

LONGEST = 12.0
"""Seconds of calls after which the rest is taken to be as the last one."""

SETTLE = 60.0
"""Seconds for what is being compiled when the calls are over: the next process finds it."""

AGAIN = "again"
"""What is put behind the name of a tool that finds in a new process what it has compiled."""

PICTURE = "early.svg"

HEADING = "## The first calls together"


@dataclass(frozen=True)
class Calls:
    """The first calls of a program in one process.

    Parameters
    ----------
    program, size : str
        Of what.
    tool : str
        In which tool; with `AGAIN` behind it in the second process.
    seconds : tuple of float
        What each call took, in order, as many as were made.
    message : str
        Why there are none.
    """

    program: str
    size: str
    tool: str
    seconds: tuple[float, ...] = ()
    message: str = ""

    def together(self, count: int) -> float:
        """Seconds that so many calls take; those that were not made take as long as the last.

        Examples
        --------
        >>> Calls("wave", "small", "ours", (1.0, 0.5, 0.25)).together(5)
        2.25
        """
        made = self.seconds[:count]
        return sum(made) + (count - len(made)) * made[-1]

    def ahead_of(self, other: Calls, most: int = COUNTS[-1]) -> tuple[int, float] | None:
        """After how many calls, and seconds, it is ahead of another for good; None if never.

        Examples
        --------
        >>> numpy = Calls("wave", "small", "numpy", (1.0,))
        >>> Calls("wave", "small", "ours", (1.5, 1.0, 0.25)).ahead_of(numpy)
        (3, 2.75)
        """
        sums = [self.together(count) for count in range(1, most + 1)]
        behind = [k for k, own in enumerate(sums, 1) if own > other.together(k)]
        first = behind[-1] + 1 if behind else 1
        return (first, sums[first - 1]) if first <= most else None


@dataclass(frozen=True)
class Early(Turns):
    """The first calls of programs.

    Parameters
    ----------
    calls : tuple of Calls
        Each program at each size in each tool.
    """

    calls: tuple[Calls, ...] = ()

    def of(self, program: str, size: str, tool: str) -> Calls | None:
        """What was measured of a program, if it could be."""
        for one in self.calls:
            if (one.program, one.size, one.tool) == (program, size, tool) and one.seconds:
                return one
        return None

    def pairs(self, tool: str, sizes: Sequence[str] = SIZES) -> Iterator[tuple[Calls, Calls]]:
        """NumPy and a tool, wherever both have finished."""
        for one in self.calls:
            numpy = self.of(one.program, one.size, NUMPY.name)
            if one.tool == tool and one.size in sizes and one.seconds and numpy is not None:
                yield numpy, one

    def mean(self, tool: str, count: int, sizes: Sequence[str] = SIZES) -> float | None:
        """How many times as fast as NumPy so many calls together are: the geometric mean."""
        ratios = [
            numpy.together(count) / one.together(count) for numpy, one in self.pairs(tool, sizes)
        ]
        return geometric_mean(ratios) if ratios else None

    def share_ahead(self, tool: str, count: int) -> float:
        """In which part of the programs it is ahead of NumPy for good after so many calls."""
        found = [one.ahead_of(numpy) for numpy, one in self.pairs(tool)]
        return sum(one is not None and one[0] <= count for one in found) / max(len(found), 1)

    @property
    def tools(self) -> list[str]:
        """The tools besides NumPy, in the order of measuring."""
        return list(dict.fromkeys(one.tool for one in self.calls if one.tool != NUMPY.name))

    def section(self) -> str:
        """What the report says."""
        return "\n\n".join(
            [
                *self.begin(HEADING),
                f"![The first calls together]({PICTURE})",
                "Calls one after the other in a process that has just started, compile times "
                "included, imports not; one thread. How many times as fast as NumPy's so many "
                "calls together are, geometric means; *again*: in the next process, which finds "
                "what this one has compiled.",
                self._means(),
                "Seconds for the first calls, and after how many of them a tool is ahead of NumPy "
                f"for good, within {COUNTS[-1]} calls.",
                self._programs(),
            ]
        )

    def _means(self) -> str:
        header = ["", "programs", *(f"{size}, {n}" for size in ("all", *SIZES) for n in COUNTS)]
        rows = []
        for tool in self.tools:
            means = [
                number(self.mean(tool, count, sizes))
                for sizes in (SIZES, *((size,) for size in SIZES))
                for count in COUNTS
            ]
            rows.append([label_of(tool), str(sum(1 for _ in self.pairs(tool))), *means])
        return table(header, rows)

    def _programs(self) -> str:
        header = ["program", "size", "NumPy, 10"]
        for tool in self.tools:
            header += [f"{label_of(tool)}, 1", "10", "ahead after"]
        rows = []
        for program, size in dict.fromkeys((one.program, one.size) for one in self.calls):
            numpy = self.of(program, size, NUMPY.name)
            if numpy is None:
                continue
            row = [program, size, time(numpy.together(10))]
            for tool in self.tools:
                one = self.of(program, size, tool)
                row += ["-", "-", "-"] if one is None else _cells(one, numpy)
            rows.append(row)
        return table(header, rows)

    @classmethod
    def read(cls, path: Path) -> Early:
        """Read what `write` wrote."""
        data = turns.read(path)
        calls = (Calls(**{**one, "seconds": tuple(one["seconds"])}) for one in data["calls"])
        return cls(data["machine"], data["date"], tuple(calls))


def _cells(one: Calls, numpy: Calls) -> list[str]:
    ahead = one.ahead_of(numpy)
    when = "-" if ahead is None else f"{ahead[0]}, {time(ahead[1])}"
    return [time(one.together(1)), time(one.together(10)), when]


def label_of(tool: str) -> str:
    """A tool as a person reads it.

    Examples
    --------
    >>> label_of("ours again")
    'npcompile again'
    """
    name, _, again = tool.partition(" ")
    label = next(known.label for known in (OURS, NUMBA) if known.name == name)
    return f"{label} {again}".strip()


def figures(programs: Iterable[str]) -> list[tuple[str, str]]:
    """What is measured, by program and size."""
    return [(program, size) for program in programs for size in SIZES]
