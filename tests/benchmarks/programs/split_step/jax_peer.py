"""JAX: the step in a fori_loop."""

import jax
import jax.numpy as jnp

from tests.benchmarks.programs.split_step.program import DT, LENGTH

jax.config.update("jax_enable_x64", True)


@jax.jit
def propagated(packet, potential, steps):
    waves = 2 * jnp.pi * jnp.fft.fftfreq(len(packet), LENGTH / len(packet))
    half = jnp.exp(-0.5j * DT * potential)
    kinetic = jnp.exp(-0.5j * DT * waves**2)

    def step(_, psi):
        return half * jnp.fft.ifft(kinetic * jnp.fft.fft(half * psi))

    psi = jax.lax.fori_loop(0, steps, step, packet)
    return psi, jnp.abs(psi) ** 2


def run(packet, potential, steps):
    return jax.block_until_ready(propagated(packet, potential, steps))
