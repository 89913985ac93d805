"""Marks beside the lines of a cell, from the report saved in its outputs."""

from __future__ import annotations

from typing import get_args

import nbformat
import pytest
from playwright.sync_api import expect

from tests.browser.lab import MIME_TYPE, App, Lab, Mark

pytestmark = pytest.mark.browser

SOURCE = """\
%%npcompile
import numpy as np
x = np.linspace(0, 1, 5)
for i in range(2):
    x = x + i
    print(x.sum())
y = np.unique(x)
"""


def line(number: int, source: str, status: str, reason: str | None = None) -> dict[str, object]:
    return {
        "line": number,
        "end_line": number,
        "source": source,
        "status": status,
        "reason": reason,
        "hint": None,
        "region": None,
        "assigns": [],
    }


REPORT = {
    "schema": 1,
    "device": "cpu",
    "summary": "2 lines compiled",
    "lines": [
        line(2, "import numpy as np", "python", "import"),
        line(3, "x = np.linspace(0, 1, 5)", "compiled"),
        line(4, "for i in range(2):", "python", "control flow"),
        {
            **line(5, "x = x + i", "compiled"),
            "region": 1,
            "assigns": [{"name": "x", "dtype": "float64", "shape": [5]}],
        },
        line(6, "print(x.sum())", "python", "print"),
        line(7, "y = np.unique(x)", "host", "its shape depends on values"),
    ],
    "breaks": [
        {
            "line": 6,
            "column": 4,
            "kind": "call",
            "reason": "<b>print</b> shows a value",
            "hint": "print after the loop",
        }
    ],
    "regions": [
        {
            "id": 1,
            "lines": [5, 5],
            "tier": "inductor",
            "timings": {"numpy_us": 26.0, "compiled_us": 4.0},
            "note": "",
        }
    ],
    "source": SOURCE,
}

MARKS = {
    2: Mark("python", "Plain Python: import"),
    3: Mark("compiled", "Compiled"),
    4: Mark("python", "Plain Python: control flow"),
    5: Mark("compiled", "Compiled"),
    6: Mark(
        "break",
        "Break point: <b>print</b> shows a value\nHint: print after the loop\nPlain Python: print",
    ),
    7: Mark("host", "Stays in NumPy: its shape depends on values"),
}


def reported_cell() -> nbformat.NotebookNode:
    """Return a cell that was run, with its report in the outputs."""
    data = {"text/plain": "2 lines compiled", MIME_TYPE: REPORT}
    return nbformat.v4.new_code_cell(
        SOURCE, execution_count=1, outputs=[nbformat.v4.new_output("display_data", data=data)]
    )


def plain_cell() -> nbformat.NotebookNode:
    return nbformat.v4.new_code_cell("z = 1")


@pytest.mark.parametrize("app", get_args(App))
def test_saved_report_is_drawn(lab: Lab, app: App) -> None:
    lab.write("saved.ipynb", reported_cell(), plain_cell())
    lab.open("saved.ipynb", app)
    assert lab.wait_for_marks(0, len(MARKS)) == MARKS
    lab.screenshot(f"line_marks_{app}")

    # One symbol as assistive technology sees it, not only in the markup.
    symbol = lab.cell(0).get_by_role("img", name="Break point")
    assert symbol.count() == 1
    assert symbol.get_attribute("title") == MARKS[6].label
    lines = lab.lines(0).evaluate_all("lines => lines.map(line => line.className)")
    assert ["jp-npcompile-line" in name for name in lines] == [False, *[True] * 6, False]
    # A cell without a report keeps its width.
    assert lab.cell(1).locator(".jp-npcompile-gutter").count() == 0


def test_marks_follow_edits_and_survive_save_and_reload(lab: Lab) -> None:
    lab.write("edited.ipynb", reported_cell())
    lab.open("edited.ipynb")
    lab.wait_for_marks(0, len(MARKS))
    lab.type_at(0, 5, " * 2")
    lab.type_at(0, 1, "\n# a new line")
    expected = {number + 1: mark for number, mark in MARKS.items() if number != 5}
    assert lab.wait_for_marks(0, len(expected)) == expected

    lab.save()
    assert "# a new line" in lab.saved("edited.ipynb").cells[0].source
    lab.reload()
    assert lab.wait_for_marks(0, len(expected)) == expected


def test_marks_go_with_the_outputs(lab: Lab) -> None:
    cell = reported_cell()
    cell.source = cell.source.replace("%%npcompile", "# the magic is not loaded")
    lab.write("rerun.ipynb", cell)
    lab.open("rerun.ipynb")
    lab.wait_for_marks(0, len(MARKS))
    lab.run_cell(0)
    lab.wait_for_marks(0, 0)
    assert lab.cell(0).locator(".jp-npcompile-gutter").count() == 0


def far_apart() -> list[nbformat.NotebookNode]:
    """Two reported cells with a long stretch of others between them."""
    return [reported_cell(), *(plain_cell() for _ in range(40)), reported_cell()]


@pytest.mark.parametrize("app", get_args(App))
def test_hover_jumps_and_going_stale(windowed: Lab, app: App) -> None:
    lab = windowed
    lab.write("jumps.ipynb", *far_apart())
    lab.open("jumps.ipynb", app)
    lab.wait_for_marks(0, len(MARKS))
    lab.lines(0).nth(4).hover(position={"x": 30, "y": 8})
    tooltip = lab.page.locator(".jp-npcompile-tooltip")
    expect(tooltip).to_contain_text("x: float64[5]")
    expect(tooltip).to_contain_text("inductor · NumPy 26 µs · compiled 4.0 µs · 6.5x")
    lab.screenshot(f"line_marks_hover_{app}")

    def arrives(first: bool) -> None:
        """Wait until the cursor is at the break point of the first or of the last cell."""
        lab.page.wait_for_function(_AT_BREAK, arg=first)

    lab.editor(0).click(position={"x": 5, "y": 5})
    lab.page.keyboard.press("F8")
    arrives(first=True)
    lab.page.keyboard.press("F8")
    arrives(first=False)
    lab.page.keyboard.press("Shift+F8")
    arrives(first=True)
    lab.command("Next Break Point")
    arrives(first=False)
    lab.command("Previous Break Point")
    arrives(first=True)

    stale = lab.cell(0).locator(".jp-npcompile-stale")
    expect(stale).to_have_count(0)
    lab.page.keyboard.press("End")
    lab.page.keyboard.type(" # looked at")
    expect(stale).to_have_count(1)
    lab.screenshot(f"line_marks_stale_{app}")
    for _ in range(3):
        lab.page.keyboard.press("Control+z")
    expect(stale).to_have_count(0)


def test_a_setting_turns_marks_off(lab: Lab) -> None:
    lab.write("off.ipynb", reported_cell())
    lab.set("jupyter-npcompile:line-marks", marks=False)
    try:
        lab.open("off.ipynb")
        lab.page.get_by_text("x = np.linspace").wait_for()
        lab.wait_for_marks(0, 0)
    finally:
        lab.set("jupyter-npcompile:line-marks", marks=True)
    lab.reload()
    lab.wait_for_marks(0, len(MARKS))


_AT_BREAK = """first => {
  const node = window.getSelection()?.anchorNode;
  const line = (node?.parentElement ?? node)?.closest?.('.cm-line') ?? node?.closest?.('.cm-line');
  const prompt = line?.closest('.jp-Cell')?.previousElementSibling;
  return line?.textContent.includes('print(x.sum())') && (prompt === null) === first;
}"""
