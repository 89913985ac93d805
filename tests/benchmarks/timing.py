"""Times of a tool and of NumPy, taken in turns in one process."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import Any

Arguments = tuple[Any, ...]

SAMPLE = 2e-3
"""Seconds that one sample takes at the least: calls are repeated until then."""

PATIENCE = 6
"""How many times its budget a slow program may take for three pairs."""

MAX_COPIES = 20
"""Calls per sample at the most where each call needs its own copy of the arguments."""


@dataclass(slots=True)
class Subject:
    """Something to time.

    Parameters
    ----------
    run : callable
        What is called.
    arguments : callable
        Gives the arguments of one call; nobody counts the time this takes.
    mutates : bool
        Whether each call needs arguments of its own.
    result : object
        What the last call gave.
    seconds : float
        How long a call took when it was last timed.
    """

    run: Callable[..., Any]
    arguments: Callable[[], Arguments]
    mutates: bool = False
    result: Any = None
    seconds: float = 0.0

    def sample(self, loops: int) -> tuple[float, float]:
        """Seconds and seconds of CPU per call, over a number of calls."""
        run = self.run
        if self.mutates:
            each = [self.arguments() for _ in range(loops)]
        else:
            each = [self.arguments()] * loops
        last = each.pop()
        self.result = None  # its memory is free again
        cpu, began = process_time(), perf_counter()
        for arguments in each:
            run(*arguments)
        result = run(*last)
        self.seconds = (perf_counter() - began) / loops
        cpu = (process_time() - cpu) / loops
        self.result = result
        return self.seconds, cpu

    def loops(self) -> int:
        """How many calls make a sample, from what the last call took."""
        if self.seconds < SAMPLE:
            self.sample(1)
        if self.seconds < SAMPLE / 10:
            self.sample(5)
        loops = max(1, math.ceil(SAMPLE / max(self.seconds, 1e-7)))
        return min(loops, MAX_COPIES) if self.mutates else loops


@dataclass(frozen=True, slots=True)
class Timing:
    """The steady state of a tool against NumPy.

    Parameters
    ----------
    numpy_s, tool_s : float
        Median seconds per call.
    ratio : float
        How many times as fast as NumPy: the median over the pairs.
    low, high : float
        Quartiles of that.
    pairs : int
        How many pairs there were.
    cores : float
        Seconds of CPU per second while the tool ran: how many threads worked.
    """

    numpy_s: float
    tool_s: float
    ratio: float
    low: float
    high: float
    pairs: int
    cores: float

    @property
    def spread(self) -> float:
        """By how much the pairs differ: upper over lower quartile, less one."""
        return self.high / self.low - 1


def interleaved(numpy: Subject, tool: Subject, budget: float, most: int) -> Timing:
    """Time NumPy and a tool in pairs; which comes first changes from pair to pair.

    Parameters
    ----------
    numpy, tool : Subject
        What to compare. Both have run before.
    budget : float
        Seconds after which no further pair is begun. Three pairs are taken
        in any case, or fewer where they take more than `PATIENCE` times that.
    most : int
        Pairs at the most.
    """
    loops = numpy.loops(), tool.loops()
    pairs: list[tuple[float, float]] = []
    cpu = 0.0
    began = perf_counter()
    while len(pairs) < most:
        spent = perf_counter() - began
        if pairs and spent > (budget if len(pairs) >= 3 else PATIENCE * budget):
            break
        if len(pairs) % 2:
            ours, used = tool.sample(loops[1])
            theirs, _ = numpy.sample(loops[0])
        else:
            theirs, _ = numpy.sample(loops[0])
            ours, used = tool.sample(loops[1])
        pairs.append((theirs, ours))
        cpu += used
    return summarise(pairs, cpu)


def summarise(pairs: Sequence[tuple[float, float]], cpu: float) -> Timing:
    """Make a `Timing` of pairs of seconds and the tool's seconds of CPU.

    Examples
    --------
    >>> summarise([(2.0, 1.0), (4.0, 1.0), (3.0, 1.0)], 3.0).ratio
    3.0
    """
    ratios = sorted(theirs / ours for theirs, ours in pairs)
    low, _, high = (
        statistics.quantiles(ratios, n=4, method="inclusive") if len(ratios) > 1 else ratios * 3
    )
    return Timing(
        numpy_s=statistics.median(theirs for theirs, _ in pairs),
        tool_s=statistics.median(ours for _, ours in pairs),
        ratio=statistics.median(ratios),
        low=low,
        high=high,
        pairs=len(pairs),
        cores=cpu / sum(ours for _, ours in pairs),
    )


def geometric_mean(values: Iterable[float]) -> float | None:
    """The geometric mean; None of nothing.

    Examples
    --------
    >>> geometric_mean([1.0, 4.0])
    2.0
    """
    logs = [math.log(value) for value in values]
    return math.exp(statistics.fmean(logs)) if logs else None
