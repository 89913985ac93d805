"""A machine is prepared: what its first compiles would wait for is done once.

The first loop finds out what the C++ compiler can do, the first segment compiles the headers that
torch's code includes. Both lie in the cache then, for all that uses it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.runtime import cache as caches
from jupyter_npcompile.runtime.compile_worker import troubles
from jupyter_npcompile.runtime.functions import compile_callable, handle_of
from jupyter_npcompile.runtime.policy import Options
from jupyter_npcompile.runtime.settings import Tier, settings
from jupyter_npcompile.runtime.subjects import report_of
from jupyter_npcompile.runtime.worker import compiler


@dataclass(frozen=True)
class Prepared:
    """What was compiled.

    Parameters
    ----------
    name : str
        What it stands for.
    seconds : float
        How long it took.
    problem : str
        Why it is not compiled; empty when it is.
    """

    name: str
    seconds: float
    problem: str

    def __str__(self) -> str:
        if self.problem:
            return f"{self.name}: not prepared: {self.problem}"
        return f"{self.name}: ready, {self.seconds:.1f} s"


def _loop(x: np.ndarray) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        total = 0.5 * total + x[i]
    return total


def _segment(x: np.ndarray) -> Any:
    return np.exp(-x * x) * np.sin(x)


_KINDS: tuple[tuple[str, Tier, Callable[..., Any]], ...] = (
    ("loops", "native-loop", _loop),
    ("segments", "inductor", _segment),
)
"""What is compiled, by what tier, and an example."""


def warm() -> Iterator[Prepared]:
    """Compile one example of each kind, as a kernel would, into the cache.

    Yields
    ------
    Prepared
        What came of it, as soon as that is known.
    """
    before = settings.tier
    try:
        for name, tier, example in _KINDS:
            settings.tier = tier
            yield _prepared(name, tier, example)
    finally:
        settings.tier = before


def _prepared(name: str, tier: Tier, example: Callable[..., Any]) -> Prepared:
    began = perf_counter()
    made = compile_callable(example, Options(ahead=True))
    made(np.linspace(0.0, 1.0, 1000))
    compiler.wait()
    handle = handle_of(made)
    assert handle is not None
    regions = report_of(handle).regions
    done = any(region.tier == tier for region in regions)
    notes = [*troubles(), *(region.note for region in regions if region.note)]
    problem = "" if done else _cause(notes)
    return Prepared(name, perf_counter() - began, problem)


def _cause(notes: Sequence[str]) -> str:
    """Why nothing was compiled, without what is said to somebody whose cell runs.

    Examples
    --------
    >>> _cause(["no native loop: CompileFailedError: g++ is missing: install it to compile"])
    'g++ is missing: install it to compile'
    """
    first = next(iter(notes), "it was not compiled, and nothing says why")
    return first.rpartition("Error: ")[2].partition("; NumPy runs")[0]


def size() -> tuple[str, float, bool]:
    """Where the cache is, how many MB it takes, and whether it outlives this process."""
    cache = caches.cache()
    found = cache.contents()
    megabytes = (found.bytes + found.compiler_bytes) / 2**20
    return str(cache.root), megabytes, not cache.temporary
