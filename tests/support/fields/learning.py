"""Machine learning by hand."""

import numpy as np


def k_means(x, k, rounds):
    centres = x[:k].copy()
    for _ in range(rounds):
        distance = ((x[:, None, :] - centres[None, :, :]) ** 2).sum(-1)
        label = distance.argmin(axis=1)
        new = np.array(
            [x[label == j].mean(0) if (label == j).any() else centres[j] for j in range(k)]
        )
        if np.allclose(new, centres):
            break
        centres = new
    return centres, label, distance[np.arange(len(x)), label].sum()


def principal_components(x, k):
    centred = x - x.mean(axis=0)
    u, s, vt = np.linalg.svd(centred, full_matrices=False)
    signs = np.sign(vt[np.arange(len(vt)), np.argmax(np.abs(vt), axis=1)])
    vt = vt * signs[:, None]
    explained = s**2 / np.sum(s**2)
    projected = centred @ vt[:k].T
    back = projected @ vt[:k] + x.mean(axis=0)
    return projected, explained, np.cumsum(explained), np.sqrt(np.mean((x - back) ** 2))


def logistic(x, y, rate, rounds):
    w, b = np.zeros(x.shape[1]), 0.0
    losses = []
    for step in range(rounds):
        p = 1 / (1 + np.exp(-(x @ w + b)))
        loss = -np.mean(y * np.log(p + 1e-9) + (1 - y) * np.log(1 - p + 1e-9))
        losses.append(loss)
        w -= rate * x.T @ (p - y) / len(y)
        b -= rate * np.mean(p - y)
        if step % 5 == 0:
            print(f"step {step:2d}: loss {loss:.4f}")
    return w, b, losses, ((p > 0.5) == y).mean()


def svm(x, y, lam, order):
    w = np.zeros(x.shape[1])
    for t, i in enumerate(order, 1):
        eta = 1 / (lam * t)
        margin = y[i] * (w @ x[i])
        w *= 1 - eta * lam
        if margin < 1:
            w += eta * y[i] * x[i]
        norm = np.sqrt(w @ w)
        if norm > 1 / np.sqrt(lam):
            w /= norm * np.sqrt(lam)
    hinge = np.maximum(0, 1 - y * (x @ w)).mean()
    return w, hinge


def softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def network(x, y, w1, w2, rate, rounds):
    hot = np.eye(w2.shape[1])[y]
    for _ in range(rounds):
        h = np.maximum(x @ w1, 0)
        p = softmax(h @ w2)
        d2 = (p - hot) / len(x)
        d1 = (d2 @ w2.T) * (h > 0)
        w2 -= rate * h.T @ d2
        w1 -= rate * x.T @ d1
    loss = -np.log(p[np.arange(len(y)), y]).mean()
    return loss, p.argmax(1), (p.argmax(1) == y).mean()


class Layer:
    def __init__(self, w, b):
        self.w, self.b = w, b

    def forward(self, x):
        self.x = x
        self.out = np.tanh(x @ self.w + self.b)
        return self.out

    def backward(self, grad, rate):
        local = grad * (1 - self.out**2)
        back = local @ self.w.T
        self.w -= rate * self.x.T @ local
        self.b -= rate * local.sum(0)
        return back


def layers(x, y, w1, w2, rounds):
    net = [Layer(w1, np.zeros(w1.shape[1])), Layer(w2, np.zeros(w2.shape[1]))]
    history = []
    for _ in range(rounds):
        out = x
        for layer in net:
            out = layer.forward(out)
        history.append(np.mean((out - y) ** 2))
        grad = 2 * (out - y) / y.size
        for layer in reversed(net):
            grad = layer.backward(grad, 0.1)
    return history, [layer.b for layer in net], out


def stump(x, y, weight):
    best = (np.inf, -1, 0.0, 1)
    for feature in range(x.shape[1]):
        for threshold in np.unique(x[:, feature]):
            for sign in (1, -1):
                guess = np.where(sign * x[:, feature] <= sign * threshold, 1, -1)
                error = weight[guess != y].sum()
                if error < best[0] - 1e-12:
                    best = (error, feature, threshold, sign)
    return best


def boost(x, y, rounds):
    weight = np.full(len(y), 1 / len(y))
    score = np.zeros(len(y))
    alphas = []
    for _ in range(rounds):
        error, feature, threshold, sign = stump(x, y, weight)
        error = np.clip(error, 1e-10, 1 - 1e-10)
        alpha = 0.5 * np.log((1 - error) / error)
        guess = np.where(sign * x[:, feature] <= sign * threshold, 1, -1)
        weight = weight * np.exp(-alpha * y * guess)
        weight /= weight.sum()
        score += alpha * guess
        alphas.append(alpha)
    return alphas, weight, (np.sign(score) == y).mean()


def nearest(train, label, test, k):
    squared = np.sum(test**2, axis=1)[:, None] + np.sum(train**2, axis=1) - 2 * test @ train.T
    order = np.argsort(squared, axis=1, kind="stable")[:, :k]
    votes = label[order]
    return np.array([np.bincount(v).argmax() for v in votes]), order


