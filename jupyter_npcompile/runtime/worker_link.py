"""One worker process as the kernel sees it: the pipes to it, and whether it still answers."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import queue
import secrets
import select
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from jupyter_npcompile.runtime import stamp
from jupyter_npcompile.runtime.compile_errors import CancelledError
from jupyter_npcompile.runtime.lifeline import is_stopped, kill_group
from jupyter_npcompile.runtime.messages import Inbox, Message, send
from jupyter_npcompile.runtime.ticket import Ticket

SILENCE = 20.0
"""Seconds without a word after which a worker that has something to do is taken to hang. It answers
in a millisecond: jobs are processes of their own."""

BEATS = 10
"""How often it is asked in that time whether it is there. What counts is how often, not the time:
this process may have been stopped meanwhile itself."""

STARTING = 1200.0
"""Seconds that it has to get ready: to import torch takes seconds, on a busy machine minutes."""

GOING = 2.0
"""Seconds that a process has to end by itself."""

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


class Link:
    """One worker process, from start to end.

    Parameters
    ----------
    options : mapping
        What it is told: see `worker_process.main`.
    niceness : int
        How much it leaves the processors to others.
    longest : callable
        Seconds that a job may take.
    """

    def __init__(
        self, options: Mapping[str, Any], niceness: int, longest: Callable[[], float]
    ) -> None:
        self.pid: int | None = None
        self.broken: Message | None = None  # why it cannot work
        self.stopped = False
        self.started = threading.Event()
        self.ended = threading.Event()
        self._name = secrets.token_hex(8)
        self._options = {**options, "name": self._name}
        self._niceness = niceness
        self._longest = longest
        self._is_ready = False
        self.reason = ""  # why it has ended
        self._writing = -1
        self._reading = -1
        self._lifeline = -1
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
        longest = self._longest()
        if not self.started.wait(longest):
            return given_up(longest)
        answers: queue.SimpleQueue[Message] = queue.SimpleQueue()
        with self._lock:
            number = next(self._numbers)
            self._answers[number], self._tickets[number] = answers, ticket
            if self.ended.is_set():
                answers.put({"kind": "lost", "reason": self.reason})
        ticket.when_cancelled(lambda: answers.put({"kind": "cancelled"}))
        try:
            if not ticket.cancelled:
                self._send({**request, "kind": "build", "job": number})
            answer = self._answer(answers, longest)
        finally:
            with self._lock:
                del self._answers[number], self._tickets[number]
        if answer["kind"] in ("cancelled", "given up"):
            self._send({"kind": "cancel", "job": number})
        if answer["kind"] == "cancelled":
            raise CancelledError
        return given_up(longest) if answer["kind"] == "given up" else answer

    def _answer(self, answers: queue.SimpleQueue[Message], longest: float) -> Message:
        """Wait for an answer; the time in which the worker gets ready is none of the job's."""
        while True:
            counts = self._is_ready
            with contextlib.suppress(queue.Empty):
                return answers.get(timeout=longest)
            if counts:
                return {"kind": "given up"}

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
        self.reason = reason
        with self._lock:
            self.ended.set()
            for group in self._groups.values():
                kill_group(group)
        for folder in Path(self._options["root"], "jobs").glob(f"{self._name}-*"):
            shutil.rmtree(folder, ignore_errors=True)  # it was killed
        with self._lock:
            for answers in self._answers.values():
                answers.put({"kind": "lost", "reason": reason})
        self.started.set()

    def _spawn(self) -> subprocess.Popen[bytes]:
        parent = str(Path(__file__).parents[2])
        start = _START.format(niceness=self._niceness, parent=parent)
        self._lifeline, held = os.pipe()
        self._options["lifeline"] = held
        self._options["compiler"] = stamp.compiler_key()
        with open(os.devnull, "wb") as nothing, os.fdopen(held, "wb"):
            made = subprocess.Popen(
                # -P: files beside the notebook are no modules of ours.
                [sys.executable, "-P", "-c", start, self._as_text()],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=nothing,
                start_new_session=True,
                pass_fds=[held],
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
        try:
            reason = self._listen()
        except Exception as error:
            reason = f"the compile worker cannot be understood: {error!r}"
        kill_group(process.pid)  # what it ran itself, to get warm
        try:
            status = process.wait(GOING if reason else None)
        except subprocess.TimeoutExpired:
            return reason  # the system does not let go of it
        if reason:
            return reason
        if self.broken is not None:
            why = ": ".join(filter(None, (self.broken.get("name"), self.broken.get("text"))))
            return f"the compile worker cannot work: {why}"
        if status < 0:
            return (
                f"the compile worker was killed by signal {-status} ({signal.strsignal(-status)})"
            )
        return f"the compile worker ended with status {status}"

    def _listen(self) -> str:
        """Pass messages on as long as any can come; returns why no more are waited for."""
        inbox = Inbox(self._reading)
        arrival = select.poll()
        arrival.register(self._reading, select.POLLIN)
        silent = 0
        starting = 0.0
        while True:
            patience = min(SILENCE, self._longest() / 2)
            if not arrival.poll(1e3 * patience / BEATS):
                silent = silent + 1 if self._owes() else 0
                starting += 0.0 if self._is_ready else patience / BEATS
                if silent >= BEATS:
                    return f"the compile worker did not answer for {patience:.3g} s"
                if starting >= STARTING:
                    return f"the compile worker was not ready after {STARTING:.3g} s"
                if silent:
                    self._ping()
                continue
            silent = 0
            messages = inbox.read()
            if messages is None:
                return ""
            for message in messages:
                self._is_ready = self._is_ready or message["kind"] == "ready"
                if message["kind"] == "broken":
                    self.broken = message["error"]
                self.stopped = self.stopped or message["kind"] == "idle"
                self._hear(message)

    def _owes(self) -> bool:
        """Whether it should say something: an answer, or that a job has ended."""
        if not self._is_ready:
            return self.pid is not None and is_stopped(self.pid)
        with self._lock:
            return bool(self._answers or self._groups)

    def _ping(self) -> None:
        """Have it say that it is there, unless a message is on its way, or the pipe is full."""
        if not self._send_lock.acquire(blocking=False):
            return
        try:
            room = select.poll()
            room.register(self._writing, select.POLLOUT)
            if room.poll(0):  # for a small message: see pipe(7)
                with contextlib.suppress(OSError):
                    send(self._writing, {"kind": "ping"})
        finally:
            self._send_lock.release()

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
            process.send_signal(signal.SIGCONT)  # it may have been stopped
        if not self.ended.wait(GOING):
            kill_group(process.pid)
            self.ended.wait(GOING)

    def _close(self) -> None:
        # Not while somebody writes: the number may soon belong to another file.
        with self._send_lock:
            self._close_pipes()

    def disown(self) -> None:
        """Leave the process to the parent that this one was forked from."""
        self._close_pipes()
        if self._popen is not None:
            self._popen.returncode = 0  # not ours to wait for

    def _close_pipes(self) -> None:
        for descriptor in (self._writing, self._reading, self._lifeline):
            if descriptor >= 0:
                with contextlib.suppress(OSError):
                    os.close(descriptor)
        self._writing = self._reading = self._lifeline = -1


def given_up(seconds: float) -> Message:
    """The answer when there was none in time.

    Examples
    --------
    >>> given_up(300.0)["error"]["text"]
    'it took more than 300 s'
    """
    text = f"it took more than {seconds:.0f} s"
    return {"kind": "failed", "error": {"type": "failure", "name": "given up", "text": text}}
