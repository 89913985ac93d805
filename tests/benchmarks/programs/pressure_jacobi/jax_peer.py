"""JAX: a while_loop."""

import jax
import jax.numpy as jnp

from tests.benchmarks.programs.pressure_jacobi.program import TOLERANCE

jax.config.update("jax_enable_x64", True)


@jax.jit
def pressure(source, spacing):
    def unsettled(state):
        return state[1] > TOLERANCE

    def iterate(state):
        old, _, iterations = state
        p = old.at[1:-1, 1:-1].set(
            0.25
            * (
                old[2:, 1:-1]
                + old[:-2, 1:-1]
                + old[1:-1, 2:]
                + old[1:-1, :-2]
                - spacing**2 * source[1:-1, 1:-1]
            )
        )
        p = p.at[:, -1].set(p[:, -2])
        return p, jnp.sum(jnp.abs(p - old)) / jnp.sum(jnp.abs(p)), iterations + 1

    p, _, iterations = jax.lax.while_loop(unsettled, iterate, (jnp.zeros_like(source), 1.0, 0))
    return p, iterations


def run(source, spacing):
    return jax.block_until_ready(pressure(source, spacing))
