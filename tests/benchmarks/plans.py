"""How much is measured: everything, or in a few minutes a part of every class."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from tests.benchmarks.children import Limits


@dataclass(frozen=True)
class Plan:
    """How much is measured.

    Parameters
    ----------
    name : str
        What it is called.
    sizes : tuple of str
        Sizes timed in one thread, the first in a process that has compiled nothing.
    threaded : tuple of str
        Sizes timed with all threads.
    restart : bool
        Whether each program also runs in a process that finds the caches of another.
    budget : float
        Seconds of pairs per size.
    pairs : int
        Pairs per size at the most.
    every : bool
        Whether all programs are measured, or one of each class.
    minutes : float
        When nothing further is begun; what was measured is kept for the next time.
    settle : float
        Seconds to wait for what compiles in the background.
    limits : Limits
        How long to wait for a child's events.
    """

    name: str
    sizes: tuple[str, ...]
    threaded: tuple[str, ...]
    restart: bool
    budget: float
    pairs: int
    every: bool
    minutes: float
    settle: float
    limits: Limits = field(default_factory=Limits)

    @property
    def key(self) -> str:
        """What the figures depend on: with other limits, other programs are late."""
        return f"{self.name}-{self.limits.first:g}-{self.limits.rest:g}-{self.settle:g}"


FULL = Plan(
    name="full",
    sizes=("medium", "small", "large"),
    threaded=("large",),
    restart=True,
    budget=0.3,
    pairs=9,
    every=True,
    minutes=58,
    settle=22,
    limits=Limits(ready=60, first=10, rest=30),
)

QUICK = Plan(
    name="quick",
    sizes=("medium",),
    threaded=(),
    restart=False,
    budget=0.4,
    pairs=7,
    every=False,
    minutes=7.2,
    settle=10,
    limits=Limits(ready=30, first=8, rest=20),
)

ORDER = ("small", "medium", "large")


def smaller(sizes: Iterable[str], than: str) -> list[str]:
    """Those sizes that are smaller than one.

    Examples
    --------
    >>> smaller(["small", "large"], "medium")
    ['small']
    """
    return [size for size in sizes if ORDER.index(size) < ORDER.index(than)]


class Kind(Protocol):
    """What belongs to a class of programs."""

    @property
    def kind(self) -> str:
        """The class."""


K = TypeVar("K", bound=Kind)


def one_of_each(programs: Sequence[K]) -> list[K]:
    """The first program of every class."""
    first: dict[str, K] = {}
    for program in programs:
        first.setdefault(program.kind, program)
    return list(first.values())
