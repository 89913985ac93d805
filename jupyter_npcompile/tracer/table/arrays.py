"""Methods and attributes of arrays, and operations of the language."""

from __future__ import annotations

from jupyter_npcompile.tracer.table.rows import (
    Row,
    Section,
    constants,
    host,
    inlined,
    lowered,
    lowered_as,
)

METHODS = Section(
    "Methods and attributes of arrays",
    (
        *constants("dtype shape ndim size itemsize nbytes strides flags device", "ndarray."),
        *lowered("shapes", "T mT flatten view", "ndarray."),
        *lowered_as("shapes:ndarray_transpose", "transpose", "ndarray."),
        *lowered_as("shapes:ndarray_reshape", "reshape", "ndarray."),
        *lowered_as("shapes:real", "real", "ndarray."),
        *lowered_as("shapes:imag", "imag", "ndarray."),
        *lowered_as("rounding:astype", "astype", "ndarray."),
        *lowered_as("stores:fill", "fill", "ndarray."),
        *lowered_as("sorting:ndarray_sort", "sort", "ndarray."),
        *lowered_as("selection:ndarray_choose", "choose", "ndarray."),
        *lowered_as("selection:ndarray_compress", "compress", "ndarray."),
        *lowered_as("numbers:item", "item", "ndarray."),
        *inlined("flat", "ndarray."),
        *host("it is the real memory", "base ctypes data", "ndarray."),
        *host("resizing changes the array object itself", "resize", "ndarray."),
        *host("it changes how the bytes are read", "byteswap getfield setfield", "ndarray."),
        *host("it changes the array object itself", "setflags", "ndarray."),
        *host("it leaves the array world", "tolist tobytes dump dumps tofile", "ndarray."),
        *host("a choice of device", "to_device", "ndarray."),
    ),
)

LANGUAGE = Section(
    "Operations of the language",
    (
        Row("getitem", "lowered", "indexing:getitem", differentiable=True),
        Row("setitem", "lowered", "stores:setitem", differentiable=True),
        Row("item", "lowered", "numbers:part", differentiable=True),
        *lowered_as(
            "numbers:python",
            "add sub mul truediv mod pow neg pos abs float complex min max",
            "python.",
        ),
        *lowered_as(
            "numbers:python",
            "floordiv invert lshift rshift and or xor not lt le eq ne ge gt int bool divmod round "
            "truth",
            "python.",
            smooth=False,
        ),
        *lowered("numbers", "assume constant", "python.", smooth=False),
        *lowered_as(
            "numbers:mathematics",
            "sqrt sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp expm1 log "
            "log10 log2 log1p hypot fabs copysign degrees radians pow fmod erf erfc lgamma exp2",
            "math.",
        ),
        *lowered_as(
            "numbers:mathematics",
            "isnan isinf isfinite floor ceil trunc",
            "math.",
            smooth=False,
        ),
    ),
)
