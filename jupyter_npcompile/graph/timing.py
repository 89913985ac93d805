"""Where the time goes, as plain data: regions, lines and kernels, beside two bounds.

NumPy's time is one bound. The other is the time that memory needs to move what is
read and written, which no code on arrays larger than the caches can beat.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.amounts import rate
from jupyter_npcompile.graph.constants import printable
from jupyter_npcompile.graph.kernels import PREFIX, fused_lines
from jupyter_npcompile.graph.text import op_name

if TYPE_CHECKING:
    from jupyter_npcompile.graph.regions import RegionReport
    from jupyter_npcompile.graph.report import ReportData


LEAST_BOUND = 0.1
"""Microseconds; what memory needs for less than this (a few booleans, say) bounds nothing:
to call the code takes longer."""


@dataclass(frozen=True, slots=True)
class LineTime:
    """What NumPy needs for the operations of one line.

    Parameters
    ----------
    line : int
        The line.
    us : float
        Microseconds.
    moves : int
        Bytes that its operations read and write.
    """

    line: int
    us: float
    moves: int


@dataclass(frozen=True, slots=True)
class NodeTime:
    """How long one node of the captured graph takes when it runs by itself.

    Parameters
    ----------
    level : str
        Its level: of ``"numpy"`` it is NumPy's time, of ``"kernels"`` the compiled one.
    segment : int
        Which graph of that level it is in.
    node : int
        Its id.
    us : float
        Microseconds.
    """

    level: str
    segment: int
    node: int
    us: float


@dataclass(frozen=True, slots=True)
class Timing:
    """What was measured for the timing view.

    Parameters
    ----------
    bandwidth : float
        Bytes a second that a copy reads and writes.
    lines : tuple of LineTime
        NumPy's time, line by line, where it was measured.
    note : str
        What was not measured, and why.
    nodes : tuple of NodeTime
        The same for single nodes.
    """

    bandwidth: float
    lines: tuple[LineTime, ...] = ()
    note: str = ""
    nodes: tuple[NodeTime, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Timing:
        """The inverse of `to_dict`.

        Examples
        --------
        >>> timing = Timing(1e10, (LineTime(2, 5.0, 800),))
        >>> Timing.from_dict(timing.to_dict()) == timing
        True
        """
        lines = tuple(LineTime(**line) for line in data["lines"])
        nodes = tuple(NodeTime(**node) for node in data.get("nodes", ()))
        return cls(float(data["bandwidth"]), lines, data["note"], nodes)


@dataclass(frozen=True, slots=True)
class TimeRow:
    """One row of the view.

    Parameters
    ----------
    kind : {"region", "line", "kernel"}
        What it is about; lines and kernels follow their region.
    lines : tuple of int
        The lines, of a region the first and the last.
    title : str
        How the region runs, the source of the line, or what the kernel computes.
    numpy_us, compiled_us : float or None
        Measured times; of a kernel that is a call of NumPy's libraries, NumPy's.
    moves : int
        Bytes that must be read and written.
    bound_us : float or None
        What memory needs for that.
    """

    kind: Literal["region", "line", "kernel"]
    lines: tuple[int, ...]
    title: str
    numpy_us: float | None = None
    compiled_us: float | None = None
    moves: int = 0
    bound_us: float | None = None

    @property
    def share(self) -> float | None:
        """How near the faster way comes to the bound: 1 when memory alone limits it.

        Examples
        --------
        >>> TimeRow("region", (1, 2), "inductor", 40.0, 20.0, 800, 5.0).share
        0.25
        """
        us = self.us
        return self.bound_us / us if us and self.bound_us else None

    @property
    def us(self) -> float | None:
        """The time of the faster way."""
        return min((us for us in (self.compiled_us, self.numpy_us) if us), default=None)

    @property
    def rate(self) -> str:
        """What it moves in a second, in words, where memory bounds it.

        Examples
        --------
        >>> TimeRow("kernel", (2,), "sin", None, 20.0, 80_000, 5.0).rate
        '4.0 GB/s'
        """
        return rate(self.moves, self.us) if self.bound_us is not None else ""


def time_rows(report: ReportData) -> list[TimeRow]:
    """What the timing view of a report shows.

    Parameters
    ----------
    report : ReportData
        What one run showed. Without its ``timing`` there are no bounds.

    Examples
    --------
    >>> from jupyter_npcompile.graph import RegionReport, ReportData
    >>> one = RegionReport(0, (2, 3), "inductor", segments=1,
    ...                    timings={"numpy_us": 9.0, "compiled_us": 3.0})
    >>> [(row.kind, row.numpy_us) for row in time_rows(ReportData(regions=(one,)))]
    [('region', 9.0)]
    """
    bandwidth = report.timing.bandwidth if report.timing is not None else math.inf
    rows: list[TimeRow] = []
    known = report.timing or Timing(bandwidth)
    left = {line.line: line for line in known.lines}
    times = {(one.level, one.segment, one.node): one.us for one in known.nodes}
    sources = {line.line: line.source.split("\n", 1)[0] for line in report.lines}
    for region in sorted(report.regions, key=lambda one: one.lines):
        kernels = list(_kernels(report, region, bandwidth, times))
        moves = sum(row.moves for row in kernels)
        timed = [left[line] for line in sorted(left) if _around(report, line) is region]
        numpy_us = region.timings.get("numpy_us")
        compiled_us = region.timings.get("compiled_us")
        if numpy_us is None and compiled_us is None and not timed:
            continue
        bound = bound_us(moves, bandwidth)
        tier = printable(region.tier) or "numpy"
        rows.append(TimeRow("region", region.lines, tier, numpy_us, compiled_us, moves, bound))
        for line in timed:
            title = printable(" ".join(sources.get(line.line, "").split()))
            bound = bound_us(line.moves, bandwidth)
            rows.append(TimeRow("line", (line.line,), title, line.us, None, line.moves, bound))
        rows += kernels
    return rows


def bound_us(moves: int, bandwidth: float) -> float | None:
    """What memory needs to move some bytes; None where that bounds nothing.

    Examples
    --------
    >>> bound_us(80_000, 1e10), bound_us(8, 1e10)
    (8.0, None)
    """
    bound = moves / bandwidth * 1e6 if math.isfinite(bandwidth) else 0.0
    return bound if bound >= LEAST_BOUND else None


def _kernels(
    report: ReportData,
    region: RegionReport,
    bandwidth: float,
    times: Mapping[tuple[str, int, int], float],
) -> Iterator[TimeRow]:
    """The kernels of the segments that begin in a region."""
    graphs = zip(report.graph.numpy, report.graph.kernels, strict=False)
    for place, (numpy, made) in enumerate(graphs):
        own = [node.position.line for node in numpy.nodes if node.position.line]
        if not own or _around(report, min(own)) is not region:
            continue
        for kernel in made.nodes:
            lines = tuple(fused_lines(kernel, numpy))
            bound = bound_us(kernel.moves, bandwidth)
            us = times.get(("kernels", place, kernel.id))
            calls = not kernel.op.startswith(PREFIX) and len(kernel.fuses) == 1
            numpy_us = times.get(("numpy", place, kernel.fuses[0])) if calls else None
            title = op_name(kernel.op)
            yield TimeRow("kernel", lines, title, numpy_us, us, kernel.moves, bound)


def _around(report: ReportData, line: int) -> RegionReport | None:
    found = [r for r in report.regions if r.segments and r.lines[0] <= line <= r.lines[1]]
    return min(found, key=lambda one: one.lines[1] - one.lines[0], default=None)
