"""``%%npcompile --grad``: a cell that is followed while it runs."""

from __future__ import annotations

import ast
from collections import deque

from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display

from jupyter_npcompile.autodiff import latest
from jupyter_npcompile.autodiff.cells import GradientCell
from jupyter_npcompile.autodiff.function_reports import report_of_call
from jupyter_npcompile.graph.gradients import GradientReport
from jupyter_npcompile.magic.options import CellOptions
from jupyter_npcompile.runtime import history as runs
from jupyter_npcompile.views.gradients import gradient_bundle

MOST_RUNS = 500
"""Runs of one cell that are remembered."""


def begin_gradient(
    shell: InteractiveShell, tree: ast.Module, source: str, options: CellOptions
) -> GradientCell:
    """Prepare a cell; its tree runs in place of the cell."""
    cell = GradientCell(
        tree, source, options.grad, options.wrt, options.seed, shell.user_ns, options.device
    )
    cell.enter()
    return cell


class GradientHistory:
    """Gradients of the cell that was differentiated last, run by run."""

    def __init__(self) -> None:
        self.reports: deque[GradientReport] = deque(maxlen=MOST_RUNS)
        self._source: object = None

    def add(self, source: object, report: GradientReport) -> None:
        """Note a run; another cell begins a new history."""
        if source != self._source:
            self.reports.clear()
        self._source = source
        self.reports.append(report)
        latest.forget()

    def shown(self) -> tuple[GradientReport, list[dict[str, float | None]]] | None:
        """What there is to look at, of a cell or of the function that was called since.

        Returns
        -------
        (GradientReport, list of dict) or None
            The last run, and the norms of the gradients of those before.

        Raises
        ------
        GradientError
            When the function cannot be run again.
        """
        call = latest.last()
        if call is not None:
            report = report_of_call(call)
            return report, [] if call.norms is None else call.norms.before(report)
        if not self.reports:
            return None
        *before, last = self.reports
        return last, [one.norms() for one in before]


def end_gradient(
    cell: GradientCell, history: GradientHistory, *, quiet: bool, source: object = None
) -> None:
    """The cell is over: keep and show its gradients, if it came to them."""
    cell.leave()
    if cell.report is None:
        return
    history.add(source, cell.report)
    if cell.captured is not None:
        runs.remember(cell.captured)
    if not quiet:
        display(gradient_bundle(cell.report), raw=True)  # type: ignore[no-untyped-call]
