"""Every lowered function against NumPy: value, dtype, shape, strides."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from jupyter_npcompile.tracer.lowering.lookup import find_lowering
from jupyter_npcompile.tracer.lowering.ufuncs import named
from jupyter_npcompile.tracer.table import ROWS, lowering_of
from tests.support.lowering.programs import call, check
from tests.support.numpy_names import needs


@dataclass
class Case:
    """One call: NumPy's result is what the lowered graph must give."""

    op: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    ulp: float = 4.0
    rtol: float = 0.0

    def __str__(self) -> str:
        return self.op


def c(op: str, *args: Any, **kwargs: Any) -> Case:
    """A case that may differ by rounding in the last places."""
    return Case(op, args, kwargs)


def words(text: str) -> list[str]:
    """Names, one after the other."""
    return text.split()


def near(case: Case, rtol: float = 1e-12) -> Case:
    """The same with sums of several terms, whose order is not NumPy's."""
    return Case(case.op, case.args, case.kwargs, 8.0, rtol)


RNG = np.random.default_rng(7)
F = RNG.normal(size=(3, 4))
G = RNG.normal(size=(3, 4))
S = F.astype("float32")
Z = F + 1j * G
I = RNG.integers(-50, 50, size=(3, 4))  # noqa: E741
B8 = RNG.integers(0, 255, size=(3, 4)).astype("uint8")
U16 = RNG.integers(0, 2**16, size=(3, 4)).astype("uint16")
U32 = RNG.integers(0, 2**32, size=(3, 4)).astype("uint32")
U64 = RNG.integers(0, 2**64, size=(3, 4), dtype="uint64")
T = F > 0
N = np.where(T, F, np.nan)
V = RNG.normal(size=7)
SQ = RNG.normal(size=(4, 4)) + 4 * np.eye(4)
PD = SQ @ SQ.T + np.eye(4)
BATCH = RNG.normal(size=(2, 3, 3)) + 3 * np.eye(3)
CUBE = np.arange(24.0).reshape(2, 3, 4)
EMPTY = np.zeros((0, 3))
ZERO_D = np.array(2.5)
SC = np.float64(1.5)
ROW = np.sort(V)

REDUCTIONS = [
    near(c(f"numpy.{name}", *args, **kwargs))
    for name in ("sum", "prod", "mean", "max", "min", "any", "all")
    for args, kwargs in (
        ((F,), {}),
        ((F, 0), {}),
        ((F,), {"axis": -1, "keepdims": True}),
        ((CUBE,), {"axis": (0, 2)}),
        ((CUBE,), {"axis": ()}),
        ((ZERO_D,), {}),
        ((I,), {"axis": 1}),
        ((B8,), {}),
        ((T,), {"axis": 0}),
        ((U16,), {"axis": 0}),
        ((U32,), {}),
        ((U64,), {"axis": 1}),
        ((N,), {"axis": 0}),
        ((np.int8([100, 100, 27]),), {}),
    )
]
STATISTICS = [
    near(c(f"numpy.{name}", *args, **kwargs))
    for name in ("var", "std")
    for args, kwargs in (
        ((F,), {}),
        ((F,), {"axis": 0, "ddof": 1}),
        ((Z,), {"axis": 1}),
        ((I,), {}),
        ((CUBE,), {"axis": (0, 1), "keepdims": True}),
    )
]

