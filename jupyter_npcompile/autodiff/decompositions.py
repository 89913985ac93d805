"""Derivatives of decompositions whose factors are not unique: they follow NumPy's own choice.

The signs (phases) of eigenvectors and singular vectors, and the order of
eigenvalues, are those that NumPy gave in this run. Where NumPy reads one
triangle of a symmetric matrix, so does the derivative.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.autodiff.determinants import checked_det
from jupyter_npcompile.autodiff.sites import sent
from jupyter_npcompile.tracer.lowering.trace import Trace


def _matrix(trace: Trace, a: Any, like: Any) -> Tensor:
    kind = np.dtype(np.asarray(like).dtype)
    value = trace.value(a)
    wide = np.result_type(value.dtype, kind) if value.dtype.kind in "fc" else kind
    return trace.cast(value, wide)


def _symmetric(matrix: Tensor, lower: bool) -> Tensor:
    """The matrix that a routine sees that reads one triangle."""
    half = torch.tril(matrix, -1) if lower else torch.triu(matrix, 1).mH
    diagonal = torch.diagonal(matrix, dim1=-2, dim2=-1)
    if matrix.is_complex():
        diagonal = torch.complex(torch.real(diagonal), torch.zeros_like(torch.real(diagonal)))
    return half + half.mH + torch.diag_embed(diagonal)


def _phases(found: Tensor, wanted: Any) -> Tensor:
    """Factors of modulus one that turn columns into NumPy's."""
    there = sent(torch.from_numpy(np.array(wanted))).to(found.dtype)
    inner = (found.detach().conj() * there).sum(-2, keepdim=True)
    return inner / torch.abs(inner)


def cholesky(trace: Trace, results: Any, a: Any, /, *, upper: bool = False) -> Tensor:
    """The factor of the triangle that NumPy reads."""
    matrix = _symmetric(_matrix(trace, a, results[0]), lower=not upper)
    factor = torch.linalg.cholesky_ex(matrix).L
    made: Tensor = factor.mH if upper else factor
    return made


def eigvalsh(trace: Trace, results: Any, a: Any, UPLO: str = "L") -> Tensor:  # noqa: N803
    """Ascending eigenvalues."""
    matrix = _symmetric(_matrix(trace, a, results[0]), UPLO.upper() == "L")
    values: Tensor = torch.linalg.eigvalsh(matrix)
    return values


def eigh(trace: Trace, results: Any, a: Any, UPLO: str = "L") -> list[Tensor]:  # noqa: N803
    """Eigenvalues, and eigenvectors with NumPy's phases."""
    matrix = _symmetric(_matrix(trace, a, results[1]), UPLO.upper() == "L")
    values, vectors = torch.linalg.eigh(matrix)
    if matrix.is_complex():  # torch cannot differentiate what follows from both a second time
        values = torch.linalg.eigvalsh(matrix)
    return [values, vectors * _phases(vectors, results[1])]


def svd(
    trace: Trace, results: Any, a: Any, full_matrices: bool = True, compute_uv: bool = True
) -> list[Tensor]:
    """Singular values and vectors; what completes a basis has no derivative."""
    left, _, right = results
    matrix = _matrix(trace, a, left)
    u, s, vh = torch.linalg.svd(matrix, full_matrices=False)
    count = s.shape[-1]
    phases = _phases(u, left[..., :count])
    u, vh = u * phases, vh * phases.conj().mT
    return [_completed(trace, u, left, -1), s, _completed(trace, vh, right, -2)]


def _completed(trace: Any, found: Tensor, wanted: Any, axis: int) -> Tensor:
    """With the rows or columns that NumPy adds."""
    missing = wanted.shape[axis] - found.shape[axis]
    if not missing:
        return found
    index = [slice(None)] * wanted.ndim
    index[axis] = slice(found.shape[axis], None)
    rest = sent(torch.from_numpy(np.array(wanted[tuple(index)]))).to(found.dtype)
    rest = trace.guard(rest, "the vectors that complete a basis are arbitrary: no derivative")
    return torch.cat([found, rest], axis)


def qr(trace: Trace, results: Any, a: Any, mode: str = "reduced") -> Any:
    """An orthogonal and a triangular factor with NumPy's signs."""
    triangle = results[-1] if mode != "r" else results[0]
    matrix = _matrix(trace, a, triangle)
    q, r = torch.linalg.qr(matrix, mode="reduced")
    count = r.shape[-2]
    there = sent(torch.from_numpy(np.array(triangle[..., :count, :]))).to(r.dtype)
    ratio = torch.diagonal(there, dim1=-2, dim2=-1) / torch.diagonal(r.detach(), dim1=-2, dim2=-1)
    phases = ratio / torch.abs(ratio)
    r = phases.unsqueeze(-1) * r
    if mode == "r":
        return r
    q = q * phases.conj().unsqueeze(-2)
    if mode == "complete":
        lower = torch.zeros((*r.shape[:-2], triangle.shape[-2] - count, r.shape[-1]), dtype=r.dtype)
        return [_completed(trace, q, results[0], -1), torch.cat([r, lower], -2)]
    return [q, r]


