"""JAX: fori_loops; what is done already is masked, since shapes are fixed."""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


@jax.jit
def solve(matrix, right):
    n = len(right)
    rows = jnp.arange(n)

    def swap(z, k, pivot):
        row = z[k]
        return z.at[k].set(z[pivot]).at[pivot].set(row)

    def eliminate(k, state):
        a, x = state
        pivot = jnp.argmax(jnp.where(rows >= k, jnp.abs(a[:, k]), -1.0))
        a, x = swap(a, k, pivot), swap(x, k, pivot)
        factors = jnp.where(rows > k, a[:, k] / a[k, k], 0.0)
        a = a - jnp.outer(factors, jnp.where(rows > k, a[k], 0.0))
        return a.at[:, k].set(jnp.where(rows > k, factors, a[:, k])), x

    a, x = jax.lax.fori_loop(0, n - 1, eliminate, (matrix, right))

    def forward(i, x):
        return x.at[i].add(-jnp.sum(jnp.where(rows < i, a[i] * x, 0.0)))

    def backward(m, x):
        i = n - 1 - m
        rest = x[i] - jnp.sum(jnp.where(rows > i, a[i] * x, 0.0))
        return x.at[i].set(rest / a[i, i])

    return jax.lax.fori_loop(0, n, backward, jax.lax.fori_loop(1, n, forward, x))


def run(matrix, right):
    return solve(matrix, right).block_until_ready()
