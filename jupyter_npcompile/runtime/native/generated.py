"""Reads the Python module that Inductor generates: its kernels, and the calls of them.

Inductor's module allocates tensors and calls kernels on them, one after the
other. Read as data, the same calls can be made on any memory, without torch.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from jupyter_npcompile.runtime.compile_errors import UnbuildableError

ALIGNMENT = 64
"""Of temporary buffers, in bytes: a cache line."""

_SIZES = {
    "bool": 1,
    "int8": 1,
    "uint8": 1,
    "int16": 2,
    "uint16": 2,
    "float16": 2,
    "bfloat16": 2,
    "int32": 4,
    "uint32": 4,
    "float32": 4,
    "int64": 8,
    "uint64": 8,
    "float64": 8,
}
_CHECKS = frozenset({"assert_size_stride", "assert_alignment"})


@dataclass(frozen=True, slots=True)
class Kernel:
    """A C++ function.

    Parameters
    ----------
    name : str
        What the generated module calls it.
    types : tuple of str
        C++ types of its parameters.
    source : str
        Its translation unit, in which it is called ``kernel``.
    """

    name: str
    types: tuple[str, ...]
    source: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a kernel finds an argument.

    Parameters
    ----------
    space : {"input", "output", "scratch"}
        Whose memory.
    index : int
        Which input or output; 0 for scratch.
    offset : int
        In bytes.
    """

    space: str
    index: int
    offset: int = 0


@dataclass(frozen=True, slots=True)
class KernelCall:
    """One call of a kernel."""

    kernel: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Generated:
    """A generated module as data.

    Parameters
    ----------
    kernels : tuple of Kernel
        By first use.
    calls : tuple of KernelCall
        In order.
    scratch : int
        Bytes of temporary memory.
    """

    kernels: tuple[Kernel, ...]
    calls: tuple[KernelCall, ...]
    scratch: int


@dataclass
class _Storage:
    """Memory that the generated code allocates; ``first`` and ``last`` call that use it."""

    nbytes: int
    first: int = -1
    last: int = -1
    place: Place | None = None


@dataclass(frozen=True)
class _Buffer:
    storage: _Storage
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0


