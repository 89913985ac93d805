"""Counters of what the runtime did."""

from __future__ import annotations

import weakref
from dataclasses import asdict
from typing import Protocol

from jupyter_npcompile.dataclass import dataclass


@dataclass
class Counters:
    """How often things happened since the start or the last ``clear``.

    Parameters
    ----------
    artifacts : int
        Compiled artifacts made.
    recalled : int
        Artifacts found in the cache on disk.
    recompiles : int
        Artifacts made for a region that had one for another signature.
    fallbacks : int
        Runs of a compiled segment that ended in NumPy, and failed compiles.
    replaced : int
        Compiled results that differed from NumPy's on the first run.
    recordings : int
        Dry runs.
    dispatches : int
        Runs of compiled segments.
    decisions : int
        How often times decided between NumPy and what was compiled.
    """

    artifacts: int = 0
    recalled: int = 0
    recompiles: int = 0
    fallbacks: int = 0
    replaced: int = 0
    recordings: int = 0
    dispatches: int = 0
    decisions: int = 0

    def clear(self) -> None:
        """Set every counter to zero."""
        for name in asdict(self):
            setattr(self, name, 0)


counters = Counters()


class Unsettled(Protocol):
    """Something that counts by itself."""

    def settle(self) -> None:
        """Put what it has counted into the counters."""


unsettled: weakref.WeakSet[Unsettled] = weakref.WeakSet()
"""What counts by itself."""


def stats() -> dict[str, int]:
    """Return the counters: artifacts, recompiles, fallbacks, replaced results and more.

    Returns
    -------
    dict of str to int
        Counts since this kernel began, or was cleared, by the names that `Counters` explains.

    Examples
    --------
    >>> sorted(stats())[:3]
    ['artifacts', 'decisions', 'dispatches']
    """
    for one in list(unsettled):
        one.settle()
    return asdict(counters)
