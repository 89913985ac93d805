"""Programs of the kind that people publish: one function each, with helpers of their own.

Each takes a seed and is a cell, too: its body without the ``return``.
"""

from __future__ import annotations

import itertools
import math
from collections import deque

import numpy as np


def candidates(board, row, column):
    used = set(board[row]) | set(board[:, column])
    top, left = 3 * (row // 3), 3 * (column // 3)
    used |= set(board[top : top + 3, left : left + 3].ravel())
    return [digit for digit in range(1, 10) if digit not in used]


def solve(board):
    empty = np.argwhere(board == 0)
    if len(empty) == 0:
        return True
    options = [(candidates(board, r, c), r, c) for r, c in empty]
    digits, row, column = min(options, key=lambda option: len(option[0]))
    for digit in digits:
        board[row, column] = digit
        if solve(board):
            return True
        board[row, column] = 0
    return False


def sudoku(seed):
    base = np.arange(9)
    full = (3 * (base[:, None] % 3) + base[:, None] // 3 + base[None, :]) % 9 + 1
    rng = np.random.default_rng(seed)
    board = rng.permutation(np.arange(1, 10))[full - 1]
    board[rng.random((9, 9)) < 0.45] = 0
    given = board.copy()
    solved = solve(board)
    rows = (np.sort(board, axis=1) == np.arange(1, 10)).all()
    columns = all(len(np.unique(board[:, k])) == 9 for k in range(9))
    kept = np.array_equal(board[given > 0], given[given > 0])
    print(board[0], solved)
    return board, solved, rows, columns, kept


def knapsack(seed):
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 12, 10)
    values = rng.integers(5, 60, 10)
    capacity = 30
    table = np.zeros((len(weights) + 1, capacity + 1), dtype=int)
    for i, (w, v) in enumerate(zip(weights, values), 1):
        table[i] = table[i - 1]
        table[i, w:] = np.maximum(table[i, w:], table[i - 1, :-w] + v)
    best = table[-1, -1]
    chosen, left = [], capacity
    for i in range(len(weights), 0, -1):
        if table[i, left] != table[i - 1, left]:
            chosen.append(i - 1)
            left -= weights[i - 1]
    total = sum(values[k] for k in chosen)
    print(f"{best} with {len(chosen)} items, weight {weights[chosen].sum()}")
    return table, best, chosen, left, total


def pagerank(seed):
    rng = np.random.default_rng(seed)
    n, damping = 12, 0.85
    links = (rng.random((n, n)) < 0.25).astype(float)
    np.fill_diagonal(links, 0)
    out = links.sum(axis=1)
    dangling = out == 0
    matrix = np.divide(links, out[:, None], out=np.zeros_like(links), where=~dangling[:, None])
    rank = np.full(n, 1 / n)
    steps = 0
    while True:
        new = (1 - damping) / n + damping * (rank @ matrix + rank[dangling].sum() / n)
        steps += 1
        if np.abs(new - rank).sum() < 1e-10:
            break
        rank = new
    order = np.argsort(-np.round(new, 9), kind="stable")
    return new, steps, order, new.sum().round(9)


def accelerations(positions, masses, softening=0.05):
    apart = positions[None, :, :] - positions[:, None, :]
    squared = (apart**2).sum(axis=-1) + softening**2
    return (apart * (masses[None, :, None] * squared[..., None] ** -1.5)).sum(axis=1)


def n_body(seed):
    rng = np.random.default_rng(seed)
    masses = rng.uniform(0.5, 2, 5)
    positions, velocities = rng.normal(size=(5, 3)), 0.3 * rng.normal(size=(5, 3))
    velocities -= np.average(velocities, axis=0, weights=masses)
    dt, path = 0.01, []
    force = accelerations(positions, masses)
    for step in range(25):
        velocities += 0.5 * dt * force
        positions += dt * velocities
        force = accelerations(positions, masses)
        velocities += 0.5 * dt * force
        if step % 5 == 0:
            path.append(positions[0].copy())
    path = np.array(path)
    energy = 0.5 * np.sum(masses * (velocities**2).sum(1))
    momentum = np.round(masses @ velocities, 12) + 0.0
    return positions, path, energy, momentum


class Perceptron:
    def __init__(self, size, rate=0.1):
        self.weights = np.zeros(size + 1)
        self.rate = rate
        self.errors = []

    def predict(self, x):
        return np.where(x @ self.weights[1:] + self.weights[0] >= 0, 1, -1)

    def fit(self, x, y, epochs=10):
        for _ in range(epochs):
            wrong = 0
            for row, target in zip(x, y):
                update = self.rate * (target - self.predict(row))
                self.weights[1:] += update * row
                self.weights[0] += update
                wrong += int(update != 0)
            self.errors.append(wrong)
            if not wrong:
                break
        return self


def perceptron(seed):
    rng = np.random.default_rng(seed)
    x = np.vstack([rng.normal(-1.5, 0.6, (15, 2)), rng.normal(1.5, 0.6, (15, 2))])
    y = np.repeat([-1, 1], 15)
    shuffled = rng.permutation(len(y))
    x, y = x[shuffled], y[shuffled]
    model = Perceptron(2).fit(x, y)
    accuracy = (model.predict(x) == y).mean()
    print(f"accuracy {accuracy:.2f} after {len(model.errors)} epochs")
    return model.weights, model.errors, accuracy


def dct(x):
    n = len(x)
    k = np.arange(n)
    result = np.cos(np.pi * (2 * k[None, :] + 1) * k[:, None] / (2 * n)) @ x
    result[0] *= 1 / np.sqrt(2)
    return result * np.sqrt(2 / n)


def dct_blocks(seed):
    rng = np.random.default_rng(seed)
    image = (rng.random((16, 24)) * 255).astype(np.uint8)
    blocks = image.reshape(2, 8, 3, 8).swapaxes(1, 2).astype(float) - 128
    coefficients = np.zeros_like(blocks)
    for i, j in np.ndindex(blocks.shape[:2]):
        coefficients[i, j] = dct(dct(blocks[i, j]).T).T
    table = 16 + 3 * np.add.outer(np.arange(8), np.arange(8))
    quantised = np.round(coefficients / table).astype(np.int16)
    zeros = np.count_nonzero(quantised == 0)
    zigzag = sorted(
        np.ndindex(8, 8), key=lambda p: (p[0] + p[1], p[0] if (p[0] + p[1]) % 2 else -p[0])
    )
    first = [int(quantised[0, 0][place]) for place in zigzag[:10]]
    energy = np.allclose((coefficients**2).sum(), (blocks**2).sum())
    return quantised, zeros, first, energy


A = [[], [1 / 5], [3 / 40, 9 / 40], [44 / 45, -56 / 15, 32 / 9]]
A += [[19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729]]
A += [[9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656]]
A += [[35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]]
C = [0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1]
E = np.array([71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40])


def rk45(f, t, y, end, h=0.1, rtol=1e-3, atol=1e-4):
    times, states, rejected = [t], [y], 0
    while t < end:
        h = min(h, end - t)
        k = []
        for row, c in zip(A, C):
            slope = sum((a * stage for a, stage in zip(row, k)), np.zeros_like(y))
            k.append(f(t + c * h, y + h * slope))
        new = y + h * sum(a * stage for a, stage in zip(A[-1], k))
        error = np.linalg.norm(h * (E @ np.array(k)) / (atol + rtol * np.maximum(abs(y), abs(new))))
        error /= np.sqrt(y.size)
        if error <= 1:
            t, y = t + h, new
            times.append(t)
            states.append(y)
        else:
            rejected += 1
        h *= min(5.0, max(0.2, 0.9 * max(error, 1e-10) ** -0.2))
    return np.array(times), np.array(states), rejected


def van_der_pol(seed):
    mu = 1.0 + seed
    t, y, rejected = rk45(
        lambda t, y: np.array([y[1], mu * (1 - y[0] ** 2) * y[1] - y[0]]),
        0.0,
        np.array([2.0, 0.0]),
        3.0,
    )
    turns = np.flatnonzero(np.diff(np.sign(y[:, 1])))
    print(len(t), rejected, np.round(y[-1], 5))
    return len(t), rejected, y.round(6), turns


def marching_squares(seed):
    level = 0.3 + 0.1 * seed
    x = np.linspace(-1, 1, 9)
    X, Y = np.meshgrid(x, x)
    field = X**2 + 0.5 * Y**2 - 0.3 * X * Y
    inside = field > level
    case = inside[:-1, :-1] + 2 * inside[:-1, 1:] + 4 * inside[1:, 1:] + 8 * inside[1:, :-1]
    points = []
    for i, j in np.argwhere((case > 0) & (case < 15)):
        corners = [(i, j), (i, j + 1), (i + 1, j + 1), (i + 1, j)]
        for p, q in zip(corners, corners[1:] + corners[:1]):
            if inside[p] != inside[q]:
                t = (level - field[p]) / (field[q] - field[p])
                points.append(
                    (x[p[1]] + t * (x[q[1]] - x[p[1]]), x[p[0]] + t * (x[q[0]] - x[p[0]]))
                )
    points = np.array(points)
    radius = np.hypot(*points.T)
    return case, points, radius.min(), radius.max(), np.bincount(case.ravel(), minlength=16)


def simplex(seed):
    rng = np.random.default_rng(seed)
    A, b, c = (
        rng.integers(1, 9, (3, 4)).astype(float),
        rng.integers(20, 60, 3).astype(float),
        rng.integers(2, 12, 4),
    )
    m, n = A.shape
    tableau = np.block(
        [[A, np.eye(m), b[:, None]], [-c.astype(float)[None, :], np.zeros((1, m + 1))]]
    )
    basis = list(range(n, n + m))
    pivots = 0
    while (tableau[-1, :-1] < -1e-12).any():
        column = int(np.argmin(tableau[-1, :-1]))
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(
                tableau[:-1, column] > 1e-12, tableau[:-1, -1] / tableau[:-1, column], np.inf
            )
        row = int(ratios.argmin())
        if ratios[row] == np.inf:
            raise ValueError("unbounded")
        tableau[row] /= tableau[row, column]
        for other in range(m + 1):
            if other != row:
                tableau[other] -= tableau[other, column] * tableau[row]
        basis[row] = column
        pivots += 1
    x = np.zeros(n + m)
    x[basis] = tableau[:-1, -1]
    return tableau, basis, pivots, x[:n], tableau[-1, -1], bool((A @ x[:n] <= b + 1e-9).all())


def find(parent, k):
    while parent[k] != k:
        parent[k] = parent[parent[k]]
        k = parent[k]
    return k


def percolation(seed):
    rng = np.random.default_rng(seed)
    size = 8
    is_open = rng.random((size, size)) < 0.6
    labels = np.arange(size * size)
    rank = np.zeros(size * size, dtype=np.int8)
    for i in range(size):
        for j in range(size):
            for di, dj in ((0, 1), (1, 0)):
                if i + di < size and j + dj < size and is_open[i, j] and is_open[i + di, j + dj]:
                    a, b = find(labels, i * size + j), find(labels, (i + di) * size + j + dj)
                    if a != b:
                        if rank[a] < rank[b]:
                            a, b = b, a
                        labels[b] = a
                        rank[a] += rank[a] == rank[b]
    roots = np.array([find(labels, k) for k in range(size * size)]).reshape(size, size)
    clusters = np.unique(roots[is_open], return_counts=True)
    through = np.intersect1d(roots[0][is_open[0]], roots[-1][is_open[-1]])
    return roots, clusters, through, len(through) > 0


def viterbi(seed):
    rng = np.random.default_rng(seed)
    start = np.array([0.6, 0.3, 0.1])
    move = rng.dirichlet(np.ones(3), 3)
    emit = rng.dirichlet(np.ones(4), 3)
    seen = rng.integers(0, 4, 12)
    score = np.log(start) + np.log(emit[:, seen[0]])
    back = np.zeros((len(seen), 3), dtype=int)
    for t in range(1, len(seen)):
        ways = score[:, None] + np.log(move)
        back[t] = ways.argmax(axis=0)
        score = ways.max(axis=0) + np.log(emit[:, seen[t]])
    path = [int(score.argmax())]
    for t in range(len(seen) - 1, 0, -1):
        path.append(int(back[t, path[-1]]))
    path.reverse()
    print("".join("RSC"[state] for state in path))
    return path, score, back


def floyd_warshall(seed):
    rng = np.random.default_rng(seed)
    n = 9
    distance = np.where(
        rng.random((n, n)) < 0.35, rng.integers(1, 20, (n, n)).astype(float), np.inf
    )
    np.fill_diagonal(distance, 0)
    following = np.where(np.isfinite(distance), np.arange(n)[None, :], -1)
    for k in range(n):
        through = distance[:, k, None] + distance[None, k, :]
        shorter = through < distance
        distance[shorter] = through[shorter]
        following = np.where(shorter, following[:, k, None], following)
    reachable = np.isfinite(distance)
    route, here = [0], 0
    goal = int(np.flatnonzero(reachable[0])[-1])
    while here != goal:
        here = int(following[here, goal])
        route.append(here)
    finite = distance[reachable & ~np.eye(n, dtype=bool)]
    return distance, following, route, finite.mean(), finite.max(initial=0)


def hough(seed):
    rng = np.random.default_rng(seed)
    image = np.zeros((24, 24), dtype=bool)
    columns = np.arange(24)
    image[np.clip(5 + columns // 2, 0, 23), columns] = True
    image[rng.integers(0, 24, 15), rng.integers(0, 24, 15)] = True
    angles = np.deg2rad(np.arange(-90, 90, 3))
    diagonal = math.ceil(np.hypot(*image.shape))
    votes = np.zeros((2 * diagonal + 1, angles.size), dtype=np.uint64)
    for y, x in zip(*np.nonzero(image)):
        rho = np.rint(x * np.cos(angles) + y * np.sin(angles)).astype(int) + diagonal
        np.add.at(votes, (rho, np.arange(angles.size)), 1)
    top = np.unravel_index(votes.argmax(), votes.shape)
    peaks = np.argpartition(votes.ravel(), -5)[-5:]
    return votes, top, np.sort(votes.ravel()[peaks]), np.rad2deg(angles[top[1]])


def fade(t):
    return t * t * t * (t * (t * 6 - 15) + 10)


def perlin(seed):
    rng = np.random.default_rng(seed)
    gradients = rng.normal(size=(5, 5, 2))
    gradients /= np.linalg.norm(gradients, axis=-1, keepdims=True)
    noise = np.zeros((12, 12))
    for octave in range(2):
        frequency = 2**octave
        at = np.linspace(0, 4 / frequency, 12, endpoint=False)
        y, x = np.meshgrid(at, at, indexing="ij")
        iy, ix = y.astype(int), x.astype(int)
        fy, fx = y - iy, x - ix

        def corner(dy, dx):
            g = gradients[(iy + dy) % 5, (ix + dx) % 5]
            return g[..., 0] * (fy - dy) + g[..., 1] * (fx - dx)

        u, v = fade(fx), fade(fy)
        top = (1 - u) * corner(0, 0) + u * corner(0, 1)
        bottom = (1 - u) * corner(1, 0) + u * corner(1, 1)
        noise += 0.5**octave * ((1 - v) * top + v * bottom)
    scaled = (noise - noise.min()) / np.ptp(noise)
    picture = (scaled * 255).astype(np.uint8)
    return noise, np.abs(picture.astype(int) - np.rint(255 * scaled)).max() <= 1


def schelling(seed):
    rng = np.random.default_rng(seed)
    town = rng.choice([0, 1, 2], size=(9, 9), p=[0.2, 0.4, 0.4])
    moves = []
    for _ in range(4):
        same, around = np.zeros(town.shape), np.zeros(town.shape)
        padded = np.pad(town, 1)
        for dy, dx in itertools.product((-1, 0, 1), repeat=2):
            if (dy, dx) != (0, 0):
                other = padded[1 + dy : 10 + dy, 1 + dx : 10 + dx]
                same += (other == town) & (town > 0)
                around += other > 0
        unhappy = np.argwhere((town > 0) & (same < 0.4 * around))
        free = rng.permutation(np.argwhere(town == 0))
        for start, end in zip(unhappy, free):
            town[tuple(end)], town[tuple(start)] = town[tuple(start)], 0
        moves.append(min(len(unhappy), len(free)))
    return town, moves, np.bincount(town.flat)


def epidemic(seed):
    rng = np.random.default_rng(seed)
    susceptible, infected, recovered = 990, 10, 0
    beta, gamma = 0.4, 0.15
    days = np.zeros((40, 3), dtype=np.int64)
    for day in range(40):
        days[day] = susceptible, infected, recovered
        new = rng.binomial(susceptible, 1 - np.exp(-beta * infected / 1000))
        healed = rng.binomial(infected, 1 - np.exp(-gamma))
        susceptible -= new
        infected += new - healed
        recovered += healed
    peak = days[:, 1].argmax()
    smooth = np.convolve(days[:, 1], np.ones(7) / 7, mode="valid")
    print(f"day {peak}: {days[peak, 1]} infected")
    return days, peak, smooth, (days.sum(axis=1) == 1000).all()


def horner(coefficients, x):
    value = np.zeros_like(x)
    slope = np.zeros_like(x)
    for c in coefficients:
        slope = slope * x + value
        value = value * x + c
    return value, slope


def newton_polish(seed):
    roots = np.sort(np.random.default_rng(seed).uniform(-3, 3, 5))
    coefficients = np.poly(roots)
    x = roots + 0.01
    for _iteration in range(30):
        value, slope = horner(coefficients, x)
        step = value / slope
        x = x - step
        if np.max(np.abs(step)) < 1e-12:
            break
    value, slope = horner(coefficients, np.linspace(-3, 3, 7))
    same = np.allclose(value, np.polyval(coefficients, np.linspace(-3, 3, 7)))
    return np.round(x, 8), np.allclose(x, roots, atol=1e-6), value, slope, same


def sieve(seed):
    n = 200 + seed
    prime = np.ones(n + 1, dtype=bool)
    prime[:2] = False
    for k in range(2, int(n**0.5) + 1):
        if prime[k]:
            prime[k * k :: k] = False
    primes = np.flatnonzero(prime)
    gaps, counts = np.unique(np.diff(primes), return_counts=True)
    twins = primes[:-1][np.diff(primes) == 2]
    factors, rest = [], 720720 + seed
    for p in primes:
        while rest % p == 0:
            factors.append(p)
            rest //= p
    print(*primes[-3:], sep=", ")
    return primes, dict(zip(gaps.tolist(), counts.tolist())), twins, factors, rest


def bootstrap(seed):
    rng = np.random.default_rng(seed)
    sample = rng.exponential(2.0, 40)
    means = np.empty(100)
    for k in range(100):
        means[k] = rng.choice(sample, sample.size).mean()
    interval = np.percentile(means, [2.5, 97.5])
    medians = np.median(sample[rng.integers(0, 40, (100, 40))], axis=1)
    jackknife = np.array([np.delete(sample, k).mean() for k in range(sample.size)])
    bias = np.round((sample.size - 1) * (jackknife.mean() - sample.mean()), 9) + 0.0
    error = np.sqrt((sample.size - 1) * np.var(jackknife))
    inside = interval[0] <= sample.mean() <= interval[1]
    return interval, medians.std(ddof=1), bias, error, inside


def lsqr(seed):
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(12, 5)), rng.normal(size=12)
    x = np.zeros(5)
    beta = np.linalg.norm(b)
    u = b / beta
    v = A.T @ u
    alpha = np.linalg.norm(v)
    v /= alpha
    w, phi, rho = v.copy(), beta, alpha
    residuals = []
    for _ in range(4):
        u = A @ v - alpha * u
        beta = np.linalg.norm(u)
        u /= beta
        v = A.T @ u - beta * v
        alpha = np.linalg.norm(v)
        v /= alpha
        turned = np.hypot(rho, beta)
        c, s = rho / turned, beta / turned
        theta, rho = s * alpha, -c * alpha
        phi, step = s * phi, c * phi
        x += (step / turned) * w
        w = v - (theta / turned) * w
        residuals.append(phi)
    expected = np.linalg.lstsq(A, b, rcond=None)[0]
    return np.round(x, 9), np.abs(x - expected).max() < 1, np.round(residuals, 9)


def flood_fill(seed):
    rng = np.random.default_rng(seed)
    grid = (rng.random((10, 10)) < 0.35).astype(np.int8)
    distance = np.full(grid.shape, -1)
    start = tuple(np.argwhere(grid == 0)[0])
    distance[start] = 0
    queue = deque([start])
    while queue:
        y, x = queue.popleft()
        for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            ny, nx = y + dy, x + dx
            if 0 <= ny < 10 and 0 <= nx < 10 and not grid[ny, nx] and distance[ny, nx] < 0:
                distance[ny, nx] = distance[y, x] + 1
                queue.append((ny, nx))
    farthest = np.unravel_index(distance.argmax(), distance.shape)
    shown = np.where(distance < 0, "#", (distance % 10).astype(str))
    print("\n".join("".join(row) for row in shown[:3]))
    return distance, farthest, np.histogram(distance, bins=4), np.mean(distance[distance >= 0])


PROGRAMS = (
    *(sudoku, knapsack, pagerank, n_body, perceptron, dct_blocks, van_der_pol, marching_squares),
    *(simplex, percolation, viterbi, floyd_warshall, hough, perlin, schelling, epidemic),
    *(newton_polish, sieve, bootstrap, lsqr, flood_fill),
)
