"""JAX: NumPy draws, since JAX's generators give other numbers; a scan over the sweeps."""

import jax
import jax.numpy as jnp
import numpy as np

from tests.benchmarks.programs.ising_checkerboard.program import BETA

jax.config.update("jax_enable_x64", True)


@jax.jit
def simulate(chances):
    n = chances.shape[-1]
    row, column = jnp.indices((n, n))
    colours = (row + column) % 2

    def sweep(spins, chance):
        for colour in range(2):
            neighbours = (
                jnp.roll(spins, 1, axis=0)
                + jnp.roll(spins, -1, axis=0)
                + jnp.roll(spins, 1, axis=1)
                + jnp.roll(spins, -1, axis=1)
            )
            likely = jnp.exp(-2 * BETA * spins * neighbours)
            flips = (chance[colour] < likely) & (colours == colour)
            spins = jnp.where(flips, -spins, spins)
        return spins, spins.mean()

    spins, magnetisation = jax.lax.scan(sweep, jnp.ones((n, n), dtype=jnp.int64), chances)
    return magnetisation, spins


def run(seed, n, sweeps):
    chances = np.random.default_rng(seed).random((sweeps, 2, n, n))
    return jax.block_until_ready(simulate(chances))
