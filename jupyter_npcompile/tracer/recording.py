"""A recording: one dry run of a region on NumPy, up to the first break."""

from __future__ import annotations

import itertools
import types
from collections.abc import Mapping
from dataclasses import field, replace
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.nodes import Argument, Graph, Output, Position, Ref, ValueType
from jupyter_npcompile.tracer.breaks import LATE, Break, NeedsCopy, Postponed
from jupyter_npcompile.tracer.draws import Draw
from jupyter_npcompile.tracer.guards import Guard
from jupyter_npcompile.tracer.hooks import Hooks
from jupyter_npcompile.tracer.interpret import encode
from jupyter_npcompile.tracer.memory import WRITEABLE, Array, overlap, owner, pattern
from jupyter_npcompile.tracer.nested import traced_in
from jupyter_npcompile.tracer.patience import Patience
from jupyter_npcompile.tracer.recipes import Container, FromSource, Recipe, concrete, recipe
from jupyter_npcompile.tracer.recorder import Hidden, Recorder
from jupyter_npcompile.tracer.sources import MISSING, Source
from jupyter_npcompile.tracer.streams import Streams


@dataclass(frozen=True, slots=True)
class Stop:
    """Where and why a recording ended before the end of its region.

    Parameters
    ----------
    statement : int
        Index in the region.
    position : Position
        Line and column in the cell.
    cause : Break
        Why.
    worked : bool
        Whether the statement had done NumPy work before it broke.
    """

    statement: int
    position: Position
    cause: Break
    worked: bool = False


@dataclass(slots=True)
class Recording:
    """What a dry run of statements ``start`` to ``stop - 1`` showed.

    Parameters
    ----------
    start, stop : int
        Statements that it covers; equal when the first one breaks.
    end : Stop or None
        Why it does not reach the end of the region.
    graph : Graph
        The captured graph, NumPy level.
    sources : tuple of Source
        Where each input of the graph comes from.
    guards : tuple of Guard
        What it assumed.
    aliasing : tuple
        How the input arrays share memory (``memory.pattern``), and their
        sources.
    recipes : dict of str to Recipe
        What each live name is bound to.
    reference : dict of str to object
        NumPy's values of the live names.
    written : dict of int to numpy.ndarray
        For each written input, what NumPy left in it.
    stand_ins : tuple of numpy.ndarray
        What stood for the input arrays.
    assigned : tuple
        Statement, name and type of every array or number that was bound.
    hidden : dict of int to Hidden
        Results that are views of memory nobody else sees.
    frozen : frozenset of int
        Fresh results that NumPy makes read-only.
    inlined : frozenset of (str, int)
        File name and line of helper functions that ran in it.
    draws : tuple of Draw
        Random draws, in order.
    drawing : mapping of int to bool
        Statements that draw, and whether they do other work too.
    seconds : float
        Time spent in the dry run.
    numpy_seconds : float
        The part of it that was spent in NumPy.
    library_seconds : float
        The part of that in which NumPy's libraries computed: see `table.libraries`.
    results : dict of int to object
        Values of nodes that names are bound to, except those that share the
        memory of an input.
    drawn : dict of int to object
        Random numbers by input id.
    after : Streams or None
        The states of random generators after it; None when the statement at
        which it broke had drawn too.
    free : mapping of Source to int
        Integers that may be the bounds of slices and differ from replay to
        replay, and what they were before.
    remembers : bool
        Whether ``reference``, ``written`` and ``results`` still hold values.
    """

    start: int
    stop: int
    end: Stop | None
    graph: Graph
    sources: tuple[Source, ...]
    guards: tuple[Guard, ...]
    aliasing: tuple[tuple[Source, ...], tuple[Any, ...]]
    recipes: dict[str, Recipe]
    reference: dict[str, Any] = field(repr=False)
    written: dict[int, Array] = field(repr=False)
    stand_ins: tuple[Array, ...] = field(repr=False)
    assigned: tuple[tuple[int, str, ValueType], ...]
    hidden: dict[int, Hidden]
    frozen: frozenset[int]
    inlined: frozenset[tuple[str, int]]
    draws: tuple[Draw, ...]
    drawing: Mapping[int, bool]
    seconds: float
    numpy_seconds: float
    library_seconds: float = 0.0
    results: dict[int, Any] = field(default_factory=dict, repr=False)
    drawn: dict[int, Any] = field(default_factory=dict, repr=False)
    after: Streams | None = field(default=None, repr=False)
    free: Mapping[Source, int] = field(default_factory=dict)
    remembers: bool = True

    @property
    def is_late(self) -> bool:
        """Whether it ended because it had held up the user's code for long enough."""
        return self.end is not None and self.end.cause.kind == "late"

    def forget(self) -> None:
        """Let go of NumPy's values, which may be large."""
        self.reference, self.written, self.stand_ins, self.results = {}, {}, (), {}
        self.drawn, self.after = {}, None
        self.remembers = False


