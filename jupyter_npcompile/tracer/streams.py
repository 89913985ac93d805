"""Streams of random numbers: which calls draw from one, and how to turn one back."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from jupyter_npcompile.tracer.interrupts import at_once

DRAWS = frozenset(
    {"random", "integers", "choice", "permutation", "permuted", "beta", "binomial"}
    | {"chisquare", "dirichlet", "exponential", "f", "gamma", "geometric", "gumbel"}
    | {"hypergeometric", "laplace", "logistic", "lognormal", "logseries", "multinomial"}
    | {"multivariate_hypergeometric", "multivariate_normal", "negative_binomial"}
    | {"noncentral_chisquare", "noncentral_f", "normal", "pareto", "poisson", "power"}
    | {"rayleigh", "standard_cauchy", "standard_exponential", "standard_gamma"}
    | {"standard_normal", "standard_t", "triangular", "uniform", "vonmises", "wald"}
    | {"weibull", "zipf", "rand", "randn", "randint", "random_sample", "tomaxint"}
)
"""Methods that return new random numbers, and change nothing but the state of the stream."""

_BIT_GENERATORS = (
    np.random.MT19937,
    np.random.PCG64,
    np.random.PCG64DXSM,
    np.random.Philox,
    np.random.SFC64,
)


def is_known(generator: Any) -> bool:
    """Whether the state of a generator can be kept and put back.

    Examples
    --------
    >>> is_known(np.random.default_rng(0)), is_known(np.random.RandomState(0)), is_known(None)
    (True, True, False)
    """
    if type(generator) is np.random.Generator:
        return type(generator.bit_generator) in _BIT_GENERATORS
    return type(generator) is np.random.RandomState


class Streams:
    """The states that generators had before a segment drew from them.

    Examples
    --------
    >>> rng, streams = np.random.default_rng(0), Streams()
    >>> streams.note(rng)
    >>> first = rng.random()
    >>> streams.rewind()
    >>> rng.random() == first
    True
    """

    def __init__(self) -> None:
        self._states: list[tuple[Any, Any]] = []

    def note(self, generator: Any) -> None:
        """Keep the state of a generator, unless it is kept already."""
        if all(known is not generator for known, _ in self._states):
            self._states.append((generator, _state(generator)))

    def rewind(self) -> None:
        """Put the states back, the first one last: generators may share a stream."""
        at_once(self.steps())

    def steps(self) -> list[tuple[Any, ...]]:
        """What does so, for `at_once`."""
        return [
            (generator.set_state, state)
            if isinstance(generator, np.random.RandomState)
            else (setattr, generator.bit_generator, "state", state)
            for generator, state in reversed(self._states)
        ]

    def now(self) -> Streams:
        """The same generators in the states that they have now."""
        present = Streams()
        for generator, _ in self._states:
            present.note(generator)
        return present

    @contextlib.contextmanager
    def rewound(self) -> Iterator[None]:
        """Do something as if nothing had been drawn yet."""
        now = self.now()
        self.rewind()
        try:
            yield
        finally:
            now.rewind()


def _state(generator: Any) -> Any:
    if isinstance(generator, np.random.RandomState):
        return generator.get_state(legacy=False)
    return generator.bit_generator.state
