"""Artifacts: a segment in a form that runs, per tier."""

from __future__ import annotations

import contextlib
import importlib
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.nodes import Graph
from jupyter_npcompile.runtime.anonymous import key_of, named
from jupyter_npcompile.runtime.compile_errors import TakesLongError, UnbuildableError
from jupyter_npcompile.runtime.compiled import TIER, Compiled, Store
from jupyter_npcompile.runtime.device.late import Content
from jupyter_npcompile.runtime.device.residency import Residency
from jupyter_npcompile.runtime.devices import device_of
from jupyter_npcompile.runtime.forms import Form
from jupyter_npcompile.runtime.native import torch_symbols
from jupyter_npcompile.runtime.native.build import CONSTANTS
from jupyter_npcompile.runtime.native.gxx import LIBRARY
from jupyter_npcompile.runtime.native.manifest import from_json
from jupyter_npcompile.runtime.native.program import load, load_dispatch
from jupyter_npcompile.runtime.settings import settings
from jupyter_npcompile.runtime.stats import counters
from jupyter_npcompile.runtime.tensors import TensorProgram
from jupyter_npcompile.runtime.ticket import Ticket
from jupyter_npcompile.tracer.lowering.errors import LoweringError
from jupyter_npcompile.tracer.memory import Array

NO_KERNELS = Graph("kernels")
"""Where nothing was fused."""


class Runnable(Protocol):
    """What runs a segment."""

    def run(self, values: Sequence[Any]) -> tuple[dict[int, Any], dict[int, Array]]:
        """Run on the inputs without changing any of them."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """A callable segment.

    Parameters
    ----------
    tier : str
        ``"aten"``, ``"inductor"``, or the name of a device.
    graph : Graph
        The NumPy level.
    aten : Graph
        The ATen level.
    program : Runnable
        What runs it.
    seconds : float
        Time it took to lower and compile.
    kernels : Graph
        The level of kernels; empty where nothing was fused.
    key : str
        Its name in the cache on disk, if it may be there.
    verdict : mapping or None
        What an earlier kernel measured: see `cache_entry.Entry`.
    form : Form or None
        The code, where it serves other sizes too.
    is_new : bool
        Whether it was compiled just now.
    note : str
        Why it serves one size only, where it should have served more.
    rehearsed : float
        Seconds that it took in the worker, where it has run there: see `native.rehearsal`.
    """

    tier: str
    graph: Graph
    aten: Graph
    program: Runnable = field(repr=False)
    seconds: float
    kernels: Graph = NO_KERNELS
    key: str = ""
    verdict: Mapping[str, Any] | None = None
    form: Form | None = None
    is_new: bool = False
    note: str = ""
    rehearsed: float = 0.0

    def run(self, values: Sequence[Any]) -> tuple[dict[int, Any], dict[int, Array]]:
        """Run on the inputs without changing any of them.

        Parameters
        ----------
        values : sequence
            One ndarray or number for each input of the graph.

        Returns
        -------
        outputs : dict of int to object
            Fresh arrays and numbers by node id.
        written : dict of int to numpy.ndarray
            What must be copied into the written inputs, by input id.

        Raises
        ------
        CheckFailedError
            When NumPy would raise.
        """
        return self.program.run(values)

    def run_there(
        self, values: Sequence[Any], copies: Residency
    ) -> tuple[dict[int, Any], dict[int, Array], dict[int, Content]]:
        """The same on a device, where copies of some inputs may lie already.

        Returns
        -------
        outputs, written : dict
            As `run`. Arrays that ``copies.late`` knows are not filled yet.
        late : dict of int to Content
            What other written inputs are to be filled with, some time.
        """
        run_there: Callable[..., Any] | None = getattr(self.program, "run_there", None)
        if run_there is not None:
            outputs, written, late = run_there(values, copies)
            return outputs, written, late
        copies.settle()
        return *self.program.run(values), {}


_lock = threading.RLock()
_artifacts: dict[tuple[str, str], Artifact] = {}

_left: set[tuple[str, str]] = set()
"""Those that are in the cache, and take longer to load than the user's code can wait."""

Made = dict[tuple[str, str], Artifact]
"""Artifacts by the key of their graph, and tier."""


def _key(graph: Graph, tier: str) -> tuple[str, str]:
    """What tells artifacts apart; on a device a forced tier says how operations run."""
    forced = tier not in ("aten", TIER) and settings.tier == "aten"
    return key_of(graph), f"{tier} one by one" if forced else tier


def _load(
    graph: Graph,
    manifest: Mapping[str, Any],
    folder: Path,
    support: Path,
    sizes: Sequence[int] | None = None,
    free: Mapping[int, int] | None = None,
) -> Runnable:
    constants = (folder / CONSTANTS).read_bytes()
    dispatch = load_dispatch(support)
    return load(graph, from_json(manifest), folder / LIBRARY, constants, dispatch, sizes, free)


store = Store(_load)
"""Where native code comes from."""


