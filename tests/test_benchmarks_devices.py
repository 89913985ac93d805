"""The benchmark of devices, on the stand-in: it runs, and counts what is copied."""

from __future__ import annotations

import pytest

from jupyter_npcompile.runtime.device import residency
from tests.benchmarks import devices
from tests.silent_threads import silent_threads


def test_points_are_copied_once_a_call(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(residency, "_SILENT", silent_threads())
    points, rounds = 500, 4
    numpy, apart, together, *single = devices.measure("standin", points, rounds)
    assert numpy.copied is None
    assert apart.name.startswith("standin")
    assert apart.error < 1e-12
    assert together.error < 1e-12
    nbytes = points * devices.DIMENSIONS * 8
    assert apart.copied is not None
    assert together.copied is not None
    assert nbytes <= apart.copied < nbytes + 1000
    assert nbytes // rounds <= together.copied < nbytes // rounds + 1000
    for double, one in zip((apart, together), single, strict=True):
        assert one.name.startswith("standin float32")
        assert 1e-9 < one.error < 1e-5
        assert one.copied is not None
        assert double.copied is not None
        assert one.copied < 0.55 * double.copied
    print(devices.table([numpy, apart, together]))
    assert "| standin, all rounds in one call |" in capsys.readouterr().out


def test_without_the_device_it_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert devices.main(["--device", "cuda"]) == 1
    assert "torch sees no CUDA device" in capsys.readouterr().err
