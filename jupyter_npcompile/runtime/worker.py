"""Runs compiles in the background: what somebody waits for first, then the newest of a kind."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Literal

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.forks import after_fork
from jupyter_npcompile.loops.courtesy import courteous, rests
from jupyter_npcompile.runtime import notices
from jupyter_npcompile.runtime.errors import first_line
from jupyter_npcompile.runtime.progress import report
from jupyter_npcompile.runtime.stats import counters
from jupyter_npcompile.runtime.ticket import Ticket

Job = Callable[[], None]

Lane = Literal["segments", "loops"]
"""Kinds of jobs that do not wait for each other: a loop is ready in a second."""

MOST = 4
"""Compiles of a kind in the background at once, on a machine with many processors."""

DELAYS: dict[Lane, float] = {"segments": 0.4, "loops": 0.05}
"""Seconds before a job in the background begins, as long as the user's code runs: of two threads
that run Python each holds up the other, and what takes a second to compile, or a loop half a
second, is of no use to code that is over before. What an earlier kernel has compiled does not
wait: see `recollections`."""

YIELDS = 10.0
"""Seconds for which segments wait for loops, at the most: most segments of a loop that runs
natively are never needed, and they take longer to compile."""

MOST_WAITING = 100
"""Jobs of a kind that wait in the background; of more, the oldest are given up."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A job that waits, what shows whether somebody still wants it, and when its time comes."""

    number: int
    job: Job
    ticket: Ticket | None
    due: float


@dataclass(eq=False)
class _Queue:
    """Jobs of a kind that wait, how many threads there are for them, and how many of these work."""

    jobs: list[_Waiting] = field(default_factory=list)
    threads: int = 0
    working: int = 0

    @property
    def is_busy(self) -> bool:
        """Whether anything is to be done."""
        return bool(self.jobs or self.working)


@dataclass(eq=False)
class _Callback:
    """What is done when certain jobs are done."""

    job: Job
    missing: set[int] = field(default_factory=set)


