"""Strategies that all recipes are made from: shapes, layouts, numbers, outputs."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np

from jupyter_npcompile.tracer.lowering.ufuncs import named
from tests.support.lowering.arguments import Array, Call, Memory, Number
from tests.support.lowering.comparison import callee

Draw = st.DrawFn

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGERS = SIGNED + UNSIGNED
FLOATS = ("float64", "float32", "float16")
WIDE_FLOATS = ("float64", "float32")
COMPLEX = ("complex128", "complex64")
REAL = ("float64", "int64", "bool", *INTEGERS, "float32", "float16")
ALL = (*REAL, *COMPLEX)
INEXACT = (*FLOATS, *COMPLEX)

Dtypes = tuple[str, ...]

ANY_VALUES = ("ordinary", "special", "few", "wide")
TAME_VALUES = ("ordinary", "few", "infinite")


def pick(draw: Draw, *options: Any) -> Any:
    """One of several."""
    return draw(st.sampled_from(options))


def maybe(draw: Draw, chance: int = 3) -> bool:
    """True once in so many times."""
    return bool(draw(st.integers(0, chance - 1)) == chance - 1)


def a_shape(
    draw: Draw, least: int = 0, most: int = 3, smallest: int = 0, largest: int = 4
) -> tuple[int, ...]:
    """A shape; empty and one-element ones come often."""
    return draw(
        hnp.array_shapes(min_dims=least, max_dims=most, min_side=smallest, max_side=largest)
    )


LAYOUTS = ("C", "C", "F", "permuted", "stepped", "backward", "mixed", "offset", "spread", "windows")


MATRICES = ("regular", "definite", "deficient")
"""Values that hang on the shape of the memory."""


def an_array(
    draw: Draw,
    dtypes: Dtypes = ALL,
    shape: tuple[int, ...] | None = None,
    values: tuple[str, ...] = TAME_VALUES,
    *,
    writable: bool = False,
    least: int = 0,
    most: int = 3,
    smallest: int = 0,
) -> Array:
    """An array of any layout."""
    if shape is None:
        shape = a_shape(draw, least, most, smallest)
    dtype, holds, seed = pick(draw, *dtypes), pick(draw, *values), draw(st.integers(0, 999))
    layout = pick(draw, *LAYOUTS) if holds not in MATRICES else pick(draw, "C", "F")
    if writable and layout in ("spread", "windows"):
        layout = "C"
    memory, steps = _laid_out(layout, shape)
    described = Memory(dtype, memory, holds, seed, "F" if layout == "F" else "C")
    if not writable and maybe(draw, 12):
        steps = (*steps, ("frozen",))
    return Array(described, steps)


def _laid_out(layout: str, shape: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    """The shape of the memory for a layout, and how the array is taken from it."""
    ndim = len(shape)
    if layout in ("C", "F") or not ndim:
        return shape, ()
    if layout == "permuted":
        axes = (*range(1, ndim), 0)
        return tuple(shape[axes.index(k)] for k in range(ndim)), (("transpose", axes),)
    if layout == "stepped":
        return tuple(2 * n for n in shape), (("index", (slice(None, None, 2),) * ndim),)
    if layout == "backward":
        return shape, (("index", (slice(None, None, -1),) * ndim),)
    if layout == "mixed":
        index = (slice(None, None, -1), *[slice(None)] * (ndim - 2), slice(1, None, 2))[-ndim:]
        return (*shape[:-1], 2 * shape[-1]), (("index", index),)
    if layout == "offset":
        return tuple(n + 1 for n in shape), (("index", (slice(1, None),) * ndim),)
    if layout == "spread":
        return (1, *shape[1:]), (("spread", shape),)
    if ndim == 2 and 0 not in shape:
        return (sum(shape) - 1,), (("windows", shape[1]),)
    return shape, ()


PYTHON: dict[str, tuple[Any, ...]] = {
    "int": (0, 1, 2, -1, 3, 7, -3, 100, 300, 2**40),
    "float": (0.0, 0.5, 2.0, 1.0, -1.0, -0.5, 2.5, 3.0, -0.0, np.inf, -np.inf, np.nan, 1e30),
    "bool": (True, False),
    "complex": (1j, 2 + 1j, -0.5j, 0j),
}
PYTHON_TYPES = {"int": int, "float": float, "bool": bool, "complex": complex}


def a_number(draw: Draw, kinds: tuple[str, ...] = ("int", "float")) -> Any:
    """A Python number: written out, or one that changes between runs."""
    kind = pick(draw, *kinds)
    pool = [PYTHON_TYPES[kind](x) for x in PYTHON[kind]]
    first, second = draw(st.sampled_from(pool)), draw(st.sampled_from(pool))
    return Number((first, first if maybe(draw) else second))


def a_scalar(draw: Draw, dtypes: Dtypes = ALL, values: tuple[str, ...] = TAME_VALUES) -> Number:
    """A NumPy scalar."""
    memory = Memory(pick(draw, *dtypes), (), pick(draw, *values), draw(st.integers(0, 999)))
    return Number((memory.make(0, {})[()], memory.make(1, {})[()]))


def an_operand(
    draw: Draw, shape: tuple[int, ...], dtypes: Dtypes, values: tuple[str, ...] = ANY_VALUES
) -> Any:
    """An array, a NumPy scalar or a Python number."""
    form = pick(draw, *["array"] * 5, "scalar", "number", "number")
    if form == "array":
        return an_array(draw, dtypes, shape, values)
    if form == "scalar":
        return a_scalar(draw, dtypes, values)
    kinds = {"b": "bool", "i": "int", "u": "int", "f": "float", "c": "complex"}
    known = tuple(dict.fromkeys(kinds[np.dtype(d).kind] for d in dtypes))
    return a_number(draw, known)


def two_shapes(draw: Draw, most: int = 3) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Shapes that broadcast."""
    found = draw(
        hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=most, min_side=0, max_side=4)
    )
    one, two = found.input_shapes
    return one, two


