"""JAX: the same expressions under jit."""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


@jax.jit
def drawdowns(returns):
    prices = jnp.exp(jnp.cumsum(returns, axis=0))
    peaks = jax.lax.cummax(prices, axis=0)
    falls = 1 - prices / peaks
    return prices[-1], falls.max(axis=0), falls.argmax(axis=0)


def run(returns):
    return jax.block_until_ready(drawdowns(returns))
