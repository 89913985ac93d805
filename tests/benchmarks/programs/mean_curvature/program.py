"""Mean curvature of the level sets of a function on a grid.

div(grad f / |grad f|) in central differences:
(f_xx f_y^2 - 2 f_x f_y f_xy + f_yy f_x^2) / (f_x^2 + f_y^2)^(3/2).
"""

import numpy as np

CLASS = "one-shot stencils"
SIZES = {"small": {"n": 80}, "medium": {"n": 500}, "large": {"n": 2_000}}
RTOL, ATOL = 1e-9, 1e-9


def make(n):
    """Distances from a point, disturbed a little so that nothing is symmetric."""
    x, y = np.meshgrid(np.linspace(-1, 1, n), np.linspace(-1, 1, n), indexing="ij")
    return np.hypot(x + 1.7, y + 1.9) + 0.01 * np.sin(3 * x + 2 * y), 2 / (n - 1)


def run(f, spacing):
    fx = (f[2:, 1:-1] - f[:-2, 1:-1]) / (2 * spacing)
    fy = (f[1:-1, 2:] - f[1:-1, :-2]) / (2 * spacing)
    fxx = (f[2:, 1:-1] - 2 * f[1:-1, 1:-1] + f[:-2, 1:-1]) / spacing**2
    fyy = (f[1:-1, 2:] - 2 * f[1:-1, 1:-1] + f[1:-1, :-2]) / spacing**2
    fxy = (f[2:, 2:] - f[2:, :-2] - f[:-2, 2:] + f[:-2, :-2]) / (4 * spacing**2)
    return (fxx * fy**2 - 2 * fx * fy * fxy + fyy * fx**2) / (fx**2 + fy**2) ** 1.5


def bytes_moved(n):
    return 2 * 8 * n * n


def check(curvature, f, spacing):
    radius = f[1:-1, 1:-1]
    assert np.abs(curvature - 1 / radius).max() < 0.2
