"""A plan: one recorded run of statements, ready to be replayed on other values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from typing import Literal as Choice

import numpy as np

from jupyter_npcompile.graph.nodes import Constant, Graph, Node, Ref
from jupyter_npcompile.runtime.arrays import allocate, inside
from jupyter_npcompile.runtime.artifacts import Artifact
from jupyter_npcompile.runtime.check import Mismatch, Rounding, magnitude, mismatches, precision
from jupyter_npcompile.runtime.errors import CheckFailedError
from jupyter_npcompile.tracer.draws import Draw
from jupyter_npcompile.tracer.evaluation import warnings_shown
from jupyter_npcompile.tracer.floating import is_finite
from jupyter_npcompile.tracer.guards import check
from jupyter_npcompile.tracer.interpret import argument, constant_value, run_node, value_type
from jupyter_npcompile.tracer.memory import Array, clone_owner, owner, pattern, rebase
from jupyter_npcompile.tracer.recipes import Container, FromSource, Literal, Recipe
from jupyter_npcompile.tracer.recording import Recording, Stop
from jupyter_npcompile.tracer.sources import DrawSource, Namespace, Source
from jupyter_npcompile.tracer.streams import Streams

PlanState = Choice["pending", "ready", "numpy"]
"""``pending`` while it compiles, ``ready`` when the artifact may run, ``numpy``
when NumPy was chosen (``note`` says why)."""


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


@dataclass
class Plan:
    """What is known about a run of statements under one signature.

    Parameters
    ----------
    recording : Recording
        The dry run.
    errors : mapping of str to object
        NumPy's floating-point error state during the recording.
    state : {"pending", "ready", "numpy"}
        Whether its artifact can run.
    artifact : Artifact or None
        The compiled segment.
    note : str
        Why NumPy runs, or what the check replaced.
    timings : dict of str to float
        ``trace_ms``, ``compile_ms``, ``numpy_us``, ``compiled_us``.
    runs : int
        How often the artifact ran for real.
    checked : bool
        Whether the first run was compared with NumPy.
    failures : int
        How often in a row NumPy had to run instead for its values.
    met : int
        How often its conditions were met, if an error or a warning ended it.
    hastened : bool
        Whether it was looked at for a short way into its code.
    first : Outcome or None
        What the dry run computed, until somebody takes it.
    limit : Stop or None
        Where lowering failed: the plan must be recorded again up to there.
    """

    recording: Recording
    errors: Mapping[str, object] = field(default_factory=lambda: dict(np.geterr()))
    state: PlanState = "pending"
    artifact: Artifact | None = None
    note: str = ""
    timings: dict[str, float] = field(default_factory=dict)
    runs: int = 0
    checked: bool = False
    failures: int = 0
    met: int = 0
    hastened: bool = False
    first: Outcome | None = field(default=None, repr=False)
    limit: Stop | None = None

    @property
    def start(self) -> int:
        """First statement."""
        return self.recording.start

    @property
    def stop(self) -> int:
        """The statement after the last."""
        return self.recording.stop

    @property
    def signature(self) -> str:
        """What it is valid for, in words."""
        shown = [
            f"{node.name}: {node.types[0]}" for node in self.recording.graph.inputs if node.name
        ]
        values = [str(g) for g in self.recording.guards if type(g).__name__ == "ValueGuard"]
        return ", ".join((*shown, *values))

    def matches(self, namespace: Namespace) -> bool:
        """Whether everything the recording assumed is true now."""
        recording = self.recording
        if check(recording.guards, namespace) is not None or np.geterr() != self.errors:
            return False
        sources, aliasing = recording.aliasing
        if len(sources) < 2:
            return True
        try:
            return pattern([fetch(source, namespace) for source in sources]) == aliasing
        except (LookupError, AttributeError, PythonRaisesError):
            return False

    def inputs(self, namespace: Namespace, streams: Streams) -> dict[int, Any]:
        """The values of the graph's inputs now, by node id; random numbers are drawn.

        Parameters
        ----------
        namespace : mapping
            What the statements see.
        streams : Streams
            Notes the generators that are drawn from.

        Raises
        ------
        PythonRaisesError
            When arithmetic on Python numbers, or a draw, raises for the present values.
        CheckFailedError
            When a draw gives something else than it did.
        """
        known: dict[int, Any] = {}
        recording = self.recording
        for node, source in zip(recording.graph.inputs, recording.sources, strict=True):
            if isinstance(source, DrawSource):
                drawn = _drawn(recording.draws[source.index], known, namespace, streams)
                known[node.id] = drawn
            else:
                known[node.id] = fetch(source, namespace)
        return known

    def take_first(self) -> dict[str, Any] | None:
        """What the dry run bound, if it is to be used: it is NumPy's own result."""
        outcome, self.first = self.first, None
        if outcome is None:
            return None
        try:
            return outcome.commit()
        except PythonRaisesError:
            return None

    def is_worth_another_try(self) -> bool:
        """Whether a recording that an error or a warning ended may go further by now.

        Values change from run to run; tries get rarer and rarer.
        """
        if self.recording.end is None or self.recording.end.cause.kind != "error":
            return False
        self.met += 1
        return self.met & (self.met - 1) == 0 and self.met > 1

    def meets_new_values(self, namespace: Namespace) -> bool:
        """Whether an input holds NaN or infinity that held none in the recording."""
        inputs = zip(self.recording.graph.inputs, self.recording.sources, strict=True)
        try:
            return any(
                node.finite and not is_finite(fetch(source, namespace))
                for node, source in inputs
                if not isinstance(source, DrawSource)
            )
        except PythonRaisesError:
            return False

    def compute(self, namespace: Namespace) -> Outcome:
        """Run the artifact; nothing is changed until the outcome is committed.

        Streams of random numbers move on at once; ``Outcome.undo`` turns them back.

        Raises
        ------
        CheckFailedError
            When NumPy would raise for these values.
        """
        streams = Streams()
        try:
            return self._computed(namespace, streams)
        except BaseException:
            streams.rewind()
            raise

    def _computed(self, namespace: Namespace, streams: Streams) -> Outcome:
        assert self.artifact is not None
        known = self.inputs(namespace, streams)
        fresh, written = self.artifact.run(list(known.values()))
        nodes = self.recording.graph.by_id() if self.recording.hidden else {}
        memories: dict[tuple[int, int], Array] = {}
        for id, hidden in self.recording.hidden.items():
            if id in fresh:
                key = hidden.call, hidden.memory
                if key not in memories:
                    memories[key] = allocate(hidden.type)
                strides = nodes[id].type.strides
                fresh[id] = inside(memories[key], hidden.offset, fresh[id], strides)
        for id in self.recording.frozen & fresh.keys():
            fresh[id].flags.writeable = False
        return Outcome(self.recording, namespace, {**known, **fresh}, written, streams)


