"""Which examples are drawn: the same each time, or by the seed of ``make fuzz``."""

from __future__ import annotations

import os

VARIABLE = "NPCOMPILE_SEED"

FUZZING = bool(os.environ.get(VARIABLE))
"""Whether examples are drawn anew."""

SEED = int(os.environ.get(VARIABLE) or 0)
"""By what tests with the marker `drawn` draw their examples; hypothesis has it, too."""


def seeds(count: int) -> range:
    """Seeds that no other `SEED` has.

    Examples
    --------
    >>> len(seeds(40))
    40
    """
    return range(SEED * 1000, SEED * 1000 + count)
