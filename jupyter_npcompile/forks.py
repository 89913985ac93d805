"""What becomes of locks and threads in a forked process, on systems that have such."""

from __future__ import annotations

import os
from collections.abc import Callable

HAS_FORK = hasattr(os, "fork")
"""Whether processes can be forked: Windows has no such thing."""


def after_fork(function: Callable[[], object]) -> None:
    """Have a function called in each process that is forked from this one, from now on.

    Examples
    --------
    >>> lines = []
    >>> after_fork(lambda: lines.append("a child"))
    >>> lines
    []
    """
    register = getattr(os, "register_at_fork", None)
    if register is not None:
        register(after_in_child=function)
