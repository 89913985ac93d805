"""The benchmark of devices, on the stand-in: it runs, compares, and counts what is copied."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from jupyter_npcompile.runtime.device import residency
from tests.benchmarks.devices import __main__ as program
from tests.benchmarks.devices import ours, worker
from tests.benchmarks.devices.figures import Figure, sample
from tests.benchmarks.devices.programs import PROGRAMS
from tests.benchmarks.devices.rivals import in_precision, with_module
from tests.benchmarks.devices.table import table


@pytest.mark.slow
@pytest.mark.parametrize("one", PROGRAMS, ids=lambda one: one.name)
def test_every_program_gives_what_numpy_gives(
    one: ours.Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(residency, "stranger", lambda: "")  # those of a test runner come and go
    (numpy, *rest) = worker.measured("NumPy", "standin", [one], tmp_path, quick=True)
    assert numpy.seconds > 0
    assert len(rest) == len(worker.DTYPES.get(one.name, ("float64",))) - 1
    arrays = one.arrays(quick=True)
    assert json.loads((tmp_path / f"{one.name}.json").read_text()) == sample(one.step(*arrays))
    found = list(worker.measured(ours.NAME, "standin", [one], tmp_path, quick=True))
    for figure in found:
        assert figure.error is not None, figure.note
        assert figure.error < (1e-12 if figure.dtype == "float64" else 1e-5)
    copied, stays = found[:2]
    assert (copied.way, stays.way) == ("copied", "stays")
    assert copied.copied is not None
    assert stays.copied is not None
    assert copied.copied >= sum(array.nbytes for array in arrays)
    state, *constants = (array.nbytes for array in arrays)
    # Where somebody may look at any time, as hypothesis does, a state comes back in each step; and
    # all of it goes there once or twice in the twenty steps that are timed.
    assert stays.copied <= state + 3 * (state + sum(constants)) / 20


def test_what_fails_has_a_note(tmp_path: Path) -> None:
    (figure,) = worker.measured(ours.NAME, "standin", PROGRAMS[1:2], tmp_path, quick=True)
    assert math.isnan(figure.seconds)
    assert "FileNotFoundError" in figure.note


def test_other_modules_stand_in_numpy_s_place() -> None:
    class Doubled:
        @staticmethod
        def roll(field: object, by: int, axis: int) -> object:
            return np.roll(field, by, axis) * 2  # type: ignore[call-overload]

    field = np.eye(4)
    step = with_module(PROGRAMS[1].step, Doubled)
    assert not np.array_equal(step(field), PROGRAMS[1].step(field))
    floats, whole = in_precision((field, np.arange(3)), "float32")
    assert (floats.dtype, whole.dtype) == (np.float32, np.int64)


def test_the_table() -> None:
    found = [
        Figure("heat", "NumPy", "float64", "stays", 0.2),
        Figure("heat", "npcompile", "float64", "copied", 0.1, 2000, 1e-15, "cuda"),
        Figure("heat", "CuPy", "float64", "", float("nan"), note="ImportError: none"),
    ]
    lines = table(found).splitlines()
    assert lines[0] == "**heat**"
    assert lines[-3:] == [
        "| float64 | NumPy |  | 200 ms |  |  |  |",
        "| float64 | npcompile | from and to host memory | 100 ms | 2 | 2.0 kB | 1.0e-15 |",
        "| float64 | CuPy | ImportError: none | | | | |",
    ]


def test_without_the_device_it_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert program.main(["--device", "cuda"]) == 1
    assert "torch sees no CUDA device" in capsys.readouterr().err
