"""The tape: which of the real values of a run depend on what is differentiated.

The code runs on its own ndarrays and numbers. The tape knows by identity which
of them are *active*, that is, depend on a leaf, and has a node for each in a
captured graph. It keeps them alive, so that no other object can take their
place. What shares memory with an active array is active too; it is found by
the owner of the memory.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from jupyter_npcompile.autodiff.activity import Activity
from jupyter_npcompile.autodiff.callers import Callers
from jupyter_npcompile.autodiff.errors import CAST, GradientError
from jupyter_npcompile.autodiff.memory_copies import copy_as_it_lies
from jupyter_npcompile.autodiff.memory_views import (
    holder,
    index_of_view,
    owner_of,
    places_of_view,
)
from jupyter_npcompile.autodiff.streams import Streams
from jupyter_npcompile.autodiff.taints import CutInt, Step
from jupyter_npcompile.graph.nodes import Node, Ref
from jupyter_npcompile.tracer.interpret import value_type
from jupyter_npcompile.tracer.memory import Array, is_supported
from jupyter_npcompile.tracer.traced import Traced, is_traced

WORK: Any = 10_000
"""What NumPy may spend on whether two arrays share elements."""

GATHERED = "autodiff.view"
"""The operation of a view that no index gives."""


class Tape(Activity):
    """Nodes, leaves and notes of one run.

    Parameters
    ----------
    parent : Tape, optional
        Of the run in which this one happens: what is active there, and is no
        leaf here, is *captured*.

    Attributes
    ----------
    captured : list
        Active values of the parent that were used.
    overwritten : list
        Arrays that a run inside this one has written into: they were its arguments.
    repeats : bool
        Whether iterations of long loops may run again for their gradient.
    keepers : list
        Who is told of memory that is about to be written.
    callers : Callers
        Which operations are in helper functions.
    skipped : int
        About how many operations of loops were not recorded.
    """

    def __init__(self, parent: Tape | None = None) -> None:
        super().__init__()
        self.parent = parent
        self.captured: list[Any] = []
        self.overwritten: list[Array] = []
        self.leaves: list[int] = []
        self.steps: dict[int, Step] = {}
        self.effects: list[str] = []
        self.custom: list[str] = []
        self.printed = False
        self.repeats = False
        self.keepers: list[Any] = []
        self.held: list[Any] = []
        self.streams = Streams()
        self.callers = Callers()
        self.outside: dict[int, Any] = {}
        self.inside: dict[int, Any] = {}
        self.skipped = 0
        self.results: dict[int, Any] = {}
        self._known: dict[int, tuple[Any, int]] = {}
        self._memory: dict[int, list[tuple[Array, int]]] = {}
        self._copies: list[tuple[Array, Array]] = []
        self._written: set[int] = set()
        self._constants: dict[int, tuple[Array, Traced]] = {}
        self._constant_owners: dict[int, list[int]] = {}

    # -- values

    def leaf(self, value: Any) -> Any:
        """Enter a value that is differentiated; the run works on what is returned."""
        if isinstance(value, np.ndarray):
            fresh: Any = copy_as_it_lies(value)  # `f(x, x)` and globals are not the leaf
            self._copies.append((value, fresh))
        elif isinstance(value, np.generic):
            fresh = np.array(value)[()]
        else:
            fresh = operator.neg(-value)  # a number of its own
        self.enter(fresh)
        return fresh

    def enter(self, value: Any) -> int:
        """A value that is differentiated as it is, not a copy; returns its node."""
        id = self._input(value)
        self.leaves.append(id)
        self._active.add(id)
        self._register(value, id)
        return id

    def write_back(self) -> None:
        """What the run has written into leaves, it has written into the arguments."""
        for value, fresh in self._copies:
            if id_of(holder(fresh)) in self._written:
                if self.parent is not None:
                    self.parent.before_write(value)
                    self.parent.overwritten.append(value)
                np.copyto(value, fresh)

    def _register(self, value: Any, id: int) -> None:
        self._known[id_of(value)] = (value, id)
        if isinstance(value, np.ndarray):
            entries = self._memory.setdefault(id_of(holder(value)), [])
            if not entries or _covers(value, entries[0][0]):
                entries.insert(0, (value, id))
            elif self._roots.get(id, id) != self._roots.get(entries[0][1], entries[0][1]):
                entries.append((value, id))

    def node_of(self, value: Any) -> int | None:
        """The node of an active value, or None for a constant."""
        found = self._known.get(id_of(value))
        if found is not None:
            return found[1]
        if type(value) is np.ndarray and self._memory:
            entries = self._memory.get(id_of(holder(value)))
            if entries is not None:
                return self._view(value, entries)
        if self.parent is not None and self.parent.is_active(value):
            self.captured.append(value)
            return self.enter(value)
        return None

    def known(self, value: Any) -> Any:
        """The active value that holds a value, or is it; None for a constant. Records nothing."""
        found = self._known.get(id_of(value))
        if found is None and type(value) is np.ndarray:
            entries = self._memory.get(id_of(holder(value)))
            found = entries[0] if entries else None
        return None if found is None else found[0]

    def demand_recording(self) -> None:
        """Something enters a step of its own."""

    def release(self) -> None:
        """Let go of all values."""
        for held in (self.values, self.results, self.steps, self._known, self._memory):
            held.clear()
        self._constants, self._constant_owners = {}, {}
        self.recorder.nodes.clear()
        self.recorder.inputs.clear()

    def is_active(self, value: Any) -> bool:
        """Whether a value depends on a leaf."""
        return self.node_of(value) is not None

    def _view(self, value: Array, entries: list[tuple[Array, int]]) -> int | None:
        """The node of an array that code of which nothing was seen made of active memory."""
        for known, id in entries:
            index = index_of_view(known, value)
            if index is not None:
                parent = Traced(self.hooks, known, id)
                made = self.recorder.record(self.hooks, "getitem", (parent, index), {}, value)
                self._follow()
                self._register(value, made.id)
                return int(made.id)
        for known, id in entries:
            places = places_of_view(known, value) if is_supported(value.dtype) else None
            if places is not None:
                return self._gathered(value, id, places)
        if not any(_share_memory(known, value) for known, _ in entries):
            return None
        raise GradientError(
            "an array shares memory with a differentiated one in a way that is not followed",
            "make a copy of it",
            self.place,
        )

    def _gathered(self, value: Array, parent: int, places: Array) -> int:
        """The node of a view that shows certain numbers of an active array."""
        node = Node(
            self.recorder._next(),
            GATHERED,
            args=(Ref(parent),),
            types=(value_type(value),),
            position=self.recorder.position,
            view_of=parent,
        )
        self.recorder.nodes.append(node)
        self.results[node.id] = (places,)
        self._follow()
        self._register(value, node.id)
        return int(node.id)

    # -- arguments and results of recorded operations

    def wrap(self, value: Any) -> Any:
        """Arguments as the recorder wants them: arrays and active numbers traced."""
        kind = type(value)
        if kind is np.ndarray:
            id = self.node_of(value)
            if id is not None:
                return Traced(self.hooks, value, id)
            return self._constant(value)
        if kind in (tuple, list):
            return kind(self.wrap(item) for item in value)
        if kind is dict:
            return {key: self.wrap(item) for key, item in value.items()}
        found = self._known.get(id_of(value))
        if found is not None:
            plain = int(value) if kind is CutInt else value
            return Traced(self.hooks, plain, found[1])
        return int(value) if kind is CutInt else value

    def _constant(self, value: Array) -> Any:
        known = self._constants.get(id_of(value))
        if known is not None:
            return known[1]
        if not is_supported(value.dtype) or not value.dtype.isnative:
            return value
        traced = Traced(self.hooks, value, self._input(value))
        assert traced.id is not None
        self._constants[id_of(value)] = (value, traced)
        self._constant_owners.setdefault(id_of(holder(value)), []).append(traced.id)
        return traced

    def unwrap(self, result: Any) -> Any:
        """The real results of a recorded operation; those that are active become known."""
        self._follow()
        return self._unwrapped(result)

    def _unwrapped(self, result: Any) -> Any:
        if is_traced(result):
            id = result.id
            if id is None or self._roots.get(id, id) not in self._active:
                return result.value
            value = result.value
            if type(value) is int:
                value = CutInt(value)
            if type(value) is not bool and not isinstance(value, np.bool_):
                self._register(value, id)
            return value
        if isinstance(result, tuple | list):
            items = [self._unwrapped(item) for item in result]
            if hasattr(result, "_fields"):
                return type(result)(*items)
            return type(result)(items)
        return result

    # -- writes

    def before_write(self, target: Array) -> None:
        """Memory is about to be written: the graph keeps what it has read of it."""
        for keeper in self.keepers:
            keeper.before_write(owner_of(target))
        base = id_of(holder(target))
        self._written.add(base)
        for id in self._constant_owners.pop(base, ()):
            self.values[id] = _copied(self.values[id])
        self._constants = {
            key: entry for key, entry in self._constants.items() if id_of(holder(entry[0])) != base
        }
        for id in self.leaves:
            value = self.values[id]
            if isinstance(value, np.ndarray) and id_of(holder(value)) == base:
                self.values[id] = _copied(value)

    def forget_layout(self, array: Array) -> None:
        """An array is about to see its memory otherwise; what is known keeps the old view."""
        old = array.view()
        found = self._known.pop(id_of(array), None)
        if found is not None:
            self._known[id_of(old)] = (old, found[1])
        entries = self._memory.get(id_of(holder(array)), [])
        entries[:] = [(old if known is array else known, id) for known, id in entries]
        constant = self._constants.pop(id_of(array), None)
        for id, value in self.values.items():
            if value is array:
                self.values[id] = old
        if constant is not None:
            self._constants[id_of(old)] = (old, constant[1])

    def activate(self, target: Array) -> None:
        """An array that was constant is about to hold something active."""
        if self.is_active(target):
            return
        if not is_supported(target.dtype):
            reason = f"arrays of {target.dtype} are not followed"
            self.taint_object(target, Step("a store", self.place, reason=reason))
            return
        self.before_write(target)
        whole = owner_of(target)
        if not is_supported(whole.dtype) or places_of_view(whole, target) is None:
            whole = target
        id = self._input(whole)
        self.values[id] = _copied(whole)
        self._active.add(id)
        self._register(whole, id)

    def activate_cut(self, target: Array, what: str) -> None:
        """An array of integers is about to hold active numbers, without their fractions."""
        self.activate(target)
        id = self.node_of(target)
        assert id is not None
        reason = f"{what} has no derivative"
        self._cut[self._roots.get(id, id)] = Step(what, self.place, reason=reason, hint=CAST)

    # -- what is no operation of NumPy

    def step(self, step: Step, value: Any, operands: tuple[Any, ...] = ()) -> Any:
        """Enter the result of something else than NumPy; returns the value that is followed.

        Parameters
        ----------
        step : Step
            What it is.
        value : object
            An array or number.
        operands : tuple
            What a function of tensors needs, traced or constant.
        """
        if type(value) is int:
            value = CutInt(value)
        plain = int(value) if type(value) is CutInt else value
        kind = value_type(plain)
        node = Node(
            self.recorder._next(),
            "autodiff.step",
            args=tuple(self.recorder.reference(operand) for operand in operands),
            types=(kind,),
            position=self.recorder.position,
        )
        self.recorder.nodes.append(node)
        self._seen = len(self.recorder.nodes)
        self.steps[node.id] = step
        self._roots[node.id] = node.id
        self._active.add(node.id)
        if step.reason and np.dtype(kind.dtype).kind not in "fc":
            self._cut[node.id] = step
        self._register(value, node.id)
        return value

    def cut(self, what: str, value: Any) -> Any:
        """An integer made of an active number."""
        reason = f"{what} makes an integer, which has no derivative"
        return self.step(Step(what, self.place, _copied(value), reason, CAST), value)


def id_of(value: Any) -> int:
    """The identity of an object."""
    return id(value)


def _share_memory(one: Array, other: Array) -> bool:
    try:
        return bool(np.shares_memory(one, other, max_work=WORK))
    except np.exceptions.TooHardError:
        return True  # to be refused is better than to be wrong


def _covers(value: Array, other: Array) -> bool:
    return value.nbytes > other.nbytes and index_of_view(value, other) is not None


def _copied(value: Any) -> Any:
    return copy_as_it_lies(value) if isinstance(value, np.ndarray) else value
