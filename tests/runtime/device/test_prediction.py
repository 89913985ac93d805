"""What would it take on a device: predicted, and held against what was copied."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.graph.prediction import Rates
from jupyter_npcompile.runtime.device import prediction
from jupyter_npcompile.runtime.device.prediction import ASSUMED, measured, predictions, rates_of
from jupyter_npcompile.runtime.device.standin import standin
from jupyter_npcompile.runtime.functions import handle_of
from jupyter_npcompile.runtime.subjects import states_of
from jupyter_npcompile.views.prediction import prediction_text

RATES = Rates(1e9, 2e9, 1e10, 1e-5, 1e9, "made up")


def ran(function: Any, *args: Any) -> Any:
    """The regions of a function that has run on the stand-in."""
    compiled = npc.compile(function, device="standin")
    compiled(*args)
    handle = handle_of(compiled)
    assert handle is not None
    return states_of(handle)


def test_what_is_copied_is_predicted_exactly() -> None:
    def work(x: Any, w: Any) -> Any:
        x[1:] *= 2
        y = x[:, None] * w
        print(end="")
        return y.sum(0) + w, y

    states = ran(work, np.arange(50.0), np.arange(4.0))
    found = predictions(states, RATES)
    assert len(found) == 2
    report = npc.last_report()
    assert report is not None
    for one, region in zip(found, report.regions, strict=True):
        copies = region.copies
        assert copies is not None
        assert one.to_device == copies.to_device + copies.spared
        assert one.to_host == copies.to_host
        assert one.copies_us == pytest.approx(one.to_device / 1e9 * 1e6 + one.to_host / 2e9 * 1e6)
        # The stand-in is no processor that one could leave for a GPU.
        assert one.now == "numpy"
        assert one.now_us == pytest.approx(region.timings["numpy_us"])


def test_products_of_matrices_take_their_multiplications() -> None:
    n, k, m = 40, 50, 60
    states = ran(lambda x, y: x @ y, np.ones((n, k)), np.ones((k, m)))
    (one,) = predictions(states, RATES)
    assert one.kernels_us == pytest.approx(1e6 * (RATES.launch + n * k * m / 1e9))


def test_views_cost_nothing() -> None:
    def half(x: Any) -> Any:
        return x[::2].reshape(5, 5).T * 2

    (one,) = predictions(ran(half, np.ones(50)), RATES)
    touched = 2 * 25 * 8
    assert one.kernels_us == pytest.approx(1e6 * (RATES.launch + touched / RATES.memory))


def test_a_device_that_is_there_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prediction, "PROBE", 2**12)
    rates = measured(standin)
    for name in ("to_device", "to_host", "memory", "launch", "multiplications"):
        assert getattr(rates, name) > 0
    assert rates.source == "measured on standin"
    assert rates_of("standin").source == "measured on standin"


def test_a_gpu_that_is_not_there_is_assumed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert rates_of("cuda:1") is ASSUMED
    assert "nothing was measured" in ASSUMED.source
    with pytest.raises(ValueError, match="not known"):
        rates_of("cuda:x")
    with pytest.raises(ValueError, match="not known"):
        rates_of("tpu")
    with pytest.raises(ValueError, match="name another device"):
        rates_of("cpu")


def test_the_verdict() -> None:
    states = ran(lambda x: np.sqrt(x) + 1, np.ones(1000))
    (one,) = predictions(states, RATES)

    def verdict(**changes: Any) -> str:
        return prediction_text("cuda", [replace(one, **changes)], RATES).splitlines()[-1]

    assert verdict(now_us=1000.0, copies_us=50.0, kernels_us=50.0).endswith("10 times as fast")
    assert "no gain, because of the copies; 10 times as fast where" in verdict(
        now_us=100.0, copies_us=200.0, kernels_us=10.0
    )
    assert verdict(now_us=10.0, copies_us=20.0, kernels_us=10.0).endswith(": no gain")
    assert verdict(now_us=None) == "nothing of it has been timed yet: run it again"
    assert prediction_text("cuda", [], RATES).startswith("nothing was captured")
