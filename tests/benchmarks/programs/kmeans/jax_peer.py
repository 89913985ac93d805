"""JAX: segment_sum in a fori_loop."""

from functools import partial

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


@partial(jax.jit, static_argnums=1)
def cluster(points, clusters, rounds):
    def step(_, state):
        centres = state[0]
        squares = jnp.sum((points[:, None, :] - centres[None, :, :]) ** 2, axis=2)
        labels = jnp.argmin(squares, axis=1)
        sums = jax.ops.segment_sum(points, labels, clusters)
        counts = jnp.bincount(labels, length=clusters)
        return sums / counts[:, None], labels, jnp.sum(jnp.min(squares, axis=1))

    start = points[:clusters], jnp.zeros(len(points), dtype=jnp.int64), 0.0
    return jax.lax.fori_loop(0, rounds, step, start)


def run(points, clusters, rounds):
    return jax.block_until_ready(cluster(points, clusters, rounds))
