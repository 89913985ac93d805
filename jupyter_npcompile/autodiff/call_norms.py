"""How large the gradients of one function were, call by call."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.autodiff.trees import flatten
from jupyter_npcompile.graph.gradients import GradientReport, norm

if TYPE_CHECKING:
    from jupyter_npcompile.autodiff.transforms import Gradient

MOST = 400
"""Calls that are remembered; of more, every second, then every fourth ..."""

CLOSE = 1e-9
"""Relative difference of norms of the same gradient, computed twice."""


class CallNorms:
    """Norms of the gradients of a function, for one way of calling it.

    To look at a gradient takes a few microseconds, so of many calls most are left out.

    Parameters
    ----------
    derivative : Gradient
        Its ``grad`` or ``value_and_grad``.
    """

    def __init__(self, derivative: Gradient) -> None:
        self._function: Callable[..., Any] = derivative.function
        self._argnums = derivative.argnums
        self.calls = 0
        self.every = 1
        self.rows: list[list[float | None]] = []

    def belongs_to(self, derivative: Gradient) -> bool:
        """Whether it is the same function, differentiated by the same arguments."""
        return derivative.function is self._function and derivative.argnums == self._argnums

    def add(self, derivative: Gradient, args: Sequence[Any], parts: Sequence[Any]) -> None:
        """Note a call, which gave a gradient for each argument that it was asked for."""
        if self.calls % self.every == 0:
            by_position = dict(zip(derivative.positions(args), parts, strict=True))
            leaves = flatten([by_position[position] for position in sorted(by_position)])[0]
            if self.rows and len(leaves) != len(self.rows[-1]):
                self.rows.clear()
            self.rows.append([_size(leaf) for leaf in leaves])
            if len(self.rows) == MOST:
                self.rows, self.every = self.rows[::2], self.every * 2
        self.calls += 1

    def before(self, report: GradientReport) -> list[dict[str, float | None]]:
        """The calls before the one of a report, which may be the last one, looked at again."""
        keys, now = report.keys, list(report.norms().values())
        if not self.rows or len(self.rows[-1]) != len(keys):
            return []
        rows = self.rows[:-1] if _alike(self.rows[-1], now) else self.rows
        return [dict(zip(keys, row, strict=True)) for row in rows]

    @property
    def thinned(self) -> str:
        """What is left out, in words."""
        if self.every == 1:
            return ""
        return f"of {self.calls} calls the history shows one in {self.every}"


def _size(gradient: Any) -> float | None:
    """The norm of a gradient; None where it is not finite.

    Examples
    --------
    >>> _size(np.array([3.0, 4.0])), _size(np.float32(-2.0)), _size(np.array([np.nan]))
    (5.0, 2.0, None)
    """
    with np.errstate(all="ignore"):
        size = math.sqrt(np.vdot(gradient, gradient).real)
        if 1e-100 < size < 1e100 and np.asarray(gradient).dtype.itemsize >= 8:
            return size
        finite = np.abs(np.asarray(gradient)).astype(float)
    return norm(finite) if np.isfinite(finite).all() else None


def _alike(one: Sequence[float | None], other: Sequence[float | None]) -> bool:
    return all(
        a == b or (a is not None and b is not None and math.isclose(a, b, rel_tol=CLOSE))
        for a, b in zip(one, other, strict=True)
    )
