"""How long each kernel of a segment takes: a second form of its code keeps the time.

Its kernels are loop nests in one C function. That function is compiled once more,
with a clock between the nests, when somebody asks; what runs otherwise has none.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.nodes import Graph
from jupyter_npcompile.runtime import artifacts, stamp
from jupyter_npcompile.runtime import cache as caches
from jupyter_npcompile.runtime.artifacts import Artifact
from jupyter_npcompile.runtime.cache_entry import Entry
from jupyter_npcompile.runtime.compile_errors import CancelledError, CompileFailedError
from jupyter_npcompile.runtime.compiled import TIER, BuildError, built
from jupyter_npcompile.runtime.errors import CheckFailedError, first_line
from jupyter_npcompile.runtime.native.build import CONSTANTS, SOURCE
from jupyter_npcompile.runtime.native.gxx import LIBRARY
from jupyter_npcompile.runtime.native.manifest import Manifest, from_json
from jupyter_npcompile.runtime.native.program import Program, load, load_dispatch
from jupyter_npcompile.runtime.native.ticks import SPENT, timed_source
from jupyter_npcompile.runtime.own_library import checked
from jupyter_npcompile.runtime.ticket import Ticket
from jupyter_npcompile.runtime.worker import compiler

ROUNDS = 20
"""Runs of a segment, of which the best time of each kernel counts."""

LONGEST = 0.5
"""Seconds after which no other run begins."""

GONE = "its code is not in the cache any more"


class NotTimedError(Exception):
    """The kernels of a segment were not timed; the text says why."""


@dataclass(frozen=True)
class Timed:
    """Code of a segment that keeps the time.

    Parameters
    ----------
    program : Program
        It, ready to run.
    library : Path
        Where it was loaded from.
    nodes : sequence of int
        For each time that it keeps, the node of the level of kernels.
    """

    program: Program
    library: Path
    nodes: Sequence[int]

    def best(self, values: Sequence[Any]) -> dict[int, float]:
        """The best time of each kernel in seconds, on inputs that are not changed.

        Raises
        ------
        NotTimedError
            When the code does not hold for these values.
        """
        with checked(self.library) as name:
            code = ctypes.CDLL(name)  # loaded already
        kept = (ctypes.c_double * len(self.nodes)).in_dll(code, SPENT)
        best: dict[int, float] = {}
        began = perf_counter()
        for _ in range(ROUNDS):
            kept[:] = [0.0] * len(self.nodes)
            try:
                self.program.run(values)
            except CheckFailedError as error:
                raise NotTimedError(first_line(error)) from None
            spent: dict[int, float] = {}
            for node, seconds in zip(self.nodes, kept, strict=True):
                spent[node] = spent.get(node, 0.0) + seconds
            best = {node: min(best.get(node, s), s) for node, s in spent.items()}
            if perf_counter() - began > LONGEST:
                break
        return best


def kernel_times(
    graph: Graph, artifact: Artifact | None, values: Sequence[Any]
) -> dict[int, float]:
    """Measure the kernels of a segment; the code for that is compiled when it is missing.

    Parameters
    ----------
    graph : Graph
        The segment, NumPy level.
    artifact : Artifact or None
        What was compiled for it.
    values : sequence
        One ndarray or number for each input of the graph.

    Returns
    -------
    dict of int to float
        Seconds, by node of the level of kernels. Calls of NumPy's libraries are not in it.

    Raises
    ------
    NotTimedError
        When they cannot be measured.
    KeyboardInterrupt
        At once, when it comes while somebody waits for the compiler.
    """
    if artifact is None or artifact.tier != TIER:
        return {}
    timed = _timed(graph, artifact)
    return {} if timed is None else timed.best(values)


def _timed(graph: Graph, artifact: Artifact) -> Timed | None:
    """The code of an artifact in a form that keeps the time; None where it has no kernels."""
    folder, manifest, sizes, free = _origin(graph, artifact)
    if not any(piece.entry for piece in manifest.pieces):
        return None
    try:
        source, nests = timed_source((folder / SOURCE).read_text())
        constants = (folder / CONSTANTS).read_bytes()
    except OSError:
        raise NotTimedError(GONE) from None
    nodes = [manifest.nests[piece][number] for piece, number in nests]
    if not nodes:
        return None
    support = artifacts.store.support()
    if support is None:
        raise NotTimedError(GONE)
    library = _built(source).folder / LIBRARY
    dispatch = load_dispatch(support)
    try:
        program = load(graph, manifest, library, constants, dispatch, sizes, free)
    except OSError as error:
        raise NotTimedError(first_line(error)) from None
    return Timed(program, library, nodes)


def _origin(
    graph: Graph, artifact: Artifact
) -> tuple[Path, Manifest, tuple[int, ...] | None, Mapping[int, int] | None]:
    """Where the files of an artifact are, what is in them, and the sizes that it is for."""
    form = artifact.form
    if form is not None:
        return form.folder, from_json(form.manifest), form.sizes(graph), form.free
    entry = caches.cache().find(artifact.key) if artifact.key else None
    if entry is None or entry.error is not None:
        raise NotTimedError(GONE)
    return entry.folder, from_json(entry.manifest), None, None


def _built(source: str) -> Entry:
    """Code that keeps the time, from the cache or the compiler."""
    cache = caches.cache()
    key = stamp.entry_key(hashlib.sha256(source.encode()).hexdigest(), "timed")
    found = cache.find(key)
    if found is not None:
        return found
    ticket = Ticket(waited=True)
    made: list[Entry | Exception] = []
    compiler.run(functools.partial(_build, key, source, ticket, made), ticket)
    answer = made[0] if made else NotTimedError("compiling was interrupted")
    if isinstance(answer, Entry):
        return answer
    raise answer


def _build(key: str, source: str, ticket: Ticket, made: list[Entry | Exception]) -> None:
    try:
        worker = artifacts.store.worker
        made.append(built(worker, key, {"timed": source}, ticket, caches.cache())[0])
    except CancelledError:
        made.append(NotTimedError("compiling was interrupted"))
    except (BuildError, CompileFailedError) as error:
        made.append(NotTimedError(first_line(error)))
