"""JAX: a scan over the rates."""

import jax
import jax.numpy as jnp

from tests.benchmarks.programs.quaternion_attitude.program import DT

jax.config.update("jax_enable_x64", True)


def product(p, q):
    scalar = p[0] * q[0] - jnp.dot(p[1:], q[1:])
    vector = p[0] * q[1:] + q[0] * p[1:] + jnp.cross(p[1:], q[1:])
    return jnp.concatenate([scalar[None], vector])


def step(attitude, rate):
    speed = jnp.linalg.norm(rate)
    half = 0.5 * DT * speed
    turn = jnp.concatenate([jnp.cos(half)[None], jnp.sin(half) / speed * rate])
    attitude = product(attitude, turn)
    return attitude / jnp.linalg.norm(attitude), None


@jax.jit
def turned(rates):
    return jax.lax.scan(step, jnp.array([1.0, 0.0, 0.0, 0.0]), rates)[0]


def run(rates):
    return turned(rates).block_until_ready()
