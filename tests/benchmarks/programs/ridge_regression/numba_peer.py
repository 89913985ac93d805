"""Numba: the same lines; BLAS and LAPACK do the work."""

from numba import njit

from tests.benchmarks.programs.ridge_regression import program

run = njit(cache=True)(program.run)
