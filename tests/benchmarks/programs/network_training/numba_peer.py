"""Numba: the same lines; products by BLAS."""

from numba import njit

from tests.benchmarks.programs.network_training import program

run = njit(cache=True)(program.run)
