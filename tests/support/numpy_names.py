"""Which functions the installed NumPy has."""

from __future__ import annotations

import numpy as np
import pytest

from jupyter_npcompile.tracer.interpret import function


def is_there(op: str) -> bool:
    """Whether NumPy has an operation.

    Examples
    --------
    >>> is_there("numpy.add.reduce"), is_there("numpy.frobnicate")
    (True, False)
    """
    try:
        function(op)
    except KeyError:
        return False
    return True


def needs(op: str) -> None:
    """Skip a test where NumPy has no such operation."""
    if not is_there(op):
        pytest.skip(f"NumPy {np.__version__} has no {op}")
