"""NumPy functions in other words, where what has no lowering has a derivative.

They run on real values, in the form that is followed. Where elements are only
moved, NumPy says where from, and a gather moves them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType, MappingProxyType
from typing import Any, cast

import numpy as np

from jupyter_npcompile.autodiff.trees import map_leaves


def constant(value: Any) -> Any:
    """A value that is not followed: what NumPy decides with it is a constant."""
    return map_leaves(
        lambda leaf: np.array(leaf)[()] if np.ndim(leaf) == 0 else np.array(leaf), value
    )


def _constant_on_tape(hooks: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return constant(*args)


constant.__npcompile_on_tape__ = _constant_on_tape  # type: ignore[attr-defined]


def partition(
    a: Any, kth: Any, axis: int | None = -1, kind: str = "introselect", order: Any = None
) -> Any:
    """``np.partition``: the elements of the result, found among those of the argument."""
    x = np.asanyarray(a)
    if axis is None:
        x, axis = np.ravel(x), -1
    places = _places(np.partition, x, kth, axis)
    return np.take_along_axis(x, places, axis)


def partition_in_place(x: Any, kth: Any, axis: int = -1, kind: str = "introselect") -> None:
    """``x.partition(kth)``."""
    x[...] = np.take_along_axis(x, _places(np.partition, x, kth, axis), axis)


def _places(function: Callable[..., Any], x: Any, kth: Any, axis: int) -> Any:
    """Where along an axis the elements of a rearrangement come from."""
    x = constant(x)
    rearranged = function(x, kth, axis)
    order = np.argsort(x, axis=axis, kind="stable")
    ranks = np.argsort(np.argsort(rearranged, axis=axis, kind="stable"), axis=axis, kind="stable")
    return np.take_along_axis(order, ranks, axis)


def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    **options: Any,
) -> Any:
    """``np.unique``: a gather of the elements that come first."""
    x = np.asanyarray(ar)
    if axis is None:
        x = np.ravel(x)
    find: Any = np.unique
    found = find(constant(ar), True, return_inverse, return_counts, axis, **options)
    values = np.take(x, found[1], axis=0 if axis is None else axis)
    wanted = (return_index, return_inverse, return_counts)
    position, rest = 1, []
    for k, each in enumerate(wanted):
        if each:
            rest.append(found[position])
        position += 1 if each or k == 0 else 0
    return (values, *rest) if rest else values


def extract(condition: Any, arr: Any) -> Any:
    """``np.extract``."""
    return np.take(np.ravel(arr), np.nonzero(np.ravel(constant(condition)))[0])


def trim_zeros(filt: Any, trim: str = "fb", **options: Any) -> Any:
    """``np.trim_zeros`` of one dimension: a slice."""
    x = np.asanyarray(filt)
    kept = np.nonzero(constant(x))[0]
    if not len(kept):
        return x[:0]
    start = kept[0] if "f" in trim.lower() else 0
    return x[int(start) : int(kept[-1]) + 1 if "b" in trim.lower() else len(x)]


def vectorize(function: Any, otypes: Any, *args: Any) -> Any:
    """``np.vectorize(f)(...)``: the function for each element."""
    arrays = np.broadcast_arrays(*[np.asanyarray(arg) for arg in args])
    flat = [np.ravel(array) for array in arrays]
    results = [function(*[column[k] for column in flat]) for k in range(arrays[0].size)]
    if results and type(results[0]) is tuple:
        several = [np.array([result[k] for result in results]) for k in range(len(results[0]))]
        return tuple(np.reshape(one, arrays[0].shape) for one in several)
    made = np.array(results, otypes[0] if otypes else None)
    return np.reshape(made, arrays[0].shape) if arrays[0].ndim else made[0]


def fromiter(iterable: Any, dtype: Any, count: int = -1, **options: Any) -> Any:
    """``np.fromiter``: a list of the elements."""
    items = list(iterable)
    return np.array(items if count < 0 else items[:count], dtype)


def real_if_close(a: Any, tol: float = 100) -> Any:
    """``np.real_if_close``: which of the two it is, is a decision."""
    return np.real(a) if np.isrealobj(np.real_if_close(constant(a), tol)) else a


def ndenumerate(arr: Any) -> Any:
    """``np.ndenumerate``."""
    return [(index, arr[index]) for index in np.ndindex(arr.shape)]


def roots(p: Any) -> Any:
    """``np.roots``: eigenvalues of the companion matrix."""
    x = np.atleast_1d(p)
    kept = np.nonzero(constant(x))[0]
    if not len(kept):
        return np.array([])
    zeros = len(x) - int(kept[-1]) - 1
    x = x[int(kept[0]) : int(kept[-1]) + 1]
    count = len(x)
    if count < 2:
        return np.zeros(zeros)
    matrix = np.concatenate([np.reshape(-x[1:] / x[0], (1, -1)), np.eye(count - 1)[:-1]])
    found = np.linalg.eigvals(matrix)
    return np.concatenate([found, np.zeros(zeros, found.dtype)])


def arange(*args: Any, dtype: Any = None, **options: Any) -> Any:
    """``np.arange`` with bounds that are differentiated: start + k * step."""
    plain = np.arange(*[constant(arg) for arg in args], dtype=dtype, **constant(options))
    start = args[0] if len(args) > 1 else options.get("start", 0)
    step = args[2] if len(args) > 2 else options.get("step", 1)
    return (start + np.arange(len(plain)) * step).astype(plain.dtype)


def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """``np.logspace``."""
    powers = np.power(base, np.linspace(start, stop, num, endpoint, axis=axis))
    return powers if dtype is None else powers.astype(dtype)


def geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Any:
    """``np.geomspace`` of positive numbers; the ends are exact."""
    logs = np.linspace(np.log(start), np.log(stop), num, endpoint, axis=axis)
    powers = np.exp(logs)
    return powers if dtype is None else powers.astype(dtype)


def complex_sign(x: Any) -> Any:
    """``np.sign`` of complex numbers: on the unit circle."""
    size = np.abs(x)
    return np.where(size == 0, 0, x / np.where(size == 0, 1, size))


def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    """``np.histogram_bin_edges``: equal steps between the ends of the data."""
    plain = np.histogram_bin_edges(constant(a), constant(bins), constant(range), constant(weights))
    if not isinstance(bins, str) and np.ndim(bins):
        return np.asarray(bins)
    low, high = (np.min(a), np.max(a)) if np.size(a) else (plain[0], plain[-1])
    if range is not None:
        low, high = range
    if low == high:
        low, high = low - 0.5, high + 0.5
    return np.linspace(low, high, len(plain), dtype=plain.dtype)


def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    """``np.histogram``: counts are constant, sums of weights and edges are not."""
    counts, _ = np.histogram(
        constant(a), constant(bins), constant(range), weights=constant(weights)
    )
    edges = histogram_bin_edges(a, bins, range, weights)
    if weights is not None:
        counts = _sums(np.ravel(a), edges, np.ravel(weights), counts.dtype)
    if density:
        counts = counts / np.diff(edges) / np.sum(counts)
    return counts, edges


def _sums(values: Any, edges: Any, weights: Any, dtype: Any) -> Any:
    """Sums of weights between edges."""
    count = len(edges) - 1
    place = np.searchsorted(edges, values, side="right") - 1
    place = np.where(values == edges[-1], count - 1, place)
    inside = np.nonzero((place >= 0) & (place < count))[0]
    sums = np.zeros(count, dtype)
    np.add.at(sums, place[inside], np.asarray(weights)[inside])
    return sums


def histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    """``np.histogram2d``."""
    counts, plain_x, plain_y = np.histogram2d(
        constant(x), constant(y), constant(bins), constant(range), None, constant(weights)
    )
    several = not isinstance(bins, int) and len(bins) == 2
    wanted = bins if several else (bins, bins)
    ranges = (None, None) if range is None else range
    edges_x = histogram_bin_edges(x, wanted[0], ranges[0])
    edges_y = histogram_bin_edges(y, wanted[1], ranges[1])
    if weights is not None:
        rows = np.searchsorted(plain_x, x, side="right") - 1
        columns = np.searchsorted(plain_y, y, side="right") - 1
        rows = np.where(np.asarray(x) == plain_x[-1], len(plain_x) - 2, rows)
        columns = np.where(np.asarray(y) == plain_y[-1], len(plain_y) - 2, columns)
        inside = (rows >= 0) & (rows < len(plain_x) - 1)
        inside = inside & (columns >= 0) & (columns < len(plain_y) - 1)
        kept = np.nonzero(inside)[0]
        sums = np.zeros(counts.shape, counts.dtype)
        np.add.at(sums, (rows[kept], columns[kept]), np.asarray(weights)[kept])
        counts = sums
    if density:
        counts = counts / np.sum(counts)
        counts = counts / (np.diff(edges_x)[:, None] * np.diff(edges_y)[None, :])
    return counts, edges_x, edges_y


def sinc(x: Any) -> Any:
    """``np.sinc``: NumPy moves zero by a rounding error, which leaves no second derivative."""
    y = np.pi * np.asanyarray(x)
    near = np.abs(constant(y)) < 1e-3
    away = np.where(near, 1.0, y)
    square = y * y
    series = 1 - square / 6 * (1 - square / 20 * (1 - square / 42))
    return np.where(near, series, np.sin(away) / away)[()]


RULES: Mapping[str, FunctionType] = MappingProxyType(
    {
        name: cast("FunctionType", function)
        for name, function in {
            "numpy.partition": partition,
            "numpy.unique": unique,
            "numpy.extract": extract,
            "numpy.trim_zeros": trim_zeros,
            "numpy.real_if_close": real_if_close,
            "numpy.ndenumerate": ndenumerate,
            "numpy.roots": roots,
            "numpy.sinc": sinc,
            "numpy.arange": arange,
            "numpy.logspace": logspace,
            "numpy.geomspace": geomspace,
            "numpy.histogram": histogram,
            "numpy.histogram2d": histogram2d,
            "numpy.histogram_bin_edges": histogram_bin_edges,
        }.items()
    }
)
"""By operation."""

SOURCES = frozenset(
    f"numpy.{name}" for name in ("intersect1d", "union1d", "setdiff1d", "setxor1d", "unique_values")
)
"""Operations without lowering that are followed through NumPy's own source."""

COMPLEX: Mapping[str, FunctionType] = MappingProxyType(
    {**RULES, "numpy.sign": cast("FunctionType", complex_sign)}
)
"""By operation, where the first argument is complex."""

METHODS: Mapping[str, FunctionType] = MappingProxyType(
    {"partition": cast("FunctionType", partition_in_place)}
)
"""By the name of the method."""
