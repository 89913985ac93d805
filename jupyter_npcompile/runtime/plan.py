"""A plan: one recorded run of statements, ready to be replayed on other values."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any
from typing import Literal as Choice

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.sizes import LEAST
from jupyter_npcompile.runtime.arrays import allocate, inside
from jupyter_npcompile.runtime.artifacts import Artifact
from jupyter_npcompile.runtime.device.late import Content
from jupyter_npcompile.runtime.device.replays import looks_at_layouts
from jupyter_npcompile.runtime.device.residency import Residency
from jupyter_npcompile.runtime.errors import CheckFailedError
from jupyter_npcompile.runtime.footprint import Footprint
from jupyter_npcompile.runtime.native.fitting import Bounds
from jupyter_npcompile.runtime.native.program import Program
from jupyter_npcompile.runtime.outcome import Outcome, PythonRaisesError, fetch, make
from jupyter_npcompile.runtime.policy import faster
from jupyter_npcompile.runtime.selector.race import Race
from jupyter_npcompile.runtime.ticket import Ticket
from jupyter_npcompile.tracer.draws import Draw
from jupyter_npcompile.tracer.evaluation import WarningsShown
from jupyter_npcompile.tracer.floating import is_finite
from jupyter_npcompile.tracer.guards import check
from jupyter_npcompile.tracer.interpret import value_type
from jupyter_npcompile.tracer.memory import Array, pattern
from jupyter_npcompile.tracer.recipes import Recipe
from jupyter_npcompile.tracer.recording import Recording, Stop
from jupyter_npcompile.tracer.sources import DrawSource, Namespace
from jupyter_npcompile.tracer.streams import Streams

PlanState = Choice["held", "pending", "ready", "numpy"]
"""``held`` until it is met again, ``pending`` while it compiles, ``ready`` when the
artifact may run, ``numpy`` when NumPy was chosen (``note`` says why)."""

AWAITED = ("held", "pending")
"""The states of a plan that may run something compiled later."""

ALIKE = 4.0
"""How many times as long as another plan NumPy may take for the same operations until
it is worth a contest of its own."""

LARGE = 2**20
"""Bytes of an array that count."""


LARGEST = 2**40
"""Larger integers are no bounds of slices."""


@dataclass
class Plan:
    """What is known about a run of statements under one signature.

    Parameters
    ----------
    recording : Recording
        The dry run.
    errors : mapping of str to object
        NumPy's floating-point error state during the recording.
    state : {"held", "pending", "ready", "numpy"}
        Whether its artifact can run.
    artifact : Artifact or None
        The compiled segment.
    note : str
        Why NumPy runs, or what the check replaced.
    departure : str
        Why it does not run on the device that was asked for.
    timings : dict of str to float
        ``trace_ms``, ``compile_ms``, ``numpy_us``, ``compiled_us``.
    runs : int
        How often the artifact ran for real.
    checked : bool
        Whether the first run was compared with NumPy.
    race : Race or None
        The contest with NumPy, while it is not decided.
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
    ticket : Ticket or None
        Of its compile in the background.
    outline : str
        Digest of its graph without sizes.
    shared : bool
        Whether its code is, or is to be, that of other sizes too.
    stale : bool
        Whether it must be recorded again.
    spared : int
        How often its compile was put off for the sake of a loop around it.
    epsilon : float
        Relative spacing of the numbers that its code computes with, where these have fewer
        digits than the arrays; otherwise 0.
    error : tuple of (str, float) or None
        The name that is furthest from NumPy's and how far, in the first run of code that
        computes with fewer digits.
    """

    recording: Recording
    errors: Mapping[str, object] = field(default_factory=lambda: dict(np.geterr()))
    state: PlanState = "pending"
    artifact: Artifact | None = None
    note: str = ""
    departure: str = ""
    timings: dict[str, float] = field(default_factory=dict)
    runs: int = 0
    checked: bool = False
    race: Race | None = None
    failures: int = 0
    met: int = 0
    hastened: bool = False
    first: Outcome | None = field(default=None, repr=False)
    limit: Stop | None = None
    ticket: Ticket | None = field(default=None, repr=False)
    outline: str = ""
    shared: bool = False
    stale: bool = False
    spared: int = 0
    epsilon: float = 0.0
    error: tuple[str, float] | None = None

    @property
    def start(self) -> int:
        """First statement."""
        return self.recording.start

    @property
    def stop(self) -> int:
        """The statement after the last."""
        return self.recording.stop

    @functools.cached_property
    def footprint(self) -> Footprint:
        """The memory it takes."""
        inputs = zip(self.recording.graph.inputs, self.recording.sources, strict=True)
        drawn = frozenset(node.id for node, source in inputs if isinstance(source, DrawSource))
        return Footprint.of(self.recording.graph, drawn)

    @property
    def fits_twice(self) -> bool:
        """Whether there is memory for its results and NumPy's at a time."""
        return not self.is_large or self.footprint.fits(self.footprint.checking)

    @property
    def was_given_up(self) -> bool:
        """Whether its compile was cancelled: it must be recorded again, if it is needed."""
        return self.state == "pending" and self.ticket is not None and self.ticket.cancelled

    @functools.cached_property
    def is_large(self) -> bool:
        """Whether its arrays are so large that it matters who keeps them."""
        graph = self.recording.graph
        return any(
            math.prod(type.shape) * np.dtype(type.dtype).itemsize >= LARGE
            for node in (*graph.inputs, *graph.nodes)
            for type in node.types
        )

    @property
    def signature(self) -> str:
        """What it is valid for, in words."""
        shown = [
            f"{node.name}: {node.types[0]}" for node in self.recording.graph.inputs if node.name
        ]
        values = [str(g) for g in self.recording.guards if type(g).__name__ == "ValueGuard"]
        return ", ".join((*shown, *values))

    @functools.cached_property
    def looks_at_layouts(self) -> bool:
        """Whether everything but its code only looks at layouts and numbers."""
        return looks_at_layouts(self.recording)

    @property
    def is_tried(self) -> bool:
        """Whether its artifact runs, and nothing is left to be found out about it."""
        return self.state == "ready" and self.checked and self.race is None

    @property
    def hopes_for_device(self) -> bool:
        """Whether it runs on the device that was asked for, or may do so yet."""
        return not (self.departure or self.state == "numpy" or self.was_given_up)

    @property
    def has_lost(self) -> bool:
        """Whether NumPy was faster than its artifact."""
        if self.state != "numpy" or "compiled_us" not in self.timings:
            return False
        return not faster(self.timings["numpy_us"], self.timings["compiled_us"])

    def is_like(self, other: Plan) -> bool:
        """Whether another plan has the same operations, and NumPy about as much to do in them."""
        mine, others = self.recording.graph.nodes, other.recording.graph.nodes
        return [node.op for node in mine] == [node.op for node in others] and (
            self.timings["numpy_us"] <= ALIKE * other.timings["numpy_us"]
        )

    def matches(self, namespace: Namespace) -> bool:
        """Whether everything the recording assumed is true now."""
        recording = self.recording
        if check(recording.guards, namespace) is not None or np.geterr() != self.errors:
            return False
        sources, aliasing = recording.aliasing
        if len(sources) < 2 and not recording.free:
            return True
        try:
            if len(sources) > 1:
                arrays = [fetch(source, namespace) for source in sources]
                if pattern(arrays) != aliasing:
                    return False
            return not recording.free or self._takes(self.free_values(namespace))
        except (LookupError, AttributeError, PythonRaisesError):
            return False

    def free_values(self, namespace: Namespace) -> dict[int, int]:
        """The integers that may differ from call to call, by input."""
        inputs = zip(self.recording.graph.inputs, self.recording.sources, strict=True)
        return {node.id: fetch(source, namespace) for node, source in inputs if node.args}

    def _takes(self, given: dict[int, int]) -> bool:
        """Whether its code holds for integers, as far as that is known."""
        if not all(LEAST <= value < LARGEST for value in given.values()):
            return False
        bounds = self._bounds()
        return bounds is None or bounds.hold(given)

    def _bounds(self) -> Bounds | None:
        program = self.artifact.program if self.artifact is not None else None
        return program.bounds if isinstance(program, Program) else None

    def admit(self, namespace: Namespace) -> Callable[[], None]:
        """Let its code run for integers that are far from those of the checks so far.

        It is checked again then. Returns what takes that back.
        """
        bounds = self._bounds()
        if bounds is None or not bounds.free:
            return _nothing
        given = self.free_values(namespace)
        if not bounds.are_new(given):
            return _nothing
        before = bounds.values.copy()
        bounds.widen(given)
        self.checked = False

        def take_back() -> None:
            bounds.values[:] = before

        return take_back

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
        if self.recording.after is not None:
            self.first = numpy_outcome(self.recording, namespace)

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

    def compute(self, namespace: Namespace, copies: Residency | None = None) -> Outcome:
        """Run the artifact; nothing is changed until the outcome is committed.

        Streams of random numbers move on at once; ``Outcome.undo`` turns them back.

        Parameters
        ----------
        namespace : mapping
            What the statements see.
        copies : Residency, optional
            What lies on the device.

        Raises
        ------
        CheckFailedError
            When NumPy would raise for these values.
        """
        streams = Streams()
        try:
            return self._computed(namespace, streams, copies)
        except BaseException:
            streams.rewind()
            raise

    def _computed(
        self, namespace: Namespace, streams: Streams, copies: Residency | None
    ) -> Outcome:
        assert self.artifact is not None
        known = self.inputs(namespace, streams)
        values = list(known.values())
        late: dict[int, Content] = {}
        if copies is None:
            fresh, written = self.artifact.run(values)
        else:
            fresh, written, late = self.artifact.run_there(values, copies)
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
        made = {**known, **fresh}
        return Outcome(
            self.recording, namespace, made, written, streams, epsilon=self.epsilon, late=late
        )


