"""JAX: two scans."""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


@jax.jit
def solve(lower, diagonal, upper, right):
    def eliminate(above, row):
        pivot, x = above
        a, b, c_above, r = row
        factor = a / pivot
        new = b - factor * c_above, r - factor * x
        return new, new

    def substitute(below, row):
        pivot, c, x = row
        new = (x - c * below) / pivot
        return new, new

    rows = lower[1:], diagonal[1:], upper[:-1], right[1:]
    start = diagonal[0], right[0]
    _, (pivots, x) = jax.lax.scan(eliminate, start, rows)
    pivots = jnp.concatenate([diagonal[:1], pivots])
    x = jnp.concatenate([right[:1], x])
    last = upper.at[-1].set(0.0)
    return jax.lax.scan(substitute, jnp.zeros_like(right[0]), (pivots, last, x), reverse=True)[1]


def run(lower, diagonal, upper, right):
    return solve(lower, diagonal, upper, right).block_until_ready()
