"""The graph widget in a real kernel: open, look around, in both themes."""

from __future__ import annotations

import nbformat
import pytest
from playwright.sync_api import expect

from tests.browser.lab import AXE, Lab

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# (The tier before the extension: so no compile worker is started, which nothing here needs.)
SETUP = """import numpy as np, jupyter_npcompile as npc
npc.settings.tier = "aten"
%load_ext jupyter_npcompile
from ipywidgets import VBox
from jupyter_npcompile.graph import CapturedGraph, ReportData
from jupyter_npcompile.widgets import GraphWidget
from tests.support.graph_examples import chain, hostile_report"""
CELL = """%%npcompile --ahead
x = np.linspace(0, 1, 2_000)
for step in range(3):
    s = np.sin(x) ** 2
    x = 0.5 * (x + s)
    print("step", step)
    x[1:-1] += 0.1 * (x[2:] - 2 * x[1:-1] + x[:-2])
total = x.sum()"""
OPEN = "w = GraphWidget(npc.last_report()); VBox([w])"
HOSTILE = "GraphWidget(hostile_report())"
LARGE = """for count, lines in ((1_000, 100), (10_000, 900)):
    graph = CapturedGraph((chain(count, lines),))
    display(GraphWidget(ReportData(graph=graph)))"""

MOST_DRAWN = 200
"""Boxes that a graph of any size begins with: what is drawn takes the time."""


def test_a_graph_is_opened_and_walked_through(lab: Lab) -> None:
    lab.write(
        "graph.ipynb", *map(nbformat.v4.new_code_cell, [SETUP, CELL, OPEN, "w.selected", HOSTILE])
    )
    lab.open("graph.ipynb")
    for number in range(3):
        lab.run_cell(number)
    widget = lab.cell(2).locator(".npcg")
    svg = widget.locator(".npcg-svg")
    expect(svg).to_be_visible()
    tree = widget.get_by_role("tree")
    gap = tree.get_by_role("treeitem", name="Break point, line 6")
    expect(gap).to_have_count(1)
    expect(tree.get_by_role("treeitem", name="loop, line 3")).to_have_count(1)

    # The other level, and back.
    widget.get_by_role("tab", name="ATen").click()
    expect(tree.get_by_role("treeitem", name="aten.sin.default")).to_have_count(1)
    widget.get_by_role("tab", name="NumPy").click()

    # By keyboard: the first group closes and opens; what it holds can be selected.
    expect(widget.get_by_role("tab", name="NumPy")).to_have_attribute("aria-selected", "true")
    first = tree.locator("[tabindex='0']")
    first.focus()
    before = svg.locator(".npcg-item").count()
    lab.page.keyboard.press("ArrowLeft")
    closed = tree.get_by_role("treeitem", expanded=False)
    expect(closed).to_have_count(1)
    lab.page.keyboard.press("ArrowRight")
    expect(svg.locator(".npcg-item")).to_have_count(before)
    lab.page.keyboard.press("End")
    lab.page.keyboard.press("Enter")
    expect(widget.locator(".npcg-detail")).to_contain_text("total")

    # Search selects, and Python knows.
    widget.get_by_role("searchbox").fill("sin")
    expect(widget.locator(".npcg-count")).to_have_text("1 of 1")
    detail = widget.locator(".npcg-detail")
    expect(detail).to_contain_text("float64[2000] = sin(x)")
    expect(detail).to_contain_text("16.0 kB")
    expect(detail).to_contain_text("2,000 (1 for each element)")
    expect(detail).to_contain_text("part of line")
    lab.run_cell(3)
    chosen = svg.locator(".npcg-selected[data-id]").get_attribute("data-id")
    expect(lab.cell(3).locator(".jp-OutputArea-output")).to_have_text(f"'{chosen}'")

    # A line and what was made of it light up together.
    sin = svg.locator(".npcg-selected[data-id]")
    sin.hover()
    lit = lab.cell(1).locator(".jp-npcompile-lit")
    expect(lit).to_have_text("    s = np.sin(x) ** 2")
    lab.lines(1).nth(4).scroll_into_view_if_needed()
    lab.lines(1).nth(4).hover(position={"x": 40, "y": 8})
    expect(lit).to_have_count(0)
    expect(svg.locator(".npcg-item.npcg-lit")).to_have_count(2)

    # Zoom, export, table.
    wide = svg.bounding_box()
    widget.get_by_role("button", name="Zoom in").click()
    larger = svg.bounding_box()
    assert wide is not None
    assert larger is not None
    assert larger["width"] > 1.2 * wide["width"]
    for name, start in (("SVG", b"<svg"), ("DOT", b"digraph"), ("JSON", b"{"), ("PNG", b"\x89PNG")):
        with lab.page.expect_download() as download:
            widget.get_by_role("combobox", name="Export").select_option(name)
        assert download.value.path().read_bytes().startswith(start)
    widget.get_by_role("button", name="Table").click()
    expect(widget.locator("tbody tr")).not_to_have_count(0)
    expect(widget.get_by_role("row", name="break point")).to_contain_text("print")

    # Strings of the user's are text.
    lab.run_cell(4)
    expect(lab.cell(4).locator(".npcg-svg")).to_be_visible()
    assert lab.cell(4).locator(".npcg script").count() == 0


