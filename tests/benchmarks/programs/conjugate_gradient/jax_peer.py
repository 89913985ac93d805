"""JAX: a while_loop."""

import jax
import jax.numpy as jnp

from tests.benchmarks.programs.conjugate_gradient.program import NUMBER, TOLERANCE

jax.config.update("jax_enable_x64", True)


def apply(x):
    padded = jnp.pad(x, 1)
    neighbours = padded[2:, 1:-1] + padded[:-2, 1:-1] + padded[1:-1, 2:] + padded[1:-1, :-2]
    return x - NUMBER * (neighbours - 4 * x)


@jax.jit
def solve(b):
    goal = TOLERANCE**2 * jnp.sum(b * b)

    def unsolved(state):
        return state[3] > goal

    def iterate(state):
        x, residual, direction, square = state
        image = apply(direction)
        length = square / jnp.sum(direction * image)
        residual = residual - length * image
        new = jnp.sum(residual * residual)
        return x + length * direction, residual, residual + new / square * direction, new

    return jax.lax.while_loop(unsolved, iterate, (jnp.zeros_like(b), b, b, jnp.sum(b * b)))[0]


def run(b):
    return solve(b).block_until_ready()
