"""The same, one orbit after the other."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np


@numba.njit(parallel=True, cache=True)  # type: ignore[untyped-decorator]
def run(r: Any, steps: int) -> Any:
    """The exponent for each r."""
    result = np.empty_like(r)
    for i in numba.prange(r.size):
        x = 0.3
        total = 0.0
        for _ in range(steps):
            x = r[i] * x * (1.0 - x)
            total += np.log(np.abs(r[i] * (1.0 - 2.0 * x)) + 1e-12)
        result[i] = total / steps
    return result
