"""Literal values and constants as short text."""

from __future__ import annotations

import math
import struct
from itertools import islice

from jupyter_npcompile.graph.nodes import Constant

SHOWN = 6
"""Elements of an array constant that are printed before it is cut short."""

_FORMATS = {
    "bool": "?",
    "int8": "b",
    "int16": "h",
    "int32": "i",
    "int64": "q",
    "uint8": "B",
    "uint16": "H",
    "uint32": "I",
    "uint64": "Q",
    "float16": "e",
    "float32": "f",
    "float64": "d",
    "complex64": "ff",
    "complex128": "dd",
}
_DIGITS = {"e": 5, "f": 9}


def printable(text: str) -> str:
    r"""Escape what would break a line of text: control characters, lone surrogates.

    Examples
    --------
    >>> printable("naïve\n")
    'naïve\\n'
    """
    if text.isprintable():
        return text
    return "".join(
        character
        if character.isprintable()
        else character.encode("unicode_escape", "backslashreplace").decode("ascii")
        for character in text
    )


def shorten(text: str, width: int) -> str:
    """Cut text to a width, with an ellipsis where it was cut.

    Examples
    --------
    >>> shorten("captured", 5)
    'capt…'
    """
    return text if len(text) <= width else text[: width - 1] + "…"


def number(value: complex) -> str:
    """Format a Python number as Python writes it.

    NumPy scalars that subclass Python numbers print as numbers too.
    """
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        return float.__repr__(value)
    return complex.__repr__(value)


def constant(value: Constant) -> str:
    """Format a NumPy constant, cutting long arrays short.

    Examples
    --------
    >>> from jupyter_npcompile.graph.nodes import ValueType
    >>> constant(Constant(ValueType("scalar", "float64"), struct.pack("d", 0.5)))
    'float64(0.5)'
    >>> constant(Constant(ValueType("array", "int8", (9,), (1,)), bytes(range(9))))
    'array([0, 1, 2, 3, 4, 5, …], int8[9])'
    """
    kind, dtype, shape = value.type.kind, value.type.dtype, value.type.shape
    elements = list(islice(_elements(value), SHOWN))
    count = math.prod(shape)
    if len(elements) < min(count, SHOWN):
        # A dtype that struct cannot read, such as datetime64 or longdouble.
        return f"{value.type}(<{len(value.data)} bytes>)"
    if kind != "array":
        return f"{dtype}({elements[0]})"
    if not shape:
        return f"array({elements[0]}, {value.type})"
    more = ", …" if count > SHOWN else ""
    return f"array([{', '.join(elements)}{more}], {value.type})"


def itemsize(dtype: str) -> int | None:
    """Bytes of one element, or None for a dtype that is not a plain number.

    Examples
    --------
    >>> itemsize("complex64"), itemsize("datetime64[ns]")
    (8, None)
    """
    format = _FORMATS.get(dtype)
    return None if format is None else struct.calcsize("=" + format)


def _elements(value: Constant) -> list[str]:
    format = _FORMATS.get(value.type.dtype)
    if format is None:
        return []
    size = struct.calcsize("=" + format)
    usable = min(len(value.data) // size, SHOWN) * size
    found = struct.iter_unpack("=" + format, value.data[:usable])
    if len(format) == 2:
        return [f"({_float(real, format[0])}{_signed(imag, format[0])}j)" for real, imag in found]
    if format in "efd":
        return [_float(item, format) for (item,) in found]
    return [str(item) for (item,) in found]


def _signed(value: float, format: str) -> str:
    text = _float(value, format)
    return text if text.startswith("-") else "+" + text


def _float(value: float, format: str) -> str:
    """Shortest text that reads back as the same element of its own width."""
    if format == "d" or not math.isfinite(value):
        return repr(value)
    for digits in range(1, _DIGITS[format] + 1):
        text = f"{value:.{digits}g}"
        try:
            if struct.unpack(format, struct.pack(format, float(text))) == (value,):
                return repr(float(text))
        except OverflowError:
            # Rounding up past the largest number of this width: needs more digits.
            continue
    return repr(value)
