"""Programs of many fields, with in-place updates, views, loops, dicts and complex numbers.

Each is differentiated by all of its arguments, which are arrays, numbers, and
tuples, lists and dicts of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Program = Callable[..., Any]

PROGRAMS: dict[str, tuple[Program, Callable[[], tuple[Any, ...]]]] = {}
"""Functions that give a number, and what makes their arguments."""

TALKING: dict[str, tuple[Program, Callable[[], tuple[Any, ...]]]] = {}
"""Functions that print, or that values decide about: they stay on the tape."""


NUMBERED = (
    *("spin_chain", "leap_frog", "thin_lenses", "partition_function", "gamma_like"),
    *("smoothing", "generalised_mean"),
)
"""Programs in which Python computes with numbers: compiled where these are numbers of NumPy's."""


def rng() -> Any:
    return np.random.default_rng(23)


def at(make: Callable[[], tuple[Any, ...]]) -> Callable[[Program], Program]:
    """Enter a program with its arguments."""

    def enter(run: Program) -> Program:
        PROGRAMS[run.__name__] = run, make
        return run

    return enter


def talking(make: Callable[[], tuple[Any, ...]]) -> Callable[[Program], Program]:
    """Enter a program that stays on the tape."""

    def enter(run: Program) -> Program:
        TALKING[run.__name__] = run, make
        return run

    return enter


def uniform(*shape: int) -> Any:
    return rng().uniform(0.4, 1.6, shape)


# -- physics


@at(lambda: (uniform(6, 3), uniform(6)))
def gravity(places: Any, masses: Any) -> Any:
    apart = places[:, None] - places[None]
    distance = np.sqrt((apart**2).sum(-1) + 0.01)
    pairs = np.triu(np.outer(masses, masses) / distance, 1)
    return -pairs.sum()


@at(lambda: (uniform(8), 0.3))
def heat_step(u: Any, kappa: Any) -> Any:
    v = u.copy()
    for _ in range(4):
        v[1:-1] += kappa * (v[2:] - 2 * v[1:-1] + v[:-2])
        v[0] = v[-1] = 0.5
    return np.dot(v, v)


@at(lambda: (uniform(5, 6),))
def laplace_residual(u: Any) -> Any:
    inner = u[1:-1, 1:-1]
    around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
    return np.linalg.norm(around - 4 * inner)


@at(lambda: (uniform(4), 0.7))
def spin_chain(angles: Any, coupling: Any) -> Any:
    energy = -coupling * np.cos(np.diff(angles)).sum()
    energy -= coupling * np.cos(angles[-1] - angles[0])
    return energy + 0.1 * np.sum(np.sin(angles) ** 2)


@at(lambda: ({"position": uniform(3), "velocity": uniform(3) - 1.0}, 1.2))
def leap_frog(state: Any, stiffness: Any) -> Any:
    x, v = state["position"], state["velocity"]
    for _ in range(6):
        v = v - 0.05 * stiffness * x
        x = x + 0.1 * v
        v = v - 0.05 * stiffness * x
    return 0.5 * np.sum(v**2) + 0.5 * stiffness * np.sum(x**2)


@at(lambda: (uniform(16) + 1j * uniform(16)[::-1],))
def wave_packet(psi: Any) -> Any:
    k = np.fft.fftfreq(psi.size)
    kinetic = np.exp(-1j * (2 * np.pi * k) ** 2)
    later = np.fft.ifft(kinetic * np.fft.fft(psi))
    density = np.abs(later) ** 2
    return (density * np.arange(psi.size)).sum() / density.sum()


@at(lambda: (0.8, 1.3, 0.4))
def thin_lenses(f1: Any, f2: Any, gap: Any) -> Any:
    ray = np.array([0.1, 0.05])
    for matrix in (
        np.array([[1.0, 0.0], [-1.0 / f1, 1.0]]),
        np.array([[1.0, gap], [0.0, 1.0]]),
        np.array([[1.0, 0.0], [-1.0 / f2, 1.0]]),
    ):
        ray = matrix @ ray
    return ray @ ray


@at(lambda: (uniform(3), uniform(3)[::-1].copy()))
def rigid_rotation(axis: Any, point: Any) -> Any:
    angle = np.linalg.norm(axis)
    unit = axis / angle
    cross = np.cross(unit, point)
    turned = point * np.cos(angle) + cross * np.sin(angle)
    turned += unit * np.dot(unit, point) * (1 - np.cos(angle))
    return np.sum(turned * np.array([1.0, -2.0, 3.0]))


@at(lambda: (uniform(5), 300.0))
def partition_function(levels: Any, temperature: Any) -> Any:
    beta = 100.0 / temperature
    weights = np.exp(-beta * levels)
    z = weights.sum()
    return np.log(z) + beta * (levels * weights).sum() / z


