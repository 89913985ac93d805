"""The kernel's side of the compile worker: starts it, sends jobs, reads answers."""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
import weakref
from collections.abc import Mapping
from time import monotonic
from typing import Any

from jupyter_npcompile.forks import HAS_FORK, after_fork
from jupyter_npcompile.runtime import cache as caches
from jupyter_npcompile.runtime import first_use
from jupyter_npcompile.runtime.cache import Cache
from jupyter_npcompile.runtime.compile_errors import WorkerError
from jupyter_npcompile.runtime.deaths import Deaths
from jupyter_npcompile.runtime.messages import Message
from jupyter_npcompile.runtime.ticket import Ticket
from jupyter_npcompile.runtime.worker_link import Link

MODULE = "jupyter_npcompile.runtime.building"
"""What builds, in the worker: see `Builder`."""

LONGEST = 300.0
"""Seconds after which a compile is given up."""

NO_FORK = "this system cannot fork processes: nothing is compiled, and NumPy runs (Linux has it)"
"""What is said where there is no `os.fork`, as on Windows."""

_workers: weakref.WeakSet[CompileWorker] = weakref.WeakSet()

NICENESS = 15
"""How much the worker leaves the processors to others."""

VARIABLE = "NPCOMPILE_NICENESS"
"""The environment variable with which the user says so: 0 where all that runs is patient."""


def niceness_or(usual: int) -> int:
    """How much compile workers leave the processors to others, as the user says.

    Parameters
    ----------
    usual : int
        The answer where the environment says nothing.

    Raises
    ------
    WorkerError
        When it says something else than a whole number from 0 to 19.

    Examples
    --------
    >>> niceness_or(15) in range(20)
    True
    """
    told = os.environ.get(VARIABLE, "")
    if not told:
        return usual
    if not told.isdecimal() or int(told) > 19:
        raise WorkerError(f"{VARIABLE} is {told!r}: set a whole number from 0 to 19, or nothing")
    return int(told)


