"""The one line under a cell."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from jupyter_npcompile.graph.summary import summarise


@pytest.mark.parametrize(
    ("statuses", "breaks", "tiers", "text"),
    [
        (
            ["compiled"] * 12 + ["host"] * 2 + ["python"] * 5,
            2,
            ["inductor", "inductor"],
            "12 of 14 lines compiled · 2 break points · inductor, cpu",
        ),
        (["compiled"], 0, ["inductor"], "1 of 1 line compiled · no break points · inductor, cpu"),
        (
            ["compiled"],
            1,
            ["numpy", "aten", "inductor"],
            "1 of 1 line compiled · 1 break point · aten + inductor + numpy, cpu",
        ),
        (["compiled"], 0, ["numpy"], "1 of 1 line captured · no break points · numpy, cpu · slow"),
        (["host", "host"], 0, [], "0 of 2 lines compiled: np.save writes a file"),
        (["python"], 0, [], "nothing to compile: no line holds NumPy work"),
        ([], 0, [], "nothing to compile: no line holds NumPy work"),
    ],
)
def test_summary(statuses: Sequence[str], breaks: int, tiers: Sequence[str], text: str) -> None:
    reasons = [None, "np.save\nwrites a file"]
    found = summarise(
        device="cpu",
        statuses=statuses,
        reasons=reasons,
        breaks=breaks,
        tiers=tiers,
        notes=["", "slow"],
    )
    assert found == text


def test_the_tier_on_a_device_is_its_name() -> None:
    def where(*tiers: str) -> str:
        found = summarise(device="cuda:1", statuses=["compiled"], reasons=[], breaks=0, tiers=tiers)
        return found.rpartition(" · ")[2]

    assert where("cuda:1") == "cuda:1"
    assert where("cuda:1", "numpy") == "cuda:1 + numpy"
    assert where("inductor", "numpy") == "inductor + numpy, cpu"
    assert where() == "cuda:1"


def test_a_run_that_was_cut_short() -> None:
    text = summarise(
        device="cpu", statuses=["python"] * 2, reasons=[], breaks=0, tiers=["numpy"], not_run=2
    )
    assert text == "nothing was compiled: 2 lines not run"


def test_no_reason_is_known() -> None:
    text = summarise(device="cpu", statuses=["host"], reasons=[None], breaks=0, tiers=[])
    assert text == "0 of 1 line compiled: NumPy runs all of it"
