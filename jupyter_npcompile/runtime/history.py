"""What ran last, for ``last_report``, and what was explained since, for the views."""

from __future__ import annotations

from typing import Any

_last: list[Any] = []
_explained: list[Any] = []


def remember(subject: Any) -> None:
    """Note a cell or function that runs now."""
    _last[:] = [subject]
    _explained.clear()


def is_last(subject: Any) -> bool:
    """Whether something ran last, and nothing was explained since."""
    return bool(_last) and _last[0] is subject and not _explained


def watched() -> tuple[list[Any], list[Any]]:
    """What ran last, and what was explained since: for `shortcut`, which looks there itself."""
    return _last, _explained


def last() -> Any:
    """The cell or function that ran last, or None."""
    return _last[0] if _last else None


def explained(subject: Any, before: Any) -> None:
    """Note what somebody asked about; what had run last before, did not run again.

    Examples
    --------
    >>> known = last()
    >>> explained("a function", known)
    >>> latest(), last() is known
    ('a function', True)
    >>> remember(known)
    >>> latest() is known
    True
    """
    remember(before)
    _explained[:] = [subject]


def latest() -> Any:
    """What views are about: what was explained since anything ran, or what ran last."""
    return _explained[0] if _explained else last()
