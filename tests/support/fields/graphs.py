"""Graphs, strings, bits and other discrete mathematics."""

import numpy as np


def bfs(adjacency, start):
    n = len(adjacency)
    level = np.full(n, -1)
    level[start] = 0
    front = np.zeros(n, dtype=bool)
    front[start] = True
    depth = 0
    while front.any():
        depth += 1
        front = adjacency[front].any(axis=0) & (level < 0)
        level[front] = depth
    return level, np.flatnonzero(level < 0)


def dijkstra(weights, start):
    n = weights.shape[0]
    distance = np.full(n, np.inf)
    distance[start] = 0
    done = np.zeros(n, dtype=bool)
    previous = np.full(n, -1)
    for _ in range(n):
        u = np.argmin(np.where(done, np.inf, distance))
        if not np.isfinite(distance[u]):
            break
        done[u] = True
        other = distance[u] + weights[u]
        better = other < distance
        distance[better] = other[better]
        previous[better] = u
    return distance, previous, done.sum()


def shortest_paths(w):
    d = w.copy()
    np.fill_diagonal(d, 0)
    for k in range(len(d)):
        np.minimum(d, d[:, k, None] + d[None, k, :], out=d)
    return d, d[np.isfinite(d)].max(initial=0)


def laplacian(adjacency):
    a = ((adjacency + adjacency.T) > 0).astype(float)
    np.fill_diagonal(a, 0)
    degree = a.sum(axis=1)
    matrix = np.diag(degree) - a
    values = np.linalg.eigvalsh(matrix)
    return values, int((values < 1e-9).sum()), degree, np.triu(a).nonzero()


def kruskal(ends, weights, n):
    parent = np.arange(n)

    def root(v):
        while parent[v] != v:
            parent[v] = parent[parent[v]]
            v = parent[v]
        return v

    total, kept = 0.0, []
    for e in np.argsort(weights, kind="stable"):
        a, b = root(ends[e, 0]), root(ends[e, 1])
        if a != b:
            parent[a] = b
            total += weights[e]
            kept.append(e)
    return total, np.array(kept, dtype=int), len({int(root(v)) for v in range(n)})


def topological(adjacency):
    degree = adjacency.sum(axis=0)
    order = []
    ready = [int(v) for v in np.flatnonzero(degree == 0)]
    while ready:
        v = ready.pop()
        order.append(v)
        for u in np.nonzero(adjacency[v])[0]:
            degree[u] -= 1
            if degree[u] == 0:
                ready.append(int(u))
    if len(order) < len(adjacency):
        raise ValueError(f"cycle among {len(adjacency) - len(order)} vertices")
    return order


def triangles(adjacency):
    a = (adjacency | adjacency.T).astype(np.int64)
    np.fill_diagonal(a, 0)
    cubed = np.linalg.matrix_power(a, 3)
    degree = a.sum(0)
    return np.trace(cubed) // 6, np.diag(cubed) // 2, degree * (degree - 1) // 2


def levenshtein(s, t):
    previous = np.arange(len(t) + 1)
    for i, c in enumerate(s, 1):
        current = np.empty_like(previous)
        current[0] = i
        for j, d in enumerate(t, 1):
            current[j] = min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (c != d))
        previous = current
    return previous[-1]


def alignment(a, b, gap=-2):
    score = np.zeros((len(a) + 1, len(b) + 1), dtype=int)
    score[:, 0] = gap * np.arange(len(a) + 1)
    score[0, :] = gap * np.arange(len(b) + 1)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            match = score[i - 1, j - 1] + (1 if a[i - 1] == b[j - 1] else -1)
            score[i, j] = max(match, score[i - 1, j] + gap, score[i, j - 1] + gap)
    i, j = len(a), len(b)
    pairs = []
    while i > 0 and j > 0:
        if score[i, j] == score[i - 1, j - 1] + (1 if a[i - 1] == b[j - 1] else -1):
            i, j = i - 1, j - 1
            pairs.append((i, j))
        elif score[i, j] == score[i - 1, j] + gap:
            i -= 1
        else:
            j -= 1
    return score, pairs[::-1]


def coins(values, amount):
    ways = np.zeros(amount + 1, dtype=np.int64)
    ways[0] = 1
    fewest = np.full(amount + 1, amount + 1)
    fewest[0] = 0
    for c in values:
        for k in range(c, amount + 1):
            ways[k] += ways[k - c]
            fewest[k] = min(fewest[k], fewest[k - c] + 1)
    return ways, np.where(fewest > amount, -1, fewest)


