"""The benchmark programs: right by themselves, in every peer, and compiled by us."""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from tests.benchmarks.programs import CLASSES, SIZES, Program, load, names

NAMES = names()
PEERS = ("numba", "jax")


@pytest.fixture(params=NAMES)
def program(request: pytest.FixtureRequest) -> Program:
    return load(request.param)


@pytest.fixture
def _forced() -> Iterator[None]:
    before = npc.settings.tier, npc.settings.first_run_check
    npc.settings.tier, npc.settings.first_run_check = "aten", "raise"
    yield
    npc.settings.tier, npc.settings.first_run_check = before


def arguments(program: Program) -> tuple[Any, ...]:
    return program.make(**program.sizes["small"])


def parts(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return [part for item in value for part in parts(item)]
    return [value]


def test_every_class_has_two_programs() -> None:
    kinds = Counter(load(name).kind for name in NAMES)
    assert set(kinds) == set(CLASSES)
    assert [kind for kind in CLASSES if kinds[kind] < 2] == []


def test_program_is_complete(program: Program) -> None:
    assert tuple(program.sizes) == SIZES
    assert program.title.endswith(".")
    missing = [tool for tool in PEERS if tool not in program.peers]
    assert sorted(program.no_peer) == sorted(missing)
    if program.bytes_moved is not None:
        moved = [program.bytes_moved(**program.sizes[size]) for size in SIZES]
        assert moved == sorted(moved)


def test_result_is_sensible(program: Program) -> None:
    args = arguments(program)
    result = program.run(*args)
    assert all(np.all(np.isfinite(leaf)) for leaf in parts(result))
    assert program.agrees(program.run(*arguments(program)), result)
    if not program.mutates:
        again = arguments(program)
        for arg, fresh in zip(args, again, strict=True):
            np.testing.assert_array_equal(arg, fresh)
    if program.check is not None:
        program.check(result, *arguments(program))


@pytest.mark.parametrize("tool", PEERS)
def test_peer_gives_the_result_of_numpy(program: Program, tool: str) -> None:
    if importlib.util.find_spec(tool) is None:
        pytest.skip(f"{tool} is not installed")
    if tool in program.no_peer:
        pytest.skip(program.no_peer[tool])
    run = program.peer(tool)
    expected = program.run(*arguments(program))
    for _ in range(2):
        result = run(*arguments(program))
        assert program.agrees(result, expected)


@pytest.mark.usefixtures("_forced")
def test_compiled_gives_the_result_of_numpy(program: Program) -> None:
    expected = program.run(*arguments(program))
    compiled = npc.compile(program.run, ahead=True)
    for _ in range(2):
        result = compiled(*arguments(program))
        assert program.agrees(result, expected)
        for ours, theirs in zip(parts(result), parts(expected), strict=True):
            assert type(ours) is type(theirs)
            assert getattr(ours, "dtype", None) == getattr(theirs, "dtype", None)


def test_wrong_results_are_noticed() -> None:
    program = load(NAMES[0])
    expected = np.array([1.0, 2.0])
    assert program.agrees(expected.copy(), expected)
    assert not program.agrees(expected * (1 + 1e-3), expected)
    assert not program.agrees(expected[:1], expected)
    assert not program.agrees((expected, expected), expected)
