"""What is drawn and written of a report, kept for the next one that shows the same."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Lock
from typing import Any, Generic, TypeVar

T = TypeVar("T")

MOST = 32
"""Values of which the result is kept: cells that are run again and again."""


class Remembered(Generic[T]):
    """A function of things that can be compared, but not hashed, as captured graphs are.

    What is the same object is compared at once.

    Parameters
    ----------
    function : callable
        Of positional arguments; what it returns must not be changed.
    most : int
        How many results are kept, those of the last calls.

    Examples
    --------
    >>> asked = []
    >>> total = Remembered(lambda values: asked.append(values) or sum(values))
    >>> total([1, 2]), total([1, 2]), asked
    (3, 3, [[1, 2]])
    """

    def __init__(self, function: Callable[..., T], most: int = MOST) -> None:
        self._function = function
        self._known: deque[tuple[tuple[Any, ...], T]] = deque(maxlen=most)
        self._lock = Lock()

    def __call__(self, *values: Any) -> T:
        """The result for these values, computed if it is not kept."""
        with self._lock:
            for place, (known, result) in enumerate(self._known):
                if known == values:
                    del self._known[place]
                    self._known.append((known, result))
                    return result
        made = self._function(*values)
        with self._lock:
            self._known.append((values, made))
        return made
