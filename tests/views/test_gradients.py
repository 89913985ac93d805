"""The gradient view: what its picture says, and that all of it can be read."""

from __future__ import annotations

import re

import numpy as np

from jupyter_npcompile.graph.gradients import GradientReport, Sample, VariableGradient
from jupyter_npcompile.views.gradients import LABEL, gradient_svg, gradient_text

CHARACTER = 6.7
"""Width of a monospaced character at the size of the picture."""


def report() -> GradientReport:
    wide = Sample.of(np.linspace(-1.17512345, 1e-10, 10_000).reshape(100, 100))
    odd = Sample.of(np.array([np.nan, 0.0, -3.25e-100]))
    return GradientReport(
        (VariableGradient("total", "w", wide, wide), VariableGradient("total", "v", odd, odd))
    )


def texts(svg: str) -> list[tuple[float, str]]:
    return [(float(x), text) for x, text in re.findall(r'<text x="(\d+)"[^>]*>([^<]*)<', svg)]


def test_no_figure_is_cut_off() -> None:
    found = report()
    said = " ".join(text for _, text in texts(gradient_svg(found)))
    for line in gradient_text(found).splitlines()[1:]:
        for phrase in line.split(", "):
            assert phrase.split("  ")[-1] in said


def test_figures_end_before_the_maps_and_maps_within_the_picture() -> None:
    svg = gradient_svg(report())
    for x, text in texts(svg):
        if text.startswith(("float", "from", "d ")) or "zero" in text:
            assert x + CHARACTER * len(text) < LABEL, text
    found = re.search(r'<svg [^>]*width="(\d+)"', svg)
    assert found is not None
    ends = [int(x) + int(w) for x, w in re.findall(r'<rect x="(\d+)"[^>]* width="(\d+)"', svg)]
    assert max(ends) <= int(found.group(1))


def test_a_long_title_stands_above_the_maps() -> None:
    values = Sample.of(np.eye(3))
    one = VariableGradient("(d network / d p['scale'])", "p['scale']", values, values)
    svg = gradient_svg(GradientReport((one,), note="one thing; another"))
    (title,) = (text for _, text in texts(svg) if text.startswith("d (d"))
    baseline = int(next(iter(re.findall(rf'y="(\d+)"[^>]*>{re.escape(title)}<', svg))))
    assert all(int(y) > baseline for y in re.findall(r'<rect x="\d+" y="(\d+)"', svg))
    assert {"one thing", "another"} <= {text for _, text in texts(svg)}
