"""Gradients, to look around in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from traitlets import Dict, List, TraitError, Unicode, validate

from jupyter_npcompile.graph.gradients import GradientReport
from jupyter_npcompile.views.gradients import gradient_bundle
from jupyter_npcompile.widgets.front_end import View

MOST_STEPS = 2000
"""Steps of a history that are kept, the latest."""


class GradientWidget(View):
    """The gradients of a cell or call: pictures, figures, and how they change.

    Parameters
    ----------
    report : GradientReport
        The latest gradients.
    history : sequence of GradientReport
        Those before, of the same variables.
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
        self, report: GradientReport, *, history: Sequence[GradientReport] = (), **traits: Any
    ) -> None:
        self._report = report
        self._keys = keys(report)
        traits.setdefault("selected", self._keys[0] if self._keys else "")
        norms = [_norms(one) for one in (*history, report)][-MOST_STEPS:]
        super().__init__(view="gradients", gradients=report.to_dict(), history=norms, **traits)

    @property
    def variables(self) -> tuple[str, ...]:
        """What can be selected: ``output/variable``."""
        return self._keys

    def update(self, report: GradientReport) -> None:
        """Show the next run: its gradients now, and one step more of the history."""
        self._report, self._keys = report, keys(report)
        with self.hold_sync():
            self.gradients = report.to_dict()
            self.history = [*self.history, _norms(report)][-MOST_STEPS:]
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


def keys(report: GradientReport) -> tuple[str, ...]:
    """Names of the gradients of a report."""
    return tuple(f"{one.output}/{one.name}" for one in report.variables)


def _norms(report: GradientReport) -> dict[str, float | None]:
    """The norms; none where something is not finite."""
    return {
        key: None if one.gradient.nonfinite else one.gradient.norm
        for key, one in zip(keys(report), report.variables, strict=True)
    }
