"""Libraries of the cache are loaded as they were checked, whatever their names lead to by then."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from jupyter_npcompile.runtime.cache_folder import require_plain

_known: dict[str, str] = {}
"""The digests of files whose entries were read."""

_numbers = itertools.count(1)


class ChangedError(OSError):
    """A file is not the one that was checked."""


def remember(path: Path, sha256: str) -> None:
    """Note what a file holds, before it is loaded."""
    _known[str(path)] = sha256


@contextlib.contextmanager
def checked(path: Path) -> Iterator[str]:
    """A name under which the system's loader finds a file just as it is checked here.

    Parameters
    ----------
    path : Path
        Who can write to it is looked at, and what it holds if its entry was read.

    Raises
    ------
    ChangedError
        When it holds something else.
    OSError
        When it cannot be opened, or others may write to it.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "library.so")
    >>> _ = path.write_bytes(b"code")
    >>> with checked(path) as name:
    ...     _ = path.rename(path.with_suffix(".old"))
    ...     Path(name).read_bytes()
    b'code'
    """
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    with open(descriptor, "rb") as file:
        require_plain(path, os.fstat(descriptor))
        known = _known.get(str(path))
        if known is not None and hashlib.sha256(file.read()).hexdigest() != known:
            raise ChangedError(f"{path.name} has changed")
        yield _name_of(descriptor) if sys.platform.startswith("linux") else str(path)


def _name_of(descriptor: int) -> str:
    """The name of an open file, another one each time.

    The loader takes a library for one that it knows when they have the same name, and
    numbers of files come again. So the way to the number is written in ever new ways.
    """
    digits = "".join("/." if digit == "1" else "/" for digit in f"{next(_numbers):b}")
    return f"/proc/self{digits}/fd/{descriptor}"
