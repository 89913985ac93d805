"""The recording of a run: which of its nodes depend on what is differentiated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from jupyter_npcompile.autodiff.errors import Note, Place
from jupyter_npcompile.autodiff.taints import Step, Taints
from jupyter_npcompile.graph.nodes import Node, Position, Ref
from jupyter_npcompile.runtime.footprint import size_of
from jupyter_npcompile.tracer.hooks import Hooks
from jupyter_npcompile.tracer.interpret import value_type
from jupyter_npcompile.tracer.memory import Array
from jupyter_npcompile.tracer.recorder import Recorder

INDEXED = frozenset({"getitem", "setitem", "numpy.take", "ndarray.take", "numpy.take_along_axis"})
"""Operations whose second argument only says where."""


class TapeRecorder(Recorder):
    """Records what runs for good: NumPy's own errors and warnings are let through."""

    max_nodes = float("inf")
    tolerant = True

    def __init__(self, tape: Activity) -> None:
        super().__init__()
        self.tape = tape

    def open_for_writing(self, target: Any) -> None:
        """Keep what the graph needs of the memory before it is written."""
        self.tape.before_write(target.value)

    def demand_fixed_size(self, value: Any) -> None:
        """Sizes may depend on the data: each run has a graph of its own."""

    def _watched(self, op: str, results: list[Any]) -> dict[str, Any]:
        return {}

    def _demand_seen(self, node: Node, args: tuple[Any, ...]) -> None:
        """Nothing is replayed."""

    def _note_hidden(self, node: Node, call: Node, value: Any) -> None:
        """Nothing is made again."""

    def _note_known(self, node: Node, value: Any) -> None:
        """Nothing is replayed."""


class Activity(Taints):
    """The recording of a run.

    Attributes
    ----------
    recorder : TapeRecorder
        Holds the nodes.
    hooks : Hooks
        What NumPy is called through.
    values : dict of int to object
        What each input was.
    barriers : dict of int to Step
        By node: where no gradient may pass.
    notes : dict
        Derivatives that are zero by definition, in order.
    path : int
        Stands for the tests of active values, how they came out; 0 without any.
    """

    def __init__(self) -> None:
        super().__init__()
        self.recorder = TapeRecorder(self)
        self.hooks = Hooks(self.recorder)
        self.values: dict[int, Any] = {}
        self.barriers: dict[int, Step] = {}
        self.notes: dict[Note, None] = {}
        self.hold_place = False
        self.filename = ""
        self.functions: list[str] = []
        self.path = 0
        self._roots: dict[int, int] = {}
        self._active: set[int] = set()
        self._cut: dict[int, Step] = {}
        self._kinds: dict[int, str] = {}
        self._seen = 0

    def before_write(self, target: Array) -> None:
        """Memory is about to be written: the tape keeps what the graph has read of it."""
        raise NotImplementedError

    @property
    def nbytes(self) -> int:
        """Bytes of every value that was recorded, and of its gradient."""
        nodes = (*self.recorder.inputs, *self.recorder.nodes)
        return 2 * size_of(type for node in nodes if node.view_of is None for type in node.types)

    # -- places and notes

    @property
    def place(self) -> Place:
        """Where the code is now."""
        function = self.functions[-1] if self.functions else ""
        return Place(self.recorder.position, self.filename, function)

    def at(self, position: tuple[int, int]) -> None:
        """The code has come to a position; inside NumPy's own sources it stays at the call."""
        if self.hold_place:
            return
        self.recorder.position = Position(*position)

    def note(self, text: str) -> None:
        """Remember that a derivative is zero here by definition."""
        self.notes[Note(self.place, text)] = None

    def turn(self, taken: int) -> None:
        """A test of an active value, or the iterations of a loop, went one way."""
        self.path = hash((self.path, taken))

    def _input(self, value: Any) -> int:
        node = Node(self.recorder._next(), "input", types=(value_type(value),))
        self.recorder.inputs.append(node)
        self.values[node.id] = value
        self._roots[node.id] = node.id
        self._kinds[node.id] = np.asarray(value).dtype.kind
        return node.id

    def _follow(self) -> None:
        """Bring what is known of the nodes up to date."""
        nodes = self.recorder.nodes
        for node in nodes[self._seen :]:
            self._kinds[node.id] = np.dtype(node.types[0].dtype).kind if node.types else ""
            self._roots[node.id] = (
                node.id if node.view_of is None else self._roots.get(node.view_of, node.view_of)
            )
            roots = {self._roots.get(id, id) for id in node.references()}
            if roots & self._active:
                self._active.add(self._roots[node.id])
                for written in node.writes:
                    self._active.add(self._roots.get(written, written))
            if self._cut:
                self._follow_cut(node)
        self._seen = len(nodes)

    def _follow_cut(self, node: Node) -> None:
        """Integers that were made of active numbers must not become numbers again."""
        arguments = node.args[:1] + node.args[2:] if node.op in INDEXED else node.args
        used = [id for a in (*arguments, *node.kwargs.values()) for id in _references(a)]
        step = next(
            (self._cut[r] for id in used if (r := self._roots.get(id, id)) in self._cut), None
        )
        if step is None:
            return
        for target in (node.id, *node.writes):
            if self._kinds.get(target, "") in "fc" and self._kinds.get(target):
                self.barriers[node.id] = step
            else:
                self._cut[self._roots.get(target, target)] = step

    def mark(self) -> int:
        """How far the recording has come."""
        return len(self.recorder.nodes)

    def forget_since(self, mark: int) -> None:
        """Take back what was recorded of an operation that cannot be recorded."""
        del self.recorder.nodes[mark:]
        self._seen = min(self._seen, mark)


def _references(argument: Any) -> Iterator[int]:
    if isinstance(argument, Ref):
        yield argument.id
    elif isinstance(argument, tuple | list):
        for part in argument:
            yield from _references(part)
