"""What a cell can change outside its namespace, kept so that a second run begins as the first."""

from __future__ import annotations

import os
import random
import sys
import warnings
from dataclasses import field
from typing import Any

import numpy as np

from jupyter_npcompile.dataclass import dataclass


def _figures() -> set[int]:
    pyplot = sys.modules.get("matplotlib.pyplot")
    return set() if pyplot is None else set(pyplot.get_fignums())


@dataclass
class Surroundings:
    """The process as it is now, as far as cells commonly change it.

    NumPy's and Python's random numbers, NumPy's error state and print options,
    the warning filters, and the current folder.

    Examples
    --------
    >>> kept = Surroundings()
    >>> before = np.random.random()
    >>> kept.restore()
    >>> np.random.random() == before
    True
    """

    numbers: Any = field(default_factory=lambda: np.random.get_state(legacy=False))
    python_numbers: Any = field(default_factory=random.getstate)
    errors: Any = field(default_factory=np.geterr)
    printing: Any = field(default_factory=np.get_printoptions)
    filters: list[Any] = field(default_factory=lambda: list(warnings.filters))
    folder: str = field(default_factory=os.getcwd)
    figures: set[int] = field(default_factory=_figures)

    def restore(self) -> None:
        """Set everything as it was; figures that were opened since are closed."""
        np.random.set_state(self.numbers)
        random.setstate(self.python_numbers)
        np.seterr(**self.errors)
        np.set_printoptions(**self.printing)
        if warnings.filters != self.filters:
            with warnings.catch_warnings():
                pass  # tells the warnings module that its filters are others now
            warnings.filters[:] = self.filters  # type: ignore[index]
        if os.getcwd() != self.folder:
            os.chdir(self.folder)
        for number in _figures() - self.figures:
            sys.modules["matplotlib.pyplot"].close(number)
