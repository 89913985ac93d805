"""Compiled code for the kernel process: from the cache, or made by the compile worker.

Nothing here imports torch.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from jupyter_npcompile.graph import from_json, to_json
from jupyter_npcompile.graph.nodes import Graph, Position
from jupyter_npcompile.runtime import cache as caches
from jupyter_npcompile.runtime import stamp
from jupyter_npcompile.runtime.anonymous import anonymous, key_of
from jupyter_npcompile.runtime.cache import Cache
from jupyter_npcompile.runtime.cache_entry import Entry
from jupyter_npcompile.runtime.compile_errors import CompileFailedError, UnbuildableError
from jupyter_npcompile.runtime.compile_worker import CompileWorker, worker
from jupyter_npcompile.runtime.durations import Durations
from jupyter_npcompile.runtime.notices import say
from jupyter_npcompile.runtime.settings import settings
from jupyter_npcompile.runtime.ticket import Ticket
from jupyter_npcompile.tracer.lowering.errors import LoweringError

TIER = "inductor"

MEGABYTE = 2**20


@dataclass(frozen=True)
class Compiled:
    """What was found or made.

    Parameters
    ----------
    program : object
        What runs the segment.
    aten : Graph
        The ATen level, `anonymous`.
    key : str
        Its name in the cache.
    verdict : mapping or None
        What was measured earlier: see `Entry`.
    """

    program: Any
    aten: Graph
    key: str
    verdict: Mapping[str, Any] | None = None


Loader = Callable[[Graph, Mapping[str, Any], Path, Path], Any]
"""``load(graph, manifest, folder, support)`` gives what runs the segment."""


class Store:
    """Finds compiled code and has it made.

    Parameters
    ----------
    load : callable
        Loads what was built.
    worker : CompileWorker
        Builds.
    """

    def __init__(self, load: Loader, worker: CompileWorker = worker) -> None:
        self._load = load
        self._worker = worker

    def warm_up(self) -> None:
        """Start the compile worker, in the background: it takes seconds until it is ready."""

        def start() -> None:
            stamp.versions()
            self._worker.start(caches.cache())

        threading.Thread(target=start, name="npcompile-start", daemon=True).start()

    def stop(self) -> None:
        """End the compile worker; it starts again when it is needed."""
        self._worker.stop()

    def key(self, graph: Graph) -> str:
        """The name of its entry in a cache."""
        return stamp.entry_key(key_of(graph), TIER)

    def find(self, graph: Graph) -> Compiled | None:
        """What the cache holds for a graph, loaded; None when it must be compiled.

        Raises
        ------
        LoweringError, UnbuildableError
            When it is known that it cannot be compiled.
        """
        cache = caches.cache()
        entry = cache.find(self.key(graph))
        return None if entry is None else self._loaded(graph, entry, cache)

    def make(self, graph: Graph, ticket: Ticket, *, cached: bool = True) -> Compiled:
        """Have a graph compiled by the worker, and wait for it.

        Parameters
        ----------
        graph : Graph
            NumPy level.
        ticket : Ticket
            Shows the progress; may be cancelled.
        cached : bool
            Whether it may come from the cache, and stays there.

        Raises
        ------
        LoweringError, UnbuildableError
            When it cannot be compiled.
        CompileFailedError, WorkerError
            When compiling failed.
        CancelledError
            When the ticket was cancelled.
        """
        if cached:
            return self._made(graph, ticket, caches.cache())
        aside = caches.private()
        try:
            return self._made(graph, ticket, aside)
        finally:
            aside.remove()

    def _made(self, graph: Graph, ticket: Ticket, cache: Cache) -> Compiled:
        key = self.key(graph)
        request = {
            "graph": to_json(anonymous(graph)),
            "key": key,
            "root": str(cache.root),
            "support": str(caches.cache().root),
            "limit": settings.cache_mb * MEGABYTE,
        }
        answer = self._worker.build(request, caches.cache(), ticket)
        if answer["kind"] == "failed":
            error = answer["error"]
            if error["type"] != "disk" or cache.temporary:
                raise _exception(error, graph)
            say(f"compiled code is forgotten when this kernel ends: {error['text']}")
            caches.use(caches.private())
            self._worker.stop()  # it keeps files in the cache, too
            return self._made(graph, ticket, caches.cache())
        entry = cache.find(key)
        if entry is None:
            raise CompileFailedError("what was compiled is not in the cache any more")
        ticket.enter("load")
        began = perf_counter()
        loaded = self._loaded(graph, entry, cache)
        if loaded is None:
            raise CompileFailedError("what was compiled cannot be loaded")
        seconds = {**answer["seconds"], "load": perf_counter() - began}
        try:
            durations(caches.cache()).add(seconds)
        except OSError as error:
            say(f"the time that compiling takes is not remembered: {error}")
        return loaded

    def _loaded(self, graph: Graph, entry: Entry, cache: Cache) -> Compiled | None:
        if entry.error is not None:
            raise _exception(entry.error, graph)
        support = caches.cache().find(stamp.support_key())
        if support is None:
            return None
        try:
            program = self._load(
                graph, entry.manifest, entry.folder, support.folder / stamp.SUPPORT
            )
        except OSError as error:
            say(f"a cache entry cannot be loaded: {error}")
            return None
        return Compiled(program, from_json(entry.manifest["aten"]), entry.key, entry.verdict)


def durations(cache: Cache) -> Durations:
    """How long compiles took, as the cache knows it."""
    return Durations(cache.root / "durations.json")


def _exception(error: Mapping[str, Any], graph: Graph) -> Exception:
    """What the worker said, as an exception about the nodes of a graph."""
    if error["type"] == "lowering":
        node = graph.by_id().get(error["node"])
        position = Position(0, 0) if node is None else node.position
        return LoweringError(position, error["op"], error["reason"])
    if error["type"] == "unbuildable":
        return UnbuildableError(error["reason"])
    return CompileFailedError(_reason(error))


def _reason(error: Mapping[str, Any]) -> str:
    """Why compiling failed, in one line.

    Examples
    --------
    >>> _reason({"type": "failure", "name": "the compiler crashed", "text": "signal 9 (Killed)"})
    'compiling failed: the compiler crashed: signal 9 (Killed)'
    """
    text = error["text"].splitlines()[0] if error["text"] else "no message"
    if error["type"] == "disk":
        return f"compiling failed: {text}"
    missing = "InvalidCxxCompiler" in error["name"] + error["text"]
    if missing or (error["name"] == "CompilerFailedError" and "No such file" in text):
        return "g++ is missing: install it to compile; NumPy runs this cell"
    return f"compiling failed: {error['name']}: {text}"
