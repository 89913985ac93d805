"""Numba: two buffers that change places, planes in parallel."""

from numba import njit, prange

from tests.benchmarks.programs.heat_3d.program import NUMBER


@njit(parallel=True, cache=True)
def step(u, new):
    n, m, p = u.shape
    for i in prange(1, n - 1):
        for j in range(1, m - 1):
            for k in range(1, p - 1):
                neighbours = (
                    u[i + 1, j, k]
                    + u[i - 1, j, k]
                    + u[i, j + 1, k]
                    + u[i, j - 1, k]
                    + u[i, j, k + 1]
                    + u[i, j, k - 1]
                )
                new[i, j, k] = u[i, j, k] + NUMBER * (neighbours - 6 * u[i, j, k])


@njit(cache=True)
def run(start, steps):
    u, new = start.copy(), start.copy()
    for _ in range(steps):
        step(u, new)
        u, new = new, u
    return u
