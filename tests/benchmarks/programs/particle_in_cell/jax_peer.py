"""JAX: a scan over the steps."""

from functools import partial

import jax
import jax.numpy as jnp

from tests.benchmarks.programs.particle_in_cell.program import DT, LENGTH

jax.config.update("jax_enable_x64", True)


@partial(jax.jit, static_argnums=(2, 3))
def simulated(position, velocity, cells, steps):
    width = LENGTH / cells
    waves = (2 * jnp.pi * jnp.fft.rfftfreq(cells, width)).at[0].set(1.0)
    weight = cells / len(position)

    def step(state, _):
        position, velocity = state
        place = position / width
        left = jnp.floor(place).astype(jnp.int64)
        part = place - left
        left = left % cells
        right = (left + 1) % cells
        density = jnp.zeros(cells).at[left].add(1 - part).at[right].add(part)
        spectrum = (jnp.fft.rfft(1 - weight * density) / (1j * waves)).at[0].set(0)
        field = jnp.fft.irfft(spectrum, cells)
        velocity = velocity - DT * (field[left] * (1 - part) + field[right] * part)
        position = (position + DT * velocity) % LENGTH
        return (position, velocity), 0.5 * width * jnp.sum(field**2)

    (position, velocity), energies = jax.lax.scan(step, (position, velocity), None, steps)
    return position, velocity, energies


def run(position, velocity, cells, steps):
    return jax.block_until_ready(simulated(position, velocity, cells, steps))
