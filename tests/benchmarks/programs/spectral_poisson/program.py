"""The potential and the field of charges in a periodic box.

Poisson's equation in Fourier space: phi_k = rho_k / k^2, and the field from
its gradient, -i k phi_k.
"""

import numpy as np

CLASS = "FFT and complex"
SIZES = {"small": {"n": 32}, "medium": {"n": 256}, "large": {"n": 2_048}}
RTOL, ATOL = 1e-8, 1e-10
NO_PEER = {"numba": "it has no FFT, and little but FFT is done here"}


def make(n):
    density = np.random.default_rng(91).normal(size=(n, n))
    return (density - density.mean(),)


def run(density):
    n = len(density)
    kx = 2 * np.pi * np.fft.fftfreq(n, 1 / n)
    ky = 2 * np.pi * np.fft.rfftfreq(n, 1 / n)
    square = kx[:, None] ** 2 + ky**2
    square[0, 0] = 1.0
    potential = np.fft.rfft2(density) / square
    potential[0, 0] = 0.0
    field_x = np.fft.irfft2(-1j * kx[:, None] * potential, s=density.shape)
    field_y = np.fft.irfft2(-1j * ky * potential, s=density.shape)
    return np.fft.irfft2(potential, s=density.shape), field_x, field_y


def check(result, density):
    potential = result[0]
    assert abs(potential.mean()) < 1e-12
    assert np.sum(potential * density) > 0
