"""JAX: the same slices under jit."""

import jax

jax.config.update("jax_enable_x64", True)


@jax.jit
def curvature(f, spacing):
    fx = (f[2:, 1:-1] - f[:-2, 1:-1]) / (2 * spacing)
    fy = (f[1:-1, 2:] - f[1:-1, :-2]) / (2 * spacing)
    fxx = (f[2:, 1:-1] - 2 * f[1:-1, 1:-1] + f[:-2, 1:-1]) / spacing**2
    fyy = (f[1:-1, 2:] - 2 * f[1:-1, 1:-1] + f[1:-1, :-2]) / spacing**2
    fxy = (f[2:, 2:] - f[2:, :-2] - f[:-2, 2:] + f[:-2, :-2]) / (4 * spacing**2)
    return (fxx * fy**2 - 2 * fx * fy * fxy + fyy * fx**2) / (fx**2 + fy**2) ** 1.5


def run(f, spacing):
    return curvature(f, spacing).block_until_ready()