CASES = [
    *REDUCTIONS,
    *STATISTICS,
    near(c("numpy.sum", S, axis=0), 1e-6),
    near(c("numpy.sum", F.astype("float16")), 1e-3),
    near(c("numpy.mean", F.astype("float16"), axis=0), 2e-3),
    near(c("numpy.sum", Z, axis=1)),
    near(c("numpy.sum", F, where=T, initial=2.0)),
    c("numpy.sum", I, dtype=np.dtype("int8")),
    c("numpy.max", F, axis=0, initial=0.3),
    c("numpy.max", F, axis=1, initial=-1.0, where=T),
    c("numpy.sum", EMPTY, axis=0),
    c("numpy.prod", EMPTY, axis=1),
    c("numpy.amax", F),
    c("numpy.amin", F, axis=1),
    c("numpy.ptp", I, axis=0),
    c("numpy.ptp", F),
    c("numpy.argmax", F),
    c("numpy.argmax", N, axis=1),
    c("numpy.argmin", N),
    c("numpy.argmin", np.array([3, 1, 1, 3]), keepdims=True),
    c("numpy.argmax", T, axis=0),
    c("numpy.argmax", U64, axis=0),
    c("numpy.count_nonzero", I, axis=0),
    c("numpy.count_nonzero", T, axis=1, keepdims=True),
    near(c("numpy.mean", F, where=T)),
    near(c("numpy.var", F, axis=0, mean=np.mean(F, axis=0, keepdims=True))),
    # -- scans
    *[
        near(c(f"numpy.{name}", *args, **kwargs))
        for name in ("cumsum", "cumprod", "nancumsum", "nancumprod")
        for args, kwargs in (
            ((F,), {}),
            ((F, 1), {}),
            ((np.int8([100, 100, 3]),), {}),
            ((T,), {"axis": 0}),
            ((U32,), {"axis": 0}),
        )
    ],
    near(c("numpy.nancumsum", N, axis=0)),
    near(c("numpy.cumulative_sum", F, axis=0, include_initial=True)),
    near(c("numpy.cumulative_prod", V)),
    c("numpy.diff", V),
    c("numpy.diff", I, n=2, axis=0),
    c("numpy.diff", T),
    c("numpy.diff", F, axis=0, prepend=0.0),
    c("numpy.diff", I, append=F[:, :1].copy()),
    c("numpy.diff", B8, axis=1),
    # -- reductions without nan
    *[
        near(c(f"numpy.{name}", x, **kwargs))
        for name in words("nansum nanprod nanmax nanmin nanmean nanvar nanstd")
        for x, kwargs in ((N, {}), (CUBE, {"axis": (0, 1)}), (I, {"axis": 0}))
    ],
    c("numpy.nanargmax", N, axis=1),
    c("numpy.nanargmin", N),
    # -- order statistics
    *[
        near(c(f"numpy.{name}", *args, **kwargs))
        for name in ("median", "nanmedian")
        for args, kwargs in (
            ((F,), {}),
            ((V,), {}),
            ((F,), {"axis": 1}),
            ((CUBE,), {"axis": (0, 2), "keepdims": True}),
            ((I,), {"axis": 0}),
        )
    ],
    near(c("numpy.median", N, axis=0)),
    near(c("numpy.percentile", F, 30)),
    near(c("numpy.percentile", F, [25, 50, 75], axis=1)),
    near(c("numpy.quantile", V, 0.9)),
    near(c("numpy.quantile", V, np.array(0.9))),
    c("numpy.quantile", S, [0.3, 0.8]),  # the distance of two elements has their dtype
    c("numpy.nanquantile", S, [0.3], axis=1),
    c("numpy.quantile", S, np.array([0.3])),
    near(c("numpy.quantile", F, np.array([0.1, 0.5, 1.0]), axis=1)),
    near(c("numpy.quantile", N, np.array([0.1, 0.9]), axis=0)),
    near(c("numpy.percentile", I, np.array([10, 90]), axis=0, keepdims=True)),
    near(c("numpy.nanpercentile", N, np.array([10.0, 90.0]), axis=1)),
    near(c("numpy.nanquantile", S, np.array(0.25))),
    c("numpy.quantile", F, [], axis=1),
    c("numpy.percentile", F, [], axis=0, keepdims=True),
    near(c("numpy.quantile", I, [0.1, 0.5], axis=0, keepdims=True)),
    near(c("numpy.average", F, axis=0)),
    near(c("numpy.average", F, weights=G + 3)),
    near(c("numpy.average", F, axis=1, weights=np.arange(1.0, 5.0))),
    near(c("numpy.interp", V, ROW, np.arange(7.0))),
    near(c("numpy.interp", F, np.arange(3.0), np.arange(3.0) ** 2, left=-1.0, right=9.0)),
    # -- rounding and comparison
    c("numpy.round", np.array([0.5, 1.5, 2.5, -0.5, -2.5])),
    c("numpy.around", np.array([0.125, 1.005, -2.675, np.inf, np.nan]), 2),
    c("numpy.round", np.array([14, 15, 25, -15]), -1),
    c("numpy.round", Z, 1),
    c("numpy.round", np.array([123.456, -55.0]), -1),
    c("numpy.fix", np.array([1.7, -1.7, 0.3])),
    c("numpy.fix", I),
    c("numpy.clip", F, -0.5, 0.5),
    c("numpy.clip", F, None, 0.2),
    c("numpy.clip", I, 3, None),
    c("numpy.clip", F, min=G, max=2.0),
    c("numpy.clip", N, -1, 1),
    c("ndarray.clip", B8, 3, 200),
    c("numpy.clip", U64, 7, 2**63 + 5),
    c("numpy.nan_to_num", np.array([np.nan, np.inf, -np.inf, 1.0])),
    c("numpy.nan_to_num", N, nan=-1.0),
    c("numpy.isclose", F, F + 1e-9),
    c("numpy.isclose", N, N, equal_nan=True),
    c("numpy.isclose", I, 3),
    c("numpy.allclose", F, F + 1e-9),
    c("numpy.array_equal", F, F.copy()),
    c("numpy.array_equal", F, V),
    c("numpy.array_equiv", F, F[:1].copy()),
    *[
        c("ndarray.astype", x, np.dtype(kind))
        for x in (np.abs(I), T, B8, U16)
        for kind in words("bool int8 uint16 uint32 int64 uint64 float32 float64 complex64")
    ],
    c("ndarray.astype", np.array([1.9, -1.9, 0.0, 100.0]), np.dtype("int32")),
    c("ndarray.astype", np.array([1e19, 2.0]), np.dtype("uint64")),
    c("ndarray.astype", U64, np.dtype("float64")),
    c("ndarray.astype", U64, np.dtype("float32")),
    c("ndarray.astype", U32, np.dtype("int16")),
    c("numpy.astype", F, np.dtype("float16")),
    c("numpy.bool_", F),
    *[
        c(f"numpy.{name}", np.array([1, 2, 3]))
        for name in words("int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool")
    ],
    *[c(f"numpy.{name}", SC) for name in words("intc intp uintc ulong uint int_")],
    *[c(f"numpy.{name}", SC) for name in words("byte long short ubyte uintp ushort")],
    *[c(f"numpy.{name}", I) for name in words("float16 float32 float64 double single half")],
    *[c(f"numpy.{name}", I) for name in words("complex64 complex128 cdouble csingle")],
    # -- shapes
    c("numpy.reshape", F, (2, 6)),
    c("numpy.reshape", F, (2, 6), order="F"),
    c("ndarray.reshape", F, 4, -1),
    c("ndarray.reshape", F.T.copy(order="F"), -1, order="A"),
    c("numpy.ravel", F),
    c("numpy.ravel", F, "F"),
    c("ndarray.flatten", F),
    c("ndarray.ravel", np.asfortranarray(F), "K"),
    c("ndarray.copy", np.asfortranarray(F)),
    c("ndarray.copy", np.asfortranarray(F), order="K"),
    c("numpy.copy", CUBE.transpose(1, 2, 0).copy(order="K")),
    c("numpy.transpose", CUBE, (1, 2, 0)),
    c("numpy.permute_dims", CUBE),
    c("ndarray.transpose", CUBE, 1, 0, 2),
    c("ndarray.T", F),
    c("ndarray.mT", CUBE),
    c("numpy.matrix_transpose", CUBE),
    c("numpy.linalg.matrix_transpose", CUBE),
    c("numpy.swapaxes", CUBE, 0, -1),
    c("numpy.moveaxis", CUBE, 0, -1),
    c("numpy.moveaxis", CUBE, (0, 1), (-1, 0)),
    c("numpy.rollaxis", CUBE, 2),
    c("numpy.rollaxis", CUBE, 0, 3),
    c("numpy.squeeze", F[None, :, None]),
    c("numpy.squeeze", F[None, :, None], axis=0),
    c("numpy.expand_dims", F, (0, 2)),
    c("numpy.broadcast_to", V, (2, 7)),
    c("numpy.broadcast_arrays", F, np.arange(4.0)),
    c("numpy.lib.stride_tricks.sliding_window_view", V, 3),
    c("numpy.lib.stride_tricks.sliding_window_view", F, (2, 3)),
    c("numpy.lib.stride_tricks.sliding_window_view", CUBE, (2, 1), axis=(-1, 0)),
    c("numpy.lib.stride_tricks.sliding_window_view", F, (2, 1), axis=(1, 1)),
    c("numpy.atleast_1d", ZERO_D),
    c("numpy.atleast_2d", V),
    c("numpy.atleast_3d", F),
    c("numpy.atleast_2d", V, F),
    c("numpy.diagonal", SQ),
    c("numpy.diagonal", CUBE, 1, 0, 2),
    c("numpy.linalg.diagonal", BATCH),
    c("numpy.flip", F),
    c("numpy.flip", F, 0),
    c("numpy.fliplr", F),
    c("numpy.flipud", F),
    *[c("numpy.rot90", F, k) for k in (0, 1, 2, 3, -1)],
    c("numpy.real", Z),
    c("numpy.imag", Z),
    c("ndarray.real", F),
    c("ndarray.imag", F),
    c("ndarray.imag", Z),
    c("ndarray.view", F, np.dtype("int64")),
    c("ndarray.view", np.arange(8, dtype="uint8"), np.dtype("uint32")),
    c("ndarray.view", I),
    c("numpy.asarray", F),
    c("numpy.asarray", [1, 2.5]),
    c("numpy.asarray", F, np.dtype("float32")),
    c("numpy.asanyarray", F),
    c("numpy.ascontiguousarray", F.T.copy()),
    c("numpy.asfortranarray", F),
    c("numpy.asarray_chkfinite", F),
    c("numpy.require", F),
    c("numpy.array", F),
    c("numpy.array", [SC, 2.0, np.float64(3.0)]),
    c("numpy.array", [[V, V], [V, V]]),
    c("numpy.array", 3.0, ndmin=2),
    # -- splitting and joining
    c("numpy.split", V[:6].copy(), 3),
    c("numpy.split", F, [1, 3], axis=1),
    c("numpy.array_split", V, 3),
    c("numpy.hsplit", F, 2),
    c("numpy.vsplit", F, 3),
    c("numpy.dsplit", CUBE, 2),
    c("numpy.unstack", F, axis=1),
    c("numpy.concatenate", [F, G]),
    c("numpy.concatenate", (F, I), axis=1),
    c("numpy.concatenate", (F, V), axis=None),
    c("numpy.concat", [F, S], axis=0),
    c("numpy.stack", [F, G], axis=-1),
    c("numpy.vstack", [V, V]),
    c("numpy.vstack", [F, G]),
    c("numpy.hstack", [V, 1.0]),
    c("numpy.hstack", [F, G]),
    c("numpy.dstack", [V, V]),
    c("numpy.dstack", [CUBE, CUBE]),
    c("numpy.column_stack", [V, np.arange(7)]),
    c("numpy.append", V, [1.0, 2.0]),
    c("numpy.append", F, G, axis=1),
    c("numpy.block", [[F, G], [G, F]]),
    c("numpy.tile", V, 2),
    c("numpy.tile", F, (2, 1, 3)),
    c("numpy.repeat", F, 2),
    c("numpy.repeat", F, [1, 0, 2], axis=0),
    c("numpy.roll", V, 2),
    c("numpy.roll", F, -1, axis=1),
    c("numpy.roll", F, (1, 2), axis=(0, 1)),
    c("numpy.pad", V, 2),
    c("numpy.pad", F, ((1, 0), (0, 2)), constant_values=7),
    c("numpy.pad", F, 1, mode="edge"),
    c("numpy.pad", F, 2, mode="reflect"),
    c("numpy.pad", F, 1, mode="wrap"),
    c("numpy.delete", V, 2),
    c("numpy.delete", F, [0, 2], axis=1),
    c("numpy.delete", F, slice(0, 2), axis=0),
    c("numpy.insert", V, 2, 9.0),
    c("numpy.insert", F, 1, 5.0, axis=1),
    c("numpy.insert", V, [1, 3], [8.0, 9.0]),
    # -- selection
    c("numpy.where", T, F, 0.0),
    c("numpy.where", T, I, U16),
    c("numpy.where", T, 1.0, 0.0),
    c("numpy.take", V, np.array([0, -1, 3])),
    c("numpy.take", F, np.array([[0, 1], [2, 0]]), axis=0),
    c("numpy.take", F, 2, axis=1),
    c("numpy.take", V, np.array([0, 12, -9]), mode="wrap"),
    c("numpy.take", V, np.array([0, 12, -9]), mode="clip"),
    c("numpy.take_along_axis", F, np.argsort(F, axis=1), axis=1),
    c("numpy.take_along_axis", F, np.array([[1], [0], [3]]), axis=1),
    c("numpy.choose", np.array([0, 1, 1]), [np.arange(3.0), np.ones(3)]),
    c("ndarray.choose", np.array([0, 1, 1]), [np.arange(3.0), np.ones(3)]),
    c("numpy.select", [F > 1, F > 0], [F, G], default=-1.0),
    c("numpy.compress", [True, False, True], F, axis=0),
    c("ndarray.compress", F, [True, False, True], axis=0),
    c("numpy.tril", SQ),
    c("numpy.triu", F, 1),
    c("numpy.tril", V, -1),
    c("numpy.diag", V, 1),
    c("numpy.diag", F),
    c("numpy.diagflat", F),
    c("numpy.trace", SQ),
    c("numpy.trace", I, 1),
    c("numpy.linalg.trace", BATCH),
    # -- order
    c("numpy.sort", F),
    c("numpy.sort", N, axis=0),
    c("numpy.sort", I, axis=None),
    c("numpy.sort", U64),
    c("numpy.sort", T),
    c("numpy.sort_complex", V),
    c("numpy.argsort", F),
    c("numpy.argsort", V),
    c("numpy.argsort", np.array([3, 1, 1, 2]), kind="stable"),
    c("numpy.lexsort", (np.array([1, 1, 0]), np.array([2, 0, 1]))),
    c("numpy.searchsorted", ROW, F),
    c("numpy.searchsorted", ROW, 0.1, side="right"),
    c("numpy.digitize", F, [-1.0, 0.0, 1.0]),
    c("numpy.digitize", F, [1.0, 0.0, -1.0], right=True),
    c("numpy.isin", I, [1, 2, 3]),
    c("numpy.isin", I, np.array([5, 6]), invert=True),
    c("numpy.isin", I, np.arange(40)),
    c("numpy.isin", N, np.append(F, np.nan)),
    c("numpy.ravel_multi_index", (np.array([1, 2]), np.array([0, 3])), (3, 4)),
    c("numpy.packbits", T),
    c("numpy.packbits", T, axis=1, bitorder="little"),
    c("numpy.unpackbits", B8, axis=1),
    # -- creation
    c("numpy.empty", (2, 0)),
    c("numpy.empty_like", EMPTY),
    c("numpy.zeros", (2, 3)),
    c("numpy.zeros", 3, np.dtype("uint32")),
    c("numpy.ones", (2, 3), order="F"),
    c("numpy.full", (2,), 7),
    c("numpy.full", (2,), SC),
    c("numpy.zeros_like", np.asfortranarray(F)),
    c("numpy.ones_like", I),
    c("numpy.full_like", I, 2.7),
    c("numpy.arange", 5),
    c("numpy.arange", 2, 9, 3),
    c("numpy.arange", 0.1, 1.0, 0.1),
    c("numpy.arange", 10, 0, -3, dtype=np.dtype("int16")),
    c("numpy.arange", stop=4, start=1),
    c("numpy.arange", 3, dtype=np.dtype("float32")),
    c("numpy.linspace", 0, 1, 11),
    c("numpy.linspace", -1.0, 2.0, 7, endpoint=False),
    c("numpy.linspace", 0, 1, 5000),
    c("numpy.linspace", SC, 4.0, 9),
    c("numpy.linspace", V, V + 1, 4, axis=-1),
    c("numpy.logspace", 0, 3, 4),
    c("numpy.geomspace", 1, 1000, 4),
    c("numpy.geomspace", -1000, -1, 4),
    c("numpy.meshgrid", V, np.arange(3)),
    c("numpy.meshgrid", V, np.arange(3), indexing="ij", sparse=True),
    c("numpy.eye", 3, 4, k=1),
    c("numpy.identity", 3),
    c("numpy.tri", 3),
    c("numpy.indices", (2, 3)),
    *[c(f"numpy.{name}", 6) for name in words("bartlett blackman hamming hanning")],
    c("numpy.kaiser", 6, 2.0),
    c("numpy.tril_indices", 3),
    c("numpy.triu_indices", 3, 1),
    c("numpy.tril_indices_from", SQ),
    c("numpy.triu_indices_from", SQ, 1),
    c("numpy.fft.fftfreq", 8, 0.5),
    c("numpy.fft.rfftfreq", 7),
    # -- products
    *[
        near(c("numpy.matmul", a, b))
        for a, b in (
            (F, F.T.copy()),
            (F, np.arange(4.0)),
            (np.arange(3), I),
            (BATCH, BATCH[0].copy()),
            (T, T.T.copy()),
            (B8, B8.T.copy()),
            (U64, U64.T.copy()),
            (U32, U32.T.copy()),
            (Z, Z.T.copy()),
            (F, I.T.copy()),
            (V, V),
        )
    ],
    near(c("numpy.dot", F, F.T.copy())),
    near(c("numpy.dot", CUBE, np.ones((2, 4, 5)))),
    near(c("numpy.dot", V, V)),
    near(c("numpy.dot", F, 2.0)),
    near(c("numpy.vdot", Z, Z)),
    near(c("numpy.inner", F, G)),
    near(c("numpy.inner", I, I)),
    c("numpy.outer", V, V),
    c("numpy.linalg.outer", V, V),
    c("numpy.outer", B8, B8),
    near(c("numpy.tensordot", CUBE, CUBE, axes=([0, 2], [0, 2]))),
    near(c("numpy.tensordot", F, F.T.copy(), axes=1)),
    near(c("numpy.linalg.tensordot", F, F.T.copy(), axes=1)),
    near(c("numpy.einsum", "ij,kj->ik", F, G)),
    near(c("numpy.einsum", "ii", SQ)),
    near(c("numpy.einsum", "ij->j", I)),
    near(c("numpy.einsum", "bij,bjk->bik", BATCH, BATCH)),
    near(c("numpy.einsum", "i,j", V, V)),
    c("numpy.cross", F[:, :3].copy(), G[:, 1:].copy()),
    c("numpy.linalg.cross", F[:, :3].copy(), G[:, 1:].copy()),
    c("numpy.kron", F, I),
    c("numpy.kron", V, F),
    near(c("numpy.vecdot", F, G)),
    near(c("numpy.linalg.vecdot", Z, Z)),
    near(c("numpy.matvec", BATCH, np.arange(3.0))),
    near(c("numpy.vecmat", np.arange(3.0), BATCH)),
    near(c("numpy.linalg.matmul", F, F.T.copy())),
    near(c("numpy.linalg.multi_dot", [F, F.T.copy(), G])),
    *[
        near(c(f"numpy.{name}", a, b, mode), 1e-10)
        for name in ("convolve", "correlate")
        for mode in ("full", "same", "valid")
        for a, b in (
            (V, np.array([1.0, 2.0, 3.0])),
            (np.arange(4), np.arange(6)),
            (np.arange(50.0), np.arange(20.0)),
        )
    ],
    # -- linear algebra
    near(c("numpy.linalg.solve", SQ, np.arange(4.0))),
    near(c("numpy.linalg.solve", BATCH, np.ones((2, 3, 2)))),
    near(c("numpy.linalg.inv", BATCH)),
    near(c("numpy.linalg.inv", SQ.astype("float32")), 1e-5),
    near(c("numpy.linalg.det", BATCH)),
    near(c("numpy.linalg.slogdet", SQ)),
    near(c("numpy.linalg.cholesky", PD)),
    near(c("numpy.linalg.cholesky", PD, upper=True)),
    near(c("numpy.linalg.svdvals", F)),
    near(c("numpy.linalg.svd", F, compute_uv=False)),
    near(c("numpy.linalg.eigvalsh", PD)),
    near(c("numpy.linalg.pinv", F), 1e-11),
    near(c("numpy.linalg.pinv", Z), 1e-11),
    near(c("numpy.linalg.lstsq", SQ, np.arange(4.0)), 1e-10),
    near(c("numpy.linalg.lstsq", F.T.copy(), np.arange(4.0)), 1e-10),
    near(c("numpy.linalg.qr", F.T.copy())),
    near(c("numpy.linalg.qr", F, mode="r")),
    *[
        near(c("numpy.linalg.norm", x, **kwargs))
        for x, kwargs in (
            (F, {}),
            (V, {"ord": 1}),
            (V, {"ord": math.inf}),
            (V, {"ord": 3}),
            (V, {"ord": 0}),
            (F, {"axis": 1}),
            (F, {"axis": 0, "keepdims": True}),
            (F, {"ord": 2}),
            (F, {"ord": "nuc"}),
            (F, {"ord": 1}),
            (CUBE, {"axis": (0, 2), "ord": -math.inf}),
            (Z, {"ord": "fro"}),
            (I, {}),
        )
    ],
    near(c("numpy.linalg.vector_norm", CUBE, axis=(0, 1))),
    near(c("numpy.linalg.matrix_norm", CUBE)),
    near(c("numpy.linalg.matrix_power", SQ, 3)),
    near(c("numpy.linalg.matrix_power", SQ, -2)),
    near(c("numpy.linalg.matrix_power", SQ, 0)),
    near(c("numpy.linalg.matrix_power", np.arange(4).reshape(2, 2), 5)),
    c("numpy.linalg.matrix_rank", np.ones((4, 4))),
    c("numpy.linalg.matrix_rank", BATCH),
    near(c("numpy.linalg.cond", SQ)),
    near(c("numpy.linalg.tensorsolve", (SQ).reshape(2, 2, 4), np.ones((2, 2)))),
    near(c("numpy.linalg.tensorinv", SQ.reshape(2, 2, 2, 2))),
    # -- fft
    *[
        near(c(f"numpy.fft.{name}", x), 1e-11)
        for name in words("fft ifft rfft ihfft fft2 rfft2 fftn rfftn ifft2 ifftn")
        for x in (F, I)
    ],
    *[
        near(c(f"numpy.fft.{name}", Z), 1e-11)
        for name in words("fft irfft hfft fft2 irfft2 ifftn irfftn")
    ],
    near(c("numpy.fft.fft", F, n=6, axis=0, norm="ortho"), 1e-11),
    near(c("numpy.fft.rfft", S), 1e-5),
    near(c("numpy.fft.irfft", Z, n=5), 1e-11),
    near(c("numpy.fft.fftn", CUBE, axes=(0, 2)), 1e-11),
    c("numpy.fft.fftshift", F),
    c("numpy.fft.ifftshift", F, axes=1),
    # -- methods of ufuncs
    *[
        near(c(f"numpy.{name}.reduce", F))
        for name in words("add multiply maximum minimum fmax fmin logical_and logical_or")
    ],
    c("numpy.logical_xor.reduce", I, axis=1),
    c("numpy.fmax.reduce", N, axis=1),
    c("numpy.add.reduce", B8, axis=None),
    *[c(f"numpy.bitwise_{name}.reduce", I, axis=1, keepdims=True) for name in words("and or xor")],
    *[
        near(c(f"numpy.{name}.accumulate", x, axis=-1))
        for name in words("add multiply maximum minimum logical_and logical_or")
        for x in (F, N, np.int8([100, 100, -3]), T)
    ],
    *[near(c(f"numpy.{name}.reduceat", F, [0, 2, 1], axis=1)) for name in ("add", "multiply")],
    *[c(f"numpy.{name}.reduceat", V, [0, 3, 5]) for name in ("maximum", "minimum")],
    *[
        c(f"numpy.{name}.outer", V, np.arange(1.0, 4.0))
        for name in words(
            "add arctan2 copysign divide equal float_power floor_divide fmax fmin fmod greater "
            "greater_equal heaviside hypot less less_equal logaddexp logaddexp2 logical_and "
            "logical_or logical_xor maximum minimum multiply nextafter not_equal remainder subtract"
        )
    ],
    *[
        c(f"numpy.{name}.outer", np.abs(I), np.arange(3))
        for name in words("bitwise_and bitwise_or bitwise_xor gcd lcm left_shift right_shift power")
    ],
    c("numpy.ldexp.outer", V, np.arange(3)),
    *[
        c(f"numpy.{name}.at", np.arange(5.0), np.array([0, 1, 1, -1]), 2.0)
        for name in words("add subtract multiply maximum minimum")
    ],
    c("numpy.i0", np.array([0.0, -0.0, 3.0, 7.9, 8.0, 8.1, -30.0, 700.0, np.nan])),
    c("numpy.i0", np.float32([0.5, 8.0, 20.0])),
    c("numpy.i0", I),
    c("numpy.bincount", np.array([0, 1, 1, 3, 2, 1, 7])),
    c("numpy.bincount", np.uint8([3, 0, 3]), minlength=6),
    c("numpy.bincount", np.array([], int), minlength=2),
    near(c("numpy.bincount", np.array([1, 0, 1]), np.array([0.5, 0.25, 2.0]), 4)),
    *[
        c(f"numpy.{name}", x, *args, **kwargs)
        for name in ("histogram", "histogram_bin_edges")
        for x in (F, S, I, N[T], np.array([2.0, 2.0]), np.array([], float))
        for args, kwargs in (((), {}), ((5,), {"range": (-1, 1)}), (([-1.0, 0.0, 0.5, 2.0],), {}))
    ],
    c("numpy.histogram", V, 4, density=True),
    c("numpy.histogram", V, [-1.0, 0.0, 0.0, 1.0]),
    near(c("numpy.histogram", V, 3, weights=ROW)),
    c("numpy.histogram", V, 3, weights=np.arange(7)),
    c("numpy.histogram", N, 3, range=(-1.0, 1.0)),
    *[
        near(c("numpy.histogram2d", V, ROW, **kwargs))
        for kwargs in (
            {},
            {"bins": 3, "density": True},
            {"bins": [2, 4], "range": [[-1, 1], [-2, 2]]},
            {"bins": [-1.0, 0.0, 1.0], "weights": V},
        )
    ],
    c("numpy.linspace", SC, 4.0, 5, retstep=True),
    c("numpy.nanpercentile", N, 50),
    c("numpy.nanpercentile", N, [10.0, 35.0, 99.0], axis=1),
    c("numpy.nanquantile", N, 0.25, axis=1, keepdims=True),
    c("numpy.nanquantile", N, [], axis=1),
    c("numpy.nanquantile", N.astype("float32"), 0.3),
    c("numpy.nanquantile", I, 0.3, axis=0),
    c("numpy.nanmedian", N, axis=1),
    c("numpy.nanmedian", N.astype("float32"), keepdims=True),
    c("numpy.unravel_index", np.array([22, 41, 37]), (7, 6)),
    c("numpy.unravel_index", np.int64(1621), (6, 7, 8, 9), order="F"),
    c("numpy.ravel_multi_index", np.array([[3, 6], [9, -1]]), (4, 6), mode=("clip", "wrap")),
    c("numpy.unpackbits", B8[0], count=-3),
    c("numpy.unpackbits", B8, axis=1, count=37),
    c("numpy.array_equal", N, N.copy(), equal_nan=True),
    near(c("numpy.linalg.cond", SQ, "fro")),
    near(c("numpy.linalg.cond", SQ, 1)),
    near(c("numpy.linalg.cond", BATCH, -np.inf)),
    c("numpy.interp", SC, ROW, V),
    c("numpy.interp", F * 100, [190.0, -190.0, 350.0], [5.0, 10.0, 3.0], period=360.0),
    near(c("numpy.inner", V, ROW)),
    c("numpy.fill_diagonal", np.zeros((7, 3)), [1.0, 2.0], wrap=True),
    c("numpy.fill_diagonal", np.zeros((3, 3, 3)), 4),
    c("numpy.fill_diagonal", np.zeros((3, 5)), 4),
    c("numpy.ediff1d", V),
    c("numpy.ediff1d", F, to_begin=-99, to_end=[1.0, 2.0]),
    c("numpy.ediff1d", U16),
    c("numpy.ediff1d", np.array([1.0])),
    near(c("numpy.polymul", V, ROW)),
    c("numpy.polymul", [1, 2, 3], np.array([3, 1])),
    c("numpy.polymul", np.array([0.0]), V),
    near(c("numpy.average", F, axis=0, returned=True)),
    near(c("numpy.average", F, axis=1, weights=[1.0, 2.0, 0.5, 3.0], returned=True)),
    near(c("numpy.average", CUBE, axis=(2, 0), weights=np.arange(1.0, 9.0).reshape(4, 2))),
    c("numpy.einsum", F, [0, 1], [1]),
    c("numpy.einsum", SQ, [0, 0]),
    c("python.assume", True, True),
    c("python.constant", 2.5),
    # -- writes
    c("setitem", np.arange(5.0), 2, 7.0),
    c("ndarray.fill", np.arange(5.0), 3),
    c("ndarray.sort", V),
    c("numpy.copyto", np.zeros((3, 4)), F),
    c("numpy.copyto", np.zeros((3, 4)), F, where=T),
    c("numpy.put", np.arange(5.0), [0, 2, 2], [-1.0, -2.0, -3.0]),
    c("numpy.putmask", np.zeros((3, 4)), T, np.arange(3.0)),
    c("numpy.place", np.zeros((3, 4)), T, np.arange(3.0)),
    c("numpy.fill_diagonal", np.zeros((4, 4)), 5.0),
    c("numpy.put_along_axis", np.zeros((3, 4)), np.array([[1], [0], [3]]), 9.0, axis=1),
    # -- numbers
    c("ndarray.item", ZERO_D),
    c("ndarray.item", F, 5),
    c("getitem", F, (1, 2)),
    *[c(f"python.{name}", SC) for name in words("float int bool complex abs neg pos round truth")],
    *[c(f"python.{name}", 7.5, -2.0) for name in words("add sub mul truediv floordiv mod min max")],
    *[c(f"python.{name}", 7, -2) for name in words("add sub mul truediv floordiv mod divmod")],
    *[
        c(f"python.{name}", 7, 2)
        for name in words("pow lshift rshift and or xor lt le eq ne ge gt")
    ],
    *[c(f"python.{name}", 7) for name in words("invert not abs neg float")],
    c("python.pow", 2.0, 0.5),
    c("python.pow", 2, -2),
    *[c(f"python.{name}", 3, 2.5) for name in words("lt ge eq add pow")],
    *[
        c(f"math.{name}", 0.5)
        for name in words(
            "sqrt sin cos tan asin acos atan sinh cosh tanh asinh atanh exp expm1 log log10 log2 "
            "log1p fabs degrees radians isnan isinf isfinite floor ceil trunc erf erfc lgamma exp2"
        )
    ],
    *[c(f"math.{name}", 5.5, 2.0) for name in words("atan2 hypot copysign pow fmod")],
    c("math.acosh", 1.5),
]


@pytest.mark.filterwarnings("ignore:numpy.fix is deprecated:DeprecationWarning")
@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case) -> None:
    needs(case.op)
    program = call(case.op, *case.args, **case.kwargs)
    check(program, case.ulp, case.rtol)


def test_every_lowered_row_resolves() -> None:
    for row in ROWS:
        if row.lowering is not None:
            assert row.status == "lowered"
            assert callable(find_lowering(row.lowering)), row.name
        else:
            assert row.how != "graph" or row.reason


# Named by tests of their own: the ufuncs and their methods, and what takes several nodes.
ELSEWHERE = {row.name for row in ROWS if named(row.name) is not None} | {
    "item",
    *(row.name for row in ROWS if row.lowering and row.lowering.startswith("ufunc_methods:")),
}


def test_every_lowered_row_has_a_case() -> None:
    tried = {case.op for case in CASES}
    rows = {row.name for op in tried if (row := lowering_of(op)) is not None}
    lowered = {row.name for row in ROWS if row.lowering is not None}
    assert sorted(lowered - tried - rows - ELSEWHERE) == []
