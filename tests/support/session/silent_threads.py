"""What the test runner has going in its process, which looks at no array and writes into none."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from jupyter_npcompile.runtime.device import residency


def silent_threads() -> frozenset[int]:
    """Threads that were there before a test: all but the one that runs it."""
    return frozenset(sys._current_frames()) - {threading.get_ident()}


@contextmanager
def only_tests_run() -> Iterator[None]:
    """Neither such threads nor hypothesis, which asks to be told of collections, count."""
    callbacks, before = gc.callbacks[:], residency._SILENT
    gc.callbacks.clear()
    residency._SILENT = silent_threads()
    try:
        yield
    finally:
        gc.callbacks[:] = callbacks
        residency._SILENT = before
