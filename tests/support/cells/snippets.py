"""Small cells, each tricky in one way, for tests that run them in several forms."""

from __future__ import annotations

SETUP = """import math, operator
class Box(list):
    def __matmul__(self, other): return sum(a * b for a, b in zip(self, other))
    def __iadd__(self, other): self.extend(other); return self
class Vector:
    def __init__(self, *items): self.items = list(items)
    def __repr__(self): return f"Vector{tuple(self.items)}"
    def __eq__(self, other): return self.items == other.items
    def __add__(self, other): return Vector(*[a + b for a, b in zip(self.items, other.items)])
    def __iadd__(self, other): self.items = (self + other).items; return self
    def __mul__(self, k): return Vector(*[a * k for a in self.items])
    def __getitem__(self, i):
        if isinstance(i, tuple): return [self.items[j] for j in i]
        return self.items[i]
    def __setitem__(self, i, value): self.items[i] = value
    def __len__(self): return len(self.items)
    @property
    def size(self): return len(self.items)
    def total(self, start=0, *, scale=1): return sum(self.items, start) * scale
v = Vector(1, 2, 3)
xs = [5, 6, 7]
k = 2
"""

TEXT = r"""
### assign
a = v + v
b = a * 2
### display
v * 2
### display after run
a = k * 2
a + 1
### display name
a = k * 2
a
### display semicolon
k * 3;
### chained targets
a = b = v * 2
a[0] = 9
### tuple
a, b = k * 2, k * 3
### nested
a, (b, [c, *d]) = k * 1, (k * 2, [k * 3, k * 4, k * 5])
### star
a, *b, c = [x * 2 for x in range(5)]
### swap
xs[0], xs[1] = xs[1], xs[0]
### order of targets
i = 0; i, xs[i] = k * 0 + 2, 99
### augmented name
k += 1 + k
k *= k
### augmented item
xs[k - 1] += 4
xs[-1] -= 1
### augmented slice
xs[1:] += [k * 2]
### augmented keeps object
w = v
w += v
### slices
a = xs[1:]
b = xs[::-1]
c = v[0, k]
### slice store
xs[k:] = [k * 2, k * 3]
### call keywords
a = v.total(1, scale=k + 1)
b = v.total(*[2], **{'scale': 3})
### attribute
a = v.size
b = a + 1
### attribute store
v.items = [k * 2]
b = v.size + 1
### for
t = 0
for i in range(4):
    t = t + xs[0] * i
    xs[0] -= 1
### for else
for i in xs:
    a = i * 2
else:
    b = a + 1
### for break
for i in range(9):
    a = i * 2
    if a > 6:
        break
else:
    z = k + 1
### for continue
a = 0
for i in range(9):
    if i % 2: continue
    a += i
### nested for
a = 0
for i in range(3):
    for j in range(i):
        a += i * j
### while
n = 5 + 0
while n > 0:
    n = n - 1
    xs[0] += n
### if elif
if k > 5:
    a = k * 1
elif k > 1:
    a = k * 2
else:
    a = k * 3
### one line if
if k > 1: a = k * 2; b = a * 2
### print between
a = k * 2
print(a)
b = a * 2
print(b, xs)
### print in loop
for i in range(3):
    a = i * k
    print(a)
    b = a + 1
### try
try:
    a = xs[99]
except IndexError as e:
    b = str(e) * 2
finally:
    c = k + 1
### try else
try:
    a = xs[0] * 2
except KeyError:
    a = k * 9
else:
    b = a + 1
### try reraise
try:
    a = xs[99]
except IndexError:
    b = k * 2
    raise
### except star
try:
    raise ExceptionGroup('g', [ValueError(k * 2)])
except* ValueError as g:
    a = len(g.exceptions) + 1
### with
import contextlib
with contextlib.suppress(IndexError):
    a = k * 2
    b = xs[99]
    c = k * 3
d = a + 1
### match
match xs:
    case [a, *rest] if a > 9:
        b = a * 1
    case [a, *rest]:
        b = a * 2
    case _:
        b = k * 3
### zero division
a = k * 2
b = a / (k - 2)
c = a * 3
### error in second line
a = k + 1
b = xs[a * 40] + 1
### error in multi line
a = (k +
     1 +
     xs[77] +
     3)
### error in call
a = v.total(
    k,
    scal=3,
)
### error in display
a = k * 2
xs[a * 50]
### error in name
a = k * 2
b = undefined + a
### error in store
xs[k * 40] = k * 2
### error in unpack
a, b = xs[:1]
### error in for
for i in range(3):
    a = 6 / (2 - i)
    b = a + 1
### error in comprehension
a = [1 / (2 - i) for i in range(4)]
### error in lambda
f = lambda x: 1 / x
a = f(k - 2)
### error in callee
def g(x):
    y = x * 2
    return 1 / (y - 4)
a = g(1) + 1
b = g(k)
### raise
a = k * 2
raise ValueError(a)
### assert
a = k * 2
assert a < 3, 'too large'
### exception chain
try:
    xs[50] + 1
except IndexError as e:
    raise ValueError('bad') from e
### del
a = k * 2
del a
b = k * 3
### del then read
a = k * 2
del a
b = a * 3
### walrus
if (n := k * 2) > 3:
    a = n + 1
b = [m := k, m + 1]
### lambda
f = lambda x, y=k + 1: x * y
a = f(3)
### comprehensions
a = [x * y for x in xs if x > 5 for y in range(x)]
b = {x: x + k for x in xs}
c = {x % 2 for x in xs}
d = sum(x * 2 for x in xs)
### comprehension scope
x = 5 + k
a = [x + 1 for x in xs]
b = x
### generator later
g = (x * k for x in xs)
k = k + 5
a = list(g)
### f-string
a = f'{k + 1:>5} {v.size!r} {k=}'
b = len(a) + 1
### annotated
a: int = k * 2
b = a + 1
### import
import math as m
a = m.sqrt(16) + 1
### class
class A:
    q = k * 2
    def m(self):
        return self.q + 1
a = A().m() + 1
### function
def f(a, b=k + 1, *c, d=4, **e):
    'doc'
    t = a + b
    for i in range(d):
        t += i * a
    return t * 2
a = f(1)
b = f(1, 2, 3, d=0, z=1)
### function reads global
def f(x):
    y = x * k
    return y + k
a = f(1)
k = k + 10
b = f(1)
### function recursive
def f(n):
    if n < 2:
        return n + 0
    a = f(n - 1)
    b = f(n - 2)
    return a + b
a = f(9) + 0
### function redefined
def f(n): return n + 1
g = f
def f(n): return n * 10
a = g(2) + f(2)
### function unbound
def f(c):
    if c:
        y = c * 2
    return y + 1
a = f(1) + 0
b = f(0) + 0
### function own augmented
def f():
    k += 1
    return k
a = f() + 1
### function closure
def f(n):
    y = n * 2
    def g(z):
        return y + z
    y = y + 1
    return g(1) + 0
a = f(3) * 1
### function generator later
def f(n):
    y = n * 2
    g = (y + i for i in range(2))
    y = y * 10
    return list(g)
a = f(3)
### function nonlocal
def f(n):
    y = n * 2
    def inc():
        nonlocal y
        y += 1
    inc()
    return y + 0
a = f(3) + 0
### function try
def f(x):
    y = 0 + x
    try:
        y = y * 2
        z = xs[y]
        y = y + z
    except IndexError:
        return y - 1
    finally:
        print(y)
    return y + 1
a = f(1) + f(30)
### function loop carried
def f(n):
    a, b = n * 0, n * 0 + 1
    for _ in range(n):
        c = a + b
        a = b
        b = c * 1
    return a
a = f(10) + 0
### function while
def f(n):
    s = n * 0
    while n > 0:
        s = s + n
        n = n - 1
    else:
        s = s * 2
    return s
a = f(4) + 0
### function generator
def f(n):
    for i in range(n):
        y = i * 2
        yield y + 1
a = list(f(4))
### function locals
def f(n):
    y = n * 2
    return sorted(locals())
a = f(4)
### function decorated
import functools
@functools.lru_cache
def f(n):
    y = n * 2
    return y + 1
a = f(4) + f(4)
### function async
async def f(n):
    y = n * 2
    return y
c = f(3)
try:
    c.send(None)
except StopIteration as e:
    a = e.value + 1
del c
### function without work
def f():
    pass
a = f() is None
### function in branch
if k > 1:
    def f(x):
        return x + 1
else:
    def f(x):
        return x - 1
a = f(1) + 1
### function in loop
fs = []
for i in range(3):
    def f(x, i=i):
        y = x * i
        return y + 1
    fs.append(f)
a = [f(10) for f in fs]
### function global
def f():
    global k
    k = k + 1
f()
a = k * 2
### function returns early
def f(x):
    if x: return x + 1
    y = x - 1
    return y
    z = y + 1
a = f(0) + f(5)
### function frames
def f(x):
    return x[9] + 1
def g(x):
    y = f(x) * 2
    return y
a = g(xs) + 1
### method call
xs.append(k * 2)
xs.sort(reverse=k > 1)
### expression statement
v.total() + 1
xs[0]
### string statement
'''text'''
a = k * 2
'more'
b = a + 1
### docstring
'''about'''
a = k * 2
### ellipsis
...
a = k + 1
### boolean operators
a = k and xs or v
b = not k
c = k if k > 1 else xs[9]
d = 1 < k < 3 < 9
### unicode
é = k * 2; ñ = é + xs[0]; s = 'ü' * k + xs[0]
### line continuation
a = k + \
  1; b = \
  a + 1
### exec
exec('q = k * 2')
a = q + 1
### print result
print(k * 2, v + v)
### empty

### comment
# nothing
### future
from __future__ import annotations
def f(x: undefined_name):
    y: other = x + 1
    return y
a = f(1) + 1
### ternary statement
xs.append(1) if k > 1 else xs.clear()
a = len(xs) + 1
### matmul
a = Box([1, 2]) @ Box([3, 4])
b = Box([1]); b += [k * 2]
### type comparison
a = type(v + v) is Vector
b = isinstance(v * 2, Vector)
### starred call
a = max(*xs, *[k * 9])
b = [*xs, *range(k)]
c = {**{'a': k + 1}, 'b': 2}
### assign to list index chain
m = [[0] * 3 for _ in range(2)]
m[1][2] = k * 7
m[0][1:] = m[1][1:]
### breakpoint free
a = (lambda: k * 2)() + 1
"""

SNIPPETS = {
    name.strip(): source.removesuffix("\n")
    for name, _, source in (part.partition("\n") for part in TEXT.split("### ")[1:])
}
