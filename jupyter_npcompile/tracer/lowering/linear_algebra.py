# ruff: noqa: D103 - each function lowers the NumPy function of its name

"""``numpy.linalg``. What NumPy raises for singular matrices is a check here."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.tracer.lowering import shapes, turns
from jupyter_npcompile.tracer.lowering.products import contracted
from jupyter_npcompile.tracer.lowering.selection import trace as matrix_trace
from jupyter_npcompile.tracer.lowering.trace import Trace
from jupyter_npcompile.tracer.lowering.values import Owner, Value

FLOAT64 = np.dtype("float64")
WELL_CONDITIONED = 1e-5
"""Condition number times epsilon; above it NumPy itself inverts the matrix."""

REAL: dict[str, np.dtype] = {"complex64": np.dtype("float32"), "complex128": FLOAT64}


def _inexact(trace: Trace, *values: Value) -> np.dtype:
    """The dtype in which NumPy's linear algebra computes."""
    kind: np.dtype = np.result_type(*(v.dtype for v in values))
    if kind.kind in "biu":
        return FLOAT64
    if kind.name == "float16":
        trace.unsupported("half precision")
    return kind


def inexact_matrix(trace: Trace, a: object) -> tuple[Tensor, np.dtype]:
    """A matrix in the precision in which NumPy computes with it."""
    x = trace.value(a)
    kind = _inexact(trace, x)
    return trace.cast(x, kind), kind


def _real(kind: np.dtype) -> np.dtype:
    return REAL.get(kind.name, kind)


def _successful(trace: Trace, info: Tensor) -> None:
    trace.check((info == 0).all())


def solve(trace: Trace, a: object, b: object) -> Value:
    x, y = trace.value(a), trace.value(b)
    kind = _inexact(trace, x, y)
    matrix, right = trace.cast(x, kind), trace.cast(y, kind)
    column = right.ndim == 1
    if column:
        right = right.unsqueeze(-1)
    batch = np.broadcast_shapes(matrix.shape[:-2], right.shape[:-2])
    matrix = matrix.expand(*batch, *matrix.shape[-2:])
    right = right.expand(*batch, *right.shape[-2:])
    found, info = torch.linalg.solve_ex(matrix, right)
    _successful(trace, info)
    return Owner(found.squeeze(-1) if column else found, kind)


def inv(trace: Trace, a: object) -> Value:
    matrix, kind = inexact_matrix(trace, a)
    found, info = torch.linalg.inv_ex(matrix)
    _successful(trace, info)
    if matrix.numel():
        # Two libraries agree on the inverse only as far as the matrix allows.
        condition = _row_sum(matrix) * _row_sum(found)
        trace.check((condition < WELL_CONDITIONED / torch.finfo(matrix.dtype).eps).all())
    return Owner(found, kind)


def _row_sum(matrix: Tensor) -> Tensor:
    """The norm that is induced by the maximum norm."""
    return matrix.abs().sum(-1).amax(-1)


def cholesky(trace: Trace, a: object, /, *, upper: object = False) -> Value:
    matrix, kind = inexact_matrix(trace, a)
    found, info = torch.linalg.cholesky_ex(matrix, upper=bool(upper))
    _successful(trace, info)
    return Owner(found, kind)


def det(trace: Trace, a: object) -> Value:
    matrix, kind = inexact_matrix(trace, a)
    return Owner(torch.linalg.det(matrix), kind)


def slogdet(trace: Trace, a: object) -> list[Value]:
    matrix, kind = inexact_matrix(trace, a)
    sign, size = torch.linalg.slogdet(matrix)
    return [Owner(sign, kind), Owner(size, _real(kind))]


def svd(
    trace: Trace,
    a: object,
    full_matrices: object = True,
    compute_uv: object = True,
    hermitian: object = False,
) -> Value:
    if compute_uv:
        trace.unsupported("the signs of the vectors depend on the linear algebra library")
    return svdvals(trace, a)


def svdvals(trace: Trace, x: object, /) -> Value:
    matrix, kind = inexact_matrix(trace, x)
    trace.check(torch.isfinite(matrix).all())
    return Owner(torch.linalg.svdvals(matrix), _real(kind))


