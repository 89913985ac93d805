"""What earlier kernels found out about loops.

Where an earlier kernel has compiled the same loop, its code lies in the cache, and what it
was translated to as well (`translations`). What is noted here says whether that is worth
having at once, and how long it may take to compare it with Python. Whether code fits is found
out as ever.
"""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.runtime import cache as caches
from jupyter_npcompile.runtime import stamp
from jupyter_npcompile.runtime.cache_entry import DamagedError, read_own
from jupyter_npcompile.runtime.cache_folder import UntrustedError, write_atomically
from jupyter_npcompile.runtime.notices import say

SAVED = 2.5
"""How many times the time that the comparison costs native code must save."""

UNKNOWN = 10.0
"""How many times as long a loop must have taken in Python, where nobody knows what native code
saves: it has not run yet."""

LONGEST = 1000
"""Bytes of a note, at the most."""


@dataclass(frozen=True)
class Recollection:
    """What became of a loop.

    Parameters
    ----------
    python : float
        Seconds that it had run in Python when it was compiled, or declined.
    is_declined : bool
        Whether it has no native form.
    gain : float or None
        How many times as long Python takes as native code; None where that has not run.

    Examples
    --------
    >>> Recollection(python=0.5).gains, Recollection(python=0.5, gain=0.9).gains
    (True, False)
    """

    python: float
    is_declined: bool = False
    gain: float | None = None

    @property
    def credit(self) -> float:
        """Seconds for which to compare it with Python is worth it."""
        if self.gain is None:
            return self.python / UNKNOWN
        return self.python * (1 - 1 / max(self.gain, 1.0)) / SAVED

    @property
    def gains(self) -> bool:
        """Whether native code is faster than Python, as far as anybody knows."""
        return not self.is_declined and (self.gain is None or self.gain > 1.0)


@dataclass
class Note:
    """What is noted about a loop that has a native form.

    Parameters
    ----------
    name : str
        Its name, see `key`.
    found : Recollection
        What was found out.
    """

    name: str
    found: Recollection

    def tell(self, gain: float) -> None:
        """Native code has run: how many times as long Python takes, infinite if nobody knows."""
        if gain < float("inf") and self.found.gain is None:
            self.found = replace(self.found, gain=round(gain, 2))
            remember(self.name, self.found)


def key(*what: Any) -> str:
    """The name of a note.

    Parameters
    ----------
    *what : object
        Plain data that tell a loop from others: its text, types of names, sizes.
    """
    return stamp.digest("loop was", *what, stamp.versions())


def recall(name: str) -> Recollection | None:
    """What is known about a loop; None where nothing is, or nothing that makes sense."""
    try:
        path = _path(name)
    except OSError:
        return None  # no cache at all, which was said
    try:
        found = json.loads(read_own(path, LONGEST))
        gain = found["gain"]
        with contextlib.suppress(OSError):  # the cache may be readable only
            os.utime(path)  # a note is kept for a month after it was last used
        return Recollection(
            float(found["python"]),
            found["is_declined"] is True,
            None if gain is None else float(gain),
        )
    except FileNotFoundError:
        return None
    except (OSError, ValueError, LookupError, TypeError, UntrustedError, DamagedError):
        # To find it out again costs less than telling anybody.
        with contextlib.suppress(OSError):
            path.unlink()
        return None


def remember(name: str, found: Recollection) -> None:
    """Note what became of a loop, for later kernels."""
    try:
        write_atomically(_path(name), json.dumps(asdict(found)))
    except OSError as error:
        say(f"what was found out about a loop is not remembered: {error}")


def _path(name: str) -> Path:
    return caches.cache().loops / f"{name}.json"
