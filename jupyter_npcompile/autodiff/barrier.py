"""Values that hold no gradient: asking them for one is an error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from jupyter_npcompile.autodiff.taints import Step


class Barrier(torch.autograd.Function):
    """A constant that stands where a value depends on a leaf in a way that is not known."""

    generate_vmap_rule = True

    @staticmethod
    def forward(tensor: Tensor, anchor: Tensor, step: Step) -> Tensor:
        """The constant."""
        return tensor.clone()

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        """Remember what to say."""
        ctx.step = inputs[2]

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        """There is no gradient."""
        raise ctx.step.refuse()

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        """There is no tangent."""
        raise ctx.step.refuse()


def guarded(tensor: Tensor, anchors: Sequence[Tensor], step: Step) -> Tensor:
    """A constant through which no gradient may flow."""
    if not anchors or not (tensor.is_floating_point() or tensor.is_complex()):
        return tensor
    call: Any = Barrier.apply
    made: Tensor = call(tensor.detach(), anchors[0], step)
    return made
