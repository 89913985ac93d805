"""What the ratchet counts has not grown."""

from __future__ import annotations

import pytest

from tests.benchmarks.ratchet import committed, count, grown, names


@pytest.mark.parametrize("name", names())
def test_counts_have_not_grown(name: str) -> None:
    known = committed()
    advice = "run `make ratchet` and commit tests/benchmarks/ratchet.json"
    assert name in known, f"{name} has never been counted: {advice}"
    found = count(name)
    worse = grown(known[name], found)
    assert worse == [], f"{name} does more than it did; where that is meant, {advice}"
    if found != known[name]:
        print(f"{name} does less than it did: {advice}, so that it stays so")


def test_everything_that_is_kept_is_counted() -> None:
    assert set(committed()) == set(names())


def test_growth_is_noticed_and_shrinking_is_not() -> None:
    known = {"segments": 2, "recompiles": 1}
    assert grown(known, {"segments": 3, "recompiles": 0}) == ["segments: 2 before, 3 now"]
