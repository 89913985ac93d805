"""JAX: the same expressions under jit."""

import jax
import jax.numpy as jnp

from tests.benchmarks.programs.great_circle.program import RADIUS

jax.config.update("jax_enable_x64", True)


@jax.jit
def distances(latitude, longitude, latitude0, longitude0):
    phi, phi0 = jnp.radians(latitude), jnp.radians(latitude0)
    turn = jnp.radians(longitude - longitude0)
    haversine = (
        jnp.sin((phi - phi0) / 2) ** 2 + jnp.cos(phi) * jnp.cos(phi0) * jnp.sin(turn / 2) ** 2
    )
    return 2 * RADIUS * jnp.arcsin(jnp.sqrt(jnp.clip(haversine, 0, 1)))


def run(latitude, longitude, latitude0, longitude0):
    return distances(latitude, longitude, latitude0, longitude0).block_until_ready()
