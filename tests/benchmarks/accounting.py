"""What counts how: from single figures to the means of a class and of a tool.

- A figure is how many times as fast as NumPy a tool is, 1 being NumPy.
- Where a tool gave no result in time, or failed, its user falls back to NumPy
  and has lost the time: NumPy's time plus that time is what counts.
- A program with a wrong result at any size is marked and in no mean of that tool.
- A program counts once, with the geometric mean of its sizes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tests.benchmarks.results import Measured, Results, Row, Status
from tests.benchmarks.timing import geometric_mean

LOST: tuple[Status, ...] = ("timeout", "error", "not tried")
"""Ends that cost time and give nothing."""


def factor(measured: Measured, numpy_s: float | None) -> float | None:
    """How many times as fast as NumPy a tool was; None where that cannot be said.

    Parameters
    ----------
    measured : Measured
        What the tool did.
    numpy_s : float, optional
        NumPy's time per call, for tools that gave no result.

    Examples
    --------
    >>> factor(Measured("timeout", lost_s=9.0), numpy_s=1.0)
    0.1
    """
    if measured.status == "ok" and measured.timing is not None:
        return measured.timing.ratio
    if measured.status in LOST and numpy_s is not None:
        return numpy_s / (numpy_s + measured.lost_s)
    return None


def numpy_seconds(results: Results, program: str, size: str) -> float | None:
    """NumPy's time per call in one thread: its own run's, else the one beside another tool."""
    for row in sorted(
        (row for row in results.rows.values() if row.program == program),
        key=lambda row: row.tool != "numpy",
    ):
        measured = row.single.get(size)
        if measured is not None and measured.timing is not None:
            return measured.timing.numpy_s
    return None


def is_wrong(row: Row) -> bool:
    """Whether a result differed from NumPy's, at any size and with any number of threads."""
    measured = [*row.single.values(), *row.threaded.values()]
    if row.restart is not None:
        measured.append(row.restart.again)
    return any(one.status == "wrong" for one in measured)


def program_factor(results: Results, row: Row, sizes: Sequence[str] | None = None) -> float | None:
    """How many times as fast as NumPy a program is in a tool, over its sizes."""
    if is_wrong(row):
        return None
    factors = [
        factor(measured, numpy_seconds(results, row.program, size))
        for size, measured in row.single.items()
        if sizes is None or size in sizes
    ]
    return geometric_mean(one for one in factors if one is not None)


@dataclass(frozen=True)
class Standing:
    """A tool over all programs.

    Parameters
    ----------
    tool : str
        The tool.
    programs : int
        How many programs are in the mean.
    mean : float, optional
        Geometric mean over them, failures counted with the time they lost.
    finished : float, optional
        Geometric mean over the sizes that did finish.
    classes : dict of str to float
        Geometric mean of each class.
    sizes : dict of str to float
        Geometric mean of each size.
    threaded : float, optional
        Geometric mean with all threads.
    late, failed, wrong, without : tuple of str
        Programs that came too late or raised at some size, that were wrong,
        and of which there is no version for the tool.
    """

    tool: str
    programs: int
    mean: float | None
    finished: float | None
    classes: dict[str, float]
    sizes: dict[str, float]
    threaded: float | None
    late: tuple[str, ...]
    failed: tuple[str, ...]
    wrong: tuple[str, ...]
    without: tuple[str, ...]


def standing(results: Results, tool: str) -> Standing:
    """Sum up a tool."""
    rows = [row for row in results.rows.values() if row.tool == tool]
    by_program = {row.program: program_factor(results, row) for row in rows}
    known = {name: value for name, value in by_program.items() if value is not None}
    right = [row for row in rows if row.program in known]
    kinds = {row.kind: [known[r.program] for r in right if r.kind == row.kind] for row in right}
    sizes = {size: None for row in right for size in row.single}
    by_size = {size: [program_factor(results, row, [size]) for row in right] for size in sizes}
    return Standing(
        tool=tool,
        programs=len(known),
        mean=geometric_mean(known.values()),
        finished=geometric_mean(
            one.timing.ratio
            for row in right
            for one in row.single.values()
            if one.status == "ok" and one.timing is not None
        ),
        classes=_means(kinds),
        sizes=_means(by_size),
        threaded=geometric_mean(
            value
            for row in right
            for size, one in row.threaded.items()
            if (value := factor(one, numpy_seconds(results, row.program, size))) is not None
        ),
        late=_ended(rows, "timeout"),
        failed=_ended(rows, "error"),
        wrong=tuple(row.program for row in rows if is_wrong(row)),
        without=_ended(rows, "no peer"),
    )


def _means(groups: dict[str, list[float]] | dict[str, list[float | None]]) -> dict[str, float]:
    means = {
        name: geometric_mean(value for value in values if value is not None)
        for name, values in groups.items()
    }
    return {name: mean for name, mean in means.items() if mean is not None}


def _ended(rows: Iterable[Row], status: Status) -> tuple[str, ...]:
    return tuple(
        row.program
        for row in rows
        if any(one.status == status for one in (*row.single.values(), *row.threaded.values()))
    )


def worst(results: Results, tool: str) -> tuple[str, float] | None:
    """The program in which a tool does worst against NumPy, and how it does."""
    found = [
        (value, row.program)
        for row in results.rows.values()
        if row.tool == tool and (value := program_factor(results, row)) is not None
    ]
    if not found:
        return None
    value, program = min(found)
    return program, value


def calls_until_faster(measured: Measured) -> float | None:
    """After how many calls a tool has made good the time of its first result.

    None where it never does.

    Examples
    --------
    >>> from tests.benchmarks.timing import summarise
    >>> timing = summarise([(3.0, 1.0)], 1.0)
    >>> calls_until_faster(Measured("ok", first_s=11.0, timing=timing))
    5.0
    """
    timing = measured.timing
    if timing is None or measured.first_s is None or timing.tool_s >= timing.numpy_s:
        return None
    return max(1.0, (measured.first_s - timing.tool_s) / (timing.numpy_s - timing.tool_s))
