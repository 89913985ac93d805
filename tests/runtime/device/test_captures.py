"""Launching at once or one by one: which one is chosen, and that results are the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch

from jupyter_npcompile.runtime.device import captures
from jupyter_npcompile.runtime.device.captures import CALLS, Captures

CPU = torch.device("cpu")


_clock = [0.0]


@pytest.fixture(autouse=True)
def _time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time is what the kernels say that they take."""
    monkeypatch.setattr(captures, "perf_counter", lambda: _clock[0])


def slow(x: torch.Tensor) -> Sequence[Any]:
    _clock[0] += 1e-3
    return (x * 2,)


def made(
    capture: Callable[..., Any], kernels: Callable[..., Any] = slow
) -> tuple[Captures, list[torch.Tensor]]:
    """Kernels that were called as often as it takes, and what they gave then."""
    launch = Captures(kernels, CPU, capture, lambda: None)
    return launch, [launch(torch.full((3,), float(k)))[0] for k in range(CALLS + 3)]


def test_what_takes_less_time_is_used() -> None:
    used: list[torch.Tensor] = []

    def at_once(x: torch.Tensor) -> Sequence[Any]:
        used.append(x)
        _clock[0] += 1e-4
        return (x + x,)

    launch, found = made(lambda kernels, tensors: at_once)
    assert launch.reason == ""
    assert [one[0].item() for one in found] == [2.0 * k for k in range(CALLS + 3)]
    assert used[-1][0] == CALLS + 2
    count = len(used)
    assert launch(torch.ones(4))[0].tolist() == [2.0] * 4  # another shape: one by one
    assert len(used) == count


def test_what_takes_as_long_is_not() -> None:
    launch, _ = made(lambda kernels, tensors: kernels)
    assert "µs one by one" in launch.reason


def test_what_cannot_be_captured_runs_one_by_one() -> None:
    def fails(kernels: Any, tensors: Any) -> Any:
        raise RuntimeError("operation not permitted when stream is capturing\nand more")

    launch, found = made(fails)
    assert launch.reason == "not captured: operation not permitted when stream is capturing"
    assert found[-1].tolist() == [2.0 * (CALLS + 2)] * 3


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [("LARGEST", 10, "its arrays are large"), ("LONGEST", 1e-6, "its launches do not matter")],
)
def test_where_launches_do_not_matter(
    name: str, value: float, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(captures, name, value)
    launch, _ = made(lambda kernels, tensors: pytest.fail("it was captured"))
    assert launch.reason == reason


def test_views_are_not_captured() -> None:
    launch, found = made(lambda kernels, tensors: pytest.fail("captured"), lambda x: (x[1:],))
    assert launch.reason == "nothing is launched"
    assert found[-1].tolist() == [CALLS + 2.0] * 2


def test_memory_that_is_shared_cannot_be_written() -> None:
    launch = Captures(slow, CPU, lambda kernels, tensors: pytest.fail("captured"), lambda: None)
    for _ in range(CALLS):
        launch(torch.ones(1).expand(3))
    assert launch.reason == "elements of an argument share memory"
