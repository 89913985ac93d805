"""Names for what a cell calls: from a NumPy callable to the operation of a node."""

from __future__ import annotations

import sys
import types
from collections.abc import Mapping
from typing import Any

import numpy as np

NAMESPACES = {
    **{"numpy": np, "numpy.linalg": np.linalg, "numpy.fft": np.fft},
    "numpy.lib.stride_tricks": np.lib.stride_tricks,
}

_UFUNCS = sys.modules["numpy._core.umath"]
"""Where NumPy makes them: nobody binds other names there."""

UFUNCS: Mapping[str, np.ufunc] = {
    "Add": _UFUNCS.add,
    "Sub": _UFUNCS.subtract,
    "Mult": _UFUNCS.multiply,
    "Div": _UFUNCS.true_divide,
    "FloorDiv": _UFUNCS.floor_divide,
    "Mod": _UFUNCS.remainder,
    "Pow": _UFUNCS.power,
    "MatMult": _UFUNCS.matmul,
    "BitAnd": _UFUNCS.bitwise_and,
    "BitOr": _UFUNCS.bitwise_or,
    "BitXor": _UFUNCS.bitwise_xor,
    "LShift": _UFUNCS.left_shift,
    "RShift": _UFUNCS.right_shift,
    "Lt": _UFUNCS.less,
    "LtE": _UFUNCS.less_equal,
    "Gt": _UFUNCS.greater,
    "GtE": _UFUNCS.greater_equal,
    "Eq": _UFUNCS.equal,
    "NotEq": _UFUNCS.not_equal,
    "USub": _UFUNCS.negative,
    "UAdd": _UFUNCS.positive,
    "Invert": _UFUNCS.invert,
}
"""The ufunc behind each operator, by the name :mod:`ast` gives it."""

WRITERS: Mapping[str, int] = {
    "numpy.copyto": 0,
    "numpy.put": 0,
    "numpy.place": 0,
    "numpy.putmask": 0,
    "numpy.fill_diagonal": 0,
    "numpy.put_along_axis": 0,
    "ndarray.fill": 0,
    "ndarray.sort": 0,
    "ndarray.partition": 0,
    "ndarray.put": 0,
    "ndarray.setfield": 0,
    "ndarray.resize": 0,
    "setitem": 0,
}
"""Operations that write into an argument, and which one."""


_FUNCTIONS = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.MethodDescriptorType,
    type,
    np.ufunc,
    type(np.sum),
    type(np.random.normal),
    type(np.random.default_rng),
)


def is_numpy_function(callee: Any) -> bool:
    """Whether a callable belongs to NumPy; an object that can be called, a ``poly1d``, does not."""
    if type(callee) is types.MethodType:
        return is_numpy_function(callee.__func__)
    if type(callee) is types.FunctionType:  # what wraps a function of NumPy tells its module, too
        return str(callee.__globals__.get("__name__", "")).partition(".")[0] == "numpy"
    module = str(getattr(callee, "__module__", "") or "").partition(".")[0]
    return module == "numpy" and isinstance(callee, _FUNCTIONS)


def is_original(callee: Any) -> bool:
    """Whether a callable is NumPy's: others may have the name of one.

    Examples
    --------
    >>> is_original(np.sin), is_original(np.frompyfunc(len, 1, 1)), is_original(np.mean)
    (True, False, True)
    """
    if isinstance(callee, np.ufunc):
        return getattr(_UFUNCS, callee.__name__, None) is callee
    return is_numpy_function(callee)


def _originals() -> dict[str, Any]:
    """NumPy's public functions, ufuncs and types by name, as far as they are NumPy's."""
    found: dict[str, Any] = {}
    for prefix, namespace in NAMESPACES.items():
        # What NumPy imports when it is asked for (numpy.f2py, numpy.testing) is a module.
        for name in sorted(vars(namespace)):
            value = None if name.startswith("_") else getattr(namespace, name)
            if is_original(value):
                found[f"{prefix}.{name}"] = value
    return found


ORIGINALS: Mapping[str, Any] = _originals()
"""What the names of NumPy meant when this was imported: others may be bound to them later."""


def _canonical() -> dict[int, str]:
    """The operations by the identity of what they are."""
    found: dict[int, str] = {}
    for path, value in ORIGINALS.items():
        own = f"{path.rpartition('.')[0]}.{getattr(value, '__name__', '')}"
        found.setdefault(id(value), own if ORIGINALS.get(own) is value else path)
    return found


_NAMES = _canonical()


def operation(callee: Any) -> str | None:
    """The operation that a NumPy callable stands for, or None.

    Examples
    --------
    >>> operation(np.abs), operation(np.add.reduce), operation(np.linalg.inv)
    ('numpy.absolute', 'numpy.add.reduce', 'numpy.linalg.inv')
    >>> operation(len) is None
    True
    """
    owner = getattr(callee, "__self__", None)
    if isinstance(owner, np.ufunc):
        return f"numpy.{owner.__name__}.{callee.__name__}"
    if isinstance(callee, np.ufunc):
        return _NAMES.get(id(callee))
    name = _NAMES.get(id(callee))
    if name is None and str(getattr(callee, "__module__", "")).startswith("numpy.random"):
        return f"numpy.random.{getattr(callee, '__name__', 'draw')}"
    if isinstance(owner, np.random.Generator | np.random.RandomState):
        return f"numpy.random.{callee.__name__}"
    return name
