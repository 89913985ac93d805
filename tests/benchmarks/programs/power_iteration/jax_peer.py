"""JAX: a while_loop."""

import jax
import jax.numpy as jnp

from tests.benchmarks.programs.power_iteration.program import TOLERANCE

jax.config.update("jax_enable_x64", True)


@jax.jit
def largest(matrix):
    def unsettled(state):
        return state[2] > TOLERANCE

    def iterate(state):
        vector, value, _ = state
        image = matrix @ vector
        new = vector @ image
        return image / jnp.linalg.norm(image), new, jnp.abs(new - value) / jnp.abs(new)

    start = jnp.ones(len(matrix)) / jnp.sqrt(len(matrix))
    vector, value, _ = jax.lax.while_loop(unsettled, iterate, (start, 0.0, 1.0))
    return value, jnp.abs(vector)


def run(matrix):
    return jax.block_until_ready(largest(matrix))
