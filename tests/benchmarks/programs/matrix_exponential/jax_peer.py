"""JAX: the number of squarings is data, so they are a fori_loop."""

import jax
import jax.numpy as jnp

from tests.benchmarks.programs.matrix_exponential.program import TERMS

jax.config.update("jax_enable_x64", True)


@jax.jit
def exponential(a):
    norm = jnp.abs(a).sum(axis=0).max()
    squarings = jnp.maximum(0, jnp.ceil(jnp.log2(norm)).astype(int) + 1)
    scaled = a / 2.0**squarings
    term = total = jnp.eye(len(a))
    for k in range(1, TERMS + 1):
        term = term @ scaled / k
        total = total + term
    return jax.lax.fori_loop(0, squarings, lambda _, x: x @ x, total)


def run(a):
    return exponential(a).block_until_ready()
