"""JAX: the same expressions under jit."""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


@jax.jit
def edges(image):
    grey = 0.299 * image[:, :, 0] + 0.587 * image[:, :, 1] + 0.114 * image[:, :, 2]
    across = (grey[:-2, 2:] + 2 * grey[1:-1, 2:] + grey[2:, 2:]) - (
        grey[:-2, :-2] + 2 * grey[1:-1, :-2] + grey[2:, :-2]
    )
    down = (grey[2:, :-2] + 2 * grey[2:, 1:-1] + grey[2:, 2:]) - (
        grey[:-2, :-2] + 2 * grey[:-2, 1:-1] + grey[:-2, 2:]
    )
    strength = jnp.hypot(across, down)
    return strength / strength.max(), across, down


def run(image):
    return jax.block_until_ready(edges(image))
