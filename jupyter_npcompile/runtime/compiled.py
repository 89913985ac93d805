"""Compiled code for the kernel process: from the cache, or made by the compile worker.

Nothing here imports torch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph import from_json, to_json
from jupyter_npcompile.graph.nodes import Graph, Position
from jupyter_npcompile.graph.sizes import general, outline
from jupyter_npcompile.runtime import cache as caches
from jupyter_npcompile.runtime import stamp
from jupyter_npcompile.runtime.anonymous import anonymous, key_of
from jupyter_npcompile.runtime.cache import Cache
from jupyter_npcompile.runtime.cache_entry import Entry
from jupyter_npcompile.runtime.compile_errors import (
    CompileFailedError,
    TakesLongError,
    UnbuildableError,
)
from jupyter_npcompile.runtime.compile_worker import CompileWorker, worker
from jupyter_npcompile.runtime.durations import Durations
from jupyter_npcompile.runtime.forms import MAX_FORMS, Form, Forms, form_key, itemsize
from jupyter_npcompile.runtime.native import torch_symbols
from jupyter_npcompile.runtime.native.compilers import WAYS
from jupyter_npcompile.runtime.native.fitting import OtherLayoutError
from jupyter_npcompile.runtime.notices import say
from jupyter_npcompile.runtime.settings import settings
from jupyter_npcompile.runtime.ticket import Ticket
from jupyter_npcompile.tracer.lowering.errors import LoweringError

TIER = "inductor"

MEGABYTE = 2**20

AT_ONCE = 400
"""Operations of which code is loaded while somebody waits: to read and to bind it takes 0.1 ms for
each."""


@dataclass(frozen=True)
class Compiled:
    """What was found or made.

    Parameters
    ----------
    program : object
        What runs the segment.
    aten, kernels : Graph
        The ATen level and that of kernels, `anonymous`.
    key : str
        Its name in the cache.
    verdict : mapping or None
        What was measured earlier: see `Entry`.
    form : Form or None
        The code that it shares with other sizes.
    is_new : bool
        Whether it was compiled just now.
    rehearsed : float
        Seconds that it took in the worker: see `native.rehearsal`; 0 where it has not run there.
    """

    program: Any
    aten: Graph
    kernels: Graph
    key: str
    verdict: Mapping[str, Any] | None = None
    form: Form | None = None
    is_new: bool = False
    rehearsed: float = 0.0


Loader = Callable[..., Any]
"""``load(graph, manifest, folder, support)`` gives what runs the segment; for code that
serves many sizes, the sizes follow, and which of them are inputs (see `program.load`)."""


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
        self.worker = worker
        self._forms = Forms()
        self._supports: dict[Path, Path] = {}

    def forget(self) -> None:
        """Forget what serves many sizes; the cache is asked again."""
        self._forms = Forms()
        self._supports.clear()

    def key(self, graph: Graph) -> str:
        """The name of its entry in a cache."""
        return stamp.entry_key(key_of(graph), TIER)

    def find(
        self, graph: Graph, *, at_once: bool = False, digest: str = "", outlined: str = ""
    ) -> Compiled | None:
        """What the cache holds for a graph, loaded; None when it must be compiled.

        Parameters
        ----------
        graph : Graph
            NumPy level.
        at_once : bool
            Whether it must not take long.
        digest, outlined : str
            Its `key_of` and its `outline`, where the caller knows them already.

        Raises
        ------
        LoweringError, UnbuildableError
            When it is known that it cannot be compiled.
        TakesLongError
            When it would take long.
        """
        if at_once and len(graph.nodes) > AT_ONCE:
            raise TakesLongError
        outlined = outlined or outline(graph, itemsize)
        found = self._instance(graph, outlined, remembered=True, at_once=at_once)
        if found is not None:
            return found
        cache = caches.cache()
        entry = cache.find(stamp.entry_key(digest or key_of(graph), TIER))
        if entry is not None:
            if at_once and entry.error is None:
                _demand_symbols(entry.manifest)
            if (loaded := self._loaded(graph, entry)) is not None:
                return loaded
        return self._instance(graph, outlined, at_once=at_once)

    def make_general(self, graph: Graph, other: Graph, ticket: Ticket) -> Compiled | None:
        """Have code for many sizes compiled, if there is none yet that serves these.

        Parameters
        ----------
        graph, other : Graph
            NumPy level; they differ in sizes only.
        ticket : Ticket
            Shows the progress; may be cancelled.

        Returns
        -------
        Compiled or None
            None where no such code serves the graph, and none is to be made.

        Raises
        ------
        LoweringError, UnbuildableError
            When it cannot be compiled.
        CompileFailedError, WorkerError
            When compiling failed.
        CancelledError
            When the ticket was cancelled.
        """
        digest = outline(graph, itemsize)
        with self._forms.lock(digest):
            found = self._instance(graph, digest)
            if found is not None:
                return found
            count = self._forms.count(digest)
            whole = general(anonymous(graph), anonymous(other), itemsize)
            if (known := self._forms.reason(digest)) is not None:
                raise _exception(known, graph)
            if whole is None or count >= MAX_FORMS:
                return None
            key = form_key(digest, count)
            content = {"graph": to_json(whole)}
            entry, seconds = self._built(graph, key, content, ticket, caches.cache())
            self._forms.add(digest, entry)
            if entry.error is not None:
                raise _exception(entry.error, graph)
            self._note_durations(seconds)
            made = self._instance(graph, digest, fresh=True)
            return made and replace(made, is_new=True)

    def _instance(
        self,
        graph: Graph,
        digest: str,
        *,
        remembered: bool = False,
        fresh: bool = False,
        at_once: bool = False,
    ) -> Compiled | None:
        """A graph as one of those that some code serves.

        Raises
        ------
        UnbuildableError
            When code that was made for it does not serve it.
        TakesLongError
            When it would take long, and must not.
        """
        forms = self._forms.known(digest, None if remembered else caches.cache())
        for form in reversed(forms):
            sizes = form.sizes(graph)
            if sizes is None or (support := self.support()) is None:
                continue
            if at_once:
                _demand_symbols(form.manifest)
            try:
                program = self._load(graph, form.manifest, form.folder, support, sizes, form.free)
            except (OSError, OtherLayoutError) as error:
                if fresh:
                    raise UnbuildableError(str(error)) from None
                if isinstance(error, OSError):
                    caches.cache().discard(form.folder, str(error))
                continue
            return Compiled(program, form.aten, form.kernels, "", None, form)
        return None

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
        content = {"graph": to_json(anonymous(graph))}
        entry, seconds = self._built(graph, self.key(graph), content, ticket, cache)
        ticket.enter("load")
        began = perf_counter()
        loaded = self._loaded(graph, entry)
        if loaded is None:
            raise CompileFailedError("what was compiled cannot be loaded")
        self._note_durations({**seconds, "load": perf_counter() - began})
        return loaded

    def _built(
        self, graph: Graph, key: str, content: Mapping[str, Any], ticket: Ticket, cache: Cache
    ) -> tuple[Entry, Mapping[str, float]]:
        try:
            return built(self.worker, key, content, ticket, cache)
        except BuildError as error:
            raise _exception(error.error, graph) from None

    def _note_durations(self, seconds: Mapping[str, float]) -> None:
        try:
            durations(caches.cache()).add(dict(seconds))
        except OSError as error:
            say(f"the time that compiling takes is not remembered: {error}")

    def support(self) -> Path | None:
        """What all compiled code needs, if it is there: every byte is looked at once."""
        root = caches.cache().root
        if not self._supports.get(root, Path()).is_file():
            found = caches.cache().find(stamp.support_key())
            if found is None:
                return None
            self._supports[root] = found.folder / stamp.SUPPORT
        return self._supports[root]

    def _loaded(self, graph: Graph, entry: Entry) -> Compiled | None:
        if entry.error is not None:
            raise _exception(entry.error, graph)
        support = self.support()
        if support is None:
            return None
        try:
            program = self._load(graph, entry.manifest, entry.folder, support)
        except OSError as error:
            caches.cache().discard(entry.folder, str(error))
            return None
        aten, kernels = (from_json(entry.manifest[level]) for level in ("aten", "kernels"))
        rehearsed = float(entry.manifest.get("rehearsed", 0.0))  # a gradient's has none
        return Compiled(program, aten, kernels, entry.key, entry.verdict, rehearsed=rehearsed)


def _demand_symbols(manifest: Mapping[str, Any]) -> None:
    """Make sure that what code needs of torch's library is there."""
    if manifest.get("torch") and not torch_symbols.are_there():
        raise TakesLongError


