"""A plan: one recorded run of statements, ready to be replayed on other values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from typing import Literal as Choice

import numpy as np

from jupyter_npcompile.runtime.arrays import allocate, inside
from jupyter_npcompile.runtime.artifacts import Artifact
from jupyter_npcompile.runtime.errors import CheckFailedError
from jupyter_npcompile.runtime.outcome import Outcome, PythonRaisesError, fetch, make
from jupyter_npcompile.tracer.draws import Draw
from jupyter_npcompile.tracer.evaluation import warnings_shown
from jupyter_npcompile.tracer.floating import is_finite
from jupyter_npcompile.tracer.guards import check
from jupyter_npcompile.tracer.interpret import value_type
from jupyter_npcompile.tracer.memory import Array, pattern
from jupyter_npcompile.tracer.recipes import Recipe
from jupyter_npcompile.tracer.recording import Recording, Stop
from jupyter_npcompile.tracer.sources import DrawSource, Namespace
from jupyter_npcompile.tracer.streams import Streams

PlanState = Choice["pending", "ready", "numpy"]
"""``pending`` while it compiles, ``ready`` when the artifact may run, ``numpy``
when NumPy was chosen (``note`` says why)."""


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

    def keep_first(self, namespace: Namespace) -> None:
        """Keep what the dry run computed, so that NumPy need not compute it again."""
        recording = self.recording
        if recording.after is None:
            return
        try:
            given = {
                node.id: recording.drawn[node.id]
                if isinstance(source, DrawSource)
                else fetch(source, namespace)
                for node, source in zip(recording.graph.inputs, recording.sources, strict=True)
            }
        except PythonRaisesError:
            return
        values = {**given, **recording.results}
        written = dict(recording.written)
        self.first = Outcome(recording, namespace, values, written, after=recording.after)

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
