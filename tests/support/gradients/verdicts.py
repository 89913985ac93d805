"""Functions whose gradients are right, or refused: never silently wrong."""

from __future__ import annotations

import contextlib
import io
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import jupyter_npcompile as npc

SEEN: list[int] = []


def programs_in(scope: Mapping[str, Any]) -> list[Callable[..., Any]]:
    """The functions of ``x`` that a module of tests has defined so far, in order."""
    return [
        value
        for value in list(scope.values())
        if isinstance(value, types.FunctionType)
        and value.__module__ == scope["__name__"]
        and value.__code__.co_varnames[: value.__code__.co_argcount] == ("x",)
    ]


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
