"""Cells in which pandas and SciPy meet arrays: material of tests/same/test_libraries.py."""

# ruff: noqa: E501 -- a cell is one string

from __future__ import annotations

from tests.support.cells.python_cells import SETUP, Cell

FRAME = (
    SETUP
    + "\nimport pandas as pd\ndf = pd.DataFrame({'a': x, 'b': x[::-1] * 2, 'g': list('uvuvuv')}); s = pd.Series(x.copy(), index=list('pqrstu'))"
)

PANDAS = [
    Cell(
        "series and arrays",
        """
a = s * 2
b = np.sin(s)
c = s + x
d = x * s
e = s.to_numpy() * 2
f = s.values + 1
s.iloc[0] = 100
s['q'] += 1
g = s.sum() * x
h = np.add(x, s.values)
i = s > 2
j = x[i.to_numpy()]
k = np.where(s > 2, s, 0) + x
l = s.rolling(2).mean().to_numpy() * 1
m = np.mean(s), s.std(), np.max(s)
n = np.concatenate([s, x])
o = type(a).__name__, type(b).__name__, type(d).__name__, type(k).__name__
y = x * 2 + e
""",
        setup=FRAME,
    ),
    Cell(
        "frames and columns",
        """
df['c'] = df['a'] * 2 + x
df['d'] = np.log1p(df['b'])
df.loc[df['a'] > 1, 'e'] = 5.0
a = df['a'].values * 3
b = df[['a', 'b']].to_numpy() @ np.ones(2)
c = df.groupby('g')['a'].mean()
d = c.to_numpy() + 1
e = df.a + df.b
f = np.sqrt(df[['a', 'b']])
g = df.apply(lambda col: col.max() if col.dtype != object and col.name != 'g' else 0)
df['h'] = x
df.h += 1
h = df.describe().loc['mean', 'a'] * x
i = df.eval('a + b').to_numpy() * 2
for name, row in df.iterrows():
    y = row['a'] * x
for t in df.itertuples():
    z = t.a + x
k = pd.concat([df['a'], df['b']]).to_numpy().sum()
n = df.shape[0] * x
w = x * 2
df.head(2)
""",
        setup=FRAME,
    ),
    Cell(
        "frames to arrays and back",
        """
m = df[['a', 'b']].to_numpy()
m = (m - m.mean(axis=0)) / m.std(axis=0)
back = pd.DataFrame(m, columns=['a', 'b'])
cov = np.cov(m.T)
q = pd.Series(np.cumsum(x), name='q')
idx = pd.date_range('2026-01-01', periods=6)
t = pd.Series(x, index=idx)
daily = t.resample('2D').sum().to_numpy() * 2
cat = pd.Categorical(df['g']).codes * 2
cut = pd.cut(x, 3).codes + 1
na = pd.array([1, None, 3]).to_numpy(dtype=float, na_value=np.nan) * 2
u = pd.unique(df['g'].values)
mask = df['a'].isna().to_numpy() | (x > 1)
y = np.where(mask, x, -x)
r = np.asarray(df['a']) + 1
view = df['a'].to_numpy()
f = view.flags.writeable
""",
        setup=FRAME,
    ),
]

SCIPY = [
    Cell(
        "special functions, optimisation and integration",
        """
from scipy import special, optimize, integrate, stats, interpolate, linalg, signal, ndimage
a = special.erf(x) * 2
b = special.gamma(x) + x
def f(v):
    return np.sum((v - x) ** 2)
r = optimize.minimize(f, np.zeros(6))
c = np.round(r.x, 4)
d = integrate.quad(lambda t: np.sin(t), 0, np.pi)[0] * x
e = stats.norm.pdf(x) + 1
g = interpolate.interp1d(x, x ** 2)(x[:-1] + 0.1) * 2
h = linalg.expm(np.diag(x[:2])) @ x[:2]
i = signal.convolve(x, [1, 2, 1], mode='same') * 1.0
j = ndimage.gaussian_filter(x, 1) + x
def rhs(t, s):
    return -s * x[0]
k = integrate.solve_ivp(rhs, (0, 1), [1.0]).y[0, -1] * x
y = np.sin(x) * 2
del r, special, optimize, integrate, stats, interpolate, linalg, signal, ndimage
""",
    ),
    Cell(
        "sparse matrices",
        """
from scipy import sparse
from scipy.sparse.linalg import spsolve
m = sparse.diags([x[:-1], x, x[:-1]], [-1, 0, 1], format='csr')
a = m @ x
b = m.toarray() * 2
c = spsolve(m.tocsc(), x) + 1
d = m * 2
e = d.sum() * x
f = x @ m
g = m.T.dot(x) - f
h = sparse.eye_array(6) @ x
k = (m != 0).nnz, m.dtype.name
i = m.data * 3
m.data[0] = 100
j = np.asarray(m.sum(axis=0)).ravel() + x
y = x * 2 + b.sum()
del m, d, sparse, spsolve
""",
    ),
]
