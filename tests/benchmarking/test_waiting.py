"""First results in turns: when it is clear, what is late, and what the report says."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from tests.benchmarks import promises, waiting
from tests.benchmarks.campaign import Campaign
from tests.benchmarks.children import events
from tests.benchmarks.plans import FULL
from tests.benchmarks.programs import load
from tests.benchmarks.progress import Progress
from tests.benchmarks.tools import NUMPY
from tests.benchmarks.waiting import First, Wait, Waits
from tests.benchmarks.worker import Request


def scripted(ours: list[float], numpy: float = 0.4) -> tuple[waiting.Take, list[str]]:
    """Processes that take so long, one after the other."""
    order: list[str] = []

    def take(tool: str, program: str, size: str) -> First:
        order.append(tool)
        return First(ours[len(order) // 2 - 1] if tool == "ours" else numpy, 0.0)

    return take, order


def test_both_take_turns_until_it_is_clear() -> None:
    take, order = scripted([0.5, 0.42, 0.41])
    wait = waiting.measured("wave", "large", take)
    assert order == ["numpy", "ours"] * waiting.PAIRS["large"]
    assert not wait.is_late  # 0.42 of 0.47
    take, order = scripted([0.46] * waiting.MOST)
    wait = waiting.measured("wave", "large", take)
    assert len(order) == 2 * waiting.MOST
    assert not wait.is_late
    take, order = scripted([0.6, 0.6, 0.4])
    assert waiting.measured("wave", "large", take).is_late


def test_memory_is_not_our_delay() -> None:
    assert not Wait("a", "small", (First(0.1, 0.0),), (First(0.4, 0.3),)).is_late


def test_the_report_says_what_is_late(tmp_path: Path) -> None:
    late = Wait("wave", "large", (First(0.4, 0.0),), (First(0.5, 0.0),))
    fine = Wait("heat", "small", (First(0.001, 0.0),), (First(0.02, 0.0),))
    found = Waits({"processor": "a machine"}, "2026-01-02", (fine, late))
    path = tmp_path / "waiting.json"
    found.write(path)
    assert Waits.read(path) == found
    text = found.section()
    assert "Of 2 first results 1 comes later" in text
    assert text.index("wave") < text.index("heat")
    assert text.count("**late**") == 1
    assert "none comes later" in Waits({}, waits=(fine,)).verdict


def test_what_was_measured_in_turns_counts(tmp_path: Path) -> None:
    from tests.benchmarking.test_report import ok, results, row

    found = results(
        row("a", "numpy", small=ok(1.0, first_s=0.1)), row("a", "ours", small=ok(1.0, first_s=0.9))
    )
    fine = Waits({}, waits=(Wait("a", "small", (First(0.1, 0.0),), (First(0.11, 0.0),)),))
    assert "`a`, small: 900 ms" in promises.section(found)
    text = promises.section(found, fine)
    assert "900 ms" not in text
    assert fine.verdict in text


def test_a_worker_gives_a_first_result_and_ends(tmp_path: Path) -> None:
    request = Request("first", "numpy", "softmax_rows", ["small"])
    said = list(events(request, 1, tmp_path / "cache", FULL.limits, tmp_path / "log.txt"))
    assert [event["event"] for event in said] == ["ready", "first"]
    assert said[1]["seconds"] > 0
    assert said[1]["system"] >= 0


def test_a_program_that_gives_none_is_named(tmp_path: Path) -> None:
    quiet = Campaign(FULL, tmp_path, [load("softmax_rows")], [NUMPY], Progress(io.StringIO()))
    quiet._overhead = lambda tool: None  # type: ignore[method-assign]
    quiet._fill = lambda tool: None  # type: ignore[method-assign]
    quiet._start = lambda *_: [{"event": "error", "seconds": 1.0}]  # type: ignore[method-assign]
    with pytest.raises(RuntimeError, match="softmax_rows at large gives no result in numpy"):
        quiet.turns()
