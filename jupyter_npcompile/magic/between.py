"""From one cell to the next: copies on a device that are still good.

Between two cells the kernel shows a value, answers the front end, and waits. Where
all of that is known to write into no array, the next cell may use what the last one
has left on its device. Anything that is not known ends it: an execution in between,
silent ones included, threads, tasks and callbacks of the user's, widgets, a value
that shows itself. Completion and inspection are taken to read only.
"""

from __future__ import annotations

import asyncio
import functools
import sys
from typing import Any

import numpy as np
from IPython.core.interactiveshell import InteractiveShell

from jupyter_npcompile.magic.status import TARGET
from jupyter_npcompile.runtime.device.residency import Residency, is_alone

_KNOWN = ("IPython.", "ipykernel.", "zmq.", "jupyter_npcompile.")
"""Modules whose callbacks write into no array of the user's."""

_FIGURES = "matplotlib_inline."
"""Shows figures at the end of a cell, where there are any."""

_TARGETS = ("ipywidgets.", "ipykernel.", "comm.", "anywidget.", "jupyter_npcompile.")


class Between:
    """Keeps the copies of the last cell until the next one runs.

    Parameters
    ----------
    shell : InteractiveShell
        The shell.
    """

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell
        self._kept: Residency | None = None
        self._executions = 0
        self._expected = 0
        self._evaluates: Any = shell.user_expressions
        shell.user_expressions = self._evaluated  # type: ignore[method-assign]

    def stop(self) -> None:
        """Forget everything, and leave the shell as it was."""
        self.forget()
        vars(self._shell).pop("user_expressions", None)

    def execution(self) -> None:
        """Something is about to be executed: a cell, or code that the front end sends."""
        self._executions += 1

    def forget(self) -> None:
        """Something may have written into an array."""
        kept, self._kept = self._kept, None
        if kept is not None:
            kept.drop()

    def keep(self, copies: Residency | None, result: Any) -> None:
        """A cell has run.

        Parameters
        ----------
        copies : Residency or None
            What it has left on its device.
        result : ExecutionResult or None
            IPython's account of it.
        """
        self.forget()
        if copies is None:
            return
        if result is None or not result.success or not self._is_quiet(result.result):
            copies.drop()
            return
        self._kept, self._expected = copies, self._executions + 1

    def take(self, device: str) -> Residency | None:
        """What the cell that is about to run finds on its device."""
        kept, self._kept = self._kept, None
        if kept is None:
            return None
        fresh = self._executions == self._expected and self._is_quiet(None)
        if fresh and kept.device.name == device:
            return kept
        kept.drop()
        return None

    def _evaluated(self, expressions: dict[str, Any]) -> Any:
        if expressions:
            self.forget()
        return self._evaluates(expressions)

    def _is_quiet(self, shown: Any) -> bool:
        """Whether no code of the user's runs until the next execution."""
        return (
            is_alone()
            and self._shows_plainly(shown)
            and self._calls_nobody()
            and not getattr(self._shell, "active_eventloop", None)
            and _is_idle()
            and _has_no_widgets()
        )

    def _shows_plainly(self, value: Any) -> bool:
        """Whether a value is shown without code of the user's."""
        if value is None:
            return True
        kind = type(value)
        if kind is np.ndarray:
            plain = not value.dtype.hasobject
        else:
            plain = isinstance(value, np.number | np.bool_) and kind.__module__ == "numpy"
        formatter: Any = self._shell.display_formatter
        return (
            plain
            and np.get_printoptions()["formatter"] is None
            and all(
                _module(one.type_printers[parent]).startswith("IPython.")
                for one in formatter.formatters.values()
                for parent in kind.__mro__[:-1]
                if parent in one.type_printers
            )
        )

    def _calls_nobody(self) -> bool:
        """Whether only callbacks that are known hear of cells."""
        for callbacks in self._shell.events.callbacks.values():
            for callback in callbacks:
                module = _module(callback)
                if module.startswith(_FIGURES):
                    pyplot = sys.modules.get("matplotlib.pyplot")
                    if pyplot is not None and pyplot.get_fignums():
                        return False
                elif not module.startswith(_KNOWN):
                    return False
        return True


def _module(callback: Any) -> str:
    """Where a callback was written."""
    while isinstance(callback, functools.partial):
        callback = callback.func
    return f"{getattr(callback, '__module__', None) or ''}."


def _is_idle() -> bool:
    """Whether the event loop has nothing of the user's to do."""
    try:
        loop: Any = asyncio.get_running_loop()
    except RuntimeError:
        return True
    waiting = [*getattr(loop, "_ready", [None]), *getattr(loop, "_scheduled", [None])]
    if waiting:
        return False
    for task in asyncio.all_tasks(loop):
        code: Any = getattr(task.get_coro(), "cr_frame", None)
        module = "" if code is None else str(code.f_globals.get("__name__", ""))
        if not f"{module}.".startswith(_KNOWN):
            return False
    selector = getattr(loop, "_selector", None)
    watched = None if selector is None else selector.get_map()
    if watched is None:
        return False
    handles = [handle for key in watched.values() for handle in key.data if handle is not None]
    return all(_is_known(handle._callback) for handle in handles)


def _is_known(callback: Any) -> bool:
    """Whether a callback of the event loop, and whatever it calls, is the kernel's own."""
    if callback is None:
        return True
    if isinstance(callback, functools.partial):
        parts = [callback.func, *callback.args, *callback.keywords.values()]
        return all(_is_known(part) for part in parts if callable(part))
    owner: Any = getattr(callback, "__self__", None)
    function = getattr(callback, "__func__", callback)
    name = getattr(function, "__qualname__", "")
    if name == "BaseSelectorEventLoop._read_from_self":
        return True  # it wakes the loop
    if name == "BaseAsyncIOLoop._handle_events":
        return all(_is_known(handler) for _, handler in owner.handlers.values())
    if name == "ZMQStream._handle_events":
        calls = ("_recv_callback", "_send_callback", "_close_callback")
        return all(_is_known(getattr(owner, call, None)) for call in calls)
    names = getattr(function, "__globals__", {})
    known = f"{names.get('__name__', '')}.".startswith(_KNOWN)
    cells = [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
    return known and all(_is_known(content) for content in cells if callable(content))


def _has_no_widgets() -> bool:
    """Whether no widget of the user's can call back."""
    comm = sys.modules.get("comm")
    if comm is None:
        return True
    manager = comm.get_comm_manager()
    targets = getattr(manager, "targets", {})
    comms = getattr(manager, "comms", {}).values()
    return all(one.target_name == TARGET for one in comms) and all(
        _module(target).startswith(_TARGETS) for target in targets.values()
    )
