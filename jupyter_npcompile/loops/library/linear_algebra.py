"""Linear algebra in a loop: the functions of the library that NumPy itself calls.

NumPy brings its BLAS and LAPACK along. A call of theirs takes a fraction of a
microsecond for small matrices, where the way through ``np.linalg`` takes ten;
and what comes out is NumPy's, for it is the same code.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jupyter_npcompile.loops import arithmetic, elementwise
from jupyter_npcompile.loops.calls import elements, flag_of, named, of
from jupyter_npcompile.loops.kinds import ArrayType, Declined, Number, is_few
from jupyter_npcompile.loops.values import Applied, Gathered, Lazy, Parts, Ref, Scalar, Value

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names

TABLE = "npcompile_lapack"
"""The table of addresses in compiled loops: see ``linear_algebra.hpp``."""

_FUNCTIONS = (
    *("dgesv", "dgetrf", "dpotrf", "cblas_dgemm", "cblas_dgemv"),
    *("dgeqrf", "dorgqr", "cblas_dsyrk", "dsyevd", "dgesdd"),
)
_SPELLINGS = ("scipy_{}_64_", "{}_64_", "scipy_{}64_", "{}64_")
"""Names of the variant with integers of 64 bits; the two others are for C."""

DTYPE = "float64"

TRUE = arithmetic.constant(True)

ROWS = 4
"""Of matrices that are not the library's: ``SMALL_ROWS`` in ``small_matrices.hpp``."""


@functools.cache
def addresses(functions: tuple[str, ...] = _FUNCTIONS) -> tuple[int, ...]:
    """Where NumPy's library has functions; empty where it has other names for them.

    Parameters
    ----------
    functions : tuple of str
        Their names; by default those that compiled loops call.

    Examples
    --------
    >>> len(addresses()) in (0, 10)
    True
    """
    module = importlib.import_module("numpy.linalg._umath_linalg")
    library = ctypes.CDLL(str(module.__file__))  # loaded already
    found = []
    for name in functions:
        spelt = [s.format(name) for s in _SPELLINGS if hasattr(library, s.format(name))]
        if not spelt:
            return ()
        found.append(ctypes.cast(getattr(library, spelt[0]), ctypes.c_void_p).value or 0)
    return tuple(found)


def is_suitable(*values: Value) -> bool:
    """Whether the library has functions for these values: it has them for arrays of float64."""
    arrays = [value for value in values if isinstance(value, (Ref, Gathered, Applied))]
    fitting = len(arrays) == len(values) and all(value.dtype == DTYPE for value in arrays)
    return fitting and bool(addresses())


def product(left: Ref, right: Ref) -> str:
    """C++ for ``left @ right``, of matrices or a matrix and a vector."""
    return f"multiply(run, {left.code}, {right.code})"


def product_of_stacks(t: Names, left: Lazy, right: Lazy) -> Ref:
    """``left @ right``, of two stacks of matrices with as many dimensions."""
    a, b = (elementwise.materialise(t.writer, value) for value in (left, right))
    return _made(t, f"multiply_stacks<{a.ndim}>(run, {a.code}, {b.code})", a.ndim)


