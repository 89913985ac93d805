"""Numba: the same lines."""

from numba import njit

from tests.benchmarks.programs.edit_distance import program

run = njit(cache=True)(program.run)
