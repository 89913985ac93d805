"""JAX: the step in a fori_loop."""

import jax
import jax.numpy as jnp

from tests.benchmarks.programs.kdv_solitons.program import DISPERSION

jax.config.update("jax_enable_x64", True)


@jax.jit
def solitons(start, dx, dt, steps):
    def step(_, waves):
        before, now = waves
        right, left = jnp.roll(now, -1), jnp.roll(now, 1)
        steepening = (right + now + left) * (right - left) / (3 * dx)
        spreading = jnp.roll(now, -2) - 2 * right + 2 * left - jnp.roll(now, 2)
        return now, before - dt * (steepening + DISPERSION**2 * spreading / dx**3)

    return jax.lax.fori_loop(0, steps, step, (start, start))[1]


def run(start, dx, dt, steps):
    return solitons(start, dx, dt, steps).block_until_ready()
