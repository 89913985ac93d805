"""Lines for the user about what surrounds compiling: each is said once."""

from __future__ import annotations

import threading

from jupyter_npcompile.forks import after_fork

_lock = threading.Lock()
_said: set[str] = set()
_waiting: list[str] = []


def _forked() -> None:
    """A thread that another process has may have held the lock."""
    global _lock
    _lock = threading.Lock()


after_fork(_forked)


def say(text: str) -> None:
    """Have a line shown under the next cell, unless it has been shown before.

    Parameters
    ----------
    text : str
        One line.

    Examples
    --------
    >>> say("no cache: the disk is full")
    >>> say("no cache: the disk is full")
    >>> take()
    ['no cache: the disk is full']
    >>> forget()
    """
    with _lock:
        if text not in _said:
            _said.add(text)
            _waiting.append(text)


def take() -> list[str]:
    """The lines that have not been shown; afterwards they have."""
    with _lock:
        lines = _waiting[:]
        _waiting.clear()
    return lines


def forget() -> None:
    """Let everything be said again."""
    with _lock:
        _said.clear()
        _waiting.clear()
