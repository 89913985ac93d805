"""Arrays of a run as tensors that PyTorch differentiates: an autograd function over the tape."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.autodiff.errors import refusing
from jupyter_npcompile.autodiff.evaluation import Forward, tensor_of
from jupyter_npcompile.autodiff.tape import Tape


class Link:
    """How an array came from tensors, from the tape's beginning to a moment.

    Parameters
    ----------
    tape : Tape
        Of the run.
    node : int
        The array.

    Attributes
    ----------
    leaves : list of int
        The leaves that it depends on.
    """

    def __init__(self, tape: Tape, node: int) -> None:
        self._tape: Tape | None = tape
        self._node = node
        self._mark = tape.mark()
        self._forward: Any = None
        forward = self.forward()
        self.leaves = [id for id in tape.leaves if id in forward.used]

    def forward(self) -> Forward:
        """The array as a function of all leaves that there were."""
        if self._tape is None:
            assert isinstance(self._forward, Forward)
            return self._forward
        return Forward(self._tape, [self._node], self._mark)

    def close(self) -> None:
        """The run is over: what the gradient needs is kept as it is now, and the tape let go."""
        self._forward = self.forward()
        self._forward.keep()
        self._tape = None

    def evaluated(self, given: list[Tensor]) -> Tensor:
        """The array, computed from tensors for its leaves."""
        forward = self.forward()
        by_id = dict(zip(self.leaves, given, strict=True))
        every = []
        enter: Any = _Entered.apply
        for id in forward.leaves:
            value = tensor_of(forward.value(id))
            every.append(enter(by_id[id], value) if id in by_id else value)
        (made,) = forward(*every)
        return made


class _Entered(torch.autograd.Function):
    """A tensor with the value that it had when it entered the tape; it may have been written."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, value: Tensor) -> Tensor:
        ctx.device = tensor.device
        return value.clone()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0].to(ctx.device), None


class Linked(torch.autograd.Function):
    """The memory of an array as a tensor; its history is a `Link`."""

    @staticmethod
    def forward(ctx: Any, link: Link, array: Any, *leaves: Tensor) -> Tensor:
        """The tensor."""
        ctx.link = link
        ctx.save_for_backward(*leaves)
        return torch.from_numpy(array)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """Gradients for the leaves; differentiable again when PyTorch asks for that."""
        again = torch.is_grad_enabled()
        leaves = ctx.saved_tensors
        with torch.enable_grad():
            if again:
                given = [leaf.view_as(leaf) for leaf in leaves]
            else:
                given = [leaf.detach().requires_grad_() for leaf in leaves]
            result = ctx.link.evaluated(given)
            with refusing():
                found = torch.autograd.grad(
                    result, given, gradients[0], create_graph=again, allow_unused=True
                )
        return None, None, *found


def linked(tape: Tape, node: int, array: np.ndarray[Any, Any], sources: dict[int, Tensor]) -> Any:
    """An active array as a tensor on the same memory, and its link."""
    link = Link(tape, node)
    call: Any = Linked.apply
    return call(link, array, *[sources[id] for id in link.leaves]), link
