"""Vector-Jacobian and Jacobian-vector products of functions of tensors.

Cotangents of complex numbers follow JAX and HIPS autograd: for a real function
``f(x + iy)`` the gradient is ``df/dx - i df/dy``, the conjugate of torch's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch._C import _functorch as levels
from torch._functorch.eager_transforms import enable_inplace_requires_grad

from jupyter_npcompile.autodiff.errors import refusing
from jupyter_npcompile.autodiff.evaluation import tensor_of
from jupyter_npcompile.autodiff.sites import fetched, sent

Function = Callable[..., "list[Tensor]"]


def tensors(values: Sequence[Any]) -> list[Tensor]:
    """Leaves as tensors of their own memory."""
    return [sent(tensor_of(np.array(value))) for value in values]


def conjugate(tensor: Tensor) -> Tensor:
    """The conjugate of what is complex."""
    return tensor.conj().resolve_conj() if tensor.is_complex() else tensor


def outputs_of(function: Function, leaves: Sequence[Tensor]) -> list[Tensor]:
    """The outputs that can have a derivative; others stand as zeros without one."""
    return [
        tensor
        if tensor.is_floating_point() or tensor.is_complex()
        else tensor.to(torch.float64) * 0
        for tensor in function(*leaves)
    ]


def pull(
    function: Function, leaves: Sequence[Tensor], cotangents: Sequence[Tensor]
) -> list[Tensor]:
    """``cotangents @ Jacobian`` for each leaf, differentiable again."""
    _, back = pullback(lambda *given: outputs_of(function, given), leaves)
    return [conjugate(g) for g in back([conjugate(c) for c in cotangents])]


Pullback = Callable[[Sequence[Tensor]], "list[Tensor]"]
"""From cotangents of outputs to those of leaves."""


def pullback(function: Function, leaves: Sequence[Tensor]) -> tuple[list[Tensor], Pullback]:
    """Outputs, and their pullback: what ``torch.func.vjp`` gives.

    That imports all of Dynamo when its pullback is first called, for which somebody would wait.
    """
    level = levels._grad_increment_nesting()
    try:
        with torch.enable_grad(), enable_inplace_requires_grad(True):
            given = [levels._wrap_for_grad(leaf, level).requires_grad_() for leaf in leaves]
        with torch.enable_grad():
            made = function(*given)
            values = [levels._unwrap_for_grad(out, level) for out in made]
    finally:
        levels._grad_decrement_nesting()

    def back(cotangents: Sequence[Tensor]) -> list[Tensor]:
        pairs = [(out, c) for out, c in zip(made, cotangents, strict=True) if out.requires_grad]
        if not pairs:
            return [torch.zeros_like(leaf) for leaf in given]
        outputs, seeds = zip(*pairs, strict=True)
        found: Sequence[Any] = torch.autograd.grad(
            outputs,
            given,
            seeds,
            retain_graph=True,
            create_graph=torch.is_grad_enabled(),
            allow_unused=True,
        )
        return [
            torch.zeros_like(leaf) if g is None else g for g, leaf in zip(found, given, strict=True)
        ]

    return values, back


def gradient(function: Function, leaves: Sequence[Tensor]) -> list[Tensor]:
    """The gradient of the first output, a real number; the fast way, once."""
    given = [leaf.detach().requires_grad_() for leaf in leaves]
    with torch.enable_grad():
        value = function(*given)[0]
        return backward([value], given, [torch.ones_like(value)])


def backward(
    outputs: Sequence[Tensor], leaves: Sequence[Tensor], cotangents: Sequence[Tensor]
) -> list[Tensor]:
    """Gradients of outputs that torch remembers; zero where nothing flows."""
    pairs = [
        (out, conjugate(c).to(out.dtype))
        for out, c in zip(outputs, cotangents, strict=True)
        if out.requires_grad
    ]
    if not pairs:
        return [torch.zeros_like(leaf) for leaf in leaves]
    seed: Any = _Seed.apply
    with refusing(), torch.enable_grad():
        end = seed([c for _, c in pairs], *[out for out, _ in pairs])
        found = torch.autograd.grad(end, list(leaves), retain_graph=True, allow_unused=True)
    return [or_zeros(g, leaf) for g, leaf in zip(found, leaves, strict=True)]


class _Seed(torch.autograd.Function):
    """A number whose derivatives are given cotangents.

    Cotangents that it is handed itself torch looks at with symbolic shapes, for which it imports
    all of sympy: the first gradient of a session would wait for that.
    """

    @staticmethod
    def forward(cotangents: list[Tensor], *outputs: Tensor) -> Tensor:
        return torch.zeros((), dtype=torch.float64)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.cotangents = inputs[0]

    @staticmethod
    def backward(ctx: Any, *_: Tensor) -> Any:
        return None, *ctx.cotangents


def or_zeros(gradient: Any, leaf: Tensor) -> Tensor:
    """A gradient in NumPy's convention; zero where there is none."""
    return torch.zeros_like(leaf) if gradient is None else conjugate(gradient)


