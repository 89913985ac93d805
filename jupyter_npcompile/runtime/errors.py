"""What compiled code, and those who make it, say instead of giving a result."""

from __future__ import annotations


class UnbuildableError(Exception):
    """A segment for which no code can be made that runs natively; that stays so."""
