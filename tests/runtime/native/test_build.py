"""Building native code takes a time that grows with the size of the graph, not faster."""

from __future__ import annotations

import pytest

from jupyter_npcompile.runtime.native.gxx import CodeRefusedError, CompilerFailedError
from jupyter_npcompile.runtime.native.inductor import with_or_without_vectors
from tests.support.cells.native import assert_same

CHEBYSHEV = """
b, c = 0.0 * x, 0.0 * x
for k in range(40):
    b, c = 2.0 * x * b - c + 1.0 / (k + 1), b
y = x * b - c + 0.5
"""
"""Clenshaw's recurrence: each value is used by the next two."""


@pytest.mark.slow
@pytest.mark.parametrize("x", ["np.arange(5.0) / 5", "np.full((), 0.25)", "given"])
def test_recurrences(x: str) -> None:
    setup = "given = np.linspace(-1, 1, 50)"
    assert_same(f"x = {x}{CHEBYSHEV}", setup=setup, tier="inductor", ulps=64.0)


MIXED = """
mean = u.mean(axis=1, keepdims=True)
either = np.concatenate([b, a], axis=1)[:6, :9]
chosen = np.where(mean > b.astype("int8"), mean, either)
a[1:] += a[:-1]
"""
"""Truth values that are chosen like numbers: the vectors that Inductor writes have masks of two
types, which no compiler takes (2.13)."""


@pytest.mark.slow
def test_masks_of_two_types() -> None:
    arrays = (
        "rng = np.random.default_rng(0)\na, b, u = (rng.random((6, 9)) < 0.5 for _ in range(3))"
    )
    assert_same(MIXED, setup=arrays, tier="inductor")


@pytest.mark.slow
def test_unsigned_integers_that_are_kept_and_read_again() -> None:
    code = "t = np.roll(x, 1, axis=0).sum(axis=0)\ny = (t + x).cumsum(axis=1)\nz = y[::-1] - t"
    arrays = "x = np.random.default_rng(0).integers(0, 2**64, (6, 9), dtype=np.uint64)"
    assert_same(code, setup=arrays, tier="inductor")


def test_code_without_vectors_is_tried_where_the_compiler_refuses() -> None:
    from torch._inductor import config
    from torch._inductor.cpu_vec_isa import pick_vec_isa

    tried = []

    def build() -> str:
        tried.append(config.cpp.simdlen)
        if len(tried) < 2:
            raise CodeRefusedError("g++: error")
        assert not pick_vec_isa()
        return "built"

    before = config.cpp.simdlen
    assert with_or_without_vectors(build) == "built"
    assert tried == [before, 1]
    assert config.cpp.simdlen == before


@pytest.mark.parametrize(("error", "times"), [(CompilerFailedError, 1), (CodeRefusedError, 2)])
def test_what_fails_anyhow_fails(error: type[CompilerFailedError], times: int) -> None:
    tried = []

    def build() -> None:
        tried.append(True)
        raise error("g++")

    with pytest.raises(error):
        with_or_without_vectors(build)
    assert len(tried) == times
