"""A quantum particle that meets a barrier.

Schrodinger's equation in one dimension by the split-step method: half a step
of the potential, a step of the kinetic energy in Fourier space, half a step of
the potential. It keeps the norm.
"""

import numpy as np

CLASS = "FFT and complex"
SIZES = {
    "small": {"n": 128, "steps": 20},
    "medium": {"n": 1_024, "steps": 300},
    "large": {"n": 32_768, "steps": 200},
}
RTOL, ATOL = 1e-8, 1e-10

LENGTH, DT = 100.0, 0.01


def make(n, steps):
    x = np.linspace(-LENGTH / 2, LENGTH / 2, n, endpoint=False)
    packet = np.exp(-((x + 10) ** 2) / 8 + 2j * x)
    packet /= np.sqrt(np.sum(np.abs(packet) ** 2))
    return packet, np.where(np.abs(x) < 1, 2.0, 0.0), steps


def run(packet, potential, steps):
    waves = 2 * np.pi * np.fft.fftfreq(len(packet), LENGTH / len(packet))
    half = np.exp(-0.5j * DT * potential)
    kinetic = np.exp(-0.5j * DT * waves**2)
    psi = packet
    for _ in range(steps):
        psi = half * np.fft.ifft(kinetic * np.fft.fft(half * psi))
    return psi, np.abs(psi) ** 2


def check(result, packet, potential, steps):
    assert np.isclose(result[1].sum(), 1)
