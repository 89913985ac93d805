"""The state of one lowering: values of nodes, checks, and help for lowerings.

A lowering is a function ``f(trace, *args, **kwargs)`` with the signature of the
NumPy function it stands for. Array arguments are `Value` objects, Python
literals are themselves. It returns a tensor (of the dtype and shape that the
recorder saw), a `Value` (a view, or a result of another dtype, which is
converted), or a list of those.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeGuard

import numpy as np
import torch
from torch import Tensor

from jupyter_npcompile.graph.nodes import Node, ValueType
from jupyter_npcompile.tracer.lowering import symbols
from jupyter_npcompile.tracer.lowering.dtypes import bounds, carrier, convert, supported
from jupyter_npcompile.tracer.lowering.errors import UnsupportedError
from jupyter_npcompile.tracer.lowering.finite import Sums
from jupyter_npcompile.tracer.lowering.lookup import Lowering, find_kernel
from jupyter_npcompile.tracer.lowering.symbols import Integer
from jupyter_npcompile.tracer.lowering.values import Owner, Read, Value, View, Write

Number = bool | int | float | complex
Result = Any
"""What a lowering returns: Tensor, Value, None, or a list of tensors and values."""


SMALL = 1000
"""Constants up to this size are compared by their elements."""

WEAK = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}


def is_number(x: object) -> TypeGuard[Number]:
    """Whether an argument is a Python number written in the cell."""
    return type(x) in WEAK


class Trace:
    """State of one lowering, handed to every lowering function.

    Attributes
    ----------
    values : dict of int to Value, list, or None
        What each node made.
    checks : list of Tensor
        0-d booleans; where one is False, NumPy would have raised or the
        result would not be NumPy's, and the run must be thrown away.
    sums : Sums
        What will be checks too.
    constants : set of int
        Memory of arrays that are part of the graph.
    node : Node
        The node being lowered.
    lengths : dict of int to list of tuple
        For each node, the shapes of its results.
    regroups : bool
        Whether long chains may be combined in another order than NumPy's:
        only their derivatives are wanted.
    """

    regroups = False

    def __init__(self) -> None:
        self.values: dict[int, Any] = {}
        self.checks: list[Tensor] = []
        self.sums = Sums()
        self.constants: set[int] = set()
        self.node: Node = Node(-1, "input")
        self.lengths: dict[int, list[tuple[Integer, ...]]] = {}
        self._origins: dict[object, int] = {}
        self._keyed: list[Value] = []

    # -- what the recorder saw

    @property
    def type(self) -> ValueType:
        """Recorded type of the (first) result."""
        return self.node.types[0]

    @property
    def dtype(self) -> np.dtype:
        """Recorded dtype of the (first) result."""
        return np.dtype(self.type.dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        """Recorded shape of the (first) result."""
        return self.type.shape

    # -- values

    def key(self, x: object) -> object:
        """What is equal for arguments that are certainly equal now."""
        if isinstance(x, Value):
            if x.origin is not None:
                return "made", x.origin, x.version
            known = known_array(x)
            if known is not None and known.size <= SMALL:
                return "known", known.dtype, known.shape, known.tobytes()
            self._keyed.append(x)  # lest another value gets the same id
            return "found", id(x), x.version
        if isinstance(x, tuple | list):
            return (type(x), *map(self.key, x))
        if isinstance(x, slice):
            return "slice", self.key(x.start), self.key(x.stop), self.key(x.step)
        if isinstance(x, torch.SymInt):
            return torch.SymInt, symbols.key(x)
        return type(x), repr(x)

    def origin(self, op: str, args: object, kwargs: dict[str, Any]) -> int:
        """The number of an operation on arguments; the same again for equal ones."""
        key = (op, self.key(args), *((name, self.key(x)) for name, x in kwargs.items()))
        return self._origins.setdefault(key, len(self._origins))

    def kernel(self, ufunc: str) -> Lowering:
        """The kernel of a ufunc, for its methods."""
        return find_kernel(ufunc)

    def function(self, name: str) -> Callable[..., Tensor]:
        """Torch's function of a name, or what stands for it where derivatives are wanted."""
        found: Callable[..., Tensor] = getattr(torch, name)
        return found

    def root(self, total: Tensor, order: float = 2.0) -> Tensor:
        """The root of a sum of powers."""
        return torch.sqrt(total) if order == 2 else torch.pow(total, 1 / order)

    def case(self, equal: Tensor, exact: Tensor, found: Tensor) -> Tensor:
        """What NumPy has a case of its own for, though the rule beside it gives the same."""
        return torch.where(equal, exact, found)

    def unsupported(self, reason: str) -> NoReturn:
        """Give up on the current node."""
        raise UnsupportedError(reason)

    def constant(self, array: np.ndarray) -> Tensor:
        """Put an array into the graph; the carrier of its dtype."""
        if not supported(array.dtype):
            self.unsupported(f"dtype {array.dtype} is not supported")
        # Compared by their bytes: 0.0 is not -0.0 here.
        one = array.flat[0].tobytes() if array.size else b""
        if array.ndim == 0 or (array.size > 1 and array.tobytes() == one * array.size):
            return self.scalar(array.flat[0], array.dtype).expand(array.shape)
        dtype = array.dtype
        if dtype.name == "uint64":
            array = array.view(np.int64)
        elif dtype.name in ("uint16", "uint32"):
            array = array.astype({"uint16": np.int32, "uint32": np.int64}[dtype.name])
        tensor = torch.from_numpy(np.ascontiguousarray(array).reshape(array.shape).copy())
        self.note_constant(tensor)
        return self.placed(tensor)

    def placed(self, constant: Tensor) -> Tensor:
        """A constant where the graph runs."""
        return constant

    def note_constant(self, tensor: Tensor) -> None:
        """Results must not share memory with a constant."""
        self.constants.add(storage_of(tensor))

    def scalar(self, number: Any, dtype: np.dtype) -> Tensor:
        """A 0-d tensor with a constant value."""
        with np.errstate(all="ignore"):
            value = np.asarray(number).astype(dtype)
        if dtype.name == "uint64":
            value = value.view(np.int64)
        return filled((), value.item(), carrier(dtype))

    def full(self, shape: Sequence[int], number: Any, dtype: np.dtype) -> Tensor:
        """A tensor of one constant value."""
        with np.errstate(all="ignore"):
            value = np.asarray(number).astype(dtype)
        if dtype.name == "uint64":
            value = value.view(np.int64)
        return filled(tuple(shape), value.item(), carrier(dtype))

    def value(self, x: object, dtype: np.dtype | None = None) -> Value:
        """Any array-like argument as a value.

        Parameters
        ----------
        x : object
            A `Value`, a Python number, or (nested) lists or tuples of them.
        dtype : numpy.dtype, optional
            For lists and numbers, the dtype NumPy is asked for.
        """
        if isinstance(x, Value):
            return x
        if is_number(x):
            if type(x) is int and dtype is None and not -(2**63) <= x < 2**63:
                dtype = np.dtype("uint64")
            kind = dtype or np.dtype(WEAK[type(x)])
            return Owner(self.scalar(x, kind), kind, "python", known=np.asarray(x, kind))
        if isinstance(x, list | tuple):
            return self._sequence(x, dtype)
        if (tensor := symbols.tensor(x)) is not None:
            return Owner(tensor, np.dtype("int64"), "python")
        self.unsupported(f"{type(x).__name__} is not an array")

    def _sequence(self, items: Sequence[object], dtype: np.dtype | None) -> Value:
        known = known_array(items)
        if known is not None:
            array = known if dtype is None else known.astype(dtype)
            return Owner(self.constant(array), array.dtype, known=array)
        parts = [self.value(item, dtype if not isinstance(item, Value) else None) for item in items]
        if dtype is None:
            dtype = np.result_type(*(part.dtype for part in parts))
        tensors = [self.cast(part, dtype) for part in parts]
        if len({tuple(tensor.shape) for tensor in tensors}) != 1:
            self.unsupported("a list of arrays of different shapes")
        return Owner(torch.stack(tensors), dtype)

    def result(self, tensor: Tensor, dtype: np.dtype | str) -> Value:
        """A result whose dtype is not the recorded one; it is converted."""
        return Owner(tensor, np.dtype(dtype))

    def view(
        self, parent: Value, read: Read, write: Write | None = None, dtype: np.dtype | None = None
    ) -> View:
        """A value that shares memory with `parent`."""
        return View(parent, dtype or parent.dtype, read, write)

    # -- conversion

    def cast(
        self, x: object, dtype: np.dtype, *, checked: bool = True, stored: bool = False
    ) -> Tensor:
        """The elements of an array-like as the carrier of a dtype.

        Floating-point numbers that no integer of the target equals in the
        integral part fail a check: what NumPy makes of them depends on the
        machine, and it warns. So do integers that have no room where NumPy
        raises: Python's anywhere, and NumPy's scalars that are stored into
        arrays of signed integers (in unsigned ones they wrap around, as
        arrays do everywhere; NumPy 2.4).
        """
        if is_number(x):
            return self.scalar(x, dtype)
        value = self.value(x)
        raises = value.kind == "python" or (stored and value.kind == "scalar" and dtype.kind == "i")
        if raises and getattr(value, "known", None) is None:
            self._demand_fit(value, dtype)
        return self.convert(value.read(), value.dtype, dtype, checked=checked)

    def _demand_fit(self, number: Value, dtype: np.dtype) -> None:
        """Integers must have room in a dtype of integers."""
        source = number.dtype
        if {source.kind, dtype.kind} <= set("iu") and not np.can_cast(source, dtype):
            info, tensor = np.iinfo(dtype), number.read()
            # The carrier of uint64 shows its largest numbers as negative ones.
            low = 0 if source.kind == "u" else int(info.min)
            self.check(((tensor >= low) & (tensor <= min(int(info.max), 2**63 - 1))).all())

    def convert(
        self, tensor: Tensor, source: np.dtype, target: np.dtype, *, checked: bool = True
    ) -> Tensor:
        """Convert a carrier from one dtype to another; see `cast`."""
        if not supported(target):
            self.unsupported(f"dtype {target} is not supported")
        if checked and source.kind in "fc" and target.kind in "iu":
            real = torch.real(tensor) if source.kind == "c" else tensor
            if real.dtype == torch.float16:
                real = real.to(torch.float32)
            low, high = bounds(target)
            self.check(((real > low) & (real < high)).all())
        made = convert(tensor, source, target)
        if checked and _is_narrower(target, source):
            self._watch_narrowing(tensor, made)
        return made

    def _watch_narrowing(self, tensor: Tensor, made: Tensor) -> None:
        """Demand that NumPy has nothing to report of a conversion to fewer digits."""
        parts = [(tensor, made)]
        if tensor.is_complex():
            parts = [(torch.real(x), torch.real(y)) for x, y in parts]
            if made.is_complex():
                parts.append((torch.imag(tensor), torch.imag(made)))
        for before, after in parts:
            if "over" in self.node.reports:
                grown = (torch.abs(after) == math.inf) & (torch.abs(before) < math.inf)
                self.check(~torch.any(grown))
            if "under" in self.node.reports:
                tiny = torch.finfo(after.dtype).tiny
                self.check(~torch.any((torch.abs(after) < tiny) & (before != 0)))

    def close_sums(self) -> None:
        """Make checks of the sums: what follows may be computed in another loop."""
        self.checks += self.sums.flags()

    def check(self, condition: Tensor) -> None:
        """Demand that a 0-d boolean tensor is True when the graph runs."""
        self.checks.append(condition)

    # -- static arguments

    def integer(self, x: object, what: str) -> int:
        """A constant integer argument."""
        if isinstance(x, Owner) and x.known is not None and x.known.ndim == 0:
            x = x.known.item()
        if isinstance(x, Owner) and x.size is not None:
            x = x.size
        if isinstance(x, torch.SymInt):
            return x  # type: ignore[return-value]
        if type(x) is int or type(x) is bool:
            return int(x)
        self.unsupported(f"{what} is not a constant integer")

    def integers(self, x: object, what: str) -> tuple[int, ...]:
        """A constant integer or sequence of them, as a tuple."""
        if isinstance(x, Owner) and x.known is not None and x.known.ndim == 1:
            return tuple(int(item) for item in x.known)
        if isinstance(x, tuple | list):
            return tuple(self.integer(item, what) for item in x)
        return (self.integer(x, what),)

    def known(self, x: object, what: str) -> np.ndarray:
        """A constant array argument."""
        array = known_array(x)
        if array is None:
            self.unsupported(f"{what} is not constant")
        return array

    def axes(self, axis: object, ndim: int) -> tuple[int, ...]:
        """An ``axis`` argument as non-negative axes; None stands for all."""
        if axis is None or not ndim:  # a 0-d array may be given axis 0
            return tuple(range(ndim))
        return tuple(a % ndim for a in self.integers(axis, "axis"))

    def axis(self, axis: object, ndim: int) -> int:
        """One non-negative axis."""
        return self.integer(axis, "axis") % max(ndim, 1)


