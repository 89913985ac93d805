"""How far a compile is that somebody waits for, in phases, with an estimate."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping
from time import perf_counter

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.runtime.durations import PHASES
from jupyter_npcompile.runtime.ticket import Ticket

PATIENCE = 0.4
"""Seconds before anything is shown."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What can be shown of a compile.

    Parameters
    ----------
    phase : str
        One of `PHASES`, or empty when it has not begun.
    fraction : float
        Of the estimated time that has passed, from 0 to 1.
    elapsed, left : float
        Seconds; ``left`` is an estimate.
    over, cancelled : bool
        Whether it has ended, and whether because nobody waits any more.
    """

    phase: str
    fraction: float
    elapsed: float
    left: float
    over: bool = False
    cancelled: bool = False


def progress(
    phase: str, elapsed: float, in_phase: float, estimate: Mapping[str, float]
) -> Progress:
    """Put together how far a compile is.

    Parameters
    ----------
    phase : str
        The present phase.
    elapsed, in_phase : float
        Seconds since the beginning, and since that of the phase.
    estimate : mapping of str to float
        Seconds of each phase.

    Examples
    --------
    >>> estimate = dict.fromkeys(PHASES, 2.0)
    >>> found = progress("generate", 5.0, 1.0, estimate)
    >>> found.fraction, found.left
    (0.5, 5.0)
    """
    place = PHASES.index(phase) if phase in PHASES else 0
    done = sum(estimate[name] for name in PHASES[:place])
    if phase in PHASES:
        done += min(in_phase, estimate[phase])
    total = sum(estimate[name] for name in PHASES)
    return Progress(phase, done / total, elapsed, total - done)


Watcher = Callable[[Progress], None]

_watchers: list[tuple[Watcher, Callable[[], Mapping[str, float]]]] = []


@contextlib.contextmanager
def watched(watcher: Watcher, estimate: Callable[[], Mapping[str, float]]) -> Iterator[None]:
    """Show to somebody what is waited for meanwhile.

    Parameters
    ----------
    watcher : callable
        Is given the progress, a few times a second, in the thread that waits.
    estimate : callable
        Gives the seconds that each phase will probably take.
    """
    _watchers.append((watcher, estimate))
    try:
        yield
    finally:
        _watchers.remove((watcher, estimate))


@contextlib.contextmanager
def report(ticket: Ticket | None) -> Iterator[Callable[[], None]]:
    """Hand out a function that shows a compile to the watcher, if there is one."""
    if ticket is None or not _watchers or threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    watcher, estimates = _watchers[-1]
    estimate: dict[str, float] = {}
    shown = False

    def show() -> None:
        nonlocal shown
        now = perf_counter()
        if now - ticket.began > PATIENCE:
            estimate.update(estimate or estimates())
            shown = True
            elapsed, in_phase = now - ticket.began, now - ticket.since
            watcher(progress(ticket.phase, elapsed, in_phase, estimate))

    try:
        yield show
    finally:
        if shown:
            elapsed = perf_counter() - ticket.began
            watcher(Progress("", 1.0, elapsed, 0.0, over=True, cancelled=ticket.cancelled))
