"""Gradients of a loop iteration by iteration, by compiled code, if that is faster than the tape."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.autodiff.errors import GradientError, Place
from jupyter_npcompile.autodiff.iterations import CompiledIteration, NotPureError, PureIteration
from jupyter_npcompile.autodiff.snapshots import Slot, Snapshot, is_inexact
from jupyter_npcompile.autodiff.trees import LEAF, flatten
from jupyter_npcompile.cell.loop_steps import ITEM
from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.runtime.check import DifferenceError
from jupyter_npcompile.runtime.settings import settings
from jupyter_npcompile.tracer.memory import owner

if TYPE_CHECKING:
    from jupyter_npcompile.autodiff.chunks import Chunk

SHORTEST = 64
"""Iterations for which compiling may be worth it."""

Segment = tuple[Snapshot, list[Any], dict[Slot, Any]]
"""A snapshot, the items of the iterations up to the next one, and cotangents there."""


MOST = 64
"""Iterations that are known at a time."""


@dataclass
class _Known:
    """What is known about an iteration.

    Parameters
    ----------
    compiled : CompiledIteration
        Its gradient.
    reason : str
        Why that is not used.
    faster : bool
        Whether it has won against the tape.
    """

    compiled: CompiledIteration
    reason: str
    faster: bool = False


_known: dict[Any, _Known] = {}


class Stepwise:
    """The iterations of a chunk.

    Parameters
    ----------
    chunk : Chunk
        The iterations.
    moving : list of Slot
        What they change, and can have a gradient.
    operands : list
        Active values of the run around them.

    """

    def __init__(self, chunk: Chunk, moving: list[Slot], operands: list[Any]) -> None:
        self._chunk, self._moving = chunk, moving
        last = chunk.keeper.snapshots[-1]
        first = chunk.keeper.snapshots[0]
        trees = {**last.trees, ITEM: flatten(chunk.items[-1])[1]}
        self._values: dict[Slot, Any] = {}
        held = {id(leaf) for item in chunk.items for leaf in flatten(item)[0]}
        for value in operands:
            places = [slot for slot, leaf in first.leaves.items() if leaf is value]
            if id(value) in held:
                places = [(ITEM, k) for k in range(trees[ITEM].leaves)]
            elif not places:
                raise NotPureError("a function closes over what is differentiated")
            for slot in places:
                self._values.setdefault(slot, value)
        asked = [*moving, *(slot for slot in self._values if slot not in moving)]
        self._asked = asked
        self._is_double = all(_is_double(leaf) for leaf in last.leaves.values())
        self._counters = self._changing(last)
        written = set()
        for (name, _), leaf in last.leaves.items():
            if isinstance(leaf, np.ndarray) and id(owner(leaf)) in chunk.watch.written:
                if trees[name] != LEAF:
                    raise NotPureError(f"`{name}` holds an array that is written")
                written.add(name)
        leaves = self._leaves(last.rebuilt(moving), chunk.items[-1])
        if not all(is_inexact(leaves[slot]) for slot in asked):
            raise NotPureError("what changes is not always a number")
        self._zeros = {slot: np.zeros_like(leaves[slot])[()] for slot in moving}
        ends = [*moving, *self._counters]
        kinds = tuple((np.shape(leaves[slot]), np.asarray(leaves[slot]).dtype) for slot in asked)
        key = (chunk.step.__code__, repr(trees), tuple(asked), tuple(ends), frozenset(written))
        self._key = (*key, kinds, id(chunk.step.__globals__))
        known = _known.get(self._key)
        if known is None:
            scope = chunk.step.__globals__
            pure = PureIteration(chunk.text, scope, trees, asked, ends, written, len(moving))
            compiled = CompiledIteration(pure, leaves, self._weights({}))
            known = _known[self._key] = _Known(compiled, compiled.reason)
            while len(_known) > MOST:
                del _known[next(iter(_known))]
        self._known = known

    @classmethod
    def begun(cls, chunk: Chunk, moving: list[Slot], operands: list[Any]) -> Stepwise | None:
        """Begin to compile; None where that is not wanted, or not possible."""
        forced = settings.tier == "inductor"
        if settings.tier in ("numpy", "aten") or (len(chunk.items) < SHORTEST and not forced):
            return None
        try:
            made = cls(chunk, moving, operands)
        except NotPureError:
            return None
        return made if not made.reason else None

    def _changing(self, last: Snapshot) -> list[Slot]:
        """What iterations change besides what can have a gradient."""
        others = self._chunk.keeper.snapshots[:-1]
        return [
            slot
            for slot, leaf in last.leaves.items()
            if slot not in self._moving
            and (
                any(kept.leaves.get(slot) is not leaf for kept in others)
                or (isinstance(leaf, np.ndarray) and id(owner(leaf)) in self._chunk.watch.written)
            )
        ]

    def _leaves(self, leaves: Mapping[Slot, Any], item: Any) -> dict[Slot, Any]:
        """The leaves of an iteration; Python's numbers become NumPy's, which can be inputs."""
        found = {**leaves, **{(ITEM, k): leaf for k, leaf in enumerate(flatten(item)[0])}}
        for slot in self._asked if self._is_double else ():
            if type(found[slot]) in (float, complex):
                found[slot] = np.asarray(found[slot])[()]
        return found

    def _weights(self, cotangents: Mapping[Slot, Any]) -> tuple[Any, ...]:
        return tuple([cotangents.get(slot, zero) for slot, zero in self._zeros.items()])

    # -- whether it is used

    def is_faster(self) -> bool:
        """Whether compiled code has won."""
        return self._known.faster

    @property
    def reason(self) -> str:
        """Why compiled code is not used."""
        return self._known.reason

    def is_new(self) -> bool:
        """Whether compiled code is there and has not been looked at."""
        known = self._known
        return not known.faster and not known.reason and known.compiled.ready()

    def judge(
        self,
        segment: Segment,
        cotangents: dict[Slot, Any],
        totals: dict[int, Any],
        seconds: float,
    ) -> None:
        """Compare with what the tape has given for the same iterations, and its time."""
        known = self._known
        self.segment(segment, {})
        mine: dict[int, Any] = {}
        began = perf_counter()
        made = self.segment(segment, mine)
        took = perf_counter() - began
        if made is None:
            known.reason = "iterations differ"
            return
        pairs = [(made[slot], other) for slot, other in cotangents.items()]
        pairs += [(mine[key], other) for key, other in totals.items() if key in mine]
        for one, other in pairs:
            size = float(np.max(np.abs(other), initial=0.0))
            if not np.allclose(one, other, rtol=1e-6, atol=1e-6 * size, equal_nan=True):
                known.reason = "compiled gradients differ from the tape's"
                if settings.first_run_check == "raise":
                    raise DifferenceError(f"compiled: {one!r}, tape: {other!r}")
                return
        known.faster = took < seconds or settings.tier == "inductor"
        known.reason = "" if known.faster else "the tape is faster"

    # -- what it computes

    def segment(
        self,
        segment: Segment,
        totals: dict[int, Any],
        ends: Mapping[Slot, Any] | None = None,
    ) -> dict[Slot, Any] | None:
        """Gradients at a snapshot from those at the next one; None where the tape must run.

        Parameters
        ----------
        segment : Segment
            The iterations.
        totals : dict
            The gradients of operands are added to it.
        ends : dict, optional
            What the iterations have left, to be looked at.
        """
        start, items, cotangents = segment
        mine: dict[int, Any] = {}
        known = {slot: np.asarray(g)[()] for slot, g in cotangents.items()}
        states = self._states(start, items)
        if ends is not None:
            demand_same(self._following(states[-1][0]), ends, self._chunk.place)
        for leaves, item in reversed(states):
            found = self._known.compiled.gradients(leaves, self._weights(known))
            if found is None:
                if _known.get(self._key) is self._known:
                    del _known[self._key]  # the next call records it anew
                return None
            known = {slot: found[slot] for slot in self._moving}
            for slot, value in self._values.items():
                if slot in known:
                    continue
                value = flatten(item)[0][slot[1]] if slot[0] == ITEM else value
                add(mine, id(value), found[slot])
        for key, value in mine.items():
            add(totals, key, value)
        return known

    def _states(self, start: Snapshot, items: list[Any]) -> list[tuple[dict[Slot, Any], Any]]:
        """What each iteration starts from, and its item."""
        leaves: dict[Slot, Any] = start.rebuilt(self._moving)
        states = []
        for item in items:
            full = self._leaves(leaves, item)
            states.append((full, item))
            if len(states) < len(items):
                leaves = {**leaves, **self._following(full)}
        return states

    def _following(self, leaves: dict[Slot, Any]) -> dict[Slot, Any]:
        """What an iteration changes."""
        pure = self._known.compiled.pure
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = pure.step(*pure.arguments(leaves), np)
        return dict(zip((*self._moving, *self._counters), made, strict=True))


def demand_same(found: Mapping[Slot, Any], known: Mapping[Slot, Any], place: Place) -> None:
    """What ran again must have given what it gave before.

    Raises
    ------
    GradientError
        When it has not.
    """
    for slot, value in known.items():
        if not is_inexact(value):
            continue
        size = float(np.max(np.abs(value), initial=0.0, where=np.isfinite(value)))
        if np.shape(found[slot]) != np.shape(value) or not np.allclose(
            found[slot], value, rtol=1e-5, atol=1e-6 * size, equal_nan=True
        ):
            raise GradientError(
                "iterations of a loop give other values when they run again: something that "
                "they read has changed since",
                "copy what the loop reads before you change it",
                place,
            )


def _is_double(leaf: Any) -> bool:
    """Whether a NumPy number in the place of Python's would change no dtype beside this value."""
    return not isinstance(leaf, np.ndarray | np.inexact) or leaf.dtype.char not in "efF"


def add(totals: dict[int, Any], key: int, value: Any) -> None:
    """Add to a gradient."""
    totals[key] = totals[key] + value if key in totals else value
