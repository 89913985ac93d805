"""The progress bar under a cell that waits for the compiler."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display

from jupyter_npcompile.runtime import cache as caches
from jupyter_npcompile.runtime.compiled import durations
from jupyter_npcompile.runtime.progress import Progress, watched
from jupyter_npcompile.views.progress import progress_html, progress_text


class WaitingBar:
    """Shows a compile: in a notebook in one place that changes, in a terminal in one line.

    Parameters
    ----------
    shell : InteractiveShell
        Where.
    """

    def __init__(self, shell: InteractiveShell) -> None:
        self._terminal = is_terminal(shell)
        self._handle: Any = None
        self._before = 0.0  # seconds of compiles that are over

    def __call__(self, progress: Progress) -> None:
        """Show how far it is."""
        if progress.over:
            self._before += progress.elapsed
            progress = replace(progress, elapsed=self._before)
        if self._terminal:
            self._write(progress)
            return
        bundle = {"text/plain": progress_text(progress), "text/html": progress_html(progress)}
        if self._handle is None:
            self._handle = display(bundle, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        else:
            self._handle.update(bundle, raw=True)

    def _write(self, progress: Progress) -> None:
        if sys.stderr.isatty():
            text = "" if progress.over else progress_text(progress)
            sys.stderr.write(f"\r{text:<78}" + ("\r" if progress.over else ""))
            sys.stderr.flush()


def is_terminal(shell: InteractiveShell) -> bool:
    """Whether a shell is one in a terminal. A kernel does not import that, which takes time."""
    terminal = sys.modules.get("IPython.terminal.interactiveshell")
    return terminal is not None and isinstance(shell, terminal.TerminalInteractiveShell)


@contextlib.contextmanager
def waiting_bar(shell: InteractiveShell) -> Iterator[None]:
    """Show a bar whenever the main thread waits for a compile meanwhile."""
    with watched(WaitingBar(shell), lambda: durations(caches.cache()).estimate()):
        yield
