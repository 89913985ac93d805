"""What was compiled for some values and meets others: NumPy's results, warnings and types."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile as npc
from jupyter_npcompile.runtime.functions import handle_of

NAN, INF = np.nan, np.inf
A = np.arange(4.0).reshape(2, 2)


@pytest.fixture(autouse=True)
def _forced() -> None:
    npc.settings.tier, npc.settings.first_run_check = "aten", "raise"


def settings_of(precision: Any) -> Any:
    before = np.seterr(all="ignore")
    after = np.seterr(**before)
    np.set_printoptions(precision=precision)
    shown = np.array_repr(np.array([1 / 3]))
    np.set_printoptions(precision=8)
    return before, after, shown, np.getbufsize()


def method_kept(x: Any) -> Any:
    masked = np.ma.array(x, mask=x > 1)
    total = getattr(masked, "sum")  # noqa: B009 - as somebody may write it
    mean = masked.mean
    y = x + 1
    return total(), mean(), y


def written_by_iterator() -> Any:
    a = np.arange(6, dtype="f4").reshape(2, 3)
    outer, inner = np.nested_iters(
        a,
        [[0], [1]],
        op_flags=["readwrite"],
        flags=["buffered"],
        op_dtypes="f8",
        casting="same_kind",
    )
    with outer, inner:
        for _ in outer:
            for x in inner:
                x[...] = x * 2
    return a


def used_late(x: Any, a: Any) -> Any:
    y = a * 2
    z = x + 1
    w = int(x.sum() * y)
    return y, z, w


def divided(x: Any) -> Any:
    with np.errstate(invalid="ignore", divide="ignore"):
        y = complex(INF, NAN) / x
        z = complex(NAN, -INF) * x + y
    return y, z


CASES: dict[str, tuple[Callable[..., Any], list[tuple[Any, ...]]]] = {
    "nanmedian of nothing": (
        lambda x: (np.nanmedian(x, axis=0), np.nanmedian(x)),
        [(A,), (np.full((2, 2), NAN),), (np.array([[INF, NAN], [NAN, NAN]]),), (A,)],
    ),
    "complex constants that are not finite": (
        divided,
        [(np.array([0j]),), (np.array([2.0 - 1j]),)],
    ),
    "sign of what is not finite": (
        np.sign,
        [(np.array([1 + 1j, 0, -2j]),), (np.array([complex(-INF, 0), NAN * 1j, 1]),)],
    ),
    "steps without end": (lambda x: np.arange(0, 1, INF) + x, [(1.0,), (2.0,)]),
    "arguments behind the output": (
        lambda x: (np.sum(x, 0, None, None, True), np.add.reduce(x, 0, None, None, True, 5)),
        [(A,), (A,)],
    ),
    "matrices along other axes": (
        lambda x: (
            np.matmul(x, x, axes=[(1, 0), (0, 1), (1, 0)]),
            np.vecdot(x, x, axes=[0, 0, 0]),
        ),
        [(A,), (A,)],
    ),
    "elements of a flat array": (
        lambda x: (x.flat[[1, 2]], x.flat[[True, False, True, True]]),
        [(A,), (A,)],
    ),
    "all elements of a flat array": (lambda x: x.flat[...].base is None, [(A,), (A,)]),
    "a number that is used first where the recording ends": (used_late, [(A, 2), (A, 3), (A, 2.5)]),
    "the base of a view of what may be a view": (
        lambda x: (x[::2].base is x, x.base is None, x.flags.owndata, x + 1),
        [(np.arange(4.0),), (np.arange(5.0)[:4],), (np.arange(4.0),)],
    ),
    "zeros of two signs between bounds": (
        lambda x: (np.clip(x, 0, 1), np.clip(-x, -1.0, -0.0)),
        [(np.array([1.0, 2, -1, 0]),), (np.array([-0.0, 0, -1, NAN]),)],
    ),
    "powers of truth values": (
        lambda b, k: (b**2, np.sqrt(b**k), (b**2).sum(), b**3, np.power(b, 2)),
        [(np.array([True, False]), k) for k in (2, 2, 3, 1, 2.0, 2)],
    ),
    "global settings": (settings_of, [(3,), (4,)]),
    "methods of objects are kept": (method_kept, [(np.arange(3.0),), (np.arange(4.0),)]),
    "an iterator that writes": (written_by_iterator, [(), ()]),
    "tolerances without end": (
        lambda x, t: (np.isclose(x, x + 1, rtol=t), np.allclose(x, x, atol=t)),
        [(A, 1e-5), (A, INF), (A, np.float64(NAN)), (A, 0.5), (A, np.float64(1))],
    ),
    "tolerances that never end": (lambda x, t: np.isclose(x, x + 1, rtol=t), [(A, INF), (A, INF)]),
    "places of NaN": (
        lambda x, v: (np.searchsorted(x, v), np.digitize(v, [0.0, 1.0])),
        [(np.array([0, 1, NAN]), np.ones(2)), (np.array([0, 1, NAN]), np.array([0, NAN]))],
    ),
    "nanpercentile of nothing": (
        lambda x: np.nanpercentile(x, 30, axis=0),
        [(A,), (np.full((2, 2), NAN),), (A,)],
    ),
}


def seen(function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[str, list[str]]:
    arguments = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = repr(function(*arguments))
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
    return f"{result} {arguments}", [f"{w.category.__name__}: {w.message}" for w in caught]


def test_files_are_read_again(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"

    @npc.compile
    def read() -> Any:
        return np.loadtxt(PATHS[0]) * 2, np.fromfile(PATHS[0], dtype=np.uint8).sum()

    PATHS[:] = [str(path)]
    for number in (1.0, 2.0, 3.0):
        path.write_text(f"{number}\n")
        doubled, _ = read()
        assert doubled == 2 * number


PATHS: list[str] = []


if hasattr(np, "matvec"):
    CASES["a matrix and a vector along other axes"] = (
        lambda x: np.matvec(x, x[0], axes=[(1, 0), 0, 0]),
        [(A,), (A,)],
    )


@pytest.mark.parametrize("name", CASES)
def test_replay(name: str) -> None:
    function, calls = CASES[name]
    compiled = npc.compile(function)
    for args in calls:
        assert seen(compiled, args) == seen(function, args)
    handle: Any = handle_of(compiled)
    states = handle.states if hasattr(handle, "states") else [handle.state]
    notes = [note for state in states for note in state.closed.values()]
    notes += [plan.note for state in states for plan in state.every_plan()]
    assert not [note for note in notes if "failed" in note or "internal" in note]


def test_sections_may_be_none() -> None:
    def sections(x: Any) -> Any:
        return np.add.reduceat(x, np.arange(0, x.shape[0], 2), axis=0) * 2

    report = npc.explain(sections, A[:0])
    assert not report.breaks
    assert [line.reason for line in report.lines] == [None]
    compiled = npc.compile(sections)
    for x in (A, A[:0], A[:0].astype("f4"), A[:0, :0]):
        for _ in range(3):
            one, other = sections(x), compiled(x)
            assert (one.dtype, one.shape, one.tolist()) == (
                other.dtype,
                other.shape,
                other.tolist(),
            )


def heard(function: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        function(A, INF)
    return [str(one.message) for one in warned]


def test_a_recording_hears_the_warnings_of_tolerances() -> None:
    """Older versions of NumPy have none."""

    @npc.compile
    def close(x: Any, t: Any) -> Any:
        return np.isclose(x, x + 1, rtol=t)

    npc.settings.tier = "auto"
    for _ in range(2):
        assert heard(close) == heard(lambda x, t: np.isclose(x, x + 1, rtol=t))
