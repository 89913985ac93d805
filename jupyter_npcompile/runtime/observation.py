"""One run of something, and everything of it that can be compared."""

from __future__ import annotations

import contextlib
import io
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import field
from time import perf_counter
from typing import Any

import numpy as np

from jupyter_npcompile.dataclass import dataclass

RANDOM = "NumPy's random state"
"""What the state of NumPy's legacy generator is called."""


@dataclass
class Observation:
    """What one run left behind.

    Parameters
    ----------
    names : dict of str to object
        What it bound and changed.
    output : str
        What it printed.
    warnings : list of (str, str, int or None)
        Category, message, and line if it is in the source that ran.
    error : tuple of (str, str, int or None) or None
        Type, message and line of the exception that it raised.
    seconds : float
        How long it took.
    """

    names: dict[str, Any] = field(default_factory=dict)
    output: str = ""
    warnings: list[tuple[str, str, int | None]] = field(default_factory=list)
    error: tuple[str, str, int | None] | None = None
    seconds: float = 0.0


@contextlib.contextmanager
def watching(
    observation: Observation, is_source: Callable[[str], bool], *, every_warning: bool = True
) -> Iterator[None]:
    """Catch all that a run prints, warns and raises.

    Parameters
    ----------
    observation : Observation
        Where it is written down.
    is_source : callable
        Whether a file name is that of the source that runs.
    every_warning : bool
        Whether warnings count that the present filters would not show.
    """
    output = io.StringIO()
    began = perf_counter()
    with (
        warnings.catch_warnings(record=True) as caught,
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        if every_warning:
            warnings.simplefilter("always")
        try:
            yield
        except (Exception, SystemExit) as error:
            observation.error = raised(error, is_source)
    observation.seconds = perf_counter() - began
    observation.output = output.getvalue()
    observation.warnings = [
        (w.category.__name__, str(w.message), w.lineno if is_source(w.filename) else None)
        for w in caught or ()
    ]


def raised(error: BaseException, is_source: Callable[[str], bool]) -> tuple[str, str, int | None]:
    """Type and message of an exception, and the last line of the source that it passed."""
    lines = [
        entry.lineno
        for entry in traceback.extract_tb(error.__traceback__)
        if is_source(entry.filename)
    ]
    return type(error).__name__, str(error), lines[-1] if lines else None


@contextlib.contextmanager
def random_state() -> Iterator[dict[str, Any]]:
    """Set NumPy's legacy random numbers back afterwards."""
    state: Any = np.random.get_state(legacy=False)
    try:
        yield state
    finally:
        np.random.set_state(state)