TIMED = """%%npcompile --ahead
y = np.sin(x)
z = y + 1"""
TIMES = """from dataclasses import replace
from jupyter_npcompile.graph.timing import NodeTime
from tests.support.graph_examples import timed
made = timed()
timing = replace(made.timing, nodes=(NodeTime("kernels", 0, 3, 20.0),))
GraphWidget(replace(npc.last_report(), graph=made.graph, timing=timing), level="timing")"""


def test_kernels_and_times(lab: Lab) -> None:
    """A kernel belongs to several lines; the timing view to lines, too."""
    setup = SETUP + "\nx = np.ones(1000)"
    cells = [setup, TIMED, TIMES, "%npcompile timing", GRAD, "%npcompile graph"]
    lab.write("times.ipynb", *map(nbformat.v4.new_code_cell, cells))
    lab.open("times.ipynb")
    for number in range(len(cells)):
        lab.run_cell(number)
    widget = lab.cell(2).locator(".npcg")
    times = widget.get_by_role("region", name="Timing")
    line = times.get_by_role("row", name="y = np.sin(x)")
    expect(line).to_contain_text("60 µs")
    fused = times.get_by_role("row", name="sin · add")
    for text in ("20 µs", "800 MB/s", "16 µs (80%)"):
        expect(fused).to_contain_text(text)
    lit = lab.cell(1).locator(".jp-npcompile-lit")
    line.hover()
    expect(lit).to_have_text(["y = np.sin(x)"])
    if AXE.exists():
        assert lab.violations(".npcg") == []

    widget.get_by_role("tab", name="Kernels").click()
    kernel = widget.get_by_role("treeitem", name="sin · add(x)")
    kernel.hover()
    expect(lit).to_have_text(["y = np.sin(x)", "z = y + 1"])
    kernel.click()
    detail = widget.locator(".npcg-detail")
    expect(detail).to_contain_text("Computes")
    expect(detail).to_contain_text("16.0 kB")
    expect(detail).to_contain_text("2,000 (the sum of what it computes)")
    expect(detail).to_contain_text("20 µs, by itself")
    expect(detail).to_contain_text("800 MB/s, 80% of the bound")
    lab.lines(1).nth(2).hover(position={"x": 30, "y": 8})
    expect(widget.locator(".npcg-item.npcg-lit")).to_have_count(1)

    # What the kernel measures itself: NumPy's time at each line.
    live = lab.cell(3).locator(".npcg")
    measured = live.get_by_role("region", name="Timing")
    expect(measured.get_by_role("row", name="z = y + 1")).to_contain_text("µs")
    live.get_by_role("tab", name="NumPy").click()
    live.get_by_role("treeitem", name="= sin(x)").click()
    expect(live.locator(".npcg-detail")).to_contain_text("in NumPy, by itself")
    lab.screenshot("graph-details")

    # The way back of a gradient.
    back = lab.cell(5).locator(".npcg")
    back.get_by_role("tab", name="ATen backward").click()
    expect(back.get_by_role("treeitem", name="output d loss / d w")).to_have_count(1)


GRAD = """%%npcompile --grad loss --wrt w --quiet
w = 2.0
loss = np.mean(np.tanh(x * w))"""


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_it_is_accessible_and_draws_little_at_first(lab: Lab, theme: str) -> None:
    name = f"large-{theme[-5:].strip()}.ipynb"
    lab.write(name, *map(nbformat.v4.new_code_cell, [SETUP, CELL, OPEN, LARGE]))
    lab.theme(theme)
    try:
        lab.open(name)
        for number in range(4):
            lab.run_cell(number)
        expect(lab.cell(3).locator(".npcg-svg")).to_have_count(2)
        for drawing in lab.cell(3).locator(".npcg-svg").all():
            assert 0 < drawing.locator(".npcg-item").count() <= MOST_DRAWN
        widget = lab.cell(2).locator(".npcg")
        widget.scroll_into_view_if_needed()
        widget.locator(".npcg-item").nth(3).click()
        lab.screenshot(f"graph-{theme[-5:].strip()}")
        if AXE.exists():
            assert lab.violations(".npcg") == []
            widget.get_by_role("button", name="Table").click()
            assert lab.violations(".npcg") == []
    finally:
        lab.theme("JupyterLab Light")
