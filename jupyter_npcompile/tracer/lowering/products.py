# ruff: noqa: D103 - each function lowers the NumPy function of its name

"""Products of matrices and of vectors."""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.tracer.lowering import complexes, turns
from jupyter_npcompile.tracer.lowering.dtypes import carrier, wrap
from jupyter_npcompile.tracer.lowering.trace import Trace
from jupyter_npcompile.tracer.lowering.values import Owner, Value

BOOL, HALF = np.dtype("bool"), np.dtype("float16")


def contracted(
    trace: Trace, function: Callable[..., Tensor], *operands: Value, dtype: np.dtype | None = None
) -> Value:
    """A sum of products, in a dtype in which torch computes it as NumPy does."""
    kind = np.result_type(*(x.dtype for x in operands)) if dtype is None else dtype
    if kind == HALF:
        trace.unsupported("products in half precision")
    if kind.kind in "biu":
        # integers wrap at the end as they would on the way; True stands for any sum
        wide = [trace.cast(x, kind).to(torch.int64) for x in operands]
        found = function(*wide)
        if kind == BOOL:
            return Owner(found != 0, kind)
        return Owner(wrap(found.to(carrier(kind)), kind), kind)
    return Owner(function(*(trace.cast(x, kind) for x in operands)), kind)


def _two(trace: Trace, a: object, b: object) -> tuple[Value, Value]:
    return trace.value(a), trace.value(b)


def matmul(trace: Trace, x1: object, x2: object, /, out: object = None, **kwargs: Any) -> Value:
    _demand_last_axes(trace, kwargs)
    a, b = _two(trace, x1, x2)
    return contracted(trace, _matmul, a, b, dtype=kwargs.get("dtype"))


def _demand_last_axes(trace: Trace, options: dict[str, Any]) -> None:
    """Make sure that matrices and vectors lie along the last axes, where nobody says otherwise."""
    if any(options.get(name) not in (None, False) for name in ("axes", "axis", "keepdims")):
        trace.unsupported("axes other than the last ones")


def _matmul(a: Tensor, b: Tensor) -> Tensor:
    if a.dtype == torch.int64:
        return _integer_matmul(a, b)
    return torch.matmul(a, b)


def _integer_matmul(a: Tensor, b: Tensor) -> Tensor:
    """Products and sums written out: compilers have no integer matrix product."""
    left = a.unsqueeze(0) if a.ndim == 1 else a
    right = b.unsqueeze(1) if b.ndim == 1 else b
    if left.shape[-2] * left.shape[-1] * right.shape[-1] > 1 << 18:
        found = torch.matmul(left, right)
    else:
        found = (left.unsqueeze(-1) * right.unsqueeze(-3)).sum(dim=-2, dtype=torch.int64)
    found = found.squeeze(-2) if a.ndim == 1 else found
    return found.squeeze(-1) if b.ndim == 1 else found


def dot(trace: Trace, a: object, b: object, out: object = None) -> Value:
    x, y = _two(trace, a, b)
    if x.ndim == 0 or y.ndim == 0:
        return contracted(trace, torch.mul, x, y)
    if y.ndim == 1 or (x.ndim <= 2 and y.ndim == 2):
        return contracted(trace, _matmul, x, y)
    return contracted(trace, lambda p, q: _tensordot(p, q, (p.ndim - 1,), (q.ndim - 2,)), x, y)


def vdot(trace: Trace, a: object, b: object, /) -> Value:
    x, y = _two(trace, a, b)

    def product(p: Tensor, q: Tensor) -> Tensor:
        p = torch.conj_physical(p) if p.is_complex() else p
        return _matmul(p.reshape(-1), q.reshape(-1))

    return contracted(trace, product, x, y)


def inner(trace: Trace, a: object, b: object, /) -> Value:
    x, y = _two(trace, a, b)
    if x.ndim == 0 or y.ndim == 0:
        return contracted(trace, torch.mul, x, y)
    return contracted(trace, lambda p, q: _tensordot(p, q, (p.ndim - 1,), (q.ndim - 1,)), x, y)


def outer(trace: Trace, a: object, b: object, /, out: object = None) -> Value:
    x, y = _two(trace, a, b)
    kind = np.result_type(x.dtype, y.dtype)
    if kind == HALF:
        trace.unsupported("products in half precision")
    left = trace.cast(x, kind).reshape(-1, 1)
    right = trace.cast(y, kind).reshape(1, -1)
    product = _product(kind, left, right)
    return Owner(wrap(product, kind), kind)


def _product(kind: np.dtype, a: Tensor, b: Tensor) -> Tensor:
    if kind.kind == "c":
        return complexes.multiply(a, b)
    return a & b if kind == BOOL else a * b


