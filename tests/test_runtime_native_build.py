"""Building native code takes a time that grows with the size of the graph, not faster."""

from __future__ import annotations

import pytest

from jupyter_npcompile.runtime import compile_worker
from tests.native import assert_same

SECONDS = 60.0
"""Far more than these need, which is one or two."""

CHEBYSHEV = """
b, c = 0.0 * x, 0.0 * x
for k in range(40):
    b, c = 2.0 * x * b - c + 1.0 / (k + 1), b
y = x * b - c + 0.5
"""
"""Clenshaw's recurrence: each value is used by the next two."""


@pytest.mark.slow
@pytest.mark.parametrize("x", ["np.arange(5.0) / 5", "np.full((), 0.25)", "given"])
def test_recurrences(monkeypatch: pytest.MonkeyPatch, x: str) -> None:
    monkeypatch.setattr(compile_worker, "LONGEST", SECONDS)
    assert_same(
        f"x = {x}{CHEBYSHEV}", setup="given = np.linspace(-1, 1, 50)", tier="inductor", ulps=64.0
    )
