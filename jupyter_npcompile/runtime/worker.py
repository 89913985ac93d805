"""Compiles in the background, one at a time, in the order of the requests."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable


class Compiler:
    """A daemon thread that runs compile jobs.

    Jobs must not raise: they keep what went wrong in the plan they work on.

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

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._idle = threading.Condition()
        self._open = 0
        self._thread: threading.Thread | None = None

    def submit(self, job: Callable[[], None]) -> None:
        """Run a job later, in the background."""
        with self._idle:
            self._open += 1
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._work, name="npcompile", daemon=True)
                self._thread.start()
        self._jobs.put(job)

    def run(self, job: Callable[[], None]) -> None:
        """Run a job in the background and wait for it.

        Not in the caller's thread: torch leaves frames of the compile in
        reference cycles, and through them the caller's frames and arrays.
        """
        done = threading.Event()

        def watched() -> None:
            try:
                job()
            finally:
                done.set()

        self.submit(watched)
        done.wait()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until every job is done; False when ``timeout`` seconds were not enough."""
        with self._idle:
            return self._idle.wait_for(lambda: self._open == 0, timeout)

    @property
    def pending(self) -> int:
        """How many jobs are not done."""
        return self._open

    def _work(self) -> None:
        while True:
            job = self._jobs.get()
            try:
                job()
            finally:
                with self._idle:
                    self._open -= 1
                    self._idle.notify_all()


compiler = Compiler()
