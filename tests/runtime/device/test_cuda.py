"""Segments on a GPU: the same cells as everywhere. Skipped where there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.autodiff.trees import flatten
from jupyter_npcompile.runtime.device.prediction import predictions, rates_of
from jupyter_npcompile.runtime.device.staging import PIECE, WORTH
from jupyter_npcompile.runtime.devices import device_of
from jupyter_npcompile.runtime.functions import handle_of
from jupyter_npcompile.runtime.subjects import states_of
from tests.autodiff.test_compiled import CASES
from tests.autodiff.test_devices import V, printing
from tests.runtime.device import test_contest as test_runtime_device_contest
from tests.runtime.device.test_contest import called
from tests.runtime.device.test_precision import steps
from tests.same import test_as_native as test_same_as_native
from tests.same import test_programs as test_same_programs
from tests.same.test_devices import CONSUMERS
from tests.same.test_programs import Program
from tests.support.cells.native import assert_same
from tests.support.loops.native_loops import define

pytestmark = [pytest.mark.cuda, pytest.mark.slow]


@pytest.fixture(autouse=True)
def _gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    import torch

    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    yield
    torch.cuda.empty_cache()


@pytest.mark.parametrize("tier", ["aten", "inductor"])
@pytest.mark.parametrize("case", test_same_as_native.CASES, ids=lambda case: case.name)
def test_cell(case: test_same_as_native.Case, tier: str) -> None:
    assert_same(
        case.source.strip("\n"),
        setup=case.setup,
        captured=case.captured,
        fallbacks=case.fallbacks,
        tier=tier,
        device="cuda",
    )


@pytest.mark.parametrize("program", test_same_programs.PROGRAMS, ids=lambda program: program.name)
def test_program(program: Program) -> None:
    assert_same(
        program.source.strip("\n"),
        setup=program.setup,
        ulps=max(program.ulps, 4096),
        fallbacks=program.fallbacks,
        tier="inductor",
        device="cuda",
    )


@pytest.mark.parametrize("name", CONSUMERS)
def test_whoever_looks_at_results_sees_them(name: str) -> None:
    if name == "pandas":
        pytest.importorskip("pandas")
    setup = "import matplotlib; matplotlib.use('Agg')\nx = np.arange(6.0) + RUN"
    cell = f"y = x * 2\nx += 1\n{CONSUMERS[name]}\nz = y + x\nx *= 2\n"
    assert_same(cell, setup=setup, captured=False, device="cuda")


def test_what_does_not_fit_runs_on_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(npc.settings, "tier", "aten")
    device = device_of("cuda")
    assert device is not None
    hog = torch.empty(int(device.free * 0.98), dtype=torch.uint8, device=device.place)
    x = np.ones(int(0.05 * hog.numel()) // 8)
    assert npc.compile(lambda x: x * 2 + 1, device="cuda")(x)[0] == 3.0
    report: Any = npc.last_report()
    assert "of memory on cuda, where" in report.regions[0].note


@pytest.mark.parametrize("tier", ["aten", "inductor"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_gradients(
    case: tuple[Callable[..., Any], tuple[Any, ...]], tier: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    function, args = case
    expected = npc.value_and_grad(npc.compile(function, device="cpu"))(*args)
    monkeypatch.setattr(npc.settings, "tier", tier)
    monkeypatch.setattr(npc.settings, "first_run_check", "raise")
    gradient = npc.value_and_grad(npc.compile(function, device="cuda"))
    for _ in range(3):  # on the tape, compared, compiled
        pairs = zip(flatten(gradient(*args))[0], flatten(expected)[0], strict=True)
        for one, other in pairs:
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-11)
    assert gradient.site.reason == ""
    assert all(replay.confirmed for replay in gradient._fast.replays.values())


def test_gradients_of_what_prints(capsys: pytest.CaptureFixture[str]) -> None:
    expected = npc.grad(npc.compile(printing, device="cpu"), (0, 1))(V, 3.0)
    gradient = npc.grad(npc.compile(printing, device="cuda"), (0, 1))
    for one, other in zip(gradient(V, 3.0), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)
    assert gradient.site.reason == ""


@pytest.mark.parametrize("tier", ["aten", "inductor"])
def test_single_precision(tier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", tier)
    monkeypatch.setattr(npc.settings, "first_run_check", "raise")
    compiled = npc.compile(steps, device="cuda", dtype="float32")
    mine = np.random.default_rng(0).random(100_000)
    theirs = mine.copy()
    found, expected = compiled(mine, 1.1), steps(theirs, 1.1)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-6)
    assert np.array_equal(mine[3:], theirs[3:])
    report: Any = npc.last_report()
    assert report.regions[0].copies.precision.measured < 1e-5


@pytest.mark.parametrize("name", test_runtime_device_contest.LOOPS)
def test_small_loops_run_natively(name: str) -> None:
    function = define(test_runtime_device_contest.LOOPS[name])
    compiled = npc.compile(function, device="cuda")
    found = called(compiled, function, lambda number: [np.linspace(0, 1, 500) + number, 4000], 5)
    assert found[-1][-1] == "native-loop"


def test_large_loops_stay_on_the_device() -> None:
    function = define(test_runtime_device_contest.LOOPS["small"])
    compiled = npc.compile(function, device="cuda")
    for _ in range(4):
        mine, theirs = np.linspace(1, 2, 10**7), np.linspace(1, 2, 10**7)
        np.testing.assert_allclose(compiled(mine, 20), function(theirs, 20), rtol=1e-9)
        np.testing.assert_allclose(mine, theirs, rtol=1e-9)
        assert npc.wait()
    report: Any = npc.last_report()
    assert "cuda" in {region.tier for region in report.regions}
    assert sum(region.copies.to_device for region in report.regions if region.copies) < 2e9


@pytest.mark.parametrize("nbytes", [WORTH - 8, WORTH, PIECE, PIECE + 8, 2 * PIECE, 5 * PIECE + 8])
def test_large_copies_arrive(nbytes: int) -> None:
    import torch

    device = device_of("cuda")
    assert device is not None
    made = torch.arange(nbytes // 8, dtype=torch.int64)
    for tensor in (made, made[: nbytes // 16 * 2].reshape(-1, 2).T):
        expected = tensor.clone()
        there = device.put(tensor)
        tensor += 1  # it may change as soon as it was put
        host = torch.zeros_like(expected)
        device.get(there, host)
        assert torch.equal(host, expected)
        assert there.device == device.place


def test_predictions_are_of_the_right_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within a factor of four of what is measured: enough to say whether a GPU helps."""
    monkeypatch.setattr(npc.settings, "tier", "aten")
    compiled = npc.compile(lambda x, y: np.sqrt(x * x + y * y), device="cuda")
    x = np.random.default_rng(0).random(2**24)
    for _ in range(3):
        compiled(x, x[::-1].copy())
    handle = handle_of(compiled)
    assert handle is not None
    (one,) = predictions(states_of(handle), rates_of("cuda"))
    assert one.now == "cuda"
    assert one.now_us is not None
    assert one.us / 4 < one.now_us < one.us * 4


def small_steps(x: Any, rounds: int) -> Any:
    """Sums between elementwise steps: several kernels, on little data."""
    for k in range(rounds):
        x = x / (1 + np.abs(x).sum()) + np.sin(x) / (k + 2)
        x = x - 0.1 * np.cumsum(x)[::-1] / len(x)
    return x


def test_launches_at_once_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "tier", "inductor")
    compiled = npc.compile(small_steps, device="cuda")
    x = np.random.default_rng(0).random(1000)
    for rounds in (3, 30, 40):
        np.testing.assert_allclose(compiled(x, rounds), small_steps(x, rounds), rtol=1e-9)
    handle = handle_of(compiled)
    assert handle is not None
    plans = [plan for state in states_of(handle) for plan in state.every_plan()]
    programs = [plan.artifact.program for plan in plans if plan.artifact is not None]
    launches: list[Any] = [program._kernels._launch for program in programs]  # type: ignore[attr-defined]
    assert all(launch.reason != "not tried" for launch in launches)
    assert not any(launch.reason.startswith("not captured") for launch in launches)
