"""Cells that draw random numbers, with the lines that are captured: material of tests/same/test_random.py."""

# ruff: noqa: E501 -- a cell is one string

from __future__ import annotations

from typing import NamedTuple

GENERATOR = "rng = np.random.default_rng(5 + RUN); x = np.linspace(0.5, 3.0, 6) + RUN; n = 6"
LEGACY = "np.random.seed(3 + RUN); x = np.linspace(0.5, 3.0, 6) + RUN; n = 6"


class Cell(NamedTuple):
    """A cell, and which of its lines are captured."""

    name: str
    source: str
    captured: frozenset[int]
    setup: str = GENERATOR
    fallbacks: int = 0


def cell(
    name: str, source: str, *captured: int, setup: str = GENERATOR, fallbacks: int = 0
) -> Cell:
    return Cell(name, source, frozenset(captured), setup, fallbacks)


CELLS = [
    cell("a draw in the middle of arithmetic", "y = np.sin(rng.normal(size=n)) * 2", 2),
    cell("legacy draw in arithmetic", "y = np.sin(np.random.normal(size=n)) * 2", 2, setup=LEGACY),
    cell("a draw on its own line", "a = rng.random(4)\nb = a * 2\nc = b + x[:4]", 3, 4),
    cell("a scalar that is drawn", "y = x * rng.normal()\nz = x + rng.integers(0, 9)", 2, 3),
    cell("two draws in one expression", "y = rng.random(6) * 2 - rng.normal(size=6) * x", 2),
    cell(
        "two generators, drawn in turn",
        "y = rng.random(6) + other.random(6) + rng.random(6) * other.normal()\nz = y * 2",
        2,
        3,
        setup=GENERATOR + "; other = np.random.Generator(np.random.Philox(3))",
    ),
    cell(
        "two generators over one stream",
        "y = a.random(6) + b.random(6) * 2\nz = a.normal(size=6) + y",
        2,
        3,
        setup="s = np.random.PCG64(4); a, b = np.random.Generator(s), np.random.Generator(s)",
    ),
    cell(
        "legacy and generator over one stream",
        "y = a.random(6) + b.randn(6) * 2\nz = a.normal(size=6) + y + b.rand(6)",
        2,
        3,
        setup="s = np.random.MT19937(4); a, b = np.random.Generator(s), np.random.RandomState(s)",
    ),
    cell(
        "a loop with draws",
        "p = np.zeros(3)\nfor k in range(4):\n    p += rng.normal(size=3) * 0.1\n    q = p * p\ny = q + 1",
        2,
        4,
        5,
        6,
    ),
    cell(
        "draws in a helper",
        "def f(v):\n    e = rng.normal(size=v.shape)\n    return v + 0.1 * e\n\ny = f(x) * 2\nz = f(y)",
        3,
        4,
        6,
        7,
    ),
    cell(
        "draws in a comprehension",
        "y = np.array([rng.normal() for _ in range(5)])\nz = y * 2",
        2,
        3,
    ),
    cell("draws in a list", "l = [rng.random(3) * k for k in range(3)]\nz = l[0] + l[2]", 2, 3),
    cell(
        "a draw that is written to", "a = rng.random(5)\na[1:] += 1\na *= 2\nb = a[::-1]", 3, 4, 5
    ),
    cell(
        "a view of a draw", "a = rng.random((3, 4))\nb = a.T\nb[0] = 7\nc = a.sum(axis=0)", 3, 4, 5
    ),
    cell("a draw under two names", "a = b = rng.random(5)\na += 1\nc = b * 2", 3, 4),
    cell("sizes that are computed", "y = rng.random((n - 2, 2 * n)).sum(axis=1) * x[:4]", 2),
    cell(
        "size of an array",
        "y = rng.normal(0.0, 2.0, x.shape) + x\nz = rng.random(len(x)) * y",
        2,
        3,
    ),
    cell(
        "parameters that change",
        "y = rng.normal(k, s, 6) * 2\nz = rng.poisson(k + 1, 6) + y",
        2,
        3,
        setup=GENERATOR + "; k = 1.5 + RUN; s = np.float64(2 + RUN)",
    ),
    cell(
        "an array as parameter",
        "y = rng.normal(x, 0.1) * 2\nz = rng.choice(x, 4) + rng.permutation(x)[:4]",
        2,
        3,
    ),
    cell("a list as parameter", "y = rng.choice([1.5, 2.5, 3.5], 6, p=[0.2, 0.3, 0.5]) * x", 2),
    cell(
        "a parameter that is written later",
        "y = rng.normal(x, 0.1) * 2\nx += 100\nz = x + y",
        2,
        3,
        4,
    ),
    cell(
        "a parameter that was written before",
        "x += 100\ny = rng.normal(x, 0.1) * 2\nz = x + y",
        2,
        3,
        4,
    ),
    cell(
        "a parameter that is computed", "m = x * 2\ny = rng.normal(m, 0.1) + 1\nz = y * m", 2, 3, 4
    ),
    cell(
        "a parameter that is drawn",
        "y = rng.normal(rng.random(6), 0.1) * 2\nz = rng.normal(rng.random()) * x",
        2,
        3,
    ),
    cell(
        "permutations and choices",
        "i = rng.permutation(6)\ny = x[i] * 2\nj = rng.choice(6, 3, replace=False)\nz = x[j] + 1",
        3,
        5,
    ),
    cell("an index that is drawn", "y = x[rng.integers(0, 6)] * 2\nz = x * 2", 2, 3),
    cell(
        "a bootstrap",
        "m = np.array([x[rng.integers(0, 6, 6)].mean() for _ in range(20)])\ns = m.std() * 2",
        2,
        3,
    ),
    cell(
        "a branch on a draw",
        "y = x * 2\nif rng.random() < 0.5:\n    y = y + rng.random(6)\nelse:\n    y = y - rng.random(6) * 2\nz = y + 1",
        2,
        6,
        7,
    ),
    cell(
        "a while loop on a draw",
        "y = x * 0\nwhile rng.random() < 0.95:\n    y = y + rng.normal(size=6)\nz = y + 1",
        2,
        4,
        5,
    ),
    cell(
        "a walk",
        "s = rng.choice([-1, 1], size=(20, 2))\np = np.cumsum(s, axis=0)\nd = np.sqrt((p ** 2).sum(axis=1))",
        3,
        4,
    ),
    cell(
        "Monte Carlo",
        "u = rng.random((2, 500))\npi = 4 * (np.square(u).sum(axis=0) <= 1).mean()\npi",
        3,
    ),
    cell(
        "legacy functions",
        "a = np.random.rand(3, 2) @ np.random.randn(2) + np.random.uniform(-1, 1, 3)\nb = np.random.randint(0, 10, 6) * x\nc = np.random.random_sample(6) + np.random.standard_normal(6)",
        2,
        3,
        4,
        setup=LEGACY,
    ),
    cell(
        "legacy functions in Python arithmetic",
        "k = np.random.randint(3) + 1\ny = x * k\nz = np.random.rand() * x",
        3,
        4,
        setup=LEGACY,
    ),
    cell(
        "legacy Gaussian pairs",
        "y = x * np.random.randn()\nz = x + np.random.randn(3).sum()\nw = np.random.randn(2)",
        2,
        3,
        setup=LEGACY,
    ),
    cell(
        "seed in the cell",
        "np.random.seed(7)\na = np.random.rand(6) * 2\nnp.random.seed(7)\nb = np.random.rand(6) * 2\nsame = (a == b).all()\nstate = np.random.get_state()[2]",
        3,
        5,
        6,
        setup=LEGACY,
    ),
    cell(
        "a generator made in the cell",
        "r = np.random.default_rng(3)\na = r.random(6) * x\nt = np.random.RandomState(4)\nb = t.rand(6) + a",
        3,
        5,
    ),
    cell(
        "a generator made in an expression",
        "a = np.random.default_rng(3).random(6) * x\nb = a + 1",
        3,
    ),
    cell(
        "spawned generators",
        "kids = rng.spawn(2)\na = kids[0].random(6) * x\nb = kids[1].normal(size=6) + a\nc = rng.random(6) * 2",
        3,
        4,
        5,
    ),
    cell(
        "shuffles in place",
        "rng.shuffle(x)\ny = x * 2\nm = y.reshape(2, 3)\nrng.shuffle(m, axis=1)\nz = m + 1\np = rng.permuted(m, axis=0) * 2",
        3,
        4,
        6,
        7,
    ),
    cell(
        "out=",
        "o = np.empty(6)\nrng.random(out=o)\ny = o * 2\nrng.standard_normal(out=o)\nz = y + o",
        2,
        4,
        6,
    ),
    cell(
        "float32 draws",
        "y = rng.random(6, dtype=np.float32) * 2\nz = rng.standard_normal(6, dtype='f4') + y\nw = rng.integers(0, 9, 6, dtype=np.uint8) + 1",
        2,
        3,
        4,
    ),
    cell(
        "methods kept in names",
        "draw = rng.normal\ny = draw(size=6) * 2\nz = draw() * x\nuniform = np.random.uniform\nw = uniform(0, 1, 6) + y",
        3,
        4,
        5,
        6,
    ),
    cell(
        "from numpy.random import",
        "from numpy.random import normal, default_rng\ny = normal(size=6) * 2\nr = default_rng(1)\nz = r.normal(size=6) + y",
        3,
        5,
        setup=LEGACY,
    ),
    cell(
        "map and starmap of draws",
        "y = np.array(list(map(rng.normal, [0.0, 1.0, 2.0]))) * 2\nz = np.add(*[rng.random(3) for _ in range(2)]) + y",
        2,
        3,
    ),
    cell(
        "a generator in an object",
        "class Sim:\n    def __init__(self, seed):\n        self.rng = np.random.default_rng(seed)\n        self.x = x\n    def step(self):\n        return self.x + self.rng.normal(size=6) * 0.1\ns = Sim(2)\ny = s.step() * 2\nz = s.step() + y\nend = s.rng.random()\ndel s",
        7,
        9,
        10,
    ),
    cell("an error after a draw", "y = rng.random(6) * 2\nz = rng.random(6)[99] + y\nw = 1", 2),
    cell(
        "a division by a draw that warns",
        "y = x / (rng.integers(0, 2, 6) * 1.0)\nz = rng.random(6) + y",
        fallbacks=2,
    ),
    cell("a bad parameter", "y = x * 2\nz = rng.normal(0, -1.0, 6) * 2\nw = 1", 2),
    cell(
        "a parameter that is bad the second time",
        "y = rng.normal(0, s, 6) * 2\nz = y + rng.random(6)",
        setup=GENERATOR + "; s = 1.0 - 2 * RUN",
    ),
    cell(
        "a size that changes",
        "for k in (2, 3, 4):\n    y = rng.normal(size=k) * 2\nz = y + 1",
        3,
        4,
    ),
    cell(
        "a result that changes its type",
        "z = rng.normal(m, 0.1) * x",
        2,
        setup=GENERATOR + "; m = 1.0 if RUN else x",
    ),
    cell(
        "text and objects",
        "a = rng.choice(['u', 'v'], 3)\ny = x * 2\nb = rng.choice(np.array(['a', 'b']), 2)\nz = y + len(b)\nc = rng.bytes(3)\nd = rng.permutation(['p', 'q'])",
        3,
    ),
    cell(
        "rows of a matrix",
        "m = x.reshape(3, 2) * 1\nr = rng.choice(m)\ns = rng.choice(m, 2) + r\nt = rng.permutation(m) * 2",
        2,
        4,
        5,
    ),
    cell(
        "many distributions",
        "a = rng.gamma(2.0, size=6) + rng.beta(1, 2, 6) * rng.exponential(size=6)\nb = rng.binomial(9, 0.4, 6) - rng.geometric(0.3, 6)\nc = rng.multinomial(9, [0.2, 0.8], 6).sum(axis=1) + rng.dirichlet([1, 2], 6)[:, 0]\nd = rng.multivariate_normal([0, 1], [[1, 0.5], [0.5, 2]], 6) @ np.ones(2) + a",
        2,
        3,
        4,
        5,
    ),
    cell(
        "a noisy gradient descent",
        "w = np.zeros(2)\nX = np.stack([x, x ** 2], axis=1)\nfor step in range(5):\n    i = rng.permutation(6)[:3]\n    g = X[i].T @ (X[i] @ w - x[i]) / 3\n    w -= 0.01 * g + 0.001 * rng.normal(size=2)\nw",
        2,
        3,
        5,
        6,
        7,
    ),
    cell(
        "a lambda and a default argument",
        "f = lambda v, e=rng.random(6): v + e * rng.random(6)\ny = f(x) * 2\nz = f(y)",
        2,
        3,
        4,
    ),
    cell(
        "draws in a closure",
        "def make(seed):\n    r = np.random.default_rng(seed)\n    def draw(v):\n        return v + r.normal(size=6)\n    return draw\nd = make(3)\ny = d(x) * 2\nz = d(y) + 1\ndel d",
        5,
        8,
        9,
    ),
    cell(
        "a draw and a print",
        "y = rng.random(6) * 2\nprint(rng.random())\nz = rng.random(6) + y\nprint(z.sum())",
        2,
        4,
    ),
    cell(
        "a draw and a text",
        "s = f'{rng.random():.3f}'\ny = rng.random(6) * len(s)\nt = f'{rng.random(2) * 2}'",
        3,
    ),
    cell("the draw is displayed", "y = x * 2\nrng.random(3)", 2),
    cell("the computed draw is displayed", "rng.random(3) * 2", 2),
    cell(
        "a subclass of Generator",
        "class G(np.random.Generator):\n    def random(self, *a):\n        return super().random(*a) + 100\ng = G(np.random.PCG64(3))\ny = g.random(6) * 2\nz = y + rng.random(6)\ndel g, G",
        7,
    ),
]
