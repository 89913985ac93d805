"""Where a recording found a value, so that a replay can fetch it again."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Mapping
from dataclasses import field
from types import CellType
from typing import Any, TypeAlias

from jupyter_npcompile.cell import HANDLE
from jupyter_npcompile.dataclass import dataclass

Namespace: TypeAlias = Mapping[str, Any]


class Missing:
    """Stands for a name that is not bound."""


MISSING = Missing()


@dataclass(frozen=True, slots=True)
class NameSource:
    """A name as the region sees it: local, global or builtin."""

    name: str

    def fetch(self, namespace: Namespace) -> Any:
        """The value now; raises ``KeyError`` when the name is not bound."""
        return namespace[self.name]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class GlobalSource:
    """A global of a helper function."""

    name: str
    module: dict[str, Any] = field(repr=False, hash=False, compare=False)
    module_id: int

    def fetch(self, namespace: Namespace) -> Any:
        """The value now, a builtin's if there is no global; raises ``KeyError`` otherwise."""
        if self.name in self.module:
            return self.module[self.name]
        return vars(builtins)[self.name]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class CellSource:
    """A variable that a helper function closes over."""

    name: str
    cell: CellType = field(repr=False, hash=False, compare=False)
    cell_id: int

    def fetch(self, namespace: Namespace) -> Any:
        """The value now; raises ``ValueError`` when the cell is empty."""
        return self.cell.cell_contents

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class ClosureSource:
    """A variable that a function with a source of its own closes over."""

    parent: Source
    name: str
    index: int

    def fetch(self, namespace: Namespace) -> Any:
        """The value now; raises ``ValueError`` when the cell is empty."""
        return closed_over(self.parent.fetch(namespace), self.index)

    def __str__(self) -> str:
        return self.name


def closed_over(function: Any, index: int) -> Any:
    """What a function has in a cell of its closure: that of the original, if it is compiled."""
    return as_defined(function).__closure__[index].cell_contents


def as_defined(function: Any) -> Any:
    """The function itself, or the one behind it where this package compiled it.

    Not all that have a ``__wrapped__`` do what that does.
    """
    is_compiled = HANDLE in function.__code__.co_freevars
    # A copy that somebody has made of a compiled function lacks it.
    return getattr(function, "__wrapped__", function) if is_compiled else function


@dataclass(frozen=True, slots=True)
class AttributeSource:
    """An attribute of something with a source of its own."""

    parent: Source
    name: str

    def fetch(self, namespace: Namespace) -> Any:
        """The value now; raises ``AttributeError`` when it is gone."""
        return getattr(self.parent.fetch(namespace), self.name)

    def __str__(self) -> str:
        return f"{self.parent}.{self.name}"


@dataclass(frozen=True, slots=True)
class ItemSource:
    """An element of a list, tuple or dict with a source of its own."""

    parent: Source
    key: Any

    def fetch(self, namespace: Namespace) -> Any:
        """The value now; raises ``LookupError`` when it is gone."""
        return self.parent.fetch(namespace)[self.key]

    def __str__(self) -> str:
        return f"{self.parent}[{self.key!r}]"


@dataclass(frozen=True, slots=True)
class ObjectSource:
    """An object that belongs to what is traced: the instance of a bound method."""

    name: str
    value: Any = field(repr=False, hash=False, compare=False)
    value_id: int

    def fetch(self, namespace: Namespace) -> Any:
        """The object."""
        return self.value

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class ForwardSource:
    """An array whose reversed axes are turned forward: a view with positive strides."""

    parent: Source

    def fetch(self, namespace: Namespace) -> Any:
        """The view now."""
        value = self.parent.fetch(namespace)
        return value[reversal(value)]

    def __str__(self) -> str:
        return str(self.parent)


