"""Ways in which people write Python around arrays."""

import warnings
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial, reduce

import numpy as np


def early_return(x, limit):
    if x.size == 0:
        return None
    total = x.sum()
    if total > limit:
        return "large"
    if total < -limit:
        return total, x.min()
    return x / limit


def several_ends(x):
    for k, value in enumerate(x):
        if value < 0:
            return k, value
    else:
        last = len(x)
    return last, x[-1]


def in_place(a, b, out):
    np.multiply(a, b, out=out)
    np.add(out, 1, out=out)
    a += out
    b[...] = a[::-1]
    b[:1] -= 1
    return out, a


def where_and_out(a, b):
    quotient = np.zeros_like(a, dtype=float)
    np.divide(a, b, out=quotient, where=b != 0)
    np.copyto(quotient, -1, where=b == 0)
    root = np.sqrt(np.abs(a), where=a > 0, out=np.zeros(a.shape))
    return quotient, root, np.sum(a, where=a > 0), np.max(b, initial=0, where=b < 2)


def overlapping(x):
    x[1:] += x[:-1]
    x[:-1] = x[1:]
    x[::2] = x[::-1][::2]
    return x


def warns(x):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        y = np.log(x)
        z = x / (x - x[0])
    return y, z, [str(w.message) for w in caught]


def divide_by_zero(x):
    y = 1 / x
    z = np.sqrt(x)
    return y, z


def raises_inside(x, k):
    try:
        row = x[k]
    except IndexError as error:
        return str(error)
    finally:
        x[0] = -1
    return row * 2


def tries_shapes(a, b):
    found = []
    for op in (np.add, np.matmul, np.dot):
        try:
            found.append(op(a, b).sum())
        except ValueError as error:
            found.append(type(error).__name__)
    with suppress(ZeroDivisionError):
        found.append(1 / len(b))
    return found


def closures(x):
    calls = 0

    def scale(k):
        def inner(v):
            nonlocal calls
            calls += 1
            return v * k + x.mean()

        return inner

    functions = [scale(k) for k in (1, 2, 3)]
    return [f(x).sum() for f in functions], calls


def generators(x, size):
    def batches():
        for start in range(0, len(x), size):
            yield x[start : start + size]

    means = [b.mean() for b in batches()]
    total = sum(b.sum() for b in batches())
    best = max(batches(), key=np.sum)
    return means, total, best, [b.shape for b in batches()]


