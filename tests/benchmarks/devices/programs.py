"""What is measured on a device: steps of iterations, as a notebook has them.

A step takes a state and what does not change, and gives the next state. The same
code runs in NumPy, compiled, and with CuPy, JAX or torch in NumPy's place, so it
writes into no array.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Arrays = tuple[Any, ...]


def kmeans(centres: Any, points: Any, numbers: Any) -> Any:
    """Move centres to the means of the points that are nearest to them."""
    distance = ((points[:, None] - centres) ** 2).sum(2)
    nearest = distance.argmin(1)[:, None] == numbers
    return (points.T @ nearest).T / nearest.sum(0)[:, None]


def heat(field: Any) -> Any:
    """A step of the heat equation on a torus."""
    around = np.roll(field, 1, 0) + np.roll(field, -1, 0)
    around = around + np.roll(field, 1, 1) + np.roll(field, -1, 1)
    return field + 0.1 * (around - 4 * field)


def implied_volatility(sigma: Any, price: Any, spot: Any, strike: Any, years: Any) -> Any:
    """A step of Newton's method; the normal distribution is a logistic curve, within 2e-4."""
    spread = sigma * np.sqrt(years)
    d1 = np.log(spot / strike) / spread + 0.5 * spread
    d2 = d1 - spread
    first = 1 / (1 + np.exp(-1.5976 * d1 - 0.070566 * d1**3))
    second = 1 / (1 + np.exp(-1.5976 * d2 - 0.070566 * d2**3))
    vega = spot * np.sqrt(years / 6.283185307179586) * np.exp(-0.5 * d1 * d1)
    return sigma - 0.5 * (spot * first - strike * second - price) / vega


def gravity(state: Any, masses: Any) -> Any:
    """A step of bodies that attract each other: positions, then velocities."""
    places, velocities = state[:, :3], state[:, 3:]
    apart = places[None] - places[:, None]
    weights = masses / ((apart**2).sum(2) + 0.01) ** 1.5
    velocities = velocities + 1e-3 * (weights[:, :, None] * apart).sum(1)
    return np.concatenate([places + 1e-3 * velocities, velocities], 1)


def regression(weights: Any, samples: Any, labels: Any) -> Any:
    """A step down the gradient of a logistic regression."""
    chances = 1 / (1 + np.exp(-(samples @ weights)))
    return weights - 0.1 * (samples.T @ (chances - labels)) / len(labels)


def subspace(vectors: Any, matrix: Any) -> Any:
    """A step of the power method, on many vectors at once."""
    vectors = matrix @ vectors
    return vectors / np.sqrt((vectors * vectors).sum(0))


@dataclass(frozen=True)
class Program:
    """A step, and what it begins with.

    Parameters
    ----------
    step : callable
        Takes a state and constants, and gives the next state.
    make : callable
        Takes a random generator and a size, and gives the state and the constants, in
        double precision.
    size : int
        What is measured.
    small : int
        What is enough to see that it works.
    rounds : int
        Steps one after the other, where the data stays on the device.
    """

    step: Callable[..., Any]
    make: Callable[[np.random.Generator, int], Arrays]
    size: int
    small: int
    rounds: int = 20

    @property
    def name(self) -> str:
        """That of the step."""
        return self.step.__name__

    def arrays(self, *, quick: bool) -> Arrays:
        """The state and the constants."""
        return self.make(np.random.default_rng(0), self.small if quick else self.size)


def _points(rng: np.random.Generator, n: int) -> Arrays:
    points = rng.normal(size=(n, 2)) + rng.integers(0, 5, size=(n, 1))
    return points[:8].copy(), points, np.arange(8)


def _options(rng: np.random.Generator, n: int) -> Arrays:
    spot, strike = rng.uniform(90, 110, n), rng.uniform(90, 110, n)
    price = np.maximum(spot - strike, 0) + rng.uniform(6, 8, n)
    return np.full(n, 0.3), price, spot, strike, rng.uniform(0.8, 1.2, n)


def _bodies(rng: np.random.Generator, n: int) -> Arrays:
    return rng.normal(size=(n, 6)), rng.uniform(0, 1 / n, n)


def _samples(rng: np.random.Generator, n: int) -> Arrays:
    samples = rng.normal(size=(n, 32))
    return np.zeros(32), samples, (samples[:, 0] > 0) * 1.0


def _matrix(rng: np.random.Generator, n: int) -> Arrays:
    matrix = rng.normal(size=(n, n))
    return rng.normal(size=(n, 64)), matrix + matrix.T


PROGRAMS = (
    Program(kmeans, _points, 20_000_000, 500, 10),
    Program(heat, lambda rng, n: (rng.normal(size=(n, n)),), 4096, 32),
    Program(implied_volatility, _options, 8_000_000, 500),
    Program(gravity, _bodies, 3000, 20),
    Program(regression, _samples, 2_000_000, 500),
    Program(subspace, _matrix, 4096, 32),
)
