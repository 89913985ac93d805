"""Processes that do not outlive the one that needs them."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def die_with_parent(signal_number: int) -> None:
    """Get a signal when the parent process dies, where the system can do that (Linux).

    Elsewhere a process notices it by the end of its pipe.

    Parameters
    ----------
    signal_number : int
        Which.
    """
    if not sys.platform.startswith("linux"):
        return
    parent = os.getppid()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, signal_number, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    if os.getppid() != parent:  # it died just before
        os.kill(os.getpid(), signal_number)


def kill_group(group: int) -> None:
    """Kill a process and all those that it has started, if they are still there."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
