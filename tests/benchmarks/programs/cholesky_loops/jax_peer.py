"""JAX: a fori_loop over columns; rows below are masked, since shapes are fixed."""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


@jax.jit
def decompose(a):
    n = len(a)
    rows = jnp.arange(n)

    def column(j, factor):
        # Columns from j on are still zero, so that whole rows may be multiplied.
        rest = a[:, j] - factor @ factor[j]
        pivot = jnp.sqrt(rest[j])
        return factor.at[:, j].set(jnp.where(rows > j, rest / pivot, 0.0).at[j].set(pivot))

    return jax.lax.fori_loop(0, n, column, jnp.zeros_like(a))


def run(a):
    return decompose(a).block_until_ready()
