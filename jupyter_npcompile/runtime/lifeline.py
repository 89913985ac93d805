"""Processes that do not outlive the one that needs them."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def die_with_parent(signal_number: int, parent: int) -> None:
    """Get a signal when the parent process dies, where the system can do that (Linux).

    Elsewhere a process notices it by the end of its pipe.

    Parameters
    ----------
    signal_number : int
        Which.
    parent : int
        The parent, as it was known before this process began.
    """
    if sys.platform.startswith("linux"):
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(_PR_SET_PDEATHSIG, signal_number, 0, 0, 0) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
    if os.getppid() != parent:  # it has died already
        os.kill(os.getpid(), signal_number)


def go_on_with_reader_gone(descriptor: int) -> None:
    """Go on when nobody reads a pipe any more, if this process is stopped then (Linux).

    One that was stopped hears of nothing else, not even of the signal of `die_with_parent`.

    Parameters
    ----------
    descriptor : int
        Where the pipe is written, by nobody: this process would go on when what it said is read.
    """
    os.set_inheritable(descriptor, False)
    if not sys.platform.startswith("linux"):
        return
    import fcntl  # not on every system

    fcntl.fcntl(descriptor, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGCONT)
    fcntl.fcntl(descriptor, fcntl.F_SETFL, fcntl.fcntl(descriptor, fcntl.F_GETFL) | os.O_ASYNC)


def is_stopped(pid: int) -> bool:
    """Whether a process was stopped and does not go on by itself, where that can be told (Linux).

    Examples
    --------
    >>> is_stopped(os.getpid())
    False
    """
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] == "T"
    except OSError:
        return False


def kill_group(group: int) -> None:
    """Kill a process and all those that it has started, if they are still there."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
