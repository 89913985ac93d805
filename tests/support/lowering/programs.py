"""Small programs at the NumPy level, built by running NumPy, for the tests of the lowering."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import torch

from jupyter_npcompile.graph.nodes import Graph, Node, Output, Position, Ref, Slice
from jupyter_npcompile.tracer.interpret import encode, function, value_type
from jupyter_npcompile.tracer.lowering import Lowered, lower
from jupyter_npcompile.tracer.lowering.dtypes import TORCH
from jupyter_npcompile.tracer.lowering.ufuncs import named

_WRITERS = {
    "setitem",
    "ndarray.fill",
    "ndarray.sort",
    "ndarray.put",
    "numpy.copyto",
    "numpy.put",
    "numpy.place",
    "numpy.putmask",
    "numpy.fill_diagonal",
    "numpy.put_along_axis",
}


def owner(array: Any) -> Any:
    while isinstance(array, np.ndarray) and array.base is not None:
        array = array.base
    return array


class Handle:
    """A recorded value: what NumPy made, and its node."""

    __array_ufunc__ = None

    def __init__(self, program: Program, id: int, value: Any) -> None:
        self.program = program
        self.id = id
        self.value = value

    def __getitem__(self, index: Any) -> Any:
        return self.program("getitem", self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        self.program("setitem", self, index, value)


def _binary(name: str) -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    def forward(self: Handle, other: Any) -> Any:
        return self.program(f"numpy.{name}", self, other)

    def backward(self: Handle, other: Any) -> Any:
        return self.program(f"numpy.{name}", other, self)

    def inplace(self: Handle, other: Any) -> Any:
        if not isinstance(self.value, np.ndarray):
            return forward(self, other)
        return self.program(f"numpy.{name}", self, other, out=self)

    return forward, backward, inplace


for _symbol, _name in {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "power",
    "matmul": "matmul",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "left_shift",
    "rshift": "right_shift",
}.items():
    _forward, _backward, _inplace = _binary(_name)
    setattr(Handle, f"__{_symbol}__", _forward)
    setattr(Handle, f"__r{_symbol}__", _backward)
    setattr(Handle, f"__i{_symbol}__", _inplace)
for _symbol, _name in {
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
    "eq": "equal",
    "ne": "not_equal",
}.items():
    setattr(Handle, f"__{_symbol}__", _binary(_name)[0])
setattr(Handle, "__neg__", lambda self: self.program("numpy.negative", self))  # noqa: B010
setattr(Handle, "__invert__", lambda self: self.program("numpy.invert", self))  # noqa: B010


class Program:
    """A graph under construction; calling it runs and records one operation."""

    def __init__(self) -> None:
        self.inputs: list[Node] = []
        self.nodes: list[Node] = []
        self.given: list[Any] = []
        self.values: dict[int, Any] = {}
        self.outputs: list[Output] = []
        self.written: set[int] = set()
        self._count = 0

    def input(self, value: Any, name: str = "") -> Handle:
        """Add an input; the program works on a copy."""
        self.given.append(value)
        own = copied(value)
        node = Node(self._next(), "input", types=(value_type(own),), name=name or f"x{self._count}")
        self.inputs.append(node)
        self.values[node.id] = own
        return Handle(self, node.id, own)

    def _next(self) -> int:
        self._count += 1
        return self._count - 1

    def __call__(self, op: str, *args: Any, **kwargs: Any) -> Any:
        concrete = [_concrete(x) for x in args]
        with np.errstate(all="ignore"):
            result = function(op)(*concrete, **{k: _concrete(v) for k, v in kwargs.items()})
        several = isinstance(result, tuple | list)
        results = list(result) if several else ([] if result is None else [result])
        writes: list[int] = []
        if op in _WRITERS or op.endswith(".at"):
            writes = [args[0].id]
        elif kwargs.get("out") is not None:
            outs = kwargs["out"]
            writes = [h.id for h in (outs if isinstance(outs, tuple) else (outs,))]
        elif (ufunc := named(op)) is not None:
            writes = [h.id for h in args[ufunc.nin :]]
        node = Node(
            self._next(),
            op,
            tuple(_argument(x) for x in args),
            {k: _argument(v) for k, v in kwargs.items()},
            tuple(value_type(r) for r in results),
            Position(len(self.nodes) + 2, 4),
            None if several else self._shared(result, args, kwargs),
            tuple(writes),
        )
        self._add(node, result)
        for id in writes:
            for given in self.inputs:
                if owner(self.values[id]) is owner(self.values[given.id]):
                    self.written.add(given.id)
        if not several:
            return None if result is None else Handle(self, node.id, result)
        handles = []
        for k, part in enumerate(results):
            item = Node(
                self._next(),
                "item",
                (Ref(node.id), k),
                types=(value_type(part),),
                position=node.position,
                view_of=self._shared(part, args, kwargs),
            )
            self._add(item, part)
            handles.append(Handle(self, item.id, part))
        return handles

    def _add(self, node: Node, value: Any) -> None:
        self.nodes.append(node)
        self.values[node.id] = value

    def _shared(self, result: Any, args: Any, kwargs: Any) -> int | None:
        if not isinstance(result, np.ndarray):
            return None
        handles = list(_handles((*args, *kwargs.values())))
        for handle in handles:
            if handle.value is result:
                return handle.id
        for handle in handles:
            if isinstance(handle.value, np.ndarray) and owner(handle.value) is owner(result):
                return handle.id
        return None

    def output(self, **named: Any) -> None:
        """Bind names."""
        for name, handle in named.items():
            self.outputs.append(Output(name, _argument(handle)))

    def graph(self) -> Graph:
        """The graph as recorded so far."""
        writes = tuple(node.id for node in self.inputs if node.id in self.written)
        return Graph("numpy", tuple(self.inputs), tuple(self.nodes), tuple(self.outputs), writes)


def copied(value: Any) -> Any:
    """A copy with the same strides; scalars as they are."""
    if not isinstance(value, np.ndarray):
        return value
    if value.base is None and (value.flags.c_contiguous or value.flags.f_contiguous):
        return value.copy(order="K")
    base = np.zeros(_extent(value) // value.itemsize, value.dtype)
    view = np.lib.stride_tricks.as_strided(base, value.shape, value.strides)
    view[...] = value
    return view


def _extent(value: np.ndarray) -> int:
    if value.size == 0:
        return value.itemsize
    return (
        sum((n - 1) * s for n, s in zip(value.shape, value.strides, strict=True)) + value.itemsize
    )


def _concrete(x: Any) -> Any:
    if isinstance(x, Handle):
        return x.value
    if isinstance(x, tuple | list):
        return type(x)(_concrete(part) for part in x)
    if isinstance(x, slice):
        return slice(*(_concrete(part) for part in (x.start, x.stop, x.step)))
    return x


def _argument(x: Any) -> Any:
    if isinstance(x, Handle):
        return Ref(x.id)
    if isinstance(x, tuple | list):
        return type(x)(_argument(part) for part in x)
    if isinstance(x, slice):
        return Slice(*(_argument(part) for part in (x.start, x.stop, x.step)))
    return encode(x)


def _handles(values: Any) -> Iterable[Handle]:
    for value in values:
        if isinstance(value, Handle):
            yield value
        elif isinstance(value, tuple | list):
            yield from _handles(value)


def tensor_of(value: Any) -> torch.Tensor:
    """What the runtime hands to a lowered module."""
    if isinstance(value, np.ndarray):
        return torch.from_numpy(value)
    dtype = TORCH[value_type(value).dtype]
    return torch.tensor(value.item() if isinstance(value, np.generic) else value, dtype=dtype)


def run(
    program: Program, lowered: Lowered | None = None, call: Callable[..., Any] | None = None
) -> tuple[list[Any], list[Any], bool]:
    """Run the lowered program; return expected and found arrays, and whether checks passed."""
    graph = program.graph()
    lowered = lower(graph) if lowered is None else lowered
    given = [tensor_of(copied(value)) for value in program.given]
    found = list((call or lowered.module)(*given))
    for tensor, value in zip(given, program.given, strict=True):  # inputs are never written
        np.testing.assert_array_equal(tensor.numpy(), value)
    passed = all(bool(check) for check in found[len(found) - lowered.checks :])
    expected = [program.values[id] for id in (*lowered.allocations, *lowered.writes)]
    return expected, [t.numpy() for t in found[: len(expected)]], passed


def same(
    expected: Any, found: np.ndarray, ulp: float = 0, rtol: float = 0.0, *, strides: bool = True
) -> None:
    """Demand the same dtype, shape, strides and, up to rounding, values."""
    wanted = np.asarray(expected)
    kind = value_type(expected)
    assert found.dtype.name == kind.dtype
    assert found.shape == kind.shape
    if strides and isinstance(expected, np.ndarray) and expected.base is None:
        assert _steps(found) == _steps(wanted)
    if wanted.dtype.kind in "biu":
        np.testing.assert_array_equal(found, wanted)
        return
    parts = [(wanted, found)]
    if wanted.dtype.kind == "c":
        parts = [(wanted.real, found.real), (wanted.imag, found.imag)]
        scale = np.abs(wanted)
    for a, b in parts:
        if wanted.dtype.kind != "c":
            scale = np.abs(a)
        with np.errstate(all="ignore"):
            gap = np.abs(a - b)
            limit = ulp * np.spacing(np.where(np.isfinite(scale), scale, 0)) + rtol * scale
            fine = (a == b) | (np.isnan(a) & np.isnan(b)) | (gap <= limit)
        if not fine.all():
            np.testing.assert_array_equal(b, a)
        zeros = (a == 0) & (b == 0)
        if ulp == 0 and rtol == 0:
            np.testing.assert_array_equal(np.signbit(b[zeros]), np.signbit(a[zeros]))


def _steps(array: np.ndarray) -> Sequence[int]:
    if array.size == 0:
        return []
    return [s for n, s in zip(array.shape, array.strides, strict=True) if n > 1]


def check(program: Program, ulp: float = 0, rtol: float = 0.0, **options: Any) -> Lowered:
    """Lower, run and compare a program; its checks must pass."""
    lowered = lower(program.graph())
    expected, found, passed = run(program, lowered, **options)
    assert passed, "a check failed"
    for a, b in zip(expected, found, strict=True):
        same(a, b, ulp, rtol)
    return lowered


def call(op: str, *args: Any, **kwargs: Any) -> Program:
    """A program of one operation; arrays among its arguments are inputs."""
    program = Program()

    def lifted(x: Any) -> Any:
        lifts = op.startswith(("python.", "math."))
        if isinstance(x, np.ndarray | np.generic) or (lifts and isinstance(x, int | float)):
            return program.input(x)
        if isinstance(x, tuple | list):
            return type(x)(lifted(part) for part in x)
        return x

    result = program(op, *(lifted(x) for x in args), **{k: lifted(v) for k, v in kwargs.items()})
    handles = result if isinstance(result, list) else [result]
    for k, handle in enumerate(handles):
        if handle is not None:
            program.output(**{f"y{k}": handle})
    return program
