"""Numba: the same lines; BLAS does the work."""

from numba import njit

from tests.benchmarks.programs.power_iteration import program

run = njit(cache=True)(program.run)
