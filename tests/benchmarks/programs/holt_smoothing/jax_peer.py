"""JAX: a scan over time."""

import jax
import jax.numpy as jnp

from tests.benchmarks.programs.holt_smoothing.program import ALPHA, BETA

jax.config.update("jax_enable_x64", True)


@jax.jit
def smoothed(values):
    def step(state, value):
        level, trend, squares = state
        forecast = level + trend
        new = ALPHA * value + (1 - ALPHA) * forecast
        trend = BETA * (new - level) + (1 - BETA) * trend
        return (new, trend, squares + (value - forecast) ** 2), None

    start = values[0], values[1] - values[0], jnp.zeros_like(values[0])
    (level, trend, squares), _ = jax.lax.scan(step, start, values[1:])
    return level + trend, squares / (len(values) - 1)


def run(values):
    return jax.block_until_ready(smoothed(values))