def longest_increasing(x):
    best = np.ones(len(x), dtype=int)
    for i in range(1, len(x)):
        smaller = x[:i] < x[i]
        if smaller.any():
            best[i] = best[:i][smaller].max() + 1
    return best, best.max() if len(best) else 0


def popcount(x):
    count = np.zeros_like(x)
    y = x.copy()
    while y.any():
        count += y & 1
        y >>= 1
    parity = count % 2 == 1
    grey = x ^ (x >> 1)
    return count, parity, grey, np.bitwise_xor.reduce(x), x & -x


def pack(bits):
    packed = np.packbits(bits, axis=-1)
    back = np.unpackbits(packed, axis=-1, count=bits.shape[-1])
    weights = 1 << np.arange(bits.shape[-1])[::-1]
    return packed, back, bits @ weights, (back == bits).all()


def lfsr(state, taps, count):
    out = np.empty(count, dtype=np.uint8)
    for k in range(count):
        out[k] = state & 1
        bit = 0
        for t in taps:
            bit ^= (state >> t) & 1
        state = (state >> 1) | (bit << 15)
    return out, state


def primes(n):
    sieve = np.ones(n + 1, dtype=bool)
    sieve[:2] = False
    sieve[4::2] = False
    for k in range(3, int(n**0.5) + 1, 2):
        if sieve[k]:
            sieve[k * k :: 2 * k] = False
    found = np.flatnonzero(sieve)
    gaps = np.diff(found)
    return found, gaps.max(), np.bincount(gaps)


def gcd_table(n):
    k = np.arange(1, n + 1)
    table = np.gcd.outer(k, k)
    coprime = (table == 1).sum()
    lcm = np.lcm.reduce(k[:6])
    return table, coprime / n**2, lcm


def collatz(n):
    steps = np.zeros(n, dtype=int)
    for start in range(1, n):
        k, count = start, 0
        while k != 1:
            k = 3 * k + 1 if k % 2 else k // 2
            count += 1
        steps[start] = count
    return steps, steps.argmax()


def pascal(n):
    triangle = np.zeros((n, n), dtype=np.int64)
    triangle[:, 0] = 1
    for i in range(1, n):
        triangle[i, 1 : i + 1] = triangle[i - 1, :i] + triangle[i - 1, 1 : i + 1]
    return triangle, triangle.sum(axis=1) == 2 ** np.arange(n)


PROGRAMS = {
    bfs: lambda rng, n: (rng.random((n, n)) < 0.2, 0),
    dijkstra: lambda rng, n: (
        np.where(rng.random((n, n)) < 0.4, rng.integers(1, 9, (n, n)), np.inf),
        0,
    ),
    shortest_paths: lambda rng, n: (
        np.where(rng.random((n, n)) < 0.4, rng.random((n, n)), np.inf),
    ),
    laplacian: lambda rng, n: (rng.integers(0, 2, (n, n)),),
    kruskal: lambda rng, n: (rng.integers(0, n, (2 * n, 2)), rng.random(2 * n), n),
    topological: lambda rng, n: (
        np.triu(rng.integers(0, 2, (n, n)), 1) + (n % 3 == 0) * np.tril(np.ones((n, n), int), -1),
    ),
    triangles: lambda rng, n: (rng.random((n, n)) < 0.3,),
    levenshtein: lambda rng, n: (
        "".join(rng.choice([*"abc"], n)),
        "".join(rng.choice([*"abc"], 6)),
    ),
    alignment: lambda rng, n: (rng.integers(0, 4, n), rng.integers(0, 4, n + 1)),
    coins: lambda rng, n: ([1, 3, 4], 2 * n),
    longest_increasing: lambda rng, n: (rng.integers(0, n, n),),
    popcount: lambda rng, n: (rng.integers(0, 1000, n),),
    pack: lambda rng, n: (rng.integers(0, 2, (3, n), dtype=np.uint8),),
    lfsr: lambda rng, n: (0xACE1, (0, 2, 3, 5), 3 * n),
    primes: lambda rng, n: (10 * n + 10,),
    gcd_table: lambda rng, n: (n + 6,),
    collatz: lambda rng, n: (n + 2,),
    pascal: lambda rng, n: (n,),
}