def eigvalsh(trace: Trace, a: object, UPLO: Any = "L") -> Value:  # noqa: N803
    matrix, kind = inexact_matrix(trace, a)
    trace.check(torch.isfinite(matrix).all())
    return Owner(torch.linalg.eigvalsh(matrix, UPLO=UPLO.upper()), _real(kind))


def qr(trace: Trace, a: object, mode: Any = "reduced") -> Any:
    matrix, kind = inexact_matrix(trace, a)
    if mode not in ("reduced", "complete", "r"):
        trace.unsupported(f"mode={mode!r}")
    q, r = torch.linalg.qr(matrix, mode=mode)
    return Owner(r, kind) if mode == "r" else [Owner(q, kind), Owner(r, kind)]


def pinv(
    trace: Trace, a: object, rcond: Any = None, hermitian: object = False, *, rtol: Any = None
) -> Value:
    matrix, kind = inexact_matrix(trace, a)
    if hermitian:
        trace.unsupported("hermitian=True")
    rows, columns = matrix.shape[-2:]
    if 0 in matrix.shape:
        trace.unsupported("an empty matrix")
    cutoff = rtol if rcond is None else rcond
    real = _real(kind)
    if cutoff is None:
        cutoff = 1e-15 if rtol is None else max(rows, columns) * float(np.finfo(real).eps)
    trace.check(torch.isfinite(matrix).all())
    u, s, vh = torch.linalg.svd(torch.conj_physical(matrix), full_matrices=False)
    limit = trace.cast(cutoff, real).unsqueeze(-1) * s.amax(dim=-1, keepdim=True)
    inverse = torch.where(s > limit, 1 / s, torch.full((), 0, dtype=s.dtype))
    return Owner(vh.mT @ (inverse.unsqueeze(-1) * u.mT), kind)


def matrix_rank(
    trace: Trace,
    A: object,  # noqa: N803
    tol: Any = None,
    hermitian: object = False,
    *,
    rtol: Any = None,
) -> Tensor:
    x = trace.value(A)
    if x.ndim < 2:
        return torch.any(x.read() != 0).to(torch.int64)
    if hermitian:
        trace.unsupported("hermitian=True")
    s = svdvals(trace, x).read()
    rows, columns = x.shape[-2:]
    if tol is not None:
        limit = trace.cast(tol, np.dtype(_name(s))).unsqueeze(-1)
    else:
        factor = max(rows, columns) * torch.finfo(s.dtype).eps if rtol is None else rtol
        limit = s.amax(dim=-1, keepdim=True) * trace.cast(factor, np.dtype(_name(s))).unsqueeze(-1)
    return (s > limit).sum(dim=-1, dtype=torch.int64)


