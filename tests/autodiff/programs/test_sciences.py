"""Programs of many fields: on the tape and compiled, against central differences and each other."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.autodiff.trees import flatten, map_leaves
from tests.support.gradients.expressions import Expression
from tests.support.gradients.joint import compare_compiled, left_to_the_tape
from tests.support.gradients.sciences import NUMBERED, PROGRAMS, TALKING

EVERY = PROGRAMS | TALKING

STEP = 1e-6

Places = tuple[int, ...]


def places_of(args: Sequence[Any]) -> Places:
    """The arguments that can be differentiated."""
    return tuple(
        k
        for k, arg in enumerate(args)
        if all(np.asarray(leaf).dtype.kind in "fc" for leaf in flatten(arg)[0])
    )


def direction_of(args: Sequence[Any], places: Places) -> list[Any]:
    """Something to add to arguments."""
    rng = np.random.default_rng(5)

    def drawn(leaf: Any) -> Any:
        found = rng.uniform(-1, 1, np.shape(leaf))
        if np.iscomplexobj(leaf):
            found = found + 1j * rng.uniform(-1, 1, np.shape(leaf))
        return found if isinstance(leaf, np.ndarray) else float(found)

    return [map_leaves(drawn, args[place]) for place in places]


def moved(args: Sequence[Any], places: Places, direction: Sequence[Any], t: float) -> list[Any]:
    """Arguments at a distance."""
    found = list(args)
    for place, change in zip(places, direction, strict=True):
        steps = iter(flatten(change)[0])
        found[place] = map_leaves(lambda leaf, steps=steps: leaf + t * next(steps), args[place])
    return found


def along(gradients: Any, direction: Any) -> float:
    """A derivative along a direction."""
    pairs = zip(flatten(gradients)[0], flatten(direction)[0], strict=True)
    return float(sum(np.sum(np.real(np.asarray(g) * d)) for g, d in pairs))


@pytest.mark.parametrize("name", EVERY)
def test_gradient(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "aten")
    run, make = EVERY[name]
    args = make()
    places, value = places_of(args), run(*make())
    direction = direction_of(args, places)
    gradient = npc.value_and_grad(run, places)
    made, found = gradient(*make())
    assert made == value
    assert [flatten(g)[1] for g in found] == [flatten(args[place])[1] for place in places]
    near = [run(*moved(make(), places, direction, t)) for t in (STEP, -STEP)]
    expected = (near[0] - near[1]) / (2 * STEP)
    np.testing.assert_allclose(along(list(found), direction), expected, rtol=1e-5, atol=1e-6)
    (check,) = gradient.checks.values()
    assert check.status == "agrees"
    for one, other in zip(flatten(list(args))[0], flatten(list(make()))[0], strict=True):
        np.testing.assert_array_equal(one, other)  # nothing was written into them


ONCE = frozenset({"trimmed_mean", "newton_root"})
"""Programs whose second derivative is zero, or that end where a test says so."""


@pytest.mark.parametrize("name", [name for name in EVERY if name not in ONCE])
def test_second_derivative(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Along a direction, forwards over backwards, against differences of gradients."""
    monkeypatch.setattr(npc.settings, "tier", "aten")
    run, make = EVERY[name]
    args = make()
    places = places_of(args)
    direction = direction_of(args, places)
    total = of_parts(run, args, places)
    parts = [args[place] for place in places]
    _, slope = npc.jvp(total, (parts,), (direction,))
    gradient = npc.grad(total)
    np.testing.assert_allclose(slope, along(gradient(parts), direction), rtol=1e-9)
    made = npc.hvp(total, (parts,), (direction,))
    every = tuple(range(len(places)))
    near = [gradient(moved(parts, every, direction, t)) for t in (STEP, -STEP)]
    expected = (along(near[0], direction) - along(near[1], direction)) / (2 * STEP)
    np.testing.assert_allclose(along(made, direction), expected, rtol=2e-5, atol=1e-5)


def of_parts(run: Callable[..., Any], args: Sequence[Any], places: Places) -> Callable[[Any], Any]:
    """A program as a function of a list: of its arguments that can be differentiated."""

    def total(parts: Any) -> Any:
        every = list(args)
        for k in range(len(places)):
            every[places[k]] = parts[k]
        return run(*every)

    return total


def expression(name: str, *, numbers: bool = False) -> Expression:
    """A program to compile; ``numbers``: with Python's numbers as they are."""
    run, make = EVERY[name]
    args = make()
    places = places_of(args)

    def own(leaf: Any) -> Any:
        return np.float64(leaf) if type(leaf) is float and not numbers else leaf

    parts = [map_leaves(own, copy.deepcopy(args[place])) for place in places]
    return Expression(name, of_parts(run, args, places), parts)


@pytest.mark.parametrize("name", [*TALKING, *NUMBERED])
def test_what_is_left_to_the_tape(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Prints, tests of values, arithmetic of Python's: with a forced compiler, too."""
    one = expression(name, numbers=True)
    assert left_to_the_tape(one.run, one.x)
    monkeypatch.setattr(npc.settings, "tier", "aten")
    wanted = npc.grad(one.run)(one.x)
    shown = capsys.readouterr().out
    monkeypatch.setattr(npc.settings, "tier", "inductor")
    monkeypatch.setattr(npc.settings, "first_run_check", "raise")
    gradient = npc.grad(one.run)
    for _ in range(2):
        for made, other in zip(flatten(gradient(one.x))[0], flatten(wanted)[0], strict=True):
            np.testing.assert_array_equal(made, other)
        assert capsys.readouterr().out == shown
    assert len(gradient._fast.reasons) == 1


COMPILED = [*PROGRAMS]

TOGETHER = 7
"""How many programs are compiled as one, which takes much less time than one by one."""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("first", range(0, len(COMPILED), TOGETHER), ids=lambda k: COMPILED[k])
def test_compiled_gradients_are_the_tape_s(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    some = [expression(name) for name in COMPILED[first : first + TOGETHER]]
    assert [one.name for one in some if left_to_the_tape(one.run, one.x)] == []
    assert compare_compiled(some, monkeypatch) == {}  # none is left to the tape


def test_numpy_that_is_not_captured_is_not_said_to_be_something_else() -> None:
    def run(x: Any) -> Any:
        return np.lib.stride_tricks.as_strided(x, (3, 2), (8, 8)).prod(axis=1).sum()

    assert "as_strided" in left_to_the_tape(run, np.arange(1.0, 5.0))


def test_there_are_enough() -> None:
    assert len(COMPILED) >= 45
    assert len(TALKING) >= 5
