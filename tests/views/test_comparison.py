"""Comparisons as text and as HTML."""

from __future__ import annotations

import numpy as np

import jupyter_npcompile as npc
from jupyter_npcompile.graph.comparison import ComparisonData, Difference
from jupyter_npcompile.views.comparison import Comparison, comparison_html, comparison_text

FOUND = ComparisonData(
    "cell",
    "aten",
    (
        Difference("value", "y", "1 of 2 values differ", "1", "2", 3, 4, "np.cumsum", 7, 1, 2, (0,),
                   "np.cumsum(np.array([0]))", "array([0]) in NumPy, array([1]) compiled"),
        Difference("value", "z", "3 became 4", "3", "4", 3, 4, "np.cumsum", None, 1, 1, (),
                   "np.cumsum(np.array([0]))", "array([0]) in NumPy, array([1]) compiled"),
        Difference("output", "printed text", "'<b>' became '&'", "<b>", "&"),
    ),
    ("y", "z"),
    arrays=1,
    captured=2,
    lines=3,
    unstable=("t0",),
    notes=("line 5 ran in NumPy",),
)  # fmt: skip


def test_text_has_one_paragraph_per_cause() -> None:
    text = comparison_text(FOUND)
    head = "cell: 3 differences from NumPy · 2 results, 1 array · 2 of 3 lines with NumPy work"
    assert text.startswith(head)
    assert text.count("line 3, column 4: np.cumsum") == 1
    assert text.count("smallest   np.cumsum(np.array([0]))") == 1
    assert "y: 1 of 2 values differ (7 ulp)" in text
    assert "every time: t0" in text
    assert "line 5 ran in NumPy" in text


def test_html_is_a_table_that_escapes_what_it_shows() -> None:
    page = comparison_html(FOUND)
    assert page.count("<tr>") == 4
    assert "<code>np.cumsum(np.array([0]))</code>" in page
    assert "'<b>' became" not in page
    assert "&lt;b&gt;" in page
    assert "<script" not in page


def test_an_object_shows_itself() -> None:
    found = npc.compare(lambda x: x * 2, np.ones(3), tier="aten")
    assert isinstance(found, Comparison)
    assert repr(found).startswith("<lambda>: the same as NumPy")
    assert "✓" in found._repr_html_()
    assert found == npc.compare(lambda x: x * 2, np.ones(3), tier="aten")
