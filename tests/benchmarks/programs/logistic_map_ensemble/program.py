"""Lyapunov exponents of the logistic map.

For many values of r at once, x' = r x (1 - x) is iterated; the exponent is the
mean of log |r (1 - 2 x)| along the orbit (R. May, Nature 261, 1976).
"""

from __future__ import annotations

from typing import Any

import numpy as np

CLASS = "elementwise chains"
SIZES = {
    "small": {"count": 100, "steps": 10},
    "medium": {"count": 100_000, "steps": 10},
    "large": {"count": 1_000_000, "steps": 20},
}
RTOL = 1e-6
ATOL = 1e-6


def make(count: int, steps: int) -> tuple[Any, ...]:
    """Parameters in the stable and the periodic range, where rounding does not grow."""
    return np.linspace(2.5, 3.4, count), steps


def run(r: Any, steps: int) -> Any:
    """The exponent for each r."""
    x = np.full_like(r, 0.3)
    total = np.zeros_like(r)
    for _ in range(steps):
        x = r * x * (1.0 - x)
        total += np.log(np.abs(r * (1.0 - 2.0 * x)) + 1e-12)
    return total / steps


def check(result: Any, r: Any, steps: int) -> None:
    """At r = 2.5 the orbit falls to the fixed point 0.6, whose multiplier is -1/2."""
    if steps >= 20:
        assert abs(result[0] - np.log(0.5)) < 0.1


def bytes_moved(count: int, steps: int) -> int:
    """The parameters in and the exponents out."""
    return 16 * count
