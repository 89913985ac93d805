"""JAX: the loops over neighbours unroll under jit."""

import jax
import jax.numpy as jnp

from tests.benchmarks.programs.laplacian_3d.program import WEIGHTS

jax.config.update("jax_enable_x64", True)


@jax.jit
def laplacian(f):
    n = f.shape[0] - 2
    total = jnp.zeros((n, n, n))
    for i in range(3):
        for j in range(3):
            for k in range(3):
                weight = WEIGHTS[abs(i - 1) + abs(j - 1) + abs(k - 1)]
                total += weight * f[i : i + n, j : j + n, k : k + n]
    return total


def run(f):
    return laplacian(f).block_until_ready()
