"""Escape times of the Mandelbrot set, points that have escaped left out.

z' = z^2 + c from 0; a point has escaped once |z| > 2. Escaped points are
removed from the arrays, which shrink.
"""

import numpy as np

CLASS = "masks and shrinking arrays"
SIZES = {
    "small": {"n": 40, "limit": 15},
    "medium": {"n": 500, "limit": 25},
    "large": {"n": 1_200, "limit": 30},
}
RTOL, ATOL = 0, 0


def make(n, limit):
    x, y = np.linspace(-2.1, 0.7, n), np.linspace(-1.2, 1.2, n)
    return (x[:, None] + 1j * y).ravel(), limit


def run(c, limit):
    times = np.full(c.shape, limit)
    index = np.arange(c.size)
    z = np.zeros_like(c)
    for k in range(limit):
        z = z * z + c
        escaped = z.real**2 + z.imag**2 > 4.0
        times[index[escaped]] = k
        inside = ~escaped
        index, z, c = index[inside], z[inside], c[inside]
    return times


def check(times, c, limit):
    assert np.all(times[np.abs(c) < 0.25] == limit)
    assert np.all(times[np.abs(c) > 2] == 0)
