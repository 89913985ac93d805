"""JAX: NumPy draws, since JAX's generators give other numbers; the rest is jitted."""

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)


@jax.jit
def spread(x, y, chosen):
    ratios = y[chosen].mean(axis=1) / x[chosen].mean(axis=1)
    return ratios.std(ddof=1), jnp.quantile(ratios, jnp.array([0.025, 0.975]))


def run(x, y, seed, samples):
    chosen = np.random.default_rng(seed).integers(0, len(x), size=(samples, len(x)))
    return jax.block_until_ready(spread(x, y, chosen))
