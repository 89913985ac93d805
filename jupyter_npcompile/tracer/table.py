"""The lowering table: what becomes of each NumPy function.

One row per function. *Lowered* functions become ATen operations of a compiled
segment; *host* functions run in NumPy between two segments; *skeleton*
functions have an effect beyond arrays, so their statement stays ordinary
Python. A function that has no row is looked into instead: NumPy writes most of
its library in Python on top of what is listed here.

To add a function, add its name to a group below (or a group of its own), write
the function that the group names, ``lowering/<module>.py:<name>``, and add a
case to ``tests/test_tracer_lowering.py``.

Nothing here imports torch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Status = Literal["lowered", "host", "skeleton"]


@dataclass(frozen=True, slots=True)
class Row:
    """What becomes of one NumPy function.

    Parameters
    ----------
    name : str
        The operation, as a node names it: ``"numpy.sin"``.
    status : {"lowered", "host", "skeleton"}
        Compiled, run by NumPy between segments, or left in ordinary Python.
    lowering : str or None
        ``"module:function"`` in ``jupyter_npcompile.tracer.lowering``.
    reason : str
        Why it is not lowered, for the person who typed the cell.
    differentiable : bool
        Whether gradients pass through it.
    """

    name: str
    status: Status
    lowering: str | None = None
    reason: str = ""
    differentiable: bool = False


def _lowered(module: str, names: str, prefix: str = "numpy.", *, smooth: bool = True) -> list[Row]:
    """Rows for functions whose lowering bears their own name."""
    return [
        Row(f"{prefix}{name}", "lowered", f"{module}:{name}", differentiable=smooth)
        for name in names.split()
    ]


def _as(lowering: str, names: str, prefix: str = "numpy.", *, smooth: bool = True) -> list[Row]:
    """Rows for functions that share one lowering."""
    return [
        Row(f"{prefix}{name}", "lowered", lowering, differentiable=smooth) for name in names.split()
    ]


def _host(reason: str, names: str, prefix: str = "numpy.") -> list[Row]:
    return [Row(f"{prefix}{name}", "host", reason=reason) for name in names.split()]


def _skeleton(reason: str, names: str, prefix: str = "numpy.") -> list[Row]:
    return [Row(f"{prefix}{name}", "skeleton", reason=reason) for name in names.split()]


_SMOOTH = """
    absolute add arccos arccosh arcsin arcsinh arctan arctan2 arctanh cbrt conjugate copysign cos
    cosh deg2rad degrees divide exp exp2 expm1 fabs float_power fmod hypot log log10 log1p log2
    logaddexp logaddexp2 multiply negative positive power rad2deg radians reciprocal remainder
    sin sinh sqrt square subtract tan tanh
"""
_STEPPED = "ceil floor floor_divide heaviside nextafter rint sign spacing trunc"
_COMPARISONS = """
    equal greater greater_equal isfinite isinf isnan less less_equal logical_and logical_not
    logical_or logical_xor not_equal signbit
"""
_INTEGERS = """
    bitwise_and bitwise_count bitwise_or bitwise_xor gcd invert lcm left_shift right_shift
"""
_BINARY = """
    add arctan2 bitwise_and bitwise_or bitwise_xor copysign divide equal float_power floor_divide
    fmax fmin fmod gcd greater greater_equal heaviside hypot lcm ldexp left_shift less less_equal
    logaddexp logaddexp2 logical_and logical_or logical_xor maximum minimum multiply nextafter
    not_equal power remainder right_shift subtract