@at(lambda: (uniform(4), uniform(4)))
def impedance(resistance: Any, inductance: Any) -> Any:
    omega = np.linspace(0.5, 2.0, 4)
    branch = resistance + 1j * omega * inductance
    total = 1.0 / np.sum(1.0 / branch)
    return np.abs(total) + np.angle(total)


# -- statistics


@at(lambda: (uniform(7), 0.9, 1.4))
def gamma_like(x: Any, shape: Any, rate: Any) -> Any:
    return np.sum(shape * np.log(rate) + (shape - 1) * np.log(x) - rate * x)


@at(lambda: (uniform(30, 3),))
def correlation(data: Any) -> Any:
    table = np.corrcoef(data, rowvar=False)
    return np.sum(table[np.triu_indices(3, 1)] ** 2)


@at(lambda: (uniform(20, 3), uniform(3)))
def mahalanobis(data: Any, point: Any) -> Any:
    apart = point - data.mean(axis=0)
    return apart @ np.linalg.solve(np.cov(data.T) + np.eye(3), apart)


@at(lambda: (uniform(12),))
def trimmed_mean(x: Any) -> Any:
    return np.sort(x)[2:-2].mean() + np.ptp(x) + np.median(x)


@at(lambda: (uniform(9), uniform(9)[::-1].copy()))
def regression_slope(x: Any, y: Any) -> Any:
    design = np.column_stack([np.ones_like(x), x])
    found = np.linalg.lstsq(design, y, rcond=None)[0]
    return found[1] * 3 + found[0]


@at(lambda: (uniform(6), uniform(6) / 3))
def evidence(mean: Any, scale: Any) -> Any:
    """The divergence of two normal distributions."""
    variance = scale**2
    return 0.5 * np.sum(variance + mean**2 - 1.0 - np.log(variance))


@at(lambda: (uniform(10), 0.4))
def smoothing(series: Any, rate: Any) -> Any:
    level = series[0]
    error = 0.0
    for k in range(1, 10):
        error = error + (series[k] - level) ** 2
        level = rate * series[k] + (1 - rate) * level
    return error


@at(lambda: (uniform(3, 3),))
def stationary(rates: Any) -> Any:
    chain = rates / rates.sum(axis=1, keepdims=True)
    system = np.vstack([(chain.T - np.eye(3))[:-1], np.ones(3)])
    return np.linalg.solve(system, np.array([0.0, 0.0, 1.0])) @ np.arange(3.0)


@at(lambda: (uniform(25),))
def kernel_density(x: Any) -> Any:
    grid = np.linspace(0.0, 2.0, 11)
    width = 1.06 * np.std(x) * x.size ** (-0.2)
    density = np.exp(-0.5 * ((grid[:, None] - x) / width) ** 2).sum(1)
    return np.trapezoid(density / (x.size * width), grid)


@at(lambda: (uniform(5), np.array([1.0, 0.0, 2.0, 1.0, 3.0])))
def poisson_loss(rates: Any, counts: Any) -> Any:
    return np.sum(rates - counts * np.log(rates))


# -- learning


@at(lambda: ({"w": uniform(3, 4) - 1, "b": uniform(4), "v": uniform(4)}, uniform(6, 3)))
def two_layers(p: Any, x: Any) -> Any:
    hidden = np.maximum(x @ p["w"] + p["b"], 0.0)
    return np.mean(np.tanh(hidden @ p["v"]))


@at(lambda: ([(uniform(3, 3), uniform(3)), (uniform(3, 2), uniform(2))], uniform(5, 3)))
def deep(layers: Any, x: Any) -> Any:
    for weights, bias in layers:
        x = 1.0 / (1.0 + np.exp(-(x @ weights + bias)))
    return np.sum(np.log(x))


@at(lambda: (uniform(4, 5),))
def contrastive(vectors: Any) -> Any:
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    score = unit @ unit.T / 0.5
    score = score - score.max(axis=1, keepdims=True)
    return -np.mean(np.diag(score) - np.log(np.exp(score).sum(1)))


@at(lambda: (uniform(2, 3, 4), uniform(4, 4)))
def layer_norm(x: Any, w: Any) -> Any:
    centred = x - x.mean(-1, keepdims=True)
    normal = centred / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    return np.einsum("bij,jk->", normal**3, w)


@at(lambda: (uniform(6, 6), uniform(3, 3)))
def convolution(image: Any, kernel: Any) -> Any:
    windows = np.lib.stride_tricks.sliding_window_view(image, (3, 3))
    made = np.einsum("ijkl,kl->ij", windows, kernel)
    return np.sum(np.where(made > 5.0, made, 0.1 * made))


