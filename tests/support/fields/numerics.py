"""Numerical recipes: equations, integrals, matrices."""

import numpy as np


def newton(f0, x, most=20):
    def f(x):
        return x**3 - 2 * x - f0

    def df(x):
        return 3 * x**2 - 2

    for k in range(most):
        step = f(x) / df(x)
        x = x - step
        if np.all(np.abs(step) < 1e-10):
            break
    return x, k, np.isfinite(x).all()


def bisection(low, high, target):
    low, high = np.array(low, dtype=float), np.array(high, dtype=float)
    while np.max(high - low) > 1e-6:
        middle = (low + high) / 2
        left = np.cos(middle) - middle < target
        high[left] = middle[left]
        low[~left] = middle[~left]
    return (low + high) / 2


def simpson(y, h):
    n = len(y) - 1
    if n % 2:
        raise ValueError("an even number of intervals is needed")
    return h / 3 * (y[0] + 4 * y[1:-1:2].sum() + 2 * y[2:-1:2].sum() + y[-1])


def romberg(a, b, levels):
    r = np.zeros((levels, levels))
    h = b - a
    r[0, 0] = 0.5 * h * (np.exp(-a * a) + np.exp(-b * b))
    for k in range(1, levels):
        h /= 2
        x = a + h * np.arange(1, 2**k, 2)
        r[k, 0] = 0.5 * r[k - 1, 0] + h * np.exp(-x * x).sum()
        for j in range(1, k + 1):
            r[k, j] = r[k, j - 1] + (r[k, j - 1] - r[k - 1, j - 1]) / (4**j - 1)
    return r, r[-1, -1]


def gauss_legendre(f0, n):
    k = np.arange(1, n)
    beta = k / np.sqrt(4 * k**2 - 1)
    values, vectors = np.linalg.eigh(np.diag(beta, 1) + np.diag(beta, -1))
    weights = 2 * vectors[0] ** 2
    return (weights * np.exp(f0 * values)).sum(), weights.sum(), values


def lu(a):
    n = len(a)
    u, lower, p = a.astype(float), np.eye(n), np.arange(n)
    for k in range(n - 1):
        m = np.argmax(np.abs(u[k:, k])) + k
        if u[m, k] == 0:
            continue
        if m != k:
            u[[k, m], k:] = u[[m, k], k:]
            lower[[k, m], :k] = lower[[m, k], :k]
            p[[k, m]] = p[[m, k]]
        lower[k + 1 :, k] = u[k + 1 :, k] / u[k, k]
        u[k + 1 :, k:] -= np.outer(lower[k + 1 :, k], u[k, k:])
    return lower, u, p, np.allclose(lower @ u, a[p])


def cholesky(a):
    n = a.shape[0]
    lower = np.zeros_like(a)
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j] - lower[i, :j] @ lower[j, :j]
            if i == j:
                if s <= 0:
                    raise np.linalg.LinAlgError("not positive definite")
                lower[i, i] = np.sqrt(s)
            else:
                lower[i, j] = s / lower[j, j]
    return lower


def gram_schmidt(a):
    q = np.zeros(a.shape)
    r = np.zeros((a.shape[1], a.shape[1]))
    for j in range(a.shape[1]):
        v = a[:, j].copy()
        for i in range(j):
            r[i, j] = np.vdot(q[:, i], v)
            v -= r[i, j] * q[:, i]
        r[j, j] = np.linalg.norm(v)
        q[:, j] = v / r[j, j]
    return q, r, np.abs(q.T @ q - np.eye(q.shape[1])).max() < 1e-8


def jacobi_eigen(a, sweeps):
    a = (a + a.T) / 2
    n = len(a)
    v = np.eye(n)
    for _ in range(sweeps):
        for p in range(n - 1):
            for q in range(p + 1, n):
                if abs(a[p, q]) < 1e-12:
                    continue
                theta = (a[q, q] - a[p, p]) / (2 * a[p, q])
                sign = 1 if theta >= 0 else -1
                t = sign / (abs(theta) + np.sqrt(theta**2 + 1))
                c = 1 / np.sqrt(t**2 + 1)
                s = t * c
                rotation = np.eye(n)
                rotation[[p, q], [p, q]] = c
                rotation[p, q], rotation[q, p] = s, -s
                a = rotation.T @ a @ rotation
                v = v @ rotation
    return np.sort(np.diag(a)), np.linalg.norm(a - np.diag(np.diag(a))) < 1e-6


