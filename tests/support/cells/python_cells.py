"""Cells that use the Python language in ways a notebook may: material of tests/same/test_language.py."""

# ruff: noqa: E501, RUF001 -- a cell is one string, in any alphabet

from __future__ import annotations

from typing import NamedTuple

SETUP = "x = np.linspace(0.5, 3.0, 6) + RUN"


class Cell(NamedTuple):
    """A cell, and whether something of it must be captured."""

    name: str
    source: str
    captured: bool = True
    setup: str = SETUP
    earlier: tuple[str, ...] = ()
    fallbacks: int = 0


CLASSES = [
    Cell(
        "slots and operators that return the class",
        """
class V:
    __slots__ = ("a",)

    def __init__(self, a):
        self.a = a

    def __mul__(self, k):
        return V(self.a * k)

    __rmul__ = __mul__

    def __imul__(self, k):
        self.a *= k
        return self

    def __neg__(self):
        return V(-self.a)

    def __matmul__(self, other):
        return self.a @ other.a

    def __bool__(self):
        return bool(self.a.any())

    def __contains__(self, k):
        return k in self.a

    def __iter__(self):
        return iter(self.a)

    def __call__(self, f):
        return f(self.a)

v = V(x.copy())
w = 2 * v * 3
v *= 0.5
d = (-v) @ w
t = [bool(v), 1.0 in v, sum(v), v(np.max)]
a, b = v.a, w.a
y = a + b
del v, w
""",
    ),
    Cell(
        "metaclass and class keywords",
        """
class Meta(type):
    registry = {}

    def __new__(mcls, name, bases, ns, *, scale=1.0):
        cls = super().__new__(mcls, name, bases, ns)
        cls.scale = np.float64(scale)
        mcls.registry[name] = cls
        return cls

    def __init__(cls, name, bases, ns, **kw):
        super().__init__(name, bases, ns)

    def __len__(cls):
        return 3

class A(metaclass=Meta, scale=2):
    def f(self, v):
        return v * self.scale

class B(A, scale=5):
    pass

y = A().f(x) + B().f(x)
z = y * len(A)
names = sorted(Meta.registry)
""",
    ),
    Cell(
        "descriptors and __set_name__",
        """
class Positive:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, obj, kind=None):
        return self if obj is None else getattr(obj, self.name)

    def __set__(self, obj, value):
        if (value < 0).any():
            raise ValueError(f"{self.name[1:]} must be positive, not {value.min():.2f}")
        setattr(obj, self.name, np.asarray(value))

class Body:
    mass = Positive()

b = Body()
b.mass = x * 2
y = b.mass + 1
try:
    b.mass = -x
except ValueError as error:
    text = str(error)
b.mass += x
z = b.mass - y
del b
w = y * 2 + z
""",
    ),
    Cell(
        "__getattr__, __setattr__ and __getitem__ of an own class",
        """
class Bag:
    def __init__(self):
        object.__setattr__(self, "store", {})

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return self.store.get(name, x)

    def __setattr__(self, name, value):
        self.store[name] = value * 2

    def __getitem__(self, k):
        return self.store["u"][k]

    def __setitem__(self, k, v):
        self.store["u"][k] = v

bag = Bag()
a = bag.anything + 1
bag.u = x
bag.u += 1
bag[0] = 100
bag[1:3] *= 2
u = bag.u
s = bag[2] + u.sum()
w = u * 2 + s
""",
    ),
    Cell(
        "dataclass that is frozen, ordered and has a post-init",
        """
from dataclasses import dataclass, field, replace, astuple
from functools import cached_property
from typing import ClassVar

@dataclass(frozen=True)
class Params:
    dt: float = 0.1
    gain: np.ndarray = field(default_factory=lambda: np.ones(3))
    kind: ClassVar[str] = "linear"

    def __post_init__(self):
        object.__setattr__(self, "gain", self.gain * 2)

    def step(self, v):
        return v + self.dt * self.gain.sum()

p = Params(gain=x[:3])
q = replace(p, dt=0.5)
y = p.step(x)
z = q.step(y)
try:
    p.dt = 3
except Exception as error:
    e = type(error).__name__, str(error)

class Lazy:
    def __init__(self, v):
        self.v = v
    @cached_property
    def norm(self):
        print("computing")
        return np.sqrt((self.v ** 2).sum())

lazy = Lazy(x)
n = lazy.norm + lazy.norm
w = x / lazy.norm
del Params, Lazy, p, q, lazy, dataclass, field, replace, astuple, cached_property, ClassVar
""",
    ),
    Cell(
        "abstract base class, mixin, super chain, __init_subclass__",
        """
from abc import ABC, abstractmethod

class Layer(ABC):
    kinds = []

    def __init_subclass__(cls, /, tag=None, **kw):
        super().__init_subclass__(**kw)
        Layer.kinds.append((cls.__name__, tag))

    @abstractmethod
    def forward(self, v): ...

    def __call__(self, v):
        return self.forward(v)

class Scaled:
    def forward(self, v):
        return super().forward(v * 2)

class Plain(Layer, tag="p"):
    def forward(self, v):
        return np.tanh(v) + 1

class Both(Scaled, Plain, tag="b"):
    pass

y = Both()(x)
z = Plain()(y)
try:
    Layer()
except TypeError as error:
    m = str(error)
k = list(Layer.kinds)
w = y * 2 + z
""",
    ),
    Cell(
        "class with a property that writes into an array",
        """
class Field:
    count = 0

    def __init__(self, v):
        self._v = v
        type(self).count += 1

    @property
    def v(self):
        return self._v

    @v.setter
    def v(self, new):
        self._v[...] = new

    @v.deleter
    def v(self):
        self._v[:] = 0

f = Field(x)
before = f.v.copy()
f.v = x * 2
f.v += 1
f.v[0] = -1
y = x + f.v
del f.v
z = x.sum() + Field.count
same = f.v is x
del f
""",
    ),
    Cell(
        "operators of a class that meets an array",
        """
class Left:
    __array_priority__ = 100
    def __init__(self, v): self.v = v
    def __radd__(self, other): return ("radd", other)
    def __rmul__(self, other): return self.v * other

class Refuses:
    __array_ufunc__ = None
    def __radd__(self, other): return ("refused", other.sum())

a = x + Left(x)
b = x * Left(x)
c = x + Refuses()
d = np.float64(2) * Left(x)
y = x * 2
e = y + Refuses()
f = y * Left(x)
kinds = [type(k).__name__ for k in (a, b, c, d, e, f)]
""",
    ),
    Cell(
        "enumeration, named tuple and typing",
        """
import enum
from collections import namedtuple
from typing import NamedTuple, Generic, TypeVar

class Side(enum.IntEnum):
    LEFT = 0
    RIGHT = -1

class Flag(enum.Flag):
    A = enum.auto()
    B = enum.auto()

Pair = namedtuple("Pair", "low high", defaults=[None])
class Span(NamedTuple):
    a: float
    b: np.ndarray

T = TypeVar("T")
class Box(Generic[T]):
    def __init__(self, v: T): self.v = v

p = Pair(x * 2)
q = p._replace(high=p.low + 1)
s = Span(1.5, q.high - 1)
left, right = x[Side.LEFT], x[Side.RIGHT]
y = s.b * s.a + Box[np.ndarray](x).v
z = y[Side.RIGHT] + Side.RIGHT
f = Flag.A | Flag.B
kinds = type(q).__name__, q._fields, type(y).__name__, Flag.A in f
w = y * 2 + z
p, q, s = tuple(p), tuple(q), tuple(s)
del Side, Flag, Span, T, Box, f
""",
    ),
]

