"""Cells as people write them: small scripts that mix classes, draws, commands and arrays."""

# ruff: noqa: E501 -- a cell is one string

from __future__ import annotations

from tests.support.cells.python_cells import SETUP, Cell

SEEDED = SETUP + "\nrng = np.random.default_rng(7 + RUN); np.random.seed(11 + RUN)"

CELLS = [
    Cell(
        "Metropolis sampling",
        """
def log_density(z):
    return -0.5 * np.sum((z - 1) ** 2) - 0.1 * np.sum(np.abs(z))

z, samples, accepted = np.zeros(2), [], 0
for k in range(40):
    proposal = z + 0.5 * rng.normal(size=2)
    if np.log(rng.random()) < log_density(proposal) - log_density(z):
        z = proposal
        accepted += 1
    samples.append(z.copy())
chain = np.array(samples)
mean = chain.mean(axis=0)
accepted / 40
""",
        setup=SEEDED,
    ),
    Cell(
        "simulated annealing with a class and legacy draws",
        """
class Annealer:
    def __init__(self, start, scale=1.0):
        self.best = self.state = np.asarray(start, dtype=float)
        self.scale = scale
        self.history = []

    def energy(self, v):
        return float(np.sum(v ** 2 - np.cos(3 * v)))

    def step(self, k):
        t = self.scale / (k + 1)
        new = self.state + t * np.random.randn(*self.state.shape)
        delta = self.energy(new) - self.energy(self.state)
        if delta < 0 or np.random.rand() < np.exp(-delta / t):
            self.state = new
        if self.energy(self.state) < self.energy(self.best):
            self.best = self.state.copy()
        self.history.append(self.energy(self.best))

a = Annealer(x[:3])
for k in range(20):
    a.step(k)
best, history = a.best, np.array(a.history)
monotone = bool((np.diff(history) <= 0).all())
y = best * 2
del a
""",
        setup=SEEDED,
    ),
    Cell(
        "k-means",
        """
X = np.concatenate([rng.normal(m, 0.3, (20, 2)) for m in (0, 2, 4)])
centers = X[rng.choice(len(X), 3, replace=False)]
for iteration in range(10):
    distance = np.linalg.norm(X[:, None, :] - centers[None], axis=2)
    label = distance.argmin(axis=1)
    new = np.array([X[label == k].mean(axis=0) if (label == k).any() else centers[k] for k in range(3)])
    if np.allclose(new, centers):
        print("converged after", iteration)
        break
    centers = new
else:
    print("not converged")
inertia = round(float((distance.min(axis=1) ** 2).sum()), 6)
inertia
""",
        setup=SEEDED,
    ),
    Cell(
        "game of life",
        """
grid = (rng.random((12, 12)) < 0.4).astype(int)
start = grid.copy()
def step(g):
    n = sum(np.roll(np.roll(g, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
    return ((n == 3) | ((g == 1) & (n == 2))).astype(int)
seen, period = {}, None
for generation in range(12):
    key = grid.tobytes()
    if key in seen:
        period = generation - seen[key]
        break
    seen[key] = generation
    grid = step(grid)
alive = grid.sum()
print(f"{alive=} {period=}")
del seen
""",
        setup=SEEDED,
    ),
    Cell(
        "Runge-Kutta with a closure and a generator",
        """
def pendulum(damping):
    def rhs(t, s):
        return np.array([s[1], -np.sin(s[0]) - damping * s[1]])
    return rhs

def integrate(f, s, t0, t1, n):
    h = (t1 - t0) / n
    t = t0
    yield t, s
    for _ in range(n):
        k1 = f(t, s)
        k2 = f(t + h / 2, s + h / 2 * k1)
        k3 = f(t + h / 2, s + h / 2 * k2)
        k4 = f(t + h, s + h * k3)
        s = s + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t += h
        yield t, s

times, states = zip(*integrate(pendulum(0.1), np.array([1.0, 0.0]), 0.0, 2.0, 10))
states = np.array(states)
energy = 0.5 * states[:, 1] ** 2 - np.cos(states[:, 0])
energy[-1] < energy[0]
""",
    ),
    Cell(
        "a small network with momentum",
        """
W = [rng.normal(size=s) * 0.5 for s in ((4, 8), (8, 1))]
V = [np.zeros_like(w) for w in W]
A = rng.normal(size=(30, 4))
t = np.sin(A.sum(axis=1, keepdims=True))
losses = []
for epoch in range(6):
    for batch in np.array_split(rng.permutation(30), 3):
        a, target = A[batch], t[batch]
        h = np.maximum(a @ W[0], 0)
        out = h @ W[1]
        err = out - target
        g1 = h.T @ err / len(batch)
        g0 = a.T @ ((err @ W[1].T) * (h > 0)) / len(batch)
        for w, v, g in zip(W, V, (g0, g1)):
            v *= 0.9
            v -= 0.05 * g
            w += v
    losses.append(float((err ** 2).mean()))
final = losses[-1]
del w, v, g
""",
        setup=SEEDED,
    ),
    Cell(
        "dynamic programming and recursion with arrays",
        """
from functools import lru_cache
costs = np.abs(np.subtract.outer(x, x))

@lru_cache(maxsize=None)
def tour(mask, last):
    if mask == (1 << len(x)) - 1:
        return costs[last, 0]
    return min(tour(mask | 1 << k, k) + costs[last, k] for k in range(len(x)) if not mask >> k & 1)

shortest = tour(1, 0)
table = np.zeros((7, 10), int)
for i in range(1, 7):
    for w in range(10):
        table[i, w] = table[i - 1, w]
        if w >= i:
            table[i, w] = max(table[i, w], table[i - 1, w - i] + i * 2)
best = table[-1, -1] * x
""",
    ),
    Cell(
        "sieve, histogram and text output",
        """
n = 60
sieve = np.ones(n, bool)
sieve[:2] = False
for k in range(2, int(n ** 0.5) + 1):
    if sieve[k]:
        sieve[k * k::k] = False
primes = np.flatnonzero(sieve)
gaps, counts = np.unique(np.diff(primes), return_counts=True)
for gap, count in zip(gaps, counts):
    print(f"{gap:>3} {'#' * count}")
print("mean gap %.3f" % np.diff(primes).mean())
y = primes * 2 - 1
""",
    ),
    Cell(
        "a matrix class with caches and operators",
        """
class Rotation:
    _cache = {}
    __slots__ = ("m",)

    def __new__(cls, angle):
        if angle not in cls._cache:
            self = super().__new__(cls)
            c, s = np.cos(angle), np.sin(angle)
            self.m = np.array([[c, -s], [s, c]])
            cls._cache[angle] = self
        return cls._cache[angle]

    def __matmul__(self, other):
        return self.m @ (other.m if isinstance(other, Rotation) else other)

    def __pow__(self, k):
        return np.linalg.matrix_power(self.m, k)

    @property
    def T(self):
        return self.m.T

r = Rotation(0.3)
p = np.stack([x, x ** 2])
q = r @ p
identity = r.T @ r.m
power = r ** 3
same = Rotation(0.3) is r
error = np.abs(identity - np.eye(2)).max() < 1e-12
y = q.sum(axis=1)
del r, Rotation
""",
    ),
    Cell(
        "an event loop of callbacks",
        """
handlers = {}
def on(name):
    def register(f):
        handlers.setdefault(name, []).append(f)
        return f
    return register

@on("scale")
def scale(state, k): state *= k
@on("shift")
@on("scale")
def shift(state, k): state += k
@on("clip")
def clip(state, k): np.clip(state, -k, k, out=state)

state = x.copy()
for name, k in [("scale", 2.0), ("shift", -1.0), ("clip", 3.0), ("scale", 0.5)]:
    for handler in handlers[name]:
        handler(state, k)
total = state.sum()
y = state * 2
counts = {name: len(found) for name, found in handlers.items()}
del handlers
""",
    ),
    Cell(
        "moving averages and exponential smoothing",
        """
series = np.cumsum(rng.normal(size=50))
kernel = np.ones(5) / 5
smooth = np.convolve(series, kernel, mode="valid")
ema = np.empty_like(series)
ema[0] = series[0]
for k in range(1, len(series)):
    ema[k] = 0.3 * series[k] + 0.7 * ema[k - 1]
lag = np.corrcoef(series[1:], series[:-1])[0, 1]
up = np.where(np.diff(series) > 0, 1, -1)
runs = np.split(up, np.flatnonzero(np.diff(up)) + 1)
longest = max(map(len, runs))
z = (series - series.mean()) / series.std(ddof=1)
outliers = np.argwhere(np.abs(z) > 2).ravel().tolist()
longest, round(float(lag), 6)
""",
        setup=SEEDED,
    ),
    Cell(
        "timing lines",
        "import io, contextlib\nwith contextlib.redirect_stdout(io.StringIO()):\n    %time y = x * 2\n    %timeit -n1 -r1 x * 2\n    t = %timeit -o -q -n1 -r1 np.sin(x)\nz = y + 1\nname = type(t).__name__\ndel t",
    ),
    Cell(
        "profiling lines",
        "import io, contextlib\nout = io.StringIO()\ndef f(v):\n    w = v * 2\n    return w + 1\nwith contextlib.redirect_stdout(out):\n    %prun -q f(x)\ny = f(x)\nz = y * 2\ndel out",
    ),
    Cell(
        "pretty printing", "y = x * 2\n%pprint\n[y, 1]\n%pprint\nz = y + 1\n{'a': y, 'b': [z] * 2}"
    ),
    Cell("who and whos", "y = x * 2\nn = 3\n%who int\nz = y + 1\n%who_ls int"),
    Cell(
        "a script that is run",
        "import pathlib\npathlib.Path('npc_script.py').write_text('import numpy as np\\nk = 3\\nr = np.arange(3.0) * k\\n')\n%run npc_script.py\ny = r + x[:3]\nz = y * k\n%run -i npc_script.py\npathlib.Path('npc_script.py').unlink()\nw = r * 2",
    ),
    Cell("history line", "y = x * 2\n%history -n 1\nz = y + 1"),
    Cell(
        "cd and bookmarks",
        "import os\nhere = os.getcwd()\n%cd -q /\ny = x * 2\nthere = os.getcwd()\n%cd -q {here}\nz = y + len(there)\nback = os.getcwd() == here\ndel here",
    ),
    Cell(
        "a capture cell magic below",
        "y = x * 2\nimport io, contextlib\nwith contextlib.redirect_stdout(io.StringIO()) as out:\n    get_ipython().run_cell_magic('time', '', 'z = y + 1')\nw = z * 2\ndel out",
    ),
    Cell(
        "store and reset names",
        "y = x * 2\ndef f(v):\n    return v + y\na = f(x)\ndel y\ntry:\n    f(x)\nexcept NameError as e:\n    m = str(e)\ny = 5\nb = f(x)\ny = x\nc = f(x)",
    ),
    Cell(
        "plots of what was computed",
        """
import matplotlib
matplotlib.use("agg")
import matplotlib.pyplot as plt
fig, ax = plt.subplots()
y = np.sin(x) * 2
line, = ax.plot(x, y)
n, bins, _ = ax.hist(y, bins=3)
z = line.get_ydata() + 1
same = line.get_ydata(orig=True) is y
limits = np.array(ax.get_ylim()) * 2
plt.close(fig)
del fig, ax, line, _, plt
w = y + n.sum()
""",
    ),
    Cell(
        "warnings that are shown once",
        """
import warnings
for k in range(3):
    y = x / (x - x[0])
    z = y + k
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    u = np.log(-x)
    v = u + 1
def f(a):
    return np.sqrt(a) + 1
w = f(-x)
t = f(x)
s = np.array([1, 0]) // 0
""",
        captured=False,
        fallbacks=10,
    ),
    Cell(
        "overflow, rounding and integer rules",
        """
a = np.arange(5, dtype=np.int8) * 60
b = np.uint8([250, 5]) + np.uint8(10)
c = np.int32(2) ** np.arange(5)
d = np.array([7, -7]) // 2, np.array([7, -7]) % 3, np.divmod(np.array([7, -7]), 2)
e = np.round(x, 1), np.rint(x), np.floor(-x), np.trunc(-x)
f = np.array([1, 2]) / 2, np.array([1, 2]) * 1.5, np.array([True, False]) + 1
g = 5 // np.array([2, 3]), 2 ** np.array([1.0, 2]), -np.array([1, 2], dtype=np.uint8)
h = np.left_shift(1, np.arange(4)), np.array([6]) & 3, ~np.array([True])
try:
    np.array([1, 2]) ** -1
except ValueError as error:
    i = str(error)
try:
    np.uint8(1) + 300
except OverflowError as error:
    j = str(error)
k = np.float32(1) + np.arange(3), np.float16(1) * np.float32(2), np.arange(3) + 1j
l = x.astype(int), x.astype('f4').dtype.name, np.array([1.7, -1.7]).astype(np.int8)
y = x + 1
""",
        fallbacks=2,
    ),
    Cell(
        "linear algebra of a least-squares fit",
        """
A = np.vander(x, 3)
b = A @ np.array([1.0, -2.0, 0.5]) + 0.01 * rng.normal(size=6)
coef, residual, rank, sv = np.linalg.lstsq(A, b, rcond=None)
residual = residual.round(9)
normal = np.linalg.solve(A.T @ A, A.T @ b).round(9)
q, r = np.linalg.qr(A)
by_qr = np.linalg.solve(r, q.T @ b)
close = np.allclose(coef, normal, atol=1e-6), np.allclose(normal, by_qr, atol=1e-6)
try:
    np.linalg.inv(np.zeros((2, 2)))
except np.linalg.LinAlgError as error:
    message = str(error)
fit = A @ by_qr
score = 1 - ((b - fit) ** 2).sum() / ((b - b.mean()) ** 2).sum()
score > 0.9
""",
        setup=SEEDED,
    ),
    Cell(
        "data read from text",
        """
import io, csv, re
text = "t,v\\n0,1.5\\n1,2.5\\n2,\\n3,4.5\\n"
rows = list(csv.DictReader(io.StringIO(text)))
v = np.array([float(r["v"]) if r["v"] else np.nan for r in rows])
t = np.genfromtxt(io.StringIO(text), delimiter=",", names=True)["t"]
good = ~np.isnan(v)
filled = np.interp(t, t[good], v[good])
mean = np.nanmean(v)
v[~good] = mean
numbers = [int(m) for m in re.findall(r"\\d+", "a1b22c333")]
total = sum(numbers) * v
order = np.lexsort((t, v))
by_name = {name: column * 2 for name, column in zip("tv", (t, v))}
by_name["v"].sum()
""",
    ),
    Cell(
        "producer and consumer coroutines",
        """
import asyncio
queue = asyncio.Queue(maxsize=2)
results = []
async def produce(n):
    for k in range(n):
        await queue.put(x * k)
    await queue.put(None)
async def consume():
    while (item := await queue.get()) is not None:
        results.append(item.sum())
        await asyncio.sleep(0)
    return len(results)
_, count = await asyncio.gather(produce(4), consume())
totals = np.array(results) * 2
try:
    await asyncio.wait_for(asyncio.sleep(10), 0.001)
except asyncio.TimeoutError:
    late = totals + 1
async with asyncio.timeout(5):
    y = x + totals[0]
del queue, _
""",
    ),
    Cell(
        "state machines with match and enumerations",
        """
from enum import Enum, auto
class S(Enum):
    IDLE = auto()
    RUN = auto()
    DONE = auto()
state, v, log = S.IDLE, x.copy(), []
for event in ["start", ("scale", 2), {"add": 1.5}, "tick", ("scale", 0.5, "half"), "stop", "late"]:
    match state, event:
        case S.IDLE, "start":
            state = S.RUN
        case S.RUN, ("scale", k) | ("scale", k, _):
            v = v * k
            log.append(v.sum())
        case S.RUN, {"add": float(k)} if k > 1:
            v += k
        case S.RUN, "stop":
            state = S.DONE
        case S.DONE, other:
            log.append(other)
        case _:
            log.append("ignored")
y = v + len(log)
name = state.name
del S, state
""",
    ),
    Cell(
        "sums in many disguises",
        """
import functools, operator, math
a = sum(x), np.sum(x), x.sum(), math.fsum(x), functools.reduce(operator.add, x), np.add.reduce(x)
b = sum(v * v for v in x), x @ x, np.dot(x, x), np.einsum("i,i", x, x), (x ** 2).sum(), np.vdot(x, x)
c = [type(v).__name__ for v in (*a, *b)]
d = max(x), np.max(x), x.max(), min(x, key=lambda v: -v)
e = sorted(x)[0], any(x > 2), all(x > 0), len(x), bool(x.any()), abs(-x[0]), round(x[0], 2)
f = x.mean() == sum(x) / len(x) or abs(x.mean() - sum(x) / len(x)) < 1e-12
y = x * a[2]
z = np.cumsum(x)[-1] - a[1] < 1e-9
""",
    ),
]