def power_method(a, x, rounds):
    value = 0.0
    for _ in range(rounds):
        y = a @ x
        norm = np.linalg.norm(y)
        if norm == 0:
            return 0.0, x
        x = y / norm
        value = x @ a @ x
    return value, x


def conjugate_gradients(a, b):
    x = np.zeros_like(b)
    r = b - a @ x
    p = r.copy()
    old = r @ r
    for k in range(len(b)):
        ap = a @ p
        alpha = old / (p @ ap)
        x += alpha * p
        r -= alpha * ap
        new = r @ r
        if np.sqrt(new) < 1e-10:
            break
        p = r + (new / old) * p
        old = new
    return x, k + 1, np.linalg.norm(a @ x - b) < 1e-6


def thomas(a, b, c, d):
    n = len(d)
    c, d = c.copy(), d.copy()
    c[0] /= b[0]
    d[0] /= b[0]
    for i in range(1, n):
        m = b[i] - a[i] * c[i - 1]
        c[i] /= m
        d[i] = (d[i] - a[i] * d[i - 1]) / m
    x = np.empty(n)
    x[-1] = d[-1]
    for i in reversed(range(n - 1)):
        x[i] = d[i] - c[i] * x[i + 1]
    return x


def to_csr(dense):
    rows, columns = np.nonzero(dense)
    data = dense[rows, columns]
    indptr = np.zeros(dense.shape[0] + 1, dtype=int)
    np.cumsum(np.bincount(rows, minlength=dense.shape[0]), out=indptr[1:])
    return data, columns, indptr


def sparse_product(dense, x):
    data, indices, indptr = to_csr(dense)
    y = np.zeros(len(indptr) - 1)
    for i in range(len(y)):
        for k in range(indptr[i], indptr[i + 1]):
            y[i] += data[k] * x[indices[k]]
    again = np.zeros_like(y)
    rows = np.repeat(np.arange(len(y)), np.diff(indptr))
    np.add.at(again, rows, data * x[indices])
    filled = np.diff(indptr) > 0
    sums = np.zeros_like(y)
    sums[filled] = np.add.reduceat(data * x[indices], indptr[:-1][filled]) if data.size else 0
    return y, again, sums


def finite_elements(nodes, load):
    n = len(nodes)
    stiff, force = np.zeros((n, n)), np.zeros(n)
    local = np.array([[1, -1], [-1, 1]])
    for e in range(n - 1):
        h = nodes[e + 1] - nodes[e]
        dofs = np.array([e, e + 1])
        stiff[np.ix_(dofs, dofs)] += local / h
        force[dofs] += load * h / 2
    inner = slice(1, -1)
    u = np.zeros(n)
    u[inner] = np.linalg.solve(stiff[inner, inner], force[inner])
    return u, stiff, np.sum(np.diff(u) ** 2 / np.diff(nodes)) / 2


def triangles_area(points, corners):
    a, b, c = points[corners].transpose(1, 0, 2)
    u, v = b - a, c - a
    area = 0.5 * np.abs(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0])
    mass = np.zeros(len(points))
    for k in range(3):
        np.add.at(mass, corners[:, k], area / 3)
    return area, mass, area.sum()


def cubic_spline(x, y, at):
    n = len(x)
    h, slope = np.diff(x), np.diff(y) / np.diff(x)
    a = np.eye(n)
    rhs = np.zeros(n)
    for i in range(1, n - 1):
        a[i, i - 1 : i + 2] = h[i - 1], 2 * (h[i - 1] + h[i]), h[i]
        rhs[i] = 6 * (slope[i] - slope[i - 1])
    m = np.linalg.solve(a, rhs)
    k = np.clip(np.searchsorted(x, at) - 1, 0, n - 2)
    t = at - x[k]
    return (
        y[k]
        + t * (slope[k] - h[k] * (2 * m[k] + m[k + 1]) / 6)
        + t**2 * m[k] / 2
        + t**3 * (m[k + 1] - m[k]) / (6 * h[k])
    )


