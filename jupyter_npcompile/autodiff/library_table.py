"""Which functions of NumPy's libraries compiled gradients call: see ``library_calls.hpp``."""

from __future__ import annotations

import functools
import importlib
from types import ModuleType
from typing import Any

from jupyter_npcompile.loops.library.linear_algebra import addresses

TABLE = "npcompile_library"
"""The table of addresses in compiled gradients."""

FUNCTIONS = (
    *("cblas_dgemm", "cblas_sgemm", "cblas_dgemv", "cblas_sgemv"),
    *("dgetrf", "dgetrs", "dpotrf", "cblas_dtrsm"),
)
"""Functions of its linear algebra: the first entries."""

LOOPS = ("fft", "ifft", "rfft_n_even", "rfft_n_odd", "irfft")
"""Its Fourier transforms: a function and what it is given, for each."""

_TYPES = ("Dd->D", "Dd->D", "dd->D", "dd->D", "Dd->d")
"""Of the first loop of each."""


@functools.cache
def transforms() -> tuple[Any, ...] | None:
    """The ufuncs that transform lines; None where NumPy has others.

    Examples
    --------
    >>> [ufunc.__name__ for ufunc in transforms() or ()][:2] in ([], ["fft", "ifft"])
    True
    """
    try:
        module = importlib.import_module("numpy.fft._pocketfft_umath")
        found = tuple(getattr(module, name) for name in LOOPS)
    except (ImportError, AttributeError):
        return None
    fits = all(ufunc.types[:1] == [kind] for ufunc, kind in zip(found, _TYPES, strict=True))
    return found if fits else None


def entries(dispatch: ModuleType) -> list[int]:
    """The table of addresses; zeros where there are none.

    Parameters
    ----------
    dispatch : module
        Knows where the loops of ufuncs are.
    """
    found = [*addresses(FUNCTIONS)] or [0] * len(FUNCTIONS)
    for ufunc in transforms() or ():
        found += dispatch.loop(ufunc, 0)
    return found
