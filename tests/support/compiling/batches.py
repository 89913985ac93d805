"""Compiles what tests need some at a time: most of what a compiler takes it takes for any file."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from contextlib import AbstractContextManager
from typing import Generic, TypeVar

TOGETHER = 12
"""What goes into one file: with more of it the compiler needs much memory, and saves little."""

Key = TypeVar("Key", bound=Hashable)


class Batches(Generic[Key]):
    """Things that are compiled some at a time, when the first of them is needed.

    Parameters
    ----------
    keys : iterable
        What stands for them, in the order in which they are needed.
    together : callable
        ``with together(): ...`` compiles all that is asked for in the block.
    ask : callable
        Asks for what a key stands for: calls a function, for one.

    Examples
    --------
    >>> from contextlib import nullcontext
    >>> asked = []
    >>> batches = Batches(range(20), nullcontext, asked.append)
    >>> batches.need(3)
    >>> batches.need(4)
    >>> asked == list(range(3, 15))
    True
    """

    def __init__(
        self,
        keys: Iterable[Key],
        together: Callable[[], AbstractContextManager[None]],
        ask: Callable[[Key], object],
    ) -> None:
        self._left = list(dict.fromkeys(keys))
        self._together = together
        self._ask = ask

    def need(self, key: Key) -> None:
        """Have it compiled, and the next ones with it."""
        if key not in self._left:
            return
        start = self._left.index(key)
        some = self._left[start : start + TOGETHER]
        del self._left[start : start + TOGETHER]
        with self._together():
            for each in some:
                self._ask(each)
