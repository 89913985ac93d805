"""A call of every NumPy function that is captured through its own Python source."""

from __future__ import annotations

SETUP = """
import numpy as np
x = np.array([3.0, 1.0, 2.5, 4.0, 0.5, 2.0]) + RUN
y = np.array([2.0, 0.5, 1.5, 1.0, 3.0, 2.5]) * (RUN + 1)
k = np.array([3, 1, 2, 4]) + RUN
A = np.arange(1.0, 13.0).reshape(3, 4) ** 1.5 + RUN
S = A[:, :3] + 5 * np.eye(3)
z = x + 1j * y
"""
"""Inputs of the examples; other values in the second run."""

EXAMPLES: dict[str, str] = {
    "ndarray.flat": "A.flat[3]\nA.T.flat[2:9:2]\nlen(A.flat)\nA.flat[[0, 5]]",
    "numpy.angle": """
np.angle(z)
np.angle(z, deg=True)
np.angle(x)
""",
    "numpy.sinc": "np.sinc(x)\nnp.sinc(A)",
    "numpy.unwrap": "np.unwrap(x * 3)\nnp.unwrap(A, axis=0)\nnp.unwrap(x, period=4)",
    "numpy.i0": "np.i0(x)\nnp.i0(A * 4)",
    "numpy.iscomplex": "np.iscomplex(z)\nnp.iscomplex(x)",
    "numpy.isreal": "np.isreal(z)\nnp.isreal(x)",
    "numpy.isneginf": "np.isneginf(x)\nnp.isneginf(A, np.zeros((3, 4), bool))",
    "numpy.isposinf": "np.isposinf(x)",
    "numpy.corrcoef": "np.corrcoef(A)\nnp.corrcoef(x, y)\nnp.corrcoef(A, rowvar=False)",
    "numpy.cov": """
np.cov(A)
np.cov(x, y)
np.cov(A, rowvar=False, ddof=0)
np.cov(A, fweights=[1, 2, 1, 1])
np.cov(A, aweights=[1, 2, 1, 0.5])
np.cov(A, bias=True)
""",
    "numpy.ediff1d": "np.ediff1d(x)\nnp.ediff1d(x, to_begin=-99, to_end=[1, 2])\nnp.ediff1d(A)",
    "numpy.gradient": """
np.gradient(x)
np.gradient(A)
np.gradient(A, axis=0)
np.gradient(x, 2.0)
np.gradient(A, 2, 3, edge_order=2)
np.gradient(x, np.arange(6.0) ** 2)
np.gradient(A, np.array([1.0, 2.0, 4.0]), axis=0)
""",
    "numpy.trapezoid": "np.trapezoid(x)\nnp.trapezoid(A, dx=0.5, axis=0)\nnp.trapezoid(y, x)",
    "numpy.resize": "np.resize(x, (2, 5))\nnp.resize(A, 7)",
    "numpy.ix_": "np.ix_(k, [0, 1])\nA[np.ix_([0, 2], [1, 3])]",
    "numpy.diag_indices": "A[np.diag_indices(3)]\nnp.diag_indices(4, 3)",
    "numpy.diag_indices_from": "S[np.diag_indices_from(S)]",
    "numpy.vander": "np.vander(x)\nnp.vander(k, 3, increasing=True)",
    "numpy.polyval": "np.polyval(x, 2.0)\nnp.polyval([1, 2, 3], A)",
    "numpy.polyadd": "np.polyadd(x, y[:4])\nnp.polyadd([1, 2], k)",
    "numpy.polysub": "np.polysub(x, y[:4])",
    "numpy.polymul": "np.polymul(x, y[:4])\nnp.polymul([1, 2, 3], k)",
    "numpy.polyder": "np.polyder(x)\nnp.polyder(x, 2)",
    "numpy.polyint": "np.polyint(x)\nnp.polyint(x, 2, k=[3, 1])",
    "numpy.polydiv": "np.polydiv(x, y[:4])\nnp.polydiv([3.0, 5.0, 2.0], [2.0, 1.0])",
    "numpy.polyfit": "np.polyfit(x, y, 2)\nnp.polyfit(x, y, 1, w=k[:1] * y)",
    "numpy.fromfunction": """
np.fromfunction(lambda i, j: i + 2 * j, (3, 4))
np.fromfunction(lambda i, j: i == j, (3, 3), dtype=int)
np.fromfunction(lambda i: x[i], (6,), dtype=int)
""",
    "numpy.apply_along_axis": """
np.apply_along_axis(np.sum, 0, A)
np.apply_along_axis(lambda r: r[::-1] * 2, 1, A)
np.apply_along_axis(np.diag, -1, A)
np.apply_along_axis(lambda r, n: (r**n).mean(), 0, A, 2)
np.apply_along_axis(np.max, 0, x)
""",
    "numpy.piecewise": """
np.piecewise(x - 2, [x < 2, x >= 2], [-1, 1])
np.piecewise(x - 2, [x < 2, x >= 2], [lambda x: -x, lambda x: x])
np.piecewise(A - 9, [A < 2, A > 12], [np.sin, lambda v: v**2, 0.5])
np.piecewise(k - 3, k < 3, [lambda v, n: v * n, 2], 3)
""",
    "numpy.apply_over_axes": """
np.apply_over_axes(np.sum, A, [0, 1])
np.apply_over_axes(np.max, A, 1)
""",
    "numpy.r_": """
np.r_[x, 3.0, y[:2]]
np.r_[1:4, 0, 4]
np.r_[-1:1:6j, [0] * 3, 5, 6]
np.r_["0,2", x, y]
np.r_[A, A]
""",
    "numpy.c_": "np.c_[x, y]\nnp.c_[A, A[:, 0]]\nnp.c_[np.array([[1, 2, 3]]), 0, 0]",
    "numpy.s_": "x[np.s_[1:4]]\nA[np.s_[0, ::2]]\nnp.delete(A, np.s_[::2], 1)",
    "numpy.index_exp": "x[np.index_exp[2::2]]\nA[np.index_exp[..., 0]]",
    "numpy.mgrid": """
np.mgrid[0:5, 0:3]
np.mgrid[-1:1:5j]
np.mgrid[0 : len(x), 0:1:0.25] * x[0]
""",
    "numpy.ogrid": "np.ogrid[-1:1:5j]\nnp.ogrid[0:3, 0:2]",
    "numpy.poly": "np.poly(x)\nnp.poly([1, 2, 3])",
}
"""By row, expressions, one a line; each must be captured."""
