"""Functions of ``numpy``."""

from __future__ import annotations

from jupyter_npcompile.tracer.table.rows import (
    Section,
    constants,
    host,
    inlined,
    lowered,
    lowered_as,
    skeleton,
)

SIZE = "the size of the result depends on the values"

TYPES = Section(
    "Types and constants",
    (
        *lowered_as(
            "numbers:convert",
            "bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool intc intp uintc "
            "ulong uint int_ byte long short ubyte uintp ushort",
            smooth=False,
        ),
        *lowered_as(
            "numbers:convert",
            "float16 float32 float64 complex64 complex128 double single cdouble csingle half",
        ),
        *constants(
            "e euler_gamma inf nan pi newaxis False_ True_ little_endian ScalarType sctypeDict "
            "typecodes"
        ),
        *constants("dtype finfo iinfo"),
        *constants(
            "character complexfloating flexible floating generic inexact integer number "
            "signedinteger unsignedinteger ufunc"
        ),
        *host(
            "torch has no dtype like it",
            "longdouble clongdouble float128 complex256",
        ),
        *host("its type is not the one that NumPy uses for 64 bits", "longlong ulonglong"),
        *host(
            "its elements are not numbers",
            "bytes_ str_ void object_ record recarray datetime64 timedelta64",
        ),
        *host("it makes an array of memory that nobody has written", "ndarray"),
        *constants("ndindex"),
        *host("it is an iterator", "broadcast flatiter ndenumerate nditer nested_iters"),
        *host("it makes a polynomial object", "poly1d"),
        *host("it makes a matrix, a subclass of ndarray", "asmatrix bmat matrix"),
        *constants(
            "shape ndim size result_type can_cast promote_types min_scalar_type issubdtype isdtype "
            "iscomplexobj isrealobj isscalar iterable broadcast_shapes may_share_memory "
            "shares_memory isfortran common_type typename mintypecode errstate geterr"
        ),
    ),
)

ELEMENTWISE = Section(
    "Element by element",
    (
        *lowered("rounding", "round fix", smooth=False),
        *lowered_as("rounding:round", "around", smooth=False),
        *lowered("rounding", "clip nan_to_num"),
        *lowered_as("rounding:astype", "astype"),
        *lowered("rounding", "isclose allclose array_equal array_equiv", smooth=False),
        *lowered("interpolation", "interp"),
        *inlined("angle sinc unwrap"),
        *lowered("special", "i0"),
        *inlined("iscomplex isreal isneginf isposinf", smooth=False),
        *host("the dtype of the result depends on the values", "real_if_close"),
    ),
)

REDUCTIONS = Section(
    "Sums, extremes, statistics",
    (
        *lowered("reductions", "sum prod mean var std max min ptp"),
        *lowered_as("reductions:max", "amax"),
        *lowered_as("reductions:min", "amin"),
        *lowered("reductions", "all any count_nonzero argmax argmin", smooth=False),
        *lowered("scans", "cumsum cumprod cumulative_sum cumulative_prod diff"),
        *lowered("scans", "nancumsum nancumprod"),
        *lowered("nan_reductions", "nansum nanprod nanmax nanmin nanmean nanvar nanstd"),
        *lowered("nan_reductions", "nanargmax nanargmin", smooth=False),
        *lowered("order_statistics", "median nanmedian percentile quantile average"),
        *lowered("order_statistics", "nanpercentile nanquantile"),
        *lowered("scans", "ediff1d"),
        *inlined("corrcoef cov gradient trapezoid"),
        *lowered("histograms", "bincount histogram histogram2d histogram_bin_edges", smooth=False),
        *host("its results are an array and a list", "histogramdd"),
    ),
)

