"""JAX: its own gradients, in a scan."""

from functools import partial

import jax
import jax.numpy as jnp

from tests.benchmarks.programs.network_training.program import RATE

jax.config.update("jax_enable_x64", True)


def loss(parameters, x, y):
    w1, b1, w2, b2 = parameters
    return jnp.mean((jnp.tanh(x @ w1 + b1) @ w2 + b2 - y) ** 2)


@partial(jax.jit, static_argnums=4)
def train(x, y, w1, w2, steps):
    def step(parameters, _):
        value, slopes = jax.value_and_grad(loss)(parameters, x, y)
        return jax.tree.map(lambda p, slope: p - RATE * slope, parameters, slopes), value

    start = w1, jnp.zeros(w1.shape[1]), w2, jnp.zeros(1)
    parameters, losses = jax.lax.scan(step, start, None, steps)
    return losses, *parameters


def run(x, y, w1, w2, steps):
    return jax.block_until_ready(train(x, y, w1, w2, steps))
