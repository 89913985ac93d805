"""Random programs with arrays of two to four elements: aliases, views, writes, calls, lists."""

from __future__ import annotations

from random import Random

HEAD = """\
import numpy as np

def reads(p, s):
    t = p * s
    t[0] = s
    return t + p

def writes(p, s):
    p[0] += s
    p[1:] *= 0.5

def same(p, s):
    return p

def part(p, s):
    return p[: p.size - 1][::-1]

def both(p, s):
    t = p - s
    return p, t

def made(p, s):
    t = np.empty(p.size)
    for i in range(p.size):
        t[i] = p[i] * s - i
    if s > 1.0:
        return t
    return t * 2.0

def program(a, m, n, s):
    x, y, z = np.array([s, 1.0, -2.0]), a * 0.5, np.zeros(3)
    u, v = np.ones(2), np.array([0.25, s])
    A, B = np.array([[1.0, s], [0.5, 2.0]]), m + 1.0
    log, total = [], 0.0
    pair = (x * 2.0, u)
    for k in range(n):
"""

VECTORS, PAIRS, MATRICES = ("x", "y", "z"), ("u", "v"), ("A", "B")


class Writer:
    """Writes one program.

    Parameters
    ----------
    seed : int
        The same program every time.
    """

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def pick(self, *of: str) -> str:
        """One of some texts."""
        return self.random.choice(of)

    def number(self) -> str:
        """A number."""
        r = self.pick
        name, place = r(*VECTORS), r("0", "1", "-1", "k % 3")
        return r("s", "0.75", "k * 0.5", f"{name}[{place}]", f"{r(*PAIRS)}[{r('0', 'k % 2')}]")

    def vector(self) -> str:
        """Three numbers that are new."""
        r, one, other = self.pick, self.pick(*VECTORS), self.pick(*VECTORS)
        return r(
            f"{one} + {other}",
            f"{one} * {self.number()} - {other}[::-1]",
            f"np.array([{self.number()}, {self.number()}, 0.5])",
            f"np.concatenate(({r(*PAIRS)}, [{self.number()}]))",
            f"np.concatenate(({one}[1:], {other}[:1]))",
            f"np.cross({one}, {other}) * 0.25",
            f"np.where({one} > {other}, {one}, -{other})",
            f"np.minimum(np.abs({one}), {self.number()})",
            f"{one} / (1.0 + np.sum({other} * {other}))",
            f"{one}.copy()",
            f"reads({one}, 0.5)",
            f"made({one}, {r('s', '2.0')})",
            f"np.clip({one}, -1.0, 1.0)",
        )

    def pair(self) -> str:
        """Two numbers that are new."""
        r, one, matrix = self.pick, self.pick(*PAIRS), self.pick(*MATRICES)
        return r(
            f"{matrix} @ {one} * 0.25",
            f"{one} @ {matrix}.T - {self.number()}",
            f"np.linalg.solve({matrix} * 0.1 + 3.0 * np.eye(2), {one})",
            f"np.array([{self.number()}, {one}[0]])",
            f"{r(*VECTORS)}[1:] * 0.5",
            f"np.sum({matrix}, axis={r('0', '1')}) * 0.25",
            f"np.tanh({one}) + {matrix}[{r('0', '1')}]",
        )

    def matrix(self) -> str:
        """Two rows of two numbers that are new."""
        r, one, other = self.pick, self.pick(*MATRICES), self.pick(*MATRICES)
        return r(
            f"{one} @ {other} * 0.25",
            f"{one} + {other}.T",
            f"np.outer({r(*PAIRS)}, {r(*PAIRS)})",
            f"np.array([[{self.number()}, 0.0], [1.0, {self.number()}]])",
            f"{one} * {self.number()} + np.eye(2)",
            f"np.array([{r(*PAIRS)}, {r(*PAIRS)}])",
        )

    def alias(self) -> str:
        """A name gets what another one has, or a part of it."""
        r = self.pick
        x, u, m = r(*VECTORS), r(*PAIRS), r(*MATRICES)
        return r(
            f"{x} = {r(*VECTORS)}",
            f"{x}, {r(*[v for v in VECTORS if v != x])} = {r(*VECTORS)}, {x}",
            f"{u} = {x}[1:]",
            f"{u} = {x}[:2][::-1]",
            f"{u} = {m}[{r('0', '1', 'k % 2')}]",
            f"{u} = {m}[:, {r('0', '1')}]",
            f"{r(*MATRICES)} = {m}.T",
            f"{r(*MATRICES)} = {m}",
            f"{x} = same({r(*VECTORS)}, s)",
            f"{u} = part({x}, s)",
            f"{x}, {r(*[v for v in VECTORS if v != x])} = both({r(*VECTORS)}, s)",
            f"pair = ({x}, {u})",
            f"{x}, {u} = pair",
            f"{x} = pair[0]",
        )

    def write(self) -> str:
        """Something is written in place."""
        r = self.pick
        x, u, m = r(*VECTORS), r(*PAIRS), r(*MATRICES)
        return r(
            f"{x}[{r('0', '-1', 'k % 3')}] = {self.number()}",
            f"{x} += {self.vector()}",
            f"{x} *= 0.5",
            f"{x}[1:] = {u}",
            f"{x}[:2] -= {x}[1:]",
            f"{x}[:] = {r(*VECTORS)}[::-1]",
            f"{x}[{x} > 1.0] = 1.0",
            f"{u} -= {self.number()}",
            f"{m}[{r('0', '1')}] = {u}",
            f"{m}[:, 0] += {u}",
            f"{m}[0, 1] = {self.number()}",
            f"{m} *= 0.5",
            f"np.add({x}, {self.number()}, out={x})",
            f"{x}.fill({self.number()})",
            f"{x}.sort()",
            f"writes({x}, 0.25)",
        )

    def other(self) -> str:
        """A list, a choice, a jump, a number."""
        r, x = self.pick, self.pick(*VECTORS)
        return r(
            f"log.append({r(*VECTORS)})",
            f"log.append({self.vector()})",
            f"total += np.max({x}) + {self.number()} + np.argmax({x})",
            f"total += np.linalg.norm({x}) + {x} @ {r(*VECTORS)}",
            f"total += np.linalg.det({r(*MATRICES)}) + {r(*MATRICES)}.sum()",
            f"for row in {r(*MATRICES)}:\n    {self.pick(*PAIRS)} = row * 0.5\n    total += row[0]",
            f"for value in {x}:\n    total += value\n    {r(*VECTORS)}[0] = value * 0.5",
            f"if {x} is {r(*VECTORS)}:\n    total += 1.0",
            f"if total > 5.0:\n    {self.simple()}\nelse:\n    {self.simple()}",
            f"if {self.number()} > 1.0:\n    {self.simple()}",
            f"for j in range(2):\n    {self.simple()}\n    {self.simple()}",
            f"if total > 40.0:\n    {r('break', 'continue', 'return ' + self.results())}",
        )

    def simple(self) -> str:
        """A statement without others in it."""
        return self.random.choices([self.new, self.alias, self.write], [3, 1, 2])[0]()

    def new(self) -> str:
        """A name gets a new array."""
        return self.pick(
            f"{self.pick(*VECTORS)} = {self.vector()}",
            f"{self.pick(*PAIRS)} = {self.pair()}",
            f"{self.pick(*MATRICES)} = {self.matrix()}",
        )

    def results(self) -> str:
        """What is returned."""
        names = [*VECTORS, *PAIRS, *MATRICES, "log", "total", "x", "u[1:]", "A.T"]
        return ", ".join(self.random.sample(names, self.random.randint(1, 6)))

    def text(self) -> str:
        """The program."""
        kinds = [self.new, self.alias, self.write, self.other]
        # Some programs have few aliases and writes: there arrays are values.
        weights = self.random.choice([[6, 1, 0, 2], [6, 0, 2, 2], [6, 0, 0, 2], [4, 2, 3, 2]])
        statements = [
            self.random.choices(kinds, weights)[0]() for _ in range(self.random.randint(3, 8))
        ]
        lines = [line for statement in statements for line in statement.split("\n")]
        body = "".join(f"        {line}\n" for line in lines)
        return f"{HEAD}{body}    return {self.results()}\n"
