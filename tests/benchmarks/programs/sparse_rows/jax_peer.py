"""JAX: the row of every entry, and segment_sum."""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


@jax.jit
def multiplied(entries, columns, starts, vector, times):
    n = len(vector)
    rows = jnp.repeat(jnp.arange(n), jnp.diff(starts), total_repeat_length=len(entries))

    def step(_, x):
        terms = entries * x[columns]
        image = jax.ops.segment_sum(terms, rows, n, indices_are_sorted=True)
        return image / jnp.max(jnp.abs(image))

    return jax.lax.fori_loop(0, times, step, vector)


def run(entries, columns, starts, vector, times):
    return multiplied(entries, columns, starts, vector, times).block_until_ready()
