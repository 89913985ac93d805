"""Estimates, samplers and tests."""

import numpy as np


def describe(x):
    q1, median, q3 = np.percentile(x, [25, 50, 75])
    print(f"n={x.size} mean={x.mean():.3f} sd={x.std(ddof=1):.3f}")
    return {
        "mean": x.mean(),
        "var": x.var(ddof=1),
        "median": median,
        "iqr": q3 - q1,
        "mad": np.median(np.abs(x - median)),
        "range": (x.min(), x.max()),
        "sorted": np.sort(x)[::-1][:3],
    }


def standardise(table, by=0):
    centre = np.nanmean(table, axis=by, keepdims=True)
    spread = np.nanstd(table, axis=by, keepdims=True)
    spread[spread == 0] = 1
    z = (table - centre) / spread
    return z, np.isnan(z).sum(), np.squeeze(centre)


def covariance(x):
    n = x.shape[0]
    centred = x - x.mean(axis=0)
    cov = centred.T @ centred / (n - 1)
    sd = np.sqrt(np.diag(cov))
    corr = cov / np.outer(sd, sd)
    return cov, corr, np.allclose(cov, np.cov(x, rowvar=False)), np.corrcoef(x.T)[0]


def metropolis(start, steps, scale, seed):
    rng = np.random.default_rng(seed)
    x = start
    chain = np.empty(steps)
    accepted = 0
    for k in range(steps):
        proposal = x + scale * rng.normal()
        if np.log(rng.random()) < 0.5 * (x * x - proposal * proposal):
            x, accepted = proposal, accepted + 1
        chain[k] = x
    return chain, accepted / steps, chain[steps // 2 :].mean()


def gibbs(rho, steps):
    x = y = 0.0
    samples = np.zeros((steps, 2))
    sd = np.sqrt(1 - rho**2)
    for k in range(steps):
        x = np.random.normal(rho * y, sd)
        y = np.random.normal(rho * x, sd)
        samples[k] = x, y
    return samples, np.corrcoef(samples, rowvar=False)


def forward_backward(a, b, pi, seen):
    t, n = len(seen), len(pi)
    alpha, beta, scale = np.zeros((t, n)), np.ones((t, n)), np.zeros(t)
    alpha[0] = pi * b[:, seen[0]]
    scale[0] = alpha[0].sum()
    alpha[0] /= scale[0]
    for k in range(1, t):
        alpha[k] = (alpha[k - 1] @ a) * b[:, seen[k]]
        scale[k] = alpha[k].sum()
        alpha[k] /= scale[k]
    for k in range(t - 2, -1, -1):
        beta[k] = a @ (b[:, seen[k + 1]] * beta[k + 1]) / scale[k + 1]
    gamma = alpha * beta
    return gamma / gamma.sum(1, keepdims=True), np.log(scale).sum()


def mixture(x, k, rounds):
    means = np.quantile(x, (np.arange(k) + 0.5) / k)
    variances, weights = np.full(k, x.var() + 1e-6), np.full(k, 1 / k)
    likelihoods = []
    for _ in range(rounds):
        squared = (x[:, None] - means) ** 2
        density = weights * np.exp(-0.5 * squared / variances) / np.sqrt(2 * np.pi * variances)
        total = density.sum(axis=1, keepdims=True)
        resp = density / total
        nk = resp.sum(axis=0)
        weights, means = nk / len(x), resp.T @ x / nk
        variances = (resp * (x[:, None] - means) ** 2).sum(0) / nk + 1e-6
        likelihoods.append(np.log(total).sum())
    order = np.argsort(means)
    return means[order], variances[order], weights[order], np.diff(likelihoods) >= -1e-9


def permutation_test(a, b, times, seed):
    rng = np.random.default_rng(seed)
    observed = abs(a.mean() - b.mean())
    pooled = np.concatenate([a, b])
    count = 0
    for _ in range(times):
        rng.shuffle(pooled)
        if abs(pooled[: len(a)].mean() - pooled[len(a) :].mean()) >= observed:
            count += 1
    return observed, (count + 1) / (times + 1)


def chi_square(table):
    expected = table.sum(1)[:, None] * table.sum(0)[None] / table.sum()
    statistic = ((table - expected) ** 2 / expected).sum()
    freedom = np.prod(np.subtract(table.shape, 1))
    return statistic, freedom, expected


def kernel_density(x, at, bandwidth=None):
    n = len(x)
    if bandwidth is None:
        bandwidth = 1.06 * x.std() * n ** (-1 / 5)
    u = (at[:, np.newaxis] - x[np.newaxis, :]) / bandwidth
    k = np.exp(-0.5 * u**2) / np.sqrt(2 * np.pi)
    return k.mean(axis=1) / bandwidth, bandwidth


def welford(stream):
    count, mean, m2 = 0, 0.0, 0.0
    for value in stream:
        count += 1
        delta = value - mean
        mean += delta / count
        m2 += delta * (value - mean)
    if count < 2:
        return mean, float("nan")
    return mean, m2 / (count - 1)


def ecdf(x, at):
    s = np.sort(x)
    right = np.searchsorted(s, at, side="right") / s.size
    left = np.searchsorted(s, at, side="left") / s.size
    gap = np.max(np.abs(np.arange(1, s.size + 1) / s.size - s))
    return right, left, gap


def ranks(x):
    order = np.argsort(x, kind="stable")
    rank = np.empty(len(x))
    rank[order] = np.arange(1, len(x) + 1)
    for value in np.unique(x):
        tied = x == value
        rank[tied] = rank[tied].mean()
    return rank, order


def histogram_entropy(x, bins):
    counts, edges = np.histogram(x, bins=bins)
    p = counts / counts.sum()
    p = p[p > 0]
    entropy = -(p * np.log2(p)).sum()
    centres = (edges[1:] + edges[:-1]) / 2
    mode = centres[counts.argmax()]
    return entropy, mode, counts, edges


def kalman(z, q, r):
    x, p = z[0], 1.0
    found, gains = [], []
    for measured in z:
        p = p + q
        k = p / (p + r)
        x = x + k * (measured - x)
        p = (1 - k) * p
        found.append(x)
        gains.append(k)
    return np.array(found), np.asarray(gains)


def _rows(rng, n):
    p = rng.random((n, n)) + 0.1
    return p / p.sum(1, keepdims=True)


PROGRAMS = {
    describe: lambda rng, n: (rng.normal(size=n),),
    standardise: lambda rng, n: (rng.normal(size=(n, 3)),),
    covariance: lambda rng, n: (rng.normal(size=(n, 3)),),
    metropolis: lambda rng, n: (0.5, 10 * n, 1.0, n),
    gibbs: lambda rng, n: (0.6, 5 * n),
    forward_backward: lambda rng, n: (
        _rows(rng, 3),
        _rows(rng, 3),
        _rows(rng, 3)[0],
        rng.integers(0, 3, n),
    ),
    mixture: lambda rng, n: (np.concatenate([rng.normal(size=2 * n), rng.normal(5, 1, n)]), 2, 4),
    permutation_test: lambda rng, n: (rng.normal(size=n), rng.normal(0.5, 1, n + 2), 20, n),
    chi_square: lambda rng, n: (rng.integers(1, 20, (3, n)),),
    kernel_density: lambda rng, n: (rng.normal(size=n), np.linspace(-2, 2, 7)),
    welford: lambda rng, n: (rng.normal(size=n),),
    ecdf: lambda rng, n: (rng.random(n), np.linspace(0, 1, 5)),
    ranks: lambda rng, n: (rng.integers(0, n // 2 + 1, n) / 2,),
    histogram_entropy: lambda rng, n: (rng.normal(size=4 * n), 6),
    kalman: lambda rng, n: (rng.normal(size=n) + 3, 1e-3, 0.1),
}
