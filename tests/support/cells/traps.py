"""Cells that a recorder could get wrong: effects it must not repeat, things it must not keep."""

# ruff: noqa: E501 -- a cell is one string

from __future__ import annotations

from tests.support.cells.python_cells import SETUP, Cell

CELLS = [
    Cell(
        "iterators from outside are used up once",
        """
a = next(it) * x
b = [v for _, v in zip(range(2), it)]
c = 7.0 in it
d = sum(it) + x
e = list(it)
f = x * next(it, 5)
g = np.fromiter(gen, float) * 2
h = x + sum(items[0])
i = max(items[1]) * x
first, *rest = other
j = x * first + sum(rest)
k = dict(pairs)["k"] * x
l = " ".join(words) + "!"
y = x * 2
""",
        setup=SETUP
        + "\nit = iter([1.0, 2.0, 3.0, 7.0, 8.0, 9.0]); gen = (v for v in x); items = [iter([1, 2]), iter([3, 4])]; other = iter([5, 6, 7]); pairs = iter([('k', 2)]); words = iter('ab')",
    ),
    Cell(
        "generators that the cell makes are used up once",
        """
it = iter(x)
a = next(it) * x
b = x + next(it)
g = (v * 2 for v in x)
c = next(g) + x
d = sum(g) + x
e = list(g)
m = map(np.sin, x)
f = next(m) * x
h = np.array(list(m)) + 1
z = zip(x, x[1:])
i = next(z)
j = [u - v for u, v in z]
en = enumerate(x)
k = next(en)[1] * x
l = dict(en)[3] * x
y = x * 2
del it, g, m, z, en
""",
    ),
    Cell(
        "new objects are new each time",
        """
s = object()
t = object()
a = s is t
old.append(s)
b = len({id(v) for v in old}) == len(old)
l = []
m = [l, l]
d = {}
e = set()
f = frozenset([1])
y = x * 2
old.append(y)
n = len({id(v) for v in old}) == len(old)
l.append(1)
del s, t, old
z = y + len(m[1])
""",
        setup=SETUP
        + "\nimport builtins\nold = builtins.__dict__.setdefault('_npc_old', []) if RUN else builtins.__dict__.__setitem__('_npc_old', []) or builtins._npc_old",
        captured=True,
    ),
    Cell(
        "helpers with effects that must happen once",
        """
log, table, box = [], {}, {"n": 0}
class C: count = 0
def f(v):
    log.append(v.sum())
    return v * 2
def g(v):
    table[len(table)] = v[0]
    return v + 1
def h(v):
    box["n"] += 1
    return v - box["n"]
def i(v):
    C.count += 1
    return v * C.count
def j(v, out=[]):
    out.extend(v[:1])
    return v * len(out)
def k(v):
    v[0] += 1
    return v.copy()
def l(v):
    table.update(z=v)
    w = table.pop("z")
    log.sort()
    return w
a = f(x) + f(x)
b = g(x) * g(a)
c = h(x) + h(b)
d = i(x) + i(x)
e = j(x) + j(x)
m = k(x) + k(x)
n = l(x) * 2
y = [fn(x) for fn in (f, g, h, i, j, k)]
counts = len(log), len(table), box["n"], C.count, len(j.__defaults__[0])
""",
    ),
    Cell(
        "Python's own random numbers and clocks",
        """
import random, time, uuid, datetime, os, itertools
random.seed(5)
a = random.random() * x
b = random.uniform(1, 2) + x
c = random.choice([1.0, 2.0, 3.0]) * x
d = random.gauss(0, 1) + x
e = x[random.randrange(6)] * 2
f = random.sample(range(10), 3)
g = [random.random() for _ in range(2)]
h = (time.time() > 0) * x
i = len(uuid.uuid4().hex) * x
j = (datetime.datetime.now().year > 2000) + x
counter = itertools.count(3)
k = next(counter) * x
l = next(counter) * x
m = (os.getpid() > 0) * x
y = random.random()
z = x * 2 + 1
del counter
""",
    ),
    Cell(
        "subscripts of every kind",
        """
m = np.arange(24.0).reshape(2, 3, 4)
idx = (1, 2)
a = m[*idx]
b = m[0, *[1, 2]]
c = m[..., 0], m[None, 0], m[1, ..., None], m[()], m[True].shape, m[False].shape
d = m[[0, 1], [1, 2]], m[np.array([0, 1])[:, None], [0, 2]], m[:, [True, False, True]]
e = m[np.int8(1), np.array(2)], m[-1, -1, -1], m[::-1, ::2, 1::2]
f = m[m > 5][:2] + 1
g = m[slice(None), slice(1, 3)], m[np.newaxis][0, 0], m[1][2][3]
m[*idx] = 0
m[..., 0] += 1
m[:, [0, 2]] *= 2
m[m > 40] = -1
m[0][1][2] = 99
h = m[range(2), range(2)]
i = m[np.s_[0, :2]]
k = {"a": m}["a"][0, 0] + [m, 1][0][1, 1]
del idx
y = m.sum()
""",
    ),
    Cell("global at the level of the cell", "global y\ny = x * 2\nglobal z\nz = y + 1"),
    Cell(
        "a main function",
        "def load(n):\n    return np.linspace(0, 1, n) ** 2\n\ndef main(n=5, *, verbose=True):\n    data = load(n)\n    result = data.cumsum() / data.sum()\n    if verbose:\n        print(f'{result[-1]:.2f}')\n    return result\n\nif __name__ == '__main__':\n    out = main()\n    y = out * 2",
    ),
    Cell(
        "large integers",
        "a = x * 10**30\nb = x + big\nc = big * 2 + 1\nd = np.array([1, 2]) + 2**40\ntry:\n    e = np.array([1, 2]) + big\nexcept OverflowError as error:\n    f = str(error)\ng = float(big) * x\nh = big % 7 * x\nbig = 3\ni = x + big",
        setup=SETUP + "\nbig = 10**25 + RUN",
    ),
    Cell(
        "code objects that are exchanged",
        """
def f(v):
    w = v * 2
    return w + 1
def g(v):
    w = v * 3
    return w - 1
a = f(x), g(x)
f.__code__ = g.__code__
b = f(x)
f.__defaults__ = (x,)
c = f()
f.__kwdefaults__ = None
g.__name__ = "renamed"
d = g(x) * 2
y = x + b
f, g = f.__name__, g.__name__
""",
    ),
    Cell(
        "functions copied, wrapped and partially applied",
        """
import copy, functools, types
def f(v, k=2, *, c=1.0):
    w = v * k
    return w + c
a = copy.copy(f)(x) + copy.deepcopy(f)(x)
p = functools.partial(f, k=3)
b = p(x) + functools.partial(p, c=5.0)(x)
g = types.FunctionType(f.__code__, f.__globals__, "g", f.__defaults__, f.__closure__)
g.__kwdefaults__ = f.__kwdefaults__
c = g(x)
class A: pass
A.method = f
o = A()
try:
    o.method()
except TypeError as error:
    m = str(error).replace("A.", "")
d = A.method(x)
bound = types.MethodType(f, x)
e = bound(4)
h = f.__get__(x)(5)
y = x * 2
i = f.__call__(x)
j = f is copy.copy(f), f == f, callable(f), hash(f) == hash(f)
del p, g, bound, o, A
""",
    ),
    Cell(
        "a function that calls itself under another name",
        "def f(v, n=3):\n    w = v * 2\n    return w if n == 0 else again(w, n - 1)\nagain = f\na = f(x)\ndef f(v, n=3):\n    return v * 100\nb = again(x)\nc = f(x)\nagain = f\nd = again(x) + x",
    ),
    Cell(
        "values that change while a loop runs",
        """
k, op, ref = 1, np.sin, x
data = {"v": x}
for step in range(4):
    a = op(ref) * k + data["v"]
    b = a.sum() + len(data)
    k += 1
    if step == 1:
        op, k = np.cos, 2.5
    if step == 2:
        ref, data["v"] = x[::-1], x * 2
        data["w"] = 1
c = a + b
n = [1, 2.0, True, np.float32(3), np.int64(4), 1j, np.array(2.0)]
d = [x * v for v in n]
e = [x[:4] + v for v in (x[:4], x[:4].astype('f4'), list(x[:4]), tuple(range(4)), x[:4] > 1)]
for w in n:
    u = x * w
    t = u + 1
y = u.dtype.name, t[0]
""",
    ),
    Cell(
        "aliases within lists, dicts and arguments",
        """
l = [x, x[1:], x]
def f(a, b):
    a += 1
    b *= 2
    return a, b
p, q = f(l[0], l[1])
l[2][0] = -1
d = {"a": l[0], "b": p}
d["a"] -= 1
facts = p is x, q.base is x, d["b"] is x, np.shares_memory(q, x)
m = np.stack([l[0], l[2]])
m[0] = 0
v = x.reshape(2, 3)
v.T[0] = 7
r = v.ravel()
r += 1
t = np.add(x, 1, out=x)
s = t is x
u = np.asarray(x) is x, np.array(x, copy=False) is x, x.view() is x
w = x.real
w[0] = 55
y = x * 2
""",
    ),
    Cell(
        "an exception that passes through several segments",
        """
state = []
def inner(v):
    w = v * 2
    state.append(w[0])
    u = w.reshape(3, 2)
    return u @ np.ones(3)
def outer(v):
    a = v + 1
    try:
        return inner(a)
    finally:
        state.append(a.sum())
y = x * 3
try:
    z = outer(y)
except ValueError as error:
    import traceback
    frames = [f.name for f in traceback.extract_tb(error.__traceback__)]
    lines = [f.line for f in traceback.extract_tb(error.__traceback__)][-1]
    message = str(error)
w = y + len(state)
outer(w)
""",
    ),
    Cell(
        "documentation tests and inspection of functions",
        """
import doctest, inspect, dis, io, contextlib
def f(v, k=2):
    '''Scale.

    >>> f(3)
    6
    >>> f(np.arange(3))
    array([0, 2, 4])
    '''
    w = v * k
    return w
with contextlib.redirect_stdout(io.StringIO()) as out:
    doctest.run_docstring_examples(f, globals())
failed = out.getvalue()
a = inspect.getsource(f).count("\\n"), inspect.getdoc(f).splitlines()[0], str(inspect.signature(f))
b = inspect.isfunction(f), f.__code__.co_argcount, f.__code__.co_name, f.__code__.co_varnames[:2]
c = inspect.getfile(f) == f.__code__.co_filename, f.__code__.co_firstlineno
d = list(inspect.signature(f).parameters), inspect.getcallargs(f, 1), inspect.getmodule(f) is not None
e = f(x) + 1
del out
""",
    ),
    Cell(
        "types asked of results",
        """
a = x.sum()
b = isinstance(a, float), isinstance(a, np.floating), isinstance(x[0], np.float64), type(x.mean()) is np.float64
c = type(x.argmax()).__name__, type(x.tolist()[0]).__name__, type(len(x)).__name__, type(x.shape[0]).__name__
d = type(np.array([1]).sum()).__name__, type((x > 1).sum()).__name__, type((x > 1).any()).__name__
e = type(x[0] * 2).__name__, type(2 * x[0]).__name__, type(x[0] == 1).__name__, type(float(a)).__name__
f = type(np.split(x, 2)).__name__, type(np.meshgrid(x, x)).__name__, type(np.nonzero(x)).__name__, type(np.unravel_index(3, (2, 3))).__name__
g = type(x.reshape(2, 3)[0]).__name__, type(x @ x).__name__, type(np.array(1.0)).__name__, type(np.array(1.0) + 1).__name__
h = (a + 0.0).is_integer(), int(a), a.hex() == float(a).hex(), f"{a:.3f}", a.item() == a, repr(x[0])
if isinstance(a, np.ndarray):
    y = None
elif isinstance(a, (float, int)):
    y = x * a
z = np.isscalar(a), a.shape, a.dtype.name, np.ndim(a), a.ndim
""",
    ),
    Cell(
        "the same names in every role",
        """
def x_of(x): return x * 2
y = x_of(x)
def y_of(y, *, x=x): return y + x
z = y_of(y)
f = lambda x, y=y: x - y
w = f(x)
g = [x for x in range(3)]
h = {y: x for x, y in zip("ab", range(2))}
class K:
    x = x * 10
    def get(self, y=x): return self.x + y
v = K().get()
u = K.x + x
for z in x[:2]:
    t = z * x
with np.errstate(all="ignore") as n:
    s = x * 2
del K
""",
    ),
    Cell(
        "defaults that are exchanged",
        """
def f(v, k=2, *, c=1.0):
    w = v * k
    return w + c
a = f(x)
f.__defaults__ = (5,)
b = f(x)
f.__kwdefaults__["c"] = 100.0
c = f(x)
f.__kwdefaults__ = {"c": -1.0}
d = f(x)
for n in range(3):
    f.__kwdefaults__ = {"c": n}
    e = f(x) * 2
y = x + d
del f
""",
    ),
    Cell(
        "objects that are compared, counted and looked for",
        """
a = o in [o, 1]
b = o in l
c = l.index(o), l.count(o), l == [o, p], [o] == [o], (o, 1) == (o, 1)
d = len({o, l[0]}), {o: 1} == {l[0]: 1}, {o: 1}.get(l[0])
e = l[0] is o, o == l[0], o != p, l.index(p)
f = {"k": o} == {"k": l[0]}
g = 3 in [always], [3] == [always], [1, always].count(2)
h = p not in l, not o, bool(l)
y = x * 2
z = y + len([v for v in l if v is o]) + sum(v is p for v in l)
w = x * {o: 2.0}[l[0]]
""",
        setup=SETUP
        + "\nclass P: pass\nclass Always:\n    def __eq__(self, other): return True\n    __hash__ = None\no, p, always = P(), P(), Always()\nl = [o, p]",
    ),
    Cell(
        "annotations",
        """
import typing
a: np.ndarray = x * 2
b: "text" = a + 1
c: list[np.ndarray] | None = b * a
d: int
e: typing.Annotated[float, print("evaluated")] = c.sum()
for k in range(2):
    f: np.ndarray = x * k
    g = f + 1
def h(v: np.ndarray) -> np.ndarray:
    u: no_such_name = v * 2
    w: np.ndarray = u + 1
    t: int
    w += u
    return w
y = h(x)
(z): int = y * 2
class K: pass
K.v: int = 3
names = sorted(__annotations__.items(), key=lambda item: item[0]), sorted(h.__annotations__)
__annotations__.clear()
i: missing = x * 5
j = i + 1
""",
    ),
]
