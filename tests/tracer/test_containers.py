"""Lists and dicts that are read by one statement and changed by the next: in drawn loops."""

from __future__ import annotations

import copy
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, given, note, settings

import jupyter_npcompile as npc
from tests.support.loops.native_loops import define, differences, outcome

READS = (
    "y = np.min([x - c for c in box], axis=0)",
    "y = x * len(box)",
    "y = x + box[0]",
    "y = x + box[-1]",
    "y = sum(box) + x",
    "y = np.array(box).max(axis=0) - x",
    "y = x - named['a'] * len(named)",
    "y = x + sum(named.values())",
    "y = x * 2 if len(box) > 3 else x",
    "a, *rest = box; y = a - x * len(rest)",
)
CHANGES = (
    "box.append(y)",
    "box[0] = y * 2",
    "box += [y]",
    "box.insert(0, y)",
    "box.extend([y, x])",
    "box.reverse()",
    "box[-1] += 1",
    "if len(box) > 2: box.pop()",
    "if len(box) > 2: del box[0]",
    "named['a'] = y",
    "named['b'] = y + 1",
    "named.update(c=y)",
    "named.pop('b', None)",
)
OTHERS = ("seen.append(y.sum())", "y = y / (1 + np.abs(y).max())", "x = x + y * 0.5", "z = y * y")


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A loop of statements, of which some read containers and some change them."""
    lines = [draw(st.sampled_from(READS))]
    for _ in range(draw(st.integers(2, 6))):
        lines.append(draw(st.sampled_from((*READS, *CHANGES, *CHANGES, *OTHERS))))
    lines.append("y = y / (1 + np.abs(y).max())")
    lines.append("seen.append(y * 1.0)")
    body = "\n        ".join(lines)
    return (
        "def f(x, box, named):\n    seen = []\n    for step in range(4):\n"
        f"        {body}\n    return seen, box, named, x, y\n"
    )


def given_arguments(seed: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    box = [rng.normal(size=5) for _ in range(1 + seed % 3)]
    return rng.normal(size=5), box, {"a": rng.normal(size=5)}


@pytest.fixture(autouse=True)
def _compiled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")
    monkeypatch.setattr(npc.settings, "first_run_check", "off")


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    deadline=None,
)
@given(programs())
def test_what_was_read_of_a_container_is_read_again_when_it_has_changed(text: str) -> None:
    note(text)
    function = define(text)
    compiled = npc.compile(function)
    for run in range(4):
        arguments = given_arguments(run)
        expected = outcome(function, copy.deepcopy(arguments))
        assert not differences(expected, outcome(compiled, copy.deepcopy(arguments))), run


def test_centres_that_are_chosen_one_after_the_other() -> None:
    """Each distance is that from all centres so far, not from the first."""
    function = define("""
def f(x, centres, count):
    while len(centres) < count:
        d = np.min([((x - c) ** 2).sum(1) for c in centres], axis=0)
        centres.append(x[int(d.argmax())])
    return np.array(centres)
""")
    compiled = npc.compile(function)
    for run in range(4):
        x = np.random.default_rng(run).normal(size=(40, 2))
        expected, found = function(x, [x[0]], 6), compiled(x, [x[0]], 6)
        np.testing.assert_array_equal(found, expected)