@at(lambda: (uniform(5), np.array([0, 2, 2, 1, 4, 0])))
def embedding(table: Any, words: Any) -> Any:
    return np.sum(np.cumsum(table[words]) ** 2)


@at(lambda: (uniform(4, 3), np.array([2, 0, 1, 2])))
def cross_entropy_of_labels(scores: Any, labels: Any) -> Any:
    shifted = scores - np.max(scores, axis=1, keepdims=True)
    logs = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(logs[np.arange(4), labels])


@at(lambda: (uniform(8) - 1.0, uniform(8)))
def huber(residual: Any, weight: Any) -> Any:
    size = np.abs(residual)
    return np.sum(weight * np.where(size < 0.3, 0.5 * residual**2, 0.3 * (size - 0.15)))


@at(lambda: ({"w": uniform(3)}, uniform(7, 3), uniform(7)))
def momentum_descent(p: Any, x: Any, y: Any) -> Any:
    """Training steps that are differentiated themselves."""
    w, speed = p["w"], np.zeros(3)
    for _ in range(4):
        slope = x.T @ (x @ w - y) / 7
        speed = 0.9 * speed - 0.1 * slope
        w = w + speed
    return np.sum((x @ w - y) ** 2)


@at(lambda: (uniform(3, 5), uniform(4, 5)))
def optimal_transport(a: Any, b: Any) -> Any:
    cost = ((a[:, None] - b[None]) ** 2).sum(-1)
    kernel = np.exp(-cost)
    left, right = np.ones(3), np.ones(4)
    for _ in range(5):
        left = 1.0 / (kernel @ right)
        right = 1.0 / (kernel.T @ left)
    return np.sum(left[:, None] * kernel * right * cost)


# -- linear algebra


@at(lambda: (uniform(4, 4),))
def log_determinant(a: Any) -> Any:
    sign, value = np.linalg.slogdet(a @ a.T + np.eye(4))
    return sign * value + np.trace(np.linalg.inv(a + 3 * np.eye(4)))


@at(lambda: (uniform(4, 4), uniform(4)))
def rayleigh(a: Any, v: Any) -> Any:
    s = a + a.T
    return (v @ s @ v) / (v @ v) + np.linalg.eigvalsh(s)[-1]


@at(lambda: (uniform(3, 3),))
def matrix_polynomial(a: Any) -> Any:
    total = np.eye(3)
    power = np.eye(3)
    for k in range(1, 6):
        power = power @ a / k
        total = total + power
    return np.linalg.norm(total) + np.linalg.matrix_power(a, 3).sum()


@at(lambda: (uniform(5, 3), uniform(5)))
def projection(a: Any, b: Any) -> Any:
    q, r = np.linalg.qr(a)
    return np.sum((b - q @ (q.T @ b)) ** 2) + np.abs(np.diag(r)).sum()


@at(lambda: (uniform(4, 3),))
def nuclear(a: Any) -> Any:
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return s.sum() + np.sum((u * s[::-1]) @ vt)


@at(lambda: (uniform(3, 3) + 1j * uniform(3, 3).T,))
def hermitian(a: Any) -> Any:
    h = a + a.conj().T
    values, vectors = np.linalg.eigh(h)
    return values[0] ** 2 + np.abs(np.vdot(vectors[:, 0], np.ones(3))) ** 2


@at(lambda: (uniform(4) + 1j * uniform(4)[::-1], uniform(4, 4)))
def complex_system(b: Any, a: Any) -> Any:
    x = np.linalg.solve(a + 2j * np.eye(4), b)
    return (x.real**2).sum() - (x.imag * np.arange(4)).sum()


@at(lambda: (uniform(6),))
def toeplitz(c: Any) -> Any:
    places = np.abs(np.subtract.outer(np.arange(6), np.arange(6)))
    return np.linalg.det(c[places] + 3 * np.eye(6)) / 1000


# -- in-place updates and views


@at(lambda: (uniform(4, 4),))
def elimination(a: Any) -> Any:
    u = a + 4 * np.eye(4)
    for k in range(3):
        u[k + 1 :] -= np.outer(u[k + 1 :, k] / u[k, k], u[k])
    return np.prod(np.diag(u)) / 100


@at(lambda: (uniform(12),))
def views_of_views(x: Any) -> Any:
    y = x.copy()
    table = y.reshape(3, 4)
    table[::2, 1:] *= 2.0
    table.T[0] += y[5]
    y[::-1][2] = x[0] * x[1]
    return np.sum(table**2 * np.arange(12).reshape(3, 4))


