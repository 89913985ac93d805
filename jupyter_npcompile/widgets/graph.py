"""The captured graph, to look around in."""

from __future__ import annotations

from typing import Any

from traitlets import Dict, List, TraitError, Unicode, validate

from jupyter_npcompile.graph.outline import initially_open, outline
from jupyter_npcompile.graph.report import ReportData
from jupyter_npcompile.views.bundle import mime_bundle
from jupyter_npcompile.widgets.front_end import View


class GraphWidget(View):
    """The graph of a report: levels, groups that open and close, break points.

    Parameters
    ----------
    report : ReportData
        What one run showed.
    **traits
        ``level``, ``selected``, ``expanded``, and what every widget takes,
        such as ``layout``.

    Attributes
    ----------
    level : str
        The level that is shown: ``"numpy"``, ``"aten"``, ``"backward"`` or ``"kernels"``, as
        far as they are there, or ``"timing"``.
    selected : str
        Id of the operation or break point that is selected, or ``""``.
    expanded : list of str
        Ids of the groups that are open. At first, as many as a glance takes in.
    graph : dict
        What is drawn: see `jupyter_npcompile.graph.outline`.

    Examples
    --------
    >>> widget = GraphWidget(ReportData())
    >>> widget.level, widget.selected, widget.expanded
    ('numpy', '', [])
    >>> widget.close()
    """

    graph = Dict().tag(sync=True)
    level = Unicode("numpy").tag(sync=True)
    selected = Unicode("").tag(sync=True)
    expanded = List(Unicode()).tag(sync=True)

    def __init__(self, report: ReportData, **traits: Any) -> None:
        data = outline(report)
        traits.setdefault("expanded", initially_open(data))
        self._report = report
        self._ids = {
            entry["id"]
            for level in data["levels"]
            for part in ("groups", "boxes")
            for entry in level[part]
        }
        super().__init__(view="graph", graph=data, **traits)

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels there are, and ``"timing"`` where times are known."""
        known = tuple(level["key"] for level in self.graph["levels"]) or ("numpy",)
        return (*known, "timing") if "timing" in self.graph else known

    @property
    def nodes(self) -> tuple[str, ...]:
        """What can be selected: ids of operations, inputs, outputs and break points."""
        return tuple(
            entry["id"]
            for level in self.graph["levels"]
            if level["key"] == self.level
            for entry in (
                *level["boxes"],
                *(group for group in level["groups"] if group["kind"] == "break"),
            )
        )

    @validate("level")
    def _known_level(self, proposal: Any) -> str:
        level: str = proposal["value"]
        if level not in self.levels:
            raise TraitError(f"level {level!r}: there is {', '.join(map(repr, self.levels))}")
        return level

    @validate("selected")
    def _known_id(self, proposal: Any) -> str:
        id: str = proposal["value"]
        if id and id not in self._ids:
            raise TraitError(f"nothing in this graph has the id {id!r}")
        return id

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The widget, and for front ends that show none the static report, opened."""
        live = super()._repr_mimebundle_(**kwargs)
        if live is None:
            return None
        data, metadata = live
        static = mime_bundle(self._report, opened=True)
        return {**data, **{kind: static[kind] for kind in ("text/plain", "text/html")}}, metadata
