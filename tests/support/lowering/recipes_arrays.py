"""Recipes for what rearranges, joins, selects, stores and makes arrays."""

from __future__ import annotations

from typing import Any

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np

from tests.support.lowering.arguments import Array, Call, Number
from tests.support.lowering.recipes import MANY, draw_index, recipe
from tests.support.lowering.strategies import (
    ALL,
    INTEGERS,
    Draw,
    a_number,
    a_scalar,
    a_shape,
    an_array,
    an_axis,
    an_operand,
    dtype_of,
    indices,
    maybe,
    pick,
    shape_of,
    with_out,
)

ANY = ("ordinary", "wide")


def _axis(draw: Draw, x: Array) -> Any:
    return an_axis(draw, x, none=False)


def _count(shape: tuple[int, ...]) -> int:
    return int(np.prod(shape))


# -- shapes


@recipe("reshape")
@recipe("reshape", prefix="ndarray.")
def _reshape(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL, None, ANY)
    size = _count(shape_of(x))
    shapes: list[tuple[int, ...]] = [(size,), (-1,), (1, size), (size, 1)]
    shapes += [(n, size // n) for n in (2, 3, 4) if size % n == 0]
    shapes += [(-1, n) for n in (2, 3) if size and size % n == 0]
    shape = draw(st.sampled_from(shapes))
    args = shape if op.startswith("ndarray") and maybe(draw, 2) else (shape,)
    return Call((x, *args), {"order": pick(draw, *"CFA")} if maybe(draw, 2) else {})


@recipe("ravel")
@recipe("flatten", prefix="ndarray.")
@recipe("copy")
def _ravel(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL, None, ANY)
    method = op in ("numpy.ravel", "numpy.copy") and maybe(draw, 2)
    return Call((x,), {"order": pick(draw, *"CFAK")} if maybe(draw, 2) else {}, method=method)


@recipe("transpose permute_dims")
@recipe("transpose", prefix="ndarray.")
def _transpose(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL, None, ANY)
    axes = tuple(draw(st.permutations(range(len(shape_of(x))))))
    if maybe(draw):
        return Call((x,))
    return Call((x, *axes) if op.startswith("ndarray") and maybe(draw, 2) else (x, axes))


@recipe("swapaxes moveaxis rollaxis")
def _move(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL, None, ANY, least=1)
    one, two = _axis(draw, x), _axis(draw, x)
    return Call((x, one, two), method=op == "numpy.swapaxes" and maybe(draw))


@recipe("squeeze")
def _squeeze(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL, (*pick(draw, (), (1,)), *a_shape(draw, 0, 2), 1), ANY)
    return Call((x, pick(draw, None, -1, 0)), method=maybe(draw))


@recipe("expand_dims")
def _expand_dims(draw: Draw, op: str) -> Call:
    return Call((an_array(draw, ALL, None, ANY), pick(draw, 0, -1, (0, 1), 1, (0, -1))))


@recipe("broadcast_to")
def _broadcast_to(draw: Draw, op: str) -> Call:
    shape = a_shape(draw, 0, 2)
    x = an_operand(draw, tuple(pick(draw, 1, n) for n in shape), ALL, ANY)
    return Call((x, (*pick(draw, (), (2,)), *shape)))


@recipe("sliding_window_view", prefix="numpy.lib.stride_tricks.")
def _windows(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL, None, ANY, least=1)
    axis = _axis(draw, x)
    shape = shape_of(x)
    length = shape[axis] if -len(shape) <= axis < len(shape) else 0  # NumPy raises then
    return Call((x, draw(st.integers(0, length + 1)), axis))


@recipe("broadcast_arrays atleast_1d atleast_2d atleast_3d")
def _several(draw: Draw, op: str) -> Call:
    shapes = draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3))
    parts = [an_array(draw, ALL, shape, ANY) for shape in shapes.input_shapes]
    return Call(tuple(parts[: pick(draw, 1, 2)]))


@recipe("diagonal", prefix="numpy.linalg.")
@recipe("diagonal")
def _diagonal(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL, None, ANY, least=2)
    call = Call((x,), {"offset": pick(draw, 0, 1, -1, 5)} if maybe(draw, 2) else {})
    if op == "numpy.diagonal" and maybe(draw):
        call.kwargs.update(axis1=pick(draw, 0, 1), axis2=pick(draw, -1, 0))
    call.method = op == "numpy.diagonal" and maybe(draw)
    return call


