"""JAX: the step in a fori_loop."""

import jax
import jax.numpy as jnp

from tests.benchmarks.programs.kepler_orbit.program import DT

jax.config.update("jax_enable_x64", True)


def derivative(state):
    place = state[:2]
    pull = -place / jnp.sum(place**2) ** 1.5
    return jnp.concatenate([state[2:], pull])


def step(_, state):
    k1 = derivative(state)
    k2 = derivative(state + DT / 2 * k1)
    k3 = derivative(state + DT / 2 * k2)
    k4 = derivative(state + DT * k3)
    return state + DT / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


@jax.jit
def orbit(state, steps):
    return jax.lax.fori_loop(0, steps, step, state)


def run(state, steps):
    return orbit(state, steps).block_until_ready()
