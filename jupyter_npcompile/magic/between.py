"""From one cell to the next: copies on a device that are still good, results that wait there.

Where all that runs between two cells is known to write into no array, the next cell
may use what the last one has left on its device. Anything that is not known ends it:
an execution in between, silent ones included, threads, tasks and callbacks of the
user's, widgets, a value that shows itself. Results may even be late until the next
cell has its turn; completion and inspection, which read, have them copied back first,
and so has a kernel that nobody asks for anything.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
from collections.abc import Callable
from typing import Any

from IPython.core.interactiveshell import InteractiveShell

from jupyter_npcompile.magic.quiet import Quiet, has_no_widgets
from jupyter_npcompile.runtime.device.device import let_go_everywhere
from jupyter_npcompile.runtime.device.late import LostResultError
from jupyter_npcompile.runtime.device.residency import (
    Residency,
    distrust_subshells,
    trust_subshells,
)

PATIENCE = 0.2
"""Seconds for which results wait for the next cell: one that is in the queue takes less."""

_READERS = ("do_complete", "do_inspect")
"""Methods of the kernel that look at values for the front end."""


class Between:
    """Keeps what the last cell has on its device until the next one runs.

    Parameters
    ----------
    shell : InteractiveShell
        The shell.

    Attributes
    ----------
    quiet : Quiet
        Knows whose code runs before that.
    """

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell
        self.quiet = Quiet(shell)
        self._kept: Residency | None = None
        self._executions = 0
        self._expected = 0
        self._timer: asyncio.TimerHandle | None = None
        self._told: list[Callable[[], None]] = []
        self._kernel: Any = getattr(shell, "kernel", None)
        for name in _READERS:
            if self._kernel is not None:
                setattr(self._kernel, name, self._after_settling(getattr(self._kernel, name)))
        self._subshells_run = False
        trust_subshells(self._subshells_rest)
        self._evaluates: Any = shell.user_expressions
        shell.user_expressions = self._evaluated  # type: ignore[method-assign]

    def stop(self) -> None:
        """Forget everything, and leave the shell and its kernel as they were."""
        self._forget_aloud()
        distrust_subshells()
        atexit.unregister(self._exit)
        vars(self._shell).pop("user_expressions", None)
        for name in _READERS:
            if self._kernel is not None:
                vars(self._kernel).pop(name, None)

    def execution(self) -> None:
        """Something is about to be executed: a cell, or code that the front end sends."""
        self._executions += 1
        if threading.current_thread() is not threading.main_thread():
            self._subshells_run = True  # and may again, at any time
            let_go_everywhere()

    def _subshells_rest(self) -> bool:
        """Whether subshells run no code: only a widget's messages or an execution have them."""
        return not self._subshells_run and has_no_widgets()

    def may_wait(self) -> bool:
        """Whether results of the cell that begins may be late beyond its end.

        Somebody must be there who copies them back if no other cell comes: the
        event loop of the kernel.
        """
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return False
        return self.quiet.is_quiet(None)

    def forget(self) -> None:
        """Something may write into an array, or read one.

        Raises
        ------
        LostResultError
            When results could not be copied back.
        """
        kept, self._kept = self._kept, None
        self._stop_waiting()
        if kept is not None:
            try:
                kept.drop()
            finally:
                self._tell()

    def keep(self, copies: Residency | None, result: Any) -> None:
        """A cell has run.

        Parameters
        ----------
        copies : Residency or None
            What it has left on its device.
        result : ExecutionResult or None
            IPython's account of it.
        """
        self._forget_aloud()
        if copies is not None:
            copies.place = "after the cell"
            self._kept, self._expected = copies, self._executions + 1
            if result is None or not result.success or not self.quiet.is_quiet(result.result):
                self._forget_aloud()
            elif copies.late:
                self._wait()
        if not self.waits:
            self._tell()

    def _wait(self) -> None:
        """Have results copied back if nothing comes before, or the kernel ends."""
        self._timer = asyncio.get_running_loop().call_later(PATIENCE, self._settle)
        atexit.unregister(self._exit)
        atexit.register(self._exit)  # the last one is called first, before the user's

    @property
    def waits(self) -> bool:
        """Whether results of the last cell are late."""
        return self._timer is not None

    def when_settled(self, tell: Callable[[], None]) -> None:
        """Have a function called when they are not any more."""
        self._told.append(tell)

    def take(self, device: str) -> Residency | None:
        """What the cell that is about to run finds on its device.

        Raises
        ------
        LostResultError
            When results of the last cell could not be copied back.
        """
        kept = self._kept
        if kept is None:
            return None
        self._stop_waiting()
        fresh = self._executions == self._expected and self.quiet.is_quiet(None)
        if fresh and kept.device.name == device:
            self._kept = None
            return kept
        self.forget()
        return None

    def _stop_waiting(self) -> None:
        timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()

    def _settle(self) -> None:
        """Somebody may look now, or long enough nobody has come."""
        self._stop_waiting()
        kept = self._kept
        if kept is None:
            return
        try:
            kept.settle()
        except LostResultError as error:
            self._show(error)
        self._tell()

    def _exit(self) -> None:
        """The kernel ends while results wait: what the user has registered may look."""
        if self._kept is not None:
            self._kept.settle()

    def _forget_aloud(self) -> None:
        """The same as `forget` where no cell is there that could raise what it raises."""
        try:
            self.forget()
        except LostResultError as error:
            self._show(error)

    def _show(self, error: LostResultError) -> None:
        shell: Any = self._shell
        shell.showtraceback((type(error), error, error.__traceback__))

    def _tell(self) -> None:
        told, self._told = self._told, []
        for tell in told:
            tell()

    def _after_settling(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def settled(*arguments: Any, **keywords: Any) -> Any:
            self._settle()
            return function(*arguments, **keywords)

        return settled

    def _evaluated(self, expressions: dict[str, Any]) -> Any:
        if expressions:
            self._forget_aloud()
        return self._evaluates(expressions)
