"""What one run of a cell or function showed, as plain data.

A report is JSON, version 1 (`ReportData.to_dict`)::

    {"schema": 1,
     "device": "cpu",
     "summary": "12 of 14 lines compiled · 2 break points · inductor, cpu",
     "source": "...",                 # the whole cell or function; may be ""
     "first_line": 1,                 # number of the first line of "source"
     "lines": [                       # one per statement, headers of compound ones
       {"line": 3, "end_line": 3, "source": "y = x * 2",
        "status": "compiled",         # or "host": ran in NumPy; "python": no NumPy work
        "reason": null, "hint": null, # why it is not compiled, what to do about it
        "region": 0,                  # id in "regions", or null
        "assigns": [{"name": "y", "dtype": "float64", "shape": [100]}]}],
     "breaks": [
       {"line": 5, "column": 4, "kind": "print", "reason": "...", "hint": "..."}],
     "regions": [
       {"id": 0, "lines": [3, 4],     # first and last
        "tier": "inductor",           # what ran: numpy, aten, inductor, ...
        "signature": "x: float64[100]", "segments": 1, "artifacts": 1,
        "timings": {"trace_ms": 1.2, "compile_ms": 900.0,
                    "numpy_us": 26.0, "compiled_us": 4.0},
        "note": "",
        "copies": {                   # null on the CPU; of all runs so far
          "runs": 2, "to_device": 1600, "to_host": 1600, "spared": 0, "us": 12.5,
          "arrays": [["x", "to device", 800], ["y", "to host", 800]],      # of the last run
          "unneeded": 8000, "moments": [["y", "at the end"]], "waiting": 0,
          "precision": null}}],        # {"predicted", "measured", "name"} with --dtype float32
     "timing": {                      # only where somebody asked for it
       "bandwidth": 1e10,             # bytes a second
       "lines": [{"line": 3, "us": 20.0, "moves": 1600}], "note": "",
       "nodes": [{"level": "numpy", "segment": 0, "node": 7, "us": 12.0}]},
     "gradients": {...},              # only of what was differentiated, see graph.gradients
     "graph": {"numpy": [...], "aten": [...],    # per segment, see graph.serial
               "backward": [...], "kernels": [...]}}

Lines are 1-based and line 1 of a cell is its ``%%npcompile`` line; columns are
0-based characters. A timing that was not measured is missing or null. Readers
ignore keys they do not know; a change that breaks them raises the version.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal, Self, get_args

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph import serial
from jupyter_npcompile.graph.captured import SCHEMA_VERSION, CapturedGraph
from jupyter_npcompile.graph.gradients import GradientReport
from jupyter_npcompile.graph.nodes import Level
from jupyter_npcompile.graph.regions import RegionReport, region_from_dict, region_to_dict
from jupyter_npcompile.graph.summary import NOT_RUN, summarise
from jupyter_npcompile.graph.timing import Timing

Status = Literal["compiled", "host", "python"]
"""What capture did with a line: it is in a segment, it is a NumPy call that
stays in NumPy, or it holds no NumPy work."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """A name that a line binds to an array or NumPy scalar."""

    name: str
    dtype: str
    shape: tuple[int, ...] = ()

    def __str__(self) -> str:
        shape = f"[{','.join(map(str, self.shape))}]" if self.shape else ""
        return f"{self.name}: {self.dtype}{shape}"


@dataclass(frozen=True, slots=True)
class LineReport:
    """One statement and what became of it.

    Parameters
    ----------
    line, end_line : int
        First and last line, 1-based. Of a compound statement, its header.
    source : str
        Its text.
    status : {"compiled", "host", "python"}
        What capture did with it.
    reason : str or None
        Why it is not compiled.
    hint : str or None
        What its author could do about that.
    region : int or None
        Id of the region it belongs to.
    assigns : tuple of Assignment
        Arrays and NumPy scalars it binds.
    """

    line: int
    end_line: int
    source: str
    status: Status
    reason: str | None = None
    hint: str | None = None
    region: int | None = None
    assigns: tuple[Assignment, ...] = ()


@dataclass(frozen=True, slots=True)
class BreakPoint:
    """A place that splits captured code.

    Parameters
    ----------
    line, column : int
        Where it stands: 1-based line, 0-based character.
    kind : str
        What kind of thing it is, in a word.
    reason : str
        Why it could not be captured.
    hint : str
        What its author could do about it.
    """

    line: int
    column: int
    kind: str
    reason: str
    hint: str = ""


@dataclass
class ReportData:
    """Report of one run: lines, break points, regions and the captured graph.

    Parameters
    ----------
    device : str
        Where segments run.
    lines : tuple of LineReport
        One per statement, in order.
    breaks : tuple of BreakPoint
        What splits captured code, in order.
    regions : tuple of RegionReport
        The regions, by id.
    graph : CapturedGraph
        What was captured.
    source : str
        The whole cell or function, where known: comments and blank lines
        show in the annotated source then.
    first_line : int
        Number of the first line of `source`.
    timing : Timing or None
        What was measured for the timing view.
    gradients : GradientReport or None
        The gradients, when it is the report of a cell with ``--grad`` or of a derivative.

    Examples
    --------
    >>> line = LineReport(2, 2, "y = x * 2", "compiled", region=0)
    >>> report = ReportData(lines=(line,), regions=(RegionReport(0, (2, 2), "inductor"),))
    >>> report.summary
    '1 of 1 line compiled · no break points · inductor, cpu'
    >>> ReportData.from_dict(report.to_dict()) == report
    True
    """

    device: str = "cpu"
    lines: tuple[LineReport, ...] = ()
    breaks: tuple[BreakPoint, ...] = ()
    regions: tuple[RegionReport, ...] = ()
    graph: CapturedGraph = field(default_factory=CapturedGraph)
    source: str = ""
    first_line: int = 1
    timing: Timing | None = None
    gradients: GradientReport | None = None

    @property
    def summary(self) -> str:
        """The run in one line."""
        return summarise(
            device=self.device,
            statuses=[line.status for line in self.lines],
            reasons=[line.reason for line in self.lines if line.status == "host"]
            + [point.reason for point in self.breaks],
            breaks=len(self.breaks),
            tiers=[region.tier for region in self.regions],
            notes=[region.note for region in self.regions],
            speed=self.speed,
            not_run=sum(line.reason == NOT_RUN for line in self.lines),
        )

    @property
    def speed(self) -> float | None:
        """How many times as fast as NumPy the compiled regions ran, where both were timed."""
        timed = [
            (numpy_us, compiled_us)
            for region in self.regions
            if region.tier != "numpy"
            and (numpy_us := region.timings.get("numpy_us"))
            and (compiled_us := region.timings.get("compiled_us"))
        ]
        if not timed:
            return None
        return sum(numpy_us for numpy_us, _ in timed) / sum(compiled for _, compiled in timed)

    def to_dict(self, *, graphs: bool = True) -> dict[str, Any]:
        """Write the report as JSON data; the schema stands in the module's docstring.

        Parameters
        ----------
        graphs : bool
            False leaves out ``"graph"``, which can be large.
        """
        data: dict[str, Any] = {
            "schema": SCHEMA_VERSION,
            "device": self.device,
            "summary": self.summary,
            "source": self.source,
            "first_line": self.first_line,
            "lines": [_line_to_dict(line) for line in self.lines],
            "breaks": [_break_to_dict(point) for point in self.breaks],
            "regions": [region_to_dict(region) for region in self.regions],
        }
        if self.timing is not None:
            data["timing"] = self.timing.to_dict()
        if self.gradients is not None:
            data["gradients"] = self.gradients.to_dict()
        if graphs:
            data["graph"] = {
                level: [serial.to_json(graph) for graph in self.graph.level(level)]
                for level in get_args(Level)
            }
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild a report from what `to_dict` wrote.

        Raises
        ------
        ValueError
            If the data is of another version, or no report.
        """
        version = data.get("schema")
        if version != SCHEMA_VERSION:
            raise ValueError(
                f"report of schema {version!r}: this version reads schema {SCHEMA_VERSION}"
            )
        graph = data.get("graph", {})
        try:
            return cls(
                device=data["device"],
                lines=tuple(_line_from_dict(line) for line in data["lines"]),
                breaks=tuple(_break_from_dict(point) for point in data["breaks"]),
                regions=tuple(region_from_dict(region) for region in data["regions"]),
                graph=CapturedGraph(
                    **{
                        level: tuple(serial.from_json(part) for part in graph.get(level, ()))
                        for level in get_args(Level)
                    }
                ),
                source=data.get("source", ""),
                first_line=data.get("first_line", 1),
                timing=Timing.from_dict(data["timing"]) if "timing" in data else None,
                gradients=(
                    GradientReport.from_dict(data["gradients"]) if "gradients" in data else None
                ),
            )
        except (KeyError, TypeError) as error:
            raise ValueError(f"not a report: {error!r}") from error


