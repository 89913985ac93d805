"""Differentiable programs written from their mathematics, beside those of the benchmarks.

``FUNCTIONAL`` ones write into nothing, so other tools can differentiate the same lines.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Mathematics:
    """One program, with what `gradient_programs.check` asks of those of the benchmarks."""

    name: str
    run: Callable[..., Any]
    make: Callable[..., tuple[Any, ...]]
    sizes: Mapping[str, Mapping[str, int]] = field(default_factory=lambda: {"small": {}})


def rng(seed: int) -> Any:
    return np.random.default_rng(seed)


# -- nothing is written


def rosenbrock(x: Any) -> Any:
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def logistic_regression(w: Any, b: Any, x: Any, y: Any) -> Any:
    score = x @ w + b
    likelihood = np.logaddexp(0.0, score) - y * score
    return np.mean(likelihood) + 0.01 * np.sum(w**2)


def gaussian_process(points: Any, targets: Any, length: Any, noise: Any) -> Any:
    distance = points[:, None] - points[None, :]
    covariance = np.exp(-0.5 * (distance / length) ** 2) + noise * np.eye(points.shape[0])
    factor = np.linalg.cholesky(covariance)
    weights = np.linalg.solve(covariance, targets)
    return 0.5 * targets @ weights + np.sum(np.log(np.diag(factor)))


def lotka_volterra(state: Any, rates: Any) -> Any:
    def slope(s: Any) -> Any:
        return np.stack(
            [rates[0] * s[0] - rates[1] * s[0] * s[1], rates[2] * s[0] * s[1] - rates[3] * s[1]]
        )

    step = 0.05
    for _ in range(20):
        k1 = slope(state)
        k2 = slope(state + 0.5 * step * k1)
        k3 = slope(state + 0.5 * step * k2)
        k4 = slope(state + step * k3)
        state = state + step / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return np.sum(state**2)


def lennard_jones(positions: Any) -> Any:
    difference = positions[:, None, :] - positions[None, :, :]
    square = np.sum(difference**2, axis=-1) + 10.0 * np.eye(positions.shape[0])
    attraction = 1.0 / square**3
    return 2.0 * np.sum(attraction**2 - attraction)


def kernel_ridge(x: Any, y: Any, new: Any, width: Any) -> Any:
    square = np.sum((x[:, None] - x[None]) ** 2, -1)
    kernel = np.exp(-square / width)
    weights = np.linalg.solve(kernel + 0.1 * np.eye(x.shape[0]), y)
    cross = np.exp(-np.sum((new[:, None] - x[None]) ** 2, -1) / width)
    return np.sum((cross @ weights) ** 2)


def mixture_density(logits: Any, means: Any, scales: Any, data: Any) -> Any:
    weights = logits - np.log(np.sum(np.exp(logits)))
    z = (data[:, None] - means) / scales
    parts = weights - 0.5 * z**2 - np.log(scales)
    top = np.max(parts, axis=1, keepdims=True)
    return -np.sum(top[:, 0] + np.log(np.sum(np.exp(parts - top), axis=1)))


def reprojection(turn: Any, shift: Any, points: Any, seen: Any) -> Any:
    angle = np.sqrt(np.sum(turn**2))
    axis = turn / angle
    along = points @ axis
    turned = (
        points * np.cos(angle)
        + np.cross(axis, points) * np.sin(angle)
        + np.outer(along, axis) * (1.0 - np.cos(angle))
        + shift
    )
    image = turned[:, :2] / turned[:, 2:]
    return np.sum(np.sqrt(1.0 + np.sum((image - seen) ** 2, axis=1)))


def filter_design(taps: Any, wanted: Any) -> Any:
    response = np.fft.fft(taps, 32)
    magnitude = np.sqrt(np.real(response) ** 2 + np.imag(response) ** 2 + 1e-6)
    return np.sum((magnitude - wanted) ** 2)


def binomial_tree(spot: Any, rate: Any, spread: Any) -> Any:
    steps = 12
    up = np.exp(spread / np.sqrt(steps * 1.0))
    chance = (np.exp(rate / steps) - 1.0 / up) / (up - 1.0 / up)
    prices = spot * up ** (2.0 * np.arange(steps + 1) - steps)
    value = np.maximum(1.0 - prices, 0.0)
    for _ in range(steps):
        value = np.exp(-rate / steps) * (chance * value[1:] + (1.0 - chance) * value[:-1])
    return value[0]


def recurrent_cell(weights: Any, inner: Any, inputs: Any) -> Any:
    width = inner.shape[0]
    hidden, memory = np.zeros(width), np.zeros(width)
    for x in inputs:
        gates = weights @ x + np.concatenate([inner @ hidden] * 4)
        keep, write, show = (
            1.0 / (1.0 + np.exp(-gates[k * width : (k + 1) * width])) for k in (0, 1, 2)
        )
        memory = keep * memory + write * np.tanh(gates[3 * width :])
        hidden = show * np.tanh(memory)
    return np.sum(hidden**2) + np.sum(memory)


def batch_normalisation(x: Any, scale: Any, shift: Any) -> Any:
    centred = x - np.mean(x, axis=0)
    normal = centred / np.sqrt(np.mean(centred**2, axis=0) + 1e-5)
    return np.sum(np.maximum(scale * normal + shift, 0.0) ** 1.5)


def procrustes(a: Any, b: Any) -> Any:
    left, values, right = np.linalg.svd(a.T @ b)
    return np.sum((a @ (left @ right) - b) ** 2) + np.sum(values)


def ray_tracing(curvatures: Any, heights: Any) -> Any:
    slope, position, index = np.zeros_like(heights), heights, 1.0
    for k, glass in enumerate((1.5, 1.0, 1.7, 1.0)):
        normal = np.arcsin(position * curvatures[k])
        into = np.arcsin(index / glass * np.sin(slope + normal))
        slope, index = into - normal, glass
        position = position - 0.3 * np.tan(slope)
    return np.var(position)


def wishart(a: Any, data: Any) -> Any:
    covariance = a @ a.T + np.eye(a.shape[0])
    sign, size = np.linalg.slogdet(covariance)
    return sign * size + np.trace(np.linalg.solve(covariance, data.T @ data)) / data.shape[0]


def robot_arm(angles: Any, lengths: Any, goal: Any) -> Any:
    position, total = np.zeros(2), 0.0
    for angle, length in zip(angles, lengths, strict=True):
        total = total + angle
        position = position + length * np.stack([np.cos(total), np.sin(total)])
    return np.sum((position - goal) ** 2)


def path_length(control: Any) -> Any:
    t = np.linspace(0.0, 1.0, 25)[:, None]
    curve = (
        (1 - t) ** 3 * control[0]
        + 3 * t * (1 - t) ** 2 * control[1]
        + 3 * t**2 * (1 - t) * control[2]
        + t**3 * control[3]
    )
    return np.sum(np.sqrt(np.sum(np.diff(curve, axis=0) ** 2, axis=1)))


# -- what writes, branches, or runs as long as it takes


def cubic_spline(values: Any) -> Any:
    n = len(values)
    upper, right = np.zeros(n), np.zeros(n)
    for k in range(1, n - 1):
        scale = 4.0 - upper[k - 1]
        upper[k] = 1.0 / scale
        right[k] = (values[k + 1] - 2 * values[k] + values[k - 1] - right[k - 1]) / scale
    curvature = np.zeros(n)
    for k in range(n - 2, 0, -1):
        curvature[k] = right[k] - upper[k] * curvature[k + 1]
    return np.sum(curvature**2)


def implicit_oscillator(start: Any, damping: Any) -> Any:
    position, speed, step = start[0], start[1], 0.1
    for _ in range(5):
        guess, error = speed, 1.0
        while abs(error) > 1e-10:
            moved = position + step * guess
            error = guess - speed - step * (damping * (1 - moved**2) * guess - moved)
            slope = 1 - step * (damping * (1 - moved**2 - 2 * moved * step * guess) - step)
            guess = guess - error / slope
        speed = guess
        position = position + step * speed
    return position**2 + speed**2


def truss(areas: Any, load: Any) -> Any:
    ends = np.array([[0, 1], [1, 2], [2, 3], [0, 2], [1, 3]])
    stiffness = np.zeros((4, 4))
    for (i, j), area in zip(ends, areas, strict=True):
        block = area * np.array([[1.0, -1.0], [-1.0, 1.0]])
        stiffness[np.ix_([i, j], [i, j])] += block
    moved = np.linalg.solve(stiffness[1:, 1:], load)
    return load @ moved


def assembly(values: Any, places: Any) -> Any:
    sums = np.zeros(6)
    np.add.at(sums, places, values**2)
    sums[::2] *= 2.0
    return np.sum(np.sqrt(sums + 1.0))


def epidemic(rates: Any) -> Any:
    healthy, ill, curve = 0.99, 0.01, []
    for _ in range(30):
        new = rates[0] * healthy * ill
        healthy, ill = healthy - new, ill + new - rates[1] * ill
        curve.append(ill)
    return np.max(np.stack(curve)) + np.sum(np.array(curve) ** 2)


def denoising(noisy: Any, weight: Any) -> Any:
    image = noisy.copy()
    for _ in range(6):
        down, across = np.diff(image, axis=0), np.diff(image, axis=1)
        flow_down = down / np.sqrt(down**2 + 0.1)
        flow_across = across / np.sqrt(across**2 + 0.1)
        slope = image - noisy
        slope[:-1] -= weight * flow_down
        slope[1:] += weight * flow_down
        slope[:, :-1] -= weight * flow_across
        slope[:, 1:] += weight * flow_across
        image -= 0.2 * slope
    return np.sum(image**3)


def page_rank(links: Any) -> Any:
    chances = links / links.sum(axis=0)
    rank, change = np.full(len(links), 1.0 / len(links)), 1.0
    while change > 1e-12:
        before = rank
        rank = 0.15 / len(links) + 0.85 * chances @ before
        change = np.abs(rank - before).max()
    return np.sum(rank * np.arange(len(links)))


def pendulum_energy(angles: Any, speeds: Any) -> Any:
    angles, speeds = angles.copy(), speeds.copy()
    lost = 0.0
    for step in range(15):
        speeds -= 0.05 * np.sin(angles)
        angles += 0.05 * speeds
        if angles[0] > 1.0 or step % 4 == 0:
            lost += 0.01 * np.dot(speeds, speeds)
            speeds *= 0.95
    return np.sum(0.5 * speeds**2 - np.cos(angles)) + lost


def alternating_least_squares(left: Any, right: Any, table: Any) -> Any:
    for _ in range(2):
        left[:] = np.linalg.solve(right.T @ right + np.eye(2), right.T @ table.T).T
        right[:] = np.linalg.solve(left.T @ left + np.eye(2), left.T @ table).T
    return np.sum((left @ right.T - table) ** 2)


def huffman_like_merging(weights: Any) -> Any:
    queue, cost = sorted(weights), 0.0
    while len(queue) > 1:
        merged = queue[0] + queue[1]
        cost += merged * np.log1p(merged)
        queue = sorted([*queue[2:], merged])
    return cost


FUNCTIONAL: dict[Callable[..., Any], Callable[[], tuple[Any, ...]]] = {
    rosenbrock: lambda: (rng(1).normal(size=8),),
    logistic_regression: lambda: (
        rng(2).normal(size=3), 0.2, rng(3).normal(size=(9, 3)), (rng(4).random(9) > 0.5) * 1.0
    ),
    gaussian_process: lambda: (np.linspace(0, 2, 6), rng(5).normal(size=6), 0.7, 0.3),
    lotka_volterra: lambda: (np.array([1.0, 0.6]), np.array([1.1, 0.9, 0.7, 1.3])),
    lennard_jones: lambda: (np.indices((2, 2, 2)).reshape(3, -1).T + rng(6).random((8, 3)) / 5,),
    kernel_ridge: lambda: (
        rng(7).normal(size=(7, 2)), rng(8).normal(size=7), rng(9).normal(size=(4, 2)), 1.5
    ),
    mixture_density: lambda: (
        rng(10).normal(size=3), np.array([-1.0, 0.1, 1.4]), np.array([0.5, 0.8, 0.6]),
        rng(11).normal(size=10),
    ),
    reprojection: lambda: (
        np.array([0.3, -0.2, 0.5]), np.array([0.1, 0.2, 4.0]), rng(12).normal(size=(6, 3)),
        rng(13).normal(size=(6, 2)),
    ),
    filter_design: lambda: (rng(14).normal(size=7), rng(15).random(32)),
    binomial_tree: lambda: (0.97, 0.05, 0.3),
    recurrent_cell: lambda: (
        rng(16).normal(size=(12, 2)), rng(17).normal(size=(3, 3)), rng(18).normal(size=(5, 2))
    ),
    batch_normalisation: lambda: (
        rng(19).normal(size=(8, 3)), rng(20).random(3) + 0.5, rng(21).normal(size=3)
    ),
    procrustes: lambda: (rng(22).normal(size=(6, 3)), rng(23).normal(size=(6, 3))),
    ray_tracing: lambda: (np.array([0.2, -0.1, 0.15, -0.2]), np.linspace(0.1, 0.9, 5)),
    wishart: lambda: (rng(24).normal(size=(3, 3)), rng(25).normal(size=(7, 3))),
    robot_arm: lambda: (
        np.array([0.3, 0.5, -0.2]), np.array([1.0, 0.8, 0.5]), np.array([1.0, 1.0])
    ),
    path_length: lambda: (rng(26).normal(size=(4, 2)),),
}  # fmt: skip
"""What makes the arguments of each program that writes into nothing."""

WRITING: dict[Callable[..., Any], Callable[[], tuple[Any, ...]]] = {
    cubic_spline: lambda: (rng(27).normal(size=9),),
    implicit_oscillator: lambda: (np.array([1.0, 0.2]), 1.5),
    truss: lambda: (rng(28).random(5) + 0.5, np.array([0.3, 0.1, 1.0])),
    assembly: lambda: (rng(29).normal(size=8), np.array([0, 3, 3, 1, 5, 0, 2, 3])),
    epidemic: lambda: (np.array([0.9, 0.3]),),
    denoising: lambda: (rng(30).normal(size=(5, 6)), 0.4),
    page_rank: lambda: (rng(31).random((5, 5)) + 0.1,),
    pendulum_energy: lambda: (np.array([1.1, 0.4, -0.7]), np.array([0.3, -0.2, 0.9])),
    alternating_least_squares: lambda: (
        rng(32).normal(size=(5, 2)), rng(33).normal(size=(4, 2)), rng(34).normal(size=(5, 4))
    ),
    huffman_like_merging: lambda: (rng(35).random(6) + 0.1,),
}  # fmt: skip
"""The same for the others."""

PROGRAMS = {
    run.__name__: Mathematics(run.__name__, run, make)
    for run, make in {**FUNCTIONAL, **WRITING}.items()
}
"""All of them, by name."""


def with_other_numpy(run: Callable[..., Any], numpy: Any) -> Callable[..., Any]:
    """The same lines with another tool's NumPy."""
    scope = {**sys.modules[__name__].__dict__, "np": numpy}
    return types.FunctionType(run.__code__, scope, run.__name__, run.__defaults__)
