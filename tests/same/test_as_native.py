"""NumPy cells give under the magic what they give without it."""

# ruff: noqa: E501 -- a cell is one string

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from tests.support.cells import native
from tests.support.cells.native import (
    assert_same,
    compiled_lines,
    run_compiled,
    run_native,
    statement_lines,
)

VECTOR = "x = np.linspace(0.5, 3.0, 7) + RUN"
INTEGERS = "n = np.arange(12) - 4 + RUN"
MATRIX = "A = np.arange(12.0).reshape(3, 4) ** 1.5 - RUN"
SQUARE = (
    "A = np.array([[4.0, 1, 0.5], [1, 3, -1], [0.5, -1, 2]]) + RUN * np.eye(3); b = np.arange(3.0)"
)
SECOND = "x = np.arange(5.0); i = np.array([0, 2, 4]) + RUN"


class Case(NamedTuple):
    """A cell, what comes before it, and whether something of it must be captured."""

    name: str
    setup: str
    source: str
    captured: bool = True
    fallbacks: int = 0


CASES = [
    # -- slices, views, writes
    Case(
        "slice write",
        VECTOR,
        """
y = x.copy()
y[1:-1] = (x[2:] - x[:-2]) / 2
""",
    ),
    Case(
        "view of an input stays a view",
        VECTOR,
        """
y = x[1:-1]
z = y[::2]
y *= 2
""",
    ),
    Case(
        "view of a fresh array",
        VECTOR,
        """
y = x * 2
v = y[2:5]
v += 1
w = v.reshape(3, 1)
w[0] = -1
""",
    ),
    Case(
        "chain of views",
        MATRIX,
        """
B = A[1:]
C = B.T
D = C[::2, 0]
D[...] = -1
E = D[None, :]
E -= 1
""",
    ),
    Case(
        "transpose and order",
        MATRIX,
        """
T = A.T
C = T.copy()
F = np.asfortranarray(A)
G = np.ascontiguousarray(T)
S = T + A.T
H = A.T.reshape(-1)
K = A.ravel(order="F")
""",
    ),
    Case(
        "copies in every order",
        MATRIX,
        """
a = A.T.copy("C")
b = A.T.copy("F")
c = A.T.copy("K")
d = A.T.copy("A")
e = np.copy(A.T)
f = np.array(A.T)
g = np.array(A.T, order="C")
h = A.T.astype(np.float32)
i = A.T.astype(float, order="C")
""",
    ),
    Case(
        "layout of results follows the operands",
        MATRIX,
        """
B = A[:, ::-1]
a = A.T * 2
b = A.T + 1.0 * A.T
c = np.sin(A.T)
d = B * 2
e = A[::2, 1:] * A[::2, 1:]
f = np.zeros_like(A.T)
g = np.where(A.T > 1, A.T, 0)
h = A.T[:, None, :] * np.ones((1, 2, 3))
""",
    ),
    Case(
        "negative strides",
        VECTOR,
        """
r = x[::-1]
s = r * 2
r[0] = 100
t = x[-2::-2]
t += t
u = np.flip(x)
""",
    ),
    Case(
        "negative strides of an input",
        "base = np.arange(12.0).reshape(3, 4); v = base[::-1, ::-2] + 0; w = base[::-1, ::-2]",
        """
w *= 2
y = w + v
z = w.sum(axis=0)
u = v * 2
""",
    ),
    Case(
        "overlapping write forwards",
        VECTOR,
        "x[1:] = x[:-1]",
    ),
    Case(
        "overlapping write backwards",
        VECTOR,
        "x[:-1] = x[1:]\nx[::-1][1:] = x[1:]",
    ),
    Case(
        "overlapping arithmetic",
        VECTOR,
        """
x[1:] += x[:-1]
x[:-1] *= x[1:]
x[2:] = x[1:-1] + x[:-2]
""",
    ),
    Case(
        "overlapping out=",
        VECTOR,
        """
np.add(x[1:], x[:-1], out=x[1:])
np.multiply(x[:-1], x[1:], out=x[:-1])
""",
    ),
    Case(
        "swap of elements",
        VECTOR,
        """
x[0], x[1] = x[1], x[0]
x[2:4], x[4:6] = x[4:6].copy(), x[2:4].copy()
""",
    ),
    Case(
        "swap of slices without copies",
        VECTOR,
        "x[:3], x[3:6] = x[3:6], x[:3]",
    ),
    Case(
        "swap of rows",
        MATRIX,
        """
A[[0, 2]] = A[[2, 0]]
A[:, 0], A[:, 1] = A[:, 1], A[:, 0].copy()
""",
    ),
    Case(
        "names for one array",
        "x = np.arange(5.0); y = x",
        "x += 1\nz = y\nz -= 2\nw = z[1:]",
    ),
    Case(
        "names part ways",
        "x = np.arange(5.0); y = x",
        "x = x + 1\ny += x\nz = y is x",
    ),
    Case(
        "inputs that overlap",
        "base = np.arange(10.0); a = base[:6]; b = base[4:]",
        "a += 1\nb *= 2\nc = a + b\nbase[5] = 0",
    ),
    Case(
        "input passed under two names, the second time only",
        "x = np.arange(4.0); y = x if RUN else x + 0",
        "x += 1\nz = y * 2",
    ),
    Case(
        "read-only input",
        "x = np.arange(5.0); x.flags.writeable = False",
        "y = x * 2\nv = x[1:]\nw = v.flags.writeable\nz = x.copy()\nz[0] = 1",
    ),
    Case(
        "write into a read-only input",
        "x = np.arange(5.0); x.flags.writeable = False",
        "y = x * 2\nx[0] = 1\nz = y + 1",
    ),
    Case(
        "input becomes read-only",
        "x = np.arange(5.0)\nif RUN: x.flags.writeable = False",
        "y = x * 2\nx[0] = 1\nz = y + 1",
    ),
    Case(
        "broadcast view is read-only",
        VECTOR,
        """
B = np.broadcast_to(x, (3, 7))
w = B.flags.writeable
C = B + 1
s = B.strides
D = B[1]
""",
    ),
    Case(
        "broadcast_arrays",
        VECTOR,
        "p, q = np.broadcast_arrays(x[:3], np.ones((2, 1)))\nr = p * q",
    ),
    Case(
        "newaxis and ellipsis",
        MATRIX,
        """
a = A[np.newaxis]
b = A[..., np.newaxis]
c = A[..., 1]
d = A[1, ...]
e = A[...]
f = A[None, :, None, 1:3]
g = (a - b[:, :, 0]).sum()
e[0] = 9
""",
    ),
    Case(
        "reshapes that copy and that do not",
        MATRIX,
        """
a = A.reshape(4, 3)
b = A.reshape(2, -1)
c = A.T.reshape(12)
d = A.ravel()
e = A.flatten()
f = A[:, 1:].ravel()
e[0] = 77
d[1] = 88
g = np.reshape(A, (6, 2), order="F")
""",
    ),
    Case(
        "axes moved",
        "X = np.arange(24.0).reshape(2, 3, 4) + RUN",
        """
a = X.transpose(2, 0, 1)
b = np.moveaxis(X, 0, -1)
c = X.swapaxes(0, 2)
d = np.rollaxis(X, 2)
e = X[:1].squeeze()
f = np.expand_dims(X, (0, 2))
g = (a * 2).strides
h = c + c
""",
    ),
    Case(
        "diagonal",
        SQUARE,
        """
d = A.diagonal()
e = np.diag(A)
f = np.diag(b)
g = np.trace(A)
i = A.diagonal(1).copy()
np.fill_diagonal(A, 7)
""",
    ),
    Case(
        "store of a scalar, a list and a broadcast row",
        MATRIX,
        """
A[0] = 1
A[1] = [1, 2, 3, 4]
A[:, 0] = b = np.array([7.0, 8, 9])
A[2, 1:3] = A[0, :2]
A[1:, ::2] -= A[0, 0]
""",
    ),
    Case(
        "store that converts",
        INTEGERS,
        """
n[0] = 3.9
n[1:3] = np.array([1.5, -1.5])
n[3] = True
f = np.zeros(3, np.float32)
f[:] = np.pi
f[1] = 2
z = np.zeros(2, complex)
z[0] = 1
""",
    ),
    Case(
        "in-place with conversion",
        "i = np.arange(5, dtype=np.int32); f = np.ones(5, np.float32)",
        """
f += i
f *= np.arange(5.0)
i += 2
i //= 2
i **= 2
i <<= 1
f /= 3
""",
    ),
    Case(
        "in-place that NumPy refuses",
        INTEGERS,
        """
m = n * 2
n += 1
n += 0.5
k = n * 2
""",
    ),
    Case(
        "fancy reads",
        MATRIX,
        """
a = A[[0, 2]]
b = A[[0, 2], [1, 3]]
c = A[:, [3, 0]]
d = A[np.array([[0, 1], [2, 0]]), 1]
e = A[np.ix_([0, 2], [1, 2])]
f = A[[True, False, True]]
g = A[np.array([-1, 0])]
h = A[1, [0, 0, 1]]
a[0] = -1
""",
    ),
    Case(
        "fancy writes",
        MATRIX,
        """
A[[0, 2], [1, 3]] = [10, 20]
A[:, [0, 1]] += 1
A[[0, 0, 1]] += 1
i = np.array([1, 1, 2])
A[i, 0] -= 5
np.add.at(A, (i, 1), 1)
""",
    ),
    Case(
        "indices that change",
        "x = np.arange(10.0); i = np.array([1, 3, 5]) + RUN; k = 2 + RUN",
        """
a = x[i]
b = x[k]
c = x[k:]
d = x[i[0]]
x[k] = -1
x[i] = 0
""",
    ),
    Case(
        "boolean masks",
        VECTOR,
        """
m = x > 1.5
a = np.where(m, x, -x)
x[m] = 0
x[~m] += 10
x[(x > 5) & (x < 100)] *= 2
c = m.sum()
d = np.count_nonzero(m)
""",
    ),
    Case(
        "selection by a mask",
        VECTOR,
        """
y = x * 2
s = y[y > 3]
t = s.sum()
z = x + 1
w = np.nonzero(x > 1)[0]
""",
    ),
    Case(
        "mask over rows and planes",
        MATRIX,
        """
m = A > 3
A[m] = A[m] * 10
A[A.sum(axis=1) > 100] = 0
B = np.where(m.any(axis=0), A, 1)
A[:, m[0]] = -2
""",
    ),
    Case(
        "where with mixed dtypes",
        "x = np.arange(-3, 4) + RUN",
        """
a = np.where(x > 0, x, 0.5)
b = np.where(x > 0, 1, 0)
c = np.where(x > 0, np.float32(1), 0)
d = np.where(x > 0, True, x)
e = np.where(x > 0, 1.0, 0)
f = np.where(True, x, 0)
g = np.select([x < 0, x == 0], [-x, 100], default=x * 2)
h = np.clip(x, 0, 2)
k = np.choose(x.clip(0, 1), [x, x * 10])
""",
    ),
    # -- reductions and scans
    Case(
        "reductions",
        MATRIX,
        """
a = A.sum()
b = A.sum(axis=0)
c = A.mean(axis=1, keepdims=True)
d = A - c
e = A.max(axis=(0, 1))
f = A.argmax()
g = A.argmin(axis=1)
h = A.std(ddof=1)
i = A.prod(axis=-1)
j = np.ptp(A, axis=0)
k = np.any(A > 3), np.all(A > -10, axis=0)
l = A.var(axis=0)
""",
    ),
    Case(
        "reductions of small integers",
        "u = np.arange(250, 256, dtype=np.uint8); i = np.arange(-3, 3, dtype=np.int8)",
        """
a = u.sum()
b = i.sum(axis=0)
c = u.prod()
d = u.mean()
e = i.cumsum()
f = np.sum(u, dtype=np.uint8)
g = i.max()
h = i.var()
j = (u > 252).sum()
k = np.add.reduce(u)
l = np.cumprod(i)
m = (u > 252).mean()
""",
    ),
    Case(
        "reductions with where and initial",
        MATRIX,
        """
a = A.sum(where=A > 2)
b = np.max(A, initial=-1.0, where=A < 5)
c = A.mean(axis=0, where=A > 0)
d = np.sum(A, axis=0, initial=100)
e = np.min(A, axis=1, initial=3)
""",
    ),
    Case(
        "reductions into out",
        MATRIX,
        """
o = np.empty(4)
r = A.sum(axis=0, out=o)
s = r is o
np.mean(A, axis=0, out=o)
t = np.cumsum(A, axis=1, out=A)
""",
    ),
    Case(
        "reductions of nothing",
        "e = np.zeros((0, 3))",
        """
a = e.sum()
b = e.sum(axis=0)
c = e.prod(axis=1)
d = e * 2
f = np.concatenate([e, np.ones((1, 3))])
g = e.all()
h = e.reshape(3, 0).T
""",
    ),
    Case(
        "maximum of nothing",
        "e = np.zeros(0)",
        "a = e + 1\nb = a.max()\nc = 3",
    ),
    Case(
        "mean of nothing",
        "e = np.zeros(0)",
        "a = e + 1\nb = a.mean()\nc = a.sum()",
    ),
    Case(
        "scans",
        VECTOR,
        """
a = np.cumsum(x)
b = x.cumprod()
c = np.diff(x)
d = np.diff(x, n=2)
e = np.maximum.accumulate(np.sin(x))
f = np.add.accumulate(x[::2])
g = np.ediff1d(x)
h = np.gradient(x)
i = np.trapezoid(x, dx=0.5)
""",
    ),
    Case(
        "elements in C order",
        "x = np.arange(12.0).reshape(3, 4) + RUN\ny = x.T",
        """
a = x.flat[5]
b = x.flat[[1, 4]]
c = x.flat[2:9:2]
d = y.flat[3:6]
e = y.flat[-1]
x.flat[::5] = 1
y.flat[[0, 7]] = -3, -4
y.flat[2] = c[0]
f = x.sum()
g = len(x.flat), sum(v for v in x[0].flat)
h = x.flat[x.argmax()]
i = type(x.flat), isinstance(x.flat, np.flatiter), type(x.sum)
""",
    ),
    Case(
        "fields of bytes",
        "x = np.arange(3.0)",
        """
y = np.eye(3)
a = y.getfield(np.float64)
y.setfield(3, np.int32)
b = y.getfield(np.int32)
c = y.sum()
""",
        captured=False,
    ),
    Case(
        "nan reductions",
        "x = np.array([1.0, np.nan, 3.0, -np.inf, np.inf])[: 4 + RUN]",
        """
a = np.nansum(x)
b = np.nanmax(x)
c = np.nanmean(x[:3])
d = np.isnan(x).sum()
e = x.max()
f = np.fmax(x, 0)
g = np.maximum(x, 0)
h = np.nan_to_num(x)
i = x.argmax(), np.nanargmax(x)
j = np.sign(x)
""",
    ),
    # -- numbers
    Case(
        "scalars and 0-d arrays",
        VECTOR,
        """
a = x[0]
b = x[0:1].reshape(())
c = a + 1
d = b + 1
e = np.sqrt(b)
f = x.sum()
g = np.asarray(f)
h = b[()]
i = float(a)
j = np.float32(2) * 3
k = b[...]
l = np.array(2.5)
m = a * b
n = -b
""",
    ),
    Case(
        "types of scalars",
        VECTOR,
        """
a = isinstance(x[0], float), isinstance(x.sum(), np.floating), isinstance(x, np.ndarray)
b = type(x[0]), type(x.sum()), type(x), type(x > 1)
c = x[0].dtype, x.sum().item()
d = round(x[1], 1), abs(x[0]), int(x[2]), bool(x[0] > 0)
e = x[0] > 0
f = not e
g = x.shape[0] / 2
""",
    ),
    Case(
        "Python numbers are weak",
        "f = np.ones(3, np.float32); i = np.ones(3, np.int8); u = np.ones(2, np.uint8); k = 3 + RUN",
        """
a = f * 2.5
b = i + 100
c = i * 0.5
d = u + k
e = f + np.float64(1)
g = f + np.array(1.0)
h = i + np.int64(1)
j = f * 1j
l = u - 1
m = k * f
n = i / k
o = f ** 2
p = k ** i
""",
    ),
    Case(
        "a Python integer too large",
        "u = np.ones(3, np.uint8)",
        "a = u + 1\nb = u + 300\nc = 1",
    ),
    Case(
        "integer overflow wraps",
        "i = np.array([127, -128, 100], np.int8); u = np.array([0, 255], np.uint8)",
        """
a = i + np.int8(1)
b = -i
c = u - np.uint8(1)
d = u * 2
e = i * i
f = np.abs(i)
g = np.arange(3) * 2**62
h = np.square(i)
j = i << 3
""",
    ),
    Case(
        "scalar overflow warns",
        "a = np.int8(100) + np.int8(RUN); x = np.arange(3.0)",
        "y = x + 1\nb = a + a\nz = y * 2",
        fallbacks=1,
    ),
    Case(
        "unsigned integers of every width",
        "u = [np.arange(4, dtype=t) + t(RUN) for t in (np.uint8, np.uint16, np.uint32, np.uint64)]",
        """
a, b, c, d = u
e = a + b
f = b * c
g = c - d
h = d // 2
i = d % np.uint64(3)
j = b >> 1
k = ~c
l = a + np.int8(1)
m = d + 1
n = d + np.int64(1)
o = d / 2
p = (b.sum(), c.max(), d.mean())
""",
    ),
    Case(
        "division and remainder",
        INTEGERS,
        """
a = n / 3
b = n // 3
c = n % 3
d = n // -3
e = n % -3
f = divmod(n, 4)
g = np.fmod(n, 3)
h = n / 2.0
i = (n * 1.5) // 0.7
j = (n * 1.5) % -0.7
k = np.remainder(n, 5)
l = n ** 2
m = 2.0 ** n
""",
    ),
    Case(
        "integer division by zero warns",
        "n = np.arange(4) - 1 + RUN; z = np.array([0, 1, 2, 0])",
        "a = n * 2\nb = n // z\nc = n % z\nd = a + 1",
        fallbacks=2,
    ),
    Case(
        "division by zero warns",
        "x = np.array([1.0, 0.0, -1.0]) + RUN",
        "a = x * 2\nb = 1 / x\nc = np.log(x)\nd = a + 1",
        fallbacks=3,
    ),
    Case(
        "errstate",
        "x = np.array([1.0, 0.0, -1.0])",
        """
with np.errstate(divide="ignore", invalid="ignore"):
    a = 1 / x
    b = np.sqrt(x)
c = x + 1
""",
    ),
    Case(
        "errstate raises",
        "x = np.array([1.0, 0.0, -1.0])",
        """
y = x + 1
with np.errstate(divide="raise"):
    z = y * 2
    a = 1 / x
""",
    ),
    Case(
        "seterr",
        "x = np.array([1.0, 0.0, -1.0]); old = np.seterr(all='ignore')",
        "a = 1 / x\nb = np.log(x)\nnew = np.seterr(**old)",
    ),
    Case(
        "complex",
        "z = np.array([1 + 2j, -3j, 0.5]) * (1 + RUN); x = np.arange(3.0)",
        """
a = z.real
b = z.imag
c = np.abs(z)
d = z.conj()
e = np.angle(z)
f = z * x
g = np.exp(1j * x)
h = z @ z.conj()
z.real = 0
z.imag[0] = 5
i = np.sqrt(z)
j = x.imag
k = x.real is x
l = np.vdot(z, z)
""",
    ),
    Case(
        "booleans",
        "p = np.array([True, False, True, False]); q = np.array([True, True, False, False])",
        """
a = p & q
b = p | q
c = p ^ q
d = ~p
e = p + q
f = p * 1.5
g = p.sum()
h = p == q
i = np.logical_and(p, q)
j = p.astype(int)
k = p + 1
l = p.any() and not q.all()
m = p < q
""",
    ),
    Case(
        "boolean subtraction is an error",
        "p = np.array([True, False])",
        "q = ~p\nr = p - q",
    ),
    Case(
        "half and single precision",
        "h = np.linspace(0, 1, 5).astype(np.float16); f = np.linspace(0, 1, 5, dtype=np.float32)",
        """
a = h + h
b = h * 2.5
c = h + f
d = h.sum()
e = f.mean()
g = f ** 2 + np.pi
i = np.sin(f)
j = f.astype(np.float16)
k = h @ h
""",
    ),
    Case(
        "conversions",
        "x = np.array([-1.7, 0.0, 2.5, 300.9]) + RUN",
        """
a = x.astype(int)
b = x.astype(np.int32)
c = x.astype(bool)
d = x.astype(np.float32)
e = x.astype(complex)
f = np.round(x)
g = np.rint(x)
h = np.trunc(x)
i = np.floor(x), np.ceil(x)
j = np.array([1, 2, 3], dtype=float)
k = np.asarray(x, dtype=np.float32)
l = x.astype(float, copy=False) is x
m = np.round(x, 1)
n = x.round(-1)
""",
    ),
    Case(
        "comparisons",
        VECTOR,
        """
a = x > 2
b = (x > 1) & (x < 3)
c = x == x[::-1]
d = x != 1
e = np.allclose(x, x + 1e-12)
f = np.array_equal(x, x.copy())
g = 1 < x[3] < 5
h = np.isclose(x, 1.5)
i = x.max() == x[-1]
j = np.isfinite(x).all()
""",
    ),
    Case(
        "mathematics",
        VECTOR,
        """
a = np.sin(x) ** 2 + np.cos(x) ** 2
b = np.exp(-x) * np.log1p(x)
c = np.sqrt(x) + np.cbrt(x)
d = np.arctan2(x, 2) + np.hypot(x, 1)
e = np.sinh(x) - np.cosh(x) + np.tanh(x)
f = np.floor(x) + np.ceil(x) - np.sign(x)
g = np.degrees(x), np.radians(x)
h = np.power(x, 3) + x ** 0.5 + x ** -1
i = np.expm1(x) + np.log2(x) + np.log10(x)
j = np.modf(x)
k = np.copysign(x, -1)
l = np.logaddexp(x, 1)
m = np.heaviside(x - 2, 0.5)
""",
    ),
    Case(
        "bit arithmetic",
        INTEGERS,
        """
a = n & 3
b = n | 8
c = n ^ 5
d = ~n
e = n << 2
f = n >> 1
g = np.bitwise_and(n, 1) == 0
h = np.bitwise_count(n)
i = np.gcd(n, 12)
j = np.left_shift(1, np.arange(5))
""",
    ),
    # -- creation
    Case(
        "creation",
        "k = 4 + RUN; x = np.arange(3, dtype=np.float32)",
        """
a = np.zeros(k)
b = np.ones((2, k), dtype=int)
c = np.full(3, 7)
d = np.full((2, 2), 0.5, dtype=np.float32)
e = np.arange(k)
f = np.arange(1, 2, 0.25)
g = np.linspace(0, 1, k)
h = np.eye(3)
i = np.zeros_like(x)
j = np.full_like(x, 2)
l = np.identity(2)
m = np.arange(3) / 2
n = np.array([[1, 2], [3, 4]])
o = np.array([x[0], 1.5, 2])
p = np.empty(x.shape, dtype=x.dtype)
p[:] = 1
q = np.linspace(0, 1, 5, endpoint=False, retstep=True)
r = np.logspace(0, 2, 3)
s = np.tri(3)
""",
    ),
    Case(
        "meshgrid and grids",
        VECTOR,
        """
X, Y = np.meshgrid(x, np.arange(3.0))
Z = X * Y
I, J = np.meshgrid(x[:2], x[:3], indexing="ij")
K = np.meshgrid(x[:2], x[:3], sparse=True)
g = np.mgrid[0:3, 0:2]
o = np.ogrid[0:3, 0:2]
r = np.r_[x, 1, 2]
c = np.c_[x, x]
i = np.indices((2, 3))
""",
    ),
    Case(
        "array of arrays",
        VECTOR,
        """
a = np.array([x, x * 2])
b = np.array([[x[0], x[1]], [1, 2]])
c = np.array([float(v) for v in x])
d = np.array((x.sum(), x.mean()))
e = np.array([x.tolist(), list(x)])
""",
    ),
    Case(
        "joining",
        VECTOR,
        """
a = np.concatenate([x, x[::-1]])
b = np.stack([x, x])
c = np.vstack([x, x + 1])
d = np.hstack((x, [1, 2]))
e = np.column_stack([x, x])
f = np.tile(x, 2)
g = np.repeat(x[:3], 2)
h = np.append(x, 5)
i = np.roll(x, 2)
j = np.concatenate([x, np.max(x)[None]])
k = np.concatenate([x.astype(np.float32), np.arange(2)])
l = np.pad(x, 1)
m = np.pad(x, (2, 1), mode="edge")
n = np.repeat(x[:3], [1, 0, 2])
o = np.insert(x, 1, 9)
p = np.delete(x, 0)
q = np.block([[np.eye(2), np.zeros((2, 1))]])
""",
    ),
    Case(
        "splitting",
        MATRIX,
        """
a, b = np.split(A, [1])
c = np.array_split(A, 3, axis=1)
d, e = np.hsplit(A, 2)
p, q, r = A
d[...] = 0
s = type(c)
first, *rest = A
""",
    ),
    Case(
        "sorting",
        "x = np.array([3.0, 1.0, 2.0, 1.0, -5.0]) * (1 - 2 * RUN); A = x[:4].reshape(2, 2)",
        """
a = np.sort(x)
b = np.argsort(x, kind="stable")
c = x[b]
d = np.sort(A, axis=0)
e = sorted(x)
f = np.searchsorted(a, [0, 2.5])
g = np.median(x)
h = np.percentile(x, [25, 50])
i = np.partition(x, 2)[2]
j = np.unique(x)
k = np.lexsort((x, x > 0))
x.sort()
l = x[::-1]
""",
    ),
    Case(
        "counting",
        "n = np.array([0, 1, 1, 3, 2, 1, 7]) + RUN",
        """
a = np.bincount(n)
b = np.bincount(n, weights=n * 0.5, minlength=10)
c = np.unique(n, return_counts=True)
d = np.histogram(n, bins=3)
e = np.isin(n, [1, 7])
f = np.digitize(n, [1, 3])
g = np.flatnonzero(n == 1)
h = np.argwhere(n > 2)
""",
        fallbacks=1,  # how long a bincount is depends on the values
    ),
    # -- ufuncs
    Case(
        "out=",
        VECTOR,
        """
o = np.empty_like(x)
p = np.multiply(x, 2, out=o)
q = p is o
np.sin(o, o)
np.add(x, 1, out=x)
r = np.empty(7, np.float32)
np.sqrt(x, out=r, casting="same_kind")
np.divmod(x, 2, out=(o, x))
""",
    ),
    Case(
        "where=",
        VECTOR,
        """
o = np.zeros_like(x)
np.divide(1, x, out=o, where=x > 1)
np.add(x, 5, out=x, where=x < 2)
s = np.sum(x, where=[True, False] * 3 + [True])
""",
    ),
    Case(
        "ufunc methods",
        MATRIX,
        """
a = np.add.reduce(A, axis=1)
b = np.multiply.accumulate(A[0])
c = np.subtract.outer(A[0], A[1])
d = np.add.reduceat(A[0], [0, 2])
e = np.maximum.reduce(A)
f = np.logical_or.reduce(A > 5, axis=0)
g = np.multiply.outer(np.arange(3), np.arange(2))
h = np.zeros(4)
np.add.at(h, [0, 1, 1], 1)
i = np.minimum.reduce(A, axis=None)
""",
    ),
    Case(
        "dtype= and casting=",
        VECTOR,
        """
a = np.add(x, 1, dtype=np.float32)
b = np.sum(x, dtype=np.float32)
c = np.multiply(x, 2, casting="unsafe", dtype=np.float32)
d = np.mean(x.astype(np.float32), dtype=float)
""",
    ),
    Case(
        "casting= that NumPy refuses",
        VECTOR,
        "y = x * 2\nz = np.add(x, 1, dtype=np.int32)\nw = y + 1",
    ),
    # -- linear algebra and fft
    Case(
        "products",
        SQUARE,
        """
a = A @ b
c = A @ A
d = b @ b
e = np.dot(A, b)
f = np.outer(b, b)
g = np.inner(b, b)
h = np.einsum("ij,j->i", A, b)
i = np.tensordot(A, A, axes=1)
j = np.kron(np.eye(2), A)
k = np.cross(b, b[::-1])
l = A.dot(A.T)
m = np.matmul(A[None], A[None])
n = np.arange(4).reshape(2, 2) @ np.arange(4).reshape(2, 2)
o = np.einsum("ii", A), np.einsum("ij->ji", A)
p = A.T @ A
""",
    ),
    Case(
        "linear algebra",
        SQUARE,
        """
a = np.linalg.solve(A, b)
c = np.linalg.inv(A)
d = np.linalg.det(A)
e = np.linalg.norm(b), np.linalg.norm(A, axis=1)
f = np.linalg.cholesky(A + 5 * np.eye(3))
g = np.abs(np.linalg.eigvalsh(A))
h = np.linalg.matrix_rank(A)
i = np.linalg.slogdet(A)
j = np.linalg.lstsq(A, b, rcond=None)[0]
k = np.linalg.matrix_power(A, 3)
l = np.linalg.svd(A, compute_uv=False)
m = np.linalg.pinv(A)
n = np.linalg.cond(A)
""",
    ),
    Case(
        "decompositions",
        SQUARE,
        """
w, V = np.linalg.eigh(A)
R = V @ np.diag(w) @ V.T
U, s, Vt = np.linalg.svd(A)
S = (U * s) @ Vt
Q, T = np.linalg.qr(A)
P = Q @ T
r = np.linalg.svd(A)
t = r.S
""",
    ),
    Case(
        "singular matrix",
        SQUARE,
        """
c = A * 2
Z = np.zeros((3, 3))
e = np.linalg.inv(Z)
f = 1
""",
    ),
    Case(
        "singular the second time only",
        "A = np.eye(2) * (1 - RUN); b = np.ones(2)",
        "c = b * 2\nx = np.linalg.solve(A, c)\nd = x + 1",
        fallbacks=1,
    ),
    Case(
        "fourier transforms",
        "x = np.sin(np.arange(16) * 0.7) + RUN; f = x.astype(np.float32)",
        """
a = np.fft.fft(x)
b = np.fft.ifft(a)
c = b.real
d = np.fft.rfft(x)
e = np.fft.irfft(d)
g = np.fft.fftfreq(16, d=0.5)
h = np.abs(a) ** 2
i = np.fft.fftshift(h)
j = np.fft.fft2(x.reshape(4, 4))
k = np.fft.rfft(f)
l = np.fft.fft(x, n=8)
m = np.fft.fft(x, norm="ortho")
""",
    ),
    Case(
        "convolution and interpolation",
        VECTOR,
        """
a = np.convolve(x, [1, 2, 1])
b = np.convolve(x, np.ones(3) / 3, mode="same")
c = np.correlate(x, [1, 0, -1], mode="valid")
d = np.interp([0.5, 1.5], np.arange(7.0), x)
e = np.polyval([1, 2, 3], x)
f = np.polyfit(np.arange(7.0), x, 1)
g = np.cov(x, x ** 2)
h = np.corrcoef(x, x ** 2)
""",
    ),
    # -- functions
    Case(
        "function of the cell",
        VECTOR,
        """
def scale(v, by=2.0):
    return v * by

a = scale(x)
b = scale(x, by=3)
c = scale(v=x[1:], by=x[0])
""",
    ),
    Case(
        "function that writes into its argument",
        VECTOR,
        """
def halve(v):
    v /= 2
    return v

y = halve(x)
same = y is x
z = halve(x[2:])
""",
    ),
    Case(
        "function that returns several values",
        VECTOR,
        """
def moments(v):
    m = v.mean()
    return m, ((v - m) ** 2).mean()

m, s = moments(x)
both = moments(x * 2)
k = len(both)
""",
    ),
    Case(
        "function with loops and early returns",
        VECTOR,
        """
def newton(v, steps):
    r = v
    for _ in range(steps):
        r = 0.5 * (r + v / r)
    if steps > 3:
        return r
    return -r

a = newton(x, 5)
b = newton(x, 2)
""",
    ),
    Case(
        "recursion",
        VECTOR,
        """
def total(v):
    if v.shape[0] == 1:
        return v[0]
    h = v.shape[0] // 2
    return total(v[:h]) + total(v[h:])

t = total(x)
""",
    ),
    Case(
        "closures",
        VECTOR,
        """
def make(k):
    def inner(v):
        return v * k + offset
    return inner

offset = 1.0
f, g = make(2), make(3)
a = f(x)
offset = 10.0
b = g(x) - f(x)
""",
    ),
    Case(
        "closure with a cell that changes",
        VECTOR,
        """
def counter():
    count = 0
    def step(v):
        nonlocal count
        count += 1
        return v * count
    return step

s = counter()
a = s(x)
b = s(x)
c = s(x) + s(x)
""",
        captured=False,
    ),
    Case(
        "lambdas",
        VECTOR,
        """
sq = lambda v: v * v
add = lambda v, k=1: v + k
a = sq(x)
b = add(sq(x), k=x[0])
c = (lambda v: v - 1)(a)
d = list(map(sq, [x, a]))
""",
    ),
    Case(
        "star arguments",
        VECTOR,
        """
def combine(*arrays, scale=1, **more):
    total = np.zeros_like(arrays[0])
    for a in arrays:
        total += a
    return total * scale + more.get("shift", 0)

p = combine(x, x, x)
q = combine(*[x, x * 2], **{"scale": 3, "shift": x[0]})
""",
    ),
    Case(
        "mutable default",
        VECTOR,
        """
def remember(v, seen=[]):
    seen.append(v.sum())
    return len(seen), v * len(seen)

a = remember(x)
b = remember(x)
kept = remember.__defaults__[0]
""",
    ),
    Case(
        "array default",
        VECTOR,
        """
def shift(v, by=np.ones(7)):
    by += 1
    return v + by

a = shift(x)
b = shift(x)
""",
    ),
    Case(
        "nested functions",
        VECTOR,
        """
def outer(v):
    def inner(w):
        return np.sqrt(w) + v
    return inner(v) * inner(v + 1)

a = outer(x)
""",
    ),
    Case(
        "function that prints",
        VECTOR,
        """
def loud(v):
    w = v * 2
    print("sum", w.sum())
    return w + 1

a = loud(x)
b = loud(a)
""",
    ),
    Case(
        "function that raises",
        VECTOR,
        """
def check(v):
    w = v * 2
    if w.max() > 0:
        raise ValueError(f"too large: {w.max():.3f}")
    return w

y = x + 1
check(y)
z = 3
""",
    ),
    Case(
        "function that fails inside NumPy",
        VECTOR,
        """
def bad(v):
    w = v * 2
    u = w.reshape(2, -1)
    return u

y = x + 1
bad(y)
""",
    ),
    Case(
        "function with a global that changes",
        VECTOR + "; factor = 2 + RUN",
        """
def times(v):
    return v * factor

a = times(x)
factor = 5
b = times(x)
for factor in range(3):
    c = times(x) + c if factor else times(x)
""",
    ),
    Case(
        "function that writes a global",
        VECTOR,
        """
calls = 0
def count(v):
    global calls
    calls += 1
    return v + calls

a = count(x)
b = count(x) * calls
""",
        captured=False,
    ),
    Case(
        "function passed to a function",
        VECTOR,
        """
def apply(f, v, times):
    for _ in range(times):
        v = f(v)
    return v

a = apply(np.sin, x, 3)
b = apply(lambda v: v / 2, x, 2)
c = apply(np.ndarray.copy, x, 1)
""",
    ),
    # -- control flow
    Case(
        "loop that carries an array",
        VECTOR,
        """
y = x
for k in range(4):
    y = y * 0.5 + k
    z = y.sum()
""",
    ),
    Case(
        "loop that writes in place",
        "u = np.zeros(8); u[3] = 1 + RUN",
        """
v = np.empty_like(u)
for step in range(5):
    v[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
    v[0], v[-1] = v[1], v[-2]
    u, v = v, u
""",
    ),
    Case(
        "loop over rows",
        MATRIX,
        """
rows = []
for i, row in enumerate(A):
    row -= row.mean()
    rows.append(row)
total = sum(rows)
for a, b in zip(A, A[1:]):
    d = b - a
""",
    ),
    Case(
        "loop over indices",
        MATRIX,
        """
B = np.zeros((4, 3))
for i in range(3):
    for j in range(4):
        B[j, i] = A[i, j] * 2
B[i, 0] = j
""",
    ),
    Case(
        "loop with break, continue and else",
        VECTOR,
        """
s = 0.0
for k in range(10):
    if k % 2:
        continue
    y = x * k
    s += y.sum()
    if s > 50:
        break
else:
    s = -1.0
for k in range(2):
    y = x - k
else:
    z = y + 1
""",
    ),
    Case(
        "while that depends on values",
        VECTOR,
        """
y = x.copy()
count = 0
while y.max() > 0.5:
    y *= 0.5
    count += 1
""",
    ),
    Case(
        "if that depends on values",
        "x = np.arange(4.0) - 2 + 3 * RUN",
        """
if x.sum() > 0:
    y = x * 2
elif x[0] < 0:
    y = -x
else:
    y = x
z = y + 1 if y.any() else y - 1
w = x.max() if x.max() > 2 else 0
""",
    ),
    Case(
        "prints in loops",
        VECTOR,
        """
for k in range(3):
    y = x + k
    print(k, y.sum(), y[:2])
    z = y * 2
print(f"{z.mean():.6f}")
""",
    ),
    Case(
        "try around a failing NumPy call",
        VECTOR,
        """
y = x * 2
try:
    z = y * 3
    w = y.reshape(3, 3)
    v = 1
except ValueError as error:
    message = str(error)
    y += 1
else:
    y = None
finally:
    k = y - 1
""",
    ),
    Case(
        "try inside a loop",
        VECTOR,
        """
done = []
for n in (7, 3, 1):
    try:
        y = x.reshape(n, -1) * 2
        done.append(y.shape)
    except ValueError:
        done.append(None)
y = y + 1
""",
    ),
    Case(
        "partial effects before an error",
        VECTOR,
        """
y = x[:3]
y += 1
x[0] = 50
z = x * 2
w = np.ones(3) @ np.ones(4)
x[1] = 60
""",
    ),
    Case(
        "partial effects of a failing statement",
        VECTOR,
        """
y = x * 2
a, x[0], b = y.sum(), -1.0, y.reshape(5)
""",
    ),
    Case(
        "unknown name after work",
        VECTOR,
        "y = x * 2\nz = y + missing\nw = 1",
    ),
    Case(
        "index out of bounds",
        VECTOR,
        "y = x * 2\ny[3] = 1\nz = y[10]\nw = 1",
    ),
    Case(
        "index out of bounds the second time only",
        "x = np.arange(4.0); k = 2 + 3 * RUN; i = np.array([0, 1 + 4 * RUN])",
        "y = x * 2\nz = y[k]\nw = y[i]",
        fallbacks=1,
    ),
    Case(
        "fancy index out of bounds the second time only",
        "x = np.arange(4.0); i = np.array([0, 1 + 4 * RUN])",
        "y = x * 2\nw = y[i]\nx[i] = 3",
        fallbacks=2,
    ),
    Case(
        "shapes that do not match",
        MATRIX,
        "B = A * 2\nC = B + np.ones(3)\nD = 1",
    ),
    Case(
        "warning from Python code",
        VECTOR,
        """
import warnings
y = x * 2
warnings.warn("mind the gap", UserWarning)
z = y + 1
""",
    ),
    # -- containers and attributes
    Case(
        "list of arrays",
        VECTOR,
        """
parts = [x, x * 2, x[1:]]
parts.append(x + 1)
parts[0] = parts[1] + 1
s = sum(p.sum() for p in parts)
first, *others = parts
both = [p * 2 for p in parts[:2]]
k = len(parts)
""",
    ),
    Case(
        "dict of arrays",
        VECTOR,
        """
params = {"w": x, "b": 0.5}
params["w"] = params["w"] * 2
params["b"] += 1
out = params["w"] + params["b"]
new = {k: v * 2 for k, v in params.items()}
params["w"][0] = -1
""",
    ),
    Case(
        "list of the setup",
        "x = np.arange(3.0); items = [x, x + 1]; table = {'a': x}",
        """
y = items[0] * 2
items[1] += 1
items.append(y)
table["a"][1] = 7
table["b"] = items[1] - 1
z = x + 1
""",
    ),
    Case(
        "reading attributes",
        MATRIX,
        """
a = A.shape, A.ndim, A.size, A.dtype, A.nbytes, A.itemsize, A.strides
b = A.T.shape
c = A.flags.c_contiguous, A.T.flags["F_CONTIGUOUS"], A.flags.owndata
d = A[1:].base is A
e = len(A)
f = A.dtype == np.float64, A.dtype.kind, np.dtype(np.int8).itemsize
g = A.flat[3]
h = np.ndim(A), np.shape(A), np.size(A, 0)
m, n = A.shape
i = np.zeros((n, m), A.dtype)
j = A * A.size
k = np.finfo(A.dtype).eps, np.iinfo(np.int32).max
""",
    ),
    Case(
        "attributes that are set",
        "x = np.arange(6.0); o = type('Box', (), {})()",
        """
o.value = x * 2
o.value += 1
y = o.value - x
x.shape = (2, 3)
z = x.T + 1
""",
    ),
    Case(
        "functions that change an array",
        VECTOR,
        """
np.copyto(x, 3, where=x > 2)
y = np.zeros(4)
np.put(y, [0, 2], [-1, -2])
y.fill(2)
np.putmask(x, x == 3, 5)
np.place(x, x > 4, [1, 2])
z = np.array([3, 1, 2])
z.sort()
y.put([1], 7)
np.fill_diagonal(B := np.ones((3, 3)), 0)
x.partition(2)
""",
    ),
    Case(
        "iterating over an array",
        VECTOR,
        """
total = 0.0
for v in x:
    total += v * 2
vals = [v for v in x]
t = tuple(x[:2])
l = x.tolist()
lo, hi = x[0], x[-1]
m = max(x), min(x), sum(x)
r = list(reversed(x))
has = 0.5 in x
""",
    ),
    Case(
        "text of arrays",
        VECTOR,
        """
y = x * 2
s = str(y)
r = repr(y[:2])
f = f"{y[0]:.2f} {y}"
b = y.tobytes()
z = y + 1
""",
    ),
    Case(
        "random numbers, legacy",
        "np.random.seed(3 + RUN)",
        """
a = np.random.rand(3)
b = a * 2
c = np.random.randn(2, 2) @ np.random.normal(size=2)
d = np.random.randint(0, 10, 5)
np.random.shuffle(d)
e = d.sum() + np.random.choice(d)
""",
    ),
    Case(
        "random numbers, Generator",
        "rng = np.random.default_rng(5 + RUN)",
        """
a = rng.random(4)
b = np.sort(a) * 2
c = rng.normal(size=(2, 3)) + rng.integers(0, 5, (2, 3))
d = rng.permutation(4)
e = a[d]
f = np.random.default_rng(1).random(2) + e[:2]
""",
    ),
    Case(
        "random numbers in a loop",
        "rng = np.random.default_rng(5); pos = np.zeros(3)",
        """
for _ in range(4):
    step = rng.normal(size=3)
    pos += step * 0.1
    norm = np.sqrt((pos ** 2).sum())
""",
    ),
    Case(
        "other kinds of arrays",
        "s = np.array(['a', 'bb']); o = np.array([1, 'x'], dtype=object); x = np.arange(3.0)",
        """
t = np.char.upper(s)
u = s == "a"
p = o[1] * 2
d = np.array(["2020-01-01"], dtype="datetime64[D]") + 1
r = np.array([(1, 2.0)], dtype=[("a", int), ("b", float)])
q = r["b"] + x[:1]
m = np.ma.masked_array(x, x > 1)
n = m.sum() + x
mat = np.matrix([[1, 2], [3, 4]]) * np.matrix([[1], [1]])
y = x * 2
""",
    ),
    Case(
        "subclass of ndarray",
        "class Sub(np.ndarray): pass\ns = np.arange(3.0).view(Sub); x = np.arange(3.0)",
        "t = s + 1\nu = s + x\nv = x * 2\nw = s.sum()\nz = v.view(Sub) - 1",
    ),
    Case(
        "byte order and long doubles",
        "b = np.arange(3, dtype='>f8') + RUN; l = np.arange(3, dtype=np.longdouble); x = np.arange(3.0)",
        "c = b * 2\nd = l + 1\ne = x + 1\nf = b + x\ng = b.astype(float) + x",
    ),
    Case(
        "views of other types",
        VECTOR,
        """
i = x.view(np.int64)
b = x.view(np.uint8)
c = (x * 2).view(complex) if x.size % 2 == 0 else x[:6].view(complex)
i[0] = 0
""",
    ),
    Case(
        "strided windows",
        VECTOR,
        """
w = np.lib.stride_tricks.sliding_window_view(x, 3)
m = w.mean(axis=1)
s = np.lib.stride_tricks.as_strided(x, (3, 2), (16, 8))
t = s * 2
""",
    ),
    Case(
        "functions from math and builtins",
        VECTOR,
        """
import math
a = math.sqrt(x[1]) + math.pi
b = math.floor(x.sum())
c = max(x[0], 1.0), min(x[2], 9), pow(x[0], 2)
d = x * math.exp(-1)
e = sum([x, x * 2])
f = float(x.mean()) ** 2
g = int(x.sum()) // 2
h = [0] * int(x[0])
""",
    ),
    Case(
        "from imports",
        VECTOR,
        """
from numpy import sin, pi
import numpy.linalg as la
from numpy.linalg import norm
import numpy
a = sin(x) * pi
b = la.norm(x) + norm(a)
c = numpy.exp(-x)
""",
    ),
    Case(
        "Python numbers that change",
        "x = np.arange(4.0); k = 2 + RUN; f = 0.5 * (RUN + 1); flag = bool(RUN); text = 'sum' if RUN else 'max'",
        """
a = x * k
b = x ** f
k += 1
c = x[:k - 2]
d = x.sum() if flag else x.max()
e = getattr(x, text)()
g = np.full(k, f)
h = f * 2
i = k // 2 + f
""",
    ),
    Case(
        "Python numbers in a loop",
        VECTOR,
        """
t, dt = 0.0, 0.1
energy = []
while t < 0.35:
    x = x + dt * np.cos(t)
    energy.append(float((x ** 2).sum()))
    t += dt
n = len(energy)
""",
    ),
    Case(
        "integer loop numbers keep their type",
        VECTOR,
        """
acc = 0
for k in range(3):
    acc += k * 2
    y = x + acc
    idx = k % 2
    z = x[idx] * k
ratio = acc / 3
""",
    ),
    Case(
        "shape changes between runs",
        "x = np.arange(3.0 + 2 * RUN); y = np.ones((2, x.size))",
        "z = y * x\ns = z.sum(axis=0)\nm = z.mean()\nx[1:-1] = 0",
    ),
    Case(
        "dtype changes between runs",
        "x = np.arange(4, dtype=[np.float64, np.int32][RUN])",
        "z = x * 2\ns = z.sum()\nm = z / 3\nx += 1",
    ),
    Case(
        "layout changes between runs",
        "x = np.arange(12.0).reshape(3, 4)\nif RUN: x = np.asfortranarray(x)",
        "y = x * 2\nz = x.ravel()\nw = x.T.copy()\nv = x.reshape(-1)\nv[0] = -1",
    ),
    Case(
        "kind of object changes between runs",
        "x = [np.arange(4.0), 3.5][RUN]",
        "y = x * 2\nz = np.sqrt(x)\nw = np.asarray(x) + 1",
    ),
    Case(
        "name that is read before it is written",
        VECTOR,
        "y = x * 2\ny = y + 1\nx = y\ndel y\nz = x - 1",
    ),
    Case(
        "displayed array",
        VECTOR,
        "y = x * 2\ny[1:3]",
    ),
    Case(
        "displayed scalar",
        VECTOR,
        "y = x * 2\ny.sum()",
    ),
    Case(
        "displayed tuple",
        VECTOR,
        "y = x * 2\ny.sum(), y.shape, y",
    ),
    Case(
        "semicolon hides the display",
        VECTOR,
        "y = x * 2\ny.sum();",
    ),
    Case(
        "displayed view and last result",
        VECTOR,
        "x[2:]",
        captured=False,
    ),
    Case(
        "plot",
        "import matplotlib; matplotlib.use('Agg'); import matplotlib.pyplot as plt\n" + VECTOR,
        """
y = np.sin(x)
fig, ax = plt.subplots()
line, = ax.plot(x, y)
z = y * 2
ax.set_title(f"max {z.max():.2f}")
data = line.get_xydata().copy()
title = ax.get_title()
plt.close(fig)
del fig, ax, line
w = z + data[:, 1]
""",
    ),
    # -- what once went wrong
    Case(
        "buffers that overlap the second time only",
        "buf = bytearray(64); a = np.frombuffer(buf, count=4); "
        "b = np.frombuffer(buf, offset=32 - 16 * RUN, count=4)",
        "a += 1\nb *= 2\nc = a + b",
        fallbacks=1,
    ),
    Case(
        "a huge Python integer the second time",
        "x = np.arange(3.0); n = np.arange(3); k = 5 if RUN == 0 else 2**70",
        "y = x * k\nz = x * (k * k)\nw = x + 1",
        fallbacks=1,
    ),
    Case(
        "inputs from broadcast_arrays",
        "p, q = np.broadcast_arrays(np.arange(3.0), np.ones((2, 1)))",
        "r = p + q\ns = q * 2\nt = np.ones(2) * 2",
    ),
    Case(
        "0-d arrays that are written",
        "z = np.array(3.0 + RUN); x = np.arange(3.0)",
        """
z += 1
y = z * 2
z[()] = 7
z[...] = x[1]
w = np.add(z, 1, out=z)
v = x + z
f = float(z)
""",
    ),
    Case(
        "special values",
        "x = np.array([0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf])",
        """
a = x + 0.0
b = -x
c = x * -1
d = abs(x)
e = np.sign(x)
f = x ** 0
g = np.minimum(x, 1.0)
h = np.copysign(1, x)
i = np.isnan(x), np.isinf(x), np.signbit(x)
j = x == x, x != x, x > 0
k = np.where(x > 0, x, -x)
l = np.nan_to_num(x)
m = x.argmax(), x.argmin(), x.max()
""",
    ),
    Case(
        "in-place operations with itself",
        VECTOR,
        "y = x * 2\ny += y\nx *= x\ny -= y[::-1]\nnp.add(x, x, x)\nz = y + x",
    ),
    Case(
        "partial writes of a statement that breaks",
        VECTOR,
        "y = x * 2\nv = y[:2]\ny[0], y[10] = 1.0, 2.0",
    ),
    Case(
        "in-place operation that warns",
        "x = np.arange(3.0)",
        "y = x * 2\nv = y[1:]\ny /= x\nz = v + 1",
    ),
    Case(
        "complex numbers into floats",
        "x = np.arange(3.0)",
        "y = x * 2\nv = y[1:]\ny[:] = x * 1j\nz = v + 1",
    ),
    Case(
        "sizes that the graph computes",
        "x = np.arange(6.0) + 1; n = np.array([[2, 1, 3], [3, 1, 2]][RUN])",
        """
s = x * 2
a = np.zeros(n[0])
b = np.arange(n[0])
c = np.ones((n[0], 2))
d = np.full(n[2], 1.5)
e = np.eye(n[0])
f = np.linspace(0, 1, n[0])
g = np.roll(x, n[0])
h = x.reshape(n[0], -1)
i = np.tile(x, n[0])
j = np.repeat(x[:3], n)
k = np.pad(x, n[0])
l = np.empty(n[0]).shape
m = np.zeros_like(x, shape=n[:2])
""",
    ),
    Case(
        "axes and places that the graph computes",
        "A = np.arange(24.0).reshape(2, 3, 4); n = np.array([[0, 1, 2], [1, 0, 2]][RUN])",
        """
B = A * 2
a = A.sum(axis=n[0])
b = np.expand_dims(A, n[0])
c = np.diff(A, n=n[0] + 1)
d = np.split(A, n[1:2] + 1, axis=1)
e = np.take(A, n[0], axis=1)
f = A[n[0]]
g = A[:, n[0]]
h = A[n[0]:]
i = np.moveaxis(A, n[0], 2)
j = np.swapaxes(A, n[0], n[2])
k = A.transpose(n)
l = np.flip(A, n[0])
o = A[n[0], n[1] : n[2]]
""",
    ),
    Case(
        "sizes and places from scalars",
        "x = np.arange(6.0) + 1; k = np.int64(2 + RUN); f = np.float64(1.0 + RUN)",
        """
a = np.zeros(k)
b = np.arange(f)
c = np.linspace(0, f, 4)
d = x[:k]
e = np.arange(0, f, 0.25)
g = x[k]
h = np.roll(x, k)
i = np.full(k, f)
j = x * k + f
l = np.percentile(x, f * 10)
m = np.clip(x, f, k)
""",
    ),
    Case(
        "parameters that change",
        "x = np.linspace(0, 1, 6); k = 1 + RUN; f = 0.5 + RUN; dt = [np.float32, 'f8'][RUN]",
        """
a = np.roll(x, k)
b = np.sum(x.reshape(3, 2), axis=k - 1)
c = x.astype(dt)
d = np.zeros(3, dt)
e = np.clip(x, 0, f)
g = np.quantile(x, f / 2)
h = np.round(x, k)
i = np.diff(x, k)
j = np.full((k, 2), f)
l = np.arange(0, f, 0.2)
m = np.linspace(0, f, k + 2)
n = np.insert(x, k, f)
o = np.eye(3, k=k)
p = np.where(x > f / 2, f, k)
q = x[::k]
r = x[-k]
s = np.repeat(x, k)
t = np.pad(x, k, constant_values=f)
u = x.reshape(k, -1)
v = np.full_like(x, f)
""",
    ),
    Case(
        "one array under two new names",
        "x = np.arange(3.0); y = np.ones(3)",
        """
a = b = x * 2
c = d = x[1:]
c += 1
e = (a, b)
x, y = y, x
x += 1
z = y[1:]
""",
    ),
    Case(
        "arrays made anew in every pass",
        "x = np.arange(3.0)",
        """
rows = []
for k in range(3):
    c = np.zeros(3)
    c[k] = x[k] + 1
    d = np.array([1.0, 2.0, 3.0])
    d += k
    e = np.eye(3)
    e[k] = 7
    rows.append((c, d, e))
""",
    ),
    Case(
        "axes of length one",
        "x = np.arange(3.0) + RUN; A = np.arange(6.0).reshape(2, 3)",
        """
a = x[:, None]
b = a * 2
c = x.reshape(1, -1) + 0
d = c.T
e = A.sum(axis=0, keepdims=True)
f = A.sum(axis=1, keepdims=True)
g = np.ones((3, 1, 2)) * x[:, None, None]
h = A[:1] * 2
i = A[:, :1] * 2
j = A[:, 1:2].copy()
k = np.concatenate([a, b])
l = np.zeros((1, 1))
m = A[:, 1:2].T * 3
n = x[None, :].T + x[:, None]
o = np.stack([x])
p = np.expand_dims(A[:1], 0) + 1
q = np.transpose(g, (2, 1, 0)) * 2
""",
    ),
    Case(
        "empty arrays",
        "e = np.zeros((0, 3)); x = np.arange(3.0)",
        """
a = x[0:0]
b = a * 2
c = e.T + 1
d = np.concatenate([a, x])
f = e @ x
g = e.sum(axis=1)
h = e[:, 1]
i = e.reshape(0)
j = np.zeros((2, 0)) + np.zeros((2, 1))
k = x[[]]
l = np.sort(a)
m = np.cumsum(e, axis=0)
""",
    ),
    Case(
        "results that are the argument, or views of it",
        "x = np.arange(3.0); A = np.arange(6.0).reshape(2, 3)",
        """
a = np.asarray(x)
b = np.atleast_1d(x)
c = np.ascontiguousarray(x)
d = np.ravel(x)
e = np.squeeze(x)
f = x.view()
g = np.real(x)
h = x.astype(float, copy=False)
i = np.array(x, copy=False)
j = np.require(x)
k = np.atleast_2d(x)
l = np.asfortranarray(A)
m = x[...]
n = x[:]
o = np.transpose(x)
p = A.reshape(2, 3)
q = np.broadcast_to(x, (3,))
r = +x
s = np.asarray(A, order="F")
t = x.squeeze()
u = np.copy(x)
""",
    ),
    Case(
        "booleans in place",
        "p = np.array([True, False, True]); q = np.array([True, True, False])",
        "p &= q\nq |= ~p\nq ^= p\nr = p * 1\np += q",
    ),
    Case(
        "arithmetic of integer scalars",
        "n = np.arange(4) + RUN; k = np.int64(3 + RUN)",
        """
a = n[0] // 2
b = n[1] / n[2]
c = k ** 2
d = n[2] ** -1.0
e = k % 2 == 1
f = n[3] << 2
g = ~k
h = divmod(k, 2)
i = -k
j = abs(-k)
l = k / 2 * n
m = np.int8(5) * n[1]
o = n[1] * 2.5
p = 3 - k
q = True + k
r = k + 1j
s = np.sqrt(k)
t = round(k)
u = k & 1, k | 8, k ^ k, k > 2, k == n[3]
""",
    ),
    Case(
        "powers that turn negative",
        "n = np.arange(3); e = np.array([1, 2, 1 - 2 * RUN])",
        "y = n * 2\nm = n ** e\nz = m + 1",
        fallbacks=1,
    ),
    Case(
        "shifts by any amount",
        "n = np.arange(3) + RUN; e = np.array([1, 64 + RUN, -1])",
        "m = n << e\nk = n >> e",
    ),
    Case(
        "conversions out of range",
        "x = np.array([300.9, -1.0, 3.5, 1e20, np.nan, np.inf])",
        """
y = x * 2
with np.errstate(all="ignore"):
    a = x.astype(np.uint8)
    b = x.astype(np.int8)
    c = x.astype(np.uint64)
    d = x.astype(np.int32)
    e = x.astype(np.uint32)
    f = x.astype(np.float16)
""",
        fallbacks=6,  # what such a conversion gives depends on the machine
    ),
    Case(
        "as many values as a mask has elements",
        "x = np.arange(5.0) + RUN",
        "y = x * 2\nx[x > 1.5] = np.arange(3.0)\nz = x + 1",
    ),
    *(
        Case(f"index out of bounds the second time: {call}", SECOND, f"y = x * 2\n{call}", True, 1)
        for call in (
            "z = np.take(x, i)",
            "z = x.take(i)",
            "np.put(y, i, 3)",
            "np.add.at(y, i, 3)",
            "z = y[i]",
            "y[i] = 3",
            "y[i] += 1",
            "z = np.choose(i - 3, [x, y])",
            "z = np.unravel_index(i, (1, 5))",
            "z = np.take_along_axis(x, i, 0)",
            "np.put_along_axis(y, i, 2, 0)",
            "z = x[i[2]]",
            "y[i[2]] = 1",
        )
    ),
    Case(
        "modes of take",
        SECOND,
        "a = np.take(x, i, mode='wrap')\nb = np.take(x, i, mode='clip')\nc = x[i % 5]",
    ),
    Case(
        "fields of a structured array",
        "r = np.array([(1, 2.0), (3, 4.0)], dtype=[('a', np.int64), ('b', float)]); "
        "b = r['b']; a = r['a']",
        "b += 1\ny = b * 2\na *= b.astype(int)",
    ),
    Case(
        "windows that overlap",
        "x = np.arange(5.0); s = np.lib.stride_tricks.as_strided(x, (3, 3), (8, 8))",
        "s += 1\ny = s * 2\nx += 1\nz = s * 2\ns[0] = 7\nw = x + 1",
    ),
    Case(
        "objects that hold arrays",
        """
class Box: pass
o, x = Box(), np.arange(3.0) + RUN
o.a, o.k, o.inner = x, 2 + RUN, Box()
o.inner.w = o.a * 2
d, l = {'k': x[1:]}, [x[::2]]
""",
        """
y = o.a * o.k + o.inner.w
o.a += 1
o.inner.w[0] = 9
o.b = y * 2
z = o.b + o.a
d['k'] *= 3
l[0][...] = 7
w = x + o.a
""",
    ),
    Case(
        "nested containers",
        "t = (np.arange(3.0), 2 + RUN, np.float64(3)); nested = [(np.ones(2), {'a': np.zeros(2)})]",
        """
a, b, c = t
y = a * b + c
(p, q), = nested
r = p + q['a']
p += 1
rows = [a, a * 2, nested]
pair = {"t": t, "y": y}
""",
    ),
    Case(
        "text and None choose",
        """
x, w = np.arange(3.0), None if RUN == 0 else np.ones(3)
mode = 'sum' if RUN == 0 else 'mean'
def reduce(v, how):
    if how == 'sum':
        return v.sum()
    elif how == 'mean':
        return v.mean()
    raise ValueError(how)
""",
        """
y = x * 2
if w is not None:
    y = y + w
z = y if w is None else y * w
r = reduce(x, mode)
s = reduce(x, how='max')
""",
    ),
    Case(
        "globals of a helper that change in place",
        """
x, cfg, stack, log = np.arange(3.0), {'k': 2 + RUN}, [1], []
def f(v):
    return v * cfg['k'] + len(stack)
def g(v):
    log.append(v.sum())
    return v * 2
""",
        """
y = f(x)
cfg['k'] = 10
z = f(x)
stack.append(2)
w = f(x)
u = g(w) + g(y)
n = len(log)
""",
    ),
    Case(
        "writes through everything",
        "A = np.arange(12.).reshape(3,4); x = np.arange(6.); z = np.ones(3)+1j",
        """
A[1][2] = 50
A[[0]][0] = 51
A.T[0] = 52
A.ravel()[0] = 53
A.flatten()[0] = 54
A.reshape(-1)[::5] = 55
A.swapaxes(0, 1)[1] += 56
np.asarray(A)[2, 3] = 57
np.ravel(A)[7] = 58
np.atleast_2d(x)[0, 0] = 59
x.view()[1] = 60
np.split(x, 2)[1][0] = 61
A.real[2] = 62
z.imag[...] = 63
z.real[0] -= 64
np.transpose(A)[-1, -1] = 65
np.moveaxis(A, 0, 1)[0, 1] = 66
np.expand_dims(x, 0)[0, 2] = 67
np.flip(x)[0] = 68
np.rot90(A)[0, 0] = 69
np.fliplr(A)[1, 1] = 70
np.broadcast_to(x, (2, 6))[0].sum()
x[None, :, None][0, 3] = 71
x.squeeze()[4] = 72
A.diagonal().sum()
""",
    ),
    Case(
        "the flat iterator",
        "A = np.arange(12.).reshape(3,4)",
        """
B = A * 2
B.flat[3] = 100
B.flat[::5] = -1
c = B.flat[4]
d = B.flat[1:3]
B.flat = 7
e = B + 1
f = list(B.flat)[:2]
""",
    ),
    Case(
        "swaps of rows and columns",
        "A = np.arange(12.).reshape(3,4)",
        """
A[0], A[1] = A[1], A[0]
A[:, 0], A[:, 1] = A[:, 1], A[:, 0]
A[[0, 1]], A[2] = A[[1, 0]], A[0]
""",
    ),
    Case(
        "diagonal is read-only",
        "A = np.arange(9.).reshape(3,3)",
        """
B = A * 2
B.diagonal()[0] = 1
""",
    ),
    Case(
        "views from split and from iterating",
        "A = np.arange(12.).reshape(3,4); x = np.arange(6.)",
        """
a, b = np.split(x, 2)
a += 1
for v in np.split(A, 3):
    v *= 2
p, q = np.hsplit(A, 2)
q -= 1
rows = list(A)
rows[0][0] = 7
u, *w = A
u[1] = 8
w[0][2] = 9
""",
    ),
    Case(
        "functions that NumPy and Python call back",
        "A = np.arange(12.).reshape(3,4); x = np.arange(6.)",
        """
import functools, itertools, operator, math
def f(v):
    return v * 2 + 1
a = np.apply_along_axis(f, 0, A)
b = np.vectorize(f)(x)
c = np.fromfunction(lambda i, j: i * j, (2, 3))
d = functools.reduce(np.add, [x, x, x])
e = list(itertools.accumulate([x, x - 3], np.maximum))
g = operator.add(x, 1)
h = math.fsum(x)
i = list(map(f, A))
j = max(A, key=lambda r: r[0])
k = np.piecewise(x, [x < 2, x >= 2], [lambda v: -v, f])
l = np.frompyfunc(lambda v: v + 1, 1, 1)(x)
m = sum(map(f, (x, x)))
n = operator.itemgetter(2)(x), operator.mul(x, x)
o = np.apply_over_axes(np.sum, A, [0])
p = f(3), f(2.5), f(np.float32(2)), f([1]) if False else 0
""",
    ),
    Case(
        "memory, bytes and files",
        "x = np.arange(6.)",
        """
y = x * 2
import sys
a = memoryview(y)[1]
b = y.tobytes()[:8]
c = bytes(y[:1])
d = y.ctypes.data == y.__array_interface__["data"][0]
e = sys.getsizeof(y) > 0
f = y.data.nbytes
g = hash(y.tobytes()) == hash((y + 0).tobytes())
import io
out = io.BytesIO(); np.save(out, y); out.seek(0); h = np.load(out)
del out
z = y + h
""",
    ),
    Case(
        "NumPy's iterators",
        "A = np.arange(6.).reshape(2,3)",
        """
B = A * 2
s = 0
for idx, v in np.ndenumerate(B):
    s += v * idx[0]
for i, j in np.ndindex(2, 3):
    B[i, j] += i
for v in np.nditer(B, op_flags=["readwrite"]):
    v[...] = v * 2
t = [v for v in B.flat]
for row in B:
    row[:] = row[::-1]
for r, c in zip(*np.nonzero(B > 3)):
    B[r, c] = 0
u = B.sum()
""",
    ),
    Case(
        "NumPy integers where Python wants its own",
        "x = np.arange(6.); n = np.array([1,2,3])+RUN",
        """
lst = [10, 20, 30, 40, 50]
a = lst[n[0]]
b = [k for k in range(n[1])]
c = {n[0]: 1}
d = "%d" % n[0] + str(n[1]) + f"{n[2]:03d}"
e = x[slice(n[0], n[2])]
f = [0] * n[0]
g = lst[n[0]:n[1]]
h = x[n[0]:n[1]] * 2
i = x[np.s_[1:3]]
j = "abc"[n[0] - 1]
k = int(n[0]) + float(n[1])
l = range(n[2])
m = n[0] in lst, n[0] in n
o = isinstance(n[0], int), isinstance(n[0], np.integer)
p = divmod(n[2], 2), pow(n[0], 2), n[0].bit_count()
q = n[0].item() + 1, n.tolist(), tuple(n), list(n), set(n)
""",
    ),
    Case(
        "odd indices",
        "x = np.arange(6.); A = np.arange(6.).reshape(2,3)",
        """
a = x[()]
b = x[(0,)]
c = x[True]
d = x[False]
e = A[..., None, 0]
f = A[-1:, ::-1]
g = A[1, ...]
h = A[[True, False]]
i = A[:, [0, 2]][:, ::-1]
j = A[np.array(1)]
k = A[np.int64(1), 1:]
l = A[[[0], [1]], [[0, 2]]]
m = A[None, [0], :, None]
n = x[np.array([], dtype=int)]
o = A[..., [0, 1]]
p = A[[0, 1], ..., 0]
q = A[0][1]
r = A[:, None, [1]]
s = A[[0, 1], None, [1, 2]]
""",
    ),
    Case(
        "function attributes",
        "x = np.arange(6.)",
        """
def f(v):
    f.calls += 1
    return v * f.calls
f.calls = 0
a = f(x)
b = f(x)
c = f.calls
def g(v):
    "doc"
    return v + g.k
g.k = 2
d = g(x)
g.k = 5
e = g(x)
""",
        captured=False,
    ),
    Case(
        "warnings as errors",
        "x = np.arange(3.)",
        """
import warnings
with warnings.catch_warnings():
    warnings.simplefilter("error")
    y = x * 2
    try:
        z = x / x
    except RuntimeWarning as w:
        said = str(w)
u = y + 1
""",
    ),
    Case(
        "errstate with a call",
        "x = np.arange(3.)",
        """
calls = []
old = np.seterrcall(lambda kind, flag: calls.append((kind, flag)))
with np.errstate(divide="call"):
    y = 1 / x
    z = y * 2
np.seterrcall(old)
w = x + 1
""",
    ),
    Case(
        "properties of objects from the setup",
        """
x=np.arange(3.)
class P:
    def __init__(self): self._k = 2 + RUN
    @property
    def k(self): return self._k
    def __getattr__(self, name): return len(name) + RUN
p = P()
""",
        """
y = x * p.k
z = x * p.abc
w = y + z
""",
    ),
    Case(
        "slots, metaclasses and descriptors",
        "x = np.arange(3.)",
        """
class S:
    __slots__ = ("a",)
class D:
    def __get__(self, obj, kind):
        return x * 2
    def __set__(self, obj, value):
        obj.__dict__["kept"] = value + 1
class M(type):
    @property
    def grid(cls):
        return x * 3
class U(metaclass=M):
    d = D()
s = S(); s.a = x + 1
t = s.a * 2
u = U(); u.d = x
v = u.d + u.kept + U.grid
class G:
    def __getattr__(self, name):
        return x * len(name)
w = G().abc + 1
""",
        captured=False,
    ),
    Case(
        "closures that are rebound",
        "x = np.arange(3.); k = 2",
        """
f = lambda v: v * k
a = f(x)
k = 3
b = f(x)
def outer():
    k = 10
    def inner(v): return v * k
    r = inner(x)
    k = 20
    return r, inner(x)
c, d = outer()
""",
    ),
    Case(
        "builtins on arrays",
        "x = np.arange(4.)+RUN; A = np.arange(6.).reshape(2,3)",
        """
a = sum(x)
b = max(x), min(x), sorted(x, reverse=True)[:2]
c = any(x), all(x), len(x)
d = list(zip(x, x[1:]))
e = [*x], (*x,), {*x}
f = sum(A), max(A[0], default=1)
g = abs(x), round(x[0]), pow(x, 2)
h = list(enumerate(x))[1]
i = x.tolist() == list(x)
j = list(reversed(x))
k = sum(x, start=10), sum([x[0], 1])
l = dict(zip("ab", x))
m = tuple(map(float, x))
n = list(filter(None, x))
""",
    ),
    Case(
        "operators in place",
        "A = np.arange(4.).reshape(2,2)",
        """
B = A * 1
B @= A
C = A @ A @ A
D = np.linalg.multi_dot([A, B, C])
E = A ** 2
E **= 2
F = 2 ** A
A //= 2
A %= 2
""",
    ),
    # -- what a fuzzer found
    Case(
        "views of a written input with gaps",
        "y = np.arange(6.0)[::2]; w = np.arange(12.0).reshape(3, 4)[:, ::2]",
        "z = y[...]\nv = y[1:]\nnp.subtract(y, y, out=y)\nu = w[:, 0]\nw *= 2\nt = w[None, ::-1]",
    ),
    Case(
        "single precision inside double precision",
        "x = np.arange(6.0) - 2 + RUN; z = np.linspace(0, 1, 6).astype(np.float32)",
        "x[:] -= z.var()\ny = x * z.std() + z.mean()\nx = np.round(x, 5)\ny = np.round(y, 5)",
    ),
    Case(
        "scalars made in the cell that overflow",
        VECTOR,
        "y = np.uint8(200)\nv = x * 2\ny *= y\nw = v + 1\nz = np.int8(100) + np.int8(100)",
    ),
    Case(
        "out= into a view of an input",
        "x = np.arange(6); y = x[::-1]; z = x[1:4]",
        "w = x * 2\nr = np.subtract(w, 1, out=y)\nsame = r is y\nq = np.add(z, 1, out=z)\nq",
    ),
    Case(
        "sign of zero in complex sums",
        "z = np.array([1 + 2j, -1j, 0]) * (1 + RUN)",
        "a = z + z\nb = z - z\nc = -z\nd = z * 2\ne = z - 1\nnp.add(z, z, out=z)",
    ),
    Case(
        "in-place matrix products of vectors",
        "x = np.arange(6); A = np.eye(2) * 3",
        "A @= A\ny = x * 2\nx @= y\nz = 1",
    ),
    Case(
        "attributes of Python numbers",
        "x = np.arange(3.0); k = 0.5 + RUN; n = 3 + RUN",
        """
a = k.real + n.imag
b = n.bit_length(), k.is_integer(), n.numerator
c = x * k.real
d = hasattr(k, "base"), hasattr(n, "shape")
e = x * 2
k.base
""",
    ),
    Case(
        "NaN stored into integers the second time",
        "x = np.arange(3.0) * (np.nan if RUN else 1); n, m = np.arange(3), np.arange(3, dtype=np.int16)",
        """
y = x * 2
with np.errstate(all="ignore"):
    n[1] = y.sum() if n is None else 0
    m[...] = y
    n[:] = y
    np.copyto(n, y, casting="unsafe")
""",
        fallbacks=9,
    ),
    Case(
        "square root by a power",
        "x = np.array([1.0, 4.0, 9.0]) * (-np.inf if RUN else 1)",
        """
with np.errstate(all="ignore"):
    a = x ** 0.5
    b = x ** 2
    c = x ** -1
    d = x ** 0
    e = x ** 1
""",
    ),
    Case(
        "value check first, then a run that passes",
        "x = np.arange(6.0) - 2 + 3 * RUN; y = np.arange(6)",
        "y[:] = np.multiply.accumulate(x)\nz = np.sqrt(np.abs(x)).astype(np.uint8)\nw = x.astype(np.uint16)",
        fallbacks=3,
    ),
    Case(
        "results that are a written view",
        "x = np.arange(6); y = x[::-1]; z = np.arange(6.0)[::2]; w = np.arange(4.0).reshape(2, 2).T",
        """
a = y.squeeze()
y -= 1
b = z.real
b[-2] = 7
c = np.asarray(w)
d = w[...]
c *= 2
e = np.atleast_1d(z)
z += 1
f = a is y, b is z, c is w, e is z
""",
    ),
    Case(
        "conj of a real array",
        "y = np.arange(6.0) + RUN; x = np.arange(3)",
        "z = y.conj()\nz += 1\nv = y.conjugate()[1:]\nv *= 3\nw = np.conj(y)\nw += 1\nu = x.conj()\nu[0] = 9",
    ),
    Case(
        "results that are the argument, then written",
        "x = np.arange(4.0); A = np.arange(6.0).reshape(2, 3); n = np.arange(12).reshape(3, 4)",
        """
a = np.asarray(x); a += 1
b = np.real(x); b *= 2
c = x.astype(float, copy=False); c -= 1
d = np.require(x); d[0] = 7
e = np.ascontiguousarray(A); e[0] = 1
f = np.squeeze(A); f += A
g = np.atleast_1d(x); g[1] = 5
h = np.real_if_close(x); h[2] = 6
i = np.nan_to_num(x, copy=False); i += 1
j = np.asarray_chkfinite(x); j *= 2
k = np.ravel(n); k[0] = 50
l = n.reshape(-1); l[1] = 51
m = np.array(x, copy=None); m += 1
o = np.atleast_3d(n); o[0, 0, 0] = 60
p = np.broadcast_to(x, (4,)).sum()
q = np.diagonal(n); r = q * 2
s = np.expand_dims(x, 1); s += 1
t = np.moveaxis(n, 0, 1); t *= 2
u = np.matrix_transpose(n); u[0] = 3
v = n.mT; v[1] += 1
w = np.asanyarray(x); w -= 1
y = np.positive(x); y += 100
"""
        + ("z = np.unstack(n); z[0][0] = 77\n" if hasattr(np, "unstack") else ""),
    ),
    Case(
        "widths of a dict, which NumPy before 2.2 refuses",
        VECTOR,
        "y = x + 1\nz = np.pad(x, {0: (1, 2)})\nu = np.pad(x, {-1: 2})",
    ),
    Case(
        "reversed inputs that are returned",
        "y = np.arange(6)[::-1]; A = np.arange(6.0).reshape(2, 3)[:, ::-1]",
        "z = np.asarray(y)\nw = y\nv = y[1:]\nB = A.T\nC = [A, A * 2]\nu = y[::-1]\nsame = z is y",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_cell(case: Case) -> None:
    assert_same(
        case.source.strip("\n"),
        setup=case.setup,
        captured=case.captured,
        fallbacks=case.fallbacks,
    )


# -- the cell of issue 2

HELPER = """\
def smooth(v, weight=0.25):
    out = v.copy()
    out[1:-1] += weight * (v[2:] - 2 * v[1:-1] + v[:-2])
    return out"""

ACCEPTANCE = """\
import matplotlib.pyplot as plt

v = np.empty(u.shape, dtype=u.dtype)
v[:] = 0
v[1:-1] = (u[2:] - u[:-2]) / 2
even = u[::2]
even *= 1.5
w = smooth(u)
positive = w > 0.5
w[positive] = 0.5
history = []
for step in range(3):
    w = smooth(w, weight=0.1)
    peak = w.max()
    print(step, f"{peak:.6f}")
    history.append(peak)
    v += w
try:
    broken = w @ v[1:]
except ValueError as error:
    problem = str(error)
fig, axes = plt.subplots()
curve, = axes.plot(u, w)
drawn = curve.get_ydata().copy()
plt.close(fig)
del fig, axes, curve
total = v.sum() + drawn[0]
total"""


def test_acceptance_cell() -> None:
    setup = "import matplotlib; matplotlib.use('Agg'); u = np.sin(np.linspace(0, 4, 24)) + RUN"
    run = assert_same(ACCEPTANCE, setup=setup, earlier=[HELPER])
    for report in run.reports:
        lines = {line.line: line for line in report.lines}
        assert set(lines) >= set(statement_lines(ACCEPTANCE))
        for line in report.lines:
            assert line.status in ("compiled", "host", "python")
            assert line.status == "compiled" or line.reason
        numbers = {text.strip(): number for number, text in enumerate(ACCEPTANCE.split("\n"), 2)}
        compiled = compiled_lines(report)
        for text in (
            "v = np.empty(u.shape, dtype=u.dtype)",
            "v[1:-1] = (u[2:] - u[:-2]) / 2",
            "even *= 1.5",
            "w = smooth(u)",
            "positive = w > 0.5",
            "w[positive] = 0.5",
            "w = smooth(w, weight=0.1)",
            "peak = w.max()",
            "v += w",
        ):
            assert numbers[text] in compiled, (text, lines[numbers[text]])
        shout = numbers['print(step, f"{peak:.6f}")']
        assert lines[shout].status == "python"
        assert [point.line for point in report.breaks].count(shout) == 1


def test_print_in_a_loop_costs_its_own_line() -> None:
    source = "for k in range(3):\n    y = x + k\n    z = y * 2\n    print(k)\n    w = z - 1\n    v = w * w"
    run = assert_same(source, setup=VECTOR, captured=[3, 4, 6, 7])
    for report in run.reports:
        assert [(point.line, point.column) for point in report.breaks] == [(5, 4)]


def test_failing_cell_shows_its_line() -> None:
    source = "y = x * 2\nz = y + 1\n\nw = np.ones(3) @ np.ones(4)\nv = 1"
    run = assert_same(source, setup=VECTOR)
    error = run.outcomes[0].error
    assert error is not None
    assert error.places == [(5, "<module>")]
    assert "----> 5 w = np.ones(3) @ np.ones(4)" in error.shown


def test_report_counts_work_that_a_helper_does() -> None:
    setup = f"{VECTOR}; log = []\ndef f(v):\n    log.append(v.sum())\n    return v * 2"
    run = assert_same("y = f(x)", setup=setup, captured=False)
    (line,) = run.reports[0].lines
    assert line.status == "host"
    assert "append" in line.reason


def test_report_of_the_second_run_says_what_the_first_said() -> None:
    source = """\
def outer(v):
    k = 10
    def inner(w):
        return w * k
    r = inner(v)
    k = 20
    return r, inner(v)

c, d = outer(x)
y = c + d"""
    first, second = assert_same(source, setup=VECTOR).reports
    assert [(k.line, k.status) for k in first.lines] == [(k.line, k.status) for k in second.lines]


# -- the harness itself


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ("y = x * 2", "y = x * 3", "values differ"),
        ("y = x[1:]", "y = x[1:].copy()", "base"),
        ("y = x[1:]", "y = x[1:].copy()", "share memory"),
        ("y = x.sum()", "y = float(x.sum())", "type"),
        ("y = [x]", "y = (x,)", "list"),
        ("y = x.copy()", "y = x[::-1].copy()[::-1]", "strides"),
        ("y = x.astype('f4')", "y = x.astype('f8')", "dtype"),
        ("y = x.copy(); y.flags.writeable = False", "y = x.copy()", "flags"),
        ("a = b = []", "a, b = [], []", "the same object"),
        ("print(1)", "print(2)", "stdout"),
        ("x[0]", "x[1]", "the displayed value"),
        ("z = 1", "", "has no z"),
        ("x[77]", "x[78]", "message"),
        ("x[77]", "\\nx[77]", "places"),
        ("1 / x[:1]; z = np.log(x * 0)", "1 / x[:1]", "warnings"),
        ("np.random.rand()", "np.random.rand(), np.random.rand()", "state"),
        ("def f(a): pass", "def f(b): pass", "namespace/f"),
        ("y = np.array([0.0])", "y = np.array([-0.0])", "values differ"),
    ],
)
def test_harness_sees_a_difference(one: str, other: str, said: str) -> None:
    runs = [run_native(source, setup=VECTOR, runs=1) for source in (one, other)]
    found = native.compare(runs[0].outcomes[0], runs[1].outcomes[0])
    assert any(said in text for text in found), found


def test_harness_sees_a_fallback() -> None:
    with pytest.raises(AssertionError, match="nothing ran from captured code"):
        assert_same("print(1)")


def test_harness_sees_a_replaced_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "jupyter_npcompile.runtime.plan.Outcome.differences", lambda outcome: ["a: made up"]
    )
    run = run_compiled("y = x * 2", setup=VECTOR)
    assert run.outcomes[0].error is not None
    assert "made up" in run.outcomes[0].error.message


def test_names_of_cases_differ() -> None:
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names)
    assert len(names) >= 100
