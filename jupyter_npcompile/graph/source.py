"""What a report knows of the text it is about: its lines and its loops."""

from __future__ import annotations

import ast

from jupyter_npcompile.graph.report import ReportData


def source_lines(report: ReportData) -> dict[int, str]:
    r"""The text of each line.

    Examples
    --------
    >>> source_lines(ReportData(source="x = 1\ny = x"))
    {1: 'x = 1', 2: 'y = x'}
    """
    found = {entry.line: entry.source.split("\n", 1)[0] for entry in report.lines}
    for line, text in enumerate(report.source.splitlines(), report.first_line):
        found.setdefault(line, text)
    return found


def loops(report: ReportData) -> list[tuple[int, int]]:
    r"""First and last line of every loop, the outer ones first.

    Examples
    --------
    >>> loops(ReportData(source="for i in x:\n    y = i"))
    [(1, 2)]
    """
    text = report.source
    if text.startswith("%%"):
        text = "#" + text
    try:
        # A function stands in its file with its indentation.
        tree = ast.parse(text if not text[:1].isspace() else f"if 1:\n{text}")
    except (SyntaxError, ValueError):
        return []  # such as `%timeit` in the cell: the drawing has no loops then
    shift = report.first_line - 1 - text[:1].isspace()
    found = [
        (node.lineno + shift, (node.end_lineno or node.lineno) + shift)
        for node in ast.walk(tree)
        if isinstance(node, ast.For | ast.While | ast.AsyncFor)
    ]
    return sorted(found, key=lambda span: (span[0], -span[1]))
