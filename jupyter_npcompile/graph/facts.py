"""What is known of single nodes: memory, floating-point operations, time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.amounts import duration, operations, rate
from jupyter_npcompile.graph.constants import printable
from jupyter_npcompile.graph.flops import Flops, flops, fused_flops
from jupyter_npcompile.graph.nodes import Graph, ValueType
from jupyter_npcompile.graph.regions import RegionReport
from jupyter_npcompile.graph.report import ReportData
from jupyter_npcompile.graph.timing import bound_us


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a node.

    Parameters
    ----------
    flops : Flops or None
        Floating-point operations; None where they cannot be told.
    us : float or None
        Microseconds that it takes by itself, where that was measured.
    rate : str
        Of a kernel that was measured: what it moves in a second, and how much of what
        memory can move that is.
    """

    flops: Flops | None
    us: float | None = None
    rate: str = ""

    @property
    def time(self) -> str:
        """Its time and rate in words; empty where they are not known."""
        parts = (duration(self.us) if self.us is not None else "", self.rate)
        return ", ".join(part for part in parts if part)

    def text(self) -> str:
        """In a few words.

        Examples
        --------
        >>> Facts(Flops(2000), 3.5).text(), Facts(None).text(), Facts(Flops(0)).text()
        ('2.0 kFLOP, 3.5 µs', '? FLOP', '')
        """
        parts = ["? FLOP"] if self.flops is None else []
        if self.flops is not None and self.flops.count:
            parts.append(operations(self.flops.count))
        return ", ".join([*parts, *([self.time] if self.time else [])])


def level_facts(report: ReportData, level: str) -> list[dict[int, Facts]]:
    """For each graph of a level, what is known of its nodes.

    Parameters
    ----------
    report : ReportData
        What one run showed.
    level : str
        Which level.

    Examples
    --------
    >>> level_facts(ReportData(), "numpy")
    []
    """
    return [dict(found) for found in _by_graph(report, level)]


def _by_graph(report: ReportData, level: str) -> Iterator[Iterator[tuple[int, Facts]]]:
    for place, graph in enumerate(report.graph.level(level)):
        yield _facts(report, level, place, graph)


def _facts(report: ReportData, level: str, place: int, graph: Graph) -> Iterator[tuple[int, Facts]]:
    known = graph.by_id()
    source = report.graph.numpy[place].by_id() if place < len(report.graph.numpy) else {}
    times = _times(report, level, place)
    in_numpy = _times(report, "numpy", place) if level == "kernels" else {}
    for node in graph.nodes:
        if level != "kernels":
            yield node.id, Facts(flops(node, known), times.get(node.id))
            continue
        us = times.get(node.id)
        if us is None and not node.op.startswith("kernel.") and len(node.fuses) == 1:
            us = in_numpy.get(node.fuses[0])  # NumPy makes that call
        yield node.id, Facts(fused_flops(node, source), us, _rate(report, node.moves, us))


def _rate(report: ReportData, moves: int, us: float | None) -> str:
    """How near a kernel comes to what memory can move."""
    bound = bound_us(moves, report.timing.bandwidth) if report.timing is not None else None
    if bound is None or not us:
        return ""
    return f"{rate(moves, us)}, {bound / us:.0%} of the bound"


def _times(report: ReportData, level: str, place: int) -> Mapping[int, float]:
    if report.timing is None:
        return {}
    found = (one for one in report.timing.nodes if (one.level, one.segment) == (level, place))
    return {one.node: one.us for one in found}


def level_text(report: ReportData, level: str = "numpy", *, most: int | None = None) -> str:
    """A level as text, with what is known of each node beside it.

    Parameters
    ----------
    report : ReportData
        What one run showed.
    level : str
        Which level.
    most : int, optional
        How many lines are written, from the first on.

    Examples
    --------
    >>> level_text(ReportData())
    'nothing was captured'
    """
    notes = (
        {id: one.text() for id, one in islice(found, most)} for found in _by_graph(report, level)
    )
    return report.graph.to_text(level, notes, most=most)


def shared_time(region: RegionReport | None) -> str:
    """Of nodes that were not timed by themselves: in what their time was measured.

    Examples
    --------
    >>> region = RegionReport(0, (2, 3), "inductor", timings={"numpy_us": 9., "compiled_us": 3.})
    >>> shared_time(region)
    'part of lines 2-3: NumPy 9 µs, compiled 3 µs'
    >>> shared_time(None)
    'not measured'
    """
    timings = {} if region is None else region.timings
    parts = [
        f"{name} {duration(us)}"
        for name, us in (
            ("NumPy", timings.get("numpy_us")),
            ("compiled", timings.get("compiled_us")),
        )
        if us is not None
    ]
    if region is None or not parts:
        return "not measured"
    first, last = region.lines
    where = f"line {first}" if first == last else f"lines {first}-{last}"
    return f"part of {where}: {', '.join(parts)}"


def shape_text(kind: ValueType) -> str:
    """A shape in words.

    Examples
    --------
    >>> shape_text(ValueType("array", "float64", (3, 4))), shape_text(ValueType("scalar", "int64"))
    ('3 x 4', 'scalar')
    """
    if kind.kind != "array":
        return kind.kind
    return " x ".join(map(str, kind.shape)) or "0-d"


def bytes_of(types: Sequence[ValueType]) -> int:
    """Bytes of the elements of some values.

    Examples
    --------
    >>> bytes_of([ValueType("array", "float64", (3, 4))])
    96
    """
    return sum(map(_bytes, types))


def _bytes(kind: ValueType) -> int:
    try:
        return math.prod(kind.shape) * np.dtype(printable(kind.dtype)).itemsize
    except TypeError:  # a dtype that NumPy does not know, such as bfloat16
        return 0
