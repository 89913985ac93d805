"""Registered derivatives as functions of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.autodiff.barrier import guarded
from jupyter_npcompile.autodiff.errors import GradientError
from jupyter_npcompile.autodiff.sites import home
from jupyter_npcompile.autodiff.taints import Step
from jupyter_npcompile.autodiff.trees import Tree, flatten


class CustomVjp:
    """One call of a function with a registered derivative.

    Parameters
    ----------
    vjp : callable
        What the user registered.
    tree : Tree
        Structure of the positional arguments.
    leaves : list
        Their leaves, as they were.
    kwargs : dict
        Keyword arguments.
    values : tuple of numpy.ndarray
        The results.
    several : bool
        Whether the function gives a tuple.
    places : tuple of int
        Which leaves are active.
    once : Step
        What says that it can be differentiated once.
    """

    needs_host = True

    def __init__(
        self,
        vjp: Any,
        tree: Tree,
        leaves: list[Any],
        kwargs: dict[str, Any],
        values: tuple[Any, ...],
        several: bool,
        places: tuple[int, ...],
        once: Step,
    ) -> None:
        self.once = once
        self.vjp, self.tree, self.leaves, self.kwargs = vjp, tree, leaves, kwargs
        self.values, self.several, self.places = values, several, places

    def __call__(self, index: int, *operands: Tensor) -> Tensor:
        """Result ``index`` as a tensor that knows its derivative."""
        call: Any = _Registered.apply
        made: Tensor = call(self, index, *operands)
        return made

    def gradients(self, index: int, gradient: Tensor, operands: Sequence[Tensor]) -> list[Any]:
        """The gradient with respect to each active leaf."""
        leaves = list(self.leaves)
        for place, operand in zip(self.places, operands, strict=True):
            if isinstance(leaves[place], np.ndarray):
                leaves[place] = _plain(operand)
        args = self.tree.build(leaves)
        # gradients of complex numbers are NumPy users' convention, not torch's
        given = np.conj(_plain(gradient))
        cotangents = [np.zeros_like(value) for value in self.values]
        cotangents[index] = np.asarray(given, cotangents[index].dtype).reshape(
            cotangents[index].shape
        )
        result = self.values if self.several else self.values[0]
        cotangent = tuple(cotangents) if self.several else cotangents[0]
        found = self.vjp(cotangent, result, *args, **self.kwargs)
        return self._spread(found if isinstance(found, tuple) else (found,), operands)

    def _spread(self, found: tuple[Any, ...], operands: Sequence[Tensor]) -> list[Any]:
        """What the user's function gave, for each active leaf."""
        gradients: list[Any] = []
        for part, given in zip(
            self.tree.parts, (*found, *[None] * len(self.tree.parts)), strict=False
        ):
            leaves = [None] * part.leaves if given is None else flatten(given)[0]
            if len(leaves) != part.leaves:
                raise GradientError("a registered derivative gives a structure unlike its argument")
            gradients += leaves
        made: list[Any] = []
        for place, operand in zip(self.places, operands, strict=True):
            given = gradients[place]
            if given is None:
                made.append(None)
                continue
            tensor = torch.from_numpy(np.array(given)).to(operand.dtype)
            if tuple(tensor.shape) != tuple(operand.shape):
                raise GradientError(
                    f"a registered derivative gives the shape {tuple(tensor.shape)} "
                    f"for an argument of shape {tuple(operand.shape)}"
                )
            made.append(tensor.conj().resolve_conj())
        return made


class _Registered(torch.autograd.Function):
    @staticmethod
    def forward(call: CustomVjp, index: int, *operands: Tensor) -> Tensor:
        return torch.from_numpy(np.array(call.values[index]))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.call, ctx.index = inputs[:2]
        ctx.save_for_backward(*inputs[2:])

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        operands = ctx.saved_tensors
        with home():
            found = ctx.call.gradients(ctx.index, gradients[0], operands)
        every = (*operands, gradients[0])  # a second derivative by any of them is an error
        anchor = sum(t.sum().abs().double() for t in every)
        guards = [g if g is None else guarded(g, [anchor], ctx.call.once) for g in found]
        return None, None, *guards


def _plain(tensor: Tensor) -> Any:
    """The values of a tensor, also inside of torch's own transformations."""
    with torch._C._DisableFuncTorch():  # else what is computed here is wrapped again
        while torch._C._functorch.is_functorch_wrapped_tensor(tensor):
            tensor = torch._C._functorch.get_unwrapped(tensor)
        return tensor.detach().resolve_conj().resolve_neg().numpy()
