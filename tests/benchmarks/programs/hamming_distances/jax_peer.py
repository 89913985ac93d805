"""JAX: its own population count under jit."""

import jax

jax.config.update("jax_enable_x64", True)


@jax.jit
def distances(codes):
    return jax.lax.population_count(codes[:, None] ^ codes[None, :])


def run(codes):
    return distances(codes).block_until_ready()
