"""What a replay computed, before anybody sees it."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import field
from typing import Any

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.nodes import Constant, Graph, Ref
from jupyter_npcompile.runtime.accuracy import distance
from jupyter_npcompile.runtime.check import Mismatch, Rounding, magnitude, mismatches, precision
from jupyter_npcompile.runtime.device.late import Content
from jupyter_npcompile.runtime.namespace import DISPLAY, FrameNamespace
from jupyter_npcompile.runtime.samples import sample_mismatches, sampled
from jupyter_npcompile.tracer.interpret import constant_value, value_of
from jupyter_npcompile.tracer.interrupts import at_once, held
from jupyter_npcompile.tracer.memory import Array, clone_owner, owner, rebase
from jupyter_npcompile.tracer.recipes import Container, FromSource, Literal, Recipe
from jupyter_npcompile.tracer.recording import Recording
from jupyter_npcompile.tracer.sources import Namespace, Source
from jupyter_npcompile.tracer.streams import Streams


class PythonRaisesError(Exception):
    """Python's own arithmetic raises for the present values: it must run natively."""


def fetch(source: Source, namespace: Namespace) -> Any:
    """The value of a source now.

    Raises
    ------
    PythonRaisesError
        When computing it raises.
    """
    try:
        return source.fetch(namespace)
    except (ArithmeticError, ValueError, TypeError) as error:
        raise PythonRaisesError(str(error)) from error


def make(
    recipe: Recipe,
    namespace: Namespace,
    value: Callable[[Ref], Any],
    made: dict[int, Any],
) -> Any:
    """What a recipe makes.

    Parameters
    ----------
    recipe : Recipe
        How.
    namespace : mapping
        What the statements see.
    value : callable
        Gives the value of a node.
    made : dict of int to object
        Containers made so far, by the ``id`` of their recipe: a list that has
        two names stays one list.
    """
    if isinstance(recipe, Ref):
        return value(recipe)
    if isinstance(recipe, Literal):
        return recipe.value
    if isinstance(recipe, FromSource):
        return fetch(recipe.source, namespace)
    assert isinstance(recipe, Container)
    if id(recipe) not in made:
        items = [make(item, namespace, value, made) for item in recipe.items]
        if recipe.keys is not None:
            made[id(recipe)] = dict(zip(recipe.keys, items, strict=True))
        elif hasattr(recipe.type, "_fields"):
            made[id(recipe)] = recipe.type(*items)
        else:
            made[id(recipe)] = recipe.type(items)
    return made[id(recipe)]


