"""What compiled code says instead of giving a result."""

from __future__ import annotations


class CheckFailedError(Exception):
    """A check computed with the segment says that NumPy must run: it would raise."""
