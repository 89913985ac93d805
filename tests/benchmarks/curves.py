"""The first calls together as a picture: curves, and when each tool is ahead of NumPy."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from tests.benchmarks.early import COUNTS, SIZES, Early, label_of
from tests.benchmarks.picture import COLOURS

STEPS = (1, 2, 3, 4, 5, 7, 10, 14, 20, 30)
"""Numbers of calls of which the curves know."""


def draw(early: Early, path: Path) -> None:
    """Write an SVG picture.

    On the left, how many times as fast as NumPy's so many calls together are: geometric means.
    On the right, in how many programs a tool is ahead of NumPy for good after so many calls.
    """
    figure = Figure(figsize=(11, 4.2), layout="constrained")
    curves, bars = figure.subplots(1, 2)
    width = 0.8 / max(len(early.tools), 1)
    for place, tool in enumerate(early.tools):
        colour, again = COLOURS[tool.split(" ")[0]], " " in tool
        style = {"color": colour, "alpha": 0.55 if again else 1.0}
        means = [early.mean(tool, count) for count in STEPS]
        dashes = "--" if again else "-"
        curves.plot(STEPS, means, dashes, marker="o", label=label_of(tool), **style)
        heights = [100 * early.share_ahead(tool, count) for count in COUNTS]
        where = [k + width * (place + 0.5) - 0.4 for k in range(len(COUNTS))]
        bars.bar(where, heights, width, label=label_of(tool), **style)
    curves.axhline(1.0, color="#444", linewidth=1)
    curves.set(
        xscale="log", yscale="log", xlabel="calls", ylabel="times as fast as NumPy, together"
    )
    curves.set_xticks(COUNTS, [str(count) for count in COUNTS])
    curves.minorticks_off()
    bars.set_xticks(range(len(COUNTS)), [str(count) for count in COUNTS])
    bars.set(xlabel="calls", ylabel="% of programs ahead of NumPy", ylim=(0, 100))
    for axes in (curves, bars):
        axes.legend(frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle(
        f"The first calls together ({' and '.join(SIZES)} sizes, compile times included)"
    )
    with mpl.rc_context({"svg.hashsalt": "npcompile"}):
        figure.savefig(path, format="svg", metadata={"Date": None})