class BuildError(Exception):
    """The compile worker could not build something.

    Parameters
    ----------
    error : mapping
        What it said: ``type``, and what belongs to that.
    """

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(reason_of(error))
        self.error = error


def built(
    worker: CompileWorker,
    key: str,
    content: Mapping[str, Any],
    ticket: Ticket,
    cache: Cache,
) -> tuple[Entry, Mapping[str, float]]:
    """Have the worker build an entry of a cache, or of another when it cannot be written.

    Reasons that are always the same are entries too.

    Parameters
    ----------
    worker : CompileWorker
        Who builds.
    key : str
        The entry.
    content : mapping
        What is built: see `compile_job.run`.
    ticket : Ticket
        Shows the progress; may be cancelled.
    cache : Cache
        Where it goes.

    Returns
    -------
    entry : Entry
    seconds : mapping of str to float
        How long each phase took.

    Raises
    ------
    BuildError
        When the worker could not build it.
    CompileFailedError, WorkerError
        When there is no answer, or nothing in the cache.
    CancelledError
        When the ticket was cancelled.
    """
    request = {
        **content,
        "key": key,
        "root": str(cache.root),
        "support": str(caches.cache().root),
        "limit": settings.cache_mb * MEGABYTE,
    }
    answer = worker.build(request, caches.cache(), ticket)
    if answer["kind"] == "failed":
        error = answer["error"]
        known = cache.find(key)
        if known is not None:
            return known, {}
        if error["type"] != "disk" or cache.temporary:
            raise BuildError(error)
        say(f"compiled code is forgotten when this kernel ends: {error['text']}")
        caches.use(caches.private())
        worker.stop()  # it keeps files in the cache, too
        return built(worker, key, content, ticket, caches.cache())
    entry = cache.find(key)
    if entry is None:
        raise CompileFailedError("what was compiled is not in the cache any more")
    return entry, answer["seconds"]


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
    return CompileFailedError(reason_of(error))


def reason_of(error: Mapping[str, Any]) -> str:
    """Why compiling failed, in one line.

    Examples
    --------
    >>> reason_of({"type": "failure", "name": "the compiler crashed", "text": "signal 9 (Killed)"})
    'compiling failed: the compiler crashed: signal 9 (Killed)'
    """
    if "reason" in error:
        return str(error["reason"])
    text = error["text"].splitlines()[0] if error["text"] else "no message"
    if error["type"] == "disk":
        return f"compiling failed: {text}"
    if error["name"] == "CompilerMissingError":
        program = text.partition(":")[0]
        way = WAYS if program == "g++" else "install it to compile"
        return f"{program} is missing: {way}; NumPy runs this cell"
    return f"compiling failed: {error['name']}: {text}"
