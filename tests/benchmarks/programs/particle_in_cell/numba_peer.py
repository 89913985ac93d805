"""Numba: loops over the particles; the small FFT stays in NumPy."""

import numpy as np
from numba import njit, prange

from tests.benchmarks.programs.particle_in_cell.program import DT, LENGTH


@njit(cache=True)
def deposit(position, cells):
    """The density on the nodes; one thread, since particles share nodes."""
    width = LENGTH / cells
    density = np.zeros(cells)
    for i in range(position.size):
        place = position[i] / width
        left = int(np.floor(place))
        part = place - left
        density[left % cells] += 1 - part
        density[(left + 1) % cells] += part
    return density


@njit(parallel=True, cache=True)
def push(position, velocity, field):
    cells = field.size
    width = LENGTH / cells
    for i in prange(position.size):
        place = position[i] / width
        left = int(np.floor(place))
        part = place - left
        force = field[left % cells] * (1 - part) + field[(left + 1) % cells] * part
        velocity[i] -= DT * force
        position[i] = (position[i] + DT * velocity[i]) % LENGTH


def run(position, velocity, cells, steps):
    position, velocity = position.copy(), velocity.copy()
    width = LENGTH / cells
    waves = 2 * np.pi * np.fft.rfftfreq(cells, width)
    waves[0] = 1.0
    weight = cells / len(position)
    energies = np.zeros(steps)
    for k in range(steps):
        spectrum = np.fft.rfft(1 - weight * deposit(position, cells)) / (1j * waves)
        spectrum[0] = 0
        field = np.fft.irfft(spectrum, cells)
        energies[k] = 0.5 * width * np.sum(field**2)
        push(position, velocity, field)
    return position, velocity, energies
