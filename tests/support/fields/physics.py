"""Simulations: particles, fields, lattices, orbits."""

import numpy as np


def ising(spins, beta, draws):
    n, m = spins.shape
    accepted = 0
    for k in range(len(draws)):
        i, j = int(draws[k, 0] * n), int(draws[k, 1] * m)
        near = spins[(i + 1) % n, j] + spins[i - 1, j] + spins[i, (j + 1) % m] + spins[i, j - 1]
        change = 2 * spins[i, j] * near
        if change <= 0 or draws[k, 2] < np.exp(-beta * change):
            spins[i, j] *= -1
            accepted += 1
    energy = -np.sum(spins * (np.roll(spins, 1, 0) + np.roll(spins, 1, 1)))
    return spins, accepted, energy, spins.mean()


def lattice_boltzmann(density, steps, omega=1.0):
    cx = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1])
    cy = np.array([0, 0, 1, 0, -1, 1, 1, -1, -1])
    w = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)
    f = w[:, None, None] * density
    for _ in range(steps):
        for k in range(9):
            f[k] = np.roll(f[k], (cx[k], cy[k]), axis=(0, 1))
        rho = f.sum(axis=0)
        ux = np.tensordot(cx, f, axes=1) / rho
        uy = np.tensordot(cy, f, axes=1) / rho
        for k in range(9):
            cu = 3 * (cx[k] * ux + cy[k] * uy)
            feq = rho * w[k] * (1 + cu + 0.5 * cu**2 - 1.5 * (ux**2 + uy**2))
            f[k] += omega * (feq - f[k])
    return f, f.sum(0), ux, uy


def verlet(positions, velocities, dt, steps):
    def force(r):
        apart = r[:, np.newaxis] - r
        squared = np.sum(apart**2, axis=-1)
        np.fill_diagonal(squared, 1.0)
        inverse = 1.0 / squared**3
        scale = 24 * (2 * inverse**2 - inverse) / squared
        np.fill_diagonal(scale, 0.0)
        return np.einsum("ij,ijk->ik", scale, apart)

    a = force(positions)
    energies = []
    for _ in range(steps):
        positions = positions + velocities * dt + 0.5 * a * dt**2
        new = force(positions)
        velocities = velocities + 0.5 * (a + new) * dt
        a = new
        energies.append(0.5 * float(np.sum(velocities**2)))
    return positions, velocities, energies


def gray_scott(u, v, steps):
    du, dv, f, k = 0.16, 0.08, 0.035, 0.065
    for _ in range(steps):
        lu = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4 * u
        lv = np.roll(v, 1, 0) + np.roll(v, -1, 0) + np.roll(v, 1, 1) + np.roll(v, -1, 1) - 4 * v
        uvv = u * v * v
        u += du * lu - uvv + f * (1 - u)
        v += dv * lv + uvv - (f + k) * v
    return u, v


def burgers(u, nu, dt, dx, steps):
    for _ in range(steps):
        un = u.copy()
        u[1:-1] = (
            un[1:-1]
            - un[1:-1] * dt / dx * (un[1:-1] - un[:-2])
            + nu * dt / dx**2 * (un[2:] - 2 * un[1:-1] + un[:-2])
        )
        u[0] = un[0] - un[0] * dt / dx * (un[0] - un[-2])
        u[-1] = u[0]
    return u


def poisson(b, tolerance, most):
    p = np.zeros_like(b)
    for count in range(1, most + 1):
        old = p.copy()
        p[1:-1, 1:-1] = 0.25 * (
            old[2:, 1:-1] + old[:-2, 1:-1] + old[1:-1, 2:] + old[1:-1, :-2] - b[1:-1, 1:-1]
        )
        p[:, 0], p[:, -1] = p[:, 1], 0
        change = np.abs(p - old).sum()
        if change < tolerance:
            break
    else:
        print("not converged")
    return p, count, change


def leapfrog_fields(ez, hy, steps):
    imp = 377.0
    seen = np.zeros(steps)
    for q in range(steps):
        hy[:-1] += (ez[1:] - ez[:-1]) / imp
        ez[1:] += (hy[1:] - hy[:-1]) * imp
        ez[0] = np.exp(-((q - 30.0) ** 2) / 100.0)
        seen[q] = ez[len(ez) // 2]
    return ez, hy, seen


def pendulum(theta, omega, dt, steps, damping=0.1):
    states = np.zeros((steps, 2))
    for k in range(steps):
        states[k] = theta, omega
        omega -= dt * (np.sin(theta) + damping * omega)
        theta += dt * omega
        if theta > np.pi:
            theta -= 2 * np.pi
    crossings = np.flatnonzero(np.diff(np.signbit(states[:, 0])))
    return states, crossings, np.ptp(states, axis=0)


def lorenz(state, dt, steps):
    def slope(s, sigma=10.0, rho=28.0, beta=8 / 3):
        x, y, z = s
        return np.array([sigma * (y - x), x * (rho - z) - y, x * y - beta * z])

    path = [state]
    for _ in range(steps):
        s = path[-1]
        k1 = slope(s)
        k2 = slope(s + dt / 2 * k1)
        k3 = slope(s + dt / 2 * k2)
        k4 = slope(s + dt * k3)
        path.append(s + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4))
    path = np.stack(path)
    return path, path.min(0), path.max(0)


