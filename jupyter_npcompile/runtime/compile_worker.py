"""The kernel's side of the compile worker: starts it, sends jobs, reads answers."""

from __future__ import annotations

import atexit
import contextlib
import itertools
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jupyter_npcompile.runtime import cache as caches
from jupyter_npcompile.runtime import first_use
from jupyter_npcompile.runtime.cache import Cache
from jupyter_npcompile.runtime.compile_errors import CancelledError, WorkerError
from jupyter_npcompile.runtime.lifeline import kill_group
from jupyter_npcompile.runtime.messages import Inbox, Message, send
from jupyter_npcompile.runtime.ticket import Ticket

MODULE = "jupyter_npcompile.runtime.building"
"""What builds, in the worker: see `Builder`."""

LONGEST = 300.0
"""Seconds after which a compile is given up."""

MAX_DEATHS = 3
"""How often the worker may die before this kernel stops starting it."""

_workers: weakref.WeakSet[CompileWorker] = weakref.WeakSet()

NICENESS = 15
"""How much the worker leaves the processors to others."""

VARIABLE = "NPCOMPILE_NICENESS"
"""The environment variable with which the user says so: 0 where all that runs is patient."""

_START = """\
import os, sys
os.nice({niceness})
try:
    with open("/proc/self/autogroup", "w") as group:
        group.write("{niceness}")
except OSError:
    pass  # another system, or groups are made by something else
if {parent!r} not in sys.path:
    sys.path.insert(0, {parent!r})
from jupyter_npcompile.runtime.worker_process import main
main()
"""
"""The user's processes go first, from the start: to import takes longer than a cell.

Linux schedules the processes of each session as a group of their own where
``sched_autogroup_enabled`` is set, which desktops and most servers have. The worker
is a session of its own, so that its niceness alone would only order it among its own
compilers, and it would take half of a processor that the user needs. The group has a
niceness, too: see ``sched(7)``.
"""


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
    """

    def __init__(self, module: str = MODULE, niceness: int = NICENESS) -> None:
        self.module = module
        self.niceness = niceness
        self._reset()
        os.register_at_fork(after_in_child=self._forked)
        atexit.register(self.stop)
        _workers.add(self)

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._process: _Process | None = None
        self._deaths = 0
        self._is_fork = False

    def _forked(self) -> None:
        if self._process is not None:
            self._process.disown()
        self._reset()
        self._is_fork = True

    def start(self, cache: Cache) -> None:
        """Start it, if it does not run; returns at once.

        Raises
        ------
        WorkerError
            When it has died too often.
        """
        self._running(cache)

    def _running(self, cache: Cache) -> _Process:
        with self._lock:
            process = self._process
            if process is not None and process.ended.is_set() and not process.stopped:
                self._deaths += 1
                self._process = process = None
            if self._deaths >= MAX_DEATHS:
                raise WorkerError(f"the compile worker died {self._deaths} times")
            if process is None or process.stopped:
                options = {
                    "module": self.module,
                    "root": str(cache.root),
                    "temporary": cache.temporary,
                    "parent": os.getpid(),
                }
                self._process = process = _Process(options, self.niceness)
            return process

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
        if self._is_fork and not ticket.waited:
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


class _Process:
    """One worker process, from start to end."""

    def __init__(self, options: Mapping[str, Any], niceness: int) -> None:
        self.pid: int | None = None
        self.broken: Message | None = None  # why it cannot work
        self.stopped = False
        self.started = threading.Event()
        self.ended = threading.Event()
        self._options = options
        self._niceness = niceness
        self._reason = ""
        self._writing = -1
        self._reading = -1
        self._popen: subprocess.Popen[bytes] | None = None
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._send_lock = threading.Lock()
        self._answers: dict[int, queue.SimpleQueue[Message]] = {}
        self._tickets: dict[int, Ticket] = {}
        self._groups: dict[int, int] = {}
        # This thread lives as long as the worker, which asks to be told when
        # the *thread* that started it ends.
        threading.Thread(target=self._live, name="npcompile-worker", daemon=True).start()

    def groups(self) -> list[int]:
        """Process groups of the jobs that run."""
        with self._lock:
            return [] if self.ended.is_set() else list(self._groups.values())

    # -- asking

    def ask(self, request: Mapping[str, Any], ticket: Ticket) -> Message:
        """Send a job and wait for the answer."""
        self.started.wait()
        answers: queue.SimpleQueue[Message] = queue.SimpleQueue()
        with self._lock:
            number = next(self._numbers)
            self._answers[number], self._tickets[number] = answers, ticket
            if self.ended.is_set():
                answers.put({"kind": "lost", "reason": self._reason})
        ticket.when_cancelled(lambda: answers.put({"kind": "cancelled"}))
        try:
            if not ticket.cancelled:
                self._send({**request, "kind": "build", "job": number})
            answer = answers.get(timeout=LONGEST)
        except queue.Empty:
            self._send({"kind": "cancel", "job": number})
            text = f"it took more than {LONGEST:.0f} s"
            return {
                "kind": "failed",
                "error": {"type": "failure", "name": "given up", "text": text},
            }
        finally:
            with self._lock:
                del self._answers[number], self._tickets[number]
        if answer["kind"] == "cancelled":
            self._send({"kind": "cancel", "job": number})
            raise CancelledError
        return answer

    def _send(self, message: Mapping[str, Any]) -> None:
        # When the worker is gone, the thread that listens to it tells everybody.
        with self._send_lock, contextlib.suppress(OSError):
            if self._writing >= 0:
                send(self._writing, message)

    # -- the process

    def _live(self) -> None:
        """Start the process, listen to it until it ends, and tell those who wait."""
        try:
            process = self._spawn()
        except Exception as error:
            reason = f"the compile worker cannot be started: {error}"
        else:
            reason = self._until_its_end(process)
        self._close()
        self._reason = reason
        with self._lock:
            self.ended.set()
            for group in self._groups.values():
                kill_group(group)
            for answers in self._answers.values():
                answers.put({"kind": "lost", "reason": reason})
        self.started.set()

    def _spawn(self) -> subprocess.Popen[bytes]:
        parent = str(Path(__file__).parents[2])
        start = _START.format(niceness=niceness_or(self._niceness), parent=parent)
        with open(os.devnull, "wb") as nothing:
            made = subprocess.Popen(
                # -P: files beside the notebook are no modules of ours.
                [sys.executable, "-P", "-c", start, self._as_text()],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=nothing,
                start_new_session=True,
                bufsize=0,
            )
        assert made.stdin is not None
        assert made.stdout is not None
        self._popen, self.pid = made, made.pid
        self._writing, self._reading = os.dup(made.stdin.fileno()), os.dup(made.stdout.fileno())
        made.stdin.close()
        made.stdout.close()
        self.started.set()
        return made

    def _as_text(self) -> str:
        return json.dumps(self._options)

    def _until_its_end(self, process: subprocess.Popen[bytes]) -> str:
        """Listen until the process has ended; returns why it did."""
        nonsense = ""
        try:
            self._listen()
        except Exception as error:
            nonsense = f"the compile worker cannot be understood: {error!r}"
        kill_group(process.pid)  # what it ran itself, to get warm
        status = process.wait()
        if nonsense:
            return nonsense
        if self.broken is not None:
            why = ": ".join(filter(None, (self.broken.get("name"), self.broken.get("text"))))
            return f"the compile worker cannot work: {why}"
        if status < 0:
            return f"the compile worker was killed by signal {-status}"
        return f"the compile worker ended with status {status}"

    def _listen(self) -> None:
        """Pass messages on as long as any can come."""
        inbox = Inbox(self._reading)
        while (messages := inbox.read()) is not None:
            for message in messages:
                if message["kind"] == "broken":
                    self.broken = message["error"]
                self.stopped = self.stopped or message["kind"] == "idle"
                self._hear(message)

    def _hear(self, message: Message) -> None:
        number = message.get("job", 0)
        kind = message["kind"]
        with self._lock:
            if kind == "started":
                self._groups[number] = message["pid"]
            elif kind == "phase" and number in self._tickets:
                self._tickets[number].enter(message["phase"])
            elif kind == "ended":
                self._groups.pop(number, None)
            elif kind in ("done", "failed") and number in self._answers:
                self._answers[number].put(message)

    def stop(self) -> None:
        """End the process."""
        self.stopped = True
        self.started.wait(5)
        process = self._popen
        if process is None or self.ended.is_set():
            return
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        if not self.ended.wait(2):
            kill_group(process.pid)
            self.ended.wait(2)

    def _close(self) -> None:
        # Not while somebody writes: the number may soon belong to another file.
        with self._send_lock:
            for descriptor in (self._writing, self._reading):
                if descriptor >= 0:
                    os.close(descriptor)
            self._writing = self._reading = -1

    def disown(self) -> None:
        """Leave the process to the parent that this one was forked from."""
        for descriptor in (self._writing, self._reading):
            if descriptor >= 0:
                with contextlib.suppress(OSError):
                    os.close(descriptor)
        self._writing = self._reading = -1
        if self._popen is not None:
            self._popen.returncode = 0  # not ours to wait for


def warm_up(*workers: CompileWorker) -> None:
    """Start workers in the background: it takes seconds until one is ready."""

    def start() -> None:
        first_use.prepare()
        first_use.rehearse()
        for each in workers:
            each.start(caches.cache())

    threading.Thread(target=start, name="npcompile-start", daemon=True).start()


def stop_all() -> None:
    """End the compile workers of this process; each starts again when it is needed."""
    for each in list(_workers):
        each.stop()


worker = CompileWorker()
