"""JAX: its own convolution under jit."""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


@jax.jit
def layer(images, kernels, bias):
    out = jax.lax.conv_general_dilated(images, kernels, (1, 1), "VALID")
    return jnp.maximum(out + bias[:, None, None], 0.0)


def run(images, kernels, bias):
    return layer(images, kernels, bias).block_until_ready()
