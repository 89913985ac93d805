"""JAX: the same expressions under jit."""

import jax
import jax.numpy as jnp

from tests.benchmarks.programs.welch_spectrum.program import SEGMENT

jax.config.update("jax_enable_x64", True)


@jax.jit
def welch(signal):
    window = 0.5 - 0.5 * jnp.cos(2 * jnp.pi * jnp.arange(SEGMENT) / SEGMENT)
    starts = jnp.arange(0, len(signal) - SEGMENT + 1, SEGMENT // 2)
    segments = signal[starts[:, None] + jnp.arange(SEGMENT)]
    segments = (segments - segments.mean(axis=1, keepdims=True)) * window
    power = jnp.abs(jnp.fft.rfft(segments, axis=1)) ** 2
    return power.mean(axis=0) / jnp.sum(window**2)


def run(signal):
    return welch(signal).block_until_ready()