FUNCTIONS = [
    Cell(
        "nonlocal, closures in loops and late binding",
        """
def outer(v):
    total = np.zeros_like(v)
    n = 0
    def add(k):
        nonlocal total, n
        total = total + k * v
        n += 1
        return n
    for k in range(3):
        add(k)
    return total, n, add

t, n, add = outer(x)
again = add(10)
late = [lambda v: v * k for k in range(3)]
early = [lambda v, k=k: v * k for k in range(3)]
y = [f(x) for f in late]
z = [f(x) for f in early]
cells = [c.cell_contents for c in add.__closure__ if isinstance(c.cell_contents, int)]
w = x + t
""",
    ),
    Cell(
        "default arguments that are changed",
        """
def collect(v, seen=[], *, table={}):
    seen.append(v * 2)
    table[len(seen)] = v.sum()
    return seen[-1] + 1

a = collect(x)
b = collect(x + 1)
c = collect(x, [])
defaults = len(collect.__defaults__[0]), sorted(collect.__kwdefaults__["table"])
y = x + a
""",
    ),
    Cell(
        "decorators: stacked, with arguments, classes, wraps",
        """
import functools

def times(k):
    def deco(f):
        @functools.wraps(f)
        def inner(*args, **kw):
            return f(*args, **kw) * k
        inner.k = k
        return inner
    return deco

class Counted:
    def __init__(self, f):
        functools.update_wrapper(self, f)
        self.f, self.n = f, 0
    def __call__(self, *args):
        self.n += 1
        return self.f(*args)

@times(3)
@times(k=2)
def f(v, *, shift=0.0):
    "Doc."
    return np.sin(v) + shift

@Counted
def g(v):
    return np.cos(v) * 2

@functools.lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

@functools.singledispatch
def show(v): return "object"
@show.register
def _(v: np.ndarray): return "array"

y = f(x, shift=1.0) + g(x) + g(x)
z = x * fib(20)
facts = f.__name__, f.__doc__, f.k, g.n, fib.cache_info().hits, show(x), show(3)
w = y * 2 + z
del Counted, g
""",
    ),
    Cell(
        "generators: send, throw, close, yield from, return value",
        """
log = []
def inner(v):
    try:
        got = yield v * 2
        log.append(got)
        yield v + got
    except ValueError as error:
        log.append(str(error))
        yield v - 1
    finally:
        log.append("closed")
    return "done"

def outer(v):
    result = yield from inner(v)
    log.append(result)
    yield v @ v

g = outer(x)
a = next(g)
b = g.send(10.0)
c = g.throw(ValueError("stop"))
d = next(g)
e = list(g)
h = outer(x)
next(h)
h.close()
y = x + a
s = sum(v.sum() for v in outer(x) if True) if False else y.sum()
del g, h
""",
    ),
    Cell(
        "comprehensions: nested, with walrus, sets, dicts, several conditions",
        """
rows = [[i * j + x[0] for j in range(3) if j != 1] for i in range(2)]
flat = [v for row in rows for v in row if v > 0 if v < 100]
table = {k: x[k] * 2 for k in range(3)}
inverse = {float(v): k for k, v in table.items()}
parity = {k % 2 for k in range(5)}
big = [m for v in x if (m := v * 2) > 3]
total = np.array([np.sin(x).sum() for _ in range(2)])
pairs = [(a, b) for a, b in zip(x, x[::-1], strict=True)]
acc = 0
running = [acc := acc + v for v in x]
m = np.array([[i + j for j in range(3)] for i in range(2)]) * x[:3]
y = x + acc
""",
    ),
    Cell(
        "star arguments, keyword-only, positional-only, defaults",
        """
def f(a, /, b, *rest, c=2, **more):
    return a * c + b + sum(rest) + sum(more.values())

def g(*, scale, **kw):
    return {k: v * scale for k, v in kw.items()}

args, kw = (x, 1), {"c": 3, "d": x * 0}
a = f(*args, *[2, 3], **kw)
b = f(x, b=1)
c = g(**{"scale": 2, "u": x}, w=x + 1)
first, *middle, last = x * 2
(p, (q, *r)), s = (1, (x, 2, 3)), 4
[i, j] = x[:2]
*head, = x
try:
    f(b=1)
except TypeError as error:
    m1 = str(error)
try:
    g(x)
except TypeError as error:
    m2 = str(error)
try:
    u, v = x
except ValueError as error:
    m3 = str(error)
y = a + b
""",
    ),
    Cell(
        "mutual recursion and a function that is redefined while it runs",
        """
def even(v, n):
    return v if n == 0 else odd(v + 1, n - 1)

def odd(v, n):
    return v * 2 if n == 0 else even(v * 1.5, n - 1)

a = even(x, 4)
b = odd(x, 3)

def once(v):
    global once
    def once(v):
        return v * 100
    return v + 1

c = once(x)
d = once(x)
def fact(n): return 1 if n <= 1 else n * fact(n - 1)
y = x * fact(5)
""",
    ),
    Cell(
        "global in functions",
        """
count = 0
state = x.copy()
def step(k):
    global count, state, created
    count += 1
    state = state * k
    created = state[0]

for k in (1.0, 2.0, 3.0):
    step(k)
y = state + count
z = created * 2
def reader():
    return state.sum() + count
r1 = reader()
state = x * 0
r2 = reader()
""",
    ),
    Cell(
        "partial, reduce, operator, itertools",
        """
import functools, itertools, operator
parts = [x, x * 2, x * 3]
a = functools.reduce(np.add, parts)
b = functools.reduce(operator.mul, parts, 1.0)
c = list(itertools.accumulate(parts, np.maximum))
d = [u + v for u, v in itertools.pairwise(parts)]
half = functools.partial(np.multiply, 0.5)
e = half(x)
f = list(map(half, parts))
g = list(filter(np.any, [x, x * 0]))
h = sorted(parts, key=np.sum, reverse=True)
i = [k for k, v in enumerate(parts) if v.max() > 5]
j = max(parts, key=lambda v: v[0])
k = list(itertools.chain.from_iterable(zip(x, x[::-1])))
l = list(itertools.starmap(np.hypot, [(3, 4), (x[0], x[1])]))
m = operator.itemgetter(1, 2)(parts)
n = operator.methodcaller("sum")(x)
y = a + e
""",
    ),
    Cell(
        "functions in containers and as values",
        """
ops = {"sin": np.sin, "own": lambda v: v ** 2 + 1, "method": x.dot}
a = {name: f(x) for name, f in ops.items()}
b = ops["own"](x) - ops["sin"](x)
compose = lambda f, g: lambda v: f(g(v))
c = compose(np.sqrt, ops["own"])(x)
d = (lambda *a, **k: a[0] * k["n"])(x, n=3)
def apply(f, *args): return f(*args)
e = apply(np.add, x, 1)
f = apply(x.sum)
g = [h(x) for h in (np.cos, np.exp, len)]
y = b + c
""",
    ),
    Cell(
        "nested functions in loops and conditional definitions",
        """
out = []
for k in range(3):
    def f(v):
        return v * k + 1
    if k == 1:
        def g(v): return f(v) - 1
    out.append(f(x))
z = g(x)
y = f(x) + np.sum(out, axis=0)
""",
    ),
    Cell(
        "function attributes, annotations and signature",
        """
import inspect
def f(v: "array", k: int = 2) -> np.ndarray:
    f.calls += 1
    return v * k

f.calls = 0
y = f(x) + f(x, k=3)
calls = f.calls
s = str(inspect.signature(f))
n = f.__annotations__["v"]
src = inspect.getsource(f).splitlines()[0]
a, b = f.__code__.co_varnames[:2]
q = f.__qualname__, f.__module__, callable(f), f.__defaults__
""",
    ),
    Cell(
        "identity of what functions return",
        """
def same(v): return v
def first(v, w): return (v, w)
def view(v): return v[:]
def inplace(v):
    v += 1
    return v
a = same(x)
b, c = first(x, a)
d = view(x)
e = inplace(x)
facts = a is x, b is c, d.base is x, e is x, d is x
y = x * 2
z = same(y)
zz = z is y
import sys
""",
    ),
]