@dataclass
class Outcome:
    """What a replay computed, before anybody sees it.

    Parameters
    ----------
    recording : Recording
        What was replayed.
    namespace : mapping
        What the statements see.
    values : dict of int to object
        Inputs and fresh results by node id.
    written : dict of int to numpy.ndarray
        New contents of written inputs, by input id.
    streams : Streams
        The states of random generators before it.
    made : dict of int to object
        Containers made so far, by the ``id`` of their recipe.
    after : Streams or None
        The states of random generators after it, if they have not got there.
    committed : bool
        Whether it has happened.
    epsilon : float
        Relative spacing of the numbers that it was computed with, where these have fewer
        digits than the arrays.
    late : dict of int to Content
        New contents of written inputs that stay on a device, by input id.
    """

    recording: Recording
    namespace: Namespace
    values: dict[int, Any]
    written: dict[int, Array]
    streams: Streams = field(default_factory=Streams)
    made: dict[int, Any] = field(default_factory=dict)
    after: Streams | None = None
    committed: bool = False
    epsilon: float = 0.0
    late: dict[int, Content] = field(default_factory=dict)

    def undo(self) -> None:
        """Unless it has happened, turn the streams of random numbers back."""
        if not self.committed:
            self.streams.rewind()

    def let_go(self) -> None:
        """Free what was computed; it can still be undone."""
        self.values, self.written, self.made = {}, {}, {}

    def commit(self) -> dict[str, Any]:
        """Write into the written inputs and return what the names are bound to.

        The names of a cell are bound at once with that: an interrupt comes before
        or after everything.
        """
        names = self.names()  # first, since Python's own arithmetic in it may raise
        steps: list[tuple[Any, ...]] = [
            (operator.setitem, self.values[id], ..., content)
            for id, content in self.written.items()
        ]
        if self.after is not None:
            steps += self.after.steps()
        module = self.namespace.module if isinstance(self.namespace, FrameNamespace) else None
        if module is not None:
            bound = {name: value for name, value in names.items() if name != DISPLAY}
            steps.append((module.update, bound))
        steps.append((setattr, self, "committed", True))
        if self.after is None:
            at_once(steps)
        else:
            with held():  # the states hold large integers, whose arithmetic looks for signals
                at_once(steps)
        return names

    def names(self) -> dict[str, Any]:
        """What each live name is bound to; views are taken of the real arrays."""
        nodes = self.recording.graph.by_id()

        def value(ref: Ref) -> Any:
            return value_of(ref.id, nodes, self.values)

        return {
            name: make(recipe, self.namespace, value, self.made)
            for name, recipe in self.recording.recipes.items()
        }

    def differences(self) -> list[str]:
        """How it differs from what NumPy gave in the recording: one text per name."""
        found: dict[str, str] = {}
        for mismatch in self.mismatches():
            found.setdefault(mismatch.root, str(mismatch))
        return list(found.values())

    def mismatches(self) -> list[Mismatch]:
        """In which ways it differs from what NumPy gave in the recording."""
        recording = self.recording
        rounding = self.rounding()
        actual = self._preview()
        inputs = frozenset(id(array) for array in recording.stand_ins)
        found = [
            mismatch
            for name in recording.reference
            for mismatch in mismatches(
                name, recording.reference[name], actual[name], rounding, inputs
            )
        ]
        for node in recording.graph.inputs:
            if node.id in self.written:
                expected = _owned(recording.written[node.id])
                found += mismatches(node.name, expected, _owned(self.written[node.id]), rounding)
        return found

    def distances(self) -> dict[str, float]:
        """How far numbers are from what NumPy gave in the recording: see `accuracy.distance`."""
        recording = self.recording
        actual = self._preview()
        found = {
            name: distance(recording.reference[name], actual[name]) for name in recording.reference
        }
        for node in recording.graph.inputs:
            if node.id in self.written:
                apart = distance(recording.written[node.id], self.written[node.id])
                found[node.name] = max(found.get(node.name, 0.0), apart)
        return found

    def samples(self) -> tuple[dict[str, Any], dict[int, Any]]:
        """Samples of what the names would be bound to, and of what would be written."""
        values = {**self.values, **self.written}
        names = Outcome(self.recording, self.namespace, values, {}).names()
        reference = {name: sampled(value) for name, value in names.items()}
        return reference, {id: sampled(_owned(array)) for id, array in self.written.items()}

    def sample_differences(self, samples: tuple[dict[str, Any], dict[int, Any]]) -> list[str]:
        """How samples of another outcome differ from this one, which is NumPy's."""
        names, written = samples
        mine = self.samples()
        rounding = self.rounding()
        labels = {node.id: node.name for node in self.recording.graph.inputs}
        pairs = [
            *((name, mine[0][name], names[name]) for name in self.recording.reference),
            *((labels[id], mine[1][id], written[id]) for id in written),
        ]
        found = (next(sample_mismatches(*pair, rounding), None) for pair in pairs)
        return [str(mismatch) for mismatch in found if mismatch is not None]

    def rounding(self) -> Rounding:
        """How large rounding errors may be: judged by what went in and by what NumPy gave."""
        recording = self.recording
        numbers = {n.id: self.values[n.id] for n in recording.graph.inputs}
        constants = dict(enumerate(_constants(recording.graph)))
        largest = max(magnitude(numbers), magnitude(constants), magnitude(recording.reference))
        return Rounding(largest, max(precision(recording.graph), self.epsilon))

    def _preview(self) -> dict[str, Any]:
        """The names as they would be, on stand-ins for the inputs that are written."""
        values = dict(self.values)
        for id, content in self.written.items():
            left = self.recording.written[id]
            stand_in = rebase(left, owner(left), clone_owner(owner(left)))
            np.copyto(stand_in, content)
            values[id] = stand_in
        return Outcome(self.recording, self.namespace, values, {}).names()


def _owned(array: Array) -> Array:
    """An array as one that owns its memory, in C order: neither matters for what is written."""
    return array if array.base is None and array.flags.c_contiguous else array.copy()


def _constants(graph: Graph) -> list[Any]:
    """Numbers and arrays that stand in a graph."""
    found: list[Any] = []

    def visit(value: Any) -> None:
        if isinstance(value, tuple | list):
            for item in value:
                visit(item)
        elif isinstance(value, Constant):
            found.append(constant_value(value))
        elif type(value) in (int, float, complex):
            found.append(float(abs(value)))

    for node in graph.nodes:
        visit([*node.args, *node.kwargs.values()])
    return found