def recursion(x):
    if len(x) <= 1:
        return x
    pivot = x[len(x) // 2]
    return np.concatenate([recursion(x[x < pivot]), x[x == pivot], recursion(x[x > pivot])])


def comprehensions(a):
    rows = np.array([row / row.sum() for row in a])
    table = {k: row.max() for k, row in enumerate(a)}
    flat = [float(v) for row in a for v in row if v > 0.5]
    pairs = np.array([(i, j) for i in range(len(a)) for j in range(i)])
    return rows, table, flat, pairs, np.fromiter((v * v for v in a[0]), float)


def folds(matrices):
    product = reduce(np.matmul, matrices)
    powers = [np.eye(len(product))]
    for _ in range(3):
        powers.append(powers[-1] @ product)
    half = partial(np.multiply, 0.5)
    return product, np.stack(powers), half(product), list(map(np.trace, matrices))


class Vector:
    def __init__(self, x):
        self.x = np.asarray(x, dtype=float)

    def __add__(self, other):
        return Vector(self.x + other.x)

    def __matmul__(self, other):
        return self.x @ other.x

    def __getitem__(self, k):
        return self.x[k]

    def __len__(self):
        return len(self.x)

    @property
    def norm(self):
        return np.sqrt(self @ self)


def vectors(a, b):
    u, v = Vector(a), Vector(b)
    w = u + v
    return w.x, u @ v, w.norm, w[-1], len(w), (u @ v) / (u.norm * v.norm)


@dataclass
class Body:
    mass: float
    at: np.ndarray
    path: list = field(default_factory=list)

    def push(self, force, dt):
        self.at = self.at + force / self.mass * dt
        self.path.append(self.at.copy())


def bodies(places, force):
    all_of_them = [Body(1.0 + k, p) for k, p in enumerate(places)]
    for _ in range(3):
        for body in all_of_them:
            body.push(force, 0.1)
    centre = sum(b.mass * b.at for b in all_of_them) / sum(b.mass for b in all_of_them)
    return centre, [np.array(b.path) for b in all_of_them]


class Counter:
    total = 0

    def __init__(self, n):
        self.counts = np.zeros(n, dtype=int)

    def add(self, k):
        self.counts[k] += 1
        self.total += 1
        return self


def chained(n, keys):
    counter = Counter(n)
    for k in keys:
        counter.add(k)
    counter.add(0).add(-1)
    return counter.counts, counter.total, Counter.total


def memo(n):
    @lru_cache(maxsize=None)
    def ways(k):
        return 1 if k < 2 else ways(k - 1) + ways(k - 2)

    return np.array([ways(k) for k in range(n)]), ways.cache_info().hits


def defaults(x, *more, scale=2.0, **options):
    y = x * scale
    for other in more:
        y = y + other
    if options.get("centre"):
        y = y - y.mean()
    return y, sorted(options)


def calls_defaults(x):
    return defaults(x), defaults(x, x, 1, scale=3), defaults(x, **{"centre": True, "other": None})


def stars(x):
    first, *rest = x
    (a, b), c = x[:2], x[2:]
    low, high = min(rest), max(rest)
    return first, len(rest), a + b, c, low, high, [*x[:2], *c[::-1]]


def walrus(x, limit):
    steps = 0
    while (norm := np.linalg.norm(x)) > limit and steps < 20:
        x = x / 2
        steps += 1
    return x, norm, steps


def groups(keys, values):
    found = defaultdict(list)
    for k, v in zip(keys, values):
        found[int(k)].append(v)
    return {k: np.array(v).sum() for k, v in sorted(found.items())}


def asserts(x):
    assert x.ndim == 1, f"{x.ndim} dimensions"
    assert np.all(x >= 0), "negative: " + ", ".join(f"{v:.2f}" for v in x[x < 0])
    return np.sqrt(x).sum()


def swaps(x, y):
    x, y = y, x
    for _ in range(3):
        x, y = x + y, x - y
    x[0], x[-1] = x[-1], x[0]
    return x, y


def aliases(a, b):
    c = a
    c[0] = 5
    b *= 2
    d = a if a.sum() > 0 else b
    d[-1] += 1
    return c, d, d is a


def scalars(x):
    total = 0
    for v in x:
        total += v
    n = len(x)
    mean = total / n
    var = sum((v - mean) ** 2 for v in x) / (n - 1)
    biggest = -np.inf
    for k in range(n):
        biggest = max(biggest, x[k])
    return total, mean, var, biggest, type(biggest).__name__, float(mean), int(n)


def printing(x):
    print("x =", x)
    print("sum:", x.sum(), "mean: %.3f" % x.mean(), "max: {:.2f}".format(x.max()))
    for k in range(min(3, len(x))):
        print(k, x[k], end="; ")
    print()
    print(x > 0, x.dtype, x.shape, sep="|")
    return x.size


def global_errors(x):
    old = np.seterr(divide="ignore")
    try:
        y = 1 / x
    finally:
        np.seterr(**old)
    with np.errstate(invalid="raise"):
        try:
            z = np.sqrt(x - 1)
        except FloatingPointError as error:
            z = str(error)
    return y, z


def conditional_types(x, flag):
    y = x if flag else 0
    z = 1 if flag else 1.5
    for k in range(3):
        z = z + k
        y = y + z
    return y, z


PROGRAMS = {
    early_return: lambda rng, n: (rng.normal(size=n), 1.0),
    several_ends: lambda rng, n: (rng.normal(size=n) + 1.5,),
    in_place: lambda rng, n: (rng.random(n), rng.random(n), np.zeros(n)),
    where_and_out: lambda rng, n: (rng.normal(size=n), rng.integers(0, 3, n)),
    overlapping: lambda rng, n: (rng.random(n),),
    warns: lambda rng, n: (rng.normal(size=n),),
    divide_by_zero: lambda rng, n: (rng.integers(-1, 4, n) * 1.0,),
    raises_inside: lambda rng, n: (rng.random((n, 2)), n - n % 2 // 1 - 1 + n % 3),
    tries_shapes: lambda rng, n: (rng.random((n, 2)), rng.random(2 + n % 2)),
    closures: lambda rng, n: (rng.random(n),),
    generators: lambda rng, n: (rng.random(n), 4),
    recursion: lambda rng, n: (rng.integers(0, n, n),),
    comprehensions: lambda rng, n: (rng.random((n, 3)),),
    folds: lambda rng, n: ([rng.random((n, n)) for _ in range(3)],),
    vectors: lambda rng, n: (rng.random(n), rng.random(n)),
    bodies: lambda rng, n: (rng.random((n % 4 + 1, 2)), np.array([1.0, -1.0])),
    chained: lambda rng, n: (n, rng.integers(0, n, 2 * n)),
    memo: lambda rng, n: (n,),
    calls_defaults: lambda rng, n: (rng.random(n),),
    stars: lambda rng, n: (rng.random(n),),
    walrus: lambda rng, n: (rng.random(n) * 100, 1.0),
    groups: lambda rng, n: (rng.integers(0, 3, n), rng.random(n)),
    asserts: lambda rng, n: (rng.random(n) - 0.02 * (n % 2),),
    swaps: lambda rng, n: (rng.random(n), rng.random(n)),
    aliases: lambda rng, n: (rng.normal(size=n), rng.random(n)),
    scalars: lambda rng, n: (rng.random(n),),
    printing: lambda rng, n: (rng.normal(size=n),),
    global_errors: lambda rng, n: (rng.integers(0, 3, n) * 1.0,),
    conditional_types: lambda rng, n: (rng.random(n), bool(n % 2)),
}
