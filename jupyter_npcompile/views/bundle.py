"""A report in all its forms at once, as a Jupyter front end wants it."""

from __future__ import annotations

from typing import Any

from jupyter_npcompile.graph.report import ReportData
from jupyter_npcompile.views.html import to_html
from jupyter_npcompile.views.text import to_text

MIME_TYPE = "application/vnd.jupyter-npcompile.v1+json"
"""What the JupyterLab extension reads its marks from."""

GRAPH_LINES = 60
"""Lines of the graph in the text form, which may end up in a saved notebook."""


def mime_bundle(report: ReportData, *, opened: bool = False) -> dict[str, Any]:
    """Bundle text, HTML and JSON of a report.

    The JSON holds no graphs, so that saved notebooks stay small. With `opened`, the HTML
    shows its picture at once.

    Examples
    --------
    >>> sorted(mime_bundle(ReportData()))
    ['application/vnd.jupyter-npcompile.v1+json', 'text/html', 'text/plain']
    """
    return {
        "text/plain": to_text(report, graph_lines=GRAPH_LINES),
        "text/html": to_html(report, opened=opened),
        MIME_TYPE: report.to_dict(graphs=False),
    }