def reversal(array: Any) -> tuple[slice, ...]:
    """The index that reverses every axis with a negative stride.

    Examples
    --------
    >>> import numpy as np
    >>> reversal(np.zeros((2, 3))[:, ::-1])
    (slice(None, None, None), slice(None, None, -1))
    """
    return tuple(slice(None, None, -1 if stride < 0 else None) for stride in array.strides)


@dataclass(frozen=True, slots=True)
class ComputedSource:
    """Arithmetic on Python numbers, done by Python again on every replay.

    Parameters
    ----------
    operation : str
        A name of ``OPERATORS``.
    operands : tuple
        Sources or plain numbers.
    """

    operation: str
    operands: tuple[Any, ...]

    def fetch(self, namespace: Namespace) -> Any:
        """The value now; raises what Python raises, ``1 / 0`` for one."""
        values = [
            operand.fetch(namespace) if isinstance(operand, SOURCES) else operand
            for operand in self.operands
        ]
        return OPERATORS[self.operation](*values)

    def __str__(self) -> str:
        sign = SIGNS.get(self.operation)
        shown = [
            f"({operand})" if sign and isinstance(operand, ComputedSource) else str(operand)
            for operand in self.operands
        ]
        if sign is None:
            return f"{self.operation}({', '.join(shown)})"
        return f" {sign} ".join(shown) if len(shown) == 2 else f"{sign}{shown[0]}"


@dataclass(frozen=True, slots=True)
class DrawSource:
    """A random draw, made before the segment runs.

    Parameters
    ----------
    index : int
        Of the ``Draw`` in its recording.
    text : str
        The call, for the graph.
    """

    index: int
    text: str

    def fetch(self, namespace: Namespace) -> Any:
        """It cannot be fetched: each draw happens once."""
        raise LookupError(self.text)

    def __str__(self) -> str:
        return self.text


Source = (
    NameSource
    | GlobalSource
    | CellSource
    | ClosureSource
    | AttributeSource
    | ItemSource
    | ObjectSource
    | ForwardSource
    | ComputedSource
    | DrawSource
)
SOURCES = (
    NameSource,
    GlobalSource,
    CellSource,
    ClosureSource,
    AttributeSource,
    ItemSource,
    ObjectSource,
    ForwardSource,
    ComputedSource,
    DrawSource,
)

SIGNS: Mapping[str, str] = {
    "Add": "+",
    "Sub": "-",
    "Mult": "*",
    "Div": "/",
    "FloorDiv": "//",
    "Mod": "%",
    "Pow": "**",
    "MatMult": "@",
    "BitAnd": "&",
    "BitOr": "|",
    "BitXor": "^",
    "LShift": "<<",
    "RShift": ">>",
    "Lt": "<",
    "LtE": "<=",
    "Gt": ">",
    "GtE": ">=",
    "Eq": "==",
    "NotEq": "!=",
    "USub": "-",
    "UAdd": "+",
    "Invert": "~",
    "is": "is",
}
"""How the operators are written."""

IN_PLACE: Mapping[str, Callable[..., Any]] = {
    "Add": operator.iadd,
    "Mult": operator.imul,
    "BitOr": operator.ior,
}
"""What lists and dicts do in place."""

OPERATORS: Mapping[str, Callable[..., Any]] = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "Div": operator.truediv,
    "FloorDiv": operator.floordiv,
    "Mod": operator.mod,
    "Pow": operator.pow,
    "MatMult": operator.matmul,
    "BitAnd": operator.and_,
    "BitOr": operator.or_,
    "BitXor": operator.xor,
    "LShift": operator.lshift,
    "RShift": operator.rshift,
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "USub": operator.neg,
    "UAdd": operator.pos,
    "Invert": operator.invert,
    "is": operator.is_,
    "abs": abs,
    "int": int,
    "float": float,
    "complex": complex,
    "bool": bool,
    "round": round,
    "min": min,
    "max": max,
    "divmod": divmod,
    "pow": pow,
}
"""Python's own arithmetic, by the names that :mod:`ast` gives the operators."""
