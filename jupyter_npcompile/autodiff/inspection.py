"""Gradients at every operation on the way, for the gradient view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jupyter_npcompile.autodiff.tape import Tape
from jupyter_npcompile.graph.gradients import NodeGradient

MOST = 300
"""Operations that are looked at; of longer tapes the last ones."""


def node_gradients(
    tape: Tape, output: int | None, seed: Any, leaves: Sequence[int]
) -> tuple[list[Any], list[NodeGradient]]:
    """Gradients of an output: for the leaves as tensors, for operations their sizes.

    Parameters
    ----------
    tape : Tape
        Of the run.
    output : int or None
        The node of the output; None when it depends on no leaf.
    seed : numpy.ndarray
        Its cotangent.
    leaves : sequence of int
        Input nodes.
    """
    import torch

    from jupyter_npcompile.autodiff.evaluation import Forward
    from jupyter_npcompile.autodiff.pullbacks import backward, tensors

    values = [tape.values[id] for id in tape.leaves]
    given = [leaf.requires_grad_() for leaf in tensors(values)]
    if output is None:
        return [torch.zeros_like(given[tape.leaves.index(id)]) for id in leaves], []
    forward = Forward(tape, [output])
    with torch.enable_grad():
        (result,), seen = forward.watched(*given)
        chosen = [
            (node, tensor)
            for node, tensor in seen
            if tensor.requires_grad and node.types and not node.writes
        ][-MOST:]
        (cotangent,) = tensors([seed])
        found = backward([result], [*given, *(t for _, t in chosen)], [cotangent])
    nodes = []
    for (node, tensor), gradient in zip(chosen, found[len(given) :], strict=True):
        place = tape.callers.place(node).position
        size = torch.linalg.vector_norm(gradient.detach())
        nodes.append(
            NodeGradient(
                node.op,
                place,
                float(size),
                bool(torch.isfinite(tensor.detach()).all()),
                bool(torch.isfinite(gradient.detach()).all()),
            )
        )
    return [found[tape.leaves.index(id)] for id in leaves], nodes
