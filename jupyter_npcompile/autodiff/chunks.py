"""Iterations of a loop that were not recorded, as one step on the tape."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from types import CellType, FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.autodiff.snapshots import (
    UNBOUND,
    Keeper,
    Slot,
    Snapshot,
    content,
    fresh,
    is_inexact,
    is_number,
)
from jupyter_npcompile.autodiff.taints import CutInt, Step
from jupyter_npcompile.autodiff.watching import WatchTape
from jupyter_npcompile.tracer.memory import owner, traceable

if TYPE_CHECKING:
    from jupyter_npcompile.autodiff.hooks import TapeHooks

LOOP = "a loop"
"""What a step is that stands for iterations."""

ROOM = 64 << 20
"""Bytes that snapshots may take before there are fewer of them than iterations."""

TAPE = 3
"""How much more than its results an iteration takes while it is differentiated."""

OBJECTS = 1 << 11
"""Bytes of a snapshot besides its arrays."""

_PLAIN = (int, bool, str, bytes, type(None), np.integer, np.bool_, np.dtype, range, slice)


class Chunk:
    """Iterations that run without being recorded.

    Parameters
    ----------
    hooks : TapeHooks
        Of the run.
    step : function
        The body of the loop.
    live : dict of str to cell
        The names that an iteration starts from.
    text : str
        The statements of an iteration, or ``""``.
    size : int
        Bytes that an iteration takes when it is recorded.

    Attributes
    ----------
    items : list
        Of the iterations.
    keeper : Keeper
        Of the snapshots from which they can be run again.
    every : int
        Iterations from one snapshot to the next.
    """

    def __init__(
        self,
        hooks: TapeHooks,
        step: FunctionType,
        live: dict[str, CellType],
        text: str,
        size: int,
    ) -> None:
        self.text = text
        self.hooks, self.tape = hooks, hooks.tape
        self.step, self.live = step, live
        self.watch = WatchTape(self.tape, _containers(live))
        self.place = self.tape.place
        self.items: list[Any] = []
        self.keeper: Keeper = self.watch.keeper
        self.every = 1
        self._size = TAPE * max(size, 1 << 10)

    @classmethod
    def begun(
        cls,
        hooks: TapeHooks,
        step: FunctionType,
        live: dict[str, CellType],
        text: str,
        size: int,
    ) -> Chunk | None:
        """A chunk, or None where the names hold something that cannot be kept."""
        for name, cell in live.items():
            for leaf in Snapshot({name: cell}).leaves.values():
                array = isinstance(leaf, np.ndarray)
                if (array and not traceable(leaf)) or isinstance(leaf, Iterator | CutInt):
                    return None
        return cls(hooks, step, live, text, size)

    def begin(self, item: Any) -> None:
        """An iteration begins."""
        rolling = self.watch.rolling = Snapshot(self.live)
        if len(self.items) % self.every == 0:
            self.keeper.add(rolling)
            self._thin()
        self.items.append(item)

    def _thin(self) -> None:
        """Fewer snapshots, when they take more than iterations between two of them on a tape."""
        kept = self.keeper.snapshots
        size = OBJECTS + sum(
            base.nbytes
            for key, (base, _) in kept[-1].memory.items()
            if key in self.watch.written or key not in kept[0].memory
        )
        if len(kept) % 2 and len(kept) * size > max(self.every * self._size, ROOM):
            self.keeper.thin()
            self.every *= 2

    def undo(self) -> Any:
        """Take the last iteration back; returns its item."""
        assert self.watch.rolling is not None
        self.watch.undo_iteration()
        self.watch.rolling.restore(self.live)
        item = self.items.pop()
        if len(self.items) % self.every == 0:
            self.keeper.snapshots.pop()
        return item

    # -- as a step

    def close(self) -> None:
        """Enter what the iterations have computed, or run them on the tape after all."""
        if not self.items:
            return
        self.tape.turn(len(self.items))
        ends = Snapshot(self.live)
        moving = self._moving(ends)
        if moving is None:
            self._discard()
            return
        starts = self.keeper.snapshots[0]
        given = [
            (slot, starts.leaves[slot])
            for slot in moving
            if self.tape.known(starts.leaves[slot]) is not None
        ]
        firsts = {id(leaf) for _, leaf in given}
        captured = list(self.watch.seen.values())
        hidden = [*_closed_over(self.live), *(v for v in captured if id(v) not in firsts)]
        if any(self._is_written(value) for value in hidden):
            self._discard()
        elif given or captured:
            self.tape.keepers.append(self.keeper)
            self._enter(ends, moving, given, captured)

    def _discard(self) -> None:
        self.keeper.snapshots[0].restore(self.live)
        for item in self.items:
            self.step(item)

    def _is_written(self, value: Any) -> bool:
        return isinstance(value, np.ndarray) and id(owner(value)) in self.watch.written

    def _moving(self, ends: Snapshot) -> list[Slot] | None:
        """What changes from iteration to iteration, and can have a gradient; None if unclear."""
        starts, *others = self.keeper.snapshots
        found = []
        for slot, leaf in ends.leaves.items():
            first = starts.leaves.get(slot, UNBOUND)
            same = all(kept.leaves.get(slot, UNBOUND) is first for kept in (*others, ends))
            if same and not self._is_written(leaf):
                continue
            if isinstance(leaf, np.ndarray) and not traceable(leaf):
                return None
            if is_inexact(leaf):
                found.append(slot)
            elif not isinstance(leaf, (*_PLAIN, np.ndarray)):
                return None
        for kept in (*self.keeper.snapshots, ends):
            if kept.trees != starts.trees or not _is_apart(kept, found, self.watch.written):
                return None
        return found

    def _enter(
        self,
        ends: Snapshot,
        moving: list[Slot],
        given: list[tuple[Slot, Any]],
        captured: list[Any],
    ) -> None:
        from jupyter_npcompile.autodiff.reruns import Rerun

        starts = self.keeper.snapshots[0]
        outputs: dict[int, tuple[Slot, Any]] = {}
        for slot in moving:
            leaf = ends.leaves[slot]
            old = isinstance(leaf, np.ndarray) and id(owner(leaf)) in starts.memory
            if self._is_written(leaf) or not old:
                outputs.setdefault(id(leaf), (slot, leaf))
        if not outputs:
            return
        operands = {id(v): v for v in (*(leaf for _, leaf in given), *captured)}
        every = list(outputs.values())
        parts = [np.array(leaf).ravel() for _, leaf in every]
        flat = np.concatenate(parts)
        flat = flat.astype(np.complex128 if flat.dtype.kind == "c" else np.float64)
        call = Rerun(self, moving, every, given, list(operands.values()), flat)
        wrapped = tuple(self.tape.wrap(value) for value in operands.values())
        self.tape.step(Step(LOOP, self.place, flat, function=call), flat, wrapped)
        start = 0
        replaced: dict[Slot, Any] = {}
        for slot, leaf in every:
            stop = start + np.size(leaf)
            replaced[slot] = self._output(leaf, flat, start, stop)
            start = stop
        self._bind(ends, replaced, outputs)

    def _output(self, leaf: Any, flat: Any, start: int, stop: int) -> Any:
        """Enter one value; returns the object that is followed."""
        dtype, shape = np.asarray(leaf).dtype, np.shape(leaf)
        function = functools.partial(part_of, start, stop, dtype, shape)
        value = fresh(leaf) if is_number(leaf) else leaf
        if is_number(leaf) or (self.tape.known(leaf) is None and not self._is_old(leaf)):
            step = Step(LOOP, self.place, value, function=function)
            return self.tape.step(step, value, (self.tape.wrap(flat),))
        copy = leaf.copy()
        step = Step(LOOP, self.place, copy, function=function)
        self.tape.step(step, copy, (self.tape.wrap(flat),))
        self.tape.activate(leaf)
        target, stored = self.tape.wrap(leaf), self.tape.wrap(copy)
        recorder = self.tape.recorder
        recorder.record(self.tape.hooks, "setitem", (target, ..., stored), {}, None, (target,))
        self.tape.unwrap(None)
        return leaf

    def _is_old(self, leaf: Any) -> bool:
        return id(owner(leaf)) in self.keeper.snapshots[0].memory

    def _bind(
        self,
        ends: Snapshot,
        replaced: dict[Slot, Any],
        outputs: dict[int, tuple[Slot, Any]],
    ) -> None:
        """Numbers have become objects of their own."""
        by_id = {key: replaced[slot] for key, (slot, _) in outputs.items()}
        for name, tree in ends.trees.items():
            leaves = [ends.leaves[name, k] for k in range(tree.leaves)]
            if any(is_number(leaf) and id(leaf) in by_id for leaf in leaves):
                value = tree.build([by_id.get(id(leaf), leaf) for leaf in leaves])
                self.live[name].cell_contents = value


def part_of(start: int, stop: int, dtype: Any, shape: tuple[int, ...], flat: Any) -> Any:
    """One of the values that a loop leaves, from all of them as a tensor."""
    from jupyter_npcompile.tracer.lowering.dtypes import TORCH

    taken = flat[start:stop].reshape(shape)
    taken = taken.real if dtype.kind == "f" and taken.is_complex() else taken
    return taken.to(TORCH[dtype.name])


def _is_apart(kept: Snapshot, moving: list[Slot], written: set[int]) -> bool:
    """Whether names that change hold different memory, or the same array."""
    seen: dict[int, Any] = {}
    for slot, leaf in kept.leaves.items():
        if not isinstance(leaf, np.ndarray):
            continue
        if slot in moving or id(owner(leaf)) in written:
            other = seen.setdefault(id(owner(leaf)), leaf)
            if other is not leaf:
                return False
    return True


def _closed_over(live: dict[str, CellType]) -> Iterator[Any]:
    """Arrays that functions among the names close over."""

    def inside(value: Any, depth: int) -> Iterator[Any]:
        function = getattr(value, "__func__", value)
        for cell in getattr(function, "__closure__", None) or ():
            held = content(cell)
            if isinstance(held, np.ndarray):
                yield held
            elif depth:
                yield from inside(held, depth - 1)

    for cell in live.values():
        yield from inside(content(cell), 3)


def _containers(live: dict[str, CellType]) -> Iterator[Any]:
    """The lists, dicts and sets that iterations find."""

    def inside(value: Any, depth: int) -> Iterator[Any]:
        if isinstance(value, list | dict | set | tuple):
            yield value
            items = value.values() if isinstance(value, dict) else value
            for item in items if depth else ():
                yield from inside(item, depth - 1)

    for cell in live.values():
        yield from inside(content(cell), 3)
