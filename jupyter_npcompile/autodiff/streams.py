"""Random generators that a run has drawn from, so that the same run can be made again."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from jupyter_npcompile.autodiff.interruption import variable


class Streams:
    """The states that generators had before they were drawn from."""

    def __init__(self) -> None:
        self._before: dict[int, tuple[Any, Any]] = {}

    def note(self, generator: Any) -> None:
        """A bit generator, or ``RandomState``, is about to be drawn from."""
        for others in _kept.get():
            others.keep(generator)
        self.keep(generator)

    def keep(self, generator: Any) -> None:
        """Keep the state of a generator, unless it is kept already."""
        if id(generator) not in self._before:
            self._before[id(generator)] = (generator, _state(generator))

    def rewind(self) -> None:
        """Put the generators back to where they were before the run.

        Examples
        --------
        >>> rng, streams = np.random.default_rng(0), Streams()
        >>> streams.note(rng.bit_generator)
        >>> first = rng.random()
        >>> streams.rewind()
        >>> rng.random() == first
        True
        """
        for generator, state in self._before.values():
            _set(generator, state)

    @contextmanager
    def again(self) -> Iterator[None]:
        """Draw the same numbers inside; afterwards the generators are as they were.

        Examples
        --------
        >>> rng, streams = np.random.default_rng(0), Streams()
        >>> streams.note(rng.bit_generator)
        >>> first = rng.random()
        >>> with streams.again():
        ...     rng.random() == first
        True
        """
        now = [(generator, _state(generator)) for generator, _ in self._before.values()]
        self.rewind()
        try:
            yield
        finally:
            for generator, state in now:
                _set(generator, state)


_kept: ContextVar[tuple[Streams, ...]] = variable("kept streams", ())


@contextmanager
def as_before() -> Iterator[None]:
    """Afterwards, also after an error, generators are as if nothing had been drawn inside.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> with as_before():
    ...     Streams().note(rng.bit_generator)
    ...     first = rng.random()
    >>> rng.random() == first
    True
    """
    streams = Streams()
    token = _kept.set((*_kept.get(), streams))
    try:
        yield
    finally:
        _kept.reset(token)
        streams.rewind()


def _state(generator: Any) -> Any:
    legacy = isinstance(generator, np.random.RandomState)
    return copy.deepcopy(generator.get_state() if legacy else generator.state)


def _set(generator: Any, state: Any) -> None:
    if isinstance(generator, np.random.RandomState):
        generator.set_state(state)
    else:
        generator.state = copy.deepcopy(state)
