"""Why nothing was compiled."""

from __future__ import annotations


class UnbuildableError(Exception):
    """A segment for which no code can be made that runs natively; that stays so."""


class CompileFailedError(Exception):
    """Compiling failed this time; the message says why, for the person at the notebook."""


class WorkerError(CompileFailedError):
    """There is no compile worker; the message says why."""


class CancelledError(Exception):
    """Nobody wants the result any more."""


class TakesLongError(Exception):
    """Code is there, but to load it would hold up who asks: a thread in the background can."""
