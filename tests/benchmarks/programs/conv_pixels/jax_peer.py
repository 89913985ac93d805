"""JAX: its own convolution under jit."""

import jax

jax.config.update("jax_enable_x64", True)


@jax.jit
def convolved(image, kernel):
    out = jax.lax.conv_general_dilated(image[None, None], kernel[None, None], (1, 1), "VALID")
    return out[0, 0]


def run(image, kernel):
    return convolved(image, kernel).block_until_ready()
