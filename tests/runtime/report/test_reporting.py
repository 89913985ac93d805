"""What a report says of each line, and where it sees break points."""

from __future__ import annotations

import numpy as np

import jupyter_npcompile as npc
from tests.support.loops.native_loops import define

RANKED = """
def f(x):
    def ranked(v):
        order = np.argsort(v)
        edges = np.flatnonzero(v[order] > 0)
        return np.cumsum(edges) + len(edges)
    def shifted(v):
        return np.sqrt(v * v + 1)
    a = x - x.mean()
    b = ranked(a)
    c = shifted(x) * 2
    for part in shifted(c):
        pass
    return b, c
"""


def test_a_break_point_in_a_nested_function_is_one_where_it_is_called() -> None:
    """Its lines run there: each of them is no break point of its own."""
    compiled = npc.compile(define(RANKED))
    compiled(np.linspace(-1, 1, 50))
    report = npc.last_report()
    assert report is not None
    assert [point.line for point in report.breaks] == [10]
    assert "`np.flatnonzero`" in report.breaks[0].reason
    lines = {line.line: line for line in report.lines}
    for inner in (4, 5, 6):
        assert lines[inner].status == "host"
        assert lines[inner].reason == "nested function, for which line 10 has the reason"
    assert lines[8].status == lines[11].status == "compiled"
