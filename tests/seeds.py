"""Seeds of samples that are drawn anew each time, but for a landing."""

from __future__ import annotations

import os
import random
import zlib

PACKAGE = os.environ.get("NPCOMPILE_THIRD", "")
"""The state of the package, from which a landing draws: what it finds can be found again."""


def seed_of(chosen: str = "") -> int:
    """The one that was chosen, or a new one.

    Examples
    --------
    >>> seed_of("7")
    7
    """
    if chosen.isdigit():
        return int(chosen)
    return zlib.crc32(PACKAGE.encode()) if PACKAGE else random.SystemRandom().randrange(10**6)