class CompileWorker:
    """The compile worker of this process, started when it is needed.

    Every method may be called from any thread. A forked process forgets the
    worker of its parent, and starts one of its own only when somebody waits
    for it: a pool of processes should not become one of compilers.

    Parameters
    ----------
    module : str
        What builds: see `Builder.of`.
    niceness : int
        How much it leaves the processors to others, unless `VARIABLE` says it.

    Attributes
    ----------
    is_fork : bool
        Whether this process was forked from the one that made it.
    """

    def __init__(self, module: str = MODULE, niceness: int = NICENESS) -> None:
        self.module = module
        self.niceness = niceness
        self._reset()
        after_fork(self._forked)
        atexit.register(self._leave)
        _workers.add(self)

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._process: Link | None = None
        self._deaths = Deaths("the compile worker")
        self.is_fork = False
        self._left = False

    def _forked(self) -> None:
        if self._process is not None:
            self._process.disown()
        self._reset()
        self.is_fork = True

    @property
    def is_running(self) -> bool:
        """Whether there is a process that has not ended."""
        process = self._process
        return process is not None and not process.ended.is_set()

    def start(self, cache: Cache) -> None:
        """Start it, if it does not run; returns at once.

        Raises
        ------
        WorkerError
            When it has ended too often within a while, or cannot be started.
        """
        self._running(cache)

    def _running(self, cache: Cache) -> Link:
        with self._lock:
            process = self._process
            if self._left:  # threads go on for a moment
                raise WorkerError("the kernel ends")
            if process is not None and process.ended.is_set() and not process.stopped:
                self._deaths.note(process.reason)
                self._process = process = None
            if trouble := self.trouble:
                raise WorkerError(trouble)
            if process is None or process.stopped:
                options = {
                    "module": self.module,
                    "root": str(cache.root),
                    "temporary": cache.temporary,
                    "parent": os.getpid(),
                }
                niceness = niceness_or(self.niceness)
                self._process = process = Link(options, niceness, lambda: LONGEST)
            return process

    def has_begun(self, timeout: float) -> bool:
        """Wait until there is a process, for some seconds at the most."""
        process = self._process
        return process is not None and process.started.wait(max(0.0, timeout))

    @property
    def trouble(self) -> str:
        """Why nothing is compiled now, and how that goes on; empty when all is well."""
        return self._deaths.trouble() if HAS_FORK else NO_FORK

    def forgive(self) -> None:
        """Have it start again, however often it has ended."""
        self._deaths.forgive()

    @property
    def pid(self) -> int | None:
        """Its process, if it runs."""
        process = self._process
        if process is None or process.ended.is_set() or not process.started.is_set():
            return None
        return process.pid

    @property
    def jobs(self) -> list[int]:
        """The processes that compile at present."""
        process = self._process
        return [] if process is None else process.groups()

    def build(self, request: Mapping[str, Any], cache: Cache, ticket: Ticket) -> Message:
        """Have something built, and wait for it.

        Parameters
        ----------
        request : mapping
            See `compile_job.run`.
        cache : Cache
            For what the worker itself needs.
        ticket : Ticket
            Shows the progress; may be cancelled.

        Returns
        -------
        dict
            With ``kind`` ``"done"`` or ``"failed"``.

        Raises
        ------
        WorkerError
            When the worker cannot be started, or dies while it works on this.
        CancelledError
            When the ticket was cancelled.
        """
        if self.is_fork and not ticket.waited:
            raise WorkerError("forked processes compile nothing by themselves")
        reason = ""
        for _ in range(2):  # whoever killed the worker need not have meant this job
            process = self._running(cache)
            answer = process.ask(request, ticket)
            if answer["kind"] != "lost":
                return answer
            if process.broken is not None and process.broken["type"] == "disk":
                return {"kind": "failed", "error": process.broken}
            reason = answer["reason"]
        raise WorkerError(reason)

    def stop(self) -> None:
        """End it; it starts again when it is needed."""
        with self._lock:
            process = self._process
        if process is not None:
            process.stop()

    def _leave(self) -> None:
        """End it for good, with this process."""
        with self._lock:
            self._left = True
        self.stop()


def warm_up(worker: CompileWorker) -> None:
    """Find out what a first cell would have to wait for, and start a worker, in the background."""

    def start() -> None:
        first_use.prepare()
        first_use.rehearse()
        _start(worker)

    threading.Thread(target=start, name="npcompile-start", daemon=True).start()


def start_soon(worker: CompileWorker, moment: float = 0.0) -> None:
    """Start a worker in the background: it takes seconds until it is ready.

    Not in a forked process, which compiles nothing by itself.

    Parameters
    ----------
    worker : CompileWorker
        Which.
    moment : float
        Seconds that the caller rests at the most, until there is a process. Threads of ours need
        Python's lock for some milliseconds, and let go of it dozens of times: beside a loop of
        the user's, which keeps it for 5 ms each time, that takes longer than to get ready.
    """
    if worker.is_fork or worker.is_running:
        return
    thread = threading.Thread(target=_start, args=(worker,), name="npcompile-start", daemon=True)
    until = monotonic() + moment
    thread.start()
    if moment:
        thread.join(moment)
        worker.has_begun(until - monotonic())


def _start(worker: CompileWorker) -> None:
    with contextlib.suppress(WorkerError, OSError):  # who asks for something is told
        worker.start(caches.cache())


def stop_all() -> None:
    """End the compile workers of this process; each starts again when it is needed."""
    for each in list(_workers):
        each.stop()


def troubles() -> list[str]:
    """Why nothing is compiled in this process, and how that goes on.

    Examples
    --------
    >>> troubles()
    []
    """
    return sorted({each.trouble for each in list(_workers)} - {""})


def forgive_all() -> None:
    """Have compile workers start again, however often they have ended."""
    for each in list(_workers):
        each.forgive()


worker = CompileWorker()
