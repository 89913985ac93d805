"""Fourier transforms in native loops: NumPy's own, bit by bit."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import jupyter_npcompile
from jupyter_npcompile.loops.library import transforms
from tests.support.loops.native_batches import compiled_together
from tests.support.loops.native_loops import compiled, define, differences, how, outcome

pytestmark = pytest.mark.skipif(not transforms.ufuncs(), reason="NumPy has other transforms here")

TEXT = "def f(x, z, n, k):\n    for _ in range(k):\n        t = np.fft.{}\n    return t"

ONE = (
    "fft(x)",
    "fft(z)",
    "fft(x * z)",
    "fft(z[::-1])",
    "ifft(z)",
    "ifft(x)",
    "rfft(x)",
    "rfft(x - 1)",
    "irfft(z)",
    "irfft(x)",
    "fft(z, n)",
    "fft(z, 2 * n)",
    "ifft(z, n=n + 1)",
    "rfft(x, n)",
    "rfft(x, n + 1)",
    "irfft(z, n)",
    "irfft(z, 2 * n + 1)",
    "fft(z, norm='ortho')",
    "ifft(z, norm='forward')",
    "rfft(x, norm='forward')",
    "irfft(z, None, -1, 'ortho')",
    "ifft(np.fft.fft(z) * x).real",
    "irfft(np.fft.rfft(x) * np.arange(len(x) // 2 + 1), len(x))",
)
SEVERAL = (
    *("fft(z, axis=0)", "ifft(z, n, 0)", "rfft(x, axis=0)", "irfft(z, axis=0)"),
    *("fft2(z)", "ifft2(x)", "rfft2(x)", "irfft2(z)", "fft2(z, norm='ortho')", "fft(z, axis=-2)"),
    *("fftn(z)", "ifftn(x, norm='forward')", "rfftn(x)", "irfftn(z)", "fft2(x, (n, n + 3))"),
    *("irfft2(z, s=x.shape[-2:])", "rfft2(x, s=(n, 2 * n))", "fft(z[..., ::2], axis=0)"),
)


@pytest.fixture(scope="module", autouse=True)
def _native() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jupyter_npcompile.settings, "tier", "native-loop")
        patch.setattr(jupyter_npcompile.settings, "first_run_check", "off")
        with compiled_together():
            for expressions, shapes in ((ONE, [(6,)]), (SEVERAL, [(4, 6), (2, 4, 6)])):
                for expression in expressions:
                    for shape in shapes:
                        outcome(compiled(define(TEXT.format(expression))), given(shape))
        yield


def given(shape: tuple[int, ...], n: int = 5) -> tuple[Any, ...]:
    """Real and complex numbers, a length, and how often."""
    rng = np.random.default_rng(sum(shape))
    x = rng.normal(size=shape)
    return x, x + 1j * rng.normal(size=shape), n, 2


def assert_same(expression: str, *values: tuple[Any, ...], ran: str = "native") -> None:
    function = define(TEXT.format(expression))
    native = compiled(function)
    for one in values:
        wrong = differences(outcome(function, one), outcome(native, one))
        assert not wrong, (expression, wrong)
        if ran == "native":
            assert function(*one).tobytes() == native(*one).tobytes()
    assert how(native) == ran


@pytest.mark.parametrize("expression", ONE)
def test_of_one_dimension(expression: str) -> None:
    lengths = (2, 6, 7, 64, 97, 1000)
    assert_same(expression, *(given((length,)) for length in lengths), given((30,), n=64))


@pytest.mark.parametrize("expression", SEVERAL)
@pytest.mark.parametrize("ndim", [2, 3])
def test_of_several(expression: str, ndim: int) -> None:
    """Whatever the arrays' shape, also where elements of a column push each other away."""
    shapes = [(4, 6), (9, 5), (128, 128), (130, 128), (3, 8)]
    shapes = [(2, *shape)[-ndim:] for shape in shapes]
    assert_same(expression, *map(given, shapes))


@pytest.mark.parametrize("expression", ["fft(z)", "fft2(z)", "irfft(z, axis=0)", "rfft2(x)"])
def test_of_arrays_in_another_order(expression: str) -> None:
    """NumPy keeps the order; where that shows, it is left to NumPy."""
    x, z, n, k = given((6, 8))
    function = define(TEXT.format(expression))
    native = compiled(function)
    for change in (np.asfortranarray, lambda a: a[::-1], lambda a: a[:, ::2], lambda a: a.T):
        one = change(x), change(z), n, k
        wrong = differences(outcome(function, one), outcome(native, one))
        assert not wrong, wrong
        assert function(*one).strides == native(*one).strides


@pytest.mark.parametrize(
    "expression",
    ["fft(z, 0)", "irfft(z[:1])", "fft(z[:0])", "fft(z, axis=3)", "fft(z, 2.0)", "fft(z, norm=3)"],
)
def test_what_numpy_raises(expression: str) -> None:
    assert_same("fft(z)", given((6,)))
    function = define(TEXT.format(expression))
    wrong = differences(outcome(function, given((6,))), outcome(compiled(function), given((6,))))
    assert not wrong, wrong


def test_what_numpy_warns_of() -> None:
    x, z, n, k = given((6,))
    bad = x.copy()
    bad[2] = np.inf
    function = define(TEXT.format("rfft(x)"))
    native = compiled(function)
    for one in ((x, z, n, k), (bad, z, n, k), (bad * np.nan, z, n, k)):
        wrong = differences(outcome(function, one), outcome(native, one))
        assert not wrong, wrong


def test_other_numbers_go_to_numpy() -> None:
    for dtype in (np.float32, np.int64, np.complex64):
        x, _, n, k = given((8,))
        one = (x * 10).astype(dtype), x, n, k
        function = define(TEXT.format("fft(x)"))
        wrong = differences(outcome(function, one), outcome(compiled(function), one))
        assert not wrong, wrong


def test_other_threads_run_meanwhile() -> None:
    """A long transform does not keep Python's lock; several threads have their own results."""
    function = define(TEXT.format("ifft(np.fft.fft(z) * x)"))
    native = compiled(function)
    results: list[Any] = []
    arguments = [given((1 << 15,)), given((1 << 14,)), given((3 * 5 * 7 * 11,))]
    native(*arguments[0])

    def work() -> None:
        results.append([native(*one).tobytes() for one in arguments])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [[function(*one).tobytes() for one in arguments]] * 4