@recipe("flip")
def _flip(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL, None, ANY)
    return Call((x,), {"axis": an_axis(draw, x, several=True)} if maybe(draw, 2) else {})


@recipe("fliplr flipud matrix_transpose")
@recipe("matrix_transpose", prefix="numpy.linalg.")
def _plane(draw: Draw, op: str) -> Call:
    return Call((an_array(draw, ALL, None, ANY, least=1 if maybe(draw, 5) else 2),))


@recipe("rot90")
def _rot90(draw: Draw, op: str) -> Call:
    return Call((an_array(draw, ALL, None, ANY, least=2), pick(draw, 0, 1, 2, 3, -1)))


@recipe("real imag")
@recipe("real imag T mT", prefix="ndarray.")
def _part(draw: Draw, op: str) -> Call:
    return Call((an_array(draw, ALL, None, ANY),))


@recipe("view", prefix="ndarray.")
def _view(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL, None, ("ordinary",))
    return Call((x, np.dtype(pick(draw, *ALL))) if maybe(draw, 2) else (x,))


_TAKERS = "asarray asanyarray ascontiguousarray asfortranarray require asarray_chkfinite array"


@recipe(_TAKERS)
def _taken(draw: Draw, op: str) -> Call:
    shape = a_shape(draw, 0, 2)
    forms = [an_array(draw, ALL, shape, ("ordinary", "infinite"))]
    given: Any = pick(draw, *forms * 3, a_scalar(draw), a_number(draw), [forms[0], forms[0]])
    if maybe(draw, 4):
        given = [a_scalar(draw), a_number(draw), 1.5]
    call = Call((given,))
    if maybe(draw):
        call.kwargs["dtype"] = np.dtype(pick(draw, "float64", "float32", "complex128", "int64"))
    if op == "numpy.array" and maybe(draw):
        call.kwargs.update(pick(draw, {"copy": None}, {"ndmin": 2}, {"order": "F"}, {"copy": True}))
    return call


# -- splitting and joining


@recipe("split array_split hsplit vsplit dsplit unstack")
def _split(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL, None, ANY, least=3 if "dsplit" in op else 2)
    if op == "numpy.unstack":
        return Call((x,), {"axis": _axis(draw, x)})
    parts = pick(draw, 1, 2, 3, [1], [1, 2], [0, 3], [2, 1])
    axis = {"axis": _axis(draw, x)} if op in ("numpy.split", "numpy.array_split") else {}
    return Call((x, parts), axis)


@recipe("concatenate concat stack vstack hstack dstack column_stack")
def _join(draw: Draw, op: str) -> Call:
    shape = a_shape(draw, 1)
    kinds = (pick(draw, *ALL),) if maybe(draw, 2) else ALL
    parts = [an_array(draw, kinds, shape, ANY) for _ in range(pick(draw, 1, 2, 3))]
    call = Call((pick(draw, tuple, list)(parts),))
    if op in ("numpy.concatenate", "numpy.concat", "numpy.stack") and maybe(draw, 2):
        call.kwargs["axis"] = an_axis(draw, parts[0], none=op != "numpy.stack")
    if op in ("numpy.concatenate", "numpy.stack") and maybe(draw, 4):
        call.kwargs["dtype"] = np.dtype(pick(draw, "float64", "complex128", "float32"))
        call.kwargs["casting"] = pick(draw, "same_kind", "unsafe")
    return with_out(draw, op, call, 8) if op == "numpy.concatenate" else call


@recipe("block")
def _block(draw: Draw, op: str) -> Call:
    parts = [an_array(draw, ALL, (2, 3), ANY) for _ in range(4)]
    return Call((pick(draw, [parts[:2], parts[2:]], parts[:2], [[parts[0]], [parts[1]]]),))


