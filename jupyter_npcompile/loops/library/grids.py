"""What is made by square brackets: ``np.r_[0, x]``, ``np.mgrid[:n, 0:1:5j]``.

Arrays that lie one after the other, or beside each other, are put together here; for the rest
NumPy is called.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.loops import elementwise, hosts
from jupyter_npcompile.loops.calls import elements
from jupyter_npcompile.loops.library import axes, stacks
from jupyter_npcompile.loops.library.creation import array_call
from jupyter_npcompile.loops.values import Applied, Gathered, Items, Known, Ref, Scalar, Value

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
    args, slices = parts_of(t, node)
    if not any(slices):
        if grid is np.r_ and _are_a_row(args):
            return _in_a_row(t, args)
        if grid is np.c_ and all(map(_is_column, args)):
            return _side_by_side(t, args)
    if grid is np.mgrid and all(slices):
        counted = axes.ranges(t, args)
        if counted is not None:
            return axes.whole(t, *counted)
    return hosts.call(t, Bracket(grid, slices), args, {})


def parts_of(t: Names, node: ast.expr) -> tuple[list[Value], tuple[bool, ...]]:
    """What stands in square brackets, three values for a slice, and which parts are slices."""
    items = node.elts if isinstance(node, ast.Tuple) else [node]
    given: list[ast.expr | None] = []
    for item in items:
        given += [item.lower, item.upper, item.step] if isinstance(item, ast.Slice) else [item]
    values = iter(t.expressions([part for part in given if part is not None]))
    args: list[Value] = [Known(None) if part is None else next(values) for part in given]
    return args, tuple(isinstance(item, ast.Slice) for item in items)


def are_slices(node: ast.expr) -> bool:
    """Whether all that stands in square brackets are slices."""
    items = node.elts if isinstance(node, ast.Tuple) else [node]
    return all(isinstance(item, ast.Slice) for item in items)


def _are_a_row(parts: Sequence[Value]) -> bool:
    """Whether these are rows, and numbers that do not change the dtype of all of it."""
    rows = [part for part in parts if isinstance(part, (Ref, Applied, Gathered))]
    numbers = [part for part in parts if isinstance(part, Scalar)]
    return (
        len(rows) + len(numbers) == len(parts)
        and bool(rows)
        and all(row.ndim == 1 and row.dtype in ("float64", "int64") for row in rows)
        and all(not it.type.mixed and it.type.kind in "if" for it in numbers)
    )


def _in_a_row(t: Names, parts: Sequence[Value]) -> Ref:
    rows = [
        array_call(t, [Items((part,))], {}) if isinstance(part, Scalar) else part for part in parts
    ]
    refs = [elementwise.materialise(t.writer, elements(row)) for row in rows]
    return stacks.put_together(t, refs, 0)


def _is_column(part: Value) -> bool:
    return isinstance(part, (Ref, Applied, Gathered)) and part.ndim in (1, 2)


def _side_by_side(t: Names, parts: Sequence[Value]) -> Ref:
    refs = [elementwise.materialise(t.writer, elements(part)) for part in parts]
    columns = [stacks.with_axis(t, ref, 1) if ref.ndim == 1 else ref for ref in refs]
    return stacks.put_together(t, columns, 1)
