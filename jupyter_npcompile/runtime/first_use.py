"""What a process finds out once: sooner than the first recording, which would have to wait."""

from __future__ import annotations

import functools

from jupyter_npcompile.cell import build_cell
from jupyter_npcompile.cell.factory import parsed
from jupyter_npcompile.runtime import notices, stamp

EXAMPLE = """
def smooth(x, times):
    total = 0.0
    for k in range(times):
        if x[k] > 0:
            total += x[k] * 2
        else:
            x[k] = -x[k]
    while total > 1:
        total = total / 2
    return x + total, [2 * k for k in range(3)]
a = np.linspace(0, 1, 5)
b = {"k": a[1:] ** 2}
for k in range(3):
    b["k"][0] += k
    try:
        a = np.sin(a)
    except ValueError:
        pass
with np.errstate(all="ignore"):
    c, d = smooth(a, 3)
print(f"{c.sum():.3f}")
"""
"""A cell with most kinds of statements, which never runs."""


@functools.cache
def prepare() -> None:
    """Find out what generated code depends on.

    It takes some milliseconds, a part of what a first run may lose to its recording.

    Raises
    ------
    OSError
        When sources of ours cannot be looked at; the cache tells, when it is used.
    """
    stamp.versions()
    if text := stamp.untried(stamp.torch_version()):
        notices.say(text)


def rehearse() -> None:
    """Take a cell apart: the first one would take twice as long as those after it."""
    build_cell(parsed(EXAMPLE), EXAMPLE, handle="example")
