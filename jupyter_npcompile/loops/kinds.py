"""Types of values in a native loop, and where two of them meet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field
from typing import Literal

import numpy as np

from jupyter_npcompile.dataclass import dataclass

Origin = Literal["py", "np", "any"]
"""Whether a number is Python's, NumPy's, or one of them, which only the run shows."""

FULL = 63
"""Bits of a number of which nothing is known."""

COUNTER = 61
"""Bits of a number that began small, and to which only small constants were added since.

No run adds so many that it gets larger: Python would need years for them, and native code
that does nothing else many hours. Other arithmetic gives no number this many bits, see `size`.
"""

SMALL, STEP = 48, 8
"""Bits that a counter may begin with, and what is added to it at once, at most."""


def size(bits: int) -> int:
    """The bits of what arithmetic gives: one that is no counter must not pass for one."""
    return bits + (bits == COUNTER)


CTYPES = {
    "bool": "bool8",
    "int8": "int8_t",
    "int16": "int16_t",
    "int32": "int32_t",
    "int64": "int64_t",
    "uint8": "uint8_t",
    "uint16": "uint16_t",
    "uint32": "uint32_t",
    "uint64": "uint64_t",
    "float32": "float",
    "float64": "double",
    "complex128": "Complex",
}
"""The C++ type of an element, by dtype; other dtypes are not for native loops."""

PYTHON = {"bool": bool, "int64": int, "float64": float, "complex128": complex}
"""Python's own types, by the dtype that has their values."""


NARROW = ("int8", "int16", "int32", "uint8", "uint16", "uint32")
"""Integers of NumPy that a Python integer may take the place of: 64 bits have room for all."""


def python_type(dtype: str) -> type:
    """The type of Python's that values of a dtype would have.

    Examples
    --------
    >>> python_type("float64"), python_type("int32")
    (<class 'float'>, <class 'int'>)
    """
    return PYTHON[dtype] if dtype in PYTHON else PYTHON["int64"]


class Declined(Exception):  # noqa: N818 - it names a verdict, not a mistake
    """A loop that has no native form, with the reason.

    Parameters
    ----------
    reason : str
        A short reason, for the report.
    line : int
        Where.
    """

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


class Raises(Declined):
    """A statement that raises wherever it is reached: Python runs the loop then."""


@dataclass(frozen=True, slots=True)
class Number:
    """The type of a number.

    Parameters
    ----------
    origin : {"py", "np", "any"}
        Whose number it is.
    dtype : str
        Of its value; Python's numbers have ``bool``, ``int64``, ``float64`` and ``complex128``.
    bits : int
        Integers are less than two to this power, and more than minus that.
    mixed : bool
        Whether it may also be a Python integer: a sum that starts with ``0``.
    """

    origin: Origin
    dtype: str
    bits: int = FULL
    mixed: bool = False

    @property
    def c(self) -> str:
        """The C++ type."""
        return "bool" if self.dtype == "bool" else CTYPES[self.dtype]

    @property
    def code(self) -> str:
        """What tells variables of this type from others of the same name."""
        return self.dtype

    @property
    def is_tagged(self) -> bool:
        """Whether a second variable says whose number it is."""
        return self.origin == "any" or self.mixed

    @property
    def kind(self) -> str:
        """NumPy's kind of the dtype: ``"b"``, ``"i"``, ``"u"``, ``"f"`` or ``"c"``."""
        return np.dtype(self.dtype).kind