FLOW = [
    Cell(
        "with: own managers, suppress, ExitStack, closing",
        """
import contextlib
events = []
@contextlib.contextmanager
def scaled(v, k):
    events.append("in")
    v *= k
    try:
        yield v
    finally:
        v /= k
        events.append("out")

class Manager:
    def __enter__(self): events.append("enter"); return x + 1
    def __exit__(self, kind, error, tb):
        events.append(kind.__name__ if kind else None)
        return kind is ZeroDivisionError

with scaled(x, 2.0) as v, Manager() as m:
    a = v + m
with Manager():
    b = x * 3
    c = 1 // 0
    b = None
with contextlib.suppress(IndexError, KeyError):
    d = x * 4
    e = x[99]
with contextlib.ExitStack() as stack:
    w = stack.enter_context(scaled(x, 4.0))
    stack.callback(events.append, "callback")
    f = w.sum()
with contextlib.redirect_stdout(__import__("io").StringIO()) as out:
    print(x * 2)
g = out.getvalue()
y = x * 2
del Manager, stack, out
""",
    ),
    Cell(
        "np.errstate and np.printoptions",
        """
with np.errstate(divide="ignore", invalid="ignore"):
    a = x / 0
    b = np.log(x - 100)
with np.printoptions(precision=2, suppress=True):
    print(a, x * 2)
    s = str(x / 3)
print(x / 3)
try:
    with np.errstate(all="raise"):
        c = x + 1
        d = x / 0
        c = None
except FloatingPointError as error:
    m = str(error)
old = np.seterr(divide="ignore")
e = x / 0
np.seterr(**old)
np.set_printoptions(precision=3)
print(x / 7)
np.set_printoptions(precision=8)
y = x * 2
""",
    ),
    Cell(
        "try with all parts, nested, and raise from",
        """
log = []
def risky(v, k):
    try:
        w = v * 2
        if k == 1:
            raise KeyError("k")
        if k == 2:
            v[99]
        if k == 3:
            return w
    except KeyError as error:
        log.append(repr(error))
        try:
            raise ValueError("inner") from error
        except ValueError as inner:
            log.append(repr(inner.__cause__))
            w = v * 3
    except (IndexError, TypeError):
        w = v * 4
    else:
        w = w + 1
        log.append("else")
    finally:
        log.append(k)
    return w

r = [risky(x, k) for k in range(4)]
try:
    error
except NameError as e:
    gone = str(e)
for k in range(3):
    try:
        y = x * k
        z = y / k if k else 1 / 0
    except ZeroDivisionError:
        z = y
        continue
    else:
        if k == 1:
            break
    finally:
        log.append("f")
w = y + z
""",
    ),
    Cell(
        "except star and exception notes",
        """
y = x * 2
found = []
try:
    z = y + 1
    raise ExceptionGroup("g", [ValueError("a"), IndexError("b"), ExceptionGroup("h", [TypeError("c")])])
except* ValueError as group:
    found.append([str(e) for e in group.exceptions])
    w = z * 2
except* (IndexError, TypeError) as group:
    found.append(len(group.exceptions))
    v = w + 1
try:
    x.reshape(7, 7)
except ValueError as error:
    error.add_note("while reshaping")
    notes = error.__notes__, str(error)
u = v + y
""",
    ),
    Cell(
        "match with every kind of pattern",
        """
from dataclasses import dataclass
@dataclass
class P:
    a: object
    b: object = 0

def kind(v):
    match v:
        case np.ndarray(shape=(6,)) as arr: return arr + 1
        case np.ndarray(): return "array"
        case None: return "none"
        case True | False: return "bool"
        case int(n) if n > 5: return f"big {n}"
        case 0 | 1 | 2 as small: return f"small {small}"
        case str() as s: return s.upper()
        case P(a=int(), b=b): return ("p0", b)
        case P(a, b): return ("p", a, b)
        case []: return "empty"
        case [one]: return ("one", one)
        case [first, *rest]: return (first * 2, len(rest))
        case {"k": k, **rest}: return (k * 2, sorted(rest))
        case _: return "other"

r = [kind(v) for v in (None, True, 7, 1, "s", P(0, 1), P(x, 2), [], [x], [x, 1, 2], {"k": x, "z": 1}, x, x[:2], 2.5)]
match x.shape:
    case (n,):
        y = x * n
    case (n, m):
        y = x
match np.sum(x) > 0, x[0]:
    case (True, first):
        z = y + first
    case _:
        z = None
del P
r[9] = None
w = x * 2 + 1
""",
    ),
    Cell(
        "loops with else, break, continue and changing conditions",
        """
y = x.copy()
n = 0
while np.abs(y).max() > 0.1:
    y *= 0.5
    n += 1
    if n > 100:
        break
    if n % 2:
        continue
    y -= 0.001
else:
    z = y + 1
for k in range(10):
    for j in range(k):
        if j == 3:
            break
    else:
        continue
    w = x * k + j
    break
else:
    w = None
for i, v in enumerate(x):
    if v > 2:
        first = i
        break
i = 0
while (i := i + 1) < 4:
    u = x * i
for _ in []:
    pass
else:
    t = u + 1
for x[0] in range(3):
    pass
for q.r in []:
    pass
""",
    ),
    Cell(
        "boolean operators of arrays",
        """
one = x[:1] > 0
a = one and "yes"
b = not one
c = x[:1] or "no"
d = x.size and x * 2
e = None or x
f = 0.5 < x[0] < 100 and x[1]
msgs = []
for test in (lambda: x and 1, lambda: not x, lambda: x or 1, lambda: 0 < x < 1, lambda: x if x else 1,
             lambda: bool(x), lambda: x in [x * 1, 2], lambda: any([x]), lambda: [x] == [x * 1]):
    try:
        msgs.append(repr(test()))
    except ValueError as error:
        msgs.append(str(error))
i = 0.5 in x, 99 in x, 99 not in x
j = x if x.size > 3 else -x
y = x * 2
z = (y > 1) & (y < 5) | ~(y > 2)
same = e is x
""",
    ),
    Cell(
        "ambiguous truth leaves the cell",
        "y = x * 2\nz = y + 1\nif y > 1:\n    z = 0\nw = 1",
    ),
    Cell(
        "augmented assignment to attributes, items and elements",
        """
class O: pass
o = O()
o.v = x.copy()
o.d = {"a": x * 2, "l": [x, x + 1]}
keep = o.v
o.v += 1
o.v[1:] *= 2
o.d["a"] -= 1
o.d["l"][0] = o.d["l"][0] ** 2
o.d["l"][1] += x
o.v **= 2
o.n = 0
o.n += x.sum()
items = [x[0], 2]
items[0] += 1
items[1:] = [x * 3]
items += [x]
t = (x.copy(), 1)
try:
    t[0] += 1
except TypeError as error:
    m = str(error)
m2 = np.zeros((2, 3))
m2[0] += x[:3]
m2[:, 1] -= 1
m2[m2 > 1] //= 2
s = keep is o.v
d, v = o.d, o.v
y = v + d["a"]
del o
""",
    ),
    Cell(
        "chained and multiple targets, swap, annotated",
        """
a = b = x[1:]
a += 1
c, d = x[:2], x[2:4]
c, d = d, c
c[:] = 7
e = f, g = x[:2] * 2
h: np.ndarray = x * 3
i: int
k: "text" = h + 1
x[0], x[1] = x[1], x[0]
x[:2], x[2:4] = x[2:4], x[:2]
m = [0, 1, 2]
j = 0
j, m[j] = 2, x[0]
(n) = (x)
z = y = w = x * 2
same = a is b, z is y, n is x, e[0] is f, c.base is x
has = "i" in globals(), sorted(__annotations__) if "__annotations__" in globals() else None
""",
    ),
    Cell(
        "del of names, items, slices and attributes",
        """
a = x * 2
b = [a, a + 1, a + 2]
d = {"k": a, "l": x}
del b[0], d["k"]
del a
y = b[0] + d["l"]
c = y + 1
del (c)
try:
    c
except NameError as error:
    m = str(error)
try:
    del y[0]
except ValueError as error:
    m2 = str(error)
z = y
del y, b[:]
w = z + 1
""",
    ),
    Cell(
        "assert with and without message",
        """
y = x * 2
assert y.shape == (6,)
assert (y > 0).all(), "positive"
assert y.any(), f"{y}"
z = y + 1
try:
    assert y.sum() < 0, f"sum is {y.sum():.3f}"
except AssertionError as error:
    m = str(error)
w = z * 2
assert np.allclose(w, 0), ("arrays", 1)
v = 1
""",
    ),
]

