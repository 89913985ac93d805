"""Electrons in a plasma, by particles and a grid.

One dimension, periodic: charges are shared out to the two nearest nodes
(Birdsall and Langdon), the field follows from Gauss's law by FFT, and
particles move in the field between their nodes.
"""

import numpy as np

CLASS = "particles"
SIZES = {
    "small": {"particles": 500, "cells": 32, "steps": 4},
    "medium": {"particles": 10_000, "cells": 64, "steps": 20},
    "large": {"particles": 300_000, "cells": 256, "steps": 20},
}
RTOL, ATOL = 1e-7, 1e-8

LENGTH, DT = 4 * np.pi, 0.1


def make(particles, cells, steps):
    """Two streams against each other, disturbed a little."""
    rng = np.random.default_rng(61)
    position = rng.uniform(0, LENGTH, particles)
    velocity = np.where(np.arange(particles) % 2 == 0, 1.0, -1.0)
    return position, velocity + 0.1 * np.sin(position), cells, steps


def run(position, velocity, cells, steps):
    width = LENGTH / cells
    waves = 2 * np.pi * np.fft.rfftfreq(cells, width)
    waves[0] = 1.0
    weight = cells / len(position)
    energies = np.zeros(steps)
    for k in range(steps):
        place = position / width
        left = np.floor(place).astype(np.int64)
        part = place - left
        left = left % cells
        right = (left + 1) % cells
        density = np.bincount(left, weights=1 - part, minlength=cells)
        density += np.bincount(right, weights=part, minlength=cells)
        spectrum = np.fft.rfft(1 - weight * density) / (1j * waves)
        spectrum[0] = 0
        field = np.fft.irfft(spectrum, cells)
        energies[k] = 0.5 * width * np.sum(field**2)
        velocity = velocity - DT * (field[left] * (1 - part) + field[right] * part)
        position = (position + DT * velocity) % LENGTH
    return position, velocity, energies


def check(result, position, velocity, cells, steps):
    """The forces of all particles on each other cancel."""
    assert np.all((result[0] >= 0) & (result[0] < LENGTH))
    assert np.isclose(result[1].sum(), velocity.sum(), atol=1e-6)
