"""Programs to measure, written from the mathematics as a scientist writes plain NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Program:
    """A function with inputs of a size.

    Parameters
    ----------
    name : str
        What it computes.
    run : callable
        The program.
    inputs : callable
        ``inputs(size)`` makes its arguments anew, seeded.
    size : int
        Elements along the main axis.
    """

    name: str
    run: Callable[..., Any]
    inputs: Callable[[int], tuple[Any, ...]]
    size: int


def _vector(size: int) -> tuple[Any, ...]:
    return (np.random.default_rng(0).normal(size=size),)


def gaussian_mixture(x: Any) -> Any:
    density = np.zeros_like(x)
    for mean, width in ((-1.0, 0.5), (0.0, 1.0), (2.0, 0.3)):
        density += np.exp(-0.5 * ((x - mean) / width) ** 2) / (width * np.sqrt(2 * np.pi))
    return density / 3


def softmax(x: Any) -> Any:
    shifted = np.exp(x - x.max(axis=1, keepdims=True))
    return shifted / shifted.sum(axis=1, keepdims=True)


def heat_step(u: Any) -> Any:
    v = u.copy()
    v[1:-1, 1:-1] += 0.1 * (
        u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
    )
    return v


def nearest_centre(x: Any, centres: Any) -> Any:
    best = np.full(len(x), np.inf)
    label = np.zeros(len(x), np.int64)
    for k in range(len(centres)):
        distance = (x[:, 0] - centres[k, 0]) ** 2 + (x[:, 1] - centres[k, 1]) ** 2
        closer = distance < best
        label[closer] = k
        best = np.minimum(best, distance)
    return label


def horner(x: Any) -> Any:
    total = np.zeros_like(x)
    for coefficient in (0.1, -0.4, 1.0, 0.25, -2.0, 1.5):
        total = total * x + coefficient
    return total


def standardise(x: Any) -> Any:
    centred = x - x.mean(axis=0)
    return centred / np.sqrt((centred**2).mean(axis=0))


def gram(x: Any) -> Any:
    return x.T @ x


def axpy(x: Any) -> Any:
    return 2.0 * x + 1.0


PROGRAMS = (
    Program("Gaussian mixture", gaussian_mixture, _vector, 1_000_000),
    Program("softmax", softmax, lambda n: (_vector(n)[0].reshape(-1, 1000),), 1_000_000),
    Program("heat step", heat_step, lambda n: (_vector(n * n)[0].reshape(n, n),), 1000),
    Program(
        "nearest centre",
        nearest_centre,
        lambda n: (_vector(2 * n)[0].reshape(n, 2), _vector(16)[0].reshape(8, 2)),
        500_000,
    ),
    Program("polynomial", horner, _vector, 1_000_000),
    Program("standardise", standardise, lambda n: (_vector(n)[0].reshape(-1, 20),), 1_000_000),
    Program("Gram matrix", gram, lambda n: (_vector(n)[0].reshape(-1, 500),), 1_000_000),
    Program("tiny axpy", axpy, _vector, 100),
)
