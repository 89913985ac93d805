"""What a process finds out once: sooner than the first recording, which would have to wait."""

from __future__ import annotations

import functools

import numpy as np

from jupyter_npcompile.runtime import stamp
from jupyter_npcompile.tracer.operations import operation


@functools.cache
def prepare() -> None:
    """Find out the names of NumPy's functions, and what generated code depends on.

    It takes some 10 ms, half of what a first run may lose to its recording.

    Raises
    ------
    OSError
        When sources of ours cannot be looked at; the cache tells, when it is used.
    """
    operation(np.add)
    stamp.versions()
