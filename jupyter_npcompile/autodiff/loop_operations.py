"""Loops as operations of torch: one that runs all iterations, and one for its derivative.

They never run as such. They stand in the graph of value and gradients, and
what is compiled for them is C++ (`loop_drivers`). Imports torch.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from jupyter_npcompile.autodiff.graph_loops import Loop
from jupyter_npcompile.autodiff.loop_iterations import Iteration, traced
from jupyter_npcompile.autodiff.stages import LOOPS
from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph import nodes
from jupyter_npcompile.runtime.compile_errors import UnbuildableError
from jupyter_npcompile.tracer.lowering.dtypes import TORCH, store
from jupyter_npcompile.tracer.lowering.program import placeholder

_library: Any = torch.library.Library("npcompile", "FRAGMENT")  # type: ignore[no-untyped-call]
_library.define(f"{LOOPS[0]}(Tensor[] operands, int plan) -> Tensor[]")
_library.define(f"{LOOPS[1]}(Tensor[] values, int plan, bool[] asked) -> Tensor[]")

_numbers = itertools.count()
plans: dict[int, LoopPlan] = {}
"""The loops of the graph that is being built, by the number that stands in it."""


@dataclass
class Kind:
    """Type and shape of a tensor; its elements lie in C order."""

    dtype: torch.dtype
    shape: tuple[int, ...]

    def empty(self, *front: int) -> Tensor:
        """A tensor without elements; ``front`` are dimensions before its own."""
        return torch.empty((*front, *self.shape), dtype=self.dtype)

    @property
    def is_inexact(self) -> bool:
        """Whether it can have a derivative."""
        return self.dtype.is_floating_point or self.dtype.is_complex

    @property
    def nbytes(self) -> int:
        """Its size."""
        return self.empty().nbytes if self.shape else self.dtype.itemsize


class LoopPlan:
    """What the two operations of a loop take and give.

    Parameters
    ----------
    loop : Loop
        The loop.
    kinds : list of Kind
        Of its operands.
    interpreter : type
        Of the body.

    Attributes
    ----------
    body : Iteration
        An iteration: from its inputs to `Loop.results`, the new contents of
        what it writes, and a check.
    inputs, results, changes : list of Kind
        Of the body.
    kept : list of int
        The inputs of the body of which each iteration's is kept: its derivative looks at them.
    """

    def __init__(self, loop: Loop, kinds: list[Kind], interpreter: Any) -> None:
        self.loop, self.operands, self._interpreter = loop, kinds, interpreter
        self.number = next(_numbers)
        plans[self.number] = self
        self.ids = [node.id for node in loop.body.inputs]
        known = loop.body.by_id()
        self.inputs = [_kind(known[id]) for id in self.ids]
        self.results = [_kind(known[id]) for id in loop.results]
        self.changes = sorted(loop.written)
        self.kept = [self.ids.index(id) for id in loop.kept]
        count = len(self.results)
        stays: dict[int, int | None] = dict.fromkeys(range(count))
        stays |= {count + k: self.ids.index(id) for k, id in enumerate(self.changes)}
        places = [placeholder(node) for node in loop.body.inputs]
        self.body = traced(self._run, places, stays, is_stored=True)
        read = self._read()
        self.kept = [k for k in self.kept if k in read]

    def _interpreted(self, tensors: Sequence[Tensor]) -> tuple[list[Tensor], Tensor]:
        trace, interpreter = self._interpreter(self.loop.body)
        interpreter.bind_inputs(tensors)
        for node in self.loop.body.nodes:
            interpreter.run(node)
        values = [trace.values[id] for id in (*self.loop.results, *self.changes)]
        return [store(value.read(), value.dtype) for value in values], interpreter.checks()

    def _run(self, *tensors: Tensor) -> list[Tensor]:
        made, check = self._interpreted(tensors)
        return [*made, check]

    # -- derivatives

    def active(self, asked: Sequence[bool]) -> tuple[list[int], list[int]]:
        """The inputs of the body, and its results, that depend on the operands asked for."""
        loop = self.loop
        wanted = {id for id, flag in zip(loop.operands, asked, strict=True) if flag}
        roots = loop.body.roots()
        active = {made for made, id in loop.invariants if id in wanted}
        active |= {carry.input for carry in loop.carries if carry.first in wanted}
        changed = {window.array for window in loop.windows if window.array in wanted}
        while True:
            before = len(active), len(changed)
            active |= {window.input for window in loop.windows if window.array in changed}
            moved = set(active)
            for node in loop.body.nodes:
                if any(roots[id] in moved for id in node.references()):
                    moved |= {roots[node.id], *(roots[id] for id in node.writes)}
            active |= {carry.input for carry in loop.carries if roots[carry.source] in moved}
            for window in loop.windows:
                if window.input in moved and window.input in loop.written:
                    changed.add(window.array)
            if before == (len(active), len(changed)):
                break
        outs = [*loop.results, *self.changes]
        return (
            [k for k, id in enumerate(self.ids) if id in active and self.inputs[k].is_inexact],
            [k for k, id in enumerate(outs) if roots[id] in moved and self.out(k).is_inexact],
        )

    def out(self, k: int) -> Kind:
        """The kind of a result of the body."""
        every = [*self.results, *(self.inputs[self.ids.index(id)] for id in self.changes)]
        return every[k]

    def derivative(self, asked: Sequence[bool]) -> Iteration:
        """From inputs and cotangents of an iteration to cotangents of its inputs."""
        given, made = self.active(asked)
        count = len(self.inputs)

        def pulled(*tensors: Tensor) -> list[Tensor]:
            leaves = [
                t.detach().requires_grad_() if k in given else t
                for k, t in enumerate(tensors[:count])
            ]
            with torch.enable_grad():
                outs, _ = self._interpreted(leaves)
                pairs = [(outs[k], c) for k, c in zip(made, tensors[count:], strict=True)]
                pairs = [(out, c) for out, c in pairs if out.requires_grad]
                wanted = [leaves[k] for k in given]
                found: Sequence[Tensor | None] = [None] * len(wanted)
                if pairs:
                    ends, weights = zip(*pairs, strict=True)
                    found = torch.autograd.grad(ends, wanted, weights, allow_unused=True)
            zipped = zip(found, wanted, strict=True)
            return [torch.zeros_like(t) if g is None else g for g, t in zipped]

        places = [placeholder(node) for node in self.loop.body.inputs]
        later = {id: count + made.index(k) for k, id in self._written(made)}
        several = {id for id, _ in self.loop.invariants}
        stays = {
            n: later.get(self.ids[k]) for n, k in enumerate(given) if self.ids[k] not in several
        }
        return traced(pulled, [*places, *(self.out(k).empty() for k in made)], stays)

    def _written(self, made: Sequence[int]) -> list[tuple[int, int]]:
        """Results that are the new contents of a window, and what it is called in the body."""
        count = len(self.results)
        return [(k, self.changes[k - count]) for k in made if k >= count]

    def _read(self) -> set[int]:
        """The inputs of the body that its derivative looks at."""
        derivative = self.derivative([True] * len(self.loop.operands))
        arguments = [node for node in derivative.module.graph.nodes if node.op == "placeholder"]
        copies = derivative.copies
        return {k for k in range(len(self.ids)) if arguments[k].users or k in copies}

    # -- what the operations give

    def forward(self) -> list[Tensor]:
        """Results, changed arrays, the check, and what is kept of each iteration."""
        operands = dict(zip(self.loop.operands, self.operands, strict=True))
        return [
            *(kind.empty() for kind in self.results),
            *(operands[id].empty() for id in self.loop.changed),
            torch.empty((), dtype=torch.bool),
            *(self.inputs[k].empty(self.loop.count) for k in self.kept),
        ]

    def backward(self, asked: Sequence[bool]) -> list[Tensor]:
        """The gradient of each operand asked for."""
        return [kind.empty() for kind, flag in zip(self.operands, asked, strict=True) if flag]


def _kind(node: nodes.Node) -> Kind:
    dtype = TORCH[node.type.dtype]
    if dtype == torch.complex64:
        raise UnbuildableError("complex numbers of single precision in a loop")
    return Kind(dtype, tuple(node.type.shape))


def _forward(operands: list[Tensor], plan: int) -> list[Tensor]:
    return plans[plan].forward()


def _backward(values: list[Tensor], plan: int, asked: list[bool]) -> list[Tensor]:
    return plans[plan].backward(asked)


torch.library.register_fake(f"npcompile::{LOOPS[0]}", _forward, lib=_library)
torch.library.register_fake(f"npcompile::{LOOPS[1]}", _backward, lib=_library)


class _Iterations(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, number: int, *operands: Tensor) -> Any:
        plan = plans[number]
        made = torch.ops.npcompile.loop(list(operands), number)
        ctx.number, ctx.count = number, len(operands)
        ends = len(plan.results) + len(plan.loop.changed)
        exact = [t for t in made[:ends] if not Kind(t.dtype, ()).is_inexact]
        ctx.mark_non_differentiable(*made[ends:], *exact)
        ctx.save_for_backward(*operands[len(plan.loop.carries) :], *made[ends + 1 :])
        return tuple(made)

    @staticmethod
    def backward(ctx: Any, *cotangents: Tensor) -> Any:
        plan = plans[ctx.number]
        asked = list(ctx.needs_input_grad[1:])
        ends = len(plan.results) + len(plan.loop.changed)
        given = [c.contiguous() for c in cotangents[:ends]]
        values = [*ctx.saved_tensors, *given]
        found = iter(torch.ops.npcompile.loop_vjp(values, ctx.number, asked))
        return (None, *(next(found) if flag else None for flag in asked))


def run(loop: Loop, operands: Sequence[Tensor], interpreter: Any) -> tuple[list[Tensor], Tensor]:
    """Write a loop down; returns its results with the arrays that it changes, and a check.

    Parameters
    ----------
    loop : Loop
        The loop.
    operands : sequence of Tensor
        What it takes, in C order.
    interpreter : callable
        ``interpreter(graph)``: a trace, and what runs nodes on it.
    """
    kinds = [Kind(t.dtype, tuple(map(int, t.shape))) for t in operands]
    plan = LoopPlan(loop, kinds, interpreter)
    call: Any = _Iterations.apply
    made = call(plan.number, *operands)
    ends = len(plan.results) + len(loop.changed)
    return list(made[:ends]), made[ends]