COMMANDS = [
    Cell(
        "prompts and history variables",
        """
a = x * 2
b = len(In) > 0, isinstance(Out, dict), _i.splitlines()[-1], _ih is In
c = _ * 2
d = __ + 1
e = Out[max(Out)] is _
y = a + c
y
""",
        earlier=("x * 3", "x + 1\nx - 1"),
    ),
    Cell(
        "numbered output variables",
        "n = max(Out)\na = globals()[f'_{n}'] * 2\nb = Out[n] + 1\nc = Out[n] is globals()[f'_{n}']\nx * 5;",
        earlier=("x * 3",),
    ),
    Cell("a semicolon hides the value", "y = x * 2\ny + 1;"),
    Cell("a semicolon and a comment hide the value", "y = x * 2\ny + 1;  # hidden"),
    Cell("a hash in text after a semicolon", "y = x * 2\nf'{y[0]:.2f}; # shown'"),
    Cell("the value of a function that returns None", "def f(v):\n    w = v * 2\ny = x * 2\nf(y)"),
    Cell("the last statement is an assignment", "x * 2\ny = x * 3"),
    Cell("the last statement is an if", "y = x * 2\nif True:\n    y + 1"),
    Cell("the last statement is a for", "y = x * 2\nfor k in range(2):\n    y + k"),
    Cell("a tuple is displayed", "y = x * 2\ny, y.sum(), 'text', None"),
    Cell("a scalar is displayed", "y = x * 2\ny.sum()"),
    Cell("a float is displayed", "y = x * 2\nfloat(y.sum())"),
    Cell("a string is displayed", "y = x * 2\nstr(y)"),
    Cell("display in the middle", "y = x * 2\ndisplay(y)\nz = y + 1\ndisplay(z, y.sum())\nz"),
    Cell(
        "objects with their own display",
        """
class R:
    def __init__(self, v): self.v = v
    def _repr_html_(self): return f"<b>{self.v.sum():.3f}</b>"
    def __repr__(self): return f"R({self.v[0]:.3f})"
y = x * 2
display(R(y))
R(y + 1)
""",
    ),
    Cell("precision", "%precision 3\ny = x / 3\nprint(y)\ny[0]\n%precision %r\nz = y + 1"),
    Cell("precision and display", "%precision 2\ny = x / 3\nfloat(y[0])"),
    Cell("pwd assigned", "y = x * 2\nhere = %pwd\nok = bool(here)\ndel here\nz = y + 1"),
    Cell(
        "shell lines with values",
        "y = x * 2\nname = 'abc'\n!echo {name} $name {y.size}\nout = !echo {name.upper()}; echo b\nlast = out[-1]\nn = out.n.split()\nout = list(out)\nz = y + len(out)\n_exit_code",
    ),
    Cell("failing shell line", "y = x * 2\n!exit 3\ncode = _exit_code\nz = y + code\n!!echo a"),
    Cell("who", "y = x * 2\n%who_ls ndarray\nz = y + 1\nnames = %who_ls float64\nw = z * 2"),
    Cell(
        "environment",
        "%env NPC_TEST=5\ny = x * int(__import__('os').environ['NPC_TEST'])\nz = y + 1\n%env NPC_TEST",
    ),
    Cell(
        "macro and alias and magic in a loop",
        "for k in range(2):\n    %alias_magic tt timeit\n    y = x * k\n    here = %pwd\nif True:\n    !echo inner\nz = y + 1\ndel here",
    ),
    Cell(
        "run line magic with a result",
        "y = x * 2\nz = get_ipython().run_line_magic('who_ls', 'str')\nw = y + len(z)",
    ),
    Cell(
        "capture inside",
        "from IPython.utils.capture import capture_output\nwith capture_output() as c:\n    print(x * 2)\n    display(x)\ny = x + len(c.stdout)\ns = c.stdout\nw = x * 2 + y\ndel c, capture_output",
    ),
    Cell(
        "reset of one name",
        "y = x * 2\nz = y + 1\n%reset_selective -f ^z$\nw = y + 1\nhas = 'z' in globals()",
    ),
    Cell("xmode and errors", "%xmode Plain\ny = x * 2\ny[99]", fallbacks=1),
    Cell("xdel", "y = x * 2\nw = y + 1\n%xdel y\nz = w * 2"),
    Cell("a question mark", "y = x * 2\nz = y + 1\nz.nosuch?"),
    Cell(
        "automagic text is a syntax error", "y = x * 2\nthis is not python\nz = 1", captured=False
    ),
    Cell("interactivity all", "get_ipython().ast_node_interactivity = 'last_expr'\nx * 2\nx + 1"),
    Cell(
        "user namespace through the shell",
        "ip = get_ipython()\ny = x * 2\nip.user_ns['z'] = y + 1\nw = z * 2\nip.push({'q': w})\nv = q + 1\nis_same = ip.user_ns is globals()\ndel ip",
    ),
    Cell(
        "run_cell inside a cell",
        "y = x * 2\nr = get_ipython().run_cell('z = y + 1; z')\nw = z * 2\nok = r.success\ndel r",
    ),
    Cell(
        "ex and ev", "ip = get_ipython()\nip.ex('a = x * 2')\nb = ip.ev('a + 1')\ny = a + b\ndel ip"
    ),
    Cell("a name that is a magic", "time = x * 2\ny = time + 1\nwho = y\nwho"),
    Cell(
        "bang and percent in text",
        "y = x * 2\ns = '''\n%notmagic\n!notshell\n?\n'''\nz = y + len(s)\nz",
    ),
]

