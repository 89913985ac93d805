"""What is made by square brackets: ``np.r_[0, x]``, ``np.mgrid[:n, 0:1:5j]``. NumPy is called."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.loops import hosts
from jupyter_npcompile.loops.values import Known, Value

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names

GRIDS = (np.r_, np.c_, np.mgrid)


def is_grid(value: Any) -> bool:
    """Whether something makes arrays of what stands in its square brackets."""
    return any(value is grid for grid in GRIDS)


class Bracket:
    """A function of all that stands in square brackets.

    Parameters
    ----------
    grid : object
        What has the brackets.
    slices : tuple of bool
        Which of the parts are slices: these are three arguments.

    Examples
    --------
    >>> Bracket(np.r_, (False, True))(7, 0, 3, None)
    array([7, 0, 1, 2])
    """

    def __init__(self, grid: Any, slices: tuple[bool, ...]) -> None:
        self.grid = grid
        self.slices = slices
        self.__name__ = type(grid).__name__

    def __call__(self, *args: Any) -> Any:
        """What the brackets give."""
        given = iter(args)
        parts = [
            slice(next(given), next(given), next(given)) if cut else next(given)
            for cut in self.slices
        ]
        return self.grid[tuple(parts) if len(parts) > 1 else parts[0]]


def read(t: Names, grid: Any, node: ast.expr) -> Value:
    """Write what square brackets give."""
    items = node.elts if isinstance(node, ast.Tuple) else [node]
    given: list[ast.expr | None] = []
    for item in items:
        given += [item.lower, item.upper, item.step] if isinstance(item, ast.Slice) else [item]
    values = iter(t.expressions([part for part in given if part is not None]))
    args: list[Value] = [Known(None) if part is None else next(values) for part in given]
    slices = tuple(isinstance(item, ast.Slice) for item in items)
    return hosts.call(t, Bracket(grid, slices), args, {})
