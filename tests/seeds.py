"""Seeds of samples that are drawn anew each time, but for a landing."""

from __future__ import annotations

import os
import random

LANDING = bool(os.environ.get("NPCOMPILE_THIRD"))
"""Whether a landing runs: what has to do with luck is found elsewhere."""


def seed_of(chosen: str = "") -> int:
    """The one that was chosen, or a new one; for a landing always the same.

    Examples
    --------
    >>> seed_of("7")
    7
    """
    if chosen.isdigit():
        return int(chosen)
    return 0 if LANDING else random.SystemRandom().randrange(10**6)
