"""What is measured of one step of one program, and how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

CALLS = 3
"""The best of so many counts."""

SAMPLE = 1000
"""Elements of a result that are compared."""


@dataclass(frozen=True)
class Figure:
    """What one way of running a step took.

    Parameters
    ----------
    program, tool, dtype : str
        What ran, with what, and the precision that the device was asked for.
    way : {"copied", "stays"}
        From host memory to host memory, or on data that stays on the device.
    seconds : float
        A step.
    copied : int or None
        Bytes that a step has copied, both ways; None where that is not counted.
    error : float or None
        The largest difference from NumPy's result after one step, as a part of the
        largest element.
    note : str
        What else is to be said, such as why there is no time.
    """

    program: str
    tool: str
    dtype: str
    way: str
    seconds: float
    copied: int | None = None
    error: float | None = None
    note: str = ""


def best(run: Callable[[], Any], calls: int = CALLS) -> float:
    """Seconds of the fastest of some calls."""
    found = []
    for _ in range(calls):
        began = perf_counter()
        run()
        found.append(perf_counter() - began)
    return min(found)


def sample(result: Any) -> list[float]:
    """Some elements of a result, spread over all of it."""
    flat = np.asarray(result, np.float64).ravel()
    return [float(x) for x in flat[:: max(flat.size // SAMPLE, 1)]]


def difference(result: Any, expected: list[float]) -> float:
    """The largest difference from what was expected, as a part of the largest element."""
    found = np.array(sample(result))
    known = np.array(expected)
    return float(np.abs(found - known).max() / np.abs(known).max())
