"""JAX: the same expressions under jit."""

import jax
import jax.numpy as jnp

from tests.benchmarks.programs.black_scholes.program import RATE, VOLATILITY

jax.config.update("jax_enable_x64", True)


def normal_cdf(x):
    k = 1 / (1 + 0.2316419 * jnp.abs(x))
    series = k * (
        0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))
    )
    upper = jnp.exp(-0.5 * x * x) / jnp.sqrt(2 * jnp.pi) * series
    return jnp.where(x >= 0, 1 - upper, upper)


@jax.jit
def prices(spot, strike, time):
    spread = VOLATILITY * jnp.sqrt(time)
    d1 = (jnp.log(spot / strike) + (RATE + 0.5 * VOLATILITY**2) * time) / spread
    d2 = d1 - spread
    discounted = strike * jnp.exp(-RATE * time)
    call = spot * normal_cdf(d1) - discounted * normal_cdf(d2)
    put = discounted * normal_cdf(-d2) - spot * normal_cdf(-d1)
    return call, put


def run(spot, strike, time):
    return jax.block_until_ready(prices(spot, strike, time))
