"""Numba: the same lines; BLAS does the work."""

from numba import njit

from tests.benchmarks.programs.matrix_exponential import program

run = njit(cache=True)(program.run)