NAMES = [
    Cell(
        "star import of numpy",
        "from numpy import *\ny = sin(x) + sum(x) + abs(-x) + max(x)\nz = y[where(y > 1)]\nr = all(y > 0), any(y < 0), round(y, 1), min(x)\ndel r",
    ),
    Cell(
        "star import of linalg and shadowing",
        "from numpy.linalg import *\nfrom math import *\na = norm(x)\nb = sin(float(x[0])) * pi\ny = x * a + b",
    ),
    Cell(
        "numpy under several names",
        "import numpy as foo, numpy\nfrom numpy import sin as s, linalg as la\nimport numpy.fft as ft\nfrom numpy import fft\ny = foo.cos(x) + s(x) + numpy.exp(-x)\nz = la.norm(y) + abs(ft.fft(y)).sum() + fft.ifft(y).real",
    ),
    Cell(
        "shadowed builtins",
        """
sum = lambda v: "mine"
len = x.size
range = [1.0, 2.0]
list = x * 2
print_ = print
def abs(v): return v * 100
max = np.max
type_ = type
a = sum(x)
b = x * len
c = [x * r for r in range]
d = list + 1
e = abs(-x)
f = max(x)
del sum, len, range, list, abs, max
g = sum(x) + len(x)
""",
    ),
    Cell(
        "shadowed then restored by a function",
        "def f(v):\n    sum = np.max\n    return sum(v) + v\ny = f(x)\nz = sum(x) + y\ndef g(v, float=2):\n    return v * float\nw = g(x)",
    ),
    Cell(
        "np is replaced in the middle",
        """
a = np.sin(x)
real = np
class fake:
    @staticmethod
    def sin(v): return "fake"
    pi = 3
np = fake
b = np.sin(x)
c = x * np.pi
np = real
d = np.sin(x) * np.pi
del fake, real
""",
    ),
    Cell(
        "functions of numpy are patched",
        """
real = np.sin
def loud(v):
    print("sin called")
    return real(v) + 1000
np.sin = loud
try:
    a = np.sin(x) * 2
    def f(v): return np.sin(v) + 1
    b = f(x)
finally:
    np.sin = real
c = np.sin(x) * 2
d = f(x)
mean = np.mean
np.mean = lambda v: "patched"
try:
    e = np.mean(x)
    g = x.mean() + 1
finally:
    np.mean = mean
h = np.mean(x) + 1
""",
    ),
    Cell(
        "globals, locals, vars, exec, eval",
        """
globals()["a"] = x * 2
b = a + 1
exec("c = b * 2; a = c - 1")
d = a + c
e = eval("d + x")
f = eval("lambda v: v * 3")(e)
ns = {"x": x, "np": np}
exec("y = np.sin(x); x += 1", ns)
g = ns["y"] + ns["x"]
code = compile("g * 2", "<s>", "eval")
h = eval(code)
locals()["i"] = h + 1
j = i * 2
k = vars()["j"] is j
n = sorted(v for v in ("a", "b", "zz") if v in dir())
globals().update(u=x * 3, w=5)
v = u + w
def q():
    t = x * 2
    return sorted(locals()), eval("t + 1")
r = q()
del ns, code
""",
    ),
    Cell(
        "dunder names",
        "y = x * 2\na = __name__, __builtins__.__name__, __doc__ is None\nz = y + len(a)\nfile = '__file__' in globals()\ns = __builtins__.sum(y)",
    ),
    Cell(
        "unicode names",
        "α = x * 2\nβ_1, Δx = α + 1, np.diff(α)\nﬁ = Δx.sum()\ny = α * fi\n名前 = y\n名前",
    ),
    Cell(
        "keywords as names",
        "match = x * 2\ncase = match + 1\ntype = case * 2\n_ = type[0]\nsoft = match + case + type\ndel type\nprint(match, case)",
    ),
    Cell(
        "names of our own machinery",
        "h = x * 2\n__x__ = h + 1\n_y = __x__ * 2\nhandle = _y\nframe = handle + 1\nresult = frame\nat = take = define = result * 2\nat",
    ),
    Cell(
        "a class named as a helper",
        "class h:\n    @staticmethod\n    def at(*a): return 1\ny = x * 2\nz = y + h.at()\ndel h",
    ),
    Cell(
        "names deleted by a helper",
        "def drop(name):\n    del globals()[name]\ny = x * 2\nz = y + 1\ndrop('y')\nw = z * 2\nhas = 'y' in globals()\ntry:\n    y\nexcept NameError as e:\n    m = str(e)",
    ),
    Cell("an undefined name", "y = x * 2\nz = y + undefined_name\nw = 1"),
    Cell(
        "an undefined name in a helper",
        "def f(v):\n    w = v * 2\n    return w + missing\ny = x * 2\nf(y)",
    ),
    Cell(
        "unbound local",
        "def f(v):\n    w = v * 2\n    if v is None:\n        k = 1\n    return w * k\ny = x * 2\nf(y)",
    ),
    Cell(
        "unbound local that is read first",
        "def f(v):\n    w = v * 2\n    total += w\n    total = 0\n    return total\ntotal = 5\ny = x * 2\nf(y)",
    ),
]