@dataclass
class _Reader:
    inputs: int
    kernels: dict[str, Kernel]
    buffers: dict[str, _Buffer] = field(default_factory=dict)
    storages: list[_Storage] = field(default_factory=list)
    calls: list[tuple[str, tuple[_Buffer, ...]]] = field(default_factory=list)
    returned: list[_Buffer] = field(default_factory=list)

    def statement(self, node: ast.stmt) -> None:
        """Take one statement of ``call`` in."""
        if isinstance(node, ast.Delete):
            return
        if isinstance(node, ast.Return):
            assert isinstance(node.value, ast.Tuple)
            self.returned = [self.buffer(part) for part in node.value.elts]
            return
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            self.assignment(node.targets[0], node.value)
            return
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            self.call(node.value)
            return
        raise UnbuildableError(ast.unparse(node))

    def assignment(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(value, ast.Name) and value.id == "args":
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            for index, name in enumerate(names):
                storage = _Storage(0, place=Place("input", index))
                self.buffers[_name(name)] = _Buffer(storage, "", (), ())
            if len(names) != self.inputs:
                raise UnbuildableError(f"{len(names)} inputs, where {self.inputs} were expected")
            return
        self.buffers[_name(target)] = self.buffer(value)

    def call(self, node: ast.Call) -> None:
        called = _dotted(node.func)
        if called in _CHECKS or called == "args.clear":
            return
        if called not in self.kernels or node.keywords:
            raise UnbuildableError(ast.unparse(node))
        arguments = tuple(self.buffer(part) for part in node.args)
        for buffer in arguments:
            storage = buffer.storage
            storage.first = len(self.calls) if storage.first < 0 else storage.first
            storage.last = len(self.calls)
        self.calls.append((called, arguments))

    def buffer(self, node: ast.expr) -> _Buffer:
        """What an expression stands for."""
        if isinstance(node, ast.Name):
            return self.buffers[node.id]
        if not isinstance(node, ast.Call):
            raise UnbuildableError(ast.unparse(node))
        called = _dotted(node.func)
        if called == "empty_strided_cpu":
            shape, strides = (ast.literal_eval(part) for part in node.args[:2])
            dtype = _dotted(node.args[2]).removeprefix("torch.")
            if dtype not in _SIZES:
                raise UnbuildableError(f"a buffer of {dtype}")
            extent = 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
            storage = _Storage(0 if 0 in shape else extent * _SIZES[dtype])
            self.storages.append(storage)
            return _Buffer(storage, dtype, shape, strides)
        if called == "reinterpret_tensor":
            base = self.buffer(node.args[0])
            shape, strides, offset = (ast.literal_eval(part) for part in node.args[1:4])
            if not base.dtype:
                raise UnbuildableError("a view of an input")
            nbytes = base.offset + offset * _SIZES[base.dtype]
            return _Buffer(base.storage, base.dtype, shape, strides, nbytes)
        raise UnbuildableError(ast.unparse(node))


def _name(node: ast.expr) -> str:
    if not isinstance(node, ast.Name):
        raise UnbuildableError(ast.unparse(node))
    return node.id


def _dotted(node: ast.expr) -> str:
    return ast.unparse(node)


def read(text: str, inputs: int, outputs: Sequence[tuple[int, ...]]) -> Generated:
    """Read a generated module.

    Parameters
    ----------
    text : str
        Its source.
    inputs : int
        How many arguments ``call`` takes.
    outputs : sequence of tuple of int
        The strides, in elements, that each result must have.

    Raises
    ------
    UnbuildableError
        When it calls anything but kernels, or returns memory that is not a
        buffer of its own.
    """
    tree = ast.parse(text)
    kernels: dict[str, Kernel] = {}
    body: list[ast.stmt] | None = None
    for node in tree.body:
        if isinstance(node, ast.Assign) and (kernel := _kernel(node)) is not None:
            kernels[kernel.name] = kernel
        for part in ast.walk(node) if isinstance(node, ast.ClassDef | ast.FunctionDef) else ():
            if isinstance(part, ast.FunctionDef) and part.name == "call" and body is None:
                body = part.body
    if body is None:
        raise UnbuildableError("the generated module has no function `call`")
    reader = _Reader(inputs, kernels)
    for statement in body:
        reader.statement(statement)
    _assign_outputs(reader, outputs)
    scratch = _assign_scratch(reader.storages)
    calls = []
    for name, arguments in reader.calls:
        places = []
        for buffer in arguments:
            place = buffer.storage.place
            assert place is not None
            places.append(Place(place.space, place.index, place.offset + buffer.offset))
        calls.append(KernelCall(name, tuple(places)))
    used = dict.fromkeys(call.kernel for call in calls)
    return Generated(tuple(kernels[name] for name in used), tuple(calls), scratch)


def _kernel(node: ast.Assign) -> Kernel | None:
    value = node.value
    if not isinstance(value, ast.Call) or _dotted(value.func) != "async_compile.cpp_pybinding":
        return None
    types, source = (ast.literal_eval(part) for part in value.args)
    return Kernel(_name(node.targets[0]), tuple(types), source)


def _assign_outputs(reader: _Reader, outputs: Sequence[tuple[int, ...]]) -> None:
    if len(reader.returned) != len(outputs):
        raise UnbuildableError(f"{len(reader.returned)} results, not {len(outputs)}")
    for index, (buffer, strides) in enumerate(zip(reader.returned, outputs, strict=True)):
        storage = buffer.storage
        if storage.place is not None or buffer.offset:
            raise UnbuildableError("a result that shares memory")
        if not _same_order(buffer.shape, buffer.strides, strides):
            raise UnbuildableError("a result in another memory order")
        storage.place = Place("output", index)
        if math.prod(buffer.shape) * _SIZES[buffer.dtype] != storage.nbytes:
            raise UnbuildableError("a result that is part of a larger buffer")


def _same_order(shape: Any, strides: Any, wanted: Any) -> bool:
    """Whether two layouts put the same elements into the same places."""
    if 0 in shape:
        return True
    return all(a == b for n, a, b in zip(shape, strides, wanted, strict=True) if n > 1)


def _assign_scratch(storages: list[_Storage]) -> int:
    """Give temporary buffers places that are free while they are used; returns the size."""
    taken: list[tuple[int, int, int, int]] = []  # offset, end, first call, last call
    size = 0
    for storage in sorted(storages, key=lambda s: -s.nbytes):
        if storage.place is not None:
            continue
        offset = 0
        nbytes = -(-max(storage.nbytes, 1) // ALIGNMENT) * ALIGNMENT
        for low, high, first, last in sorted(taken):
            alive = first <= storage.last and storage.first <= last
            if alive and offset < high and low < offset + nbytes:
                offset = high
        taken.append((offset, offset + nbytes, storage.first, storage.last))
        storage.place = Place("scratch", 0, offset)
        size = max(size, offset + nbytes)
    return size
