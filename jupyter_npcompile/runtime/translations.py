"""What earlier kernels have translated: it is read instead of translated again.

To translate a loop takes tens of milliseconds in which Python runs nothing else, so a kernel
that sees it for the first time does that late. To read what another kernel has translated takes
one or two: it is done when the loop begins for the first time, if it ran for a while in that
kernel, or else when it has run for as long here. A mark says of which loops there is something to
read, for to name a loop exactly takes as long as a short call.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from types import CodeType
from typing import Any

from jupyter_npcompile.loops.loop_code import LoopCode
from jupyter_npcompile.runtime import cache as caches
from jupyter_npcompile.runtime.cache_entry import DamagedError, read_own
from jupyter_npcompile.runtime.cache_folder import UntrustedError, write_atomically
from jupyter_npcompile.runtime.kept_code import (
    KeptCodeError,
    read_again,
    text_of_constant,
    written_down,
)
from jupyter_npcompile.runtime.notices import say

LONG = 0.01
"""Seconds that a loop had run in Python when it was translated; if it was so long, it is read at
once."""

WORTH = 0.002
"""Seconds that it must have run here otherwise: to read it and to compare its result with Python's
takes as long."""

LARGEST = 4 << 20
"""Bytes of a translation, at the most."""


def mark_of(code: CodeType, number: int) -> str:
    """The mark of a loop in some code, which Python has compiled already.

    Parameters
    ----------
    code : types.CodeType
        Of its function or cell.
    number : int
        Which of its loops.

    Examples
    --------
    >>> one, two = (lambda x: x + 1), (lambda x: x + 2)
    >>> mark_of(one.__code__, 0) == mark_of(two.__code__, 0)
    False
    """
    made = hashlib.sha256(code.co_code)
    constants = [it for it in code.co_consts if not isinstance(it, CodeType)]
    with contextlib.suppress(KeptCodeError):  # one is large: what is written tells enough
        constants = list(map(text_of_constant, constants))
        made.update(repr(constants).encode(errors="replace"))
    made.update(repr((number, code.co_names, code.co_varnames)).encode())
    return made.hexdigest()[:24]


def marked(mark: str) -> float | None:
    """Seconds that a loop had run when it was translated; None where no kernel has left anything.

    A mark that makes no sense is as good as none: it says when to look, and nothing else.
    """
    try:
        return float(read_own(_path(mark, "mark"), 64))
    except (OSError, ValueError, DamagedError, UntrustedError):
        return None


def leave(mark: str, seconds: float) -> None:
    """Say that something of a loop is there, which has run for so long."""
    with contextlib.suppress(OSError):  # whoever keeps it says why it cannot be kept
        write_atomically(_path(mark, "mark"), f"{seconds:.4f}")


def is_due(known: float | None, seconds: float) -> bool:
    """Whether it is time to read what there is.

    Parameters
    ----------
    known : float or None
        What the mark says.
    seconds : float
        For which the loop has run here.

    Examples
    --------
    >>> is_due(None, 1.0), is_due(0.5, 0.0), is_due(0.001, 0.0), is_due(0.001, 0.01)
    (False, True, False, True)
    """
    return known is not None and (known >= LONG or seconds >= WORTH)


def keep(name: str, code: LoopCode) -> None:
    """Keep a translation for later kernels, if it can be written down.

    Parameters
    ----------
    name : str
        Of all that it was made from, see `Job.exact`.
    code : LoopCode
        The translation.
    """
    try:
        data = written_down(code)
    except KeptCodeError:
        return  # it holds what cannot be found again: it is translated in each kernel
    if len(data) > LARGEST:
        return
    try:
        write_atomically(_path(name, "code"), hashlib.sha256(data).digest() + data)
    except OSError as error:
        say(f"the translation of a loop is not kept: {error}")


def find(name: str, namespace: Mapping[str, Any]) -> LoopCode | None:
    """The translation that an earlier kernel has kept, if all that it assumes holds.

    Parameters
    ----------
    name : str
        As for `keep`.
    namespace : mapping of str to object
        What names are bound to where the loop begins.
    """
    try:
        path = _path(name, "code")
        content = read_own(path, LARGEST)
    except FileNotFoundError:
        return None
    except DamagedError:
        content = b""
    except (OSError, UntrustedError):
        return None  # somebody else may have written it, or there is no cache, which was said
    digest, data = content[:32], content[32:]
    if hashlib.sha256(data).digest() != digest:
        with contextlib.suppress(OSError):
            path.unlink()
        return None
    try:
        code = read_again(data, namespace)
    except KeptCodeError:
        return None
    with contextlib.suppress(OSError):  # the cache may be readable only
        os.utime(path)
    return code


def _path(name: str, kind: str) -> Path:
    return caches.cache().loops / f"{name}.{kind}"
