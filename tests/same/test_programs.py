"""Small real programs give under the magic what they give without it."""

# ruff: noqa: E501 -- a cell is one string

from __future__ import annotations

from typing import NamedTuple

import pytest

from tests.support.cells.native import assert_same


class Program(NamedTuple):
    """A program, what its inputs are, and how far rounding may carry it."""

    name: str
    setup: str
    source: str
    ulps: float = 256.0
    fallbacks: int = 0


PROGRAMS = [
    Program(
        "heat equation",
        "n, steps, alpha = 16, 12, 0.2\nu = np.zeros((n, n)); u[4:9, 5:8] = 1.0 + RUN",
        """
for step in range(steps):
    lap = (
        u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
    )
    u[1:-1, 1:-1] += alpha * lap
    if step % 4 == 0:
        print(step, f"{u.sum():.6f}")
heat = u.sum()
profile = u[n // 2]
""",
    ),
    Program(
        "game of life",
        "rng = np.random.default_rng(7 + RUN); board = rng.integers(0, 2, (12, 14)).astype(np.uint8)",
        """
def neighbours(b):
    total = np.zeros(b.shape, dtype=np.uint8)
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            if dy or dx:
                total += np.roll(np.roll(b, dy, axis=0), dx, axis=1)
    return total

history = [int(board.sum())]
for _ in range(6):
    around = neighbours(board)
    board = ((around == 3) | ((board == 1) & (around == 2))).astype(np.uint8)
    history.append(int(board.sum()))
alive = np.argwhere(board)
""",
    ),
    Program(
        "Jacobi iteration",
        "rng = np.random.default_rng(1); A = rng.random((6, 6)) + 6 * np.eye(6); b = rng.random(6) + RUN",
        """
d = np.diag(A)
R = A - np.diagflat(d)
x = np.zeros_like(b)
residuals = []
for _ in range(40):
    x_new = (b - R @ x) / d
    residuals.append(np.linalg.norm(x_new - x))
    x = x_new
    if residuals[-1] < 1e-9:
        break
ok = np.allclose(A @ x, b)
residuals = np.round(residuals, 8)
""",
    ),
    Program(
        "Gauss-Seidel by indices",
        "A = np.array([[4.0, 1, 0], [1, 5, 2], [0, 2, 6]]); b = np.array([1.0, 2, 3]) + RUN",
        """
x = np.zeros(3)
for sweep in range(8):
    for i in range(3):
        s = 0.0
        for j in range(3):
            if j != i:
                s += A[i, j] * x[j]
        x[i] = (b[i] - s) / A[i, i]
error = np.abs(A @ x - b).max()
""",
    ),
    Program(
        "power iteration",
        "A = np.array([[2.0, 1, 0], [1, 3, 1], [0, 1, 4]]) + RUN * np.eye(3)",
        """
v = np.ones(3) / np.sqrt(3)
for _ in range(30):
    w = A @ v
    v = w / np.linalg.norm(w)
value = v @ A @ v
gap = value - np.linalg.eigvalsh(A)[-1]
close = abs(gap) < 1e-6
del gap
""",
        ulps=4096,
    ),
    Program(
        "principal components",
        "rng = np.random.default_rng(3 + RUN); X = rng.normal(size=(40, 4)) @ np.diag([3.0, 2, 1, 0.5])",
        """
mean = X.mean(axis=0)
C = X - mean
cov = C.T @ C / (len(X) - 1)
values = np.linalg.eigvalsh(cov)[::-1]
U, S, Vt = np.linalg.svd(C, full_matrices=False)
explained = S ** 2 / (S ** 2).sum()
scores = np.abs(C @ Vt[:2].T)
back = (U * S) @ Vt + mean
same = np.allclose(back, X)
del U, Vt
""",
        ulps=4096,
    ),
    Program(
        "k-means",
        "rng = np.random.default_rng(5 + RUN); points = np.concatenate([rng.normal(c, 0.3, (20, 2)) for c in (0, 3, 6)]); k = 3",
        """
centres = points[::20].copy()
for iteration in range(10):
    distance = ((points[:, None, :] - centres[None]) ** 2).sum(axis=-1)
    label = distance.argmin(axis=1)
    old = centres.copy()
    for j in range(k):
        member = label == j
        count = member.sum()
        if count:
            centres[j] = points[member].mean(axis=0)
    if np.allclose(old, centres):
        print("settled after", iteration)
        break
inertia = distance[np.arange(len(points)), label].sum()
sizes = np.bincount(label, minlength=k)
""",
    ),
    Program(
        "logistic regression by hand",
        "rng = np.random.default_rng(11); X = rng.normal(size=(50, 3)); t = (X @ [1.0, -2, 0.5] + RUN > 0).astype(float)",
        """
w, bias, rate = np.zeros(3), 0.0, 0.5
losses = []

def sigmoid(z):
    return 1 / (1 + np.exp(-z))

for epoch in range(25):
    p = sigmoid(X @ w + bias)
    error = p - t
    w -= rate * X.T @ error / len(t)
    bias -= rate * error.mean()
    loss = -(t * np.log(p + 1e-12) + (1 - t) * np.log(1 - p + 1e-12)).mean()
    losses.append(loss)
    if epoch % 10 == 0:
        print(f"{epoch:3d} {loss:.5f}")
accuracy = ((p > 0.5) == t).mean()
""",
        ulps=2048,
    ),
    Program(
        "Kalman filter",
        "rng = np.random.default_rng(2); measured = np.cumsum(rng.normal(size=12)) + RUN",
        """
F = np.array([[1.0, 1.0], [0.0, 1.0]])
H = np.array([[1.0, 0.0]])
Q, R = 0.01 * np.eye(2), np.array([[0.5]])
state, P = np.zeros((2, 1)), np.eye(2)
track = np.empty((len(measured), 2))
for k, z in enumerate(measured):
    state = F @ state
    P = F @ P @ F.T + Q
    S = H @ P @ H.T + R
    K = P @ H.T @ np.linalg.inv(S)
    state = state + K @ (np.array([[z]]) - H @ state)
    P = (np.eye(2) - K @ H) @ P
    track[k] = state.ravel()
final = state[0, 0], np.trace(P)
""",
        ulps=2048,
    ),
    Program(
        "convolution by slices",
        "image = np.arange(80.0).reshape(8, 10) % 7 + RUN; kernel = np.array([[0, 1, 0], [1, -4, 1], [0, 1, 0]])",
        """
h, w = image.shape
out = np.zeros((h - 2, w - 2))
for dy in range(3):
    for dx in range(3):
        if kernel[dy, dx]:
            out += kernel[dy, dx] * image[dy : dy + h - 2, dx : dx + w - 2]
edges = np.abs(out) > out.std()
frame = np.pad(out, 1, mode="constant")
""",
    ),
    Program(
        "Mandelbrot set",
        "limit = 2.0 + RUN",
        """
y, x = np.mgrid[-1.2:1.2:9j, -2:0.6:13j]
c = x + 1j * y
z = np.zeros_like(c)
count = np.zeros(c.shape, dtype=int)
inside = np.ones(c.shape, dtype=bool)
for k in range(15):
    z[inside] = z[inside] ** 2 + c[inside]
    gone = np.abs(z) > limit
    count[inside & gone] = k
    inside &= ~gone
picture = np.where(inside, 0, count)
""",
    ),
    Program(
        "Mandelbrot set without masks",
        "limit = 4.0 + RUN",
        """
re, im = np.meshgrid(np.linspace(-2, 0.6, 12), np.linspace(-1.2, 1.2, 9))
a, b = np.zeros_like(re), np.zeros_like(im)
count = np.zeros(re.shape, np.int32)
for _ in range(12):
    a2, b2 = a * a, b * b
    stay = a2 + b2 <= limit
    count += stay
    b = np.where(stay, 2 * a * b + im, b)
    a = np.where(stay, a2 - b2 + re, a)
""",
    ),
    Program(
        "n bodies",
        "rng = np.random.default_rng(4 + RUN); pos = rng.normal(size=(5, 3)); vel = rng.normal(size=(5, 3)) * 0.1; mass = np.ones(5)",
        """
def acceleration(pos, mass, soft=0.1):
    d = pos[None, :, :] - pos[:, None, :]
    r2 = (d ** 2).sum(axis=-1) + soft ** 2
    inv = r2 ** -1.5
    return (d * (mass[None, :] * inv)[:, :, None]).sum(axis=1)

dt = 0.01
acc = acceleration(pos, mass)
energy = []
for step in range(10):
    vel += 0.5 * dt * acc
    pos += dt * vel
    acc = acceleration(pos, mass)
    vel += 0.5 * dt * acc
    energy.append(0.5 * (mass * (vel ** 2).sum(axis=1)).sum())
momentum = (mass[:, None] * vel).sum(axis=0)
del momentum
""",
        ulps=4096,
    ),
    Program(
        "prefix sums and ranges",
        "data = np.array([3, 1, 4, 1, 5, 9, 2, 6]) + RUN; queries = [(0, 3), (2, 6), (7, 8)]",
        """
prefix = np.zeros(len(data) + 1, dtype=data.dtype)
prefix[1:] = np.cumsum(data)
answers = [prefix[b] - prefix[a] for a, b in queries]
table = prefix[None, :] - prefix[:, None]
best = table.max()
where = np.unravel_index(table.argmax(), table.shape)
# by hand, as a scan in log steps
scan = data.copy()
step = 1
while step < len(scan):
    scan[step:] = scan[step:] + scan[:-step]
    step *= 2
same = bool((scan == prefix[1:]).all())
""",
    ),
    Program(
        "moving average",
        "signal = np.sin(np.arange(40) * 0.3) + 0.1 * RUN; window = 5",
        """
c = np.cumsum(np.insert(signal, 0, 0.0))
simple = (c[window:] - c[:-window]) / window
weights = np.arange(1, window + 1) / (window * (window + 1) / 2)
weighted = np.convolve(signal, weights[::-1], mode="valid")
smooth = np.empty_like(signal)
smooth[0] = signal[0]
for k in range(1, len(signal)):
    smooth[k] = 0.3 * signal[k] + 0.7 * smooth[k - 1]
spread = np.lib.stride_tricks.sliding_window_view(signal, window).std(axis=1)
""",
    ),
    Program(
        "softmax and cross entropy",
        "rng = np.random.default_rng(8); logits = rng.normal(size=(6, 4)) * (1 + RUN); target = np.array([0, 1, 2, 3, 0, 1])",
        """
def softmax(z, axis=-1):
    z = z - z.max(axis=axis, keepdims=True)
    e = np.exp(z)
    return e / e.sum(axis=axis, keepdims=True)

p = softmax(logits)
loss = -np.log(p[np.arange(len(target)), target]).mean()
grad = p.copy()
grad[np.arange(len(target)), target] -= 1
grad /= len(target)
predicted = p.argmax(axis=1)
rows = p.sum(axis=1)
cold = softmax(logits * 10, axis=0)
""",
    ),
    Program(
        "histogram by bincount",
        "rng = np.random.default_rng(9 + RUN); values = rng.random(60); bins = 8",
        """
index = np.minimum((values * bins).astype(int), bins - 1)
counts = np.bincount(index, minlength=bins)
sums = np.bincount(index, weights=values, minlength=bins)
means = np.where(counts > 0, sums / np.maximum(counts, 1), 0)
expected, edges = np.histogram(values, bins=bins, range=(0, 1))
same = np.array_equal(counts, expected)
by_hand = np.zeros(bins, int)
np.add.at(by_hand, index, 1)
density = counts / counts.sum() * bins
""",
    ),
    Program(
        "Floyd-Warshall",
        "rng = np.random.default_rng(6 + RUN); W = rng.integers(1, 20, (7, 7)).astype(float); W[W > 12] = np.inf; np.fill_diagonal(W, 0)",
        """
dist = W.copy()
for k in range(len(dist)):
    dist = np.minimum(dist, dist[:, k : k + 1] + dist[k : k + 1, :])
slow = W.copy()
for k in range(7):
    for i in range(7):
        slow[i] = np.minimum(slow[i], slow[i, k] + slow[k])
same = np.array_equal(dist, slow)
reach = np.isfinite(dist).sum()
""",
    ),
    Program(
        "LU with partial pivoting",
        "rng = np.random.default_rng(10); A = rng.normal(size=(5, 5)) + RUN * np.eye(5)",
        """
U, L = A.copy(), np.eye(5)
P = np.arange(5)
for k in range(4):
    p = k + int(np.abs(U[k:, k]).argmax())
    if p != k:
        U[[k, p], k:] = U[[p, k], k:]
        L[[k, p], :k] = L[[p, k], :k]
        P[[k, p]] = P[[p, k]]
    L[k + 1 :, k] = U[k + 1 :, k] / U[k, k]
    U[k + 1 :, k:] -= np.outer(L[k + 1 :, k], U[k, k:])
ok = np.allclose(L @ U, A[P])
det = np.prod(np.diag(U))
""",
        ulps=4096,
    ),
    Program(
        "QR by Gram-Schmidt",
        "rng = np.random.default_rng(12 + RUN); A = rng.normal(size=(6, 4))",
        """
m, n = A.shape
Q, R = np.zeros((m, n)), np.zeros((n, n))
for j in range(n):
    v = A[:, j].copy()
    for i in range(j):
        R[i, j] = Q[:, i] @ v
        v -= R[i, j] * Q[:, i]
    R[j, j] = np.sqrt(v @ v)
    Q[:, j] = v / R[j, j]
ok = np.allclose(Q @ R, A), np.allclose(Q.T @ Q, np.eye(n))
""",
        ulps=4096,
    ),
    Program(
        "Householder reflections",
        "rng = np.random.default_rng(13 + RUN); A = rng.normal(size=(4, 3))",
        """
R = A.astype(np.float64)
Q = np.eye(4)
for k in range(3):
    x = R[k:, k]
    v = x.copy()
    v[0] += np.copysign(np.linalg.norm(x), x[0])
    v /= np.linalg.norm(v)
    R[k:, k:] -= 2 * np.outer(v, v @ R[k:, k:])
    Q[:, k:] -= 2 * np.outer(Q[:, k:] @ v, v)
ok = np.allclose(Q @ R, A)
top = np.triu(R[:3])
""",
        ulps=4096,
    ),
    Program(
        "image blur",
        "image = (np.arange(600).reshape(10, 20, 3) * 37 % 256).astype(np.uint8) + np.uint8(RUN)",
        """
work = image.astype(np.float32) / 255
taps = np.exp(-np.arange(-2, 3) ** 2 / 2).astype(np.float32)
taps /= taps.sum()
pad = np.pad(work, ((2, 2), (2, 2), (0, 0)), mode="edge")
rows = sum(t * pad[k : k + work.shape[0]] for k, t in enumerate(taps))
both = sum(t * rows[:, k : k + work.shape[1]] for k, t in enumerate(taps))
blurred = np.clip(both * 255, 0, 255).round().astype(np.uint8)
grey = blurred @ np.array([0.299, 0.587, 0.114])
half = blurred[::2, ::2]
negative = 255 - blurred
""",
    ),
    Program(
        "pi by random points",
        "rng = np.random.default_rng(2026 + RUN)",
        """
hits = total = 0
estimates = []
for _ in range(5):
    points = rng.random((200, 2))
    inside = (points ** 2).sum(axis=1) <= 1
    hits += int(inside.sum())
    total += len(points)
    estimates.append(4 * hits / total)
spread = np.std(estimates)
state = rng.bit_generator.state["state"]["state"]
""",
    ),
    Program(
        "knapsack",
        "weight = np.array([3, 4, 2, 5]); value = np.array([30, 50, 15, 60 + RUN]); capacity = 10",
        """
best = np.zeros(capacity + 1, dtype=int)
take = np.zeros((len(weight), capacity + 1), dtype=bool)
for k in range(len(weight)):
    w = weight[k]
    candidate = best.copy()
    candidate[w:] = best[:-w] + value[k]
    take[k] = candidate > best
    best = np.maximum(best, candidate)
chosen, room = [], capacity
for k in reversed(range(len(weight))):
    if take[k, room]:
        chosen.append(k)
        room -= int(weight[k])
total = best[-1]
""",
    ),
    Program(
        "edit distance",
        "first, second = 'kitten', 'sitting' + 's' * RUN",
        """
a = np.frombuffer(first.encode(), dtype=np.uint8)
b = np.frombuffer(second.encode(), dtype=np.uint8)
D = np.zeros((len(a) + 1, len(b) + 1), dtype=int)
D[:, 0] = np.arange(len(a) + 1)
D[0] = np.arange(len(b) + 1)
for i in range(1, len(a) + 1):
    cost = (b != a[i - 1]).astype(int)
    for j in range(1, len(b) + 1):
        D[i, j] = min(D[i - 1, j] + 1, D[i, j - 1] + 1, D[i - 1, j - 1] + cost[j - 1])
distance = D[-1, -1]
""",
    ),
    Program(
        "sieve of Eratosthenes",
        "n = 60 + 10 * RUN",
        """
prime = np.ones(n + 1, dtype=bool)
prime[:2] = False
for k in range(2, int(n ** 0.5) + 1):
    if prime[k]:
        prime[k * k :: k] = False
primes = np.flatnonzero(prime)
gaps = np.diff(primes)
count = prime.sum()
twins = [(p, p + 2) for p in primes[:-1] if prime[p + 2]][:5]
""",
    ),
    Program(
        "tridiagonal solver",
        "n = 8; lower = np.full(n, -1.0); main = np.full(n, 2.5) + RUN; upper = np.full(n, -1.0); rhs = np.arange(8.0)",
        """
c, d = np.empty(n), np.empty(n)
c[0], d[0] = upper[0] / main[0], rhs[0] / main[0]
for i in range(1, n):
    m = main[i] - lower[i] * c[i - 1]
    c[i] = upper[i] / m
    d[i] = (rhs[i] - lower[i] * d[i - 1]) / m
x = np.empty(n)
x[-1] = d[-1]
for i in range(n - 2, -1, -1):
    x[i] = d[i] - c[i] * x[i + 1]
A = np.diag(main) + np.diag(upper[:-1], 1) + np.diag(lower[1:], -1)
ok = np.allclose(A @ x, rhs)
""",
    ),
    Program(
        "low-pass filter by FFT",
        "t = np.arange(64) / 64; signal = np.sin(2 * np.pi * 3 * t) + 0.3 * np.sin(2 * np.pi * 20 * t) + RUN",
        """
spectrum = np.fft.rfft(signal)
frequency = np.fft.rfftfreq(len(signal), d=1 / 64)
spectrum[frequency > 8] = 0
clean = np.fft.irfft(spectrum, n=len(signal))
power = np.abs(np.fft.fft(signal)) ** 2 / len(signal)
peak = frequency[np.abs(spectrum[1:]).argmax() + 1]
left = np.abs(clean - np.sin(2 * np.pi * 3 * t)).max() < 2
""",
        ulps=4096,
    ),
    Program(
        "gradient descent with momentum",
        "target = np.array([1.0, -2.0]) * (1 + RUN)",
        """
def loss(p):
    a, b = p - target
    return a ** 2 + 10 * b ** 2 + a * b

def grad(p, eps=1e-6):
    g = np.zeros_like(p)
    for k in range(len(p)):
        step = np.zeros_like(p)
        step[k] = eps
        g[k] = (loss(p + step) - loss(p - step)) / (2 * eps)
    return g

p, v = np.zeros(2), np.zeros(2)
path = [p.copy()]
for _ in range(20):
    v = 0.8 * v - 0.02 * grad(p)
    p = p + v
    path.append(p.copy())
path = np.array(path)
print(f"{loss(p):.4f}")
""",
        ulps=1e8,
    ),
    Program(
        "neural network by hand",
        "rng = np.random.default_rng(14); X = rng.normal(size=(20, 3)); y = np.sin(X.sum(axis=1, keepdims=True)) + RUN",
        """
params = {
    "W1": rng.normal(size=(3, 8)) * 0.5,
    "b1": np.zeros(8),
    "W2": rng.normal(size=(8, 1)) * 0.5,
    "b2": np.zeros(1),
}
losses = []
for epoch in range(8):
    h = np.tanh(X @ params["W1"] + params["b1"])
    out = h @ params["W2"] + params["b2"]
    err = out - y
    losses.append((err ** 2).mean())
    d = 2 * err / len(X)
    grads = {"W2": h.T @ d, "b2": d.sum(axis=0)}
    dh = (d @ params["W2"].T) * (1 - h ** 2)
    grads["W1"], grads["b1"] = X.T @ dh, dh.sum(axis=0)
    for key in params:
        params[key] -= 0.1 * grads[key]
better = losses[-1] < losses[0]
""",
        ulps=4096,
    ),
    Program(
        "Runge-Kutta",
        "state = np.array([1.0, 0.5 + RUN])",
        """
def field(s, t):
    x, v = s
    return np.array([v, -x - 0.1 * v + np.cos(t)])

h, t = 0.1, 0.0
track = [state]
for _ in range(15):
    k1 = field(state, t)
    k2 = field(state + h / 2 * k1, t + h / 2)
    k3 = field(state + h / 2 * k2, t + h / 2)
    k4 = field(state + h * k3, t + h)
    state = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    t += h
    track.append(state)
track = np.array(track)
""",
        ulps=2048,
    ),
    Program(
        "Conway by convolution of views",
        "grid = np.zeros((9, 9), int); grid[4, 3:6] = 1; grid[2 + RUN, 2] = 1",
        """
for _ in range(4):
    N = (
        grid[:-2, :-2] + grid[:-2, 1:-1] + grid[:-2, 2:]
        + grid[1:-1, :-2] + grid[1:-1, 2:]
        + grid[2:, :-2] + grid[2:, 1:-1] + grid[2:, 2:]
    )
    core = grid[1:-1, 1:-1]
    birth = (N == 3) & (core == 0)
    stay = ((N == 2) | (N == 3)) & (core == 1)
    grid[...] = 0
    grid[1:-1, 1:-1][birth | stay] = 1
alive = int(grid.sum())
""",
    ),
    Program(
        "option prices on a binomial tree",
        "spot, strike, rate, sigma, steps = 100.0, 95.0 + 10 * RUN, 0.03, 0.2, 24",
        """
dt = 1 / steps
up = np.exp(sigma * np.sqrt(dt))
p = (np.exp(rate * dt) - 1 / up) / (up - 1 / up)
prices = spot * up ** np.arange(steps, -steps - 1, -2.0)
values = np.maximum(strike - prices, 0)
for k in range(steps - 1, -1, -1):
    values = np.exp(-rate * dt) * (p * values[:-1] + (1 - p) * values[1:])
    prices = prices[:-1] / up
    values = np.maximum(values, strike - prices)
price = values[0]
""",
        ulps=4096,
    ),
    Program(
        "Markov chain and page rank",
        "links = np.array([[0, 1, 1, 0], [0, 0, 1, 0], [1, 0, 0, 1], [0, 0, 1, 0]], float); damping = 0.85 - 0.1 * RUN",
        """
out = links.sum(axis=1, keepdims=True)
T = np.divide(links, out, out=np.zeros_like(links), where=out > 0)
rank = np.full(4, 0.25)
for step in range(100):
    new = damping * rank @ T + (1 - damping) / 4
    if np.abs(new - rank).sum() < 1e-10:
        break
    rank = new
order = np.argsort(rank)[::-1]  # ranks are tied: only NumPy knows its order
total = rank.sum()
""",
        fallbacks=1,
    ),
    Program(
        "random walk and autocorrelation",
        "np.random.seed(21 + RUN)",
        """
steps = np.random.choice([-1, 1], size=50)
walk = np.cumsum(steps)
centred = walk - walk.mean()
acf = np.correlate(centred, centred, mode="full")[len(walk) - 1 :]
acf = acf / acf[0]
crossings = np.count_nonzero(np.diff(np.sign(walk)) != 0)
high = np.maximum.accumulate(walk)
drawdown = (high - walk).max()
np.random.shuffle(steps)
""",
    ),
]

COMPILED = [
    "heat equation",
    "softmax and cross entropy",
    "image blur",
    "Floyd-Warshall",
    "n bodies",
    "Mandelbrot set without masks",
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_program(program: Program) -> None:
    assert_same(
        program.source.strip("\n"),
        setup=program.setup,
        ulps=program.ulps,
        fallbacks=program.fallbacks,
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPILED)
def test_program_compiled_by_inductor(name: str) -> None:
    (program,) = (program for program in PROGRAMS if program.name == name)
    assert_same(
        program.source.strip("\n"),
        setup=program.setup,
        ulps=max(program.ulps, 4096),
        fallbacks=program.fallbacks,
        tier="inductor",
    )


def test_there_are_enough() -> None:
    assert len({program.name for program in PROGRAMS}) == len(PROGRAMS) >= 25
