"""Functions of three numbers whose gradients are right, or refused: never silently wrong."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from typing import Any

import numpy as np

import jupyter_npcompile as npc

SEEN: list[int] = []


def acting(f: Callable[..., Any]) -> Callable[..., Any]:
    """The same function with an effect, so that it cannot be run again to check it."""

    def run(x: Any) -> Any:
        SEEN.append(1)
        return f(x)

    return run


def slopes(f: Callable[..., Any], x: Any) -> Any:
    """Central differences."""
    found = np.zeros(x.size)
    for k in range(x.size):
        step = np.zeros(x.size)
        step[k] = 1e-6
        with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
            found[k] = (float(f(x + step)) - float(f(x - step))) / 2e-6
    return found


def verdict(f: Callable[..., Any], x: Any) -> str:
    """``"right"``, ``"refused"``, or what is wrong."""
    wanted, refused = slopes(f, x), 0
    for function in (f, acting(f)):
        try:
            found = npc.grad(function)(x.copy())
        except npc.GradientError as error:
            if "is not the derivative" in str(error):
                return f"only the check has seen it: {error}"
            if not (error.line and error.reason and error.hint):
                return f"it does not say why: {error}"
            refused += 1
            continue
        size = max(1.0, float(np.abs(wanted).max()))
        if not np.allclose(found, wanted, rtol=1e-4, atol=1e-5 * size):
            return f"{found} instead of {wanted}"
    return {0: "right", 2: "refused"}.get(refused, "refused only where it acts")
