"""JAX: the step in a fori_loop."""

import jax

from tests.benchmarks.programs.heat_3d.program import NUMBER

jax.config.update("jax_enable_x64", True)


def step(_, u):
    change = NUMBER * (
        u[2:, 1:-1, 1:-1]
        + u[:-2, 1:-1, 1:-1]
        + u[1:-1, 2:, 1:-1]
        + u[1:-1, :-2, 1:-1]
        + u[1:-1, 1:-1, 2:]
        + u[1:-1, 1:-1, :-2]
        - 6 * u[1:-1, 1:-1, 1:-1]
    )
    return u.at[1:-1, 1:-1, 1:-1].add(change)


@jax.jit
def spread(start, steps):
    return jax.lax.fori_loop(0, steps, step, start)


def run(start, steps):
    return spread(start, steps).block_until_ready()