def crank_nicolson(u, r, steps):
    n = len(u)
    a = np.diag(np.full(n, 1 + r)) - np.diag(np.full(n - 1, r / 2), 1)
    a -= np.diag(np.full(n - 1, r / 2), -1)
    b = 2 * np.eye(n) - a
    for _ in range(steps):
        u = np.linalg.solve(a, b @ u)
    return u, np.linalg.cond(a)


def hard_discs(x, v, box, dt):
    hits = 0
    for _ in range(5):
        x += v * dt
        low, high = x < 0, x > box
        v[low | high] *= -1
        x[low] *= -1
        x[high] = 2 * box - x[high]
        hits += np.count_nonzero(low) + np.count_nonzero(high)
    return x, v, hits


def charges(q, where, at):
    r = at[:, None, :] - where[None, :, :]
    d = np.linalg.norm(r, axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        field = np.sum(q[None, :, None] * r / d[..., None] ** 3, axis=1)
        potential = (q / d).sum(axis=1)
    return np.nan_to_num(field), potential


def quantum_well(n, width):
    x = np.linspace(0, width, n + 2)[1:-1]
    h = x[1] - x[0]
    hamiltonian = (np.diag(np.full(n, 2.0)) + np.diag(np.full(n - 1, -1.0), 1)) / h**2
    hamiltonian += np.diag(np.full(n - 1, -1.0), -1) / h**2
    values, vectors = np.linalg.eigh(hamiltonian)
    psi = vectors[:, 0] * np.sign(vectors[0, 0])
    psi /= np.sqrt(np.trapezoid(psi**2, x))
    return values, psi, (x * psi**2).sum() * h


def kepler(mean, eccentricity):
    e = mean + eccentricity * np.sin(mean)
    for _ in range(50):
        step = (e - eccentricity * np.sin(e) - mean) / (1 - eccentricity * np.cos(e))
        e -= step
        if np.max(np.abs(step)) < 1e-12:
            break
    true = 2 * np.arctan2(
        np.sqrt(1 + eccentricity) * np.sin(e / 2), np.sqrt(1 - eccentricity) * np.cos(e / 2)
    )
    return e, true % (2 * np.pi)


PROGRAMS = {
    ising: lambda rng, n: (rng.choice([-1, 1], (n, n)), 0.4, rng.random((6 * n, 3))),
    lattice_boltzmann: lambda rng, n: (1 + 0.1 * rng.random((n, n)), 2),
    verlet: lambda rng, n: (
        np.stack(np.meshgrid(np.arange(n % 4 + 2.0), np.arange(2.0)), -1).reshape(-1, 2) * 1.2,
        0.1 * rng.normal(size=(2 * (n % 4 + 2), 2)),
        0.005,
        5,
    ),
    gray_scott: lambda rng, n: (rng.random((n, n)), rng.random((n, n)) / 4, 5),
    burgers: lambda rng, n: (rng.random(n) + 1, 0.07, 0.001, 0.1, 6),
    poisson: lambda rng, n: (rng.normal(size=(n, n)), 1e-3, 25),
    leapfrog_fields: lambda rng, n: (np.zeros(n), np.zeros(n), 3 * n),
    pendulum: lambda rng, n: (float(rng.normal()), 0.5, 0.05, 10 * n),
    lorenz: lambda rng, n: (rng.normal(size=3), 0.01, n),
    crank_nicolson: lambda rng, n: (rng.random(n), 0.5, 4),
    hard_discs: lambda rng, n: (rng.random((n, 2)), rng.normal(size=(n, 2)), 1.0, 0.2),
    charges: lambda rng, n: (
        rng.normal(size=n),
        rng.integers(0, 3, (n, 2)) * 1.0,
        rng.integers(0, 3, (n + 1, 2)) * 1.0,
    ),
    quantum_well: lambda rng, n: (n + 3, 1.0 + n),
    kepler: lambda rng, n: (rng.uniform(0, 6, n), 0.3),
}
