"""JAX: a while_loop for one pair, over all of them by vmap."""

import jax
import jax.numpy as jnp

from tests.benchmarks.programs.newton_intersections.program import TOLERANCE

jax.config.update("jax_enable_x64", True)


@jax.jit
@jax.vmap
def intersection(radius, long, short):
    def misses(x):
        ellipse = (x[0] / long) ** 2 + (x[1] / short) ** 2 - 1
        return jnp.stack([x @ x - radius**2, ellipse])

    def unsettled(state):
        return jnp.max(jnp.abs(state[1])) > TOLERANCE

    def newton(state):
        step = jnp.linalg.solve(jax.jacfwd(misses)(state[0]), misses(state[0]))
        return state[0] - step, step

    return jax.lax.while_loop(unsettled, newton, (jnp.full(2, radius), jnp.ones(2)))[0]


def run(radii, long, short):
    return intersection(radii, long, short).block_until_ready()
