"""JAX: the same expression under jit."""

import jax
import jax.numpy as jnp

from tests.benchmarks.programs.gaussian_mixture.program import COMPONENTS

jax.config.update("jax_enable_x64", True)


@jax.jit
def density(x):
    total = jnp.zeros_like(x)
    for weight, mean, width in COMPONENTS:
        scaled = (x - mean) / width
        total += weight * jnp.exp(-0.5 * scaled**2) / (width * jnp.sqrt(2 * jnp.pi))
    return total


def run(x):
    return density(x).block_until_ready()
