"""The traced array: a duck that carries what NumPy computed and where it stands in the graph."""

from __future__ import annotations

from collections.abc import Iterator
from operator import index
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from jupyter_npcompile.tracer.breaks import Break
from jupyter_npcompile.tracer.sources import Source

if TYPE_CHECKING:
    from jupyter_npcompile.tracer.hooks import Hooks

VALUE_NEEDED = "delay the conversion, or leave it to a line of its own after the computation"

OPERATORS = {
    "add": "Add",
    "sub": "Sub",
    "mul": "Mult",
    "truediv": "Div",
    "floordiv": "FloorDiv",
    "mod": "Mod",
    "pow": "Pow",
    "matmul": "MatMult",
    "and": "BitAnd",
    "or": "BitOr",
    "xor": "BitXor",
    "lshift": "LShift",
    "rshift": "RShift",
}
COMPARISONS = {"lt": "Lt", "le": "LtE", "gt": "Gt", "ge": "GtE", "eq": "Eq", "ne": "NotEq"}
UNARY = {"neg": "USub", "pos": "UAdd", "invert": "Invert"}


class Traced:
    """An ndarray, NumPy scalar or Python number that is being traced.

    It is a duck: instrumented code hands it to hooks, code that is not
    instrumented (a lambda without source, NumPy's own functions) reaches the
    same hooks through operators, ``__array_ufunc__``, ``__array_function__``
    and attributes. Whatever would need a real array raises :class:`Break`.

    Parameters
    ----------
    hooks : Hooks
        Where its operations are recorded.
    value : numpy.ndarray, numpy.generic or number
        What NumPy computed.
    id : int or None
        Its node; None for a number that no node has used yet.
    source : Source or None
        Where it was found, for inputs and for arithmetic on them.
    """

    __slots__ = ("hooks", "id", "source", "value")
    __array_priority__ = 1e9

    def __init__(
        self, hooks: Hooks, value: Any, id: int | None = None, source: Source | None = None
    ) -> None:
        self.hooks = hooks
        self.value = value
        self.id = id
        self.source = source

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        # isinstance(x, np.ndarray) must say what it says of the real value.
        return type(self.value)

    # -- protocols of NumPy

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *args: Any, **kwargs: Any) -> Any:
        callee = ufunc if method == "__call__" else getattr(ufunc, method)
        return self.hooks.call(None, callee, *args, **kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return self.hooks.call(None, func, *args, **kwargs)

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._needed("compiled C code reads the array here")

    @property
    def __array_interface__(self) -> NoReturn:
        self._needed("compiled C code reads the array here")

    @property
    def __array_struct__(self) -> NoReturn:
        self._needed("compiled C code reads the array here")

    # -- Python needs the value

    def _needed(self, why: str) -> NoReturn:
        raise Break("value", why, VALUE_NEEDED)

    def __bool__(self) -> bool:
        return self.hooks.truth(None, self)

    def __float__(self) -> float:
        return float(self.hooks.concrete(self, "float() needs the value"))

    def __int__(self) -> int:
        return int(self.hooks.concrete(self, "int() needs the value"))

    def __index__(self) -> int:
        return index(self.hooks.concrete(self, "an index needs the value"))

    def __complex__(self) -> complex:
        return complex(self.hooks.concrete(self, "complex() needs the value"))

    def __hash__(self) -> NoReturn:
        self._needed("hash() needs the value")

    def __repr__(self) -> NoReturn:
        self._needed("text needs the value")

    def __format__(self, spec: str) -> NoReturn:
        self._needed("text needs the value")

    __str__ = __repr__

    def __contains__(self, item: Any) -> bool:
        self._needed("`in` needs the values")

    # -- containers

    def __len__(self) -> int:
        self.hooks.recorder.demand_fixed_size(self)
        return len(self.value)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.hooks.iterate(None, self))

    def __getitem__(self, index: Any) -> Any:
        return self.hooks.subscript(None, self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        self.hooks.store(None, self, index, value)

    def __getattr__(self, name: str) -> Any:
        return self.hooks.attribute(None, self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in Traced.__slots__:
            object.__setattr__(self, name, value)
        else:
            raise Break("effect", f"the attribute `{name}` of an array is assigned")

    # -- arithmetic that is not spelled with an operator

    def __abs__(self) -> Any:
        return self.hooks.call(None, abs, self)

    def __round__(self, digits: int | None = None) -> Any:
        arguments = () if digits is None else (digits,)
        return self.hooks.call(None, round, self, *arguments)

    def __divmod__(self, other: Any) -> Any:
        return self.hooks.call(None, divmod, self, other)

    def __rdivmod__(self, other: Any) -> Any:
        return self.hooks.call(None, divmod, other, self)


def _install_operators() -> None:
    """Give the class its operators, each a call of the matching hook."""

    def binary(operator: str) -> Any:
        def method(self: Traced, other: Any) -> Any:
            return self.hooks.binary(None, operator, self, other)

        return method

    def reflected(operator: str) -> Any:
        def method(self: Traced, other: Any) -> Any:
            return self.hooks.binary(None, operator, other, self)

        return method

    def augmented(operator: str) -> Any:
        def method(self: Traced, other: Any) -> Any:
            return self.hooks.augment(None, operator, self, other)

        return method

    def comparison(operator: str) -> Any:
        def method(self: Traced, other: Any) -> Any:
            return self.hooks.compare(None, operator, self, other)

        return method

    def unary(operator: str) -> Any:
        def method(self: Traced) -> Any:
            return self.hooks.unary(None, operator, self)

        return method

    for name, operator in OPERATORS.items():
        setattr(Traced, f"__{name}__", binary(operator))
        setattr(Traced, f"__r{name}__", reflected(operator))
        setattr(Traced, f"__i{name}__", augmented(operator))
    for name, operator in COMPARISONS.items():
        setattr(Traced, f"__{name}__", comparison(operator))
    for name, operator in UNARY.items():
        setattr(Traced, f"__{name}__", unary(operator))


_install_operators()


def is_traced(value: object) -> bool:
    """Whether a value is a traced one (``isinstance`` asks the duck, which lies).

    Examples
    --------
    >>> is_traced(1.0)
    False
    """
    return type(value) is Traced


class Opaque:
    """An input that tracing cannot look into; only its plain attributes can be read.

    Parameters
    ----------
    value : object
        The input.
    source : Source
        Where it was found.
    """

    __slots__ = ("source", "value")

    def __init__(self, value: Any, source: Source) -> None:
        self.value = value
        self.source = source

    @property
    def reason(self) -> str:
        """Why it is not traced."""
        what = type(self.value).__name__
        if isinstance(self.value, np.ndarray):
            what += f" of {self.value.dtype}"
        return f"`{self.source}` is a {what}, which is not traced"

    def _refuse(self, *_: object) -> NoReturn:
        raise Break("input", self.reason)

    # Lists, sets and dicts that hold it would compare the stand-in, not the object.
    __eq__ = __hash__ = __bool__ = __len__ = __iter__ = __contains__ = _refuse


class Interim:
    """Something that only the recording knows: no variable can hold it."""

    __slots__ = ()


class BoundMethod(Interim):
    """A method of a traced array, taken but not called yet."""

    __slots__ = ("name", "owner")

    def __init__(self, owner: Traced, name: str) -> None:
        self.owner = owner
        self.name = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it, for code that is not instrumented."""
        return self.owner.hooks.call(None, self, *args, **kwargs)


class DrawMethod(Interim):
    """A method of a random generator from outside, taken but not called yet."""

    __slots__ = ("hooks", "name", "owner")

    def __init__(self, hooks: Hooks, owner: Opaque, name: str) -> None:
        self.hooks = hooks
        self.owner = owner
        self.name = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it, for code that is not instrumented."""
        return self.hooks.call(None, self, *args, **kwargs)


class Flags(Interim):
    """``x.flags`` of a traced array: read-only, with the real input's ``writeable``."""

    __slots__ = ("_flags", "_writeable")

    def __init__(self, flags: Any, writeable: bool) -> None:
        self._flags = flags
        self._writeable = writeable

    def __getattr__(self, name: str) -> Any:
        return self._writeable if name == "writeable" else getattr(self._flags, name)

    def __getitem__(self, key: str) -> Any:
        return self._writeable if key in ("W", "WRITEABLE") else self._flags[key]
