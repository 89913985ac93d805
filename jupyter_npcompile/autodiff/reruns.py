"""The gradient of iterations that were not recorded: from the last snapshot to the first.

From each snapshot, iterations run again as far as the next one, this time on
a tape of their own, which is differentiated and let go.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from time import perf_counter
from types import CellType, FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.autodiff.errors import CAST, GradientError
from jupyter_npcompile.autodiff.evaluation import Forward
from jupyter_npcompile.autodiff.pullbacks import backward, tensors
from jupyter_npcompile.autodiff.sites import home
from jupyter_npcompile.autodiff.snapshots import Slot, Snapshot, is_inexact
from jupyter_npcompile.autodiff.stepwise import Segment, Stepwise, add, demand_same
from jupyter_npcompile.autodiff.taints import CutInt
from jupyter_npcompile.autodiff.tape import Tape
from jupyter_npcompile.autodiff.trees import flatten
from jupyter_npcompile.cell import HOOKS

if TYPE_CHECKING:
    from jupyter_npcompile.autodiff.chunks import Chunk

AT_ONCE = 8
"""Iterations that are recorded together, where there are snapshots for each."""


class Rerun:
    """Iterations as a function of tensors.

    Parameters
    ----------
    chunk : Chunk
        The iterations.
    moving : list of Slot
        What changes from one to the next.
    outputs : list of (Slot, value)
        What they leave.
    given : list of (Slot, value)
        What they start from, where it is active.
    operands : list
        Active values of the run around them, in the order of the tensors.
    results : numpy.ndarray
        All that they leave, one after the other.
    """

    needs_host = True

    def __init__(
        self,
        chunk: Chunk,
        moving: list[Slot],
        outputs: list[tuple[Slot, Any]],
        given: list[tuple[Slot, Any]],
        operands: list[Any],
        results: Any,
    ) -> None:
        self._chunk, self._moving = chunk, moving
        self._outputs = [
            (slot, np.shape(leaf), np.asarray(leaf).dtype.kind) for slot, leaf in outputs
        ]
        self._given, self._operands = given, operands
        self.results = results

    def __call__(self, *operands: Tensor) -> Tensor:
        """All values that the iterations leave, one after the other."""
        call: Any = _Iterations.apply
        made: Tensor = call(self, *operands)
        return made

    def gradients(self, cotangent: Any) -> list[Any]:
        """The gradient for each operand, from that of what the iterations leave."""
        cotangents = self._split(cotangent)
        totals: dict[int, Any] = {}
        kept = self._chunk.keeper.snapshots
        compiled = Stepwise.begun(self._chunk, self._moving, self._operands)
        every, stop = self._chunk.every, len(kept)
        known: Mapping[Slot, Any] = self._split(self.results)
        while stop and cotangents:
            if compiled is not None and compiled.is_faster():
                segment = (kept[stop - 1], self._items(stop - 1, stop), cotangents)
                made = compiled.segment(segment, totals, known if stop == len(kept) else None)
                if made is not None:
                    cotangents, stop = made, stop - 1
                    continue
            began, first = perf_counter(), max(stop - max(AT_ONCE // every, 1), 0)
            segment = (kept[first], self._items(first, stop), cotangents)
            if stop < len(kept):
                leaves = kept[stop].rebuilt(())
                known = {slot: leaves[slot] for slot in self._moving}
            mine: dict[int, Any] = {}
            cotangents, stop = self._segment(segment, known, mine), first
            if compiled is not None and compiled.is_new():
                compiled.judge(segment, cotangents, mine, perf_counter() - began)
            for key, value in mine.items():
                add(totals, key, value)
        for slot, value in self._given:
            if slot in cotangents:
                add(totals, id(value), cotangents[slot])
        return [totals.get(id(value)) for value in self._operands]

    def _split(self, cotangent: Any) -> dict[Slot, Any]:
        """The parts of a cotangent, by what they belong to."""
        parts, start = {}, 0
        for slot, shape, kind in self._outputs:
            stop = start + int(np.prod(shape))
            part = cotangent[start:stop].reshape(shape)
            parts[slot] = np.array(part.real if kind == "f" else part)  # memory of its own
            start = stop
        return parts

    def _items(self, first: int, stop: int) -> list[Any]:
        """The items of the iterations from one snapshot to another."""
        every = self._chunk.every
        return self._chunk.items[first * every : stop * every]

    def _segment(
        self, segment: Segment, known: Mapping[Slot, Any], totals: dict[int, Any]
    ) -> dict[Slot, Any]:
        """Gradients at a snapshot from those at the end of the iterations that follow it."""
        from jupyter_npcompile.autodiff.hooks import TapeHooks

        start, items, cotangents = segment
        tape = Tape()
        tape.repeats = True
        chunk = self._chunk
        tape.filename, tape.functions = chunk.watch.filename, list(chunk.watch.functions)
        tape.recorder.position = chunk.place.position
        moving = set(self._moving)
        leaves = start.rebuilt(moving)
        states: dict[int, Slot] = {}
        captured: dict[int, int] = {}
        entered: set[int] = set()
        for slot in self._moving:
            leaf = leaves[slot]
            if is_inexact(leaf) and id(leaf) not in entered:
                entered.add(id(leaf))
                states[tape.enter(leaf)] = slot
        stands = {id(start.leaves[slot]): leaf for slot, leaf in leaves.items()}
        used = {id(leaf) for item in items for leaf in flatten(item)[0]}
        every = {id(leaf) for item in chunk.items for leaf in flatten(item)[0]}
        for value in self._operands:
            stand = stands.get(id(value), value)
            elsewhere = id(value) in every and id(value) not in used
            if id(stand) not in entered and not elsewhere:
                entered.add(id(stand))
                captured[tape.enter(stand)] = id(value)
        cells = start.bound(leaves)
        cells[HOOKS] = CellType(TapeHooks(tape))
        code = chunk.step.__code__
        closure = tuple(cells.setdefault(name, CellType()) for name in code.co_freevars)
        step = FunctionType(code, chunk.step.__globals__, code.co_name, None, closure)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for item in items:
                step(item)
        ends = Snapshot({name: cells[name] for name in chunk.live})
        self._demand_plain_integers(ends)
        demand_same(ends.leaves, known, chunk.place)
        found = self._pulled(tape, ends, cotangents)
        tape.release()
        for id_, value in captured.items():
            add(totals, value, found[id_])
        return {slot: found[id_] for id_, slot in states.items()}

    def _pulled(self, tape: Tape, ends: Snapshot, cotangents: dict[Slot, Any]) -> dict[int, Any]:
        """The gradient for each leaf of a tape."""
        nodes, given = [], []
        for slot, cotangent in cotangents.items():
            node = tape.node_of(ends.leaves[slot])
            if node is not None:
                nodes.append(node)
                given.append(cotangent)
        leaves = [leaf.requires_grad_() for leaf in tensors([tape.values[k] for k in tape.leaves])]
        with torch.enable_grad():
            outputs = Forward(tape, nodes)(*leaves)
        found = backward(outputs, leaves, tensors(given))
        return {
            id_: g.detach().resolve_conj().resolve_neg().numpy()
            for id_, g in zip(tape.leaves, found, strict=True)
        }

    def _demand_plain_integers(self, ends: Snapshot) -> None:
        """No integer among the names may be made of an active number."""
        for leaf in ends.leaves.values():
            if type(leaf) is CutInt:
                reason = "an integer that a loop makes of a differentiated number has no derivative"
                raise GradientError(reason, CAST, self._chunk.place)


class _Iterations(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, call: Rerun, *operands: Tensor) -> Tensor:
        ctx.call = call
        ctx.save_for_backward(*operands)
        return torch.from_numpy(np.array(call.results))

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        # gradients of complex numbers are NumPy users' convention, not torch's
        given = np.conj(gradients[0].detach().resolve_conj().resolve_neg().numpy())
        made: list[Any] = [None]
        with home():
            every = ctx.call.gradients(given)
        for found, operand in zip(every, ctx.saved_tensors, strict=True):
            if found is None:
                made.append(None)
                continue
            tensor = torch.from_numpy(np.array(np.conj(found))).to(operand.dtype)
            made.append(tensor.reshape(operand.shape))
        return tuple(made)
