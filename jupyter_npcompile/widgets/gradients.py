"""Gradients, to look around in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from traitlets import Dict, List, TraitError, Unicode, validate

from jupyter_npcompile.graph.gradients import GradientReport
from jupyter_npcompile.graph.report import ReportData
from jupyter_npcompile.views.gradients import gradient_bundle
from jupyter_npcompile.widgets.front_end import View

MOST_STEPS = 2000
"""Steps of a history that are kept, the latest."""


class GradientWidget(View):
    """The gradients of a cell or call: pictures, figures, and how they change.

    Parameters
    ----------
    report : Report or GradientReport
        The report of a cell with ``--grad`` (`last_report`), or of a derivative
        (`explain`); or the gradients that it holds.
    history : sequence of GradientReport or dict
        Those before, of the same variables, or only their norms by key.
    **traits
        ``selected``, and what every widget takes, such as ``layout``.

    Attributes
    ----------
    selected : str
        The variable that is shown large, by its key in `variables`.
    gradients : dict
        What is drawn: `GradientReport.to_dict`.
    history : list of dict
        The norm of each gradient, by key, run by run.

    Examples
    --------
    >>> from jupyter_npcompile.graph.gradients import Sample, VariableGradient
    >>> one = VariableGradient("loss", "w", Sample.of([1.0, 2.0]), Sample.of([3.0, 4.0]))
    >>> widget = GradientWidget(GradientReport((one,)))
    >>> widget.update(GradientReport((one,)))
    >>> widget.selected, widget.history
    ('loss/w', [{'loss/w': 5.0}, {'loss/w': 5.0}])
    >>> widget.close()
    """

    gradients = Dict().tag(sync=True)
    history = List(Dict()).tag(sync=True)
    selected = Unicode("").tag(sync=True)

    def __init__(
        self,
        report: GradientReport | ReportData,
        *,
        history: Sequence[GradientReport | Mapping[str, float | None]] = (),
        **traits: Any,
    ) -> None:
        report = self._report = _gradients(report)
        self._keys = report.keys
        traits.setdefault("selected", self._keys[0] if self._keys else "")
        steps = [one.norms() if isinstance(one, GradientReport) else dict(one) for one in history]
        norms = [*steps, report.norms()][-MOST_STEPS:]
        super().__init__(view="gradients", gradients=report.to_dict(), history=norms, **traits)

    @property
    def variables(self) -> tuple[str, ...]:
        """What can be selected: ``output/variable``."""
        return self._keys

    def update(self, report: GradientReport | ReportData) -> None:
        """Show the next run: its gradients now, and one step more of the history."""
        report = self._report = _gradients(report)
        self._keys = report.keys
        with self.hold_sync():
            self.gradients = report.to_dict()
            self.history = [*self.history, report.norms()][-MOST_STEPS:]
            if self.selected not in self._keys:
                self.selected = self._keys[0] if self._keys else ""

    @validate("selected")
    def _known(self, proposal: Any) -> str:
        key: str = proposal["value"]
        if key and key not in self._keys:
            raise TraitError(f"no gradient {key!r}: there is {', '.join(self._keys)}")
        return key

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The widget, and the static view for front ends that show no widgets."""
        live = super()._repr_mimebundle_(**kwargs)
        if live is None:
            return None
        data, metadata = live
        return {**data, **gradient_bundle(self._report)}, metadata


def _gradients(report: GradientReport | ReportData) -> GradientReport:
    """What is drawn of a report."""
    if isinstance(report, GradientReport):
        return report
    if report.gradients is None:
        raise ValueError(
            "this report holds no gradients: take last_report() after a cell with --grad, or "
            "explain(grad(f), x)"
        )
    return report.gradients
