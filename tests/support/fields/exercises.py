"""Short exercises, as courses set them."""

import numpy as np


def checkerboard(n):
    board = np.zeros((n, n), dtype=int)
    board[1::2, ::2] = 1
    board[::2, 1::2] = 1
    framed = np.pad(board, 1, constant_values=9)
    tiled = np.tile(np.array([[0, 1], [1, 0]]), (n // 2, n // 2))
    return board, framed, tiled, np.array_equal(board[: tiled.shape[0], : tiled.shape[1]], tiled)


def nearest_value(z, value):
    index = np.abs(z - value).argmin()
    return z.flat[index], np.unravel_index(index, z.shape), z.ravel()[::-1][:2]


def replace_maximum(z):
    z[z.argmax()] = 0
    z[(z > 0.3) & (z < 0.6)] *= -1
    return z, z[z < 0].size


def cartesian_to_polar(z):
    x, y = z[:, 0], z[:, 1]
    r = np.sqrt(x**2 + y**2)
    t = np.arctan2(y, x)
    return np.c_[r, t], np.degrees(t), r[..., np.newaxis]


def cauchy(x, y):
    c = 1.0 / np.subtract.outer(x, y)
    return c, np.linalg.det(c), np.linalg.slogdet(c)


def sort_by_column(z, k):
    by = z[z[:, k].argsort(kind="stable")]
    descending = z[np.argsort(-z[:, k], kind="stable")]
    both = z[np.lexsort((z[:, 0], z[:, k]))]
    return by, descending, both


def diagonals(a, b):
    return (
        np.einsum("ij,ji->i", a, b),
        np.sum(a * b.T, axis=1),
        np.trace(a @ b),
        np.diagonal(a, 1),
        np.diag(np.diag(b)),
    )


def strides(x, window):
    rolled = np.lib.stride_tricks.as_strided(
        x, shape=(x.size - window + 1, window), strides=x.strides * 2
    )
    return rolled.mean(axis=1), rolled[0].sum(), rolled.shape


def zero_between(z, zeros):
    out = np.zeros(len(z) + (len(z) - 1) * zeros)
    out[:: zeros + 1] = z
    return out


def swap_rows(a):
    a[[0, 1]] = a[[1, 0]]
    a[:, [0, -1]] = a[:, [-1, 0]]
    return a


def unique_rows(z):
    rows, counts = np.unique(z, axis=0, return_counts=True)
    return rows, counts, len(rows)


def one_hot(labels, k):
    hot = np.zeros((labels.size, k))
    hot[np.arange(labels.size), labels] = 1
    again = (labels[:, None] == np.arange(k)).astype(np.float32)
    return hot, again, hot.argmax(1), hot.any(0)


def block_sums(z, k):
    return np.add.reduceat(
        np.add.reduceat(z, np.arange(0, z.shape[0], k), axis=0),
        np.arange(0, z.shape[1], k),
        axis=1,
    )


def largest(z, n):
    return np.sort(z)[-n:], np.sort(z[np.argpartition(-z, n)[:n]]), z.argsort()[::-1][:n]


def distances(p):
    dx, dy = np.subtract.outer(p[:, 0], p[:, 0]), np.subtract.outer(p[:, 1], p[:, 1])
    d = np.hypot(dx, dy)
    np.fill_diagonal(d, np.inf)
    return d, np.unravel_index(np.argmin(d), d.shape), d.min(axis=1)


def accumulate_weights(x, i):
    totals = np.bincount(i, weights=x, minlength=6)
    counts = np.bincount(i, minlength=6)
    means = np.divide(totals, counts, out=np.full(6, np.nan), where=counts > 0)
    return totals, means, np.nanmax(means)


def products(a, b):
    return (
        a.dot(b),
        np.dot(a.T, a),
        np.inner(a, a),
        np.outer(a[0], b[0]),
        np.tensordot(a, b, axes=([1], [0])),
        np.kron(a[:2, :2], np.eye(2)),
        np.linalg.multi_dot([a, b, a]),
        np.vdot(a, a),
    )


def shapes(x):
    a = x.reshape(-1, 2)
    b = a.T
    c = np.expand_dims(x, (0, 2))
    d = np.stack([x, x * 2], axis=1)
    e = np.hstack([x, x[:1]])
    f = np.vstack([x, x])
    g = np.concatenate([a, a], axis=None)
    h = np.moveaxis(c, 0, -1)
    i = np.broadcast_to(x, (3, x.size))
    return a, b, c, d, e, f, g, h, i, np.split(x, 2), np.array_split(x, 3)


def number_kinds(n):
    return (
        np.zeros(n),
        np.ones(n, int),
        np.full(n, 2),
        np.full(n, True),
        np.arange(n, dtype="f4"),
        np.linspace(0, 1, n, endpoint=False),
        np.geomspace(1, 8, 4),
        np.identity(2),
        np.arange(0, 1, 0.25),
        np.empty((0, n)),
        np.array([1, 2.5]),
        np.array([1, 2j]),
        np.arange(n) / 2,
        np.arange(n) // 2,
        -np.arange(n) % 3,
        np.arange(n) ** 2,
        2.0 ** np.arange(n),
    )


def special_values():
    with np.errstate(all="ignore"):
        x = np.array([0.0, 1.0, -1.0, np.inf, -np.inf, np.nan])
        return (
            x / 0,
            x % 2,
            x // 1,
            np.sign(x),
            np.sqrt(x),
            np.log(x),
            x == x,
            np.isnan(x) | (x > 0),
            np.maximum(x, 0),
            np.fmax(x, 0),
            np.minimum(x, 0),
            np.fmin(x, 0),
            x.sum(),
            np.nansum(x[1:3]),
            np.floor(x),
            np.clip(x, -1, 1),
            x.argmax(),
            np.nanargmin(x),
        )


def integer_rules(a, b):
    with np.errstate(divide="ignore"):
        return (
            a // b,
            a % b,
            np.divmod(a, b),
            a / np.where(b == 0, 1, b),
            a & b,
            a | b,
            a ^ b,
            ~a,
            a << 2,
            a >> 1,
            np.abs(a),
            -a,
            a**2,
            np.minimum(a, b),
            np.sign(a),
            a.sum(),
            a.prod(),
            a.mean(),
            np.cumsum(a),
            a.astype(np.int8),
            a.astype(np.uint8),
            a.astype(bool),
            a > b,
        )


def small_integers(a, b):
    return a + b, a - b, a * b, a.sum(), a.mean(), np.cumsum(a), a + 1, a * 2.0, -b, a.max() + 1


def booleans(p, q):
    return (
        p & q,
        p | q,
        p ^ q,
        ~p,
        p + q,
        p * q,
        p.sum(),
        p.mean(),
        p.any(),
        q.all(),
        p > q,
        p == q,
        np.logical_xor(p, q),
        p.astype(int) - q,
        np.where(p, 1, 2.5),
        p.cumsum(),
        np.count_nonzero(q),
    )


def rounding(x):
    return (
        np.round(x),
        np.round(x, 1),
        np.floor(x),
        np.ceil(x),
        np.trunc(x),
        np.rint(x),
        x.astype(int),
        np.fix(x),
        np.modf(x),
        x // 1,
        x % 1,
        np.round(-x * 100, -1),
        round(x[0], 2),
    )


def copies_and_views(x):
    y = x
    z = x[::2]
    w = x[[0, 1]]
    v = x.reshape(2, -1)
    y += 1
    z *= 2
    w -= 100
    v[0, 0] = 7
    return x, y, z, w, v, y is x, np.shares_memory(x, z), np.shares_memory(x, w), z.base is x


def broadcasting(x):
    a = x[:, None] * x  # of a sum, `c` would be nothing but rounding
    b = x.reshape(-1, 1, 1) * np.ones((2, 1)) + np.arange(3)
    c = a - a.mean(axis=0) - a.mean(axis=1, keepdims=True) + a.mean()
    d = np.where(a > x, a, 0)
    e, f = np.meshgrid(x, x[:2], indexing="ij")
    return a, b, c, d, e, f, (a.shape, b.shape)


PROGRAMS = {
    checkerboard: lambda rng, n: (n,),
    nearest_value: lambda rng, n: (rng.random((n, 3)), 0.5),
    replace_maximum: lambda rng, n: (rng.random(n),),
    cartesian_to_polar: lambda rng, n: (rng.normal(size=(n, 2)),),
    cauchy: lambda rng, n: (np.arange(n % 6 + 1.0), np.arange(n % 6 + 1) + 0.5),
    sort_by_column: lambda rng, n: (rng.integers(0, 4, (n, 3)), 1),
    diagonals: lambda rng, n: (rng.random((n, n)), rng.random((n, n))),
    strides: lambda rng, n: (rng.random(n), 3),
    zero_between: lambda rng, n: (rng.random(n), 3),
    swap_rows: lambda rng, n: (rng.random((n, n)),),
    unique_rows: lambda rng, n: (rng.integers(0, 2, (n, 2)),),
    one_hot: lambda rng, n: (rng.integers(0, 4, n), 4),
    block_sums: lambda rng, n: (rng.random((n, n + 1)), 3),
    largest: lambda rng, n: (rng.permutation(n) / 1.0, 3),
    distances: lambda rng, n: (rng.random((n, 2)),),
    accumulate_weights: lambda rng, n: (rng.random(n), rng.integers(0, 5, n)),
    products: lambda rng, n: (rng.random((n, n)), rng.random((n, n))),
    shapes: lambda rng, n: (rng.random(2 * n),),
    number_kinds: lambda rng, n: (n,),
    special_values: lambda rng, n: (),
    integer_rules: lambda rng, n: (rng.integers(-300, 300, n), rng.integers(-3, 4, n)),
    small_integers: lambda rng, n: (
        rng.integers(0, 256, n, dtype=np.uint8),
        rng.integers(0, 256, n, dtype=np.uint8),
    ),
    booleans: lambda rng, n: (rng.random(n) < 0.5, rng.random(n) < 0.5),
    rounding: lambda rng, n: (rng.normal(size=n) * 3,),
    copies_and_views: lambda rng, n: (rng.random(2 * n),),
    broadcasting: lambda rng, n: (rng.random(n),),
}
