"""What values of Python a loop may take from outside, and as what types."""

from __future__ import annotations

import copy
import types as pytypes
from dataclasses import replace
from typing import Any

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.loops import arithmetic, hosts
from jupyter_npcompile.loops.functions import find
from jupyter_npcompile.loops.kinds import (
    BOOL,
    CTYPES,
    FULL,
    INT,
    PYTHON,
    ArrayType,
    Declined,
    ListType,
    Number,
    SourceType,
    Type,
    describe,
)
from jupyter_npcompile.loops.values import Items, Known, Value

LARGEST = 62
"""Bits of a Python integer that may be part of the code, at most."""

SMALL = 32
"""Bits of an integer that is an argument, if it has no more."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A number that is part of the code, as long as its name stands for it.

    Parameters
    ----------
    value : object
        The number, Python's or NumPy's.
    """

    value: Any

    @classmethod
    def of(cls, name: str, value: Any) -> Constant | None:
        """Give the constant that a global name is: capitals say so, and the value is a number.

        Examples
        --------
        >>> Constant.of("MODULUS", 97), Constant.of("modulus", 97), Constant.of("WEIGHTS", [1])
        (Constant(value=97), None, None)
        """
        kind = type_of(value) if name.isupper() else None
        if not isinstance(kind, Number) or (type(value) is int and value.bit_length() > LARGEST):
            return None
        return cls(value)


def type_of(value: Any) -> Type | None:
    """The type of a value of Python, if it is one that a loop may take.

    Examples
    --------
    >>> type_of(2.5) == Number("py", "float64")
    True
    >>> type_of(np.zeros((2, 3))).ndim
    2
    """
    if isinstance(value, Number | ArrayType | ListType | SourceType):
        return value
    if type(value) is list:
        return ListType(None, is_given=True)
    if type(value) is np.random.Generator:
        return SourceType()
    if isinstance(value, bool):
        return BOOL
    if type(value) is int:
        if abs(value) < 1 << SMALL:
            return Number("py", "int64", SMALL)
        return INT if -(2**63) <= value < 2**63 else None
    if type(value) is float:
        return Number("py", "float64")
    if type(value) is complex:
        return Number("py", "complex128")
    if isinstance(value, np.generic):
        name = value.dtype.name
        # (NumPy itself does not know the names of some, such as those of records.)
        if name in CTYPES and type(value) is np.dtype(name).type and value.dtype.isnative:
            return Number("np", name, 1 if name == "bool" else 63)
        return None
    if type(value) is not np.ndarray or not value.ndim or not value.dtype.isnative:
        return None
    if value.dtype.name not in CTYPES:
        return None
    unit = value.shape[-1] <= 1 or value.strides[-1] == value.itemsize
    single = value.ndim > 1 and value.shape[-1] == 1
    return ArrayType(value.dtype.name, value.ndim, unit, single=single)


SHORT = range(2, 5)
"""Lengths of dimensions that are part of the code: those of points, of states, of small systems."""


def with_lengths(type: Any, value: Any) -> Any:
    """The type of an array, with the lengths of its dimensions that are probably always the same.

    Examples
    --------
    >>> with_lengths(ArrayType("float64", 2, True), np.zeros((100, 3))).lengths
    (None, 3)
    >>> with_lengths(ArrayType("float64", 2, True), np.zeros((3, 100))).lengths
    ()
    """
    if not isinstance(type, ArrayType) or value.shape[-1] not in SHORT:
        return type
    return replace(type, lengths=tuple(n if n in SHORT else None for n in value.shape))


def is_fixed(value: Any) -> bool:
    """Whether a value is one that is translated into the code, and compared when it runs."""
    if value is None or value is Ellipsis or isinstance(value, (str, pytypes.ModuleType, type)):
        return True
    if isinstance(value, np.dtype):
        return True
    if type(value) is tuple:
        return all(is_fixed(item) or isinstance(item, int | float | complex) for item in value)
    if find(value) is not None or hosts.is_host(value):
        return True
    return type(value) is pytypes.FunctionType


def fixed_value(value: Any) -> Value:
    """A default of a function's, which stays what it is."""
    if not is_fixed(value) and type(value) not in PYTHON.values():
        raise Declined(f"a default that is {kind_of(value)}")
    return fixed(value)


TABLE = 64
"""Lists, tuples, numbers and texts in a list from outside that is part of the code, at most."""


def table_of(value: Any) -> Any:
    """A copy of a list from outside that is short, and holds numbers, texts, or such lists.

    None for all other values.

    Examples
    --------
    >>> table_of([(-1, 0), (0, 1)]), table_of([]), table_of((1, 2)), table_of([np.zeros(3)])
    ([(-1, 0), (0, 1)], None, None, None)
    """
    if type(value) is not list or not value:
        return None
    parts = [value]
    for part in parts:
        if type(part) in (list, tuple) and len(parts) + len(part) <= TABLE:
            parts += part
        elif not _is_entry(part):
            return None
    return copy.deepcopy(value)


def _is_entry(part: Any) -> bool:
    if type(part) is int:
        return part.bit_length() <= LARGEST
    return type(part) is str or isinstance(type_of(part), Number)


def fixed(value: Any) -> Value:
    """A value that is part of the code."""
    if type(value) is tuple:
        return Items(tuple(map(fixed, value)))
    if type(value) is list:
        return Items(tuple(map(fixed, value)), is_list=True, has_name=True, is_given=True)
    if isinstance(value, bool | int | float | complex | np.generic):
        return arithmetic.constant(value)
    return Known(value)


def wide_enough(known: Type, made: Type) -> Type | None:
    """The type that an entry has to have from the beginning; None when there is none."""
    if isinstance(known, Number) and isinstance(made, Number):
        alike = (known.origin, known.dtype) == (made.origin, made.dtype)
        if not alike or known.is_tagged or made.is_tagged:
            return None
        return replace(known, bits=known.bits if made.bits <= known.bits else FULL)
    if not isinstance(known, ArrayType) or not isinstance(made, ArrayType):
        return None
    if (known.dtype, known.ndim) == (made.dtype, made.ndim):
        return replace(known, unit=known.unit and made.unit)
    return None


def kind_of(value: Any) -> str:
    """What a value is, in words."""
    value_type = getattr(value, "type", None)
    if isinstance(value_type, type):
        return f"a {value_type.__name__}"
    known = type_of(value)
    return f"a {type(value).__name__}" if known is None else describe(known)