def an_axis(draw: Draw, array: Array, *, none: bool = True, several: bool = False) -> Any:
    """An axis of an array, seldom one that it has not."""
    ndim = len(shape_of(array))
    options: list[Any] = [None] * none
    if ndim:
        options += [*range(ndim), *range(-ndim, 0)] * 2
    elif not none:
        options += [0, -1]
    if several:
        options += [
            axes for n in range(ndim + 1) for axes in itertools.combinations(range(ndim), n)
        ]
    if maybe(draw, 30):
        return ndim
    return draw(st.sampled_from(options))


def shape_of(array: Array | Number) -> tuple[int, ...]:
    """Its shape."""
    return np.shape(array.make(0, {}))


def dtype_of(array: Array | Number) -> str:
    """Name of its dtype."""
    return np.asarray(array.make(0, {})).dtype.name


def indices(draw: Draw, size: int, shape: tuple[int, ...], *, unsigned: bool = True) -> Array:
    """An array of indices into so many elements."""
    kinds = ("int64", "int64", "int32", "int8", *(("uint8", "uint64") if unsigned else ()))
    return an_array(draw, kinds, shape, (f"index:{size}",))


def with_out(draw: Draw, op: str, call: Call, chance: int = 4) -> Call:
    """Sometimes give the call an ``out=``: an array of its own, or one that overlaps."""
    if not maybe(draw, chance):
        return call
    args, kwargs = call.make(0)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = callee(op)(*args, **kwargs)
        except (TypeError, ValueError, IndexError, ArithmeticError):
            return call
    results = result if isinstance(result, tuple) else (result,)
    outs = tuple(_an_out(draw, call, np.asarray(r)) for r in results)
    call.kwargs["out"] = outs[0] if len(outs) == 1 and not maybe(draw, 5) else outs
    if len(outs) == 1 and named(op) is None:
        call.kwargs["out"] = outs[0]
    return call


def _an_out(draw: Draw, call: Call, result: np.ndarray) -> Array:
    arrays = [a for a in call.args if isinstance(a, Array)]
    same = [a for a in arrays if shape_of(a) == result.shape]
    if same and maybe(draw, 2):
        target = draw(st.sampled_from(same))
        if not any(step[0] in ("frozen", "spread", "windows") for step in target.steps):
            if maybe(draw, 2):
                return target
            back = ("index", (slice(None, None, -1),) * result.ndim)
            return Array(target.memory, (*target.steps, back if result.ndim else ("view",)))
    wider = {"b": "int64", "i": "float64", "u": "float64", "f": "float64", "c": "complex128"}
    names = [result.dtype.name] * 4 + [wider[result.dtype.kind], "float32"]
    return an_array(draw, tuple(names), result.shape, ("ordinary",), writable=True)


def masked(draw: Draw, call: Call, shape: tuple[int, ...], chance: int = 5) -> Call:
    """Sometimes give the call a ``where=``."""
    if maybe(draw, chance):
        call.kwargs["where"] = an_array(draw, ("bool",), shape, ("ordinary",))
    return call
