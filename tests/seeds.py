"""Seeds of samples that are drawn anew each time, but for a landing."""

from __future__ import annotations

import os
import random


def seed_of(chosen: str = "") -> int:
    """The one that was chosen, or a new one; for a landing always the same.

    What has to do with luck is found elsewhere.

    Examples
    --------
    >>> seed_of("7")
    7
    """
    if chosen.isdigit():
        return int(chosen)
    return 0 if os.environ.get("CI") else random.SystemRandom().randrange(10**6)
