"""A notebook from somebody else: nothing of it runs, and its static form is shown."""

from __future__ import annotations

from typing import get_args

import nbformat
import pytest
from playwright.sync_api import expect

from jupyter_npcompile.graph.fixes import Fix, FixesData
from jupyter_npcompile.views.fixes import fixes_bundle
from tests.browser.lab import MIME_TYPE, App, Lab
from tests.browser.test_line_marks import REPORT, line

pytestmark = pytest.mark.browser

WIDGET = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"
# (Notebook 7 loads modules of saved widgets, trusted or not; it shows none.)
MODULE = "export default { render() { window.ran = 'widget'; } }"
HOSTILE = "<img src='data:,' onerror=\"window.ran = 'html'\"><script>window.ran = 'script'</script>"


def notebook() -> tuple[list[nbformat.NotebookNode], dict[str, object]]:
    """A notebook with all that we ever show, made by somebody who wants to run code."""
    fix = Fix(2, HOSTILE, f"x = 1\n# {HOSTILE}", f"x = 2\n# {HOSTILE}", HOSTILE, (HOSTILE,))
    offered = fixes_bundle(FixesData(fix.old, (fix,), breaks=1))
    widget = {
        "text/plain": "a graph",
        "text/html": f"<p class=static>the static graph {HOSTILE}</p>",
        WIDGET: {"version_major": 2, "version_minor": 0, "model_id": "m"},
    }
    outputs = [nbformat.v4.new_output("display_data", data=data) for data in (offered, widget)]
    model = {
        "model_name": "AnyModel",
        "model_module": "anywidget",
        "model_module_version": "*",
        "state": {"_esm": MODULE, "_anywidget_id": "x", "_view_name": "AnyView"},
    }
    state = {STATE: {"version_major": 2, "version_minor": 0, "state": {"m": model}}}
    cell = nbformat.v4.new_code_cell(fix.old, execution_count=1, outputs=outputs)
    return [cell], {"widgets": state}


@pytest.mark.parametrize("app", get_args(App))
def test_it_is_shown_and_does_not_run(lab: Lab, app: App) -> None:
    cells, metadata = notebook()
    lab.write("untrusted.ipynb", *cells, **metadata)
    lab.open("untrusted.ipynb", app)
    outputs = lab.cell(0).locator(".jp-OutputArea-output")
    expect(outputs.nth(0)).to_contain_text("1 fix for 1 break point")
    assert "+x = 2" in outputs.nth(0).inner_text().splitlines()
    expect(outputs.nth(1)).to_contain_text("the static graph")
    assert lab.cell(0).get_by_role("button", name="Apply").count() == 0
    lab.page.wait_for_load_state("networkidle")
    assert lab.page.evaluate("() => window.ran ?? null") is None
    lab.screenshot(f"untrusted-{app}")


@pytest.mark.parametrize("app", get_args(App))
def test_no_fixes_are_looked_for(lab: Lab, app: App) -> None:
    """Nor is the kernel asked: the text of a break point is all that there is."""
    report = {**REPORT, "lines": [line(1, "print(1)", "python", "print")], "source": "print(1)"}
    report["breaks"] = [{"line": 1, "column": 0, "kind": "call", "reason": "it prints"}]
    outputs = [nbformat.v4.new_output("display_data", data={MIME_TYPE: report})]
    cell = nbformat.v4.new_code_cell("print(1)", execution_count=1, outputs=outputs)
    lab.write("hostile.ipynb", cell)
    lab.open("hostile.ipynb", app)
    lab.wait_for_marks(0, 1)
    lab.lines(0).nth(0).hover(position={"x": 20, "y": 8})
    expect(lab.page.get_by_role("tooltip")).to_contain_text("it prints")
    lab.page.wait_for_timeout(1000)
    assert lab.page.get_by_role("button", name="Look for fixes").count() == 0
