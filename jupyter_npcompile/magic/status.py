"""What the status bar of JupyterLab shows: device, compiles in progress, cache.

It travels over a comm that changes nothing in the notebook. The kernel has it
ready and tells nobody: a front end that knows of it finds it by its target and
asks, others have nothing to complain about.
"""

from __future__ import annotations

import threading
from typing import Any

from comm import create_comm, get_comm_manager

from jupyter_npcompile.runtime import cache as caches
from jupyter_npcompile.runtime.worker import Compiler, compiler

TARGET = "npcompile.status"
"""What the front end knows the comm by."""

SECONDS = 0.5
"""How often is looked while a cell runs or something compiles."""


class StatusComm:
    """Tells the front end what the compiler does.

    A thread looks at it twice a second while a cell runs or something is being
    compiled, and sends what has changed. Otherwise it sleeps.

    Parameters
    ----------
    work : Compiler
        Whose jobs are counted.
    """

    def __init__(self, work: Compiler = compiler) -> None:
        self._compiler = work
        self._device = "cpu"
        self._ahead = False
        self._running = False
        self._ended = False
        self._wake = threading.Event()
        self._cache_bytes: int | None = None
        self._asked = False
        self._sent: dict[str, Any] = {}
        # Not the primary side: it is not announced.
        self._comm: Any = create_comm(target_name=TARGET, primary=False)
        self._comm.on_msg(self._ask)
        get_comm_manager().register_comm(self._comm)
        self._thread = threading.Thread(target=self._watch, name="npcompile status", daemon=True)
        self._thread.start()

    def begin(self, device: str, *, ahead: bool) -> None:
        """A cell that is compiled begins to run."""
        self._device, self._ahead, self._running = device, ahead, True
        self._wake.set()

    def end(self) -> None:
        """No such cell runs any more."""
        self._running = False

    def close(self) -> None:
        """Take it away from the status bar."""
        self._ended = True
        self._wake.set()
        self._thread.join()
        self._comm.close()

    def _watch(self) -> None:
        while not self._ended:
            self._wake.wait()
            self._wake.clear()
            while not self._ended:
                busy = self._running or self._compiler.pending > 0
                if not busy:  # nobody waits for this
                    self._cache_bytes = caches.cache().contents().bytes
                state = self._state()
                if self._asked and state != self._sent:
                    self._sent = state
                    self._comm.send(state)
                if not busy or self._wake.wait(SECONDS):
                    break

    def _ask(self, message: object) -> None:
        """A page asks; whatever changes later is told without being asked."""
        self._asked, self._sent = True, {}
        self._wake.set()

    def _state(self) -> dict[str, Any]:
        pending = self._compiler.pending
        return {
            "device": self._device,
            "pending": pending,
            "waiting": self._running and self._ahead and pending > 0,
            "cache_bytes": self._cache_bytes,
        }
