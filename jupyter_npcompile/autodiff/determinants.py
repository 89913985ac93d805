"""The derivative of the determinant, also of matrices that have no inverse."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from jupyter_npcompile.tracer.lowering.linear_algebra import inexact_matrix
from jupyter_npcompile.tracer.lowering.trace import Trace
from jupyter_npcompile.tracer.lowering.values import Owner, Value

SMALLEST = 1e-6
"""Pivots of a matrix with an inverse that has some correct digits, relative to the largest."""

SMALL = 16
"""Rows up to which a determinant is computed without division."""


def det(trace: Trace, a: object) -> Value:
    """``np.linalg.det`` where every derivative exists: it is a polynomial."""
    matrix, kind = inexact_matrix(trace, a)
    regular = _is_regular(matrix)
    if not torch._C._functorch.is_batchedtensor(regular) and bool(regular.all()):
        return Owner(torch.linalg.det(matrix), kind)
    identity = torch.eye(matrix.shape[-1], dtype=matrix.dtype, device=matrix.device)
    mask = regular.unsqueeze(-1).unsqueeze(-1)
    simple = torch.linalg.det(torch.where(mask, matrix, identity))
    there = matrix if matrix.shape[-1] <= SMALL else torch.where(mask, identity, matrix)
    return Owner(torch.where(regular, simple, _singular(there)), kind)


def checked_det(trace: Trace, a: object) -> Value:
    """The same for compiled code, which leaves what has no inverse to the tape."""
    matrix, kind = inexact_matrix(trace, a)
    found, factors, _ = torch.ops.aten._linalg_det.default(matrix)
    trace.check(_has_pivots(factors.detach()).all())
    return Owner(found, kind)


def _is_regular(matrix: Tensor) -> Tensor:
    return _has_pivots(torch.linalg.lu_factor_ex(matrix.detach()).LU)


def _has_pivots(factors: Tensor) -> Tensor:
    pivots = torch.diagonal(factors, dim1=-2, dim2=-1).abs()
    if not pivots.shape[-1]:
        return torch.ones(pivots.shape[:-1], dtype=torch.bool, device=factors.device)
    return pivots.amin(-1) > SMALLEST * pivots.amax(-1)


def _singular(matrix: Tensor) -> Tensor:
    size = matrix.shape[-1]
    if size > SMALL:
        return _by_singular_values(matrix)
    present: Any = matrix
    for _ in range(size - 1):  # Bird's algorithm: products and sums only
        diagonal = torch.diagonal(present, dim1=-2, dim2=-1)
        below = diagonal.flip(-1).cumsum(-1).flip(-1) - diagonal
        present = (torch.triu(present, 1) - torch.diag_embed(below)) @ matrix
    sign = 1 if size % 2 else -1
    made: Tensor = sign * present[..., 0, 0]
    return made


def _by_singular_values(matrix: Tensor) -> Tensor:
    u, s, vh = torch.linalg.svd(matrix)
    phase = (torch.linalg.det(u) * torch.linalg.det(vh)).detach()
    made: Tensor = phase * torch.prod(s, -1).to(matrix.dtype)
    return made
