"""What a region has copied, in words."""

from __future__ import annotations

from collections.abc import Sequence

from jupyter_npcompile.graph.amounts import size
from jupyter_npcompile.graph.constants import printable
from jupyter_npcompile.graph.regions import Precision, RegionReport
from jupyter_npcompile.views.timing import duration

MENTIONED = 6
"""Variables that are named, each way."""


def copied(region: RegionReport) -> list[str]:
    """Lines about the copies of a region; none where nothing is copied.

    Examples
    --------
    >>> from jupyter_npcompile.graph.regions import Copies
    >>> arrays = (("x", "to device", 800), ("y", "to host", 1600))
    >>> copies = Copies(runs=2, to_device=1600, to_host=3200, spared=0, us=50, arrays=arrays)
    >>> for line in copied(RegionReport(0, (1, 2), "standin", copies=copies)):
    ...     print(line)
    to standin: 800 B (x)
    back: 1.6 kB (y)
    copying took 25 µs a run, over 2 runs
    """
    copies = region.copies
    if copies is None:
        return []
    ways = {
        "to device": f"to {printable(region.tier)}",
        "there already": "there already",
        "to host": "back",
        "not back": "not back",
    }
    lines = [] if copies.precision is None else [_digits(copies.precision)]
    for way, words in ways.items():
        found = [(name, nbytes) for name, is_way, nbytes in copies.arrays if is_way == way]
        if found:
            total = sum(nbytes for _, nbytes in found)
            moments = copies.moments if way == "to host" else ()
            lines.append(f"{words}: {size(total)} ({_known([name for name, _ in found], moments)})")
    if copies.waiting:
        lines.append(f"waiting there: {size(copies.waiting)} of results, until somebody may look")
    if copies.unneeded:
        runs = f"{size(copies.unneeded)} of results in all"
        lines.append(f"never back: {runs}, gone before anybody could look")
    if copies.stranger:
        lines.append(f"nothing stays there: {copies.stranger} runs, too, and may write")
    runs = f"{copies.runs} run{'' if copies.runs == 1 else 's'}"
    lines.append(f"copying took {duration(copies.us / copies.runs)} a run, over {runs}")
    return lines


def _known(names: Sequence[str], moments: Sequence[tuple[str, str]]) -> str:
    """Names, with what is known of when they were copied back.

    Examples
    --------
    >>> _known(["t", "x", "y"], [("x", "at the end"), ("y", "at the end")])
    't; x, y at the end'
    """
    late = {name for name, _ in moments}
    at_once = [name for name in names if name not in late]
    when: dict[str, list[str]] = {}
    for name, moment in moments:
        when.setdefault(moment, []).append(name)
    shown = [f"{_names(names)} {moment}" for moment, names in when.items()]
    return "; ".join([_names(at_once), *shown] if at_once else shown)


def _digits(precision: Precision) -> str:
    """What single precision costs.

    Examples
    --------
    >>> _digits(Precision(3e-7, 1.5e-7, "y"))
    'float32: predicted error 3e-07 of the largest value, measured 1.5e-07 (y, first run)'
    """
    text = f"float32: predicted error {precision.predicted:.1g} of the largest value"
    if precision.measured is None:
        return f"{text}, not measured"
    where = f"{printable(precision.name)}, first run" if precision.name else "first run"
    return f"{text}, measured {precision.measured:.2g} ({where})"


def _names(names: Sequence[str]) -> str:
    shown = [printable(name) for name in dict.fromkeys(names)]
    more = len(shown) - MENTIONED
    return ", ".join(shown[:MENTIONED]) + (f" and {more} more" if more > 0 else "")