def _decomposing(
    *shapes: tuple[int, ...], flags: tuple[str, ...] = ()
) -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    """Say for which numbers of dimensions a function is translated.

    What it is called with besides arrays are flags, which are set where they are not given.
    """

    def decorate(write: Callable[..., Value]) -> Callable[..., Value]:
        name, count = write.__name__.lstrip("_"), len(shapes[0])

        @of(getattr(np.linalg, name))
        def call(t: Names, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
            given = named(f"np.linalg.{name}", flags, args[count:], kwargs)
            if not is_suitable(*args[:count]):
                raise Declined(f"np.linalg.{name} of these")
            arrays = [elements(arg) for arg in args[:count]]
            if tuple(value.ndim for value in arrays) not in shapes:
                raise Declined(f"np.linalg.{name} of these")
            are_set = [flag_of(given.get(flag, TRUE)) for flag in flags]
            held = [elementwise.materialise(t.writer, value) for value in arrays]
            return write(t, held, *are_set)

        return call

    return decorate


def _made(t: Names, code: str, ndim: int) -> Ref:
    type = ArrayType(DTYPE, ndim, True)
    name = t.writer.name("a")
    t.writer.emit(f"{type.c} {name} = {code};")
    return Ref(name, type, is_fresh=True)


def _few(t: Names, a: Ref) -> int:
    """How many rows a square matrix has, if they are known and few; or else 0."""
    rows, columns = a.type.length(0), a.type.length(1)
    good = t.writer.keeps_small and rows == columns and rows is not None
    return rows if good and rows is not None and 0 < rows <= ROWS else 0


def _made_small(t: Names, code: str, *lengths: int) -> Ref:
    made = elementwise.new_small(t.writer, DTYPE, lengths)
    t.writer.emit(f"{made.code} = {code};")
    return made


@_decomposing((2, 1), (2, 2))
def _solve(t: Names, arrays: Sequence[Ref]) -> Value:
    a, b = arrays
    n, m = _few(t, a), b.type.length(b.ndim - 1)
    if n and b.type.length(0) == n and is_few(b.type.lengths) and m is not None:
        sizes = (n,) if b.ndim == 1 else (n, m)
        return _made_small(
            t, f"solve_few<{', '.join(map(str, sizes))}>(run, {a.code}, {b.code})", *sizes
        )
    return _made(t, f"solve(run, {a.code}, {b.code})", b.ndim)


@_decomposing((2,))
def _inv(t: Names, arrays: Sequence[Ref]) -> Value:
    if n := _few(t, arrays[0]):
        return _made_small(t, f"inverse_few<{n}>(run, {arrays[0].code})", n, n)
    return _made(t, f"inverse(run, {arrays[0].code})", 2)


@_decomposing((2,))
def _cholesky(t: Names, arrays: Sequence[Ref]) -> Value:
    if n := _few(t, arrays[0]):
        return _made_small(t, f"cholesky_few<{n}>(run, {arrays[0].code})", n, n)
    return _made(t, f"cholesky(run, {arrays[0].code})", 2)


@_decomposing((2,))
def _det(t: Names, arrays: Sequence[Ref]) -> Value:
    n = _few(t, arrays[0])
    function = f"determinant_few<{n}>" if n else "determinant"
    held = t.writer.hold("double", f"{function}(run, {arrays[0].code})")
    return Scalar(held, Number("np", DTYPE))


def _parts(t: Names, function: str, arguments: str, **ndims: int) -> Parts:
    """What a function of several results writes into arrays, which have these names."""
    parts = Parts(tuple(_made(t, "{}", ndim) for ndim in ndims.values()), tuple(ndims))
    places = ", ".join(f"&{part.code}" for part in parts.items)
    t.writer.emit(f"{function}(run, {arguments}, {places});")
    return parts


@_decomposing((2,))
def _qr(t: Names, arrays: Sequence[Ref]) -> Value:
    return _parts(t, "orthogonal", arrays[0].code, Q=2, R=2)


@_decomposing((2,))
def _eigh(t: Names, arrays: Sequence[Ref]) -> Value:
    return _parts(t, "symmetric", arrays[0].code, eigenvalues=1, eigenvectors=2)


@_decomposing((2,))
def _eigvalsh(t: Names, arrays: Sequence[Ref]) -> Value:
    return _made(t, f"symmetric_values(run, {arrays[0].code})", 1)


@_decomposing((2,), flags=("full_matrices", "compute_uv"))
def _svd(t: Names, arrays: Sequence[Ref], full: bool, vectors: bool) -> Value:
    if not vectors:
        return _made(t, f"singular_values(run, {arrays[0].code})", 1)
    return _parts(t, "singular", f"{arrays[0].code}, {str(full).lower()}", U=2, S=1, Vh=2)