@dataclass(frozen=True, slots=True)
class ArrayType:
    """The type of an array.

    Parameters
    ----------
    dtype : str
        Of its elements.
    ndim : int
        Number of dimensions, at least one.
    unit : bool
        Whether elements of the last dimension lie beside each other.
    thin : bool
        Whether the last dimension is known to have one element, for all of the others: a column.
    apart : int
        How many places apart elements of the last dimension probably lie, by the slice that was
        taken; 0 when nobody knows. It is a hint, and makes no other type.
    single : bool
        Whether the last dimension probably has one element: another hint.
    lengths : tuple of (int or None)
        Of its dimensions, where they are known; empty where none is.
    is_small : bool
        Whether it is a value of few elements that are all known, and has no memory: see
        `small_arrays`.
    is_shared : bool
        Whether such a value may be that of another name, too: then nobody may write into it.
    is_view : bool
        Whether NumPy has a view where it is such a value.
    """

    dtype: str
    ndim: int
    unit: bool
    thin: bool = False
    apart: int = field(default=0, compare=False)
    single: bool = field(default=False, compare=False)
    lengths: tuple[int | None, ...] = ()
    is_small: bool = False
    is_shared: bool = False
    is_view: bool = False

    @property
    def c(self) -> str:
        """The C++ type of a variable that owns a share of it."""
        if self.is_small:
            return f"Small<{', '.join([CTYPES[self.dtype], *map(str, self.lengths)])}>"
        return f"Array<{CTYPES[self.dtype]}, {self.ndim}>"

    def length(self, dimension: int) -> int | None:
        """How many elements a dimension has, if that is known."""
        return self.lengths[dimension] if self.lengths else None

    @property
    def view(self) -> str:
        """The C++ type of a passing reference to it."""
        return f"View<{CTYPES[self.dtype]}, {self.ndim}>"

    @property
    def code(self) -> str:
        """What tells variables of this type from others of the same name."""
        if self.is_small:
            return f"{self.dtype}_of_{'x'.join(map(str, self.lengths))}"
        return f"{self.dtype}_{self.ndim}"


FEW = 16
"""Elements of an array that is kept as a value, at most."""


def lengths_of(dims: Sequence[str]) -> tuple[int | None, ...]:
    """The lengths that are known of a shape; empty where none is.

    Examples
    --------
    >>> lengths_of(["3", "n_1"]), lengths_of(["n_1"])
    ((3, None), ())
    """
    lengths = tuple(int(n) if n.isdigit() else None for n in dims)
    return lengths if any(length is not None for length in lengths) else ()


def is_few(lengths: Sequence[int | None]) -> bool:
    """Whether all lengths are known, and an array has few elements with them.

    Examples
    --------
    >>> is_few((2, 2)), is_few((3, None)), is_few((100,)), is_few((0,)), is_few(())
    (True, False, False, False, False)
    """
    known = [length for length in lengths if length is not None]
    return 0 < len(known) == len(lengths) and 0 < math.prod(known) <= FEW


@dataclass(frozen=True, slots=True)
class LockedType:
    """The type of a view that NumPy lets nobody write into.

    Parameters
    ----------
    array : ArrayType
        Of the view, as if it were any.
    is_window : bool
        See `Locked`.
    """

    array: ArrayType
    is_window: bool = False


@dataclass(frozen=True, slots=True)
class ZeroDimType:
    """The type of an array of no dimension.

    Parameters
    ----------
    number : Number
        Of its only element.
    """

    number: Number


@dataclass(frozen=True, slots=True)
class RangeType:
    """The type of a ``range``.

    Parameters
    ----------
    bounds : tuple of Number
        Of its start, stop and step.
    step : int or None
        The step, where that is known.
    """

    bounds: tuple[Number, ...]
    step: int | None


@dataclass(frozen=True, slots=True)
class TupleType:
    """The type of a tuple of a fixed length, or of a list that nobody changes.

    Parameters
    ----------
    items : tuple of types
        Of its items.
    is_list : bool
        Whether it is a list.
    """

    items: tuple[Type, ...]
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class DictType:
    """The type of a dict that a function returns.

    Parameters
    ----------
    names : tuple of str
        Its keys.
    items : tuple of types
        Of its values.
    """

    names: tuple[str, ...]
    items: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class ListType:
    """The type of a list that is made in the loop, and changed; or of what one grows by.

    Parameters
    ----------
    item : Number, ArrayType, TupleType or None
        Of its items; None as long as it is known to be empty.
    is_shared : bool
        Whether it may have two names: then the type of its items stays what it is.
    is_given : bool
        Whether it comes from outside. Then only what is appended to it is known.
    """

    item: Type | None
    is_shared: bool = False
    is_given: bool = False

    @property
    def c(self) -> str:
        """The C++ type of a variable that refers to it."""
        return f"std::shared_ptr<Listed<{item_c(self.item)}>>"

    @property
    def code(self) -> str:
        """What tells variables of this type from others of the same name."""
        return f"list_{_item_code(self.item)}"


