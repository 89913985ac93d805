"""Cells that use the Python language give under the magic what they give without it."""

# ruff: noqa: E501 -- a cell is one string

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import jupyter_npcompile
from tests.support.cells.native import (
    MAGIC,
    Bench,
    assert_same,
    compare,
    compiled_lines,
    run_native,
    statement_lines,
)

SETUP = "x = np.linspace(0.5, 3.0, 6) + RUN"


class Case(NamedTuple):
    """A cell, and whether something of it must be captured."""

    name: str
    source: str
    setup: str = SETUP
    captured: bool = True
    earlier: tuple[str, ...] = ()
    fallbacks: int = 0


CASES = [
    # -- classes
    Case(
        "class with methods",
        """
class Model:
    scale = 2.0

    def __init__(self, weights):
        self.weights = weights
        self.calls = 0

    def predict(self, v):
        self.calls += 1
        hidden = np.tanh(v * self.weights)
        return hidden.sum() * self.scale

model = Model(x * 2)
p = model.predict(x)
q = Model.predict(model, x[::-1])
calls = model.calls
y = x + p
""",
    ),
    Case(
        "class hierarchy with super",
        """
class Base:
    def step(self, v):
        return v + 1

class Child(Base):
    def step(self, v):
        return super().step(v) * 2

y = Child().step(x)
z = y - x
names = [c.__name__ for c in Child.__mro__]
""",
    ),
    Case(
        "properties, static and class methods",
        """
class Grid:
    spacing = 0.5

    def __init__(self, values):
        self._values = values

    @property
    def slope(self):
        return np.diff(self._values) / self.spacing

    @staticmethod
    def double(v):
        return v * 2

    @classmethod
    def of(cls, v):
        return cls(v * cls.spacing)

g = Grid.of(x)
s = g.slope
d = Grid.double(s)
Grid.spacing = 0.25
t = g.slope
y = x + 1
""",
    ),
    Case(
        "dataclass",
        """
from dataclasses import dataclass, field

@dataclass
class Point:
    position: np.ndarray
    history: list = field(default_factory=list)

    def move(self, by):
        self.history.append(self.position.copy())
        self.position += by
        return self

p = Point(x.copy()).move(1.0).move(x)
y = p.position * 2
n = len(p.history)
del Point, dataclass, field
kept = p.history
del p
""",
    ),
    Case(
        "special methods",
        """
class Vector:
    def __init__(self, data):
        self.data = data

    def __add__(self, other):
        return Vector(self.data + other.data)

    def __array__(self, dtype=None, copy=None):
        return self.data

    def __len__(self):
        return len(self.data)

    def __getitem__(self, k):
        return self.data[k]

    def __eq__(self, other):
        return bool((self.data == other.data).all())

v = Vector(x) + Vector(x * 2)
w = np.sin(v)
e = v[1] + len(v)
same = Vector(x) == Vector(x.copy())
y = x * 3
""",
    ),
    Case(
        "class body with NumPy",
        """
class Constants:
    grid = np.arange(4.0)
    total = grid.sum()
    pairs = [(a, a * 2) for a in range(2)]

y = x[:4] * Constants.grid
z = Constants.total + y
""",
    ),
    Case(
        "class attribute that changes",
        "y = x * C.k\nz = y + 1",
        SETUP
        + "\nimport builtins\nclass C: pass\nC = builtins.__dict__.setdefault('_kept_class', C)\nC.k = 2 + RUN",
    ),
    Case(
        "instances from the setup",
        """
a = m.f(x)
b = m.g(x)
c = m.twice + x
d = m.c(x)
e = m(x)
m.w += 1
h = m.f(x)
m.w = x * 2
i = m.f(x)
""",
        SETUP
        + """
class M:
    scale = 3
    def __init__(self, w):
        self.w = w
        self.n = 0
    def f(self, v):
        return v * self.w
    def g(self, v):
        self.n += 1
        return v * self.scale
    @property
    def twice(self):
        return self.w * 2
    @classmethod
    def c(cls, v):
        return v * cls.scale
    def __call__(self, v):
        return v - self.w
m = M(x + RUN)
""",
    ),
    # -- functions
    Case(
        "closure over a loop variable",
        """
fs = []
for k in range(3):
    fs.append(lambda v: v * k)
late = [f(x) for f in fs]
gs = [lambda v, k=k: v * k for k in range(3)]
early = [g(x) for g in gs]
y = late[0] - early[0]
del fs, gs
""",
    ),
    Case(
        "closure variable rebound in the function",
        """
def f(v):
    k = 2
    g = lambda w: w * k
    a = g(v)
    k = 3
    b = g(v)
    return a, b

a, b = f(x)
""",
    ),
    Case(
        "inner function that sees a later value",
        """
def f(v):
    g = lambda: a
    a = v * 2
    b = a + 1
    return g() + b

r = f(x)
y = x + r
""",
    ),
    Case(
        "nonlocal accumulators",
        """
def make():
    total = np.zeros(6)
    count = 0
    def add(v):
        nonlocal total, count
        total = total + v
        count += 1
        return total / count
    return add

add = make()
a = add(x)
b = add(x * 3)
y = a + b
""",
    ),
    Case(
        "decorators",
        """
import functools

def twice(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return f(f(*args, **kwargs))
    return wrapper

def times(k):
    def decorate(f):
        return lambda v: f(v) * k
    return decorate

@twice
def inc(v):
    "Adds one."
    return v + 1

@times(3)
@twice
def shift(v):
    return v - 0.5

a = inc(x)
b = shift(x)
doc = inc.__doc__, inc.__name__
""",
    ),
    Case(
        "cached functions and partial",
        """
from functools import lru_cache, partial

@lru_cache
def weights(n):
    return np.arange(n) / n

half = partial(np.multiply, 0.5)
a = weights(6) * x
b = weights(6) is weights(6)
c = half(x)
hits = weights.cache_info().hits
y = x + 1
del weights, half
""",
    ),
    Case(
        "generators",
        """
def halves(v):
    while v.max() > 0.3:
        yield v
        v = v / 2

def rows():
    got = yield x
    yield from (got, got * 2)

parts = list(halves(x))
g = rows()
first = next(g)
second = g.send(first + 1)
rest = list(g)
s = sum(p.sum() for p in parts)
y = x * s
del g
""",
    ),
    Case(
        "comprehensions",
        """
a = [v * k for k, v in enumerate((x, x * 2))]
b = {k: x[k] for k in range(3)}
c = {int(k) for k in np.arange(5) % 3}
d = [(i, j) for i in range(3) for j in range(i) if (i + j) % 2]
e = [[x[i] * j for j in range(2)] for i in range(2)]
f = np.array([row.sum() for row in np.outer(x, x)])
g = sum(k * x for k in range(3))
k = 99
h = [k for k in range(3)]
y = x * k
""",
    ),
    Case(
        "walrus",
        """
if (m := x.max()) > 0:
    y = x / m
z = [w := v * 2 for v in (x, y)]
t = (q := x * 3) + q
while (s := float(t.sum())) > 10:
    t = t / 2
""",
    ),
    Case(
        "star targets",
        """
a, *b, c = x
(d, e), f = (x[:2], x * 2)
*g, h = [x, x + 1, x + 2]
i, j = j0 = x[:2]
first, *_ignored = x * 2
y = x + 1
""",
    ),
    Case(
        "star arguments everywhere",
        """
def f(a, /, b, *args, c=1, **kwargs):
    return a + b * c + sum(args) + kwargs.get("d", 0)

p = f(x, 2)
q = f(x, x, 1, 2, c=3, d=x[0])
r = f(*[x, 1], **{"c": 2})
s = [*x[:2], *range(2)]
t = {**{"a": x}, "b": x * 2}
""",
    ),
    Case(
        "keyword-only default that changes",
        "y = f(x)\nz = y + 1",
        SETUP + "\ndef f(v, *, k=2 + RUN): return v * k",
    ),
    Case(
        "default that changes",
        "y = f(x)\nz = y + 1",
        SETUP + "\ndef f(v, k=2 + RUN, w=np.arange(6.0) * RUN): return v * k + w",
    ),
    Case(
        "builtin shadowed the second time",
        "y = f(x)\nz = y + 1",
        SETUP + "\ndef f(v): return abs(v)\nif RUN: abs = lambda v: v * 0",
    ),
    Case(
        "helper redefined between runs",
        "y = f(x)\nz = y + 1",
        SETUP + "\nif RUN:\n    def f(v): return v + 1\nelse:\n    def f(v): return v * 2",
    ),
    Case(
        "global of a helper that changes",
        "y = f(x)\nz = y + 1",
        SETUP
        + "\nk = [2, 2.5][RUN]; w = np.arange(6.0) + RUN\ndef g(v): return v * k\ndef f(v): return g(v) + w",
    ),
    Case(
        "helper that writes and then prints",
        """
def f(v):
    v += 1
    print("written", v[0])
    v *= 2
    return v

y = x * 2
w = y[1:]
r = f(y)
z = w + 1
""",
    ),
    Case(
        "helper with try",
        """
def f(v):
    try:
        return v.reshape(5)
    except ValueError:
        return v * 100
    finally:
        v = v + 1

def g(v):
    try:
        w = v * 2
        print("in")
        return w
    except:
        return v * 100

y = f(x)
z = g(x)
u = y + z
""",
    ),
    Case(
        "helper with with",
        """
import contextlib

@contextlib.contextmanager
def scaled(v):
    v *= 2
    yield v
    v /= 2

def f(v):
    with np.errstate(divide="ignore"):
        return 1 / (v - v[0])

with scaled(x) as s:
    t = s + 1
y = f(x)
""",
    ),
    Case(
        "helper that asserts",
        """
def f(v):
    assert v.ndim == 1, "one axis"
    w = v * 2
    assert w.shape[0] > 100, f"only {w.shape[0]}"
    return w

y = x + 1
f(y)
""",
    ),
    Case(
        "recursion that writes",
        """
def fill(v, depth):
    if depth == 0 or len(v) < 2:
        v += depth
        return
    h = len(v) // 2
    fill(v[:h], depth - 1)
    fill(v[h:], depth - 1)

y = x * 1
fill(y, 2)
z = y.sum()
""",
    ),
    Case(
        "locals and eval",
        """
def f(v):
    a = v * 2
    b = a + 1
    return sorted(locals())

def g(v):
    a = v * 2
    b = v + 1
    return eval("a") + b

r = f(x)
s = g(x)
t = eval("x * 2")
exec("u = t + 1")
y = x + u
""",
    ),
    Case(
        "globals",
        """
def bump():
    global counter, buffer
    counter += 1
    buffer = buffer * 2
    return buffer + counter

counter, buffer = 0, x
a = bump()
b = bump()
y = a - b
g = globals()["counter"]
globals()["made"] = y * 2
z = made + 1
""",
    ),
    Case(
        "annotations and docstrings",
        """
def f(v: np.ndarray, k: int = 2, *, flag: bool = False) -> np.ndarray:
    '''Multiplies.

    More text.
    '''
    w: np.ndarray = v * k
    return -w if flag else w

count: int = 3
y: np.ndarray = f(x, flag=True)
name: str
z = y * count
""",
    ),
    # -- statements
    Case(
        "del",
        """
y = x * 2
z = y + 1
del y
lst = [x, z]
del lst[0]
d = {"a": x, "b": z}
del d["a"]
try:
    y
except NameError as error:
    said = str(error)
w = z * 2
""",
    ),
    Case(
        "with several managers",
        """
import contextlib, io

out = io.StringIO()
with contextlib.redirect_stdout(out), np.errstate(all="ignore"):
    y = x / 0
    print("inside", y[0])
text = out.getvalue()
with contextlib.suppress(ValueError):
    z = x * 2
    z.reshape(4)
    z = None
w = z + 1
del out
""",
    ),
    Case(
        "try, except, else, finally",
        """
trail = []
for k in range(3):
    try:
        y = x * k
        if k == 1:
            raise KeyError(k)
        if k == 2:
            y[10]
    except KeyError as error:
        trail.append(("key", error.args))
    except (IndexError, TypeError) as error:
        trail.append(("index", str(error)))
    else:
        trail.append("fine")
    finally:
        trail.append(y[0])
z = y + 1
""",
    ),
    Case(
        "exception chaining",
        """
def f(v):
    try:
        return v.reshape(4)
    except ValueError as error:
        raise RuntimeError("cannot fold") from error

y = x * 2
f(y)
""",
    ),
    Case(
        "exception in a finally",
        """
try:
    y = x * 2
    z = y + np.ones(3)
finally:
    w = y * 3
u = 1
""",
    ),
    Case(
        "exception groups",
        """
try:
    y = x * 2
    raise ExceptionGroup("several", [ValueError(1), TypeError(2)])
except* ValueError as group:
    v = len(group.exceptions)
except* TypeError:
    t = y + 1
z = y * 3
""",
    ),
    Case(
        "match",
        """
def kind(v):
    match v:
        case np.ndarray(ndim=1):
            return v.sum()
        case [a, b]:
            return a + b
        case {"x": inner}:
            return inner * 2
        case int() | float():
            return -v
        case _:
            return None

a = kind(x)
b = kind([x, x])
c = kind({"x": x})
d = kind(2)
match x.shape:
    case (n,) if n > 3:
        y = x * n
    case _:
        y = None
""",
    ),
    Case(
        "chained comparisons and conditional expressions",
        """
inside = 0 < x[0] < 1 < x[-1]
kind = "big" if x.sum() > 5 else "small"
m = (1 < x) & (x < 2)
both = x.ndim == 1 and x.size and x.shape[0] or None
n = not x.size > 3
y = x * 2 if inside else x * 3
z = 1 if np.all(y > 0) else 2
""",
    ),
    Case(
        "chained comparison of arrays",
        "y = x * 2\nz = 0 < y < 3\nw = y",
    ),
    Case(
        "f-strings",
        """
y = x * 2
s = f"{y.sum():8.3f}|{y[0]!r}|{x.shape}|{y.mean() = :.2f}|{'nested' + f'{len(y)}'}"
w = 3
t = f"{y[1]:{w}.1f} {{}} {x.dtype}"
z = y + 1
p = "%.2f" % z[0]
q = "{:.1f} {}".format(z[1], z.size)
""",
    ),
    Case(
        "loops with else, nested break",
        """
found = None
for i in range(4):
    for j in range(4):
        y = x * i + j
        if y.sum() > 30:
            found = (i, j)
            break
    else:
        continue
    break
k = 0
while k < 3:
    k += 1
    z = y - k
    if k == 2:
        continue
    w = z * 2
else:
    v = w + 1
""",
    ),
    Case(
        "lists, dicts and sets change in place",
        """
acc = []
seen = {}
for k in range(3):
    y = x * k
    acc.append(y)
    acc += [k]
    seen[k] = y.sum()
    seen.setdefault("first", y)
acc.reverse()
acc.pop()
s = set()
s.add(int(y.sum()))
last = acc[-1]
pair = [acc, acc]
pair[0].insert(0, "new")
z = y + 1
""",
    ),
    Case(
        "two names for one new list",
        """
y = x * 2
a = b = []
z = y + 1
a.append(1)
m = [[]] * 2
w = z * 2
m[0].append(2)
d = {"m": m, "a": a}
v = w - 1
""",
    ),
    Case(
        "list of the setup under a new name",
        """
y = x * 2
same = items
other = table
pair = (items, y)
flag = same is items, other is table
z = same[0] + other["a"]
same.append(z)
""",
        SETUP + "; items = [x, x + 1]; table = {'a': x, 'b': items}",
    ),
    Case(
        "list that holds itself",
        "y = items[0] * 2\nz = y + 1",
        SETUP + "; items = [x]; items.append(items)",
    ),
    Case(
        "named tuples and enumerations",
        """
from collections import namedtuple, defaultdict, Counter, deque
from enum import Enum
Pair = namedtuple("Pair", "low high")
p = Pair(x.min(), x.max())
q = p._replace(low=0.0)
y = (x - p.low) / (p.high - p.low)
class Mode(Enum):
    FAST = 1
    SLOW = 2
mode = Mode.SLOW
z = y * mode.value
d = defaultdict(list)
d["k"].append(z)
c = Counter("aab")
e = deque([x, y], maxlen=2)
e.append(z)
low = e[0] is y
u = x * 2
w = z * c["a"]
del p, q, Pair, Mode, mode, d, e
""",
    ),
    Case(
        "a variable called display",
        "display = x * 2\ny = display + 1\nprint(type(display).__name__)",
    ),
    Case(
        "variables with awkward names",
        "h = x * 2\nself = h + 1\nreturn_ = self\nhooks = self * 2\nreport = hooks - h\nresult = 3 * report\nresult",
    ),
    Case(
        "shadowed builtins",
        """
def sum(v):
    return "mine"

abs = lambda v: v * 10
len = 7
a = sum(x)
b = abs(x) + len
max = x.max()
c = max * 2
del sum, abs, len, max
d = sum([1, 2]) + len(x)
""",
    ),
    Case(
        "np is something else",
        """
y = np.sin(x)
class np:
    @staticmethod
    def sin(v):
        return "not NumPy"
z = np.sin(x)
import numpy as np
w = np.sin(x) + 1
""",
    ),
    Case(
        "a function of NumPy is replaced",
        """
y = np.sin(x)
original = np.sin
np.sin = lambda v: v * 0
try:
    z = np.sin(x)
finally:
    np.sin = original
w = np.sin(x)
del original
""",
    ),
    Case(
        "star imports",
        """
from numpy import *
from math import *
y = sin(0.5) + pi
z = ones(3) * x[:3]
w = array([sqrt(2.0), floor(x[1])])
""",
    ),
    Case(
        "imports of all kinds",
        """
import numpy.fft
import os.path as p, math
from collections import OrderedDict as od
import numpy as other
y = numpy.fft.rfft(x)
z = other.abs(y) * math.e
d = od(a=z)
name = p.join("a", "b")
""",
    ),
    Case(
        "lambda calculus",
        """
compose = lambda f, g: lambda v: f(g(v))
h = compose(np.sqrt, lambda v: v + 1)
y = h(x)
z = (lambda *a, **k: a[0] * k["by"])(y, by=2)
apply = lambda f, *a: f(*a)
w = apply(np.add, x, 1)
""",
    ),
    Case(
        "semicolons and long lines",
        "a = x * 2; b = a + 1; c = (a +\n    b +\n    x); d = \\\n    c * 2\ne = [\n    a,\n    b,\n]; f = d",
    ),
    Case(
        "one-line compound statements",
        """
if x.size: y = x * 2; z = y + 1
for k in range(2): w = x * k
while False: pass
def f(v): return v * 3
class A: k = 2
t = f(x) * A.k
""",
    ),
    Case(
        "unicode names and text",
        """
π = np.pi
Δx = x * π
größe = "Zürich → 東京"; y = Δx + 1; print(größe, y[0])
ñ, é = y[:2]
z = y * len(größe)
""",
    ),
    Case(
        "comments, blank lines and tabs",
        "# a comment\n\n\ny = x * 2  # another\n\nif x.size:\n\tz = y + 1\n\n\n# the end",
    ),
    Case(
        "ellipsis, pass and constants",
        "...\npass\n'text'\nNone\ny = x * 2\n3\ny[0]\n...",
    ),
    # -- what IPython adds
    Case("underscore", "y = _ + x\nz = y * 2", "x = np.arange(3.0)\nx * 10"),
    Case("Out and In", "y = x * 2\nn = len(In) > 1, sorted(Out)\nz = y + 1\nz", SETUP + "\nx + 1"),
    Case(
        "line magics inside",
        "y = x * 2\n%pprint off\n%config InteractiveShell.ast_node_interactivity\nz = y + 1\n%pprint on",
    ),
    Case("magic with a value", "y = x * 2\nwhere = %pwd\nz = y + 1\ndel where"),
    Case(
        "shell lines",
        "y = x * 2\n!echo hello {y.size}\nout = !printf 'a\\nb'\nz = y + len(out)\nlines = list(out)\ndel out",
    ),
    Case(
        "line magic that runs code",
        "y = x * 2\nget_ipython().run_line_magic('config', '')\n%alias_magic t2 timeit\nw = y * 2",
    ),
    Case("display calls", "y = x * 2\ndisplay(y)\nz = y + 1\ndisplay(z[0], z.sum())\nz"),
    Case("last expression is None", "y = x * 2\nprint(y[0])\ny.sort()"),
    Case("last expression is a view", "y = x * 2\nv = y[1:3]\nv"),
    Case("last expression assigns nothing", "x * 2"),
    Case("last expression with a semicolon and a comment", "y = x * 2\ny + 1;  # quiet"),
    Case("last expression after a loop", "for k in range(2):\n    y = x * k\ny + 1"),
    Case("last expression in an if", "y = x * 2\nif True:\n    y + 1", captured=True),
    Case(
        "top-level await",
        "import asyncio\ny = x * 2\nz = await asyncio.sleep(0, y + 1)\nw = z * 2\nw",
    ),
    Case(
        "async functions",
        """
import asyncio

async def work(v, k):
    w = v * k
    await asyncio.sleep(0)
    return w + 1

async def stream(v):
    for k in range(2):
        yield v * k

parts = await asyncio.gather(work(x, 2), work(x, 3))
got = [p async for p in stream(x)]
async for p in stream(x):
    q = p + 1
y = parts[0] + got[1]
""",
    ),
    Case(
        "threads",
        """
from concurrent.futures import ThreadPoolExecutor

def work(k):
    v = x * k
    for _ in range(5):
        v = v + k
        v[0] = k
    return v.sum()

with ThreadPoolExecutor(4) as pool:
    parts = list(pool.map(work, range(12)))
y = x + parts[3]
del pool
""",
    ),
    Case(
        "sorting with keys and map with NumPy",
        """
rows = [x, x * -1, x * 0.5]
a = sorted(rows, key=lambda r: r.sum())
b = max(rows, key=np.sum)
c = list(map(np.sum, rows))
d = list(filter(lambda r: r[0] > 0, rows))
e = [p for p in zip(*rows)][:2]
f = any(r.min() < 0 for r in rows), all(isinstance(r, np.ndarray) for r in rows)
y = x + c[0]
""",
    ),
    Case(
        "time and identity",
        """
import time
start = time.perf_counter()
y = x * 2
took = time.perf_counter() - start
fast = took < 10
ids = id(y) == id(y), y is y
z = y + 1
del start, took
""",
    ),
    Case(
        "copying and pickling",
        """
import copy, pickle
y = x * 2
a = copy.deepcopy([y, y])
one = a[0] is a[1]
b = pickle.loads(pickle.dumps(y))
c = copy.copy(y)
z = b + c
""",
    ),
    # -- errors, wherever they are
    Case("error on a given line", "y = x * 2\nz = y + 1\n\nw = z @ np.ones(4)\nv = 1"),
    Case(
        "error in a helper",
        "def f(v):\n    w = v * 2\n    return w @ np.ones(4)\n\ny = x + 1\nf(y)",
    ),
    Case(
        "error deep in helpers",
        "def f(v):\n    w = v * 2\n    return g(w)\n\ndef g(v):\n    u = v + 1\n    return u.reshape(\n        7,\n        7,\n    )\n\ny = x + 1\nz = f(y)",
    ),
    Case(
        "error in a method",
        "class A:\n    def f(self, v):\n        w = v * 2\n        return w[99]\n\ny = x + 1\nA().f(y)",
    ),
    Case(
        "error in a loop", "for k in range(4):\n    y = x * k\n    z = 1 // (2 - k)\n    w = y + z"
    ),
    Case("error in a comprehension", "y = x * 2\nz = [y[k] for k in (0, 3, 9)]\nw = 1"),
    Case("error in a lambda", "f = lambda v: v.reshape(5)\ny = x * 2\nf(y)"),
    Case(
        "error in a generator",
        "def g(v):\n    yield v * 2\n    yield v[99]\n\ny = x + 1\nz = list(g(y))",
    ),
    Case(
        "error in a statement of several lines",
        "y = x * 2\nz = (y +\n     y.reshape(2, 3)[0] +\n     np.ones((4, 4)))\nw = 1",
    ),
    Case("error in an f-string", "y = x * 2\ns = f'{y[0]} {y[77]}'\nz = 1"),
    Case(
        "error in a with",
        "y = x * 2\nwith np.errstate(all='raise'):\n    z = y + 1\n    w = y / 0\nv = 1",
    ),
    Case("error of Python in array code", "y = x * 2\nz = y + None\nw = 1"),
    Case("error of an attribute", "y = x * 2\nz = y.nothing\nw = 1"),
    Case("error of a NumPy name", "y = x * 2\nz = np.nothing(y)\nw = 1"),
    Case("truth of an array", "y = x * 2\nif y > 1:\n    z = 1"),
    Case("raise", "y = x * 2\nraise LookupError('why', 3)\nz = y"),
    Case("unbound local", "def f(v):\n    w = v * 2\n    u += w\n    return u\n\ny = x + 1\nf(y)"),
    Case("system exit", "y = x * 2\nimport sys\nraise SystemExit(0)"),
    Case("keyboard interrupt", "y = x * 2\nz = y + 1\nraise KeyboardInterrupt"),
    Case(
        "recursion error",
        "def f(v):\n    return f(v + 1)\ny = x * 2\ntry:\n    f(y)\nexcept RecursionError:\n    z = y + 1",
        fallbacks=10,
    ),
    Case(
        "error first, then operators",
        "y = -x + x[-1]\nz = not y.all()",
        captured=True,
        earlier=("try:\n    -x[77]\nexcept IndexError:\n    get_ipython().showtraceback()",),
    ),
    # -- functions of earlier cells
    Case(
        "helper of an earlier compiled cell",
        "a = f(x)\nb = f(x, 5)\nc = x + 1\nk = 7\nd = f(x)",
        earlier=("k = 3\ndef f(v, w=1):\n    u = v * w\n    return u + k",),
    ),
    Case(
        "class of an earlier compiled cell",
        "a = A(x).f(2)\nb = a + 1\nc = A.f(A(b), 3)",
        earlier=(
            "class A:\n    def __init__(self, v):\n        self.v = v * 2\n    def f(self, k):\n        w = self.v * k\n        return w + 1",
        ),
    ),
    Case(
        "variables of an earlier compiled cell",
        "v += 1\nw = base * 2\nsame = v.base is base",
        earlier=("base = x * 2\nv = base[1:4]",),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_cell(case: Case) -> None:
    assert_same(
        case.source.strip("\n"),
        setup=case.setup,
        earlier=case.earlier,
        captured=case.captured,
        fallbacks=case.fallbacks,
    )


def test_there_are_enough() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 60


def test_module_of_helpers(tmp_path: Path) -> None:
    (tmp_path / "helpers_of_a_cell.py").write_text(
        textwrap.dedent(
            """
            import numpy as np
            from numpy import sqrt

            SCALE = 2.0
            TABLE = np.arange(3.0)

            def norm(v, *, order=2):
                return (np.abs(v) ** order).sum() ** (1 / order)

            def scaled(v):
                return sqrt(v) * SCALE + TABLE

            def fill(v, value=1.0):
                v[:] = value
                return v

            class Filter:
                def __init__(self, taps):
                    self.taps = np.asarray(taps, dtype=float)

                def __call__(self, v):
                    return np.convolve(v, self.taps, mode="same")
            """
        )
    )
    assert_same(
        textwrap.dedent(
            """\
            import helpers_of_a_cell as helpers
            from helpers_of_a_cell import norm, Filter
            a = norm(x) + norm(x, order=3)
            b = helpers.scaled(x)
            c = helpers.fill(x[1:], 7.0)
            d = Filter([1, 2, 1])(x)
            helpers.SCALE = 5.0
            e = helpers.scaled(x)
            helpers.TABLE[0] = 100
            f = helpers.scaled(x)
            helpers.SCALE = 2.0
            helpers.TABLE[0] = 0
            del helpers, Filter"""
        ),
        setup="x = np.arange(3.0) + 1 + RUN",
        folder=tmp_path,
    )


@pytest.mark.parametrize("source", ["", "\n\n", "# only a comment", "   "])
def test_cells_without_code(source: str) -> None:
    assert_same(source, captured=False)


@pytest.mark.parametrize(
    "source",
    [
        "y = (x * 2\nz = 1",
        "y = x * 2\n  z = 1",
        "return 3",
        "y = = 2",
        "for k in x\n    pass",
        "f('",
    ],
)
def test_syntax_error(source: str) -> None:
    native, compiled = Bench(compiled=False), Bench(compiled=True)
    with native:
        native.setup("x = np.arange(3.0)")
        before = native.cell(source)
    with compiled:
        compiled.setup("x = np.arange(3.0)")
        after = compiled.cell(source)
    assert before.error is not None
    assert before.error.type.startswith("builtins.")
    assert compare(before, after) == []


# -- what a compiled function keeps

DEFINED = """\
k = 2.0

def f(v: np.ndarray, by: float = 1.0, *, sign=1) -> np.ndarray:
    \"\"\"Shift and scale.\"\"\"
    # a comment inside
    w = v * k
    return sign * (w + by)

y = f(x)"""


def test_definition_pickles_by_name() -> None:
    with Bench(compiled=True) as bench:
        bench.setup(SETUP)
        assert bench.cell(DEFINED).error is None
        outcome = bench.cell(
            "import pickle\nsame = pickle.loads(pickle.dumps(f)) is f\nz = f(x) + 1"
        )
        assert outcome.error is None
        assert outcome.names["same"].value is True
        assert bench.shell.user_ns["f"].__wrapped__.__name__ == "f"


@pytest.mark.parametrize("detail", [0, 1])
def test_inspection_shows_the_definition(detail: int) -> None:
    texts = []
    for compiled in (False, True):
        with Bench(compiled=compiled) as bench:
            bench.setup(SETUP)
            assert bench.cell(DEFINED).error is None
            text = bench.shell.object_inspect_text("f", detail_level=detail)
            texts.append(
                "\n".join(line for line in text.splitlines() if "ipython-input" not in line)
            )
    assert texts[0] == texts[1]
    assert "Shift and scale." in texts[0]
    assert ("# a comment inside" in texts[1]) is bool(detail)


def test_question_marks_in_a_cell() -> None:
    pages = []
    for compiled in (False, True):
        with Bench(compiled=compiled) as bench:
            bench.setup(SETUP)
            shown: list[Any] = []
            bench.shell.set_hook(
                "show_in_pager", lambda _self, data, _shown=shown, **_rest: _shown.append(data)
            )
            assert bench.cell(DEFINED).error is None
            assert bench.cell("y = x * 3\nf?\nz = y + 1\nf??").error is None
            pages.append([str(data).count("Shift and scale.") for data in shown])
    assert pages[0] == pages[1]
    assert len(pages[0]) == 2


def test_time_above_the_magic() -> None:
    with Bench(compiled=True) as bench:
        bench.setup(SETUP)
        before = jupyter_npcompile.stats()["dispatches"]
        outcome = bench.cell("y = x * 2\nz = y + 1\nz", head=f"%%time\n{MAGIC}")
        assert outcome.error is None
        assert "Wall time" in outcome.stdout
        assert {"y", "z"} <= set(outcome.names)
        assert outcome.names["z"].values[0] == 2.0
        assert jupyter_npcompile.stats()["dispatches"] >= before


def test_capture_above_the_magic() -> None:
    with Bench(compiled=True) as bench:
        bench.setup(SETUP)
        outcome = bench.cell("y = x * 2\nprint(y[0])\nz = y + 1", head=f"%%capture kept\n{MAGIC}")
        assert outcome.error is None
        assert outcome.stdout == ""
        assert bench.shell.user_ns["kept"].stdout == "1.0\n"


@pytest.mark.parametrize("head", ["%%time", "%%timeit -n 2 -r 1"])
def test_timing_magic_below_the_magic(head: str) -> None:
    with Bench(compiled=True) as bench:
        bench.setup(SETUP)
        outcome = bench.cell(f"{head}\ny = x * 2\nz = y + 1")
        assert outcome.error is None or "npcompile" not in outcome.error.message


def test_every_cell_is_compiled_between_on_and_off() -> None:
    with Bench(compiled=True) as bench:
        bench.setup(SETUP)

        def dispatches(source: str) -> int:
            before = jupyter_npcompile.stats()["dispatches"]
            assert bench.cell(source, head="# no magic").error is None
            return jupyter_npcompile.stats()["dispatches"] - before

        assert dispatches("y = x * 2\nz = y + 1") == 0
        bench.shell.run_line_magic("npcompile", "on")
        assert dispatches("y = x * 3\nz = y + 1") > 0
        bench.shell.run_line_magic("npcompile", "off")
        assert dispatches("y = x * 4\nz = y + 1") == 0


def test_on_gives_what_no_magic_gives() -> None:
    source = "y = x * 2\nfor k in range(3):\n    y[k] = k\n    print(y.sum())\ny[1:]"
    outcomes = []
    for compiled in (False, True):
        with Bench(compiled=compiled) as bench:
            if compiled:
                bench.shell.run_line_magic("npcompile", "on")
            bench.shell.run_cell(f"RUN = 0\n{SETUP}", store_history=True)
            outcomes.append(bench.cell(source, head="# the same line"))
    assert [
        text for text in compare(outcomes[0], outcomes[1]) if not text.startswith("displayed")
    ] == []
    assert len(outcomes[1].displayed) == 1  # the report


def test_disabled_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_DISABLE", "1")
    source = "def f(v):\n    return v + 1\n\ny = f(x * 2)\ny"
    native = run_native(source, setup=SETUP)
    with Bench(compiled=True) as bench:
        for number, expected in enumerate(native.outcomes):
            bench.forget()
            bench.setup(SETUP, number)
            before = jupyter_npcompile.stats()
            assert compare(expected, bench.cell(source)) == []
            assert jupyter_npcompile.stats() == before
        assert not hasattr(bench.shell.user_ns["f"], "__wrapped__")


def test_debug_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    for compiled in (False, True):
        with Bench(compiled=compiled) as bench:
            answers = iter(["p w.sum()", "up", "p y[0]", "q"])
            monkeypatch.setattr("builtins.input", lambda *_, answers=answers: next(answers))
            monkeypatch.setattr("pdb.Pdb.use_rawinput", True, raising=False)
            bench.setup(SETUP)
            failed = bench.cell(
                "def f(v):\n    w = v * 2\n    return w @ np.ones(4)\n\ny = x + 1\nf(y)"
            )
            assert failed.error is not None
            outcome = bench.cell("%debug", head="# now look")
            seen.append([line for line in outcome.stdout.splitlines() if line[:1].isdigit()])
            assert outcome.error is None
    assert seen[0] == seen[1]


def test_breakpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[Any]] = []

    def look() -> None:
        import sys

        frame = sys._getframe(1)
        seen[-1].append((frame.f_lineno, frame.f_code.co_name, float(frame.f_locals["w"].sum())))

    monkeypatch.setattr("sys.breakpointhook", look)
    source = "w = x * 2\nbreakpoint()\nz = w + 1\ndef f(v):\n    w = v * 3\n    breakpoint()\n    return w + 1\n\ny = f(z)"
    outcomes = []
    for compiled in (False, True):
        seen.append([])
        with Bench(compiled=compiled) as bench:
            bench.setup(SETUP)
            outcomes.append(bench.cell(source))
    assert compare(outcomes[0], outcomes[1]) == []
    assert seen[0] == seen[1]
    assert [line for line, _, _ in seen[0]] == [3, 7]


def test_unknown_option_leaves_the_namespace_alone() -> None:
    with Bench(compiled=True) as bench:
        bench.setup(SETUP)
        outcome = bench.cell("y = x * 2", head="%%npcompile --fast")
        assert outcome.error is not None
        assert "y" not in outcome.names
        assert "--ahead" in outcome.error.message + outcome.stdout


def test_magic_called_by_another_program() -> None:
    with Bench(compiled=True) as bench:
        bench.setup(SETUP)
        outcome = bench.cell(
            "get_ipython().run_cell_magic('npcompile', '--quiet', 'y = x * 2\\nz = y + 1\\nz[0]')",
            head="# another program",
        )
        assert outcome.error is None
        assert outcome.names["z"].values[0] == 2.0


def test_report_knows_every_statement() -> None:
    source = "\n".join(
        case.source.strip("\n") for case in CASES if case.name in ("match", "walrus")
    )
    run = assert_same(source, setup=SETUP)
    report = run.reports[0]
    assert {line.line for line in report.lines} >= set(statement_lines(source))
    assert compiled_lines(report)
