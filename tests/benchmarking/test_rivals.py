"""torch.compile in turns: what is close, what counts, and what the report says."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest

from tests.benchmarking.test_report import ok, results, row
from tests.benchmarks import promises, rivals
from tests.benchmarks.campaign import Campaign
from tests.benchmarks.children import Limits, events
from tests.benchmarks.plans import FULL
from tests.benchmarks.programs import load
from tests.benchmarks.progress import Progress
from tests.benchmarks.results import Results
from tests.benchmarks.rivals import Match, Matches
from tests.benchmarks.timing import summarise
from tests.benchmarks.tools import OURS
from tests.benchmarks.worker import Request


def in_turns(theirs: float, ours: float) -> Matches:
    timing = summarise([(theirs, ours)] * 3, 3 * ours)
    return Matches({"processor": "a machine"}, "2026-01-02", (Match("near", "small", timing),))


def figures(near: float) -> Results:
    """Two programs; ours is twice as fast as NumPy, and torch.compile that fast in one of them."""
    return results(
        row("near", "ours", small=ok(2.0)),
        row("near", "torch", small=ok(near)),
        row("far", "ours", small=ok(2.0), medium=ok(1.0)),
        row("far", "torch", small=ok(0.5), medium=replace(ok(1.0), status="wrong")),
        row("alone", "ours", small=ok(2.0)),
    )


def test_what_is_close() -> None:
    assert rivals.close(figures(near=2.5)) == [("near", "small")]
    assert rivals.close(figures(near=1.9)) == [("near", "small")]
    assert rivals.close(figures(near=1.0)) == []


def test_what_was_measured_in_turns_counts() -> None:
    found = figures(near=2.5)
    assert "`near`, small: 2.00 against 2.50" in promises.section(found)
    assert promises.behind(found, in_turns(theirs=1.0, ours=1.02)) == []
    text = promises.section(found, None, in_turns(theirs=1.0, ours=1.25))
    assert "`near`, small: 0.80 of its speed, in turns" in text
    assert [one.program for one in promises.behind(figures(1.0), in_turns(1.0, 1.25))] == ["near"]


def test_the_report_has_its_figures(tmp_path: Path) -> None:
    found = in_turns(theirs=0.003, ours=0.002)
    found.write(tmp_path / "rivals.json")
    assert Matches.read(tmp_path / "rivals.json") == found
    text = found.section()
    assert text.startswith(rivals.HEADING)
    assert "| near | small | 3 | 3.00 ms | 2.00 ms | 1.50 | 1.50 to 1.50 |" in text


def test_a_worker_times_both(tmp_path: Path) -> None:
    """With NumPy itself in the rival's place, which need not compile."""
    request = Request("match", "numpy", "softmax_rows", ["small"], budget=0.1, settle=0.1)
    said = list(events(request, 1, tmp_path / "cache", Limits(first=300), tmp_path / "log.txt"))
    assert [event["event"] for event in said] == ["ready", "ready", "first", "match"]
    assert said[-1]["timing"]["pairs"] >= 3


def test_a_program_that_cannot_be_timed_is_named(tmp_path: Path) -> None:
    quiet = Campaign(FULL, tmp_path, [load("softmax_rows")], [OURS], Progress(io.StringIO()))
    quiet._overhead = lambda tool: None  # type: ignore[method-assign]
    quiet._fill = lambda tool: None  # type: ignore[method-assign]
    quiet._start = lambda *_: [{"event": "late", "seconds": 1.0}]  # type: ignore[method-assign]
    with pytest.raises(RuntimeError, match="softmax_rows at small cannot be timed in both"):
        quiet.matches([("softmax_rows", "small")])