@at(lambda: (uniform(6),))
def masked_updates(x: Any) -> Any:
    y = np.zeros((2, 6))
    y[0] = x
    y[1, np.array([True, False, True, True, False, True])] = x[:4] ** 2
    np.add.at(y[0], np.array([1, 1, 3]), x[3:])
    np.multiply(y[0], 2.0, out=y[0])
    return np.sum(np.exp(-y))


@at(lambda: (uniform(7), uniform(3)))
def polynomial(x: Any, c: Any) -> Any:
    value = np.zeros_like(x)
    for coefficient in c:
        value = value * x + coefficient
    return np.sum(np.polyval(c, x) * value)


@at(lambda: (uniform(5), uniform(5)[::-1].copy()))
def swapped(a: Any, b: Any) -> Any:
    pair = [a, b]
    for _ in range(3):
        pair[0], pair[1] = pair[1] * 1.5, pair[0] + pair[1]
    store = {"sum": 0.0}
    for part in pair:
        store["sum"] = store["sum"] + np.sum(np.sqrt(part))
    return store["sum"]


@at(lambda: (uniform(3, 4), uniform(4)))
def tensors(a: Any, b: Any) -> Any:
    t = np.multiply.outer(a, b)
    t = np.moveaxis(t, 0, -1)
    t = np.roll(np.flip(t, 1), 1, axis=0)
    return np.tensordot(t, np.sin(t), 3) + np.kron(b, b).sum()


@at(lambda: (uniform(10),))
def spectrum(x: Any) -> Any:
    f = np.fft.rfft(x * np.hanning(10))
    power = (f * f.conj()).real
    return np.sum(np.log1p(power)) + np.abs(np.fft.irfft(f[:4])).max()


@at(lambda: (uniform(8), uniform(5)))
def interpolation(values: Any, where: Any) -> Any:
    grid = np.linspace(0.0, 2.0, 8)
    return np.sum(np.interp(where, grid, values) ** 2) + np.sum(np.gradient(values, grid) ** 2)


@at(lambda: (uniform(4, 4) * 0.2, uniform(4)))
def fixed_point(a: Any, b: Any) -> Any:
    x = np.zeros(4)
    for _ in range(8):
        x = np.tanh(a @ x + b)
    return x @ x


@at(lambda: (uniform(9), 2.0))
def generalised_mean(x: Any, p: Any) -> Any:
    return np.mean(x**p) ** (1.0 / p) + np.exp(np.mean(np.log(x))) + 1.0 / np.mean(1.0 / x)


@at(lambda: (uniform(6) + 1j * uniform(6)[::-1],))
def mobius(z: Any) -> Any:
    w = (2 * z + 1j) / (z - 3)
    w[1::2] *= np.exp(1j * z.real[1::2])
    return np.sum(np.log(np.abs(w))) + np.sum(np.angle(w)) + w.prod().imag


# -- prints and tests


@talking(lambda: (uniform(5),))
def printing(x: Any) -> Any:
    y = np.sin(x)
    print("mean", y.mean())
    return np.sum(y**2)


@talking(lambda: (uniform(5), 0.1))
def line_search(x: Any, step: Any) -> Any:
    def cost(z: Any) -> Any:
        return np.sum(z**4 - z)

    slope = 4 * x**3 - 1
    while cost(x - step * slope) > cost(x):
        step = step / 2
    return cost(x - step * slope)


@talking(lambda: (uniform(6),))
def clipped_by_hand(x: Any) -> Any:
    total = 0.0
    for value in x:
        if value > 1.0:
            total = total + 0.9
            value = 0.1 * value
        total = total + value**2
    print(f"total {total:.3f}")
    return total


@talking(lambda: (uniform(3, 3) + 2 * np.eye(3),))
def pivoting(a: Any) -> Any:
    u = a.copy()
    sign = 1.0
    for k in range(2):
        best = k + int(np.argmax(np.abs(u[k:, k])))
        if best != k:
            u[[k, best]] = u[[best, k]]
            sign = -sign
        u[k + 1 :] -= np.outer(u[k + 1 :, k] / u[k, k], u[k])
    return sign * np.prod(np.diag(u))


@talking(lambda: (uniform(4), 1.7))
def newton_root(c: Any, start: Any) -> Any:
    x = start
    for _ in range(50):
        value, slope = np.polyval(c, x) - 10.0, np.polyval(np.polyder(c), x)
        x = x - value / slope
        if abs(value) < 1e-13:
            break
    return x


@talking(lambda: ({"w": uniform(3)}, uniform(5, 3)))
def logging(p: Any, x: Any) -> Any:
    seen = []
    w = p["w"]
    for row in x:
        score = row @ w
        seen.append(float(score))
        if score > 3.0:
            w = w * 0.9
        print(len(seen), score)
    return np.sum(w * x.mean(0)) + seen[0]
