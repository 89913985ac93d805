"""Artifacts: a segment lowered to ATen and made callable on tensors, per tier.

The only module of the runtime that calls torch's compiler.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
import os
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

from jupyter_npcompile.graph import from_json as graph_from_json
from jupyter_npcompile.graph import to_json
from jupyter_npcompile.graph.nodes import Graph, Node, Output, Position
from jupyter_npcompile.runtime.native.manifest import from_json
from jupyter_npcompile.runtime.native.program import load, load_dispatch
from jupyter_npcompile.runtime.stats import counters
from jupyter_npcompile.runtime.tensors import TensorProgram
from jupyter_npcompile.tracer.memory import Array


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
        ``"aten"`` or ``"inductor"``.
    graph : Graph
        The NumPy level.
    aten : Graph
        The ATen level.
    program : Runnable
        What runs it.
    seconds : float
        Time it took to lower and compile.
    """

    tier: str
    graph: Graph
    aten: Graph
    program: Runnable = field(repr=False)
    seconds: float

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


_lock = threading.RLock()
_artifacts: dict[tuple[str, str], Artifact] = {}


def key_of(graph: Graph) -> str:
    """A digest of a NumPy-level graph, without positions and names."""
    text = json.dumps(to_json(_anonymous(graph)), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _anonymous(graph: Graph) -> Graph:
    def plain(node: Node) -> Node:
        return replace(node, position=Position(0, 0), name="", scope="")

    return replace(
        graph,
        inputs=tuple(map(plain, graph.inputs)),
        nodes=tuple(map(plain, graph.nodes)),
        outputs=tuple(Output("", output.value) for output in graph.outputs),
    )


Made = dict[tuple[str, str], Artifact]
"""Artifacts by the key of their graph, and tier."""


def make(graph: Graph, tier: str, *, alone: bool = False, made: Made | None = None) -> Artifact:
    """Lower and compile a segment, or take it from those made before.

    Parameters
    ----------
    graph : Graph
        NumPy level.
    tier : str
        ``"aten"`` or ``"inductor"``.
    alone : bool
        Whether no user code runs meanwhile, in any thread.
    made : dict, optional
        Where to look for it and to keep it, instead of among all others.

    Raises
    ------
    jupyter_npcompile.tracer.lowering.LoweringError
        When a node cannot be lowered.
    Exception
        Whatever torch raises when it cannot compile.
    """
    key = (key_of(graph), tier)
    with _lock:
        known = _artifacts if made is None else made
        artifact = known.get(key)
        if artifact is None:
            artifact = known[key] = _make(graph, tier, alone)
            counters.artifacts += 1
    return replace(artifact, graph=graph)


def clear() -> int:
    """Forget every artifact; returns how many there were."""
    with _lock:
        count = len(_artifacts)
        _artifacts.clear()
    return count


def _make(graph: Graph, tier: str, alone: bool) -> Artifact:
    # Read when OpenMP is loaded with torch: threads that spin while they wait
    # for each other lose milliseconds on a machine that does anything else.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    began = perf_counter()
    module = "torch._inductor.compile_fx" if tier == "inductor" else "torch"
    with _quiet(module, alone):
        return _compiled(graph, tier, began)


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


def _compiled(graph: Graph, tier: str, began: float) -> Artifact:
    if tier == "inductor":
        aten, program = _native(graph)
    else:
        from jupyter_npcompile.tracer.lowering import lower

        lowered = lower(graph)
        aten, program = lowered.aten, TensorProgram(graph, lowered)
    return Artifact(tier, graph, aten, program, perf_counter() - began)


def _native(graph: Graph) -> tuple[Graph, Runnable]:
    """Built in this process."""
    from jupyter_npcompile.runtime.native import toolchain
    from jupyter_npcompile.runtime.native.build import CONSTANTS, LIBRARY, build

    headers = Path(tempfile.gettempdir()) / f"npcompile-{os.getuid()}"
    headers.mkdir(mode=0o700, exist_ok=True)
    dispatch = headers / f"{toolchain.DISPATCH}.so"
    if not dispatch.exists():
        toolchain.compile_dispatch(dispatch)
    with tempfile.TemporaryDirectory(dir=headers) as name:
        folder = Path(name)
        manifest = from_json(build(graph, folder, headers, lambda phase: None))
        program = load(
            graph,
            manifest,
            folder / LIBRARY,
            (folder / CONSTANTS).read_bytes(),
            load_dispatch(dispatch),
        )
    return graph_from_json(manifest.aten), program