def recall(
    graph: Graph, tier: str, *, at_once: bool = False, outlined: str = ""
) -> Artifact | None:
    """The artifact of a segment, if it was made before: in this kernel, or an earlier one.

    Parameters
    ----------
    graph : Graph
        NumPy level.
    tier : str
        ``"aten"``, ``"inductor"``, or the name of a device.
    at_once : bool
        Whether somebody waits who must not: what takes long to load is left to `make`.
    outlined : str
        Its `outline`, where the caller knows it already.

    Raises
    ------
    LoweringError, UnbuildableError
        When it is known that it cannot be made.
    """
    key = _key(graph, tier)
    artifact = _artifacts.get(key)
    if artifact is None and tier == TIER:
        began = perf_counter()
        try:
            found = store.find(graph, at_once=at_once, digest=key[0], outlined=outlined)
        except TakesLongError:
            _left.add(key)
            return None
        _left.discard(key)
        if found is not None:
            artifact = _native(graph, found, began)
            if found.form is None:
                _artifacts[key] = artifact
                counters.recalled += 1
    return artifact and _for(artifact, graph)


def is_left(graph: Graph, tier: str) -> bool:
    """Whether the artifact of a segment was made before, and only takes long to load."""
    return _key(graph, tier) in _left


def make(
    graph: Graph,
    tier: str,
    *,
    alone: bool = False,
    made: Made | None = None,
    ticket: Ticket | None = None,
    others: Sequence[Graph] = (),
) -> Artifact:
    """Lower and compile a segment, or take it from those made before.

    Parameters
    ----------
    graph : Graph
        NumPy level.
    tier : str
        ``"aten"``, ``"inductor"``, or the name of a device.
    alone : bool
        Whether no user code runs meanwhile, in any thread.
    made : dict, optional
        Where to look for it and to keep it, instead of among all others, and
        in the cache.
    ticket : Ticket, optional
        Shows how far it is, and can cancel it.
    others : sequence of Graph, optional
        Graphs that differ in sizes only; then what is made shall serve all of them.

    Raises
    ------
    jupyter_npcompile.tracer.lowering.LoweringError
        When a node cannot be lowered.
    UnbuildableError, CompileFailedError
        When it cannot be compiled, or not now.
    CancelledError
        When the ticket was cancelled.
    Exception
        Whatever torch raises when it cannot lower.
    """
    key = _key(graph, tier)
    known = _artifacts if made is None else made
    if made is None and key in _left and (recalled := recall(graph, tier)) is not None:
        return recalled
    artifact = known.get(key)
    if artifact is None and tier == TIER:
        began = perf_counter()
        ticket = ticket or Ticket()
        note = ""
        for other in others:
            try:
                general = store.make_general(graph, other, ticket)
            except (LoweringError, UnbuildableError) as error:
                note = error.reason if isinstance(error, LoweringError) else str(error)
                break
            if general is not None:
                counters.artifacts += general.is_new
                artifact = _native(graph, general, began)
                return _for(replace(artifact, is_new=general.is_new), graph)
        if any(node.args for node in graph.inputs):
            raise UnbuildableError(note or "other bounds of slices need other code")
        found = store.make(graph, ticket, cached=made is None)
        artifact = known[key] = _native(graph, found, began)
        counters.artifacts += 1
        return _for(replace(artifact, is_new=True, note=note), graph)
    elif artifact is None:
        with _lock:
            artifact = known[key] = _lowered(graph, tier, alone)
        counters.artifacts += 1
    return _for(artifact, graph)


def _for(artifact: Artifact, graph: Graph) -> Artifact:
    """The same code for another cell that computes the same."""
    if artifact.tier != TIER:
        return replace(artifact, graph=graph)
    aten, kernels = (named(level, graph) for level in (artifact.aten, artifact.kernels))
    return replace(artifact, graph=graph, aten=aten, kernels=kernels)


def clear() -> int:
    """Forget every artifact; returns how many there were."""
    count = len(_artifacts)
    _artifacts.clear()
    store.forget()
    return count


def _native(graph: Graph, found: Compiled, began: float) -> Artifact:
    seconds = perf_counter() - began
    return Artifact(
        TIER,
        graph,
        found.aten,
        found.program,
        seconds,
        found.kernels,
        found.key,
        found.verdict,
        found.form,
        rehearsed=found.rehearsed,
    )


def _lowered(graph: Graph, tier: str, alone: bool) -> Artifact:
    """The lowered graph, built in this process: one operation after the other, or on a device."""
    torch_symbols.have_threads_wait_idly()
    began = perf_counter()
    with _quiet("torch", alone):
        from jupyter_npcompile.tracer.lowering import lower

        lowered = lower(graph)
        if tier == "aten":
            program = TensorProgram(graph, lowered)
        else:
            from jupyter_npcompile.runtime.device.program import DeviceProgram

            device = device_of(tier)
            assert device is not None
            one_by_one = settings.tier == "aten"
            program = DeviceProgram(graph, lowered, device, one_by_one=one_by_one)
    return Artifact(tier, graph, lowered.aten, program, perf_counter() - began)


@contextlib.contextmanager
def _quiet(module: str, alone: bool) -> Iterator[None]:
    """Keep torch's own warnings out of the user's cell.

    Filters are shared by all threads, so in the background only what a module
    says while it is imported is silenced.
    """
    with contextlib.ExitStack() as silence:
        if alone or module not in sys.modules:
            silence.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore")
            importlib.import_module(module)
        if not alone:
            silence.close()
        yield
