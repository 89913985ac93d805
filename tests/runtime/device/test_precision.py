"""Single precision on a device: an explicit choice, whose error is told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.graph.regions import Precision
from jupyter_npcompile.graph.report import ReportData
from jupyter_npcompile.magic.options import CellOptions, OptionError
from jupyter_npcompile.runtime.devices import device_of
from tests.same import test_as_native as test_same_as_native
from tests.same import test_programs as test_same_programs
from tests.same.test_programs import Program
from tests.support.cells.native import assert_same

SINGLE = "standin float32"
ULPS = 1e12
"""Of double precision: 2e-4 of the largest element."""


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(npc.settings, "first_run_check", "raise")
    yield
    device: Any = device_of(SINGLE)
    device.faults.clear()


def steps(x: Any, k: Any) -> Any:
    y = np.sqrt(x * k + 1)
    x[1:3] *= y.sum()
    return y, x[::2], float(y.mean())


def region_of(compiled: Any, *args: Any) -> Any:
    compiled(*args)
    report = npc.last_report()
    assert report is not None
    return report.regions[0]


def test_names_keep_their_dtypes_and_what_is_not_written_its_digits() -> None:
    compiled = npc.compile(steps, device="standin", dtype="float32")
    rng = np.random.default_rng(0)
    for _ in range(3):
        mine = rng.random(1000)
        theirs = mine.copy()
        y, view, mean = compiled(mine, 1.1)
        expected = steps(theirs, 1.1)
        assert y.dtype == np.float64
        assert view.base is mine
        assert type(mean) is float
        np.testing.assert_allclose(y, expected[0], rtol=1e-6)
        np.testing.assert_allclose(mine, theirs, rtol=1e-5)
        assert np.array_equal(mine[3:], theirs[3:])
        assert mine[0] == theirs[0]
        assert y.tolist() == y.astype("f4").tolist()  # these are its digits


def test_the_report_says_how_large_the_error_is() -> None:
    compiled = npc.compile(steps, device="standin", dtype="float32")
    region = region_of(compiled, np.random.default_rng(0).random(1000), 1.1)
    precision = region.copies.precision
    assert region.tier == SINGLE
    assert 1e-8 < precision.measured < precision.predicted < 1e-4
    assert precision.name in ("return", "x")
    report = npc.last_report()
    assert report is not None
    assert report.summary.endswith(f" · {SINGLE}")
    assert "float32: predicted error 1e-06 of the largest value, measured " in str(report)
    assert ReportData.from_dict(report.to_dict()).regions[0] == region
    runs = region.copies.runs
    assert region.copies.to_device == runs * (8 * 1000 + 8)  # it is narrowed there
    assert region.copies.to_host == runs * (2 * 8 * 1000 + 8)


def test_double_precision_says_nothing_about_it() -> None:
    region = region_of(npc.compile(steps, device="standin"), np.ones(5), 1.1)
    assert (region.tier, region.copies.precision) == ("standin", None)


def test_without_a_check_nothing_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "first_run_check", "off")
    compiled = npc.compile(steps, device="standin", dtype="float32")
    region = region_of(compiled, np.ones(5), 1.1)
    assert region.copies.precision == Precision(region.copies.precision.predicted)
    assert ", not measured" in str(npc.last_report())


def test_errors_that_grow_are_no_longer_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "first_run_check", "replace")

    def chaos(x: Any) -> Any:
        for _ in range(40):
            x = 3.9 * x * (1 - x)
        return x

    x = np.linspace(0.1, 0.4, 7)
    region = region_of(npc.compile(lambda x: chaos(x) + 1, device="standin", dtype="float32"), x)
    assert region.tier == "numpy"
    assert "NumPy's result was kept" in region.note


@pytest.mark.parametrize("large", [1e39, -1e300])
def test_numbers_that_are_too_large_are_left_to_numpy(large: float) -> None:
    compiled = npc.compile(lambda x: x * 2 + 1, device="standin", dtype="float32")
    compiled(np.ones(3))
    x = np.array([1.0, large, np.inf])
    assert compiled(x).tolist() == (x * 2 + 1).tolist()
    assert compiled(np.array([1.0, np.inf, np.nan]))[1] == np.inf


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (np.nan_to_num, "1.8e+308 is no number in single precision"),
        (lambda x: x * 1e-200, "1e-200 is no number in single precision"),
    ],
)
def test_what_needs_double_precision_gets_it(function: Any, reason: str) -> None:
    compiled = npc.compile(lambda x: function(x) + 1.0, device="standin", dtype="float32")
    x = np.array([0.1, 2.0])
    assert compiled(x).tolist() == (function(x) + 1).tolist()
    report = npc.last_report()
    assert report is not None
    assert report.regions[0].note == f"computed in double precision: {reason}"
    assert report.regions[0].copies is not None
    assert report.regions[0].copies.precision is None


def test_integers_are_what_they_are() -> None:
    compiled = npc.compile(lambda x: x * 3 + 2**53, device="standin", dtype="float32")
    assert compiled(np.arange(3)).tolist() == [2**53, 2**53 + 3, 2**53 + 6]
    report = npc.last_report()
    assert report is not None
    assert report.regions[0].copies.precision is None  # type: ignore[union-attr]


def test_layouts_and_complex_numbers() -> None:
    compiled = npc.compile(
        lambda x, z: (x * 2, z * x, np.abs(z)), device="standin", dtype="float32"
    )
    base = np.random.default_rng(1).random((6, 8))
    for x in (base.T, base[::2, 1::3], np.broadcast_to(base[0], (3, 8)), base[:, ::7]):
        z = x + 1j
        for found, expected in zip(compiled(x, z), (x * 2, z * x, np.abs(z)), strict=True):
            assert (found.dtype, found.strides) == (expected.dtype, expected.strides)
            np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_copies_of_another_precision_are_not_used() -> None:
    """The second segment needs double precision."""
    cell = "y = x * 2\nprint(k)\nz = np.nan_to_num(x) + y\nprint(k)\nw = x + z\n"
    setup = "k = 1\nx = np.linspace(0.1, 1, 7)"
    found = assert_same(cell, setup=setup, device=SINGLE, ulps=ULPS, captured={2, 4, 6})
    sizes = [region.copies.to_device for region in found.reports[-1].regions]
    assert sizes == [2 * 56, 2 * 2 * 56, 2 * 2 * 56]


CELLS = [case for case in test_same_as_native.CASES if "view" in case.name or "place" in case.name]


@pytest.mark.parametrize("case", CELLS[::3], ids=lambda case: case.name)
def test_views_and_writes_are_numpys(case: test_same_as_native.Case) -> None:
    assert_same(
        case.source.strip("\n"),
        setup=case.setup,
        captured=case.captured,
        fallbacks=case.fallbacks,
        ulps=ULPS,
        device=SINGLE,
    )


DIGITS_MATTER = {
    *("heat equation", "Jacobi iteration", "Gauss-Seidel by indices", "QR by Gram-Schmidt"),
    *("gradient descent with momentum", "Markov chain and page rank"),
}
"""They print digits, take differences of almost equal numbers, or stop when nothing changes."""

PROGRAMS = [one for one in test_same_programs.PROGRAMS if one.name not in DIGITS_MATTER]


@pytest.mark.parametrize("program", PROGRAMS[::4], ids=lambda program: program.name)
def test_program(program: Program) -> None:
    assert_same(
        program.source.strip("\n"),
        setup=program.setup,
        ulps=ULPS,
        fallbacks=program.fallbacks,
        device=SINGLE,
    )


def test_options() -> None:
    assert CellOptions.parse("--device standin --dtype float32").device == SINGLE
    assert CellOptions.parse("--device standin --dtype=float64").device == "standin"
    for line, message in (
        ("--dtype float32", "belongs to a device"),
        ("--device standin --dtype half", "float64 or float32, not 'half'"),
        ("--device standin --dtype float32 --grad y", "precision of the arrays"),
    ):
        with pytest.raises(OptionError, match=message):
            CellOptions.parse(line)


def test_the_setting_counts_where_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npc.settings, "dtype", "float32")
    assert CellOptions.parse("").device == "cpu"
    assert CellOptions.parse("--device standin").device == SINGLE
    assert CellOptions.parse("--device standin --grad y").device == "standin"
    assert region_of(npc.compile(steps, device="standin"), np.ones(5), 1.1).tier == SINGLE
    with pytest.raises(ValueError, match="dtype: 'float16' is not one of 'float64', 'float32'"):
        npc.settings.dtype = "float16"  # type: ignore[assignment]


def test_a_check_finds_nothing_but_rounding() -> None:
    compiled = npc.compile(steps, device="standin", dtype="float32")
    found = npc.compare(compiled, np.random.default_rng(0).random(50), 1.1)
    assert (found.equal, found.tier) == (True, SINGLE)
    assert found.rounding > 1e6


def test_the_function_says_what_is_wrong() -> None:
    with pytest.raises(ValueError, match="'half' is not one of"):
        npc.compile(steps, device="standin", dtype="half")
    with pytest.raises(ValueError, match="belongs to a device"):
        npc.compile(steps, dtype="float32")
    with pytest.raises(ValueError, match="device 'standin float32' is not known"):
        npc.compile(steps, device=SINGLE)


def test_sums_of_products_round_more_often() -> None:
    compiled = npc.compile(lambda a: a @ a, device="standin", dtype="float32")
    square = np.random.default_rng(0).random((200, 200))
    precision = region_of(compiled, square).copies.precision
    assert precision.measured < precision.predicted < 1e-6