def _line_to_dict(line: LineReport) -> dict[str, Any]:
    return {
        "line": line.line,
        "end_line": line.end_line,
        "source": line.source,
        "status": line.status,
        "reason": line.reason,
        "hint": line.hint,
        "region": line.region,
        "assigns": [
            {"name": bound.name, "dtype": bound.dtype, "shape": list(bound.shape)}
            for bound in line.assigns
        ],
    }


def _line_from_dict(data: Mapping[str, Any]) -> LineReport:
    status = data["status"]
    if status not in get_args(Status):
        raise ValueError(f"unknown status {status!r}")
    return LineReport(
        line=data["line"],
        end_line=data["end_line"],
        source=data["source"],
        status=status,
        reason=data["reason"],
        hint=data["hint"],
        region=data["region"],
        assigns=tuple(
            Assignment(bound["name"], bound["dtype"], tuple(bound["shape"]))
            for bound in data["assigns"]
        ),
    )


def _break_to_dict(point: BreakPoint) -> dict[str, Any]:
    return {
        "line": point.line,
        "column": point.column,
        "kind": point.kind,
        "reason": point.reason,
        "hint": point.hint,
    }


def _break_from_dict(data: Mapping[str, Any]) -> BreakPoint:
    return BreakPoint(data["line"], data["column"], data["kind"], data["reason"], data["hint"])