class _Limit(BaseException):
    """Ends a dry run before a statement that is known to break."""


class _Mark(NamedTuple):
    """How far a recording had come when a statement began."""

    statement: int
    nodes: int
    inputs: int
    guards: int
    arrays: int
    mutations: int
    draws: int
    inlined: int


class _LimitedHooks(Hooks):
    """Hooks that stop before a given statement."""

    def __init__(self, recorder: Recorder, limit: int) -> None:
        super().__init__(recorder)
        self.limit = limit
        self.marks: list[_Mark] = []

    def statement(self, index: int) -> None:
        """Remember how far the recording has come, or stop it."""
        if index >= self.limit:
            raise _Limit
        super().statement(index)
        self.marks.append(self.mark(index))
        self.recorder.begin_statement()

    def mark(self, index: int) -> _Mark:
        """How far the recording has come."""
        recorder = self.recorder
        return _Mark(
            index,
            len(recorder.nodes),
            len(recorder.inputs),
            len(recorder.guards),
            len(recorder.arrays),
            recorder.mutations,
            len(recorder.draws),
            len(recorder.inlined),
        )

    def release(self) -> None:
        """Let go of what the recording computed."""
        self.bound.clear()
        self.replaced.clear()
        self.recorder.release()

    def bind(self, index: int, name: str, value: Any) -> None:
        """Make sure that a replay can make the value again."""
        recipe(value, self.recorder, {})
        super().bind(index, name, value)


def record(
    code: types.FunctionType,
    parameters: tuple[str, ...],
    namespace: Mapping[str, Any],
    start: int,
    stop: int,
    live: Any,
    cause: Stop | None = None,
    module: dict[str, Any] | None = None,
    written: frozenset[str] = frozenset(),
    patience: Patience | None = None,
    free: Mapping[Source, int] | None = None,
    chosen: frozenset[str] = frozenset(),
    longest: int | None = None,
) -> Recording:
    """Run the instrumented statements of a region once, without any effect.

    Parameters
    ----------
    code : types.FunctionType
        The instrumented region, ``code(hooks, *inputs)``.
    parameters : tuple of str
        The names of its inputs.
    namespace : mapping
        What the region sees now.
    start, stop : int
        First statement, and the one after the last.
    live : callable
        ``live(start, stop)``: names that must be bound afterwards.
    cause : Stop or None
        Why ``stop`` is where it is, when a former attempt found out.
    module : dict or None
        The module namespace in which the statements bind names, if they do.
    written : frozenset of str
        Names of inputs that the statements seem to write into: they need not
        find it out at the last moment, and begin again.
    patience : Patience, optional
        For what there is time; for everything by default.
    free : mapping of Source to int, optional
        Integers that are not to be fixed where they bound slices, and what
        they were before.
    chosen : frozenset of str
        Operations without lowering that are recorded all the same.
    longest : int, optional
        Operations after which it gives up.

    Returns
    -------
    Recording
        Of the statements before the first break.

    Raises
    ------
    Postponed
        When there is not even time for the first statement.
    """
    began = perf_counter()
    values = [_look_up(namespace, name) for name in parameters]
    writable = frozenset(
        id(owner(value))
        for name, value in zip(parameters, values, strict=True)
        if name in written and isinstance(value, np.ndarray) and value.flags.num & WRITEABLE
    )
    while True:
        recorder = Recorder(writable, patience)
        recorder.free = free or {}
        recorder.chosen = chosen
        recorder.max_nodes = longest or recorder.max_nodes
        hooks = _LimitedHooks(recorder, stop)
        hooks.module = module
        end = cause
        try:
            code(hooks, *values)
        except NeedsCopy as request:
            writable |= {request.owner}
            hooks.release()
            continue
        except _Limit:
            pass
        except Break as broken:
            statement = hooks.marks[-1].statement if hooks.marks else start
            done = hooks.marks[-1].nodes if hooks.marks else 0
            # Its frames would keep every array of the recording alive.
            broken.__traceback__ = broken.__cause__ = broken.__context__ = broken.error = None
            worked = broken.helper or len(recorder.nodes) > done
            end = Stop(statement, recorder.position, broken, worked)
            if _has_written(recorder, hooks):
                # The statement that broke had already written into memory
                # that the segment's results share: leave it out altogether.
                stop, cause = statement, end
                hooks.release()
                continue
        except Postponed:
            if len(hooks.marks) < 2 or _has_written(recorder, hooks):
                hooks.release()
                raise
            end = Stop(hooks.marks[-1].statement, recorder.position, Break("late", LATE), False)
        except BaseException:
            hooks.release()
            raise
        try:
            return _finish(recorder, hooks, start, stop, end, live, perf_counter() - began)
        finally:
            hooks.release()


