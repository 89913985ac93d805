"""What compiled code says instead of giving a result."""

from __future__ import annotations


class CheckFailedError(Exception):
    """A check computed with the segment says that NumPy must run: it would raise."""


def first_line(error: BaseException) -> str:
    r"""The first line of what an exception says.

    Examples
    --------
    >>> first_line(ValueError("no such axis\nof this array"))
    'no such axis'
    """
    text = str(error).strip()
    return text.splitlines()[0] if text else "no message"
