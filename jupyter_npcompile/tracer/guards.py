"""What a recording assumed about its surroundings, checked before every replay."""

from __future__ import annotations

from types import CodeType, FunctionType
from typing import Any
from weakref import ref

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.tracer.memory import ALIGNED, BOTH, FLAGS
from jupyter_npcompile.tracer.sources import Namespace, Source, as_defined

MANY_BITS = 1000
"""Larger integers are not written out."""


def same_dtype(one: np.dtype[Any], other: np.dtype[Any]) -> bool:
    """Whether two dtypes are the same; ``longlong`` is not ``int64``, though NumPy calls it so.

    Examples
    --------
    >>> same_dtype(np.dtype("int64"), np.dtype(int))
    True
    >>> np.dtype("longlong") == np.dtype("int64"), same_dtype(np.dtype("longlong"), np.dtype(int))
    (True, False)
    """
    return one is other or (one == other and one.num == other.num)


@dataclass(frozen=True, slots=True)
class ArrayGuard:
    """An input array of this dtype and layout.

    Parameters
    ----------
    source : Source
        Where it comes from.
    dtype : numpy.dtype
        Exactly this dtype, native byte order.
    shape : tuple of int
        In elements.
    strides : tuple of int
        In bytes.
    writeable : bool
        Whether it may be written.
    """

    source: Source
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    writeable: bool

    def holds(self, value: Any) -> bool:
        """Whether ``value`` is such an array."""
        return (
            type(value) is np.ndarray
            and value.shape == self.shape
            and (value.dtype is self.dtype or same_dtype(value.dtype, self.dtype))
            and value.strides == self.strides
            and value.flags.num & FLAGS == (BOTH if self.writeable else ALIGNED)
        )

    def __str__(self) -> str:
        return f"{self.source}: {self.dtype.name}[{','.join(map(str, self.shape))}]"


@dataclass(frozen=True, slots=True)
class TypeGuard:
    """A value of exactly this type (a number whose value may change, or a container)."""

    source: Source
    type: type

    def holds(self, value: Any) -> bool:
        """Whether the type is the same, and an integer fits 64 bits."""
        if type(value) is not self.type:
            return False
        return type(value) is not int or -(2**63) <= value < 2**63

    def __str__(self) -> str:
        return f"{self.source}: {self.type.__name__}"


@dataclass(frozen=True, slots=True)
class DTypeGuard:
    """An array that is not traced because of its dtype or memory."""

    source: Source
    dtype: np.dtype[Any]

    def holds(self, value: Any) -> bool:
        """Whether it is still such an array."""
        return type(value) is np.ndarray and same_dtype(value.dtype, self.dtype)

    def __str__(self) -> str:
        return f"{self.source}: {self.dtype}"


@dataclass(frozen=True, slots=True)
class ValueGuard:
    """Exactly this value, where the trace depends on it."""

    source: Source
    value: Any

    def holds(self, value: Any) -> bool:
        """Whether type and value are the same; ``-0.0`` is not ``0.0``."""
        if type(value) is not type(self.value):
            return False
        if type(value) is int:  # it may have too many digits to be written
            return bool(value == self.value)
        if repr(value) != repr(self.value):
            return False
        return not isinstance(value, np.dtype) or value.num == self.value.num

    def __str__(self) -> str:
        if type(self.value) is int and self.value.bit_length() > MANY_BITS:
            return f"{self.source} = an integer of {self.value.bit_length()} bits"
        return f"{self.source} = {self.value!r}"


@dataclass(frozen=True, slots=True)
class IdentityGuard:
    """The very same object: a function, a module, a type, ``None``."""

    source: Source
    value: Any

    def holds(self, value: Any) -> bool:
        """Whether it is the same object."""
        return value is self.value

    def __str__(self) -> str:
        return f"{self.source} is {getattr(self.value, '__name__', self.value)!s}"


@dataclass(frozen=True, slots=True)
class FunctionGuard:
    """The very same function, with the code and defaults it had, or one made as it was.

    What another one closes over has guards of its own, if the recording has read it,
    and so have the values of its defaults.

    Parameters
    ----------
    source : Source
        Where it was found.
    reference : weakref.ref
        To what it was: nobody else may have it any more.
    definition : types.CodeType
        The code that its definition has.
    space : dict
        Its global names.
    code, defaults, keyword_defaults : object
        What it had then.
    alone : bool
        Whether its identity does not matter: it was found in one place only, and
        compared with no other function.
    """

    source: Source
    reference: ref[FunctionType]
    definition: CodeType
    space: dict[str, Any]
    code: CodeType
    defaults: tuple[Any, ...] | None
    keyword_defaults: dict[str, Any] | None
    alone: bool = True

    @classmethod
    def of(cls, source: Source, value: FunctionType, *, alone: bool) -> FunctionGuard:
        """The guard for a function as it is now."""
        return cls(
            source,
            ref(value),
            as_defined(value).__code__,
            value.__globals__,
            value.__code__,
            value.__defaults__,
            value.__kwdefaults__,
            alone,
        )

    def holds(self, value: Any) -> bool:
        """Whether it is the same function, or was defined again just as it was."""
        if type(value) is not FunctionType or value.__code__ != self.code:
            return False
        if value is self.reference():
            same = value.__kwdefaults__ is self.keyword_defaults
            return bool(same and value.__defaults__ is self.defaults)
        other = as_defined(value)
        return (
            (self.alone or other.__closure__ is other.__defaults__ is other.__kwdefaults__ is None)
            and self.definition == other.__code__
            and value.__globals__ is self.space
            and len(value.__defaults__ or ()) == len(self.defaults or ())
            and (value.__kwdefaults__ or {}).keys() == (self.keyword_defaults or {}).keys()
            and value.__defaults__ is other.__defaults__
            and value.__kwdefaults__ is other.__kwdefaults__
        )

    def __str__(self) -> str:
        return f"{self.source} is {self.code.co_qualname}"


@dataclass(frozen=True, slots=True)
class LengthGuard:
    """A container with this many elements, or exactly these keys."""

    source: Source
    keys: tuple[Any, ...] | int

    def holds(self, value: Any) -> bool:
        """Whether length or keys are the same."""
        return len(value) == self.keys if isinstance(self.keys, int) else tuple(value) == self.keys

    def __str__(self) -> str:
        return f"len({self.source}) = {self.keys}"


Guard = (
    ArrayGuard | DTypeGuard | TypeGuard | ValueGuard | IdentityGuard | FunctionGuard | LengthGuard
)


def check(guards: tuple[Guard, ...], namespace: Namespace) -> Guard | None:
    """The first guard that fails, or ``None`` when all hold.

    Parameters
    ----------
    guards : tuple of Guard
        In the order in which they were recorded, containers first.
    namespace : mapping
        What the region sees.
    """
    for guard in guards:
        try:
            value = guard.source.fetch(namespace)
        except (LookupError, AttributeError, ValueError, ArithmeticError, TypeError):
            return guard
        if not guard.holds(value):
            return guard
    return None
