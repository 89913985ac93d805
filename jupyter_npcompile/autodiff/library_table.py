"""Which functions of NumPy's libraries compiled gradients call: see ``library_calls.hpp``."""

from __future__ import annotations

from types import ModuleType

from jupyter_npcompile.loops.library.linear_algebra import addresses
from jupyter_npcompile.loops.library.transforms import ufuncs

TABLE = "npcompile_library"
"""The table of addresses in compiled gradients."""

FUNCTIONS = (
    *("cblas_dgemm", "cblas_sgemm", "cblas_dgemv", "cblas_sgemv"),
    *("dgetrf", "dgetrs", "dpotrf", "cblas_dtrsm"),
)
"""Functions of its linear algebra: the first entries."""


def entries(dispatch: ModuleType) -> list[int]:
    """The table of addresses; zeros where there are none.

    Parameters
    ----------
    dispatch : module
        Knows where the loops of ufuncs are.
    """
    found = [*addresses(FUNCTIONS)] or [0] * len(FUNCTIONS)
    for ufunc in ufuncs().values():  # a function and what it is given, for each
        found += dispatch.loop(ufunc, 0)
    return found
