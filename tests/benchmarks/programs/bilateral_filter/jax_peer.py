"""JAX: the loops over neighbours unroll under jit."""

import jax
import jax.numpy as jnp

from tests.benchmarks.programs.bilateral_filter.program import ALIKE, NEAR, RADIUS

jax.config.update("jax_enable_x64", True)


@jax.jit
def smoothed(image):
    n, m = image.shape
    padded = jnp.pad(image, RADIUS, mode="edge")
    sums, weights = jnp.zeros_like(image), jnp.zeros_like(image)
    for i in range(2 * RADIUS + 1):
        for j in range(2 * RADIUS + 1):
            shifted = padded[i : i + n, j : j + m]
            square = (i - RADIUS) ** 2 + (j - RADIUS) ** 2
            weight = jnp.exp(-square / (2 * NEAR**2) - (shifted - image) ** 2 / (2 * ALIKE**2))
            sums += weight * shifted
            weights += weight
    return sums / weights


def run(image):
    return smoothed(image).block_until_ready()
