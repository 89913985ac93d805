"""JAX: a scan over the samples."""

import jax
import jax.numpy as jnp

from tests.benchmarks.programs.biquad_filter.program import FREQUENCY, QUALITY, coefficients

jax.config.update("jax_enable_x64", True)


@jax.jit
def filtered(x):
    b0, b1, a1, a2 = coefficients(FREQUENCY, QUALITY)
    padded = jnp.pad(x, (2, 0))
    driven = b0 * x + b1 * padded[1:-1] + b0 * padded[:-2]

    def step(last, drive):
        new = drive - a1 * last[0] - a2 * last[1]
        return (new, last[0]), new

    return jax.lax.scan(step, (0.0, 0.0), driven)[1]


def run(x):
    return filtered(x).block_until_ready()