def _is_narrower(target: np.dtype, source: np.dtype) -> bool:
    """Whether numbers may become infinite on conversion."""
    return (
        source.kind in "fc" and target.kind in "fc" and np.finfo(target).max < np.finfo(source).max
    )


def filled(shape: tuple[int, ...], number: Number, dtype: torch.dtype) -> Tensor:
    """A constant tensor; complex numbers are written in parts, for the signs of their zeros."""
    if isinstance(number, complex):
        real = torch.float32 if dtype == torch.complex64 else torch.float64
        parts = (torch.full(shape, part, dtype=real) for part in (number.real, number.imag))
        return torch.complex(*parts)
    return torch.full(shape, number, dtype=dtype)


def known_array(x: object) -> np.ndarray | None:
    """The elements of an argument, if they are constant."""
    if is_number(x):
        return np.asarray(x)
    if isinstance(x, Owner):
        return x.known
    if isinstance(x, list | tuple):
        parts = [known_array(item) for item in x]
        if all(part is not None for part in parts):
            return np.array([plain(item) for item in x])
    return None


def plain(x: object) -> Any:
    """A constant argument as NumPy would be given it."""
    if isinstance(x, Owner) and x.known is not None:
        return x.known[()] if x.kind != "array" else x.known
    if isinstance(x, list | tuple):
        return type(x)(plain(item) for item in x)
    return x


def storage_of(tensor: Tensor) -> int:
    """What tells whether two tensors share memory."""
    return int(tensor.untyped_storage()._cdata)


def count(shape: Sequence[int]) -> int:
    """Number of elements."""
    return math.prod(shape)