def _tensordot(a: Tensor, b: Tensor, left: tuple[int, ...], right: tuple[int, ...]) -> Tensor:
    kept_a = [k for k in range(a.ndim) if k not in left]
    kept_b = [k for k in range(b.ndim) if k not in right]
    size = 1
    for k in left:
        size *= a.shape[k]
    shape_a, shape_b = [a.shape[k] for k in kept_a], [b.shape[k] for k in kept_b]
    rows, columns = _count(shape_a), _count(shape_b)
    p = a.permute((*kept_a, *left)).reshape(rows, size)
    q = b.permute((*right, *kept_b)).reshape(size, columns)
    return _matmul(p, q).reshape((*shape_a, *shape_b))


def _count(shape: Sequence[int]) -> int:
    found = 1
    for n in shape:
        found *= n
    return found


def tensordot(trace: Trace, a: object, b: object, /, axes: Any = 2) -> Value:
    x, y = _two(trace, a, b)
    if isinstance(axes, list | tuple):
        left, right = (trace.axes(one, v.ndim) for one, v in zip(axes, (x, y), strict=True))
    else:
        number = trace.integer(axes, "axes")
        left = tuple(range(x.ndim - number, x.ndim))
        right = tuple(range(number))
    return contracted(trace, lambda p, q: _tensordot(p, q, left, right), x, y)


def einsum(trace: Trace, *operands: Any, out: object = None, **kwargs: Any) -> Value:
    subscripts, arrays = _subscripts(operands)
    text = subscripts.replace(" ", "")
    values = [trace.value(x) for x in arrays]
    if trace.node.view_of is not None and len(values) == 1:
        return _rearranged(trace, text, values[0])
    turns.demand_count(trace, trace.dtype, _summed(text, [x.shape for x in values]))
    return contracted(trace, lambda *t: torch.einsum(text, *t), *values, dtype=kwargs.get("dtype"))


def _summed(text: str, shapes: Sequence[Sequence[int]]) -> int:
    """How many products an element of the result is the sum of.

    Examples
    --------
    >>> _summed("ij,jk->ik", [(2, 5), (5, 3)]), _summed("...i,i", [(2, 5), (5,)])
    (5, 5)
    """
    given, arrow, kept = text.partition("->")
    sizes: dict[str, int] = {}
    for labels, shape in zip(given.split(","), shapes, strict=True):
        first, _, last = labels.partition("...")
        for label, size in (
            *zip(first, shape, strict=False),
            *zip(last[::-1], shape[::-1], strict=False),
        ):
            sizes[label] = size if sizes.get(label, 1) == 1 else sizes[label]
    if not arrow:
        kept = "".join(label for label in sizes if given.count(label) == 1)
    return _count([size for label, size in sizes.items() if label not in kept])


def _subscripts(operands: Sequence[Any]) -> tuple[str, Sequence[Any]]:
    """The subscripts as text; NumPy also takes lists of numbers."""
    if isinstance(operands[0], str):
        return operands[0], operands[1:]

    def word(part: Sequence[Any]) -> str:
        return "".join("..." if label is ... else _LABELS[label] for label in part)

    pairs = len(operands) // 2
    text = ",".join(word(operands[2 * k + 1]) for k in range(pairs))
    if len(operands) % 2:
        text += "->" + word(operands[-1])
    return text, operands[0 : 2 * pairs : 2]


_LABELS = string.ascii_uppercase + string.ascii_lowercase


def _rearranged(trace: Trace, text: str, x: Value) -> Value:
    """A diagonal or a permutation: NumPy gives a view, which may be written."""

    def write(parent: Tensor, new: Tensor) -> Tensor:
        places = torch.arange(parent.numel(), dtype=torch.int64).reshape(parent.shape)
        flat = torch.einsum(text, places).reshape(-1)
        whole = parent.reshape(-1)
        return torch.index_put(whole, [flat], new.reshape(-1)).reshape(parent.shape)

    return trace.view(x, lambda tensor: torch.einsum(text, tensor), write)


def kron(trace: Trace, a: object, b: object) -> Value:
    x, y = _two(trace, a, b)
    kind = np.result_type(x.dtype, y.dtype)
    p, q = trace.cast(x, kind), trace.cast(y, kind)
    ndim = max(p.ndim, q.ndim)
    p = p.reshape((1,) * (ndim - p.ndim) + tuple(p.shape))
    q = q.reshape((1,) * (ndim - q.ndim) + tuple(q.shape))
    shape = tuple(m * n for m, n in zip(p.shape, q.shape, strict=True))
    for k in range(ndim):
        p, q = p.unsqueeze(2 * k + 1), q.unsqueeze(2 * k)
    product = _product(kind, p, q)
    return Owner(wrap(product.reshape(shape), kind), kind)