"""

_SIZE = "the size of the result depends on the values"
_SIGNS = "the signs of the vectors depend on the linear algebra library"

ROWS: tuple[Row, ...] = (
    # -- element by element
    *_lowered("elementwise", _SMOOTH),
    *_lowered("elementwise", _STEPPED, smooth=False),
    *_lowered("comparisons", "maximum minimum fmax fmin"),
    *_lowered("comparisons", _COMPARISONS, smooth=False),
    *_lowered("integers", _INTEGERS, smooth=False),
    *_lowered("elementwise", "divmod modf frexp ldexp"),
    *_as("elementwise:remainder", "mod"),
    *_as("elementwise:power", "pow"),
    *_as("elementwise:conjugate", "conj"),
    *_as("ufunc_methods:reduce", "add.reduce multiply.reduce maximum.reduce minimum.reduce"),
    *_as(
        "ufunc_methods:reduce",
        "fmax.reduce fmin.reduce logical_and.reduce logical_or.reduce logical_xor.reduce "
        "bitwise_and.reduce bitwise_or.reduce bitwise_xor.reduce",
    ),
    *_as(
        "ufunc_methods:accumulate",
        "add.accumulate multiply.accumulate maximum.accumulate minimum.accumulate "
        "logical_and.accumulate logical_or.accumulate",
    ),
    *_as("ufunc_methods:at", "add.at subtract.at multiply.at maximum.at minimum.at"),
    *_as("ufunc_methods:reduceat", "add.reduceat multiply.reduceat"),
    *_as("ufunc_methods:reduceat", "maximum.reduceat minimum.reduceat"),
    *_as("ufunc_methods:outer", " ".join(f"{name}.outer" for name in _BINARY.split())),
    *_lowered("rounding", "round fix clip nan_to_num"),
    *_as("rounding:round", "around"),
    *_as("rounding:astype", "astype"),
    *_lowered("rounding", "isclose allclose array_equal array_equiv", smooth=False),
    *_lowered("interpolation", "interp"),
    *_as(
        "numbers:convert", "bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64", smooth=False
    ),
    *_as("numbers:convert", "bool intc intp longlong uintc ulong uint int_", smooth=False),
    *_as("numbers:convert", "float16 float32 float64 complex64 complex128 double single"),
    # -- reductions
    *_lowered("reductions", "sum prod mean var std max min ptp"),
    *_as("reductions:max", "amax"),
    *_as("reductions:min", "amin"),
    *_lowered("reductions", "all any count_nonzero argmax argmin", smooth=False),
    *_lowered("scans", "cumsum cumprod cumulative_sum cumulative_prod diff"),
    *_lowered("scans", "nancumsum nancumprod"),
    *_lowered("nan_reductions", "nansum nanprod nanmax nanmin nanmean nanvar nanstd"),
    *_lowered("nan_reductions", "nanargmax nanargmin", smooth=False),
    *_lowered("order_statistics", "median nanmedian percentile quantile average"),
    # -- shapes
    *_lowered("shapes", "reshape ravel transpose swapaxes moveaxis rollaxis squeeze expand_dims"),
    *_lowered("shapes", "broadcast_to broadcast_arrays atleast_1d atleast_2d atleast_3d"),
    *_lowered("shapes", "diagonal flip fliplr flipud rot90 real imag matrix_transpose copy"),
    *_as("shapes:transpose", "permute_dims"),
    *_as("shapes:asarray", "asarray asanyarray ascontiguousarray asfortranarray require"),
    *_as("shapes:asarray", "asarray_chkfinite"),
    *_as("shapes:array", "array"),
    *_lowered("splitting", "split array_split hsplit vsplit dsplit unstack"),
    *_lowered("joining", "concatenate stack vstack hstack dstack column_stack block"),
    *_as("joining:concatenate", "concat"),
    *_lowered("joining", "tile repeat roll append pad"),
    *_lowered("joining", "insert delete"),
    # -- selection and order
    *_lowered("selection", "where take take_along_axis choose select compress"),
    *_lowered("selection", "tril triu diag diagflat trace"),
    *_lowered("stores", "copyto put put_along_axis putmask place fill_diagonal"),
    *_lowered("sorting", "sort sort_complex"),
    *_lowered("sorting", "argsort lexsort searchsorted digitize", smooth=False),
    *_lowered("sorting", "isin", smooth=False),
    *_lowered("sorting", "ravel_multi_index packbits unpackbits", smooth=False),
    # -- creation
    *_lowered("creation", "zeros ones empty full zeros_like ones_like empty_like full_like"),
    *_lowered("creation", "arange linspace logspace geomspace meshgrid"),
    *_as(
        "creation:known",
        "eye identity tri indices bartlett blackman hamming hanning kaiser tril_indices "
        "triu_indices tril_indices_from triu_indices_from "
        "fft.fftfreq fft.rfftfreq",
        smooth=False,
    ),
    # -- products
    *_lowered("products", "matmul dot vdot inner outer tensordot einsum cross kron vecdot"),
    *_lowered("products", "matvec vecmat convolve correlate"),
    *_as("products:vecdot", "linalg.vecdot"),
    *_as("products:outer", "linalg.outer"),
    *_as("products:linalg_cross", "linalg.cross"),
    *_as("products:tensordot", "linalg.tensordot"),
    *_as("products:matmul", "linalg.matmul"),
    *_as("products:multi_dot", "linalg.multi_dot"),
    # -- linear algebra
    *_lowered(
        "linear_algebra",
        "solve inv det slogdet cholesky svd svdvals eigvalsh pinv lstsq norm "
        "vector_norm matrix_norm matrix_power matrix_rank cond qr tensorsolve tensorinv "
        "trace diagonal matrix_transpose",
        "numpy.linalg.",
    ),
    *_lowered(
        "spectral",
        "fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn "
        "fftshift ifftshift",
        "numpy.fft.",
    ),
    # -- methods and attributes that functions do not have
    *_lowered("shapes", "T mT flatten view", "ndarray."),
    *_as("shapes:ndarray_transpose", "transpose", "ndarray."),
    *_as("shapes:ndarray_reshape", "reshape", "ndarray."),
    *_as("shapes:flatten", "flat", "ndarray."),
    *_as("shapes:real", "real", "ndarray."),
    *_as("shapes:imag", "imag", "ndarray."),
    *_as("rounding:astype", "astype", "ndarray."),
    *_as("stores:fill", "fill", "ndarray."),
    *_as("sorting:ndarray_sort", "sort", "ndarray."),
    *_as("selection:ndarray_choose", "choose", "ndarray."),
    *_as("selection:ndarray_compress", "compress", "ndarray."),
    *_as("numbers:item", "item", "ndarray."),
    # -- operations of the language
    Row("getitem", "lowered", "indexing:getitem", differentiable=True),
    Row("setitem", "lowered", "stores:setitem", differentiable=True),
    Row("item", "lowered", "numbers:part", differentiable=True),
    *_as(
        "numbers:python",
        "add sub mul truediv floordiv mod pow neg pos abs invert lshift rshift and or xor not "
        "lt le eq ne ge gt float int bool complex min max divmod round truth",
        "python.",
    ),
    *_as(
        "numbers:mathematics",
        "sqrt sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp expm1 log "
        "log10 log2 log1p hypot fabs copysign degrees radians pow isnan isinf isfinite floor ceil "
        "trunc fmod erf erfc lgamma exp2",
        "math.",
    ),
    # -- run by NumPy between segments
    *_host(
        _SIZE,
        "nonzero flatnonzero argwhere unique unique_all unique_counts unique_inverse "
        "unique_values extract trim_zeros union1d intersect1d setdiff1d setxor1d histogram "
        "histogram2d histogramdd histogram_bin_edges",
    ),
    *_host(_SIGNS, "eig eigh", "numpy.linalg."),
    *_host("the order of the steps matters", "hypot.reduce logaddexp.reduce"),
    *_host("the dtype of the result depends on the values", "real_if_close"),
    *_host("the order of the eigenvalues is the linear algebra library's", "linalg.eigvals"),
    *_host("the order within the parts is NumPy's own", "partition argpartition"),
    *_host(_SIZE, "bincount"),
    *_host("its results are views of one hidden array", "unravel_index"),
    *_host("its axis function is called by NumPy", "apply_along_axis apply_over_axes fromfunction"),
    *_host("its functions are called by NumPy", "piecewise frompyfunc vectorize mask_indices"),
    *_host("it is an iterator", "nested_iters"),
    *_host("it reads memory that is not an array", "frombuffer from_dlpack fromiter fromstring"),
    *_host("it works on dates", "datetime_as_string datetime_data is_busday busday_count"),
    *_host("it works on dates", "busday_offset isnat busdaycalendar"),
    *_host("it makes a matrix, a subclass of ndarray", "asmatrix bmat matrix"),
    *_host("it gives text", "array_str array_repr array2string base_repr binary_repr"),
    *_host("it gives text", "format_float_positional format_float_scientific"),
    *_host("it chooses a contraction order, not a value", "einsum_path"),
    *_host("resizing changes the array object itself", "resize", "ndarray."),
    *_host("it changes how the bytes are read", "byteswap getfield setfield setflags", "ndarray."),
    *_host("it leaves the array world", "tolist tobytes dump dumps tofile", "ndarray."),
    *_host("a choice of device", "to_device", "ndarray."),
    # -- left in ordinary Python
    *_skeleton("it reads a file", "load loadtxt genfromtxt fromfile fromregex memmap"),
    *_skeleton("it writes a file", "save savez savez_compressed savetxt"),
    *_skeleton("it changes NumPy's settings", "set_printoptions printoptions seterr seterrcall"),
    *_skeleton("it changes NumPy's settings", "setbufsize errstate geterrcall geterr getbufsize"),
    *_skeleton("it prints", "info show_config show_runtime test get_include get_printoptions"),
)
"""All rows, in the order of the documentation page."""

TABLE: Mapping[str, Row] = MappingProxyType({row.name: row for row in ROWS})
"""The rows by operation."""

NAMESPACES: Mapping[str, Row] = MappingProxyType(
    {
        prefix: Row(prefix, "host", reason=reason)
        for prefix, reason in {
            "numpy.random.": "random numbers come from NumPy's own stream",
            "numpy.char.": "it works on strings",
            "numpy.strings.": "it works on strings",
            "numpy.rec.": "it works on structured arrays",
            "numpy.ma.": "it works on masked arrays",
            "numpy.testing.": "it is a test helper",
        }.items()
    }
)
"""Whole namespaces that run in NumPy, by prefix."""


def _candidates(op: str) -> Iterator[str]:
    yield op
    space, _, name = op.partition(".")
    if space == "ndarray":
        yield f"numpy.{name}"


def lowering_of(op: str) -> Row | None:
    """Find the row of an operation.

    Parameters
    ----------
    op : str
        As a node names it. Methods without a row of their own have the row
        of the function of that name.

    Returns
    -------
    Row or None
        None if the operation is not in the table.

    Examples
    --------
    >>> lowering_of("ndarray.sum").lowering
    'reductions:sum'
    >>> lowering_of("numpy.random.normal").reason
    "random numbers come from NumPy's own stream"
    >>> lowering_of("numpy.gradient") is None
    True
    """
    for name in _candidates(op):
        if (row := TABLE.get(name)) is not None:
            return row
    for prefix, row in NAMESPACES.items():
        if op.startswith(prefix):
            return row
    return None
