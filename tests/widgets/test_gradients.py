"""The gradient widget: pictures, figures, history."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
import pytest
from ipywidgets import VBox, Widget
from traitlets import TraitError

import jupyter_npcompile as npc
from jupyter_npcompile.graph.gradients import BINS, GradientReport, Sample, VariableGradient
from jupyter_npcompile.widgets import GradientWidget
from tests.magic.test_magic import Shell
from tests.support.graph_examples import HOSTILE


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    Widget.close_all()


def gradients(scale: float, name: str = "w") -> GradientReport:
    rng = np.random.default_rng(3)
    value = rng.normal(size=(30, 40))
    return GradientReport(
        (
            VariableGradient("loss", name, Sample.of(value), Sample.of(value * scale)),
            VariableGradient("loss", "b", Sample.of(1.0), Sample.of(scale)),
        ),
        check="agrees",
    )


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8"])
def test_histograms_count_like_numpy(dtype: str) -> None:
    values = (np.random.default_rng(5).normal(size=500) * 30).astype(dtype)
    sample = Sample.of(values)
    assert len(sample.histogram) == BINS
    assert sum(sample.histogram) == 500
    expected, _ = np.histogram(values.astype(float), BINS)
    # What lies on the edge of two parts may be counted in either.
    assert np.abs(np.array(sample.histogram) - expected).sum() <= 2


@pytest.mark.parametrize(
    "values", [[], [2.0], [2.0, 2.0], [1.0, np.nextafter(1.0, 2.0)], [-1.7e308, 1.7e308], [np.nan]]
)
def test_no_histogram_without_room_for_parts(values: list[float]) -> None:
    assert Sample.of(np.array(values)).histogram == ()


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_norms_of_very_large_and_small_gradients(scale: float) -> None:
    assert Sample.of(np.array([3.0, -4.0]) * scale).norm == pytest.approx(5 * scale, rel=1e-12)


def test_reports_of_before_are_read() -> None:
    data = gradients(2.0).to_dict()
    assert GradientReport.from_dict(json.loads(json.dumps(data))) == gradients(2.0)
    for variable in data["variables"]:
        del variable["value"]["histogram"], variable["gradient"]["histogram"]
    assert GradientReport.from_dict(data).variables[0].value.histogram == ()


def test_a_training_loop_has_a_history() -> None:
    widget = GradientWidget(gradients(8.0))
    assert VBox([widget]).children == (widget,)
    for scale in (4.0, 2.0, np.nan):
        widget.update(gradients(scale))
    norms = [step["loss/b"] for step in widget.history]
    assert norms == [8.0, 4.0, 2.0, None]
    assert widget.variables == ("loss/w", "loss/b")
    json.dumps(widget.get_state(["gradients", "history"]), allow_nan=False)
    with pytest.raises(TraitError, match="no gradient"):
        widget.selected = "loss/x"


def test_static_form_and_hostile_names() -> None:
    data, _ = GradientWidget(gradients(1.0, HOSTILE))._repr_mimebundle_()
    assert "<script" not in data["text/html"]
    assert "<svg" in data["text/html"]


def test_the_magic_remembers_runs_of_a_cell(capsys: pytest.CaptureFixture[str]) -> None:
    shell = Shell()
    try:
        shell.run("%npcompile grad")
        assert "nothing has been differentiated" in capsys.readouterr().out
        shell.ip.user_ns["w"] = np.array([1.0, 2.0])
        for _ in range(3):
            shell.run("%%npcompile --grad s --wrt w --quiet\ns = np.sum(w ** 2)\nw -= 0.5")
        shell.run("%npcompile grad")
        assert "gradient of s" in capsys.readouterr().out
        magics = shell.ip.magics_manager.registry["NpcompileMagics"]
        norms = [one.variables[0].gradient.norm for one in magics.session.gradients.reports]
        assert norms == [2 * np.hypot(1 - k, 2 - k) for k in (0, 0.5, 1)]
    finally:
        shell.ip.run_line_magic("unload_ext", "jupyter_npcompile")


def test_a_report_holds_what_is_drawn() -> None:
    def loss(w: np.ndarray, b: float) -> float:
        return float(np.sum(np.tanh(w)) * 0) if b < 0 else np.sum(w * w) * b

    report = npc.explain(npc.grad(loss, (0, 1)), np.array([3.0, 4.0]), 1.0)
    widget = GradientWidget(report)
    assert widget.variables == ("loss/w", "loss/b")
    assert [step["loss/w"] for step in widget.history] == [10.0]
    widget.update(npc.explain(npc.grad(loss, (0, 1)), np.array([3.0, 4.0]), 2.0))
    assert [step["loss/w"] for step in widget.history] == [10.0, 20.0]
    assert type(report).from_dict(report.to_dict()).gradients == report.gradients
    with pytest.raises(ValueError, match="last_report"):
        GradientWidget(npc.explain(np.sin, np.ones(3)))


def test_a_cell_hands_them_out_too() -> None:
    shell = Shell()
    shell.ip.user_ns["w"] = np.array([3.0, 4.0])
    assert shell.run("%%npcompile --grad s --wrt w --quiet\ns = np.sum(w * w)") is None
    report = npc.last_report()
    assert report is not None
    assert GradientWidget(report).selected == "s/w"
    shell.ip.run_line_magic("unload_ext", "jupyter_npcompile")
