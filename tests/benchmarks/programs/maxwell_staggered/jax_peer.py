"""JAX: the three updates in a fori_loop."""

from functools import partial

import jax
import jax.numpy as jnp

from tests.benchmarks.programs.maxwell_staggered.program import COURANT

jax.config.update("jax_enable_x64", True)


@partial(jax.jit, static_argnums=0)
def fields(n, steps):
    def step(k, state):
        ez, hx, hy = state
        hx = hx - COURANT * (ez[:, 1:] - ez[:, :-1])
        hy = hy + COURANT * (ez[1:, :] - ez[:-1, :])
        ez = ez.at[1:-1, 1:-1].add(
            COURANT * (hy[1:, 1:-1] - hy[:-1, 1:-1] - hx[1:-1, 1:] + hx[1:-1, :-1])
        )
        return ez.at[n // 2, n // 2].add(jnp.sin(0.3 * k)), hx, hy

    start = jnp.zeros((n, n)), jnp.zeros((n, n - 1)), jnp.zeros((n - 1, n))
    return jax.lax.fori_loop(0, steps, step, start)


def run(n, steps):
    return jax.block_until_ready(fields(n, steps))
