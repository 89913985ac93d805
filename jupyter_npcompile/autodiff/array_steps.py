"""Calls between compiled pieces that NumPy makes: views, and products of matrices.

A view costs torch three microseconds and NumPy a third of one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Step = Callable[..., Any]


def _transposed(x: Any, first: int, second: int) -> Any:
    return x.swapaxes(first, second)


def _selected(x: Any, axis: int, index: int) -> Any:
    return x[(slice(None),) * (axis % x.ndim) + (index, ...)]


def _sliced(
    x: Any, axis: int = 0, start: int | None = None, stop: int | None = None, step: int = 1
) -> Any:
    return x[(slice(None),) * (axis % x.ndim) + (slice(start, stop, step),)]


def _expanded(x: Any, shape: list[int]) -> Any:
    front = len(shape) - x.ndim
    full = [x.shape[k - front] if n == -1 else n for k, n in enumerate(shape)]
    return np.broadcast_to(x, full)


def _squeezed(x: Any, axes: int | list[int] | None = None) -> Any:
    asked = range(x.ndim) if axes is None else [axes] if isinstance(axes, int) else axes
    return np.squeeze(x, tuple(k for k in asked if x.shape[k] == 1))


def _product(x: Any, y: Any) -> Any:
    return np.asarray(x.dot(y))


def _sum_and_product(bias: Any, x: Any, y: Any) -> Any:
    with np.errstate(all="ignore"):
        return x.dot(y) + bias


def _products(x: Any, y: Any) -> Any:
    with np.errstate(all="ignore"):  # ufuncs warn, torch does not
        return np.matmul(x, y)


STEPS: dict[str, Step] = {
    "detach": lambda x: x,
    "alias": lambda x: x,
    "t": lambda x: x.T,
    "permute": lambda x, axes: x.transpose(axes),
    "transpose": _transposed,
    "view": lambda x, shape: x.reshape(shape),
    "_unsafe_view": lambda x, shape: x.reshape(shape),
    "unsqueeze": np.expand_dims,
    "squeeze": _squeezed,
    "select": _selected,
    "slice": _sliced,
    "expand": _expanded,
    "mm": _product,
    "mv": _product,
    "dot": _product,
    "bmm": _products,
    "addmm": _sum_and_product,
}
"""By the name of the ATen operation; all of real arrays, without keywords.

Examples
--------
>>> STEPS["slice"](np.arange(5), 0, 1, 9223372036854775807)
array([1, 2, 3, 4])
>>> STEPS["expand"](np.ones((2, 1)), [3, 2, 2]).shape
(3, 2, 2)
"""


def step_of(name: str, args: list[Any], kwargs: dict[str, Any]) -> Step | None:
    """NumPy's form of a call, if it has one.

    Parameters
    ----------
    name : str
        The ATen operation, with its overload.
    args, kwargs
        As they were written down.
    """
    packet, _, overload = name.partition(".")
    if kwargs or overload not in ("", "default", "int", "Tensor", "dim", "dims"):
        return None
    return STEPS.get(packet)
