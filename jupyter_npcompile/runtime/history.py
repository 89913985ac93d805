"""What ran last, for ``last_report``."""

from __future__ import annotations

from typing import Any

_last: list[Any] = []


def remember(subject: Any) -> None:
    """Note a cell or function that runs now."""
    _last[:] = [subject]


def last() -> Any:
    """The cell or function that ran last, or None."""
    return _last[0] if _last else None