def item_c(item: Type | None) -> str:
    """The C++ type of an item of a list."""
    if isinstance(item, Number):
        return f"Item<{item.c}>"
    if isinstance(item, TupleType):
        return f"std::tuple<{', '.join(map(item_c, item.items))}>"
    assert isinstance(item, ArrayType)
    return item.c


def _item_code(item: Type | None) -> str:
    if isinstance(item, TupleType):
        return "_".join(map(_item_code, item.items))
    assert isinstance(item, Number | ArrayType)
    return item.code


@dataclass(frozen=True, slots=True)
class CutType:
    """The type of a slice.

    Parameters
    ----------
    bounds : tuple of (Number or None)
        Of its start, stop and step; None where they are.
    """

    bounds: tuple[Number | None, ...]


@dataclass(frozen=True, slots=True)
class Fixed:
    """A value that is known while the loop is translated: a function, None, a text.

    Parameters
    ----------
    key : int or str or None
        Tells two of them apart.
    value : object
        The value itself.
    """

    key: object
    value: object


@dataclass(frozen=True, slots=True)
class RecordType:
    """The type of a dict or an object of which an entry is replaced."""

    c = "PyObject *"
    code = "record"


@dataclass(frozen=True, slots=True)
class SourceType:
    """The type of a random generator."""

    c = "Source"
    code = "source"


@dataclass(frozen=True, slots=True)
class Unbound:
    """Of a name that is not bound, or has no type because it may have two."""


@dataclass(frozen=True, slots=True)
class Maybe:
    """Of a name that is bound in some cases; a variable says whether it is.

    Parameters
    ----------
    type : Number, ArrayType, TupleType or Fixed
        Its type then.
    """

    type: Type


Type = (
    Number
    | ArrayType
    | LockedType
    | ZeroDimType
    | RangeType
    | TupleType
    | DictType
    | ListType
    | CutType
    | RecordType
    | SourceType
    | Fixed
    | Unbound
    | Maybe
)

INT = Number("py", "int64")
FLOAT = Number("py", "float64")
BOOL = Number("py", "bool", 1)
SIZE = Number("py", "int64", 40)
"""A length or place, of which memory bounds the bits."""
UNBOUND = Unbound()


def describe(type: Type) -> str:
    """A type in words.

    Examples
    --------
    >>> describe(FLOAT), describe(ArrayType("int64", 2, True))
    ('a Python float', 'a 2-d array of int64')
    """
    if isinstance(type, Number):
        if type.origin == "py":
            return f"a Python {PYTHON[type.dtype].__name__}"
        return f"a number of dtype {type.dtype}"
    if isinstance(type, ArrayType):
        return f"a {type.ndim}-d array of {type.dtype}"
    if isinstance(type, TupleType):
        return f"a {'list' if type.is_list else 'tuple'} of {len(type.items)}"
    if isinstance(type, ListType):
        return "a list"
    if isinstance(type, LockedType):
        return f"a read-only view of {type.array.dtype}"
    if isinstance(type, ZeroDimType):
        return f"a 0-d array of {type.number.dtype}"
    if isinstance(type, RangeType):
        return "a range"
    if isinstance(type, SourceType):
        return "a random generator"
    if isinstance(type, Fixed):
        return f"{type.value!r}"[:40]
    return "not bound"
