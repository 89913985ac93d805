"""What is drawn and written of a report, kept for the next one that shows the same."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Lock
from typing import Any, Generic, TypeVar

A = TypeVar("A")
T = TypeVar("T")

MOST = 32
"""Values of which the result is kept: cells that are run again and again."""


class Remembered(Generic[A, T]):
    """A function whose last results are kept, by things that are compared, but cannot be hashed.

    What is the same object is compared at once; else ``2`` and ``2.0`` are told apart.

    Parameters
    ----------
    function : callable
        Of one argument; what it returns must not be changed.
    key : callable
        What the result depends on, of that argument.
    most : int
        How many results are kept, those of the last calls.

    Examples
    --------
    >>> asked = []
    >>> total = Remembered(lambda values: asked.append(values) or sum(values), tuple)
    >>> total([1, 2]), total([1, 2]), total([1, 2.0]), asked
    (3, 3, 3.0, [[1, 2], [1, 2.0]])
    """

    def __init__(
        self, function: Callable[[A], T], key: Callable[[A], tuple[Any, ...]], most: int = MOST
    ) -> None:
        self._function, self._key = function, key
        self._known: deque[tuple[tuple[Any, ...], T]] = deque(maxlen=most)
        self._lock = Lock()

    def __call__(self, value: A) -> T:
        """The result for a value, computed if it is not kept."""
        key = self._key(value)
        with self._lock:
            for place, (known, result) in enumerate(self._known):
                if len(known) == len(key) and all(map(_is_same, known, key)):
                    del self._known[place]
                    self._known.append((known, result))
                    return result
        made = self._function(value)
        with self._lock:
            self._known.append((key, made))
        return made


def _is_same(one: Any, other: Any) -> bool:
    return one is other or (one == other and repr(one) == repr(other))
