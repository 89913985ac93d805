"""When the samples of two sides are enough."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_npcompile.runtime.selector import thresholds
from jupyter_npcompile.runtime.selector.back_off import BackOff, growth
from jupyter_npcompile.runtime.selector.race import Race, slower_side, typical
from jupyter_npcompile.runtime.selector.thresholds import Rule

RULES = {
    name: rule for name, rule in vars(thresholds).items() if isinstance(rule, Rule) and rule.margins
}
SECONDS = st.floats(1e-7, 10.0)


@pytest.mark.parametrize("name", [name for name in RULES if name != "COLD"])
@given(plain=SECONDS, compiled=SECONDS)
def test_every_race_ends_and_the_faster_side_wins(name: str, plain: float, compiled: float) -> None:
    race = Race(RULES[name])
    while race.slower is None:
        side = race.next()
        race.add(side, plain if side else compiled)
        assert len(race.plain) <= 9
    assert race.slower is (plain < compiled)
    assert race.seconds == (plain, compiled)


@pytest.mark.parametrize("name", RULES)
@given(st.lists(SECONDS, max_size=8), st.lists(SECONDS, max_size=8))
def test_nobody_wins_while_the_sides_have_not_had_as_many_turns(
    name: str, plain: list[float], compiled: list[float]
) -> None:
    found = slower_side(RULES[name], plain, compiled)
    assert found is None or len(plain) == len(compiled) > 0
    if found is not None:
        assert found is (typical(plain) < typical(compiled))


@given(st.lists(st.tuples(SECONDS, SECONDS), min_size=1, max_size=8))
def test_what_has_lost_in_calls_has_been_behind_twice(rounds: list[tuple[float, float]]) -> None:
    """But for what takes a second longer: the first run may have waited for memory."""
    plain, compiled = map(list, zip(*rounds, strict=True))
    if slower_side(thresholds.CALLS, plain, compiled):
        dear = typical(compiled) - typical(plain) >= thresholds.CALLS.dear
        assert len(rounds) >= thresholds.CALLS.chances or dear


def test_turns_keep_step_with_no_rhythm() -> None:
    race, sides = Race(Rule(margins=(float("inf"),) * 100)), []
    for _ in range(64):
        sides.append(race.next())
        race.add(sides[-1], 1.0)
    first = sides[::2]
    assert sides[1::2] == [not side for side in first]
    for period in (1, 2, 3, 4):
        assert any(one != other for one, other in zip(first, first[period:], strict=False))


@given(st.integers(1, 40), st.integers(1, 4096), st.integers(1, 20_000))
def test_looks_become_rare_but_never_end(patience: int, longest: int, times: int) -> None:
    back_off, looks, since = BackOff(), 0, 0
    for _ in range(times):
        since += 1
        if back_off.rests():
            continue
        looks, since = looks + 1, 0
        back_off.vain += 1
        back_off.pause(patience, longest)
    assert since <= longest
    assert looks >= min(times, patience)
    assert looks <= patience + 13 + times / longest
    back_off.clear()
    assert not back_off.rests()


def test_pauses_grow_up_to_a_bound() -> None:
    assert growth(1000, 1) == 1 << 20