def numpy_outcome(recording: Recording, namespace: Namespace) -> Outcome | None:
    """What NumPy computed in a recording, as an outcome; None when Python raises.

    Parameters
    ----------
    recording : Recording
        One that remembers.
    namespace : mapping
        What its statements saw.
    """
    try:
        given = {
            node.id: recording.drawn[node.id]
            if isinstance(source, DrawSource)
            else fetch(source, namespace)
            for node, source in zip(recording.graph.inputs, recording.sources, strict=True)
        }
    except PythonRaisesError:
        return None
    values = {**given, **recording.results}
    written = dict(recording.written)
    return Outcome(recording, namespace, values, written, after=recording.after)


def _nothing() -> None:
    """Nothing is to be taken back."""


def _drawn(draw: Draw, known: dict[int, Any], namespace: Namespace, streams: Streams) -> Any:
    """Draw as the statement would."""

    def made(recipe: Recipe) -> Any:
        return make(recipe, namespace, lambda ref: known[ref.id], {})

    generator = fetch(draw.generator, namespace)
    streams.note(generator)
    args = [made(recipe) for recipe in draw.args]
    kwargs = {name: made(recipe) for name, recipe in draw.kwargs.items()}
    try:
        with WarningsShown() as caught:
            value = getattr(generator, draw.method)(*args, **kwargs)
        same = not caught and value_type(value) == draw.type
    except Exception as error:
        raise PythonRaisesError(str(error)) from error
    if not same:
        raise CheckFailedError(f"`{draw.method}` draws something else than before")
    return value
