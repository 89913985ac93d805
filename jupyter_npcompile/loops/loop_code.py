"""A loop in C++, as the runtime knows it: what it takes, binds, writes and assumes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.loops.frames import FunctionCode
from jupyter_npcompile.loops.records import Path, Step, reached
from jupyter_npcompile.loops.redefined import SAME, Redefined
from jupyter_npcompile.tracer import interrupts

FINISHED, LEFT, PAUSED, REFUSED, NOTHING, RETURNED = range(6)
"""How a run ends: its loop is over, by ``break``, goes on later, is NumPy's, has no iteration,
or its function is over."""


@dataclass(frozen=True, slots=True)
class Assumption:
    """Something that is compared before each run.

    Parameters
    ----------
    path : path
        Where it is found.
    value : object
        What it must be.
    """

    path: Path
    value: Any


@dataclass(frozen=True, slots=True)
class LoopCode:
    """A loop in C++.

    Parameters
    ----------
    source : str
        The file, without the support it includes.
    inputs : tuple of str
        Names that are its arguments, after those of the sequence.
    outputs : tuple of str
        Names that it binds, in the order of its results.
    fixed : mapping of str to object
        Names that it binds to something that is known now.
    assumptions : tuple of Assumption
        What must be as it was.
    codes : tuple of (function, code, defaults)
        The functions that are written into it.
    written : tuple of str
        Inputs whose memory it may write into.
    hosts : tuple of callable
        Functions of NumPy that it calls: its last arguments.
    signature : str
        The types of its inputs, for a report.
    draws_legacy : bool
        Whether it draws from the generator behind `np.random.rand`.
    printed : list of str
        Where a run leaves what has to be printed.
    paths : mapping of str to path
        Where inputs are found that are no names of the loop.
    stored : tuple of (int, Step)
        Entries that it replaces: of which input, and which.
    apart : tuple of (path, path)
        Lists that must not be one and the same: of one it knows what is in it, the other changes.
    """

    source: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    fixed: Mapping[str, Any]
    assumptions: tuple[Assumption, ...]
    codes: tuple[FunctionCode, ...]
    written: tuple[str, ...]
    hosts: tuple[Callable[..., Any], ...] = ()
    signature: str = ""
    draws_legacy: bool = False
    printed: list[str] = field(default_factory=list)
    paths: Mapping[str, Path] = field(default_factory=dict)
    stored: tuple[tuple[int, Step], ...] = ()
    apart: tuple[tuple[Path, Path], ...] = ()

    def values(self, namespace: Mapping[str, Any], redefined: Redefined = SAME) -> list[Any]:
        """The inputs, where functions may have been defined anew.

        Raises
        ------
        LookupError
            When one is not there.
        """
        paths = [self.paths.get(name, (name,)) for name in self.inputs]
        return [reached(path, namespace, redefined) for path in paths]

    @property
    def precision(self) -> float:
        """Relative spacing of the coarsest floating-point type in it."""
        return 2.0**-23 if re.search(r"\bfloat\b", self.source) else 2.0**-52

    def show(self) -> None:
        """Print what a run has left, which counts."""
        if self.printed:
            with interrupts.held():
                while self.printed:
                    print(self.printed.pop(0), end="")