def push(
    function: Function, leaves: Sequence[Tensor], tangents: Sequence[Tensor]
) -> tuple[list[Tensor], list[Tensor]]:
    """Outputs, and ``Jacobian @ tangents`` for each.

    It is the derivative of the pullback with respect to its cotangents, which
    it is linear in: so it needs reverse mode only, and may be nested. (Nested
    forward mode of torch is wrong for ``solve`` and ``det``.)
    """
    values, back = pullback(lambda *given: outputs_of(function, given), leaves)
    zeros = [torch.zeros_like(value) for value in values]
    _, again = pullback(lambda *c: back(c), zeros)
    made = again([t.to(leaf.dtype) for t, leaf in zip(tangents, leaves, strict=True)])
    return values, made


def jacobian(function: Function, leaves: Sequence[Tensor], *, forward: bool) -> list[list[Tensor]]:
    """For each output and leaf, the array of all derivatives: output's shape, then leaf's."""
    if forward:
        return _jacobian_forward(function, leaves)
    values, back = pullback(lambda *given: outputs_of(function, given), leaves)
    rows: list[list[Tensor]] = []
    for place, value in enumerate(values):
        basis = _basis(value)

        def one(cotangent: Tensor, place: int = place) -> tuple[Tensor, ...]:
            every = [torch.zeros_like(v) for v in values]
            every[place] = cotangent
            return tuple(back(every))

        found = _mapped(one, basis)
        rows.append(
            [
                conjugate(g).reshape((*value.shape, *leaf.shape))
                for g, leaf in zip(found, leaves, strict=True)
            ]
        )
    return rows


def _jacobian_forward(function: Function, leaves: Sequence[Tensor]) -> list[list[Tensor]]:
    columns: list[list[Tensor]] = []
    count = 0
    for place, leaf in enumerate(leaves):
        basis = _basis(leaf)
        made: list[list[Tensor]] = []
        for tangent in basis:
            every = [torch.zeros_like(v) for v in leaves]
            every[place] = tangent
            made.append(push(function, leaves, every)[1])
        count = len(made[0]) if made else count
        columns.append(
            [
                torch.stack([one[k] for one in made], -1).reshape((*made[0][k].shape, *leaf.shape))
                for k in range(count)
            ]
        )
    return [[column[k] for column in columns] for k in range(count)]


def _basis(value: Tensor) -> Tensor:
    """The directions of all its elements."""
    count = value.numel()
    return torch.eye(count, dtype=value.dtype).reshape((count, *value.shape))


def _mapped(function: Callable[[Tensor], tuple[Tensor, ...]], basis: Tensor) -> list[Tensor]:
    """A function for each row; all at once where torch can."""
    if not len(basis):
        shapes = function(torch.zeros(basis.shape[1:], dtype=basis.dtype))
        return [torch.zeros((0, *s.shape), dtype=s.dtype) for s in shapes]
    parts = [function(row) for row in basis]
    return [torch.stack([part[k] for part in parts]) for k in range(len(parts[0]))]


def to_numpy(tensor: Tensor, like: Any) -> Any:
    """A gradient as NumPy has it: dtype, shape and kind of the value it belongs to."""
    array = fetched(tensor)
    if isinstance(like, np.ndarray):
        return np.array(array, dtype=like.dtype, order="C")
    dtype = like.dtype if isinstance(like, np.generic) else np.dtype(type(like))
    return dtype.type(array[()])


def plain(tensor: Tensor) -> Any:
    """An array, or a NumPy scalar where there are no dimensions."""
    array = np.array(fetched(tensor), order="C")
    return array if array.ndim else array[()]