@recipe("tile repeat roll append delete insert pad")
def _lengthened(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL, None, ANY)
    name = op.partition(".")[2]
    if name == "tile":
        return Call((x, pick(draw, 0, 1, 2, (2, 1), (1, 2, 2))))
    if name == "pad":
        return _padded(draw, x)
    axis = an_axis(draw, x)
    shape = shape_of(x)
    known = axis is not None and -len(shape) <= axis < len(shape)
    size = shape[axis] if known else _count(shape)
    if name == "roll":
        return Call((x, pick(draw, 0, 1, -2, 5)), {"axis": axis})
    if name == "repeat":
        counts = pick(draw, 0, 2, [1] * size, [k % 3 for k in range(size)])
        return Call((x, counts), {"axis": axis}, method=maybe(draw))
    other = an_array(draw, ALL, shape if known else None, ANY)
    if name == "append":
        return Call((x, other), {"axis": axis})
    places = pick(draw, draw_index(draw, size), [draw_index(draw, size)], slice(0, 2), -1)
    if name == "delete":
        return Call((x, places), {"axis": axis})
    return Call((x, places, pick(draw, a_number(draw), a_scalar(draw))), {"axis": axis})


def _padded(draw: Draw, x: Array) -> Call:
    modes = "constant edge reflect symmetric wrap linear_ramp mean maximum empty"
    mode = pick(draw, "constant", "constant", "edge", *modes.split()[2:8])
    call = Call((x, pick(draw, 0, 1, 2, (1, 2))), {"mode": mode})
    if mode == "constant" and maybe(draw, 2):
        call.kwargs["constant_values"] = pick(draw, 7, 2.5, -1)
    return call


# -- selection


@recipe("where")
def _where(draw: Draw, op: str) -> Call:
    shapes = draw(hnp.mutually_broadcastable_shapes(num_shapes=3, max_dims=3, max_side=3))
    one, two, three = shapes.input_shapes
    mask = an_array(draw, ("bool", "bool", "bool", *ALL), one, ("few", "infinite"))
    return Call((mask, an_operand(draw, two, ALL), an_operand(draw, three, ALL)))


@recipe("select")
def _select(draw: Draw, op: str) -> Call:
    shape = a_shape(draw, 0, 2)
    count = pick(draw, 1, 2, 3)
    masks = [an_array(draw, ("bool",), shape, ("few",)) for _ in range(count)]
    choices = [an_operand(draw, shape, ALL) for _ in range(count)]
    return Call((masks, choices, a_number(draw)) if maybe(draw, 2) else (masks, choices))


@recipe("choose")
@recipe("choose", prefix="ndarray.")
def _choose(draw: Draw, op: str) -> Call:
    shape = a_shape(draw, 0, 2)
    kinds = (pick(draw, *ALL),) if maybe(draw, 2) else ALL
    options = [an_operand(draw, shape, kinds, ANY) for _ in range(3)]
    places = an_array(draw, INTEGERS, shape, ("small:3", "small:3", "index:3", "index:4"))
    return Call((places, options), {"mode": pick(draw, "wrap", "clip")} if maybe(draw) else {})


@recipe("take")
def _take(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL, None, ANY)
    axis = an_axis(draw, x)
    shape = shape_of(x)
    size = shape[axis] if axis is not None and -len(shape) <= axis < len(shape) else _count(shape)
    which = indices(draw, size, a_shape(draw, 0, 2))
    call = Call((x, which), {"axis": axis}, method=maybe(draw))
    if maybe(draw):
        call.kwargs["mode"] = pick(draw, "wrap", "clip")
    return with_out(draw, op, call, 8)


@recipe("take_along_axis put_along_axis")
def _along(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL, None, ANY, least=1, writable=True)
    shape = shape_of(x)
    axis = pick(draw, *range(len(shape)), -1)
    wanted = list(shape)
    wanted[axis] = pick(draw, 0, 1, 2)
    places = indices(draw, shape[axis], tuple(wanted), unsigned=False)
    if "put" in op:
        values = an_operand(draw, pick(draw, tuple(wanted), ()), (dtype_of(x), "int8"), ("few",))
        return Call((x, places, values), {"axis": axis})
    return Call((x, places), {"axis": axis})


@recipe("compress")
@recipe("compress", prefix="ndarray.")
def _compress(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL, None, ANY, least=1)
    condition = pick(draw, [True], [True, False], [False], [])
    args = (x, condition) if op.startswith("ndarray") else (condition, x)
    return Call(args, {"axis": an_axis(draw, x)})


@recipe("tril triu diag diagflat")
def _triangle(draw: Draw, op: str) -> Call:
    low = 1 if op == "numpy.diag" else 0 if op == "numpy.diagflat" else 1
    x = an_array(draw, ALL, None, ANY, least=low, most=2 if op == "numpy.diag" else 3)
    return Call((x, pick(draw, 0, 1, -1, 3)) if maybe(draw, 2) else (x,))


