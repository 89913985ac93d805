"""JAX: the same expressions under jit."""

import jax
import jax.numpy as jnp

from tests.benchmarks.programs.limited_advection.program import COURANT

jax.config.update("jax_enable_x64", True)


@jax.jit
def step(u):
    left = u - jnp.roll(u, 1)
    right = jnp.roll(u, -1) - u
    smaller = jnp.minimum(jnp.abs(left), jnp.abs(right))
    slope = jnp.where(left * right > 0, jnp.sign(left) * smaller, 0.0)
    flux = u + 0.5 * (1 - COURANT) * slope
    return u - COURANT * (flux - jnp.roll(flux, 1))


def run(u):
    return step(u).block_until_ready()
