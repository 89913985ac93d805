"""Sanitised pages show our text form, other pages the rich one, and both leave others alone."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbconvert import HTMLExporter, SlidesExporter
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output

from jupyter_npcompile.graph.fixes import Declined, Fix, FixesData
from jupyter_npcompile.runtime.progress import Progress
from jupyter_npcompile.views import Report, mime_bundle
from jupyter_npcompile.views.comparison import comparison_html, comparison_text
from jupyter_npcompile.views.fixes import fixes_bundle
from jupyter_npcompile.views.gradients import gradient_bundle
from jupyter_npcompile.views.progress import progress_html, progress_text
from tests.support.graph_examples import hostile_report, report, timed
from tests.support.paths import CHECKOUT
from tests.views.test_comparison import FOUND
from tests.views.test_gradients import report as gradients

WIDGET = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"
SANITISER = "nbconvert.preprocessors.sanitize.SanitizeHTML"
WAYS: dict[str, dict[str, Any]] = {
    "option": {"sanitize_html": True},
    "preprocessor": {"preprocessors": [SANITISER]},
    "both": {"sanitize_html": True, "preprocessors": [SANITISER]},
}
FIXES = FixesData(
    "x = 1\nprint(x)",
    (Fix(2, "print later", "x = 1\nprint(x)", "x = 1\nlater = x", "captured <b>whole</b>"),),
    (Declined(2, "no print", "it is read"),),
    breaks=1,
)
OVER = Progress("", 1.0, 2.0, 0.0, over=True)
VIEWS: dict[str, dict[str, Any]] = {
    "report": mime_bundle(report()),
    "opened": mime_bundle(report(), opened=True),
    "empty": mime_bundle(Report()),
    "timing": mime_bundle(timed()),
    "hostile": mime_bundle(hostile_report()),
    "explained": Report.of(report())._repr_mimebundle_(),
    "fixes": fixes_bundle(FIXES),
    "comparison": {"text/plain": comparison_text(FOUND), "text/html": comparison_html(FOUND)},
    "gradients": dict(gradient_bundle(gradients())),
    **{
        f"progress {shown.elapsed}": {
            "text/plain": progress_text(shown),
            "text/html": progress_html(shown),
        }
        for shown in (Progress("C++", 0.5, 3.0, 1.9), Progress("", 0.0, 1.0, 0.0), OVER)
    },
}


@pytest.fixture(autouse=True)
def _templates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of this checkout, whatever is installed."""
    monkeypatch.setenv("JUPYTER_PATH", str(CHECKOUT / "share" / "jupyter"))


def notebook(*bundles: dict[str, Any]) -> NotebookNode:
    """Each is displayed, and is the value of a cell, as a front end saves them."""
    shown = [new_output("display_data", data=data) for data in bundles]
    results = [new_output("execute_result", data=data, execution_count=1) for data in bundles]
    cells = [new_code_cell("%%npcompile", outputs=shown, execution_count=1)]
    cells += [new_code_cell("x", outputs=[result], execution_count=1) for result in results]
    book = new_notebook(cells=cells)
    nbformat.validate(book)
    return book


def exported(
    book: NotebookNode, exporter: type[HTMLExporter] = HTMLExporter, **options: Any
) -> str:
    # Without a name nbconvert 7.16.0 finds no state of widgets.
    page, _ = exporter(**options).from_notebook_node(book, {"metadata": {"name": "book"}})
    return str(page)


def is_rich(page: str) -> bool:
    return 'class="npcompile-' in page


@pytest.mark.parametrize("template", ["lab", "classic", "basic"])
@pytest.mark.parametrize("way", WAYS)
def test_a_sanitised_page_shows_text(way: str, template: str) -> None:
    page = exported(notebook(*VIEWS.values()), template_name=template, **WAYS[way])
    assert not is_rich(page)
    found = Counter(pre.get_text() for pre in BeautifulSoup(page, "html.parser").select("pre"))
    wanted = Counter(2 * [data["text/plain"] for data in VIEWS.values()])
    assert wanted - found == Counter()
    assert ".npcompile-" not in page
    assert not re.search("&lt;(div|style|svg|small|progress)", page)


def test_slides_show_text_too() -> None:
    page = exported(notebook(*VIEWS.values()), SlidesExporter, sanitize_html=True)
    assert not is_rich(page)
    assert ".npcompile-" not in page


@pytest.mark.parametrize("template", ["lab", "classic"])
def test_other_pages_keep_the_rich_form(template: str) -> None:
    page = exported(notebook(*VIEWS.values()), template_name=template)
    opening = {data["text/html"].partition(">")[0] for data in VIEWS.values()}
    assert sum(page.count(start) for start in opening) == 2 * len(VIEWS)
    assert page.count("<svg") >= 8
    assert "&lt;style" not in page


def test_a_saved_widget_is_text() -> None:
    """Its scripts are none that a sanitised page should have."""
    view = {WIDGET: {"version_major": 2, "version_minor": 0, "model_id": "m"}}
    book = notebook({**VIEWS["report"], **view})
    book.metadata["widgets"] = {STATE: {"version_major": 2, "version_minor": 0, "state": {"m": {}}}}
    script = f'<script type="{WIDGET}">'
    assert script in exported(book)
    page = exported(book, sanitize_html=True)
    assert script not in page
    assert VIEWS["report"]["text/plain"].splitlines()[0] in page


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "data",
    [
        {"text/html": "<b>theirs</b><script>ran()</script>", "text/plain": "their text"},
        {"text/html": "<b>.npcompile-theirs</b><script>ran()</script>", "text/plain": "their text"},
        {"text/html": '<b class="npcompile-report">theirs</b><script>ran()</script>'},
    ],
    ids=["others", "about us", "without text"],
)
def test_other_html_is_sanitised_as_before(data: dict[str, Any], way: str) -> None:
    page = exported(notebook(data), **WAYS[way])
    assert page.count("theirs</b>") == 2
    assert len(re.findall("lt;script&(?:amp;)?gt;ran", page)) == 2
    assert "<script>ran" not in page
    assert "their text" not in page


@pytest.mark.parametrize("name", ["03_why_did_it_stop", "05_gradients_of_numpy"])
def test_a_notebook_that_was_saved(name: str) -> None:
    book = nbformat.read(CHECKOUT / "notebooks" / f"{name}.ipynb", as_version=4)
    assert is_rich(exported(book))
    page = exported(book, sanitize_html=True)
    assert not is_rich(page)
    assert ".npcompile-" not in page
    assert not re.search("&lt;(div|style|svg|small|progress)", page)