def naive_bayes(x, y):
    classes = np.unique(y)
    mean = np.array([x[y == c].mean(axis=0) for c in classes])
    var = np.array([x[y == c].var(axis=0) for c in classes]) + 1e-3
    prior = np.array([(y == c).mean() for c in classes])
    logp = -0.5 * (
        np.log(2 * np.pi * var).sum(1) + (((x[:, None] - mean) ** 2) / var).sum(-1)
    ) + np.log(prior)
    return classes[logp.argmax(1)], logp - np.logaddexp.reduce(logp, axis=1, keepdims=True)


def gini_split(x, y):
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    left = np.cumsum(y)[:-1]
    n_left = np.arange(1, len(y))
    right, n_right = y.sum() - left, len(y) - n_left
    pl, pr = left / n_left, right / n_right
    gini = (n_left * 2 * pl * (1 - pl) + n_right * 2 * pr * (1 - pr)) / len(y)
    gini[x[1:] == x[:-1]] = np.inf
    at = np.argmin(gini)
    return gini[at], (x[at] + x[at + 1]) / 2


def ridge_path(x, y, lambdas):
    gram, target = x.T @ x, x.T @ y
    weights = np.stack([np.linalg.solve(gram + lam * np.eye(len(gram)), target) for lam in lambdas])
    residual = y - x @ weights.T[..., -1]
    return weights, np.linalg.norm(weights, axis=1), residual @ residual


def lasso(x, y, lam, rounds):
    n, d = x.shape
    w = np.zeros(d)
    scale = (x**2).sum(0)
    for _ in range(rounds):
        for j in range(d):
            r = y - x @ w + x[:, j] * w[j]
            rho = x[:, j] @ r
            w[j] = np.sign(rho) * max(abs(rho) - lam, 0) / scale[j]
    return w, np.flatnonzero(w)


def adam(theta, gradient_at, rounds):
    m = v = 0
    for t in range(1, rounds + 1):
        g = 2 * (theta - gradient_at)
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g**2
        theta = theta - 0.1 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return theta, m, v


def confusion(truth, guess, classes):
    matrix = np.zeros((classes, classes), dtype=int)
    np.add.at(matrix, (truth, guess), 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        precision = np.diag(matrix) / matrix.sum(axis=0)
        recall = np.diag(matrix) / matrix.sum(axis=1)
        f1 = 2 * precision * recall / (precision + recall)
    return matrix, np.nan_to_num(f1), np.nanmean(f1) if not np.isnan(f1).all() else 0.0


def attention(q, k, v, causal=True):
    score = q @ k.T / np.sqrt(k.shape[-1])
    if causal:
        score = np.where(np.tri(*score.shape, dtype=bool), score, -np.inf)
    weights = softmax(score)
    return weights @ v, weights, weights.sum(-1)


PROGRAMS = {
    k_means: lambda rng, n: (rng.normal(size=(n + 3, 2)), 3, 5),
    principal_components: lambda rng, n: (rng.normal(size=(n + 4, 4)) * [4, 3, 2, 1], 2),
    logistic: lambda rng, n: (rng.normal(size=(n, 3)), rng.integers(0, 2, n), 0.5, 8),
    svm: lambda rng, n: (
        rng.normal(size=(n, 3)),
        rng.choice([-1, 1], n),
        0.1,
        rng.integers(0, n, 3 * n),
    ),
    network: lambda rng, n: (
        rng.normal(size=(n, 4)),
        rng.integers(0, 3, n),
        rng.normal(size=(4, 5)),
        rng.normal(size=(5, 3)),
        0.1,
        4,
    ),
    layers: lambda rng, n: (
        rng.normal(size=(n, 3)),
        rng.random((n, 2)),
        rng.normal(size=(3, 4)),
        rng.normal(size=(4, 2)),
        4,
    ),
    boost: lambda rng, n: (rng.normal(size=(n, 2)).round(1), rng.choice([-1, 1], n), 2),
    nearest: lambda rng, n: (
        rng.normal(size=(n + 3, 2)),
        rng.integers(0, 3, n + 3),
        rng.normal(size=(4, 2)),
        3,
    ),
    naive_bayes: lambda rng, n: (rng.normal(size=(n + 3, 3)), np.arange(n + 3) % 2),
    gini_split: lambda rng, n: (rng.normal(size=n).round(1), rng.integers(0, 2, n)),
    ridge_path: lambda rng, n: (
        rng.normal(size=(n + 3, 3)),
        rng.normal(size=n + 3),
        np.logspace(-2, 1, 4),
    ),
    lasso: lambda rng, n: (rng.normal(size=(n, 4)), rng.normal(size=n), 1.0, 5),
    adam: lambda rng, n: (rng.normal(size=n), rng.normal(size=n), 6),
    confusion: lambda rng, n: (rng.integers(0, 3, n), rng.integers(0, 3, n), 4),
    attention: lambda rng, n: (
        rng.normal(size=(n, 4)),
        rng.normal(size=(n, 4)),
        rng.normal(size=(n, 3)),
    ),
}