def _name(tensor: Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def lstsq(trace: Trace, a: object, b: object, rcond: Any = None) -> list[Any]:
    x, y = trace.value(a), trace.value(b)
    kind = _inexact(trace, x, y)
    matrix, right = trace.cast(x, kind), trace.cast(y, kind)
    rows, columns = matrix.shape
    column = right.ndim == 1
    right = right.unsqueeze(-1) if column else right
    if 0 in matrix.shape or 0 in right.shape:
        trace.unsupported("an empty matrix")
    if rcond is None:
        rcond = float(np.finfo(kind).eps) * max(rows, columns)
    elif rcond == -1:
        rcond = float(np.finfo(kind).eps)
    trace.check(torch.isfinite(matrix).all())
    u, s, vh = torch.linalg.svd(matrix, full_matrices=False)
    used = s > trace.cast(rcond, np.dtype(_name(s))) * s.amax()
    inverse = torch.where(used, 1 / s, torch.full((), 0, dtype=s.dtype))
    found = vh.mH @ (inverse.unsqueeze(-1) * (u.mH @ right))
    rank = used.sum(dtype=torch.int64)
    residual_shape = trace.node.types[1].shape
    full_rank = rank == columns
    if residual_shape == (0,):
        if rows > columns:
            trace.check(~full_rank)
        residuals = torch.full((0,), 0, dtype=s.dtype)
    else:
        trace.check(full_rank)
        off = right - matrix @ found
        size = torch.abs(off)
        residuals = (size * size).sum(dim=0, dtype=size.dtype)
    return [found.squeeze(-1) if column else found, residuals, rank.to(torch.int32), s]


# -- powers


def matrix_power(trace: Trace, a: object, n: object) -> Value:
    x = trace.value(a)
    exponent = trace.integer(n, "the exponent")
    if exponent == 0:
        identity = torch.eye(x.shape[-1], dtype=x.read().dtype).expand(x.shape)
        return Owner(identity, x.dtype)
    if exponent < 0:
        x, exponent = inv(trace, x), -exponent
    if exponent == 3:
        return contracted(trace, torch.matmul, contracted(trace, torch.matmul, x, x), x)
    result: Value | None = None
    while exponent:
        if exponent & 1:
            result = x if result is None else contracted(trace, torch.matmul, result, x)
        exponent >>= 1
        if exponent:
            x = contracted(trace, torch.matmul, x, x)
    if result is None:
        raise AssertionError("no factor")
    return result


def tensorsolve(trace: Trace, a: object, b: object, axes: object = None) -> Value:
    if axes is not None:
        trace.unsupported("axes=")
    x, y = trace.value(a), trace.value(b)
    rest = x.shape[y.ndim :]
    size = math.prod(rest)
    flat = Owner(x.read().reshape(-1, size), x.dtype)
    found = solve(trace, flat, Owner(y.read().reshape(-1), y.dtype))
    return Owner(found.read().reshape(rest), found.dtype)


def tensorinv(trace: Trace, a: object, ind: object = 2) -> Value:
    x = trace.value(a)
    place = trace.integer(ind, "ind")
    old = x.shape
    size = math.prod(old[place:])
    found = inv(trace, Owner(x.read().reshape(size, -1), x.dtype))
    return Owner(found.read().reshape(old[place:] + old[:place]), found.dtype)


# -- norms


def norm(
    trace: Trace,
    x: object,
    ord: Any = None,
    axis: object = None,
    keepdims: object = False,
) -> Tensor:
    tensor, _ = inexact_matrix(trace, x)
    ndim = tensor.ndim
    if axis is None:
        if ord is None or (ord in ("f", "fro") and ndim == 2) or (ord == 2 and ndim == 1):
            flat = tensor.reshape(-1)
            found = trace.root(_squares(flat).sum(dtype=_squares(flat).dtype))
            return found.reshape((1,) * ndim) if keepdims else found
        axes: tuple[int, ...] = tuple(range(ndim))
    else:
        axes = trace.axes(axis, ndim)
    turns.demand_few(trace, trace.value(x), trace.dtype, axes)
    if len(axes) == 1:
        return _vector(trace, tensor, axes, ord, bool(keepdims))
    if len(axes) == 2:
        return _matrix_norm(trace, tensor, axes, ord, bool(keepdims))
    trace.unsupported("more than two axes")


def vector_norm(
    trace: Trace,
    x: object,
    /,
    *,
    axis: object = None,
    keepdims: object = False,
    ord: Any = 2,
) -> Tensor:
    tensor, _ = inexact_matrix(trace, x)
    axes = trace.axes(axis, tensor.ndim)
    turns.demand_few(trace, trace.value(x), trace.dtype, axes)
    if len(axes) != 1:
        kept = [k for k in range(tensor.ndim) if k not in axes]
        size = math.prod(tensor.shape[k] for k in axes)
        flat = tensor.permute((*axes, *kept)).reshape((size, *(tensor.shape[k] for k in kept)))
        found = _vector(trace, flat, (0,), ord, False)
        return found.reshape(trace.shape)
    return _vector(trace, tensor, axes, ord, bool(keepdims))


def matrix_norm(
    trace: Trace,
    x: object,
    /,
    *,
    keepdims: object = False,
    ord: Any = "fro",
) -> Tensor:
    tensor, _ = inexact_matrix(trace, x)
    axes = (tensor.ndim - 2, tensor.ndim - 1)
    return _matrix_norm(trace, tensor, axes, ord, bool(keepdims))


def _squares(tensor: Tensor) -> Tensor:
    if tensor.is_complex():
        real, imag = torch.real(tensor), torch.imag(tensor)
        return real * real + imag * imag
    return tensor * tensor


def _vector(
    trace: Trace,
    tensor: Tensor,
    axes: tuple[int, ...],
    ord: Any,
    keepdims: bool,
) -> Tensor:
    if tensor.numel() == 0:
        trace.unsupported("the norm of nothing")
    size = trace.function("abs")(tensor)
    if ord is None or ord == 2:
        squares = _squares(tensor)
        return trace.root(squares.sum(dim=axes, keepdim=keepdims, dtype=squares.dtype))
    if ord == math.inf:
        return torch.amax(size, dim=axes, keepdim=keepdims)
    if ord == -math.inf:
        return torch.amin(size, dim=axes, keepdim=keepdims)
    if ord == 0:
        return (size != 0).to(size.dtype).sum(dim=axes, keepdim=keepdims, dtype=size.dtype)
    if ord == 1:
        return size.sum(dim=axes, keepdim=keepdims, dtype=size.dtype)
    if not isinstance(ord, int | float):
        trace.unsupported("an order that is not constant")
    powers = trace.function("pow")(size, float(ord))
    return trace.root(powers.sum(dim=axes, keepdim=keepdims, dtype=size.dtype), float(ord))


def _matrix_norm(
    trace: Trace,
    tensor: Tensor,
    axes: tuple[int, ...],
    ord: Any,
    keepdims: bool,
) -> Tensor:
    row, column = axes
    if tensor.numel() == 0:
        trace.unsupported("the norm of nothing")
    size = trace.function("abs")(tensor)
    if ord in (None, "fro", "f"):
        squares = _squares(tensor)
        return trace.root(squares.sum(dim=axes, keepdim=keepdims, dtype=squares.dtype))
    if ord in (1, -1, math.inf, -math.inf):
        first, second = (row, column) if abs(ord) == 1 else (column, row)
        sums = size.sum(dim=first, keepdim=True, dtype=size.dtype)
        found = (torch.amax if ord > 0 else torch.amin)(sums, dim=second, keepdim=True)
        return found if keepdims else found.squeeze(axes)
    if ord not in (2, -2, "nuc"):
        trace.unsupported(f"ord={ord!r}")
    moved = tensor.movedim(axes, (-2, -1))
    trace.check(torch.isfinite(moved).all())
    s = torch.linalg.svdvals(moved)
    if ord == "nuc":
        found = s.sum(dim=-1, dtype=s.dtype)
    else:
        found = torch.amax(s, dim=-1) if ord == 2 else torch.amin(s, dim=-1)
    if keepdims:
        for k in sorted(axes):
            found = found.unsqueeze(k)
    return found


def cond(trace: Trace, x: object, p: Any = None) -> Tensor:
    tensor, _ = inexact_matrix(trace, x)
    trace.check(torch.isfinite(tensor).all())
    if p not in (None, 2, -2):
        inverse = inv(trace, x).read()
        axes = (tensor.ndim - 2, tensor.ndim - 1)
        sizes = [_matrix_norm(trace, each, axes, p, False) for each in (tensor, inverse)]
        return sizes[0] * sizes[1]
    s = torch.linalg.svdvals(tensor)
    large, small = s[..., 0], s[..., -1]
    # Two libraries agree on the smallest value only as far as it is not rounding.
    trace.check((small * (WELL_CONDITIONED / torch.finfo(s.dtype).eps) > large).all())
    found: Tensor = small / large if p == -2 else large / small
    return found


# -- names that other modules have


def trace(trace: Trace, x: object, /, *, offset: object = 0, dtype: object = None) -> Tensor:
    return matrix_trace(trace, x, offset, -2, -1)


def diagonal(trace: Trace, x: object, /, *, offset: object = 0) -> Value:
    return shapes.diagonal(trace, x, offset, -2, -1)


def matrix_transpose(trace: Trace, x: object, /) -> Value:
    return shapes.matrix_transpose(trace, x)
