"""Gradients without Python: what a pure function computes, recorded once, compiled, replayed.

A function that only computes, whose control flow follows from what is guarded,
is recorded as a segment of a cell is. Everything else runs on the tape every
time: prints happen, branches are taken, and only what follows is differentiated.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import monotonic
from typing import Any

import numpy as np

from jupyter_npcompile.autodiff.rolling import rolled, size_of
from jupyter_npcompile.autodiff.sites import Site
from jupyter_npcompile.autodiff.trees import flatten, map_leaves
from jupyter_npcompile.graph.nodes import Output, Ref
from jupyter_npcompile.runtime.call_handle import CallCode
from jupyter_npcompile.runtime.compile_errors import CompileFailedError, UnbuildableError
from jupyter_npcompile.runtime.device.device import DeviceError
from jupyter_npcompile.runtime.settings import settings
from jupyter_npcompile.runtime.ticket import Ticket
from jupyter_npcompile.tracer.guards import ValueGuard, check
from jupyter_npcompile.tracer.lowering.errors import LoweringError
from jupyter_npcompile.tracer.memory import pattern, traceable
from jupyter_npcompile.tracer.recording import Recording, record
from jupyter_npcompile.tracer.sources import (
    ComputedSource,
    ForwardSource,
    ItemSource,
    NameSource,
    Source,
    reversal,
)

OUTPUT = "gradient"
"""Name of the output that says what is differentiated: see `joint.wanted`."""

LONGEST = 250
"""Operations of a graph that is compiled at once. What is longer is a loop that was unrolled: its
compile takes minutes, and a step of it is compiled instead (`stepwise`)."""

LONG = 800
"""Operations of a graph that is compiled for a function that is called again and again."""

RECORDED = 12_000
"""Operations that are recorded to see whether they are iterations of loops."""

FACTORS = frozenset({"numpy.linalg.eigh", "numpy.linalg.qr"})
"""What NumPy itself computes when it is replayed: see `factorizations`."""

_pending: list[Replay] = []


def wait(timeout: float | None = None) -> bool:
    """Wait until everything that compiles is done; False when the time was not enough."""
    ends = None if timeout is None else monotonic() + timeout
    while _pending:
        left = None if ends is None else max(ends - monotonic(), 0.0)
        if not _pending[-1].wait(left):
            return False
        _pending.pop()
    return True


def pending() -> int:
    """How many are being compiled."""
    return sum(not each.wait(0) for each in list(_pending))


class Replay:
    """A recording of a function for one signature, and its compiled gradient.

    Parameters
    ----------
    recording : Recording
        Of a call.
    target : int
        The node of the value.
    leaves : list of int or None
        The input of each leaf; None for one that was not used.
    paths : list of Source
        Where the leaves are found.
    operations : int, optional
        How many are compiled, where that is not how many were recorded.
    turned : dict of int to tuple, optional
        Of leaves that are reversed views, by their place: the index that turns them forward, as
        they are in the graph.

    Attributes
    ----------
    reason : str
        Why it is not compiled, or not used.
    site : Site
        Where it runs.
    sharing : tuple
        How arrays that are not differentiated share memory, and their sources: see
        `Recording.aliasing`. Leaves count as memory of their own.
    """

    def __init__(
        self,
        recording: Recording,
        target: int,
        leaves: list[int | None],
        paths: list[Source],
        operations: int | None = None,
        turned: Mapping[int, tuple[slice, ...]] | None = None,
    ) -> None:
        self.recording = recording
        self.turned = dict(turned or {})
        self.operations = len(recording.graph.nodes) if operations is None else operations
        self.target = target
        self.leaves = leaves
        self.sharing = _sharing(recording, paths)
        self.program: Any = None
        self.reason = "compiling"
        self.confirmed = False
        self.site = Site()
        self.errors = np.geterr()
        self._ready = threading.Event()
        asked = [Ref(id) for id in dict.fromkeys(leaves) if id is not None]
        graph = recording.graph
        self.graph = replace(
            graph,
            outputs=(Output(OUTPUT, (Ref(target), list(asked))),),
            writes=(),
        )
        self.order = [node.id for node in graph.inputs if Ref(node.id) in asked]

    def compile(self) -> None:
        """Have it compiled, and wait."""
        try:
            self.program, self.reason = self._made(), ""
        except (LoweringError, UnbuildableError, CompileFailedError, DeviceError) as error:
            self.reason = f"not compiled: {error}"
        finally:
            self._ready.set()

    def _made(self) -> Any:
        device = self.site.device
        if device is not None:
            from jupyter_npcompile.autodiff.device_joint import make

            return make(self.graph, device, self.site.traffic)
        from jupyter_npcompile.autodiff.compiled import store

        found = store.find(self.graph)
        return (store.make(self.graph, Ticket()) if found is None else found).program

    def begin(self, *, waits: bool = False) -> None:
        """Have it compiled in the background, or at once."""
        if waits or settings.tier == "inductor":
            self.compile()
            return
        _pending.append(self)
        thread = threading.Thread(target=self.compile, name="npcompile-gradient", daemon=True)
        thread.start()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it is compiled, or is known not to be."""
        return self._ready.wait(timeout)

    def holds(self, args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
        """Whether the recording is valid for a call."""
        namespace = {"args": tuple(args), "kwargs": kwargs}
        if check(self.recording.guards, namespace) is not None or np.geterr() != self.errors:
            return False
        sources, known = self.sharing
        arrays = [source.fetch(namespace) for source in sources]
        return len(arrays) < 2 or pattern(arrays) == known

    def values(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
        """The inputs of the graph in a call."""
        namespace = {"args": tuple(args), "kwargs": kwargs}
        return [source.fetch(namespace) for source in self.recording.sources]

    def run(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Any, list[Any]] | None:
        """The value, and the gradient for each leaf; None when NumPy must run."""
        results = self.program.run(self.values(args, kwargs))
        if results is None:
            return None
        value, *gradients = results
        by_id = dict(zip(self.order, gradients, strict=True))
        kind = self.recording.graph.by_id()[self.target].type
        found: list[Any] = [None if id is None else by_id[id] for id in self.leaves]
        for place, index in self.turned.items():
            found[place] = np.ascontiguousarray(found[place][index])
        return value[()] if kind.kind != "array" else value, found


def record_call(
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    asked: Sequence[int],
    longest: int = LONGEST,
    *,
    rolls: bool = False,
) -> Replay | str:
    """Record a call, or say why a replay cannot stand for it.

    Parameters
    ----------
    function, args, kwargs
        The call.
    asked : sequence of int
        The arguments that are differentiated.
    longest : int
        Operations that are compiled at most.
    rolls : bool
        Whether operations that repeat count once.
    """
    call, parameters = CallCode(function).code(0)
    args = [_separate(arg) if k in asked else arg for k, arg in enumerate(args)]
    namespace = {"args": tuple(args), "kwargs": kwargs}
    most = RECORDED if rolls else None
    found = record(
        call, parameters, namespace, 0, 1, lambda start, stop: (), chosen=FACTORS, longest=most
    )
    if found.end is not None:
        return found.end.cause.reason
    if found.graph.writes or found.draws:
        return "it writes its arguments, or draws random numbers"
    operations = len(found.graph.nodes)
    if rolls:
        operations = size_of(rolled(found.graph))
    if operations > longest:
        return f"its {operations} operations are too many to be compiled at once"
    value = found.graph.outputs[0].value if found.graph.outputs else None
    if not isinstance(value, Ref):
        return "its value is not computed from its arguments"
    inputs = {
        source: node.id for source, node in zip(found.sources, found.graph.inputs, strict=True)
    }
    leaves: list[int | None] = []
    paths: list[Source] = []
    turned: dict[int, tuple[slice, ...]] = {}
    for position in asked:
        for path in _paths(ItemSource(NameSource("args"), position), args[position]):
            if _is_decided(path, found):
                return f"`{path}` decides something, or Python computes with it"
            forward = inputs.get(ForwardSource(path))
            if forward is not None:
                turned[len(leaves)] = reversal(path.fetch(namespace))
            leaves.append(inputs.get(path) if forward is None else forward)
            paths.append(path)
    if all(id is None for id in leaves):
        return "its value does not depend on what is differentiated"
    found.forget()
    return Replay(found, value.id, leaves, paths, operations, turned)


def alone(leaf: Any) -> Any:
    """The same array in memory of its own, as the tape takes it: nothing else is that array.

    Examples
    --------
    >>> x = np.arange(6.0)[::2]
    >>> copy = alone(x)
    >>> copy.tolist(), copy.strides == x.strides, np.shares_memory(copy, x)
    ([0.0, 2.0, 4.0], True, False)
    """
    if type(leaf) is not np.ndarray or not traceable(leaf) or min(leaf.strides, default=0) < 0:
        return leaf
    size = leaf.dtype.itemsize
    last = sum((n - 1) * s for n, s in zip(leaf.shape, leaf.strides, strict=True) if n)
    memory = np.empty(max(last, 0) // size + 1, leaf.dtype)
    copy: Any = np.ndarray(leaf.shape, leaf.dtype, memory, 0, leaf.strides)
    copy[...] = leaf
    copy.flags.writeable = leaf.flags.writeable
    return copy


def _separate(value: Any) -> Any:
    made = map_leaves(alone, value)
    return made if flatten(made)[1] == flatten(value)[1] else value


def _sharing(
    recording: Recording, paths: Sequence[Source]
) -> tuple[tuple[Source, ...], tuple[Any, ...]]:
    sources, known = recording.aliasing
    kept = [k for k, source in enumerate(sources) if source not in paths]
    place = {k: n for n, k in enumerate(kept)}
    entries = [(place[known[k][0]], known[k][1], place[known[k][2]]) for k in kept]
    return tuple(sources[k] for k in kept), tuple(entries)


def _is_decided(path: Source, recording: Recording) -> bool:
    """Whether more depends on a leaf than the graph shows."""
    guarded = any(isinstance(g, ValueGuard) and g.source == path for g in recording.guards)
    used = (*recording.sources, *(guard.source for guard in recording.guards))
    return guarded or any(_computes(source, path) for source in used)


def _computes(source: Source, path: Source) -> bool:
    """Whether a source is a number that Python makes of a leaf."""
    if not isinstance(source, ComputedSource):
        return False
    return any(operand == path or _computes(operand, path) for operand in source.operands)


def _paths(source: Source, value: Any) -> list[Source]:
    """Where the leaves of an argument are found, in order."""
    if value is None:
        return []
    if isinstance(value, dict):
        return [
            path for key, item in value.items() for path in _paths(ItemSource(source, key), item)
        ]
    if isinstance(value, tuple | list):
        return [
            path for k, item in enumerate(value) for path in _paths(ItemSource(source, k), item)
        ]
    return [source]
