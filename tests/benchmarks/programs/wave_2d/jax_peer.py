"""JAX: the step in a fori_loop."""

import jax
import jax.numpy as jnp

from tests.benchmarks.programs.wave_2d.program import COURANT

jax.config.update("jax_enable_x64", True)


def step(_, fields):
    before, now = fields
    inner = (
        2 * now[1:-1, 1:-1]
        - before[1:-1, 1:-1]
        + COURANT
        * (now[2:, 1:-1] + now[:-2, 1:-1] + now[1:-1, 2:] + now[1:-1, :-2] - 4 * now[1:-1, 1:-1])
    )
    return now, jnp.pad(inner, 1)


@jax.jit
def waves(start, steps):
    return jax.lax.fori_loop(0, steps, step, (start, start))


def run(start, steps):
    return jax.block_until_ready(waves(start, steps))