def _look_up(namespace: Mapping[str, Any], name: str) -> Any:
    try:
        return namespace[name]
    except KeyError:
        return MISSING


def _has_written(recorder: Recorder, hooks: _LimitedHooks) -> bool:
    if not hooks.marks:
        return False
    mark = hooks.marks[-1]
    written = any(node.writes for node in recorder.nodes[mark.nodes :])
    return written or recorder.mutations > mark.mutations


def _finish(
    recorder: Recorder,
    hooks: _LimitedHooks,
    start: int,
    stop: int,
    end: Stop | None,
    live: Any,
    seconds: float,
) -> Recording:
    cut = hooks.mark(stop)
    if end is not None:
        stop = end.statement
        known = next((mark for mark in hooks.marks if mark.statement == stop), cut)
        if stop == start:
            # Nothing was captured: remember under which conditions it breaks.
            recorder.forget_contents()
            cut = hooks.mark(stop)
            known = known._replace(inputs=cut.inputs, guards=cut.guards, arrays=cut.arrays)
        cut = known
    bound = hooks.bound_before(stop)
    names = [name for name in live(start, stop) if name in bound]
    names += [name for name in ("<return>", "<display>") if name in bound]
    late = {node.id for node in recorder.inputs[cut.inputs :]}
    for traced in traced_in([bound[name] for name in names]):
        if traced.id in late:  # a number that became an input only in what is left out
            traced.id = None
    made: dict[int, Container] = {}
    recipes = {name: recipe(bound[name], recorder, made) for name in names}
    outputs = tuple(
        Output(name.strip("<>"), _argument(recipe))
        for name, recipe in recipes.items()
        if not _is_kept(name, recipe)
    )
    kept = tuple(recorder.nodes[: cut.nodes])
    graph = Graph("numpy", tuple(recorder.inputs[: cut.inputs]), kept, outputs)
    graph = replace(graph, writes=graph.written_inputs())
    ids, roots = {node.id for node in graph.inputs}, graph.roots()
    arrays = recorder.arrays[: cut.arrays]
    stand_ins = recorder.stand_ins()
    _refuse_hidden_overlap(graph, arrays)
    return Recording(
        start=start,
        stop=stop,
        end=end,
        graph=graph,
        sources=tuple(recorder.sources[: cut.inputs]),
        guards=tuple(recorder.guards[: cut.guards]),
        aliasing=(tuple(s for s, _ in arrays), pattern([a for _, a in arrays])),
        recipes=recipes,
        reference={
            name: concrete(bound[name])
            for name in names
            if not isinstance(recipes[name], FromSource)
        },
        stand_ins=tuple(stand_ins.values()),
        written={id: array for id, array in stand_ins.items() if id in graph.writes},
        assigned=tuple(known for known in hooks.assigned if known[0] < stop),
        hidden=recorder.hidden,
        frozen=frozenset(recorder.frozen),
        inlined=frozenset(itertools.islice(recorder.inlined, cut.inlined)),
        draws=tuple(recorder.draws[: cut.draws]),
        drawing=_drawing([mark for mark in hooks.marks if mark.statement < stop], cut),
        seconds=seconds,
        numpy_seconds=recorder.seconds,
        library_seconds=recorder.library_seconds,
        results={
            traced.id: traced.value
            for traced in traced_in([bound[name] for name in names])
            if traced.id is not None and roots[traced.id] not in ids
        },
        drawn=dict(recorder.drawn),
        after=recorder.streams.now() if len(recorder.draws) == cut.draws else None,
        free=recorder.free,
    )


def _drawing(marks: list[_Mark], end: _Mark) -> dict[int, bool]:
    """Statements that draw, and whether they do other work too."""
    return {
        mark.statement: following.nodes > mark.nodes
        for mark, following in itertools.pairwise([*marks, end])
        if following.draws > mark.draws
    }


def _refuse_hidden_overlap(graph: Graph, arrays: list[tuple[Source, Array]]) -> None:
    """Foreign buffers may overlap although no base says so."""
    if not graph.writes:
        return
    for index, (source, first) in enumerate(arrays):
        for _, second in arrays[index + 1 :]:
            if first is not second and overlap(first, second):
                raise Break("input", f"`{source}` shares memory with another input")


def _is_kept(name: str, made: Recipe) -> bool:
    """Whether a name stands for what it stood for, as after ``x += 1``."""
    return isinstance(made, FromSource) and str(made.source) == name


def _argument(made: Recipe) -> Argument:
    """The recipe as the graph shows it."""
    if isinstance(made, Ref):
        return made
    if isinstance(made, FromSource):
        return str(made.source)
    if isinstance(made, Container):
        items = tuple(_argument(item) for item in made.items)
        return list(items) if made.type is list else items
    try:
        return encode(made.value)
    except TypeError:
        return repr(made.value)
