"""How calls of functions are translated: a table that other modules fill."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.loops.kinds import Declined
from jupyter_npcompile.loops.values import Applied, Gathered, Known, Lazy, Ref, Scalar, Value
from jupyter_npcompile.tracer.operations import is_original

if TYPE_CHECKING:
    from jupyter_npcompile.loops.names import Names

Call = Callable[["Names", Sequence[Value], Mapping[str, Value]], Value]


_TABLE: dict[int, Call] = {}


_KEPT: list[Any] = []


def find(function: Any) -> Call | None:
    """How a function is translated, if it can be."""
    try:
        return _TABLE.get(id(function))
    except TypeError:
        return None


def register(function: Any, call: Call) -> None:
    """Say how a function is translated, if it is what we think: others may have its name by now."""
    if isinstance(function, np.ufunc | FunctionType | MethodType) and not is_original(function):
        return
    _KEPT.append(function)  # so that its identity stays its own
    _TABLE[id(function)] = call


def of(*functions: Any) -> Callable[[Call], Call]:
    """Register how functions are translated."""

    def decorate(call: Call) -> Call:
        for function in functions:
            register(function, call)
        return call

    return decorate


def array(value: Value) -> Lazy | Scalar:
    """An operand: an array or a number.

    Raises
    ------
    Declined
        When it is something else.
    """
    if isinstance(value, (Ref, Gathered, Applied, Scalar)):
        return value
    raise Declined("an operand that is neither number nor array")


def elements(value: Value) -> Lazy:
    """An operand that must be an array."""
    if isinstance(value, (Ref, Gathered, Applied)):
        return value
    raise Declined("an operand that is no array")


def integer(value: Value) -> int:
    """An integer that is written in the source."""
    if isinstance(value, Scalar) and isinstance(value.const, int):
        return value.const
    raise Declined("a number that has to be known")


def number(value: Value) -> Scalar:
    """An operand that must be a number."""
    if isinstance(value, Scalar):
        return value
    raise Declined("an operand that is no number")


def flag_of(value: Value | None) -> bool:
    """Whether a flag is given, which has to be written in the source."""
    if value is None:
        return False
    if isinstance(value, Scalar) and isinstance(value.const, bool):
        return value.const
    raise Declined("a flag that has to be known")


def axis_of(values: Sequence[Value], kwargs: Mapping[str, Value], place: int) -> Value | None:
    """The argument ``axis``; None where it is not given, or None."""
    value = values[place] if len(values) > place else kwargs.get("axis")
    return None if isinstance(value, Known) and value.value is None else value


def named(
    name: str,
    names: Sequence[str],
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
    *,
    none: Sequence[str] = (),
) -> dict[str, Value]:
    """The arguments of a call by their names.

    Parameters
    ----------
    name : str
        What is called.
    names : sequence of str
        The arguments that it may have, in order.
    args, kwargs : sequence, mapping
        The arguments that it has.
    none : sequence of str
        Those that are not given where they are None; for others that is an error.

    Raises
    ------
    Declined
        When there are others.
    """
    if len(args) > len(names) or not set(kwargs) <= set(names[len(args) :]):
        raise Declined(f"{name} with these arguments")
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    return {k: v for k, v in given.items() if k not in none or v != Known(None)}


def whole_number(value: Value) -> str:
    """C++ for an argument that is an integer."""
    if isinstance(value, Scalar) and value.type.kind in "iu" and not value.type.mixed:
        return f"(i64){value.code}"
    raise Declined("an argument that is no integer")
