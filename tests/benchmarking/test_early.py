"""The first calls together: sums, means, when a tool is ahead, and what the report says."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from tests.benchmarks.campaign import Campaign
from tests.benchmarks.curves import draw
from tests.benchmarks.early import AGAIN, Calls, Early, figures
from tests.benchmarks.plans import FULL
from tests.benchmarks.programs import load
from tests.benchmarks.progress import Progress
from tests.benchmarks.tools import NUMPY, OURS

NAMES = ("numpy", "ours", f"ours {AGAIN}", "numba")


def scripted() -> Early:
    """Two programs; NumPy takes a second a call."""
    times = {
        "numpy": (1.0,),
        "ours": (2.0, 1.0, 0.5, 0.1),
        f"ours {AGAIN}": (0.5, 0.1),
        "numba": (9.0, 0.1),
    }
    calls = [
        Calls(program, size, name, times[name])
        for program, size in figures(["wave", "heat"])
        for name in NAMES
        if (program, name) != ("heat", "numba")
    ]
    return Early({"processor": "a machine"}, "2026-01-02", tuple(calls))


def test_calls_are_added_up() -> None:
    early = scripted()
    assert early.tools == ["ours", f"ours {AGAIN}", "numba"]
    assert early.mean("ours", 1) == pytest.approx(0.5)
    assert early.mean("ours", 10) == pytest.approx(10 / 4.2)
    assert early.mean("numba", 10, ("small",)) == pytest.approx(10 / 9.9)
    assert early.mean("jax", 1) is None
    assert [early.share_ahead("ours", count) for count in (1, 3, 4, 30)] == [0, 0, 1, 1]
    assert early.share_ahead("numba", 10) == 1


def test_what_never_catches_up_is_said_so() -> None:
    slow, numpy = Calls("a", "small", "ours", (2.0, 1.0)), Calls("a", "small", "numpy", (1.0,))
    assert slow.ahead_of(numpy) is None
    assert numpy.ahead_of(slow) == (1, 1.0)


def test_it_is_written_and_read(tmp_path: Path) -> None:
    early = scripted()
    early.write(tmp_path / "early.json")
    assert Early.read(tmp_path / "early.json") == early
    text = early.section()
    assert "| npcompile again | 4 |" in text
    assert "| Numba | 2 |" in text
    assert "| wave | small | 10.0 s | 2.00 s | 4.20 s | 4, 3.60 s |" in text
    draw(early, tmp_path / "early.svg")
    picture = (tmp_path / "early.svg").read_text()
    assert picture.startswith("<?xml")
    assert "#d55e00" in picture


@pytest.mark.slow
def test_two_processes_make_the_calls(tmp_path: Path) -> None:
    campaign = Campaign(FULL, tmp_path, [load("hamming_distances")], [], Progress(io.StringIO()))
    campaign._overhead(OURS)
    first, again = campaign._first_calls("hamming_distances", "small", OURS)
    assert (first.tool, again.tool) == ("ours", f"ours {AGAIN}")
    assert len(first.seconds) == len(again.seconds) == 30
    campaign._overhead(NUMPY)
    (plain,) = campaign._first_calls("hamming_distances", "small", NUMPY)
    assert min(plain.seconds) > 0
