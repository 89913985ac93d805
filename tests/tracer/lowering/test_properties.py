"""Random dtypes, shapes, strides and indices, against NumPy."""

from __future__ import annotations

import math
from typing import Any

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np
from hypothesis import HealthCheck, given, settings

from jupyter_npcompile.tracer.lowering import LoweringError
from tests.support.lowering.programs import Handle, Program, check

INTEGERS = str.split("int8 int16 int32 int64 uint8 uint16 uint32 uint64")
DTYPES = st.sampled_from(["bool", *INTEGERS, "float32", "float64", "complex64", "complex128"])
SHAPES = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
few = settings(
    max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def values(dtype: str, shape: tuple[int, ...], seed: int) -> np.ndarray:
    """Small numbers of any dtype, all different from zero where that is possible."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return np.asarray(rng.random(shape) > 0.5)
    if kind.kind in "iu":
        info = np.iinfo(kind)
        return np.asarray(rng.integers(info.min, info.max, shape, dtype=kind, endpoint=True))
    found = rng.normal(size=shape) * 3
    return np.asarray(found + 1j * rng.normal(size=shape) if kind.kind == "c" else found, kind)


@st.composite
def arrays(draw: st.DrawFn, dtypes: st.SearchStrategy[str] = DTYPES) -> np.ndarray:
    """Arrays in C, F and other orders, and with steps."""
    array = values(draw(dtypes), draw(SHAPES), draw(st.integers(0, 999)))
    array = array.transpose(draw(st.permutations(range(array.ndim))))
    if array.ndim and draw(st.booleans()):
        wide = np.repeat(array, 2, axis=0)
        return wide[::2] if array.shape[0] != 0 else array
    return array.copy(order="K")


@st.composite
def broadcastable(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    shapes = draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=4))
    left, right = shapes.input_shapes
    one, two = draw(DTYPES), draw(DTYPES)
    return values(one, left, draw(st.integers(0, 999))), values(two, right, 5)


def flipped(program: Program, x: np.ndarray, steps: tuple[bool, ...]) -> Handle:
    """An input seen through negative steps."""
    handle = program.input(x)
    if any(steps[: x.ndim]):
        index = tuple(slice(None, None, -1 if s else None) for s in steps[: x.ndim])
        handle = handle[index]
    return handle


STEPS = st.tuples(st.booleans(), st.booleans(), st.booleans())


@few
@given(broadcastable(), st.sampled_from(str.split("add subtract multiply maximum less")), STEPS)
def test_binary_ufuncs(pair: tuple[np.ndarray, np.ndarray], name: str, steps: Any) -> None:
    left, right = pair
    kinds = {left.dtype.kind, right.dtype.kind}
    if (name == "subtract" and kinds == {"b"}) or ("c" in kinds and name in ("maximum", "less")):
        return
    program = Program()
    a, b = flipped(program, left, steps), flipped(program, right, steps[::-1])
    program.output(y=program(f"numpy.{name}", a, b))
    check(program, ulp=4)


@few
@given(arrays(), st.data(), STEPS)
def test_reductions(x: np.ndarray, data: st.DataObject, steps: Any) -> None:
    name = data.draw(st.sampled_from(str.split("sum prod mean max min any all var argmax ptp")))
    axes = st.none() | st.integers(-x.ndim, x.ndim - 1) if x.ndim else st.none()
    if x.size == 0 and name in ("max", "min", "mean", "var", "argmax", "ptp"):
        return
    if x.dtype.kind == "c" and name in ("max", "min", "argmax", "ptp"):
        return
    if x.dtype.kind == "b" and name == "ptp":
        return
    program = Program()
    options: dict[str, Any] = {"axis": data.draw(axes), "keepdims": data.draw(st.booleans())}
    program.output(y=program(f"numpy.{name}", flipped(program, x, steps), **options))
    single = x.dtype.name in ("float32", "complex64")
    check(program, ulp=64, rtol=1e-4 if single else 1e-10)


@few
@given(arrays(), st.data())
def test_shapes_keep_order_and_aliasing(x: np.ndarray, data: st.DataObject) -> None:
    program = Program()
    handle = program.input(x)
    order = data.draw(st.sampled_from("CFA"))
    choices = {
        "ravel": lambda: program("numpy.ravel", handle, order=order),
        "reshape": lambda: program("numpy.reshape", handle, (-1, 1), order=order),
        "flatten": lambda: program("ndarray.flatten", handle),
        "T": lambda: program("ndarray.T", handle),
        "copy": lambda: program("numpy.copy", handle),
        "add": lambda: program("numpy.logical_or", handle, handle),
        "zeros_like": lambda: program("numpy.zeros_like", handle),
        "squeeze": lambda: program("numpy.squeeze", handle),
    }
    name = data.draw(st.sampled_from(sorted(choices)))
    if x.size == 0 and name == "reshape":
        return
    result = choices[name]()
    if isinstance(result.value, np.ndarray) and result.value.flags.writeable:
        result[...] = data.draw(st.sampled_from([0, 1]))
    program.output(y=result, x=handle)
    check(program)


def _indices(shape: tuple[int, ...]) -> st.SearchStrategy[Any]:
    basic = hnp.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True)
    if not shape or 0 in shape:
        return basic
    fancy = hnp.integer_array_indices(
        shape, result_shape=hnp.array_shapes(max_dims=2, max_side=3), dtype=np.dtype("int64")
    )
    return basic | fancy


def _lifted(program: Program, index: Any) -> Any:
    if isinstance(index, np.ndarray):
        return program.input(index)
    if isinstance(index, tuple):
        return tuple(_lifted(program, part) for part in index)
    return index


@few
@given(arrays(), st.data(), STEPS)
def test_getitem(x: np.ndarray, data: st.DataObject, steps: Any) -> None:
    program = Program()
    handle = flipped(program, x, steps)
    index = data.draw(_indices(x.shape))
    program.output(y=program("getitem", handle, _lifted(program, index)))
    check(program)


@few
@given(arrays(), st.data(), STEPS)
def test_setitem(x: np.ndarray, data: st.DataObject, steps: Any) -> None:
    program = Program()
    handle = flipped(program, x.copy(order="K"), steps)
    index = data.draw(_indices(x.shape))
    shape = np.asarray(x[index]).shape
    cut = data.draw(st.integers(0, len(shape)))
    source = values("int8", shape[cut:], 3)
    handle[_lifted(program, index)] = program.input(np.abs(source // 2).astype("int8") % 2)
    program.output(y=handle)
    check(program)


@few
@given(arrays(), st.data())
def test_masks(x: np.ndarray, data: st.DataObject) -> None:
    depth = data.draw(st.integers(0, x.ndim)) if x.ndim else 0
    if depth == 0:
        return
    program = Program()
    handle = program.input(x.copy(order="K"))
    mask = values("bool", x.shape[:depth], data.draw(st.integers(0, 99)))
    handle[program.input(mask)] = data.draw(st.sampled_from([0, True]))
    program.output(y=handle)
    check(program)


@few
@given(arrays(), st.sampled_from(["bool", *INTEGERS, "float32", "float64", "complex128"]))
def test_conversions(x: np.ndarray, dtype: str) -> None:
    if x.dtype.kind == "c" and dtype != "complex128" and dtype != "bool":
        return  # NumPy warns
    if x.dtype.kind == "f" and dtype in INTEGERS:
        x = np.abs(x)
    program = Program()
    program.output(y=program("ndarray.astype", program.input(x), np.dtype(dtype)))
    check(program, ulp=0)


@few
@given(arrays(st.sampled_from(["float64", "float32", "int64", "uint16"])), st.data())
def test_joining_and_order(x: np.ndarray, data: st.DataObject) -> None:
    if x.ndim == 0:
        return
    program = Program()
    handle = program.input(x)
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    name = data.draw(st.sampled_from(str.split("sort cumsum flip concatenate stack roll repeat")))
    if name in ("concatenate", "stack"):
        result = program(f"numpy.{name}", [handle, handle], axis=axis)
    elif name in ("roll", "repeat"):
        result = program(f"numpy.{name}", handle, 2, axis=axis)
    else:
        result = program(f"numpy.{name}", handle, axis=axis)
    program.output(y=result)
    check(program, ulp=32, rtol=1e-4 if x.dtype == np.float32 else 1e-12)


@few
@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 4), st.sampled_from(INTEGERS))
def test_integer_products_wrap(n: int, m: int, k: int, dtype: str) -> None:
    program = Program()
    a, b = program.input(values(dtype, (n, m), 1)), program.input(values(dtype, (m, k), 2))
    program.output(y=a @ b)
    check(program)


@few
@given(st.lists(st.floats(allow_nan=True, width=32), min_size=1, max_size=8))
def test_nan_and_infinity_in_reductions(numbers: list[float]) -> None:
    x = np.array(numbers)
    program = Program()
    handle = program.input(x)
    for name in ("max", "min", "argmax", "argmin", "sort", "any"):
        program.output(**{name: program(f"numpy.{name}", handle)})
    if not all(map(math.isnan, numbers)):
        program.output(low=program("numpy.nanmin", handle))
    check(program, ulp=1)  # which of 0.0 and -0.0 comes first is not defined


@few
@given(arrays(), st.sampled_from(str.split("sum max sin sort cumsum mean")))
def test_what_cannot_be_lowered_says_so(x: np.ndarray, name: str) -> None:
    if x.size == 0:
        return
    program = Program()
    try:
        program.output(y=program(f"numpy.{name}", program.input(x)))
    except (TypeError, ValueError):
        return
    refused: LoweringError | None = None
    try:
        check(program, ulp=64, rtol=1e-4)
    except LoweringError as error:
        refused = error
    if refused is not None:
        assert refused.op == f"numpy.{name}"
        assert refused.position.line == 2
        assert "while lowering" not in refused.reason
