"""Gradients at every operation on the way, for the gradient view."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jupyter_npcompile.autodiff.tape import Tape
from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.gradients import NodeGradient, NonFinite
from jupyter_npcompile.graph.nodes import Node, Position

if TYPE_CHECKING:
    from torch import Tensor

MOST = 20_000
"""Runs of operations that are looked at; of longer tapes the last ones."""


@dataclass(frozen=True, slots=True)
class Inspection:
    """What was found at the operations between the variables and an output.

    Parameters
    ----------
    nodes : tuple of NodeGradient
        One for each operation in the text, however often it ran.
    nonfinite : NonFinite or None
        Where NaN or infinity appeared first.
    """

    nodes: tuple[NodeGradient, ...] = ()
    nonfinite: NonFinite | None = None


@dataclass(slots=True)
class _Run:
    """One run of an operation; how large the gradient with respect to its result was."""

    op: str
    position: Position
    number: int
    finite_value: bool
    finite_gradient: bool = True
    norm: float = 0.0

    def measure(self, gradient: Tensor) -> None:
        """Note a gradient, which nobody keeps."""
        import torch

        self.norm = float(torch.linalg.vector_norm(gradient.detach()))
        # Squares of finite numbers may be none.
        self.finite_gradient = math.isfinite(self.norm) or _is_finite(gradient)


def inspected(
    tape: Tape, output: int | None, seed: Any, leaves: Sequence[int]
) -> tuple[list[Any], Inspection]:
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
        return [torch.zeros_like(given[tape.leaves.index(id)]) for id in leaves], Inspection()
    forward = Forward(tape, [output])
    with torch.enable_grad():
        (result,), seen = forward.watched(*given)
        runs = _watch(tape, seen)
        found = backward([result], given, tensors([seed]))
    return [found[tape.leaves.index(id)] for id in leaves], _inspection(runs)


def _watch(tape: Tape, seen: Sequence[tuple[Node, Tensor]]) -> list[_Run]:
    """Have the runs of operations told how large the gradients are, when they are known."""
    chosen = [
        (node, tensor)
        for node, tensor in seen
        if tensor.requires_grad and node.types and not node.writes
    ]
    counts: dict[tuple[str, Position], int] = {}
    runs = []
    for node, tensor in chosen:
        place = tape.callers.place(node).position
        number = counts[node.op, place] = counts.get((node.op, place), 0) + 1
        runs.append(_Run(node.op, place, number, _is_finite(tensor)))
    for run, (_, tensor) in list(zip(runs, chosen, strict=True))[-MOST:]:
        watched: Any = tensor  # torch does not say what a hook is
        watched.register_hook(run.measure)
    return runs[-MOST:]


def _is_finite(tensor: Tensor) -> bool:
    import torch

    return bool(torch.isfinite(tensor.detach()).all())


def _inspection(runs: Sequence[_Run]) -> Inspection:
    places: dict[tuple[str, Position], list[_Run]] = {}
    for run in runs:
        places.setdefault((run.op, run.position), []).append(run)
    # Gradients flow backward: the last one in order of execution came first.
    value = next((run for run in runs if not run.finite_value), None)
    first = value or next((run for run in reversed(runs) if not run.finite_gradient), None)
    nonfinite = None
    if first is not None:
        several = len(places[first.op, first.position]) > 1
        number = first.number if several else 0
        nonfinite = NonFinite(first.op, first.position, value is not None, number)
    return Inspection(tuple(map(_summary, places.values())), nonfinite)


def _summary(runs: Sequence[_Run]) -> NodeGradient:
    """What the runs of one operation have in common."""
    norms = [run.norm for run in runs]
    known = [norm for norm in norms if not math.isnan(norm)] or norms
    return NodeGradient(
        runs[0].op,
        runs[0].position,
        max(known),
        all(run.finite_value for run in runs),
        all(run.finite_gradient for run in runs),
        len(runs),
        min(known) if len(runs) > 1 else None,
    )