OBJECTS = [
    Cell(
        "copies, pickles, json",
        """
import copy, pickle, json, io
d = {"a": x, "b": [x, x * 2]}
e = copy.deepcopy(d)
f = copy.copy(d)
e["a"] += 1
y = d["a"] * 2
g = pickle.loads(pickle.dumps(y))
h = json.dumps({"y": y.tolist(), "n": int(y.size), "s": float(y.sum())})
i = np.array(json.loads(h)["y"]) - y
buf = io.BytesIO()
np.save(buf, y)
buf.seek(0)
j = np.load(buf) + 1
same = f["a"] is x, e["b"][0] is e["a"]
k = copy.copy(x)
l = x.__copy__() + 1
del buf
""",
    ),
    Cell(
        "collections of arrays",
        """
from collections import deque, defaultdict, Counter, OrderedDict, ChainMap
q = deque([x, x * 2], maxlen=2)
q.append(q[0] + q[1])
q.rotate(1)
a = q[0] - q[-1]
dd = defaultdict(lambda: np.zeros(6))
dd["k"] += x
dd["k"] *= 2
dd["l"][2:4] = 5
c = Counter((x > 1.2).tolist())
od = OrderedDict(one=x, two=x * 2)
od.move_to_end("one")
b = sum(od.values())
cm = ChainMap({"s": x * 2}, {"s": 1, "t": x})
e = cm["s"] + cm["t"]
y = dd["k"] + dd["l"]
s = np.sum(list(q), axis=0)
w = y * 2 + s
keys = list(od), sorted(dd), c.most_common(1)
q = list(q)
del dd, od, cm, c
""",
    ),
    Cell(
        "identity, references, weak references",
        """
import weakref, sys, gc
y = x * 2
r = weakref.ref(y)
alive = r() is y
n = sys.getrefcount(y)
z = y
m = sys.getrefcount(y) - n
ids = id(y) == id(z), id(x) == id(x)
del y
alive2 = r() is z
del z
dead = r() is None
v = x * 3
w = v[1:]
del v
b = w.base.shape
fin = []
class Watch(np.ndarray): pass
u = (x * 4).view(Watch)
weakref.finalize(u, fin.append, "gone")
del u
t = x + 1
""",
    ),
    Cell(
        "threads that write into arrays",
        """
import threading, concurrent.futures as cf, queue
out = np.zeros((4, 6))
def work(k):
    out[k] = np.sin(x) * k
ts = [threading.Thread(target=work, args=(k,)) for k in range(4)]
for t in ts: t.start()
for t in ts: t.join()
with cf.ThreadPoolExecutor(2) as pool:
    parts = list(pool.map(lambda k: (x * k).sum(), range(5)))
    fut = pool.submit(np.dot, x, x)
    dot = fut.result()
y = out.sum(axis=0) + np.sum(parts) + dot
lock = threading.Lock()
with lock:
    z = y * 2
del ts, t, pool, fut, lock
""",
    ),
    Cell(
        "buffers: memoryview, struct, ctypes, bytes",
        """
import struct, ctypes, array
m = memoryview(x)
m[0] = 42.0
a = x * 2
b = struct.unpack("6d", x.tobytes())
p = x.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
p[1] = -7.0
c = x + 1
d = np.frombuffer(bytearray(x.tobytes()), dtype=x.dtype) * 2
e = array.array("d", x)
f = np.asarray(e) + x
g = np.ctypeslib.as_array((ctypes.c_double * 3)(1, 2, 3)) * x[:3]
h = bytes(x.astype(np.uint8) + 65)
i = np.frombuffer(h, np.uint8) - 60
del m, p
y = x.sum() + f
""",
    ),
    Cell(
        "text of arrays",
        """
y = x * 2
print(y)
print(f"{y[0]:.3f} {y.sum()=:.2f} {y.shape!r} {y.max():>10.1e} {x.size:03d}|{'a':^5}|")
print("%.2f %s %r" % (y[0], y[:2], y.dtype), "{:.1f} {n}".format(y[1], n=y.size))
s = f"{y}" + repr(y) + str(y[0]) + repr(y[0]) + format(y[0], ".2f")
for k in range(2):
    y = y + 1
    print(k, y[:2], end=" | ")
print(*y, sep=",")
print(y.tolist(), y.astype(int), y > 3, y.reshape(2, 3))
t = np.array2string(y, precision=2)
z = y + len(t)
w = f"{np.sin(x).sum():{8}.{3}f}" f"{(lambda v: v + 1)(1)}" rf"\\n{x.size}"
nested = f"{f'{y[0]:.1f}'!s:>8}"
""",
    ),
    Cell(
        "logging, warnings and stdout",
        """
import logging, warnings, sys
log = logging.getLogger("npc")
seen = []
class H(logging.Handler):
    def emit(self, record): seen.append(record.getMessage())
log.handlers = [H()]
log.propagate = False
y = x * 2
log.warning("y is %s", y[:2])
z = y + 1
warnings.warn("careful", UserWarning)
sys.stdout.write("written\\n")
w = z * 2
print("to stderr", file=sys.stderr) if False else None
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    u = np.array([1.0]) / 0
    warnings.warn("inner", stacklevel=1)
n = [str(c.message) for c in caught]
with warnings.catch_warnings():
    warnings.simplefilter("error")
    try:
        v = x / 0
    except RuntimeWarning as e:
        m = str(e)
log.handlers.clear()
del log, H, caught
""",
    ),
    Cell(
        "files",
        """
import tempfile, os, pathlib
with tempfile.TemporaryDirectory() as d:
    p = pathlib.Path(d) / "a.npy"
    np.save(p, x * 2)
    a = np.load(p) + 1
    mm = np.load(p, mmap_mode="r+")
    b = mm * 2
    mm[0] = 99
    kind = type(b).__name__, type(mm).__name__
    mm.flush()
    del mm
    c = np.load(p) * 2
    np.savez(p.with_suffix(".npz"), u=x, v=a)
    with np.load(p.with_suffix(".npz")) as z:
        e = z["u"] + z["v"]
    np.savetxt(p.with_suffix(".txt"), x)
    f = np.loadtxt(p.with_suffix(".txt")) * 2
    mp = np.memmap(p.with_suffix(".raw"), dtype="f8", mode="w+", shape=6)
    mp[:] = x
    mp += 1
    g = np.asarray(mp) * 2
    t = mp + 1
    kinds = type(t).__name__
    t = np.array(t)
    b = np.array(b)
    del mp
    n = sorted(os.listdir(d))
y = a + c
del d, p, z
""",
    ),
    Cell(
        "time and timing",
        """
import time, timeit
start = time.perf_counter()
y = x * 2
took = time.perf_counter() - start
ok = took >= 0
z = y + 1
n = timeit.timeit(lambda: x * 2, number=3) >= 0
t = timeit.timeit("x * 2", globals=globals(), number=2) >= 0
del start, took
w = z * 2
""",
    ),
    Cell(
        "properties of arrays that scripts look at",
        """
y = x * 2
a = y.flags.owndata, y.flags["C_CONTIGUOUS"], y.base is None, y.T.base is y
y.flags.writeable = False
try:
    y[0] = 1
except ValueError as e:
    m = str(e)
y.setflags(write=True)
y.shape = (2, 3)
z = y + 1
b = y.ctypes.data == y.__array_interface__["data"][0]
try:
    y.foo = 1
except AttributeError as e:
    m2 = str(e)
s = y.strides, y.itemsize, y.nbytes, y.ndim, len(y), y.dtype.str
it = y.flat
it[3] = 100
c = it[1:3] * 2
d = [k for k in y.flat][:2]
y.dtype
u = y.view("i8").view("f8") * 2
hash_error = None
try:
    {y}
except TypeError as e:
    hash_error = str(e)
del it
""",
    ),
    Cell(
        "iterating over arrays in many ways",
        """
m = (x * 2).reshape(2, 3)
a = [row.sum() for row in m]
b = [v for v in m.flat]
c = list(np.ndenumerate(m))[:2]
d = [i for i in np.ndindex(2, 2)]
for row in m:
    row += 1
for row, k in zip(m, range(2)):
    row[k] = 0
with np.nditer(m, op_flags=["readwrite"]) as it:
    for v in it:
        v[...] = v * 2
e = {tuple(i): m[i] for i in np.ndindex(*m.shape)}
f = dict(enumerate(m))
g = max(m.ravel()), min(m[0]), sum(m), sorted(m[1], reverse=True)
h = list(reversed(x))[:2]
p, q = m
r = [*m, *x[:2]]
s = np.vectorize(lambda u: u + 1 if u > 3 else 0.0)(m)
t = np.fromiter((v * 2 for v in x), float)
it2 = iter(x); u = next(it2) + next(it2)
y = m + s
del it, it2
""",
    ),
]

