"""JAX: the step in a fori_loop."""

import jax
import jax.numpy as jnp

from tests.benchmarks.programs.nbody.program import DT, SOFTENING

jax.config.update("jax_enable_x64", True)


def accelerations(position, mass):
    difference = position[None, :, :] - position[:, None, :]
    square = jnp.sum(difference**2, axis=2) + SOFTENING**2
    return jnp.sum(difference * (mass / square**1.5)[:, :, None], axis=1)


@jax.jit
def moved(position, velocity, mass, steps):
    def step(_, state):
        position, velocity, acceleration = state
        velocity = velocity + 0.5 * DT * acceleration
        position = position + DT * velocity
        acceleration = accelerations(position, mass)
        return position, velocity + 0.5 * DT * acceleration, acceleration

    start = position, velocity, accelerations(position, mass)
    return jax.lax.fori_loop(0, steps, step, start)[:2]


def run(position, velocity, mass, steps):
    return jax.block_until_ready(moved(position, velocity, mass, steps))
