"""Running NumPy during a recording: errors and warnings are breaks."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.forks import after_fork
from jupyter_npcompile.tracer import elision
from jupyter_npcompile.tracer.attribution import attributed
from jupyter_npcompile.tracer.breaks import Break
from jupyter_npcompile.tracer.nested import concrete_in

if TYPE_CHECKING:
    from jupyter_npcompile.tracer.hooks import Hooks

UNINITIALISED: dict[Any, Callable[..., Any]] = {np.empty: np.zeros, np.empty_like: np.zeros_like}
"""What stands in for memory that nobody has written: it must not differ by chance."""


ASKS = (np.isclose, np.allclose)
"""Functions that ask for the error state themselves, and warn as it says."""


class PythonErrors:
    """Turns an exception of the traced code into a break: Python itself must raise it.

    A class, for it is entered at each operation, and a generator takes three times as long.

    Parameters
    ----------
    always : bool
        Whether every replay would raise it: it depends on nothing but what
        is guarded.
    """

    __slots__ = ("always",)

    def __init__(self, *, always: bool = False) -> None:
        self.always = always

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception):
            stop = Break("error", f"raises {type(error).__name__}: {error}")
            stop.error = error if self.always else None
            raise stop from error


class _Shown:
    """Collects warnings, for each thread its own; those of other threads are shown as ever."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: dict[int, list[list[str]]] = {}
        self._show: Callable[..., Any] = warnings.showwarning

    def begin(self) -> list[str]:
        """From now on, warnings of this thread are not shown."""
        with self._lock:
            found: list[str] = []
            self._found.setdefault(threading.get_ident(), []).append(found)
            if warnings.showwarning != self.hear:
                self._show = warnings.showwarning
                warnings.showwarning = self.hear
            return found

    def end(self) -> None:
        """They are again."""
        with self._lock:
            every = self._found[threading.get_ident()]
            every.pop()
            if not every:
                del self._found[threading.get_ident()]
            if not self._found and warnings.showwarning == self.hear:
                warnings.showwarning = self._show

    def hear(self, message: Any, *args: Any, **kwargs: Any) -> None:
        """Stands in for ``warnings.showwarning``."""
        every = self._found.get(threading.get_ident())
        if every:
            every[-1].append(str(message))
        else:
            self._show(message, *args, **kwargs)

    def forked(self) -> None:
        """Only the thread that has forked is left."""
        self._lock = threading.Lock()
        self._found = {k: v for k, v in self._found.items() if k == threading.get_ident()}


_shown = _Shown()
after_fork(_shown.forked)


class WarningsShown:
    """Collects the warnings of this thread that would be shown.

    ``warnings.catch_warnings`` would make Python forget which warnings it has
    shown already, so that those in the user's loops would be shown again, and
    would keep those of other threads from being shown.
    """

    __slots__ = ()

    def __enter__(self) -> list[str]:
        globals().pop("__warningregistry__", None)
        return _shown.begin()

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        _shown.end()


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
    if hooks.recorder.tolerant:
        values, options = concrete_in(args), concrete_in(kwargs)
        began = perf_counter()
        result = attributed(UNINITIALISED.get(callee, callee), values, options)
        hooks.recorder.seconds += perf_counter() - began
        return result
    happened: list[str] = []
    modes: Any = {kind: mode if mode == "ignore" else "call" for kind, mode in np.geterr().items()}
    if callee in ASKS:
        modes = {}
    with (
        PythonErrors(),
        WarningsShown() as caught,
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
