"""JAX: NumPy draws, since JAX's generators give other numbers; the rest is jitted."""

import jax
import jax.numpy as jnp
import numpy as np

from tests.benchmarks.programs.asian_option.program import RATE, STRIKE, VOLATILITY, YEARS

jax.config.update("jax_enable_x64", True)


@jax.jit
def price(shocks):
    paths, steps = shocks.shape
    dt = YEARS / steps
    moves = (RATE - 0.5 * VOLATILITY**2) * dt + VOLATILITY * jnp.sqrt(dt) * shocks
    prices = 100.0 * jnp.exp(jnp.cumsum(moves, axis=1))
    payoffs = jnp.exp(-RATE * YEARS) * jnp.maximum(prices.mean(axis=1) - STRIKE, 0)
    return payoffs.mean(), payoffs.std() / jnp.sqrt(paths)


def run(seed, paths, steps):
    shocks = np.random.default_rng(seed).standard_normal((paths, steps))
    return jax.block_until_ready(price(shocks))