def _drawn(draw: Draw, known: dict[int, Any], namespace: Namespace, streams: Streams) -> Any:
    """Draw as the statement would."""

    def made(recipe: Recipe) -> Any:
        return make(recipe, namespace, lambda ref: known[ref.id], {})

    generator = fetch(draw.generator, namespace)
    streams.note(generator)
    args = [made(recipe) for recipe in draw.args]
    kwargs = {name: made(recipe) for name, recipe in draw.kwargs.items()}
    try:
        with warnings_shown() as caught:
            value = getattr(generator, draw.method)(*args, **kwargs)
        same = not caught and value_type(value) == draw.type
    except Exception as error:
        raise PythonRaisesError(str(error)) from error
    if not same:
        raise CheckFailedError(f"`{draw.method}` draws something else than before")
    return value


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
    """

    recording: Recording
    namespace: Namespace
    values: dict[int, Any]
    written: dict[int, Array]
    streams: Streams = field(default_factory=Streams)
    made: dict[int, Any] = field(default_factory=dict)

    def undo(self) -> None:
        """Nothing has happened: turn the streams of random numbers back."""
        self.streams.rewind()

    def commit(self) -> dict[str, Any]:
        """Write into the written inputs and return what the names are bound to."""
        names = self.names()  # first, since Python's own arithmetic in it may raise
        for id, content in self.written.items():
            np.copyto(self.values[id], content)
        return names

    def names(self) -> dict[str, Any]:
        """What each live name is bound to; views are taken of the real arrays."""
        nodes = self.recording.graph.by_id()

        def value(ref: Ref) -> Any:
            return self._value(ref.id, nodes)

        return {
            name: make(recipe, self.namespace, value, self.made)
            for name, recipe in self.recording.recipes.items()
        }

    def _value(self, id: int, nodes: dict[int, Node]) -> Any:
        """The value of a node: known, or a view that NumPy takes again."""
        if id in self.values:
            return self.values[id]
        node = nodes[id]
        if node.writes:  # x += 1 gives x itself
            assert node.view_of is not None
            value = self._value(node.view_of, nodes)
        else:
            written = node.op == "item" and node.view_of is not None and nodes[_source(node)].writes
            for needed in () if written else dict.fromkeys(node.references()):
                self._value(needed, nodes)
            if node.op == "item" and node.view_of is not None and nodes[_source(node)].writes:
                value = self._value(node.view_of, nodes)
            elif node.op == "item" and isinstance(source := node.args[0], Ref):
                value = self._value(source.id, nodes)[argument(node.args[1], self.values)]
            else:
                value = run_node(node, self.values)
        self.values[id] = value
        return value

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
                expected = np.asarray(recording.written[node.id]).copy()
                found += mismatches(node.name, expected, self.written[node.id].copy(), rounding)
        return found

    def rounding(self) -> Rounding:
        """How large rounding errors may be: judged by what went in and by what NumPy gave."""
        recording = self.recording
        numbers = {n.id: self.values[n.id] for n in recording.graph.inputs}
        constants = dict(enumerate(_constants(recording.graph)))
        largest = max(magnitude(numbers), magnitude(constants), magnitude(recording.reference))
        return Rounding(largest, precision(recording.graph))

    def _preview(self) -> dict[str, Any]:
        """The names as they would be, on stand-ins for the inputs that are written."""
        values = dict(self.values)
        for id, content in self.written.items():
            left = self.recording.written[id]
            stand_in = rebase(left, owner(left), clone_owner(owner(left)))
            np.copyto(stand_in, content)
            values[id] = stand_in
        return Outcome(self.recording, self.namespace, values, {}).names()


def recorded_outcome(plan: Plan, namespace: Namespace) -> Outcome | None:
    """What the dry run of a plan computed, so that NumPy need not compute it again.

    None where random numbers were drawn: the dry run has put them back.
    """
    recording = plan.recording
    if recording.draws:
        return None
    try:
        inputs = plan.inputs(namespace, Streams())
    except PythonRaisesError:
        return None
    return Outcome(recording, namespace, {**inputs, **recording.results}, dict(recording.written))


def _source(node: Node) -> int:
    """The node of which an ``item`` is a result."""
    (source, _) = node.args
    assert isinstance(source, Ref)
    return source.id


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