ASYNC = [
    Cell(
        "async for, async with, gather, comprehension",
        """
import asyncio
class Source:
    def __init__(self, n): self.n = n
    def __aiter__(self): self.k = 0; return self
    async def __anext__(self):
        if self.k >= self.n: raise StopAsyncIteration
        self.k += 1
        await asyncio.sleep(0)
        return x * self.k
class Manager:
    async def __aenter__(self): return x + 100
    async def __aexit__(self, *e): return False
async def work(k):
    await asyncio.sleep(0)
    return np.sin(x) * k
async def gen():
    for k in range(2):
        yield x + k
total = x * 0
async for v in Source(3):
    total = total + v
async with Manager() as m:
    a = m * 2
b = await asyncio.gather(*(work(k) for k in range(3)))
c = [v async for v in gen()]
d = [await work(k) for k in range(2)]
y = np.sum(b, axis=0) + a + total
t = asyncio.create_task(work(5))
e = await t
del t, m, Source, Manager
y[0]
""",
    ),
    Cell(
        "await in the middle of an expression",
        "import asyncio\nasync def f(v):\n    return v * 2\ny = x + await f(x)\nz = y * 2\nw = (await f(z))[0] + z\nw",
    ),
    Cell(
        "an error after an await",
        "import asyncio\ny = x * 2\nawait asyncio.sleep(0)\nz = y + 1\ny[99]",
    ),
    Cell(
        "a coroutine that is not awaited is a value",
        "async def f(v):\n    return v * 2\ny = x * 2\nc = f(y)\nr = type(c).__name__\nz = await c\ndel c\nw = z + 1",
    ),
]

