"""What of the user's runs between one cell and the next: nothing, where that is known.

Between two cells the kernel shows a value, answers the front end, and waits. Threads,
tasks and callbacks of the user's, widgets, and values that show themselves may look at
arrays then, or write into them.
"""

from __future__ import annotations

import asyncio
import functools
import sys
from typing import Any

import numpy as np
from IPython.core.interactiveshell import InteractiveShell

from jupyter_npcompile.magic.status import TARGET
from jupyter_npcompile.runtime.device.residency import is_alone

_KNOWN = ("IPython.core.", "IPython.terminal.", "ipykernel.", "zmq.", "jupyter_npcompile.")
"""Modules whose callbacks do not touch an array of the user's; extensions of IPython run code."""

_FIGURES = "matplotlib_inline."
"""Shows figures at the end of a cell, where there are any."""

_MODES = ("Plain", "Context", "Minimal", "Docs")
"""How errors may be shown: without values of variables."""

_SHOWING = frozenset({"showtraceback", "_showtraceback"})
"""Methods of a shell that show errors."""

_TARGETS = ("ipywidgets.", "ipykernel.", "comm.", "anywidget.", "jupyter_npcompile.")


class Quiet:
    """Asks a shell whose code runs before the next cell.

    Parameters
    ----------
    shell : InteractiveShell
        The shell.
    """

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell

    def is_quiet(self, shown: Any) -> bool:
        """Whether no code of the user's runs until the next execution."""
        return (
            is_alone()
            and self._shows_plainly(shown)
            and self._calls_nobody()
            and not getattr(self._shell, "active_eventloop", None)
            and _is_idle()
            and has_no_widgets()
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

    def ends_quietly(self) -> bool:
        """Whether the way from the last statement of a cell, or an error, meets nobody.

        An error may be shown with the values of variables, by a function of the
        user's, or by a debugger.
        """
        shell: Any = self._shell
        return (
            self._calls_nobody()
            and not shell.custom_exceptions
            and not shell.call_pdb
            and shell.InteractiveTB.mode in _MODES
            and all(
                _module(vars(shell)[name]).startswith(_KNOWN)
                for name in _SHOWING & vars(shell).keys()
            )
        )

    def _calls_nobody(self) -> bool:
        """Whether only callbacks and transformers that are known hear of cells."""
        shell: Any = self._shell
        transformers = (
            *shell.ast_transformers,
            *shell.input_transformers_cleanup,
            *shell.input_transformers_post,
        )
        if not all(_module(one).startswith(_KNOWN) for one in transformers):
            return False
        for callbacks in shell.events.callbacks.values():
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
    """Where a callback, or the class of an object, was written."""
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
    if not all(map(_is_harmless, waiting)):
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


def _is_harmless(waiting: Any) -> bool:
    """Whether what waits for its turn in the event loop is cancelled, or the kernel's own."""
    if not isinstance(waiting, asyncio.Handle):
        return False
    called: Any = waiting
    return waiting.cancelled() or _is_known(functools.partial(called._callback, *called._args))


def _is_known(callback: Any) -> bool:
    """Whether a callback of the event loop, and whatever it calls, is the kernel's own."""
    if callback is None:
        return True
    if isinstance(callback, functools.partial):
        parts = [callback.func, *callback.args, *callback.keywords.values()]
        return all(_is_known(part) for part in parts if callable(part))
    owner: Any = getattr(callback, "__self__", None)
    if isinstance(owner, asyncio.Task):
        return True  # tasks are looked at one by one
    function = getattr(callback, "__func__", callback)
    name = getattr(function, "__qualname__", "")
    if name == "BaseSelectorEventLoop._read_from_self":
        return True  # it wakes the loop
    if name == "IOLoop._run_callback":
        return True  # it calls its argument
    if name == "BaseAsyncIOLoop._handle_events":
        return all(_is_known(handler) for _, handler in owner.handlers.values())
    if name == "ZMQStream._handle_events":
        calls = ("_recv_callback", "_send_callback", "_close_callback")
        return all(_is_known(getattr(owner, call, None)) for call in calls)
    names = getattr(function, "__globals__", {})
    known = f"{names.get('__name__', '')}.".startswith(_KNOWN)
    cells = [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
    return known and all(_is_known(content) for content in cells if callable(content))


def has_no_widgets() -> bool:
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
