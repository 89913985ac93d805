"""The report a user holds: data that knows how to show itself."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields
from typing import Any, Self

from jupyter_npcompile.graph.report import ReportData
from jupyter_npcompile.views import live
from jupyter_npcompile.views.bundle import mime_bundle
from jupyter_npcompile.views.text import to_text


class Report(ReportData):
    """What one run of a cell or function showed.

    Jupyter shows it as annotated source with a picture of the graph, a
    terminal as text; its attributes and `to_dict` are for programs.

    Attributes
    ----------
    lines : tuple of LineReport
        What became of each statement.
    breaks : tuple of BreakPoint
        Where captured code splits, why, and what to do about it.
    regions : tuple of RegionReport
        How the compiled parts run.
    graph : CapturedGraph
        What was captured: ``to_text``, ``to_json``, ``to_dot``.
    device : str
        Where segments run.
    gradients : GradientReport or None
        Of a cell with ``--grad``, or of a derivative that was explained.
    summary : str
        All of it in one line.

    Examples
    --------
    >>> from jupyter_npcompile.graph.report import LineReport
    >>> print(Report(lines=(LineReport(2, 2, "n = 3", "python"),)))
    nothing to compile: no line holds NumPy work
    <BLANKLINE>
    ·  2  n = 3
    <BLANKLINE>
    · Python
    """

    @classmethod
    def of(cls, data: ReportData) -> Self:
        """Make a report of the runtime's data."""
        return cls(**{part.name: getattr(data, part.name) for part in fields(data)})

    def show(self) -> None:
        """Display the report below the cell, or print it where there is no Jupyter.

        In a notebook the graph to look around in stands below the report.
        """
        from IPython.display import display

        display(self)  # type: ignore[no-untyped-call]
        if self.graph.numpy:
            live.show_graph(self, alone=False)

    def __repr__(self) -> str:
        """Write the report as text."""
        return to_text(self)

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, Any]:
        bundle = mime_bundle(self)
        return {
            kind: content
            for kind, content in bundle.items()
            if (not include or kind in include) and not (exclude and kind in exclude)
        }