ENDINGS = [
    Cell("SystemExit in a cell", "y = x * 2\nimport sys\nz = y + 1\nsys.exit(3)\nw = 1"),
    Cell("KeyboardInterrupt in a cell", "y = x * 2\nz = y + 1\nraise KeyboardInterrupt"),
    Cell(
        "KeyboardInterrupt that is caught",
        "y = x * 2\ntry:\n    z = y + 1\n    raise KeyboardInterrupt('now')\nexcept BaseException as e:\n    m = type(e).__name__\nw = z * 2",
    ),
    Cell("an error in a comprehension", "y = x * 2\nz = y + 1\nw = [v[9] for v in (y, z)]\nu = 1"),
    Cell(
        "an error in a lambda in a helper",
        "def f(v):\n    g = lambda u: u @ np.ones(4)\n    w = v * 2\n    return g(w)\ny = x * 2\nz = f(y)",
    ),
    Cell(
        "an error in a decorated function",
        "import functools\ndef deco(f):\n    @functools.wraps(f)\n    def inner(*a):\n        return f(*a)\n    return inner\n@deco\ndef f(v):\n    w = v * 2\n    return w.reshape(5)\ny = x * 2\nf(y)",
    ),
    Cell(
        "an error in a property",
        "class A:\n    def __init__(self, v): self.v = v\n    @property\n    def bad(self):\n        u = self.v * 2\n        return u[[99]]\ny = x * 2\nA(y).bad",
    ),
    Cell(
        "raise from in a cell",
        "y = x * 2\ntry:\n    z = y + 1\n    y[99]\nexcept IndexError as error:\n    w = z + 1\n    raise RuntimeError('wrapped') from error",
    ),
    Cell(
        "raise in a finally of a loop",
        "for k in range(3):\n    try:\n        y = x * k\n        if k == 1:\n            y[99]\n    finally:\n        z = x + k\nw = 1",
    ),
    Cell(
        "own exception with an array",
        "class Bad(Exception):\n    def __init__(self, v):\n        super().__init__(f'bad {v.sum():.1f}')\n        self.v = v\ny = x * 2\ntry:\n    raise Bad(y)\nexcept Bad as e:\n    m, v = str(e), e.v\nz = v + 1\nsame = v is y\ndel Bad",
    ),
    Cell(
        "a warning turned into an error",
        "import warnings\ny = x * 2\nwith warnings.catch_warnings():\n    warnings.simplefilter('error')\n    z = y + 1\n    w = np.sqrt(-y)\nv = 1",
    ),
    Cell("StopIteration leaks", "y = x * 2\nit = iter([1])\nnext(it)\nz = y + 1\nnext(it)\nw = 1"),
    Cell("type errors of array arithmetic", "y = x * 2\nz = y + 'text'\nw = 1"),
    Cell(
        "shape errors in a long expression",
        "y = x * 2\nz = (y + 1) * np.ones(6) + (y * np.ones(5)) - 3\nw = 1",
    ),
    Cell(
        "an index error in a chain of calls",
        "m = x.reshape(2, 3)\nz = m.T.copy()[1].sum() + m[0, 7]\nw = 1",
    ),
    Cell(
        "an error in a nested call over lines",
        "y = np.add(\n    x * 2,\n    np.dot(\n        x,\n        np.ones(3),\n    ),\n)",
        captured=False,
    ),
    Cell("an error in an f-string", "y = x * 2\nz = f'{y + 1} {y.reshape(4)}'\nw = 1"),
]

LAYOUT = [
    Cell(
        "form feed, tabs and trailing blanks",
        "y = x * 2   \n\x0c\nif x.size:\n\tz = y + 1\t\n\n   \nw = z * 2",
    ),
    Cell("carriage returns", "y = x * 2\r\nz = y + 1\r\nif True:\r\n    w = z * 2\r\nw"),
    Cell(
        "line continuations",
        "y = x \\\n    * 2 \\\n    + 1\nz = (y\n     # a comment\n     + 1)\nassert y.size, \\\n    'size'\nw = y; v = w + 1; \\\nu = v * 2",
    ),
    Cell("a long cell", "y = x\n" + "\n".join(f"y = y + {k}.5 * x" for k in range(150)) + "\ny"),
    Cell("a long line", "y = " + " + ".join(f"{k} * x" for k in range(200))),
    Cell("deep parentheses", "y = " + "(" * 40 + "x" + " + 1)" * 40),
    Cell("a docstring first", "'''Title.'''\ny = x * 2\nz = y + 1\nd = __doc__"),
    Cell("only constants", "1\n'two'\n...\nNone", captured=False),
    Cell("comments only", "# one\n  # two\n\n#three", captured=False),
    Cell("prompts pasted", ">>> y = x * 2\n>>> for k in range(2):\n...     z = y + k\n...\n>>> z"),
    Cell("ipython prompts pasted", "In [3]: y = x * 2\n   ...: z = y + 1\n\nIn [4]: z"),
    Cell("a byte order mark and nbsp in text", "y = x * 2\ns = 'a\u00a0b'\nz = y + len(s)"),
    Cell(
        "if, elif, else on one line each",
        "if x[0] > 100: y = x\nelif x[0] > 0: y = x * 2; z = y + 1\nelse: y = None\nw = z if x.size else y; v = w + 1",
    ),
    Cell(
        "type alias and annotations",
        "from typing import TypeAlias, Annotated\nArr: TypeAlias = np.ndarray\nv: Annotated[Arr, 'note'] = x * 2\ndef f(a: Arr, *, k: 'Arr | None' = None) -> list[Arr]:\n    b: Arr = a * 2\n    c: Arr\n    return [b, b + 1]\ny = f(v)\nz = y[0] + v",
    ),
    Cell(
        "statements of future",
        "from __future__ import annotations\ndef f(a: nosuch) -> alsonot:\n    return a * 2\ny = f(x)\nk = f.__annotations__",
    ),
]

CELLS = [*CLASSES, *FUNCTIONS, *FLOW, *COMMANDS, *NAMES, *OBJECTS, *ASYNC, *ENDINGS, *LAYOUT]