def cross(
    trace: Trace,
    a: object,
    b: object,
    axisa: object = -1,
    axisb: object = -1,
    axisc: object = -1,
    axis: object = None,
) -> Value:
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = _two(trace, a, b)
    kind = np.result_type(x.dtype, y.dtype)
    p = trace.cast(x, kind).movedim(trace.axis(axisa, x.ndim), -1)
    q = trace.cast(y, kind).movedim(trace.axis(axisb, y.ndim), -1)
    if p.shape[-1] != 3 or q.shape[-1] != 3:
        trace.unsupported("vectors of other than three dimensions")
    u, v = [p[..., k] for k in range(3)], [q[..., k] for k in range(3)]
    parts = [
        u[1] * v[2] - u[2] * v[1],
        u[2] * v[0] - u[0] * v[2],
        u[0] * v[1] - u[1] * v[0],
    ]
    found = wrap(torch.stack(parts, dim=-1), kind)
    return Owner(found.movedim(-1, trace.axis(axisc, found.ndim)), kind)


def linalg_cross(trace: Trace, x1: object, x2: object, /, *, axis: object = -1) -> Value:
    return cross(trace, x1, x2, axis=axis)


def vecdot(trace: Trace, x1: object, x2: object, /, axis: object = -1, **kwargs: Any) -> Value:
    _demand_last_axes(trace, kwargs)
    x, y = _two(trace, x1, x2)
    place = trace.integer(axis, "axis")

    def product(p: Tensor, q: Tensor) -> Tensor:
        p = torch.conj_physical(p) if p.is_complex() else p
        both = p * q
        return both.sum(dim=place, dtype=both.dtype)

    return contracted(trace, product, x, y)


def matvec(trace: Trace, x1: object, x2: object, /, **kwargs: Any) -> Value:
    _demand_last_axes(trace, kwargs)
    x, y = _two(trace, x1, x2)
    return contracted(trace, lambda p, q: _matmul(p, q.unsqueeze(-1)).squeeze(-1), x, y)


def vecmat(trace: Trace, x1: object, x2: object, /, **kwargs: Any) -> Value:
    _demand_last_axes(trace, kwargs)
    x, y = _two(trace, x1, x2)

    def product(p: Tensor, q: Tensor) -> Tensor:
        p = torch.conj_physical(p) if p.is_complex() else p
        return _matmul(p.unsqueeze(-2), q).squeeze(-2)

    return contracted(trace, product, x, y)


def multi_dot(trace: Trace, arrays: Any, *, out: object = None) -> Value:
    values = [trace.value(x) for x in arrays]
    found = values[0]
    for value in values[1:]:
        found = contracted(trace, _matmul, found, value)
    return found


# -- convolution


def _slid(trace: Trace, a: Value, v: Value, mode: object, *, turned: bool) -> Value:
    """Sums of products of a window of the longer array with the shorter one."""
    kind = np.result_type(a.dtype, v.dtype)
    if kind == HALF:
        trace.unsupported("products in half precision")
    long, short = trace.cast(a, kind), trace.cast(v, kind)
    size, width = long.shape[0], short.shape[0]
    modes = {"valid": 0, "same": width // 2, "full": width - 1}
    if mode not in modes:
        trace.unsupported(f"mode={mode!r}")
    before = {"valid": 0, "same": width // 2, "full": width - 1}[str(mode)]
    after = {"valid": 0, "same": width - 1 - width // 2, "full": width - 1}[str(mode)]
    edges = [torch.full((n,), 0, dtype=long.dtype) for n in (before, after)]
    padded = torch.cat([edges[0], long, edges[1]])
    length = size + before + after - width + 1
    if turned:
        short = short.flip(0)
    if width <= 16 or kind.kind in "biu":
        if width > 256:
            trace.unsupported("integers with a kernel of more than 256 elements")
        found = padded[:length] * short[0] if kind.kind != "b" else padded[:length] & short[0]
        for k in range(1, width):
            part = padded[k : k + length]
            found = found | (part & short[k]) if kind.kind == "b" else found + part * short[k]
        return Owner(wrap(found, kind), kind)
    return Owner(torch.mv(padded.unfold(0, width, 1), short), kind)


def convolve(trace: Trace, a: object, v: object, mode: object = "full") -> Value:
    x, y = _two(trace, a, v)
    x, y = (t if t.ndim else Owner(t.read().reshape(1), t.dtype) for t in (x, y))
    if y.shape[0] > x.shape[0]:
        x, y = y, x
    return _slid(trace, x, y, mode, turned=True)


def correlate(trace: Trace, a: object, v: object, mode: object = "valid") -> Value:
    x, y = _two(trace, a, v)
    if y.dtype.kind == "c":
        y = Owner(torch.conj_physical(y.read()), y.dtype)
    if y.shape[0] > x.shape[0]:
        turned = _slid(trace, y, x, mode, turned=False)
        return Owner(turned.read().flip(0), turned.dtype)
    return _slid(trace, x, y, mode, turned=False)


def polymul(trace: Trace, a1: object, a2: object) -> Value:
    factors = []
    for factor in (a1, a2):
        x = trace.value(factor)
        if x.ndim == 0:
            x = Owner(x.read().reshape(1), x.dtype)
        if x.shape[0] > 1:  # NumPy leaves leading zeros out
            trace.check(trace.cast(x, BOOL)[0])
        factors.append(x)
    return convolve(trace, *factors)
