"""Running NumPy during a recording: errors and warnings are breaks."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.tracer import elision
from jupyter_npcompile.tracer.breaks import Break
from jupyter_npcompile.tracer.recorder import concrete_in

if TYPE_CHECKING:
    from jupyter_npcompile.tracer.hooks import Hooks

UNINITIALISED: dict[Any, Callable[..., Any]] = {np.empty: np.zeros, np.empty_like: np.zeros_like}
"""What stands in for memory that nobody has written: it must not differ by chance."""


@contextlib.contextmanager
def python_errors(*, always: bool = False) -> Iterator[None]:
    """Turn an exception of the traced code into a break: Python itself must raise it.

    Parameters
    ----------
    always : bool
        Whether every replay would raise it: it depends on nothing but what
        is guarded.
    """
    try:
        yield
    except Exception as error:
        stop = Break("error", f"raises {type(error).__name__}: {error}")
        stop.error = error if always else None
        raise stop from error


@contextlib.contextmanager
def warnings_shown() -> Iterator[list[str]]:
    """Collect the warnings that would be shown.

    ``warnings.catch_warnings`` would make Python forget which warnings it has
    shown already, so that those in the user's loops would be shown again.
    """
    found: list[str] = []
    shown = warnings.showwarning
    globals().pop("__warningregistry__", None)
    warnings.showwarning = lambda message, *_args, **_kwargs: found.append(str(message))
    try:
        yield found
    finally:
        warnings.showwarning = shown


def evaluate(hooks: Hooks, callee: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Run NumPy on the concrete values; an error or a warning is a break.

    Parameters
    ----------
    hooks : Hooks
        Whose recorder counts the time.
    callee : callable
        NumPy's own.
    args, kwargs
        With traced values in them.
    """
    happened: list[str] = []
    modes: Any = {kind: mode if mode == "ignore" else "call" for kind, mode in np.geterr().items()}
    with (
        python_errors(),
        warnings_shown() as caught,
        np.errstate(call=lambda kind, _flag: happened.append(kind), **modes),
    ):
        values, options = concrete_in(args), concrete_in(kwargs)
        spare, hooks.recorder.spare = hooks.recorder.spare, None
        if spare is not None and type(callee) is np.ufunc and any(spare is arg for arg in args):
            options["out"] = spare.value
            elision.hand_over(spare)
        began = perf_counter()
        result = UNINITIALISED.get(callee, callee)(*values, **options)
        hooks.recorder.seconds += perf_counter() - began
    if caught:
        raise Break("error", f"NumPy warns: {caught[0]}")
    if happened:
        raise Break("error", f"NumPy warns: {happened[0]}", "np.errstate(...='ignore') silences it")
    return result