SHAPES = Section(
    "Shapes",
    (
        *lowered("shapes", "reshape ravel transpose swapaxes moveaxis rollaxis squeeze"),
        *lowered("shapes", "expand_dims broadcast_to broadcast_arrays"),
        *lowered("shapes", "atleast_1d atleast_2d atleast_3d"),
        *lowered("shapes", "diagonal flip fliplr flipud rot90 real imag matrix_transpose copy"),
        *lowered_as("shapes:transpose", "permute_dims"),
        *lowered_as("shapes:asarray", "asarray asanyarray ascontiguousarray asfortranarray"),
        *lowered_as("shapes:asarray", "require"),
        *lowered("shapes", "asarray_chkfinite"),
        *lowered_as("shapes:array", "array"),
        *lowered("splitting", "split array_split hsplit vsplit dsplit unstack"),
        *lowered("joining", "concatenate stack vstack hstack dstack column_stack block"),
        *lowered_as("joining:concatenate", "concat"),
        *lowered("joining", "tile repeat roll append pad insert delete"),
        *inlined("resize"),
        *lowered("shapes", "sliding_window_view", "numpy.lib.stride_tricks."),
        *skeleton(
            "it may look at memory beyond the array", "as_strided", "numpy.lib.stride_tricks."
        ),
        *host("NumPy warns that it is deprecated", "row_stack"),
    ),
)

SELECTION = Section(
    "Selecting, sorting, searching",
    (
        *lowered("selection", "where take take_along_axis choose select compress"),
        *lowered("selection", "tril triu diag diagflat trace"),
        *lowered("stores", "copyto put put_along_axis putmask place fill_diagonal"),
        *lowered("sorting", "sort sort_complex"),
        *lowered("sorting", "argsort lexsort searchsorted digitize isin", smooth=False),
        *lowered("sorting", "ravel_multi_index unravel_index packbits unpackbits", smooth=False),
        *inlined("ix_", smooth=False),
        *host(
            SIZE,
            "nonzero flatnonzero argwhere unique unique_all unique_counts unique_inverse "
            "unique_values extract trim_zeros union1d intersect1d setdiff1d setxor1d",
        ),
        *host("the order within the parts is NumPy's own", "partition argpartition"),
    ),
)

CREATION = Section(
    "New arrays",
    (
        *lowered("creation", "zeros ones empty zeros_like ones_like empty_like", smooth=False),
        *lowered("creation", "full full_like linspace meshgrid"),
        *lowered("creation", "arange logspace geomspace", smooth=False),
        *lowered_as(
            "creation:known",
            "eye identity tri indices bartlett blackman hamming hanning kaiser tril_indices "
            "triu_indices tril_indices_from triu_indices_from",
            smooth=False,
        ),
        *inlined("diag_indices diag_indices_from", smooth=False),
        *inlined("vander"),
        *inlined("r_ c_"),
        *inlined("s_ index_exp mgrid ogrid", smooth=False),
        *inlined("fromfunction"),
        *host("it reads memory that is not an array", "frombuffer from_dlpack fromstring"),
        *host("it reads an iterator", "fromiter"),
    ),
)

FUNCTIONAL = Section(
    "Functions of functions",
    (
        *inlined("apply_along_axis apply_over_axes piecewise"),
        *host("its functions are called by NumPy", "frompyfunc vectorize mask_indices"),
    ),
)

PRODUCTS = Section(
    "Products and polynomials",
    (
        *lowered("products", "dot vdot inner outer tensordot einsum cross kron"),
        *lowered("products", "convolve correlate"),
        *lowered("products", "polymul"),
        *inlined("polyval polyadd polysub polyder polyint poly"),
        *inlined("polydiv polyfit"),
        *host(SIZE, "roots"),
        *host("it chooses a contraction order, not a value", "einsum_path"),
    ),
)

OUTSIDE = Section(
    "Text, dates, files, settings",
    (
        *host("it gives text", "array_str array_repr array2string base_repr binary_repr"),
        *host("it gives text", "format_float_positional format_float_scientific"),
        *host("it works on dates", "datetime_as_string datetime_data is_busday busday_count"),
        *host("it works on dates", "busday_offset busdaycalendar"),
        *skeleton("it reads a file", "load loadtxt genfromtxt fromfile fromregex memmap"),
        *skeleton("it writes a file", "save savez savez_compressed savetxt"),
        *skeleton(
            "it changes NumPy's settings",
            "set_printoptions printoptions seterr seterrcall setbufsize",
        ),
        *skeleton(
            "it reads NumPy's settings", "geterrcall getbufsize get_include get_printoptions"
        ),
        *skeleton("it prints", "info show_config show_runtime test"),
    ),
)
