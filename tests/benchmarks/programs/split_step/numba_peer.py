"""Numba: one pass for the products; it has no FFT, which stays in NumPy."""

import numpy as np
from numba import njit

from tests.benchmarks.programs.split_step.program import DT, LENGTH


@njit(cache=True)
def multiply(factors, values):
    for i in range(values.size):
        values[i] *= factors[i]


def run(packet, potential, steps):
    waves = 2 * np.pi * np.fft.fftfreq(len(packet), LENGTH / len(packet))
    half = np.exp(-0.5j * DT * potential)
    kinetic = np.exp(-0.5j * DT * waves**2)
    psi = packet.copy()
    for _ in range(steps):
        multiply(half, psi)
        spectrum = np.fft.fft(psi)
        multiply(kinetic, spectrum)
        psi = np.fft.ifft(spectrum)
        multiply(half, psi)
    return psi, np.abs(psi) ** 2
