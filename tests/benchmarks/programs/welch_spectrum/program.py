"""The power spectrum of a long recording.

Welch's method (1967): overlapping segments, a Hann window, squared
magnitudes of their Fourier transforms, averaged.
"""

import numpy as np

CLASS = "FFT and complex"
SIZES = {"small": {"n": 8_000}, "medium": {"n": 300_000}, "large": {"n": 6_000_000}}
RTOL, ATOL = 1e-9, 1e-12
NO_PEER = {"numba": "it has no FFT, and little but FFT is done here"}

SEGMENT = 1_024


def make(n):
    noise = np.random.default_rng(92).normal(size=n)
    return (noise + np.sin(2 * np.pi * 0.125 * np.arange(n)),)


def run(signal):
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(SEGMENT) / SEGMENT)
    starts = np.arange(0, len(signal) - SEGMENT + 1, SEGMENT // 2)
    segments = signal[starts[:, None] + np.arange(SEGMENT)]
    segments = (segments - segments.mean(axis=1, keepdims=True)) * window
    power = np.abs(np.fft.rfft(segments, axis=1)) ** 2
    return power.mean(axis=0) / np.sum(window**2)


def bytes_moved(n):
    return 8 * n


def check(spectrum, signal):
    assert np.argmax(spectrum) == SEGMENT // 8
