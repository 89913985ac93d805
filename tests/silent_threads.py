"""Threads that were there before a test: the test runner's, which write into no array."""

from __future__ import annotations

import sys
import threading


def silent_threads() -> frozenset[int]:
    """All but the one that runs the test."""
    return frozenset(sys._current_frames()) - {threading.get_ident()}
