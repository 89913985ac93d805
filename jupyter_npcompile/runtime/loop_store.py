"""Native loops for the kernel process: from memory, from the cache, or made by the worker."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jupyter_npcompile.loops.library import linear_algebra
from jupyter_npcompile.runtime import cache as caches
from jupyter_npcompile.runtime import stamp
from jupyter_npcompile.runtime.compile_errors import CompileFailedError
from jupyter_npcompile.runtime.compile_worker import CompileWorker
from jupyter_npcompile.runtime.compiled import BuildError, built
from jupyter_npcompile.runtime.native.gxx import LIBRARY
from jupyter_npcompile.runtime.own_library import checked
from jupyter_npcompile.runtime.ticket import Ticket

CALLS = Path(__file__).with_name("native") / "calls.cpp"
"""What calls a whole function without Python, see `shortcut`; it is compiled like a loop."""

Run = Callable[..., Any]
"""``run(count, *arguments)``: see `jupyter_npcompile.loops.program`."""

NICENESS = 8
"""A loop may still run when its code is there, so the compiler of segments lets it go first."""

worker = CompileWorker("jupyter_npcompile.runtime.loop_building", NICENESS)
"""Compiles loops. It has no torch, so it is ready at once."""


@functools.cache
def _calls_source() -> str:
    return CALLS.read_text()


class LoopStore:
    """Finds native loops and has them made.

    Parameters
    ----------
    worker : CompileWorker
        Builds.
    """

    def __init__(self, worker: CompileWorker = worker) -> None:
        self.worker = worker
        self._loaded: dict[str, Run] = {}

    def find(self, source: str) -> Run | None:
        """The function of a loop that was compiled before, loaded; None when it was not."""
        key = self._key(source)
        if key in self._loaded:
            return self._loaded[key]
        entry = caches.cache().find(key)
        if entry is None or entry.error is not None:
            return None
        try:
            return self._load(key, entry.folder)
        except OSError as error:
            caches.cache().discard(entry.folder, str(error))
            return None

    def make(self, source: str, ticket: Ticket) -> Run:
        """Have a loop compiled, and wait for it.

        Raises
        ------
        CompileFailedError, WorkerError
            When that failed.
        CancelledError
            When the ticket was cancelled.
        OSError
            When it cannot be loaded.
        """
        found = self.find(source)
        if found is not None:
            return found
        key = self._key(source)
        content = {"loop": source}
        try:
            entry, _ = built(self.worker, key, content, ticket, caches.cache())
        except BuildError as error:
            raise CompileFailedError(str(error)) from None
        if entry.error is not None:
            raise CompileFailedError(str(entry.error.get("reason", entry.error)))
        return self._load(key, entry.folder)

    def calls(self) -> Run | None:
        """What makes shortcuts to whole functions, if it lies in the cache."""
        return self.find(_calls_source())

    def make_calls(self, ticket: Ticket) -> Run:
        """Have it compiled, once for a machine.

        Raises
        ------
        CompileFailedError, WorkerError, CancelledError, OSError
            As for a loop.
        """
        return self.make(_calls_source(), ticket)

    def _key(self, source: str) -> str:
        return stamp.digest("loop", source, stamp.versions(), stamp.cxx())

    def _load(self, key: str, folder: Path) -> Run:
        with checked(folder / LIBRARY) as name:
            library = ctypes.PyDLL(name)
        library.npcompile_loop.restype = ctypes.py_object
        run: Run = library.npcompile_loop()
        fill(library)
        self._loaded[key] = run
        return run

    def clear(self) -> None:
        """Forget what is loaded."""
        self._loaded.clear()


def fill(library: ctypes.CDLL) -> None:
    """Tell native code where the linear algebra is that NumPy calls, if it calls any."""
    if hasattr(library, linear_algebra.TABLE):
        known = linear_algebra.addresses()
        table = (ctypes.c_void_p * len(known)).in_dll(library, linear_algebra.TABLE)
        table[:] = list(known)


store = LoopStore()
"""Where native loops come from."""
