"""Products of matrices and vectors between kernels, in C++. Imports torch.

Small products are written out, with sizes that the compiler knows. For others,
the library is called that NumPy brings along.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import torch
from torch import Tensor
from torch.fx import Node

from jupyter_npcompile.autodiff.chains import (
    Layouts,
    Link,
    NotNativeError,
    copied,
    ctype,
    demand,
    nbytes,
    over,
)
from jupyter_npcompile.autodiff.library_table import FUNCTIONS
from jupyter_npcompile.autodiff.stages import name_of
from jupyter_npcompile.loops.library.linear_algebra import addresses
from jupyter_npcompile.runtime.native.scratch import aligned

INLINE = 4096
"""Multiplications of a product that is written out."""

INLINE_ALONE = 1 << 15
"""The same where there is no library to call."""

PLAIN, TURNED = "NPCOMPILE_PLAIN", "NPCOMPILE_TURNED"
"""How a matrix lies for the library: row by row, or column by column."""


def demand_library() -> None:
    """Make sure that NumPy's library has the functions that are called."""
    if not addresses(FUNCTIONS):
        raise NotNativeError("NumPy's library has other names here")


def _matrices(node: Node, layouts: Layouts) -> tuple[Tensor, Tensor, Tensor]:
    """Both operands and the result, as stacks of matrices."""
    a, b = (layouts.of(arg) for arg in node.args[:2])  # type: ignore[arg-type]
    c = layouts.of(node)
    name = name_of(node)
    demand(a.dtype == b.dtype == c.dtype and c.is_contiguous() and c.numel() > 0)
    demand(a.numel() > 0 and a.dtype in (torch.float64, torch.float32))
    if name in ("dot", "vdot"):
        return a[None, None], b[None, :, None], c[None, None, None]
    if name == "mv":
        return a[None], b[None, :, None], c[None, :, None]
    return (a[None], b[None], c[None]) if name == "mm" else (a, b, c)


def matrix_product(node: Node, layouts: Layouts) -> Link:
    """``a @ b``."""
    a, b, c = _matrices(node, layouts)
    (count, m, k), n = a.shape, b.shape[2]
    kind = ctype(c)
    places = [[a.stride(0)], [b.stride(0)], [m * n]]
    operands = cast("list[Node]", [*node.args[:2]])

    def pointers(given: Sequence[str], made: Sequence[str]) -> tuple[str, str, str]:
        x, y = (f"(const {kind}*)({place}) + o{i}" for i, place in enumerate(given))
        return x, y, f"({kind}*)({made[0]}) + o2"

    if k == 1 or m * n * k <= (INLINE if addresses(FUNCTIONS) else INLINE_ALONE):
        strides = (*a.stride()[1:], *b.stride()[1:])

        def small(given: Sequence[str], made: Sequence[str], own: str) -> list[str]:
            sizes = ", ".join(map(str, (m, k, n, *strides)))
            call = f"npcompile_product<{kind}, {sizes}>({', '.join(pointers(given, made))});"
            return [over((count,), places, call)]

        return Link(operands, [node], [nbytes(c)], small)
    demand_library()
    left, right = _Operand(a), _Operand(b)

    def large(given: Sequence[str], made: Sequence[str], own: str) -> list[str]:
        lines, given = [], list(given)
        for i, operand in enumerate((left, right)):
            if operand.is_copied:
                lines.append(copied(operand.layout, given[i], own))
                given[i], own = own, f"{own} + {operand.room}"
        x, y, z = pointers(given, made)
        if n == 1:
            call = left.times(x, y, right.dense.stride(1), z)
        elif m == 1:
            call = right.times(y, x, left.dense.stride(2), z, other=True)
        else:
            shared = f"{left.turned}, {right.turned}, {m}, {n}, {k}"
            call = f"npcompile_gemm({shared}, {x}, {left.lead}, {y}, {right.lead}, {z});"
        steps = [[left.dense.stride(0)], [right.dense.stride(0)], [m * n]]
        return [*lines, over((count,), steps, call)]

    room = sum(operand.room for operand in (left, right) if operand.is_copied)
    return Link(operands, [node], [nbytes(c)], large, room)


class _Operand:
    """Matrices as the library wants them: rows or columns one after the other."""

    def __init__(self, layout: Tensor) -> None:
        self.layout = layout
        self.dense = layout
        self.is_copied = not self._fits()
        if self.is_copied:
            self.dense = torch.empty(layout.shape, dtype=layout.dtype, device="meta")
            self._fits()
        self.room = aligned(layout.numel() * layout.element_size())

    def _fits(self) -> bool:
        _, rows, columns = self.dense.shape
        _, down, right = self.dense.stride()
        if (right == 1 or columns == 1) and (rows == 1 or down >= columns):
            self.turned, self.lead = PLAIN, down if rows > 1 else columns
            return True
        self.turned, self.lead = TURNED, right if columns > 1 else rows
        return (down == 1 or rows == 1) and (columns == 1 or right >= rows)

    def times(self, matrix: str, x: str, step: int, y: str, *, other: bool = False) -> str:
        """The product with a vector; ``other`` for the vector from the left."""
        lies_turned = self.turned == TURNED
        _, rows, columns = self.dense.shape
        lying = (columns, rows) if lies_turned else (rows, columns)
        turned = TURNED if lies_turned != other else PLAIN
        step = max(step, 1)
        return (
            f"npcompile_gemv({turned}, {lying[0]}, {lying[1]}, {matrix}, {self.lead}, "
            f"{x}, {step}, {y});"
        )
