"""JAX: a scan over the symbols."""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


@jax.jit
def forward(start, moves, emissions, observed):
    def scaled(alpha, likelihood):
        scale = alpha.sum()
        return alpha / scale, likelihood + jnp.log(scale)

    def step(state, symbol):
        alpha, likelihood = state
        return scaled((alpha @ moves) * emissions[:, symbol], likelihood), None

    first = scaled(start * emissions[:, observed[0]], 0.0)
    (alpha, likelihood), _ = jax.lax.scan(step, first, observed[1:])
    return likelihood, alpha


def run(start, moves, emissions, observed):
    return jax.block_until_ready(forward(start, moves, emissions, observed))
