"""Segments on a device: copies, errors, and what the report says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.graph.report import ReportData
from jupyter_npcompile.runtime import plan, preparing
from jupyter_npcompile.runtime.device.device import LaunchError
from jupyter_npcompile.runtime.device.standin import MEMORY, StandIn, standin
from jupyter_npcompile.views.html import to_html
from tests.support.session.silent_threads import only_tests_run


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    npc.settings.first_run_check, before = "raise", npc.settings.first_run_check
    with only_tests_run():
        yield
    npc.settings.first_run_check = before
    standin.memory = MEMORY
    standin.faults.clear()


@pytest.fixture
def device() -> StandIn:
    return standin


def scaled(x: Any, k: Any) -> Any:
    x[1:] *= k
    return x + 1


def first_region(report: Any) -> Any:
    assert report is not None
    return report.regions[0]


def test_results_and_written_inputs_come_back() -> None:
    compiled = npc.compile(scaled, device="standin")
    mine, theirs = np.arange(6.0), np.arange(6.0)
    for k in (2.0, 3.0):
        result, expected = compiled(mine, k), scaled(theirs, k)
        assert result.tolist() == expected.tolist()
        assert mine.tolist() == theirs.tolist()
        assert result.flags.owndata
    report = npc.last_report()
    assert report is not None
    assert report.summary.endswith(" · standin")
    assert report.device == "standin"


def test_the_report_says_what_was_copied() -> None:
    compiled = npc.compile(scaled, device="standin")
    x = np.arange(100.0)
    for _ in range(3):
        compiled(x, 2.0)
    report = npc.last_report()
    copies = first_region(report).copies
    assert copies.runs == 3
    assert copies.to_device == 3 * (800 + 8)
    assert copies.to_host == 3 * (800 + 800)
    assert copies.us > 0
    assert set(copies.arrays) == {
        ("x", "to device", 800),
        ("k", "to device", 8),
        ("return", "to host", 800),
        ("x", "to host", 800),
    }
    text = str(report)
    assert "to standin: 808 B (x, k)" in text
    assert "back: 1.6 kB (return, x at the end)" in text
    assert "copying took" in text
    assert report is not None
    data = ReportData.from_dict(report.to_dict())
    assert data.regions[0].copies == copies
    assert "to standin: 808 B" in to_html(data)


def test_a_device_is_a_part_of_the_key() -> None:
    here, there = npc.compile(scaled), npc.compile(scaled, device="standin")
    npc.settings.tier, before = "aten", npc.settings.tier
    try:
        for compiled, tier in ((there, "standin"), (here, "aten"), (there, "standin")):
            compiled(np.arange(6.0), 2.0)
            assert first_region(npc.last_report()).tier == tier
    finally:
        npc.settings.tier = before


def test_the_default_device_is_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "device", "standin")
    npc.compile(scaled)(np.arange(6.0), 2.0)
    assert first_region(npc.last_report()).tier == "standin"
    npc.compile(scaled, device="cpu")(np.arange(6.0), 2.0)
    assert first_region(npc.last_report()).tier != "standin"


def test_what_does_not_fit_runs_on_the_cpu(
    device: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")
    compiled = npc.compile(scaled, device="standin")
    device.memory = 20_000
    mine, theirs = np.arange(1000.0), np.arange(1000.0)
    for _ in range(3):
        assert compiled(mine, 2.0).tolist() == scaled(theirs, 2.0).tolist()
        assert mine.tolist() == theirs.tolist()
    region = first_region(npc.last_report())
    assert region.tier == "aten"
    assert region.copies is None
    assert "the CPU runs it: it needs " in region.note
    assert "of memory on standin, where 20 kB is free" in region.note
    assert region.note.endswith(" too little")
    assert (
        npc.compile(scaled, device="standin")(np.arange(10.0), 2.0).tolist()
        == scaled(np.arange(10.0), 2.0).tolist()
    )
    assert first_region(npc.last_report()).tier == "standin"  # what is smaller does fit


def test_a_failing_launch_leaves_everything_to_numpy(
    device: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")
    compiled = npc.compile(scaled, device="standin")
    compiled(np.arange(6.0), 2.0)
    device.faults.append(LaunchError("standin", "too many threads"))
    mine, theirs = np.arange(6.0), np.arange(6.0)
    for _ in range(2):
        assert compiled(mine, 2.0).tolist() == scaled(theirs, 2.0).tolist()
        assert mine.tolist() == theirs.tolist()
        region = first_region(npc.last_report())
        assert region.tier == "aten"
        assert region.note == "the CPU runs it: standin failed: too many threads"


def test_what_numpy_raises_it_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = npc.compile(lambda x: 1.0 / x, device="standin")
    compiled(np.ones(3))
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert compiled(np.zeros(3)).tolist() == [np.inf] * 3


def test_explain_and_compare_use_the_device() -> None:
    compiled = npc.compile(scaled, device="standin")
    report = npc.explain(compiled, np.arange(6.0), 2.0)
    assert first_region(report).tier == "standin"
    found = npc.compare(compiled, np.arange(6.0), 2.0)
    assert (found.equal, found.tier) == (True, "standin")


def test_views_of_one_array_are_copied_apart() -> None:
    def shifted(x: Any, y: Any) -> Any:
        x[1:] = y[:-1] * 2
        return x.sum() + y.sum()

    compiled = npc.compile(shifted, device="standin")
    for _ in range(2):
        mine, theirs = np.arange(8.0), np.arange(8.0)
        assert compiled(mine[:6], mine[2:]) == shifted(theirs[:6], theirs[2:])
        assert mine.tolist() == theirs.tolist()
        assert compiled(mine, mine) == shifted(theirs, theirs)
        assert mine.tolist() == theirs.tolist()


def test_a_device_that_competes_is_compiled_for_in_the_background(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The way that CUDA goes: NumPy first, then a contest."""
    monkeypatch.setattr(StandIn, "competes", True)
    monkeypatch.setattr(npc.settings, "first_run_check", "replace")
    for module in (preparing, plan):  # a busy machine may let it win
        monkeypatch.setattr(module, "faster", lambda numpy_us, compiled_us: False)
    compiled = npc.compile(scaled, device="standin")
    mine, theirs = np.arange(6.0), np.arange(6.0)
    for _ in range(4):
        assert compiled(mine, 1.5).tolist() == scaled(theirs, 1.5).tolist()
        assert mine.tolist() == theirs.tolist()
        assert npc.wait()
    region = first_region(npc.last_report())
    assert region.tier == "numpy"
    assert "the CPU runs it: standin took " in region.note


def test_a_device_that_wins_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StandIn, "competes", True)
    monkeypatch.setattr(preparing, "faster", lambda numpy_us, compiled_us: True)

    def steps(x: Any, n: int) -> Any:
        for k in range(n):
            y = x * 1.5
            print(k, end="")
            x += y.mean()
        return x - 1

    compiled = npc.compile(steps, device="standin")
    mine, theirs = np.arange(6.0), np.arange(6.0)
    tiers = set()
    for n in (1, 2, 3, 2):
        mine[0] = theirs[0] = n
        assert compiled(mine, n).tolist() == steps(theirs, n).tolist()
        assert mine.tolist() == theirs.tolist()
        assert npc.wait()
        report = npc.last_report()
        assert report is not None
        tiers |= {region.tier for region in report.regions}
    assert "standin" in tiers
