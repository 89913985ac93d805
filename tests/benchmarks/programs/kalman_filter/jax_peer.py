"""JAX: a scan over the measurements."""

import jax
import jax.numpy as jnp

from tests.benchmarks.programs.kalman_filter.program import DT, NOISE, PUSH

jax.config.update("jax_enable_x64", True)


@jax.jit
def filtered(measurements):
    eye = jnp.eye(2)
    transition = jnp.block([[eye, DT * eye], [jnp.zeros((2, 2)), eye]])
    gains = jnp.vstack([0.5 * DT**2 * eye, DT * eye])
    push = PUSH**2 / DT * gains @ gains.T
    observe = jnp.hstack([eye, jnp.zeros((2, 2))])
    noise = NOISE**2 * eye

    def step(belief, measurement):
        state, covariance = belief
        state = transition @ state
        covariance = transition @ covariance @ transition.T + push
        surprise = measurement - observe @ state
        spread = observe @ covariance @ observe.T + noise
        gain = covariance @ observe.T @ jnp.linalg.inv(spread)
        state = state + gain @ surprise
        return (state, (jnp.eye(4) - gain @ observe) @ covariance), state

    (_, covariance), path = jax.lax.scan(step, (jnp.zeros(4), jnp.eye(4)), measurements)
    return path, covariance


def run(measurements):
    return jax.block_until_ready(filtered(measurements))
