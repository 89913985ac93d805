"""JAX: the same expressions under jit."""

import jax
import jax.numpy as jnp

from tests.benchmarks.programs.pca.program import COMPONENTS

jax.config.update("jax_enable_x64", True)


@jax.jit
def components(table):
    centred = table - table.mean(axis=0)
    covariance = centred.T @ centred / (len(table) - 1)
    values, vectors = jnp.linalg.eigh(covariance)
    values, vectors = values[::-1][:COMPONENTS], vectors[:, ::-1][:, :COMPONENTS]
    largest = jnp.argmax(jnp.abs(vectors), axis=0)
    vectors = vectors * jnp.sign(vectors[largest, jnp.arange(COMPONENTS)])
    return centred @ vectors, values / jnp.trace(covariance)


def run(table):
    return jax.block_until_ready(components(table))
