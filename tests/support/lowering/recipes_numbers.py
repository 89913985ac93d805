"""Recipes for what makes arrays, for products, linear algebra, transforms and Python numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.lowering.arguments import Array, Call, Number
from tests.support.lowering.comparison import Tolerance
from tests.support.lowering.recipes import recipe
from tests.support.lowering.strategies import (
    ALL,
    COMPLEX,
    FLOATS,
    INEXACT,
    PYTHON,
    PYTHON_TYPES,
    WIDE_FLOATS,
    Draw,
    a_shape,
    an_array,
    an_axis,
    an_operand,
    maybe,
    pick,
    with_out,
)

PRODUCT = Tolerance(16.0, sums=True)
SOLVED = Tolerance(4096.0, sums=True)
TRANSFORMED = Tolerance(64.0, sums=True)
TAME = ("ordinary", "few")


# -- creation


@recipe("zeros ones full")
@recipe("empty", Tolerance(unset=True))
def _filled(draw: Draw, op: str) -> Call:
    shape: Any = pick(draw, a_shape(draw), 3, [2, 2], ())
    args = (shape, an_operand(draw, (), ALL)) if op == "numpy.full" else (shape,)
    call = Call(args)
    if maybe(draw, 2):
        call.kwargs["dtype"] = np.dtype(pick(draw, *ALL))
    if maybe(draw):
        call.kwargs["order"] = pick(draw, "C", "F")
    return call


@recipe("zeros_like ones_like full_like")
@recipe("empty_like", Tolerance(unset=True))
def _filled_like(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL)
    call = Call((x, an_operand(draw, (), ALL)) if op == "numpy.full_like" else (x,))
    if maybe(draw):
        call.kwargs["dtype"] = np.dtype(pick(draw, *ALL))
    if maybe(draw):
        call.kwargs["order"] = pick(draw, *"CFAK")
    if maybe(draw, 5):
        call.kwargs["shape"] = (2, 3)
    return call


@recipe("arange")
def _arange(draw: Draw, op: str) -> Call:
    ends = [(5,), (0,), (2, 7), (7, 2, -2), (0.5, 3.0, 0.25), (1, 5, 2), (-1.0, 1.0, 0.1)]
    call = Call(pick(draw, *ends))
    if maybe(draw):
        call.kwargs["dtype"] = np.dtype(pick(draw, "float64", "float32", "int8", "int64"))
    return call


@recipe("linspace logspace geomspace", Tolerance(4.0))
def _spaced(draw: Draw, op: str) -> Call:
    positive = op == "numpy.geomspace"
    shape = pick(draw, (), (), (2,), (2, 1))

    def end() -> Any:
        if maybe(draw, 2):
            kinds = (*WIDE_FLOATS, "int64")
            return an_array(draw, kinds, shape, ("positive",) if positive else ("unit",))
        return pick(draw, 1, 2.0, 3.5, 0.25) if positive else pick(draw, 0, -1.0, 2, 1.5)

    call = Call((end(), end(), pick(draw, 0, 1, 2, 5)))
    if maybe(draw):
        call.kwargs["endpoint"] = pick(draw, True, False)
    if maybe(draw, 5):
        call.kwargs["dtype"] = np.dtype(pick(draw, "float32", "int64"))
    return call


@recipe("meshgrid")
def _meshgrid(draw: Draw, op: str) -> Call:
    parts = [an_array(draw, ALL, (pick(draw, 0, 1, 3),)) for _ in range(pick(draw, 1, 2, 3))]
    call = Call(tuple(parts))
    if maybe(draw, 2):
        call.kwargs["indexing"] = pick(draw, "ij", "xy")
    if maybe(draw):
        call.kwargs[pick(draw, "sparse", "copy")] = pick(draw, True, False)
    return call


@recipe("eye identity tri bartlett blackman hamming hanning fft.fftfreq fft.rfftfreq")
def _constant(draw: Draw, op: str) -> Call:
    return Call((pick(draw, 1, 2, 4, 7),))


@recipe("kaiser tril_indices triu_indices")
def _constant_of_two(draw: Draw, op: str) -> Call:
    return Call((pick(draw, 1, 4, 7), pick(draw, 0, 1, 2)))


@recipe("indices")
def _indices(draw: Draw, op: str) -> Call:
    return Call((pick(draw, (2, 3), (4,), (2, 0)),))


@recipe("tril_indices_from triu_indices_from")
def _indices_from(draw: Draw, op: str) -> Call:
    return Call((an_array(draw, ALL, a_shape(draw, 2, 2)), pick(draw, 0, 1, -1)))


# -- products


def _pair(draw: Draw, one: tuple[int, ...], two: tuple[int, ...]) -> tuple[Array, Array]:
    kinds = (pick(draw, *ALL),) if maybe(draw, 2) else ALL
    return an_array(draw, kinds, one, TAME), an_array(draw, kinds, two, TAME)


def _three(draw: Draw) -> tuple[int, int, int]:
    n, m, k = (pick(draw, 0, 1, 2, 3, 4) for _ in range(3))
    return n, m, k


@recipe("matmul dot inner tensordot", PRODUCT)
@recipe("matmul tensordot", PRODUCT, prefix="numpy.linalg.")
def _matmul(draw: Draw, op: str) -> Call:
    n, m, k = _three(draw)
    forms: list[tuple[tuple[int, ...], tuple[int, ...]]]
    forms = [((n, m), (m, k)), ((m,), (m,)), ((n, m), (m,)), ((m,), (m, k)), ((2, n, m), (m, k))]
    if op.endswith("matmul"):
        forms += [((2, n, m), (2, m, k)), ((2, 1, n, m), (3, m, k))]
    if op.endswith("dot"):
        forms += [((), (n, m)), ((n,), ()), ((n, m), (2, m, k))]
    if op.endswith("inner"):
        forms = [((n, m), (k, m)), ((m,), (m,)), ((n, m), (m,)), ((), (n, m)), ((2, n, m), (m,))]
    if op.endswith("tensordot"):
        forms = [((n, m), (n, m)), ((n, m), (m, n)), ((2, n, m), (n, m, k))]
    one, two = pick(draw, *forms)
    call = Call(_pair(draw, one, two))
    if op.endswith("tensordot") and maybe(draw, 2):
        call.kwargs["axes"] = pick(draw, 0, 1, 2, ([0], [0]), ([1, 0], [1, 0]), (1, 0))
    return with_out(draw, op, call, 6) if op in ("numpy.matmul", "numpy.dot") else call


@recipe("vdot vecdot", PRODUCT)
@recipe("vecdot", PRODUCT, prefix="numpy.linalg.")
def _vecdot(draw: Draw, op: str) -> Call:
    n, m, _ = _three(draw)
    return Call(_pair(draw, *pick(draw, ((m,), (m,)), ((n, m), (n, m)))))


@recipe("outer kron", Tolerance(2.0))
@recipe("outer", Tolerance(2.0), prefix="numpy.linalg.")
def _outer(draw: Draw, op: str) -> Call:
    most = 1 if "linalg" in op else 2
    least = 1 if "linalg" in op else 0
    return Call(_pair(draw, a_shape(draw, least, most), a_shape(draw, least, most)))


@recipe("matvec vecmat", PRODUCT)
def _matvec(draw: Draw, op: str) -> Call:
    n, m, _ = _three(draw)
    stack = pick(draw, (), (2,))
    matrix, vector = (*stack, n, m), (*pick(draw, (), stack), m)
    if "vecmat" in op:
        return Call(_pair(draw, (*pick(draw, (), stack), n), matrix))
    return Call(_pair(draw, matrix, vector))


@recipe("einsum", PRODUCT)
def _einsum(draw: Draw, op: str) -> Call:
    n, m, k = _three(draw)
    text, one, two = pick(
        draw,
        ("ij,jk->ik", (n, m), (m, k)),
        ("ij,jk", (n, m), (m, k)),
        ("i,i->", (m,), (m,)),
        ("i,j->ij", (n,), (m,)),
        ("...i,i", (2, n, m), (m,)),
        ("ij,ij->ji", (n, m), (n, m)),
        ("ii,i->i", (m, m), (m,)),
    )
    if maybe(draw, 4):
        form = pick(draw, ("ij->ji", (n, m)), ("ii->i", (m, m)), ("ii", (m, m)), ("ij->", (n, m)))
        return Call((form[0], an_array(draw, ALL, form[1], TAME)))
    return Call((text, *_pair(draw, one, two)))


@recipe("multi_dot", PRODUCT, prefix="numpy.linalg.")
def _multi_dot(draw: Draw, op: str) -> Call:
    n, m, k = _three(draw)
    kinds = (pick(draw, *ALL),) if maybe(draw, 2) else ALL
    shapes = [pick(draw, (n, m), (m,)), (m, k), pick(draw, (k, n), (k,))]
    return Call(([an_array(draw, kinds, shape, TAME) for shape in shapes],))


@recipe("cross", Tolerance(4.0, sums=True))
@recipe("cross", Tolerance(4.0, sums=True), prefix="numpy.linalg.")
def _cross(draw: Draw, op: str) -> Call:
    rows = pick(draw, (), (2,), (4, 2))
    return Call(_pair(draw, (*rows, 3), (*pick(draw, (), rows), 3)))


@recipe("convolve correlate", PRODUCT)
def _convolve(draw: Draw, op: str) -> Call:
    one, two = _pair(draw, (pick(draw, 1, 2, 6),), (pick(draw, 1, 3, 5, 20),))
    return Call((one, two), {"mode": pick(draw, "full", "same", "valid")} if maybe(draw, 2) else {})


@recipe("polymul", PRODUCT)
def _polymul(draw: Draw, op: str) -> Call:
    return Call(_pair(draw, (pick(draw, 1, 2, 4),), (pick(draw, 1, 3),)))


@recipe("i0", Tolerance(8.0))
def _i0(draw: Draw, op: str) -> Call:
    return Call((an_array(draw, (*FLOATS, "int64"), None, ("ordinary", "infinite")),))


@recipe("ediff1d")
def _ediff1d(draw: Draw, op: str) -> Call:
    call = Call((an_array(draw, ALL, None, TAME),))
    for name in ("to_end", "to_begin"):
        if maybe(draw):
            call.kwargs[name] = pick(draw, 1, [1, 2], 7)
    return call


# -- linear algebra


def _square(draw: Draw, values: tuple[str, ...], dtypes: tuple[str, ...] = ()) -> Array:
    n = pick(draw, 1, 2, 3, 4)
    shape = (*pick(draw, (), (), (2,)), n, n)
    kinds = dtypes or (*WIDE_FLOATS, "float64", *COMPLEX, "int64")
    return an_array(draw, kinds, shape, values)


@recipe("inv det slogdet cond matrix_power", SOLVED, prefix="numpy.linalg.")
def _of_square(draw: Draw, op: str) -> Call:
    x = _square(draw, ("regular", "regular", "deficient"))
    return Call((x, pick(draw, 0, 1, 2, 3, 5, -1, -2)) if "power" in op else (x,))


@recipe("solve", SOLVED, prefix="numpy.linalg.")
def _solve(draw: Draw, op: str) -> Call:
    n = pick(draw, 1, 2, 3)
    stack = pick(draw, (), (2,))
    kinds = (*WIDE_FLOATS, "complex128", "int64")
    matrix = an_array(draw, kinds, (*stack, n, n), ("regular", "regular", "deficient"))
    right = pick(draw, (n,), (*stack, n, 2), (n, 1))
    return Call((matrix, an_array(draw, kinds, right, ("ordinary",))))


@recipe("cholesky eigvalsh", SOLVED, prefix="numpy.linalg.")
def _of_definite(draw: Draw, op: str) -> Call:
    kinds = (*WIDE_FLOATS, *COMPLEX)
    return Call((_square(draw, ("definite", "definite", "regular"), kinds),))


@recipe("svdvals pinv matrix_rank", SOLVED, prefix="numpy.linalg.")
def _of_any_matrix(draw: Draw, op: str) -> Call:
    shape = (*pick(draw, (), (2,)), pick(draw, 1, 2, 4), pick(draw, 1, 2, 3))
    kinds = (*WIDE_FLOATS, "complex128", "int64")
    return Call((an_array(draw, kinds, shape, ("regular", "regular", "deficient")),))


@recipe("svd qr", SOLVED, prefix="numpy.linalg.")
def _decomposed(draw: Draw, op: str) -> Call:
    shape = (pick(draw, 1, 2, 4), pick(draw, 1, 2, 3))
    x = an_array(draw, (*WIDE_FLOATS, "complex128"), shape, ("regular",))
    if op.endswith("svd"):
        return Call((x,), {"compute_uv": False} if maybe(draw, 2) else {})
    return Call((x,), {"mode": pick(draw, "r", "reduced", "complete")})


@recipe("lstsq", SOLVED, prefix="numpy.linalg.")
def _lstsq(draw: Draw, op: str) -> Call:
    n, m = pick(draw, 2, 3, 5), pick(draw, 1, 2, 3)
    matrix = an_array(draw, WIDE_FLOATS, (n, m), ("regular",))
    return Call((matrix, an_array(draw, WIDE_FLOATS, (n,), ("ordinary",))))


@recipe("tensorsolve tensorinv", SOLVED, prefix="numpy.linalg.")
def _tensors(draw: Draw, op: str) -> Call:
    matrix = an_array(draw, WIDE_FLOATS, (4, 4), ("regular",))
    kept = Array(matrix.memory, ()) if matrix.memory.shape == (4, 4) else matrix
    shape = (2, 2, 4) if op.endswith("solve") else (2, 2, 2, 2)
    memory = type(kept.memory)(kept.memory.dtype, shape, "ordinary", kept.memory.seed)
    if op.endswith("inv"):
        return Call((Array(memory),))
    return Call((Array(memory), an_array(draw, WIDE_FLOATS, (2, 2), ("ordinary",))))


@recipe("norm vector_norm matrix_norm", Tolerance(64.0, sums=True), prefix="numpy.linalg.")
def _norm(draw: Draw, op: str) -> Call:
    least = 2 if "matrix" in op else 0
    x = an_array(draw, ALL, None, ("ordinary", "few"), least=least)
    call = Call((x,))
    if "matrix" not in op and maybe(draw, 2):
        call.kwargs["axis"] = an_axis(draw, x)
    if maybe(draw, 2):
        orders: tuple[Any, ...] = (1, 2, np.inf, -np.inf, "fro")
        call.kwargs["ord"] = pick(draw, *(orders if "vector" not in op else (0, 1, 2, 3, np.inf)))
    if maybe(draw):
        call.kwargs["keepdims"] = True
    return call


# -- transforms


_REAL_FFT = "rfft ihfft rfft2 rfftn"
_ANY_FFT = "fft ifft irfft hfft fft2 ifft2 irfft2 fftn ifftn irfftn"


@recipe(f"{_REAL_FFT} {_ANY_FFT}", TRANSFORMED, prefix="numpy.fft.")
def _fft(draw: Draw, op: str) -> Call:
    name = op.rpartition(".")[2]
    kinds = (*FLOATS, "int64") if name in _REAL_FFT.split() else (*INEXACT, "int64")
    least = 2 if "2" in name else 1
    x = an_array(draw, kinds, None, ("ordinary",), least=least, smallest=0 if maybe(draw, 6) else 2)
    call = Call((x,))
    if maybe(draw, 2):
        call.kwargs["norm"] = pick(draw, "ortho", "forward", "backward")
    if "2" not in name and "n" not in name:
        if maybe(draw):
            call.kwargs["n"] = pick(draw, 1, 2, 3, 6)
        if maybe(draw):
            call.kwargs["axis"] = an_axis(draw, x, none=False)
    return call


@recipe("fftshift ifftshift", prefix="numpy.fft.")
def _shift(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL)
    return Call((x,), {"axes": an_axis(draw, x, several=True)} if maybe(draw, 2) else {})


# -- numbers


@recipe("constant", prefix="python.")
def _constant_array(draw: Draw, op: str) -> Call:
    return Call((an_array(draw, WIDE_FLOATS, (pick(draw, 1, 3),), ("ordinary",)),))


@recipe("assume", Tolerance(64.0, sums=True), prefix="python.")
def _assume(draw: Draw, op: str) -> Call:
    heights = an_array(draw, WIDE_FLOATS, (5,), ("ordinary",))
    return Call((heights, an_array(draw, ("float64", "int64"), (5,), ("rising", "distinct"))))


@recipe("item", prefix="ndarray.")
def _item(draw: Draw, op: str) -> Call:
    x = an_array(draw, ALL, pick(draw, (), (1,), (2, 3)), ("ordinary", "infinite"))
    return Call((x, *pick(draw, (), (0,))))


def _python_number(draw: Draw, *kinds: str) -> Number:
    kind = pick(draw, *kinds)
    pool = [PYTHON_TYPES[kind](x) for x in PYTHON[kind]]
    return Number((pick(draw, *pool), pick(draw, *pool)))


_BINARY = "add sub mul truediv floordiv mod divmod lt le eq ne ge gt min max pow"
_UNARY = "neg pos abs not truth float bool round complex"


@recipe(_BINARY, Tolerance(4.0), prefix="python.")
def _binary_numbers(draw: Draw, op: str) -> Call:
    kinds = (pick(draw, "int", "float"),) if maybe(draw, 2) else ("int", "float")
    return Call((_python_number(draw, *kinds), _python_number(draw, *kinds)))


@recipe(_UNARY, prefix="python.")
def _unary_number(draw: Draw, op: str) -> Call:
    return Call((_python_number(draw, "int", "float", "bool"),))


@recipe("lshift rshift and or xor", prefix="python.")
def _binary_integers(draw: Draw, op: str) -> Call:
    return Call((_python_number(draw, "int"), _python_number(draw, "int", "bool")))


@recipe("invert int", prefix="python.")
def _unary_integer(draw: Draw, op: str) -> Call:
    return Call((_python_number(draw, "int", "float" if op.endswith(".int") else "int"),))


_MATH = "sqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp expm1 log log10 log2"
_MATH += " log1p fabs degrees radians isnan isinf isfinite floor ceil trunc erf erfc lgamma exp2"


@recipe(_MATH, Tolerance(16.0), prefix="math.")
def _math(draw: Draw, op: str) -> Call:
    return Call((_python_number(draw, "float", "float", "int"),))


@recipe("atan2 hypot copysign pow fmod", Tolerance(4.0), prefix="math.")
def _math_of_two(draw: Draw, op: str) -> Call:
    return Call((_python_number(draw, "float", "int"), _python_number(draw, "float", "int")))