class Compiler:
    """Daemon threads that run compile jobs.

    The newest job goes first: it belongs to the cell that runs now, and a loop
    in it gains from what is compiled before it ends, while cells that have run
    gain only when they run again. A job that somebody waits for has a thread
    of its own, so that it need not wait for another.

    Jobs keep what goes wrong in the plan they work on; what they raise is told under the next cell.

    Parameters
    ----------
    delays : mapping of lane to float, optional
        Seconds before a job of a kind begins in the background, at the most.

    Examples
    --------
    >>> done = []
    >>> compiler = Compiler()
    >>> compiler.submit(lambda: done.append(1))
    >>> compiler.wait()
    True
    >>> done
    [1]
    """

    def __init__(self, delays: Mapping[Lane, float] | None = None) -> None:
        self._delays = delays or {}
        self._reset()
        after_fork(self._reset)

    def _reset(self) -> None:
        """Begin with nothing; so does a forked process, in which no thread is left."""
        self._queues: dict[Lane, _Queue] = {"segments": _Queue(), "loops": _Queue()}
        self._urgent = _Queue()  # holds no jobs: its threads live for those in `_waited`
        self._waited: deque[tuple[int, Job]] = deque()
        self._changed = threading.Condition()
        self._open: set[int] = set()
        self._callbacks: list[_Callback] = []
        self._number = 0

    def submit(self, job: Job, ticket: Ticket | None = None, lane: Lane = "segments") -> None:
        """Run a job later, in the background.

        Parameters
        ----------
        job : callable
            Does the work. It is not called when its ticket has been cancelled.
        ticket : Ticket, optional
            Is cancelled if so many newer jobs come that it is not worth the work.
        lane : {"segments", "loops"}
            Its kind.
        """
        queue = self._queues[lane]
        with self._changed:
            due = time.monotonic() + self._delays.get(lane, 0.0)
            queue.jobs.append(_Waiting(self._next(), job, ticket, due))
            late = _late(queue)
            if queue.threads < width():
                self._start(queue)
            self._changed.notify_all()
        for number, given_up in late:
            try:
                given_up.cancel()
            finally:
                self._finish(number)

    def run(self, job: Job, ticket: Ticket | None = None) -> None:
        """Run a job in the background and wait for it.

        Not in the caller's thread: torch leaves frames of the compile in
        reference cycles, and through them the caller's frames and arrays.

        Parameters
        ----------
        job : callable
            What to do.
        ticket : Ticket, optional
            Is cancelled when the wait is interrupted; shows the progress.

        Raises
        ------
        KeyboardInterrupt
            At once, when it comes; the job is given up.
        """
        done = threading.Event()

        def watched() -> None:
            try:
                if ticket is None or not ticket.cancelled:
                    job()
            finally:
                done.set()

        with self._changed:
            self._waited.append((self._next(), watched))
            if not self._urgent.threads:
                self._start(self._urgent)
            self._changed.notify_all()
        with report(ticket) as show:
            try:
                while not done.wait(0.1):
                    show()
            except BaseException:
                if ticket is not None:
                    ticket.cancel()
                raise

    def after(self, job: Job) -> None:
        """Do something, in the background, when all that is to be compiled now is done."""
        with self._changed:
            if self._open:
                self._callbacks.append(_Callback(job, set(self._open)))
                return
        self.submit(job)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until every job is done; False when ``timeout`` seconds were not enough."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._open, timeout)

    @property
    def pending(self) -> int:
        """How many jobs are not done."""
        return len(self._open)

    def _next(self) -> int:
        self._number += 1
        self._open.add(self._number)
        return self._number

    def _start(self, queue: _Queue) -> None:
        thread = threading.Thread(target=self._live, args=(queue,), name="npcompile", daemon=True)
        thread.start()
        # Afterwards: an interrupt before must not leave a thread that was only counted.
        queue.threads += 1

    def _live(self, queue: _Queue) -> None:
        changed = self._changed
        try:
            self._work(queue)
        finally:  # a job has raised: another thread takes its place
            with changed:
                queue.threads -= 1

    def _work(self, queue: _Queue) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waited or queue.jobs)
                urgent = self._waited.popleft() if self._waited else None
                if urgent is None and (left := self._yields(queue)) > 0:
                    self._changed.wait(left)  # and not among those who work: they share an account
                    continue
            if urgent is not None:
                self._run(*urgent)
                continue
            with courteous():
                while (left := _left(queue)) > 0 and not rests(left):
                    pass
                with self._changed:  # others may have come meanwhile, or have been given up
                    goes_on = queue.jobs and self._yields(queue) <= 0
                    newest = queue.jobs.pop() if goes_on else None
                    queue.working += newest is not None
                if newest is not None:
                    try:
                        self._run(newest.number, newest.job, newest.ticket)
                    finally:
                        with self._changed:
                            queue.working -= 1
                            self._changed.notify_all()

    def _yields(self, queue: _Queue) -> float:
        """Seconds for which jobs of a kind wait for those of another kind: the oldest decides."""
        waits = queue is self._queues["segments"] and self._queues["loops"].is_busy
        due = [job.due for job in queue.jobs] if waits else []
        return min(due) + YIELDS - time.monotonic() if due else 0.0

    def _run(self, number: int, job: Job, ticket: Ticket | None = None) -> None:
        try:
            if ticket is None or not ticket.cancelled:
                job()
        except Exception as error:  # ours: whatever it is, the user's code goes on without
            counters.fallbacks += 1
            notices.say(
                f"npcompile: something was not compiled: {type(error).__name__}: "
                f"{first_line(error)}"
            )
        finally:
            self._finish(number)

    def _finish(self, number: int) -> None:
        with self._changed:
            for callback in self._callbacks:
                callback.missing.discard(number)
            ready = [callback for callback in self._callbacks if not callback.missing]
            self._callbacks = [c for c in self._callbacks if c.missing]
        try:
            for callback in ready:
                callback.job()
        finally:
            with self._changed:
                self._open.discard(number)
                self._changed.notify_all()


def _left(queue: _Queue) -> float:
    """Seconds until the newest job is due."""
    due = [waiting.due for waiting in queue.jobs[-1:]]
    return due[0] - time.monotonic() if due else 0.0


def _late(queue: _Queue) -> list[tuple[int, Ticket]]:
    """Take the jobs that nobody wants any more from a queue, and the oldest of too many."""
    given = [(waiting.number, waiting.ticket) for waiting in queue.jobs]
    late = [(number, it) for number, it in given if it is not None and it.cancelled]
    left = [(number, it) for number, it in given if it is not None and not it.cancelled]
    late += left[: max(0, len(given) - len(late) - MOST_WAITING)]
    numbers = {number for number, _ in late}
    queue.jobs[:] = [waiting for waiting in queue.jobs if waiting.number not in numbers]
    return late


def width() -> int:
    """How many compiles of a kind run at once: half of the processors stay free."""
    return max(1, min(MOST, (os.cpu_count() or 1) // 2))


compiler = Compiler(DELAYS)
