"""Cells with objects that are not plain numeric arrays: material of tests/same/test_objects.py."""

# ruff: noqa: E501 -- a cell is one string

from __future__ import annotations

from tests.support.cells.python_cells import SETUP, Cell

RECORDS = (
    SETUP
    + "\ns = np.zeros(3, dtype=[('a', 'f8'), ('b', 'i4'), ('c', 'U3')]); s['a'] = x[:3]; s['b'] = [3, 1, 2]; s['c'] = ['u', 'v', 'w']"
)
TEXT = (
    SETUP
    + "\nu = np.array(['one', 'two', 'three']); b = np.array([b'a', b'bc']); v = np.array(['x', 'yy', 'zzz'], dtype=np.dtypes.StringDType())"
)
DATES = (
    SETUP
    + "\nd = np.array(['2026-01-01', '2026-03-05', 'NaT'], dtype='M8[D]'); t = np.array([1, 2, 3], dtype='m8[h]')"
)
OBJECTS = (
    SETUP
    + "\nfrom fractions import Fraction\nfrom decimal import Decimal\no = np.array([1, Fraction(1, 3), 2.5], dtype=object); m = np.array([[1, 'a'], [None, x]], dtype=object)"
)
MASKED = (
    SETUP
    + "\nm = np.ma.masked_greater(x.copy(), 2.0); w = np.ma.array([1, 2, 3], mask=[0, 1, 0], fill_value=-1)"
)
MATRIX = (
    SETUP
    + "\nimport warnings\nwith warnings.catch_warnings():\n    warnings.simplefilter('ignore')\n    m = np.matrix([[1.0, 2], [3, 4]]) + RUN"
)
SUBCLASS = (
    SETUP
    + """
class Tagged(np.ndarray):
    def __new__(cls, a, tag=None):
        obj = np.asarray(a).view(cls)
        obj.tag = tag
        return obj
    def __array_finalize__(self, obj):
        self.tag = getattr(obj, "tag", None)
class Logged(np.ndarray):
    calls = []
    def __array_ufunc__(self, ufunc, method, *inputs, **kw):
        Logged.calls.append((ufunc.__name__, method))
        plain = [i.view(np.ndarray) if isinstance(i, Logged) else i for i in inputs]
        return getattr(ufunc, method)(*plain, **kw)
class Wrapped(np.ndarray):
    def __array_wrap__(self, arr, context=None, return_scalar=False):
        return "wrapped"
class Loud(np.ndarray):
    def __getitem__(self, k):
        return super().__getitem__(k) * 100
    def __add__(self, other):
        return "added"
Logged.calls.clear()
t = Tagged(x.copy(), "m"); l = x.view(Logged); w = x.view(Wrapped); q = x.view(Loud)
"""
)
DUCKS = (
    SETUP
    + """
class Duck:
    def __init__(self, v): self.v = v
    def __array_ufunc__(self, ufunc, method, *inputs, **kw):
        return "ufunc", ufunc.__name__, method
    def __array_function__(self, func, types, args, kw):
        return "function", func.__name__
class Converts:
    def __init__(self, v): self.v = v
    def __array__(self, dtype=None, copy=None):
        return self.v if dtype is None else self.v.astype(dtype)
class Interface:
    def __init__(self, v): self.__array_interface__ = v.__array_interface__; self.v = v
class Sequence:
    def __init__(self, n): self.n = n
    def __len__(self): return self.n
    def __getitem__(self, k):
        if k >= self.n: raise IndexError(k)
        return k * 1.5
class Floats:
    def __float__(self): return 2.5
    def __index__(self): return 3
duck, conv, face, seq, num = Duck(x), Converts(x), Interface(x), Sequence(6), Floats()
"""
)