@recipe("trace", MANY)
@recipe("trace", MANY, prefix="numpy.linalg.")
def _trace(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL, None, ("ordinary", "infinite"), least=2)
    call = Call((x,), {"offset": pick(draw, 0, 1, -1)} if maybe(draw, 2) else {})
    if maybe(draw):
        call.kwargs["dtype"] = np.dtype(pick(draw, "float64", "int8", "complex64"))
    return call


# -- writes


@recipe("copyto")
def _copyto(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL, None, ANY, writable=True)
    shape = shape_of(x)
    call = Call((x, an_operand(draw, pick(draw, shape, ()), (dtype_of(x), *ALL))))
    if maybe(draw):
        call.kwargs["where"] = an_array(draw, ("bool",), shape, ("few",))
    if maybe(draw):
        call.kwargs["casting"] = "unsafe"
    return call


@recipe("put putmask place")
def _put(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL, None, ANY, writable=True)
    shape = shape_of(x)
    values = an_operand(draw, (pick(draw, 0, 1, 3),), (dtype_of(x), "int8"), ("few",))
    if op == "numpy.put":
        call = Call((x, indices(draw, _count(shape), (pick(draw, 0, 1, 4),)), values))
        if maybe(draw):
            call.kwargs["mode"] = pick(draw, "wrap", "clip")
        return call
    if op == "numpy.place" and isinstance(values, Number):
        values = an_array(draw, (dtype_of(x),), (2,), ("few",))
    return Call((x, an_array(draw, ("bool", "bool", "int64"), shape, ("few",)), values))


@recipe("fill_diagonal")
def _fill_diagonal(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL, None, ANY, writable=True, least=2)
    return Call((x, an_operand(draw, pick(draw, (), (2,)), (dtype_of(x), "int8"), ("few",))))


@recipe("fill", prefix="ndarray.")
def _fill(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL, None, ANY, writable=True)
    return Call((x, an_operand(draw, (), (dtype_of(x), "int8"), ("ordinary",))))


# -- indices


def an_index(draw: Draw, shape: tuple[int, ...]) -> Any:
    """Any index: slices, numbers, arrays of numbers, masks, lists."""
    form = pick(draw, "basic", "basic", "arrays", "mask", "list", "number", "mixed")
    if form == "basic" or not shape:
        return draw(hnp.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True))
    if form == "mask":
        return an_array(draw, ("bool",), shape[: pick(draw, 1, len(shape))], ("few",))
    size = shape[0]
    if form == "list":
        return [draw_index(draw, size) for _ in range(pick(draw, 1, 2))]
    if form == "number":
        numbers = [pick(draw, k, -1 - k) for k in range(max(size, 1))]
        return Number((pick(draw, *numbers), pick(draw, *numbers)))
    wanted = a_shape(draw, 0, 2)
    if form == "mixed":
        return (slice(None), indices(draw, shape[1], wanted)) if len(shape) > 1 else slice(1, None)
    count = pick(draw, 1, len(shape))
    return tuple(indices(draw, n, pick(draw, wanted, ())) for n in shape[:count])


@recipe("getitem", prefix="")
def _getitem(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL, None, ANY)
    return Call((x, an_index(draw, shape_of(x))))


@recipe("setitem", prefix="")
def _setitem(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL, None, ANY, writable=True)
    index = an_index(draw, shape_of(x))
    args, _ = Call((x, index)).make(0)
    try:
        shape = np.shape(args[0][args[1]])
    except (IndexError, TypeError):
        shape = ()
    kinds = (dtype_of(x),) * 3 + ALL
    value: Any = an_operand(draw, pick(draw, shape, shape[1:], ()), kinds)
    if shape == shape_of(x) and maybe(draw):  # overlaps the target
        value = Array(x.memory, (*x.steps, ("transpose",)))
        if shape_of(value) != shape:
            value = Array(x.memory, (*x.steps, ("index", (slice(None, None, -1),) * len(shape))))
    return Call((x, index, value))


@recipe("item", prefix="")
def _item(draw: Draw, op: str) -> Call:
    shape = a_shape(draw, 0, 2)
    kinds = ("float64", "float32", "int64", "uint8")
    return Call((an_array(draw, kinds, shape), an_array(draw, kinds, shape), pick(draw, 0, 1)))
