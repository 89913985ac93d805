"""Graphviz's ``dot``, kept running: to start it takes far longer than to draw with it."""

from __future__ import annotations

import atexit
import os
import selectors
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from threading import Lock
from time import monotonic

from jupyter_npcompile.forks import after_fork

TIMEOUT = 5.0
"""Seconds that ``dot`` may take before the drawing is made without it."""

PATIENCE = 1.0
"""Seconds after which a ``dot`` that was kept running seems to wait for the end of its input."""

_END = b"</svg>\n"


class DotError(Exception):
    """Graphviz is not there, or did not draw what it was given."""


class DotProcess:
    """A ``dot`` that draws one graph after the other, whichever thread asks.

    A process that was forked from this one starts its own.

    Examples
    --------
    >>> dot = DotProcess()
    >>> count = 0 if dot.program() is None else len(dot.draw(["digraph { a }", "digraph { b }"]))
    >>> dot.close()
    >>> count in (0, 2)
    True
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._running: subprocess.Popen[bytes] | None = None
        self._lasts = os.name == "posix"  # elsewhere nothing tells whether a pipe can be read
        self._has_answered = False
        self._hangs: str | None = None
        self._before_fork: list[subprocess.Popen[bytes]] = []
        after_fork(self._forked)
        atexit.register(self.close)

    @staticmethod
    def program() -> str | None:
        """Where ``dot`` is; None where it is not installed."""
        return shutil.which("dot")

    def start(self) -> None:
        """Have it running before there is something to draw; nothing waits for that."""
        program = self.program()
        if self._lasts and program is not None:
            with suppress(OSError), self._lock:
                self._process(program)

    def draw(self, texts: Sequence[str]) -> list[str]:
        """Draw graphs.

        Parameters
        ----------
        texts : sequence of str
            One DOT graph each.

        Returns
        -------
        list of str
            An SVG document for each.

        Raises
        ------
        DotError
            If ``dot`` is missing, fails or takes too long. One that takes too long is
            not asked again.
        """
        program = self.program()
        if program is None or program == self._hangs:
            raise DotError("there is no Graphviz that draws")
        encoded = [text.encode("utf-8", "replace") + b"\n" for text in texts]
        if self._lasts:
            try:
                with self._lock:
                    return [self._answer(program, text) for text in encoded]
            except TimeoutError as error:
                if self._has_answered:
                    self._hangs = program
                    raise DotError(str(error)) from error
                self._lasts = False  # this one may read all of its input before it draws
            except OSError as error:
                raise DotError(str(error)) from error
        return [self._alone(program, text) for text in encoded]

    def close(self) -> None:
        """End the process, if there is one; the next drawing starts another."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        running, self._running = self._running, None
        if running is None:
            return
        running.kill()
        for pipe in (running.stdin, running.stdout):
            if pipe is not None:
                pipe.close()
        running.wait()

    def _forked(self) -> None:
        self._lock = Lock()
        if self._running is not None:
            # Kept, since it is no child of this process: nobody can wait for it here.
            self._before_fork.append(self._running)
            self._running = None

    def _process(self, program: str) -> subprocess.Popen[bytes]:
        running = self._running
        if running is None or running.args != [program, "-Tsvg"] or running.poll() is not None:
            self._end()
            # Its own session: an interrupt at the terminal is not for it.
            running = self._running = subprocess.Popen(
                [program, "-Tsvg"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                start_new_session=True,
            )
        return running

    def _answer(self, program: str, text: bytes) -> str:
        """What the lasting process draws; whatever goes wrong ends it."""
        drawn = None
        try:
            running = self._process(program)
            assert running.stdin is not None
            assert running.stdout is not None
            left = memoryview(text)
            while left:
                left = left[running.stdin.write(left) or 0 :]
            drawn = _read(running.stdout.fileno(), TIMEOUT if self._has_answered else PATIENCE)
            self._has_answered = True
        finally:
            if drawn is None:
                self._end()
        return drawn.decode("utf-8", "replace")

    def _alone(self, program: str, text: bytes) -> str:
        """What a process of its own draws."""
        try:
            done = subprocess.run(
                [program, "-Tsvg"], input=text, capture_output=True, timeout=TIMEOUT, check=True
            )
        except subprocess.TimeoutExpired as error:
            self._hangs = program
            raise DotError(str(error)) from error
        except (OSError, subprocess.SubprocessError) as error:
            raise DotError(str(error)) from error
        return done.stdout.decode("utf-8", "replace")


def _read(source: int, seconds: float) -> bytes:
    """A document, up to its end."""
    until = monotonic() + seconds
    found = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(source, selectors.EVENT_READ)
        while not found.endswith(_END):
            if not selector.select(max(until - monotonic(), 0)):
                raise TimeoutError("dot does not answer")
            part = os.read(source, 1 << 16)
            if not part:
                raise OSError("dot could not draw it")
            found += part
    return bytes(found)