CELLS = [
    Cell(
        "structured arrays",
        """
a = s['a'] * 2
s['b'] += 1
n = s[s['b'] > 2]
o = np.sort(s, order='b')
f = s[['a', 'b']]
r = s[0]
k = r['a'] + 1
s[1] = (9.0, 8, 'new')
e = s == s
v = s.view(np.recarray)
g = v.a + v.b
s['a'][0] = -5
y = x * s['a'][0]
names = s.dtype.names, s.dtype.itemsize
rec = np.rec.fromarrays([x, x * 2], names='p,q')
z = rec.p + rec['q']
w = x * 2
u = np.lib.recfunctions.structured_to_unstructured(s[['a', 'b']]) if hasattr(np.lib, 'recfunctions') else None
""",
        setup=RECORDS,
    ),
    Cell(
        "views of a field",
        "a = s['a']\na += 1\nb = a[::2] * 2\ns['a'] = x[:3] * 3\nc = a + 1\nd = s['b'].astype(float) + a\ne = np.sum(s['a'])",
        setup=RECORDS,
    ),
    Cell(
        "text arrays",
        """
a = u == 'two'
b2 = np.char.upper(u)
c = np.strings.str_len(u) + 1
d = u[a]
e = np.char.add(u, '!')
f = np.sort(u), np.unique(u)
g = u.astype('S5')
h = b + b'x' if False else np.char.add(b, b'x')
i = v + v
j = np.strings.upper(v)
k = len(v[1]), v[1]
l = np.concatenate([u, ['four']])
m = np.where(a, 'yes', 'no')
n = np.array(['1.5', '2.5']).astype(float) * 2
y = x[:3] * c
o = ','.join(u)
p = u.tolist(), u[0], type(u[0]).__name__
q = np.array2string(u)
""",
        setup=TEXT,
    ),
    Cell(
        "dates and spans",
        """
a = d + np.timedelta64(1, 'D')
b = d[1] - d[0]
c = np.diff(d[:2])
e = d.astype('M8[s]')
f = np.isnat(d)
g = t * 2
h = t / np.timedelta64(1, 'm')
i = t.astype(float) + x[:3]
j = d > np.datetime64('2026-02-01')
k = np.arange('2026-01', '2026-04', dtype='M8[M]')
l = np.busday_count('2026-01-01', '2026-02-01')
m = np.sort(d), d.min(), np.datetime_as_string(d[:2])
n = t.sum(), t.mean()
o = (d[:2] - d[0]) / np.timedelta64(1, 'D')
y = x[:2] * o
d[0] = '2020-02-02'
t += np.timedelta64(1, 'h')
p = d[0].item(), t[0].item()
""",
        setup=DATES,
    ),
    Cell(
        "arrays of objects",
        """
a = o * 2
b = o + x[:3]
c = o.sum()
d = [type(k).__name__ for k in o]
e = o.astype(float) * 2
f = m[1, 1] * 2
g = np.array([x, x[:2]], dtype=object)
h = g[0] + 1
o[1] = 'text'
i = o == 'text'
j = np.array([Decimal('1.5'), Decimal('2')]) * 2
k = np.array([10**30, 1])
l = k * 2
n = np.frompyfunc(lambda p: p + 1, 1, 1)(np.arange(3))
try:
    q = o + 1
except TypeError as error:
    r = str(error)
y = x + e[0]
m[0, 0] = x * 3
z = m[0, 0] + 1
""",
        setup=OBJECTS,
    ),
    Cell(
        "masked arrays",
        """
a = m * 2
b = m.mean()
c = m + x
d = np.ma.filled(m, 0) * 2
e = np.sum(m)
f = m.mask.sum()
g = np.sqrt(m)
m[0] = np.ma.masked
h = m.count()
i = m.compressed() + 1
j = w * 2
k = np.ma.log(w)
l = x * m
n = np.where(m > 1, m, 0)
o = m.data * 2
p = np.ma.average(m, weights=x)
q = w[1] is np.ma.masked
y = x + i[0]
m += 1
s = str(m), repr(w)
""",
        setup=MASKED,
    ),
    Cell(
        "matrices",
        """
a = m * m
b = m ** 2
c = m.T @ m
d = m.A * 2
e = np.linalg.inv(m)
f = m[0]
g = m.I
h = np.multiply(m, m)
i = m + np.ones((2, 2))
j = np.asarray(m) * 2
k = m.sum(axis=0), m.sum()
m[0, 0] = 100
y = x * m[0, 0]
w = y * 2 + x
l = np.dot(m, np.ones(2))
n = np.ones((2, 2)) * m
m *= 2
p = m.tolist(), m.shape, m.ravel().shape
""",
        setup=MATRIX,
    ),
    Cell(
        "subclass with an attribute",
        """
a = t * 2
b = t[1:]
c = np.sin(t)
d = t + x
e = x + t
f = t.sum()
g = np.concatenate([t, t])
h = t.view(np.ndarray) * 2
t += 1
t[0] = 100
i = np.asarray(t) + 1
j = np.add(t, 1, out=x)
k = a.tag, b.tag, c.tag, d.tag, e.tag, t.tag, type(g).__name__
l = t.reshape(2, 3)
n = np.mean(l, axis=0)
y = x * 2
o = np.zeros_like(t), np.empty_like(t, subok=False).shape
p = t.copy(), np.array(t), np.array(t, subok=True)
""",
        setup=SUBCLASS,
    ),
    Cell(
        "subclasses that intercept",
        """
a = l * 2
b = np.add(l, l)
c = np.add.reduce(l)
d = l.sum()
n = list(Logged.calls)
e = np.sin(w)
f = w + 1
g = w.sum()
h = q[0]
i = q + 1
j = np.add(q, 1)
k = q[1:]
y = x * 2
z = x + l
r = x * w
s = x + q
""",
        setup=SUBCLASS,
    ),
    Cell(
        "subclass passed to a helper",
        "def f(v):\n    w = v * 2\n    return w + 1, type(w).__name__\na, b = f(t)\nc, d = f(x)\ne, g = f(q)\ny = x + 1",
        setup=SUBCLASS,
    ),
    Cell(
        "a class that becomes a subclass between runs",
        "y = v * 2\nz = y + 1\nk = type(y).__name__\nw = x * 2",
        setup=SUBCLASS + "\nv = t if RUN else x",
    ),
    Cell(
        "objects with protocols",
        """
a = x + duck
b = np.sin(duck)
c = np.concatenate([duck, x])
d = np.sum(duck)
e = np.add.reduce(duck)
f = x * conv
g = np.sin(conv)
h = np.asarray(conv) * 2
i = np.stack([x, conv])
j = np.asarray(face) + 1
k = np.asarray(seq) * x
l = x + seq
m = np.sum(seq)
n = x * float(num)
o = x[num]
p = np.zeros(num) + 1
q = np.full(2, num, dtype=object)
y = x + 1
x[0] = num
r = np.array([num, 1.0], dtype=float)
s = np.dot(x, conv)
t = conv.v is x
del face, q
""",
        setup=DUCKS,
    ),
    Cell(
        "iterators of NumPy",
        """
m = x.reshape(2, 3) * 1
total = 0
for i, v in np.ndenumerate(m):
    total += v * i[1]
it = np.nditer(m, flags=['multi_index'], op_flags=['readwrite'])
for v in it:
    v[...] = v + it.multi_index[0]
with np.nditer([m, None], op_dtypes=['f8', 'f8']) as pair:
    for a, b in pair:
        b[...] = a * 2
    out = pair.operands[1]
br = np.broadcast(x, x[:, None])
n = br.shape, br.size
f = m.flat
f[:2] = 0
g = f[3] + 1
h = np.array(list(m.flat)) * 2
del it, pair, f, br, v, a, b
y = m * 2 + out
""",
    ),
    Cell(
        "functions made of Python functions",
        """
f = np.vectorize(lambda v, k=2: v * k if v > 1 else -1.0)
a = f(x)
b = f(x, k=3) + 1
g = np.frompyfunc(lambda u, v: u + v, 2, 1)
c = g(x, x).astype(float) * 2
d = g.reduce(x)
e = np.apply_along_axis(lambda r: r / r.sum(), 0, x.reshape(2, 3)) * 2
h = np.fromfunction(lambda i, j: i + j, (2, 3)) + 1
i = np.piecewise(x, [x < 1, x >= 1], [lambda v: -v, lambda v: v * 2]) + 1
@np.vectorize
def j(v):
    "Doc."
    return v + 1
k = j(x) * 2
l = np.vectorize(np.sum, signature='(n)->()')(x.reshape(2, 3)) + 1
y = x + k
del f, g, j
""",
    ),
    Cell(
        "stride tricks",
        """
from numpy.lib.stride_tricks import sliding_window_view, as_strided
w = sliding_window_view(x, 3)
a = w.mean(axis=1)
b = w * 2
s = as_strided(x, (3, 2), (8, 16))
c = s.sum(axis=1)
v = as_strided(x, (2, 2), (8, 8))
v[0, 1] = 50
d = x * 2
try:
    w[0, 0] = 1
except ValueError as error:
    m = str(error)
e = np.broadcast_to(x, (2, 6)).sum(axis=0)
f = np.lib.stride_tricks.broadcast_shapes((2, 1), (3,)) if hasattr(np.lib.stride_tricks, 'broadcast_shapes') else None
v += 1
g = x + 1
h = sliding_window_view(x.reshape(2, 3), (2, 2))[0] * 2
i = np.shares_memory(s, x), w.base is not None
""",
    ),
    Cell(
        "long doubles, half, byte-swapped, unaligned, booleans",
        """
a = x.astype(np.longdouble) * 2
b = a + x
c = np.clongdouble(1 + 2j) * x
d = x.astype('>f8') * 2
e = d + x
f = np.frombuffer(b'\\0' + x.tobytes(), dtype=np.uint8)[1:].view('f8')
g = f * 2
h = np.zeros(3, dtype=np.dtype([('p', 'i1'), ('q', 'f8')]))['q'] + x[:3]
i = x.astype('f2') * 2
j = x.astype('>i4') + 1
k = d.dtype.str, j.dtype.str, a.dtype.name, g.flags.aligned
l = np.sum(a), np.sin(b)
sw = x.byteswap().view(x.dtype.newbyteorder())
y = sw * 2
sw += 1
z = x > 1
m = z.astype('i1') - 1
n = np.float64(2) * np.longdouble(3)
""",
    ),
    Cell(
        "byte-swapped and unaligned arrays are written",
        "a = np.arange(4, dtype='>f8') + 0\nb = np.arange(4.0).astype('>f8')\nb[1:] *= 2\nb += x[:4]\nx[:4] = b\ny = x * 2\nu = np.zeros(33, np.uint8)[1:].view('f8')\nu[:] = x[:4]\nu += 1\nz = y[:4] + u\nnp.add(x[:4], 1, out=u)\nw = u.sum()",
    ),
    Cell(
        "tensors among arrays",
        """
import torch
t = torch.from_numpy(x)
a = t * 2
b = a.numpy() + 1
c = x + t.numpy()
t += 1
d = x * 2
e = torch.sin(torch.as_tensor(x)).numpy() * 2
f = np.asarray(t) + 1
g = torch.tensor([1.0, 2.0]).sum().item() * x
h = np.sin(t)
i = np.array(torch.ones(6, dtype=torch.float64)) * x
j = isinstance(h, torch.Tensor), type(f).__name__
k = np.add(x, t)
kind = type(k).__name__
l = t.shape[0] * x
del t, a, h, k
y = x + 1
""",
    ),
    Cell(
        "scalars of every kind",
        """
a = np.float32(2) * x
b = np.int8(100) + np.int8(20)
c = np.bool_(True) & (x > 1)
d = np.complex64(1j) * x
e = np.str_('t') + 'u'
f = np.datetime64('2026-01-01') + 1
g = np.void(b'ab')
h = x[0].item() + x[1]
i = np.float64(3).is_integer(), np.int64(5).bit_count()
j = np.uint8(255) // np.uint8(2) + x
k = [type(v).__name__ for v in (a, b, c, d, e, f, h)]
l = x[0] + True, x[0] * 2, 2 ** x[1], -x[0], abs(-x[0]), round(x[0], 1), divmod(x[1], 1)
m = float(x[0]) * x, int(x[5]) * x
n = x[0] < x[1] < x[2]
o = np.array(5.0)[()] * x, np.array(5.0) * 2
p = np.longlong(3) + x, np.intp(2) * x
""",
    ),
    Cell(
        "memory maps and buffers",
        """
import tempfile, os, mmap
fd, path = tempfile.mkstemp()
os.close(fd)
m = np.memmap(path, dtype='f8', mode='w+', shape=(6,))
m[:] = x
a = m * 2
b = np.sin(m) + x
m += 1
c = np.asarray(m) * 2
d = m[1:3] + 1
e = m.sum()
kinds = type(a).__name__, type(d).__name__, type(e).__name__
m.flush()
a, b, d = np.array(a), np.array(b), np.array(d)
r = np.memmap(path, dtype='f8', mode='r')
try:
    r[0] = 1
except ValueError as error:
    t = str(error)
f = r + x
f = np.array(f)
del m, r, c, fd
os.remove(path)
del path
y = x * 2
""",
    ),
    Cell(
        "polynomials and other classes of NumPy",
        """
p = np.polynomial.Polynomial([1.0, 2.0, 3.0])
a = p(x)
b = p.deriv()(x) + 1
q = np.poly1d([1, 2, 3])
c = q(x) * 2
d = (p * p).coef + 1
e = np.round(np.polyfit(x, x ** 2, 2) + 1, 9)
f = np.polyval(e, x) + 1
g = q.r
h = p.roots() * 2
i = np.r_[x, 1:3] * 2, np.c_[x, x][0]
j = np.mgrid[0:2, 0:3][0] + 1
k = np.s_[1:3]
l = x[k] * 2
m = np.ix_([0, 1], [1, 2])
n = x.reshape(2, 3)[m] + 1
o = np.finfo(x.dtype).eps * x, np.iinfo('i4').max
del p, q
y = x + c
""",
    ),
    Cell(
        "arrays in arguments of unknown functions",
        """
import math, statistics, bisect, heapq, random
a = math.fsum(x)
b = statistics.mean(x.tolist())
c = bisect.bisect(x, 1.5)
h = list(x)
heapq.heapify(h)
d = heapq.heappop(h)
e = math.sqrt(x[0]) * x
f = math.dist(x, x * 2)
g = math.prod(x)
random.seed(3)
i = random.choice(x) * x
random.shuffle(h)
j = sum(map(math.sin, x)) + x
k = x.dot(x) * math.pi
l = math.floor(x[1]) + x
m = sorted(x, reverse=True)[0] * x
y = x + a
""",
    ),
    Cell(
        "an array of no elements, of no axes, with zero strides",
        """
e = x[:0]
a = e * 2
b = e.sum(), e.prod()
try:
    e.max()
except ValueError as error:
    m = str(error)
c = np.array(3.0)
d = c * 2
f = c + x
c += 1
g = np.zeros((0, 3)) + np.ones(3)
h = np.broadcast_to(np.float64(2), (6,)) * x
i = np.concatenate([e, x])
j = d.shape, type(d).__name__, type(c).__name__
k = e.mean() if e.size else None
l = np.full((2, 0), 1).T.shape
y = x[None, :, None] * 2
""",
    ),
    Cell(
        "read-only arrays",
        "x.flags.writeable = False\ny = x * 2\ntry:\n    x += 1\nexcept ValueError as e:\n    m = str(e)\ntry:\n    x[0] = 1\nexcept ValueError as e:\n    m2 = str(e)\nv = x[1:]\nf = v.flags.writeable, y.flags.writeable\nx.flags.writeable = True\nx += 1\nz = x + v.sum() if v.size else 0\nw = np.broadcast_to(x, (2, 6))\ng = w.flags.writeable\nu = w + 1",
    ),
    Cell(
        "arrays in sets, keys and comparisons",
        """
d = {'a': x}
a = 'a' in d, x is d['a']
k = {x[0]: 1, float(x[1]): 2}
b = k[x[0]] * x
c = {v for v in x if v > 2}
e = x.tobytes() == x.copy().tobytes()
f = np.array_equal(x, d['a']) and x is not None
g = [v for v in (x, x * 2) if v is not x][0] + 1
h = tuple(x) < tuple(x * 2)
i = x == None
j = x != 'text'
l = (x == [1]) | (x == 2)
m = max([x[0], x[1]]) * x
n = hash(x[0]) == hash(float(x[0]))
y = x + len(c)
""",
    ),
]
