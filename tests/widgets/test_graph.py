"""The graph widget: what it tells Python, and what of it is saved."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator

import ipywidgets
import pytest
from ipywidgets import Widget
from traitlets import TraitError

from jupyter_npcompile.graph import CapturedGraph, ReportData
from jupyter_npcompile.views import live
from jupyter_npcompile.views.report import Report
from jupyter_npcompile.widgets import GraphWidget
from jupyter_npcompile.widgets.front_end import LOADER, bundle, front_end
from tests.magic.test_magic import Shell
from tests.support.graph_examples import chain, hostile_report, report


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    Widget.close_all()


def test_it_composes_with_other_widgets() -> None:
    widget = GraphWidget(report(), layout={"height": "300px"})
    box = ipywidgets.VBox([widget, ipywidgets.Label("below")])
    assert box.children[0] is widget
    seen = []
    widget.observe(lambda change: seen.append(change["new"]), "selected")
    choice = ipywidgets.Dropdown(options=widget.nodes)
    ipywidgets.interactive(lambda id: setattr(widget, "selected", id), id=choice)
    choice.value = widget.nodes[1]
    assert seen[-1] == widget.nodes[1]


def test_traits_are_checked() -> None:
    widget = GraphWidget(report())
    widget.selected = widget.nodes[2]
    with pytest.raises(TraitError, match="nothing in this graph"):
        widget.selected = "nowhere"
    with pytest.raises(TraitError, match="'numpy'"):
        widget.level = "kernels"
    widget.expanded = []
    assert widget.selected == widget.nodes[2]


def test_the_front_end_is_saved_once() -> None:
    first, second = GraphWidget(report()), GraphWidget(report())
    assert first.front_end is second.front_end is front_end()
    state = json.dumps(first.get_state())
    assert bundle()[:200] not in state
    assert len(state) < 20_000
    assert len(LOADER) < 1_000
    saved = Widget.get_manager_state()["state"].values()
    assert sum("npcompile:graph" in json.dumps(model) for model in saved) == 1


def test_a_closed_front_end_is_replaced() -> None:
    GraphWidget(report())
    Widget.close_all()
    assert GraphWidget(report()).front_end.source == bundle()


def test_static_forms_are_beside_the_live_one() -> None:
    data, _ = GraphWidget(report())._repr_mimebundle_()
    assert "<svg" in data["text/html"]
    # Whoever opened the graph sees it: nothing has to be clicked first.
    assert re.findall("<details[^>]*>", data["text/html"])[0] == "<details open>"
    assert data["text/plain"].startswith("3 of 5 lines compiled")
    large = ReportData(graph=CapturedGraph((chain(10_000, 900),)))
    data, _ = GraphWidget(large)._repr_mimebundle_()
    assert len(json.dumps(data)) < 200_000


def test_hostile_reports_make_widgets() -> None:
    assert GraphWidget(hostile_report()).nodes


def test_a_shown_report_is_saved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "is_notebook", lambda: True)
    large = ReportData(graph=CapturedGraph((chain(10_000, 900),)))
    shell = Shell()
    try:
        Report.of(large).show()
        static, widget = shell.shown
    finally:
        shell.ip.run_line_magic("unload_ext", "jupyter_npcompile")
    assert "text/html" in static
    assert "application/vnd.jupyter.widget-view+json" in widget
    assert "text/html" not in widget
    assert len(json.dumps([static, widget])) < 200_000


def test_nothing_live_without_a_notebook(capsys: pytest.CaptureFixture[str]) -> None:
    assert not live.show_graph(report())
    Report.of(report()).show()
    assert "3 of 5 lines compiled" in capsys.readouterr().out
    assert not Widget.get_manager_state()["state"]


def test_the_extension_brings_the_widgets_along() -> None:
    code = (
        "import jupyter_npcompile.magic.extension\n"
        "from jupyter_npcompile.views import live\n"
        "print(*sorted(live.makers))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["gradients", "graph"]
