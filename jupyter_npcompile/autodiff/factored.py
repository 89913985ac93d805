"""Systems of equations by factors, which are found once where the matrix stays the same.

Imports torch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

_aten = torch.ops.aten


def _solve(a: Tensor, b: Tensor, *, left: bool = True, check_errors: bool = False) -> Any:
    if not left or b.ndim < 2:
        return NotImplemented
    factors, pivots, info = _aten.linalg_lu_factor_ex.default(a)
    return _aten.linalg_lu_solve.default(factors, pivots, b), factors, pivots, info


def _inverse(a: Tensor, *, check_errors: bool = False) -> Any:
    factors, pivots, info = _aten.linalg_lu_factor_ex.default(a)
    one = torch.eye(a.shape[-1], dtype=a.dtype, device=a.device).expand(a.shape)
    return _aten.linalg_lu_solve.default(factors, pivots, one), info


FACTORED: Mapping[Any, Callable[..., Any]] = {
    _aten._linalg_solve_ex.default: _solve,
    _aten.linalg_inv_ex.default: _inverse,
}
"""Decompositions, by operation."""
