"""Messages between processes: JSON, each with its length in front, over pipes."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Mapping
from typing import Any

_LENGTH = struct.Struct(">I")
_PIECE = 1 << 16

Message = dict[str, Any]


def send(descriptor: int, message: Mapping[str, Any]) -> None:
    """Write a message; waits while the pipe is full.

    Raises
    ------
    OSError
        When nobody reads any more.
    """
    text = json.dumps(message).encode()
    rest = memoryview(_LENGTH.pack(len(text)) + text)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


class Inbox:
    """Messages that arrive in a pipe, put together from what can be read at once.

    Parameters
    ----------
    descriptor : int
        The pipe.

    Examples
    --------
    >>> reading, writing = os.pipe()
    >>> send(writing, {"kind": "ready"})
    >>> inbox = Inbox(reading)
    >>> inbox.read()
    [{'kind': 'ready'}]
    >>> os.close(writing)
    >>> inbox.read() is None
    True
    >>> os.close(reading)
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._bytes = bytearray()

    def read(self) -> list[Message] | None:
        """Wait for bytes; the messages that they complete, or None when the pipe has ended."""
        try:
            piece = os.read(self.descriptor, _PIECE)
        except OSError:  # closed by ourselves, in another thread
            return None
        if not piece:
            return None
        self._bytes += piece
        found = []
        while len(self._bytes) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._bytes)
            end = _LENGTH.size + length
            if len(self._bytes) < end:
                break
            found.append(json.loads(self._bytes[_LENGTH.size : end]))
            del self._bytes[:end]
        return found