def _order(found: Tensor, wanted: Any) -> Tensor:
    """Which of the eigenvalues found is each one of NumPy's."""
    there = sent(torch.from_numpy(np.array(wanted))).to(found.dtype)
    distance = torch.abs(there.unsqueeze(-1) - found.detach().unsqueeze(-2))
    return torch.argmin(distance, -1)


def eigvals(trace: Trace, results: Any, a: Any) -> Tensor:
    """Eigenvalues in NumPy's order."""
    values = torch.linalg.eigvals(_matrix(trace, a, results[0].real))
    values = torch.gather(values, -1, _order(values, results[0]))
    return values if np.iscomplexobj(results[0]) else torch.real(values)


def eig(trace: Trace, results: Any, a: Any) -> list[Tensor]:
    """Eigenvalues and eigenvectors in NumPy's order, with NumPy's phases."""
    matrix = _matrix(trace, a, results[0].real)
    values, vectors = torch.linalg.eig(matrix)
    order = _order(values, results[0])
    values = torch.gather(values, -1, order)
    vectors = torch.gather(vectors, -1, order.unsqueeze(-2).expand(vectors.shape))
    vectors = vectors * _phases(vectors, results[1])
    if np.iscomplexobj(results[0]):
        return [values, vectors]
    return [torch.real(values), torch.real(vectors)]


def _operand(trace: Trace, a: Any) -> Tensor:
    """A matrix in compiled code; what NumPy would raise for is left to the tape."""
    value = trace.value(a)
    wide = value.dtype if value.dtype.kind in "fc" else np.dtype(float)
    matrix = trace.cast(value, wide)
    trace.check(torch.isfinite(matrix).all())
    return matrix


def _compiled_eigh(trace: Trace, a: Any, UPLO: str = "L") -> list[Tensor]:  # noqa: N803
    matrix = _symmetric(_operand(trace, a), UPLO.upper() == "L")
    return list(torch.linalg.eigh(matrix, UPLO=UPLO.upper()))


def _compiled_eigvalsh(trace: Trace, a: Any, UPLO: str = "L") -> Tensor:  # noqa: N803
    return _compiled_eigh(trace, a, UPLO)[0]


def _compiled_cholesky(trace: Trace, a: Any, /, *, upper: bool = False) -> Tensor:
    matrix = _symmetric(_operand(trace, a), lower=not upper)
    found, info = torch.linalg.cholesky_ex(matrix)
    trace.check((info == 0).all())
    made: Tensor = found.mH if upper else found
    return made


def _compiled_svd(
    trace: Trace,
    a: Any,
    full_matrices: bool = True,
    compute_uv: bool = True,
    hermitian: bool = False,
) -> list[Tensor]:
    matrix = _operand(trace, a)
    if hermitian or (full_matrices and matrix.shape[-1] != matrix.shape[-2]):
        trace.unsupported("factors that complete a basis")
    return list(torch.linalg.svd(matrix, full_matrices=False))


def _compiled_qr(trace: Trace, a: Any, mode: str = "reduced") -> Any:
    if mode not in ("reduced", "r"):
        trace.unsupported(f"mode={mode!r}")
    q, r = torch.linalg.qr(_operand(trace, a), mode="reduced")
    return r if mode == "r" else [q, r]


COMPILED: Mapping[str, Callable[..., Any]] = {
    "numpy.linalg.cholesky": _compiled_cholesky,
    "numpy.linalg.det": checked_det,
    "numpy.linalg.eigh": _compiled_eigh,
    "numpy.linalg.eigvalsh": _compiled_eigvalsh,
    "numpy.linalg.qr": _compiled_qr,
    "numpy.linalg.svd": _compiled_svd,
}
"""The same for compiled gradients, in which NumPy gives the factors (`factorizations`)."""

OWN: Mapping[str, Callable[..., Any]] = {
    "numpy.linalg.cholesky": cholesky,
    "numpy.linalg.eig": eig,
    "numpy.linalg.eigh": eigh,
    "numpy.linalg.eigvals": eigvals,
    "numpy.linalg.eigvalsh": eigvalsh,
    "numpy.linalg.qr": qr,
    "numpy.linalg.svd": svd,
}
"""By operation: ``f(trace, NumPy's results, *args, **kwargs)``."""
