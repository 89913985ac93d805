"""Segments on a GPU: the same cells as everywhere. Skipped where there is none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.runtime.device.prediction import predictions, rates_of
from jupyter_npcompile.runtime.devices import device_of
from jupyter_npcompile.runtime.functions import handle_of
from jupyter_npcompile.runtime.subjects import states_of
from tests import test_same_as_native, test_same_programs
from tests.native import assert_same
from tests.test_same_devices import CONSUMERS
from tests.test_same_programs import Program

pytestmark = [pytest.mark.cuda, pytest.mark.slow]


@pytest.fixture(autouse=True)
def _gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    import torch

    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    yield
    torch.cuda.empty_cache()


@pytest.mark.parametrize("tier", ["aten", "inductor"])
@pytest.mark.parametrize("case", test_same_as_native.CASES[::5], ids=lambda case: case.name)
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