def divided_differences(x, y, at):
    c = np.array(y, dtype=float)
    for j in range(1, len(x)):
        c[j:] = (c[j:] - c[j - 1 : -1]) / (x[j:] - x[:-j])
    value = np.full_like(at, c[-1])
    for k in range(len(x) - 2, -1, -1):
        value *= at - x[k]
        value += c[k]
    return value, c


def least_squares(x, y, degree):
    a = np.asarray_chkfinite(np.vander(x, degree + 1))
    np.asarray_chkfinite(y)
    solution, residual, rank, _ = np.linalg.lstsq(a, y, rcond=None)
    fitted = np.polyval(solution, x)
    if len(y) == 1:
        return solution, residual, rank, 1.0  # there would be nothing but rounding to divide
    r2 = 1 - ((y - fitted) ** 2).sum() / ((y - y.mean()) ** 2).sum()
    return solution, residual, rank, r2


def euler_methods(y, rate, dt, steps):
    y = np.atleast_1d(np.asarray(y, dtype=float))
    forward = np.empty((steps + 1, y.size))
    backward = np.empty_like(forward)
    forward[0] = backward[0] = y
    for k in range(steps):
        forward[k + 1] = forward[k] - dt * rate * forward[k]
        backward[k + 1] = backward[k] / (1 + dt * rate)
    return forward, backward, np.abs(forward - backward).max(axis=0)


def pivots(a, b):
    if not np.isfinite(a).all() or not np.isfinite(b).all():
        return b, "not finite"
    try:
        x = np.linalg.solve(a, b)
    except np.linalg.LinAlgError as error:
        print(f"fails: {error}")
        x = np.linalg.lstsq(a, b, rcond=None)[0]
        return x, "singular"
    return x, np.linalg.det(a)


def _positive(rng, n):
    a = rng.normal(size=(n, n))
    return a @ a.T + n * np.eye(n)


PROGRAMS = {
    newton: lambda rng, n: (rng.uniform(1, 5, n), rng.uniform(2, 3, n)),
    bisection: lambda rng, n: ([0] * n, [1] * n, rng.uniform(0, 0.4, n)),
    simpson: lambda rng, n: (rng.normal(size=n), 0.1),
    romberg: lambda rng, n: (0.0, n / 10, 4),
    gauss_legendre: lambda rng, n: (0.3, n),
    lu: lambda rng, n: (rng.integers(-3, 4, (n, n)),),
    cholesky: lambda rng, n: (_positive(rng, n) - (n % 3 == 0) * 9 * n * np.eye(n),),
    gram_schmidt: lambda rng, n: (rng.normal(size=(n + 2, n)),),
    jacobi_eigen: lambda rng, n: (rng.normal(size=(n % 4 + 2, n % 4 + 2)), 3),
    power_method: lambda rng, n: (_positive(rng, n), np.ones(n), 6),
    conjugate_gradients: lambda rng, n: (_positive(rng, n), rng.normal(size=n)),
    thomas: lambda rng, n: (rng.random(n), rng.random(n) + 3, rng.random(n), rng.random(n)),
    sparse_product: lambda rng, n: (
        rng.normal(size=(n, n)) * (rng.random((n, n)) < 0.3),
        rng.normal(size=n),
    ),
    finite_elements: lambda rng, n: (np.cumsum(rng.random(n) + 0.1), 1.0),
    triangles_area: lambda rng, n: (rng.random((n, 2)), rng.integers(0, n, (n + 2, 3))),
    cubic_spline: lambda rng, n: (np.arange(n) * 1.0, rng.normal(size=n), np.linspace(0, 2, 6)),
    divided_differences: lambda rng, n: (
        np.arange(n % 6 + 2) * 0.5,
        rng.normal(size=n % 6 + 2),
        rng.random(4),
    ),
    least_squares: lambda rng, n: (np.linspace(-1, 1, n + 4), rng.normal(size=n + 4), 2),
    euler_methods: lambda rng, n: (rng.random(n), 2.0, 0.1, 6),
    pivots: lambda rng, n: (
        rng.normal(size=(n, n)) * (np.arange(n) != (n % 2) * (n - 1)),
        rng.normal(size=n),
    ),
}
