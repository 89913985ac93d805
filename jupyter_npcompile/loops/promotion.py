"""In which dtypes NumPy computes, and how numbers become operands there."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from jupyter_npcompile.loops.kinds import CTYPES, PYTHON, Declined, Number, python_type
from jupyter_npcompile.loops.values import Scalar


def operand(type: Number) -> Any:
    """A number as NumPy's rules of promotion see it.

    Examples
    --------
    >>> operand(Number("py", "int64")), operand(Number("np", "float32"))
    (<class 'int'>, dtype('float32'))
    """
    if type.origin == "py" and not type.mixed:
        return PYTHON[type.dtype]
    return np.dtype(type.dtype)


def operands(type: Number) -> list[Any]:
    """All that a number may be, as NumPy's rules of promotion see it."""
    found: list[Any] = []
    if type.mixed:
        found.append(int)
    if type.origin in ("py", "any"):
        found.append(python_type(type.dtype))
    if type.origin in ("np", "any"):
        found.append(np.dtype(type.dtype))
    return found


def resolve(name: str, *kinds: Any) -> tuple[np.dtype[Any], ...]:
    """The dtypes in which a ufunc computes.

    Parameters
    ----------
    name : str
        A ufunc of NumPy with one result.
    *kinds : dtype or type
        Dtypes, and ``int``, ``float``, ``complex`` for Python's arithmetic.

    Returns
    -------
    tuple of dtype
        One for each operand, and the result's.

    Examples
    --------
    >>> resolve("add", np.dtype("float32"), float)
    (dtype('float32'), dtype('float32'), dtype('float32'))
    """
    if all(kind in (int, float, complex, bool) for kind in kinds):
        kinds = tuple(np.dtype(kind) for kind in kinds)
    given = tuple(np.dtype(bool) if kind is bool else kind for kind in kinds)
    try:
        found = getattr(np, name).resolve_dtypes((*given, None))
    except TypeError:
        raise Declined(f"np.{name} of {' and '.join(map(str, kinds))}") from None
    if any(dtype.name not in CTYPES for dtype in found):
        raise Declined(f"np.{name} of {' and '.join(map(str, kinds))}")
    return tuple(found)


def common(name: str, *types: list[Any]) -> tuple[np.dtype[Any], ...]:
    """The dtypes in which a ufunc computes, whatever the operands turn out to be.

    Raises
    ------
    Declined
        When that depends on what they turn out to be.
    """
    results = {resolve(name, *kinds) for kinds in itertools.product(*types)}
    outcomes = {found[-1] for found in results}
    if len(outcomes) > 1:
        raise Declined("the dtype depends on whether a number is Python's or NumPy's")
    # A float has the values of all integers that may come instead of it.
    return max(results, key=lambda found: [(d.kind in "fc", d.itemsize) for d in found])


_WEAK = {int: 0, float: 0.0, complex: 0j}
"""Python's numbers, which take the dtype of others."""


def together(*types: list[Any]) -> str:
    """The dtype of what has elements of all of these, whatever they turn out to be.

    Raises
    ------
    Declined
        When that depends on what they turn out to be, or loops have no such elements.

    Examples
    --------
    >>> together([int], [np.dtype("int8")]), together([float, np.dtype("float64")], [int])
    ('int8', 'float64')
    """
    found = {
        np.result_type(*(_WEAK.get(kind, kind) for kind in kinds))
        for kinds in itertools.product(*types)
    }
    if len(found) != 1:
        raise Declined("a number that is Python's or NumPy's, as it comes")
    name = found.pop().name
    if name not in CTYPES:
        raise Declined(f"elements of {name}")
    return name


def cast(code: str, source: str, target: str) -> str:
    """Convert a value that a ufunc takes; such conversions are always exact enough for NumPy.

    Examples
    --------
    >>> cast("x", "int64", "float64")
    '((double)x)'
    """
    if source == target:
        return code
    if target == "bool":
        return f"({code} != 0)"
    if source == "complex128":
        raise Declined("a complex number becomes a real one")
    if target == "complex128":
        return f"Complex((double){code})"
    return f"(({CTYPES[target]}){code})"


def weak(code: str, dtype: str, *, checked: bool = True) -> str:
    """A Python integer as a number of an integer dtype: an error where it does not fit."""
    if dtype == "int64":
        return code
    return f"fitting<{CTYPES[dtype]}>({code})"


def as_loop(value: Scalar, dtype: str) -> str:
    """A number as an operand of a ufunc that computes in a dtype."""
    if (
        value.type.origin == "py"
        and value.type.dtype == "int64"
        and np.dtype(dtype).kind in "iu"
        and not value.type.mixed
    ):
        return weak(value.code, dtype)
    return cast(value.code, value.type.dtype, dtype)
