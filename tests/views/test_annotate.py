"""Which sign, which types and which notes stand at each source line."""

from __future__ import annotations

from jupyter_npcompile.graph import Assignment, BreakPoint, LineReport, ReportData
from jupyter_npcompile.views.annotate import SIGNS, WORDS, Note, annotate
from tests.support.graph_examples import report


def test_whole_source() -> None:
    rows = annotate(report())
    assert [(row.line, row.mark, row.starts) for row in rows] == [
        (1, "none", False),
        (2, "none", False),
        (3, "compiled", True),
        (4, "python", True),
        (5, "compiled", True),
        (6, "compiled", True),
        (7, "break", True),
        (8, "host", True),
    ]
    assert rows[1].text == "# one explicit step of the heat equation"
    assert rows[2].aside == "v: float64[100]"
    assert rows[3].aside == "control flow"
    assert rows[4].region == 1


def test_reason_of_a_break_is_said_once() -> None:
    rows = annotate(report())
    assert rows[6].notes == (Note("break", 4, "print shows a value", "print after the loop"),)
    assert rows[7].notes == (Note("host", 4, "the caller's array is read-only"),)


def test_without_source() -> None:
    data = ReportData(
        lines=(
            LineReport(2, 3, "y = (x\n     + 1)", "compiled"),
            LineReport(5, 5, "a = x.sum()", "compiled", assigns=(Assignment("a", "float64"),)),
            LineReport(5, 5, "b = 2", "python"),
        )
    )
    assert [(row.line, row.text, row.mark, row.starts) for row in annotate(data)] == [
        (2, "y = (x", "compiled", True),
        (3, "     + 1)", "compiled", False),
        (5, "a = x.sum(); b = 2", "compiled", True),
    ]


def test_first_line() -> None:
    data = ReportData(
        source="def f(x):\n    return x + 1",
        first_line=40,
        lines=(LineReport(41, 41, "return x + 1", "compiled"),),
    )
    assert [(row.line, row.text) for row in annotate(data)] == [
        (40, "def f(x):"),
        (41, "    return x + 1"),
    ]


def test_break_inside_a_statement_of_several_lines() -> None:
    data = ReportData(
        lines=(LineReport(2, 4, "y = f(\n    x.save(),\n)", "host", "saves"),),
        breaks=(BreakPoint(3, 4, "call", "saves a file"),),
    )
    rows = annotate(data)
    assert [(row.mark, row.starts) for row in rows] == [
        ("host", True),
        ("break", True),
        ("host", False),
    ]


def test_no_break_point_is_lost() -> None:
    """Even one whose line is not in the report."""
    lost = BreakPoint(9, 3, "call", "nowhere")
    (row,) = annotate(ReportData(breaks=(lost,)))
    assert row.notes[0].reason == "nowhere"
    rows = annotate(ReportData(lines=(LineReport(2, 2, "x", "python"),), breaks=(lost,)))
    assert [note.reason for row in rows for note in row.notes] == ["nowhere"]


def test_signs_differ_without_colour() -> None:
    assert len(set(SIGNS.values())) == len(SIGNS)
    assert set(SIGNS) == set(WORDS)
