"""Reads the Python module that Inductor generates: its kernels, and the calls of them.

Inductor's module allocates tensors and calls kernels on them, one after the
other. Read as data, the same calls can be made on any memory, without torch.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import field, replace

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.runtime.compile_errors import UnbuildableError
from jupyter_npcompile.runtime.native.copies import copy_source, copy_types
from jupyter_npcompile.runtime.native.extents import Extent, Extents
from jupyter_npcompile.runtime.native.scratch import ALIGNMENT, packed

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
_CHECKS = frozenset({"assert_size_stride", "assert_size_stride_grouped", "assert_alignment"})


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
        Which input, output, or part of the scratch memory.
    offset : int or str
        In bytes; an expression in C++ where it depends on sizes.
    """

    space: str
    index: int
    offset: int | str = 0


@dataclass(frozen=True, slots=True)
class Number:
    """An integer that a kernel is given: an expression in C++."""

    text: str


@dataclass(frozen=True, slots=True)
class KernelCall:
    """One call of a kernel."""

    kernel: str
    places: tuple[Place | Number, ...]


@dataclass(frozen=True, slots=True)
class Generated:
    """A generated module as data.

    Parameters
    ----------
    kernels : tuple of Kernel
        By first use.
    calls : tuple of KernelCall
        In order.
    parts : tuple of int or str
        Bytes of each part of the temporary memory; expressions in C++ where
        they depend on sizes. Where nothing does there is one part.
    orders : tuple of tuple of int
        The strides of each result, in elements, for the first sizes.
    """

    kernels: tuple[Kernel, ...]
    calls: tuple[KernelCall, ...]
    parts: tuple[int | str, ...] = (0,)
    orders: tuple[tuple[int, ...], ...] = ()

    @property
    def scratch(self) -> int | str:
        """Bytes of temporary memory."""
        if len(self.parts) == 1:
            return self.parts[0]
        return " + ".join(f"({part})" for part in self.parts) or 0


@dataclass
class _Storage:
    """Memory that the generated code allocates; ``first`` and ``last`` call that use it."""

    nbytes: Extent
    first: int = -1
    last: int = -1
    place: Place | None = None


@dataclass(frozen=True)
class _Buffer:
    storage: _Storage
    dtype: str
    shape: tuple[Extent, ...]
    strides: tuple[Extent, ...]
    offset: Extent


@dataclass
class _Reader:
    inputs: int
    kernels: dict[str, Kernel]
    extents: Extents
    buffers: dict[str, _Buffer] = field(default_factory=dict)
    storages: list[_Storage] = field(default_factory=list)
    calls: list[tuple[str, tuple[_Buffer | Number, ...]]] = field(default_factory=list)
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
            sizes = self.extents.count
            zero = self.extents.fixed(0)
            for index, name in enumerate(names):
                if index < sizes:
                    self.extents.name(_name(name), index)
                    continue
                storage = _Storage(zero, place=Place("input", index - sizes))
                self.buffers[_name(name)] = _Buffer(storage, "", (), (), zero)
            if len(names) != self.inputs + sizes:
                expected = self.inputs + sizes
                raise UnbuildableError(f"{len(names)} inputs, where {expected} were expected")
            return
        if self.is_integer(value):
            self.extents.name(_name(target), self.extents.read(value))
            return
        self.buffers[_name(target)] = self.buffer(value)

    def copy(self, index: int, strides: Sequence[Extent]) -> None:
        """Make a result, in memory of its own, of what is part of something else."""
        found = self.returned[index]
        size, rank = _SIZES[found.dtype], len(found.shape)
        name = f"copy_{size}_{rank}"
        if name not in self.kernels:
            self.kernels[name] = Kernel(name, copy_types(rank), copy_source(size, rank))
        own = _Storage(found.storage.nbytes, place=Place("output", index))
        zero = self.extents.fixed(0)
        made = _Buffer(own, found.dtype, found.shape, tuple(strides), zero)
        axes = zip(found.shape, found.strides, strides, strict=True)
        numbers = (Number(extent.text) for axis in axes for extent in axis)
        self._called(name, (found, made, *numbers))
        self.returned[index] = made

    def _called(self, name: str, arguments: tuple[_Buffer | Number, ...]) -> None:
        for buffer in arguments:
            if isinstance(buffer, Number):
                continue
            storage = buffer.storage
            storage.first = len(self.calls) if storage.first < 0 else storage.first
            storage.last = len(self.calls)
        self.calls.append((name, arguments))

    def is_integer(self, node: ast.expr) -> bool:
        """Whether an expression is a size."""
        names = [part.id for part in ast.walk(node) if isinstance(part, ast.Name)]
        known = all(self.extents.has(name) or name in ("max", "min") for name in names)
        return known and not isinstance(node, ast.Tuple)

    def call(self, node: ast.Call) -> None:
        called = _dotted(node.func)
        if called in _CHECKS or called == "args.clear":
            return
        if called not in self.kernels or node.keywords:
            raise UnbuildableError(ast.unparse(node))
        arguments = tuple(
            Number(self.extents.read(part).text) if self.is_integer(part) else self.buffer(part)
            for part in node.args
        )
        self._called(called, arguments)

    def buffer(self, node: ast.expr) -> _Buffer:
        """What an expression stands for."""
        if isinstance(node, ast.Name):
            return self.buffers[node.id]
        if not isinstance(node, ast.Call):
            raise UnbuildableError(ast.unparse(node))
        called = _dotted(node.func)
        if called == "empty_strided_cpu":
            shape, strides = map(self.extents.tuple, node.args[:2])
            dtype = _dotted(node.args[2]).removeprefix("torch.")
            if dtype not in _SIZES:
                raise UnbuildableError(f"a buffer of {dtype}")
            one = extent = self.extents.fixed(1)
            for length, stride in zip(shape, strides, strict=True):
                extent += (length - one) * stride
            size = self.extents.fixed(_SIZES[dtype])
            storage = _Storage(extent * size if all(shape) else self.extents.fixed(0))
            self.storages.append(storage)
            return _Buffer(storage, dtype, shape, strides, self.extents.fixed(0))
        if called == "reinterpret_tensor":
            base = self.buffer(node.args[0])
            shape, strides = map(self.extents.tuple, node.args[1:3])
            if not base.dtype:
                raise UnbuildableError("a view of an input")
            size = self.extents.fixed(_SIZES[base.dtype])
            nbytes = base.offset + self.extents.read(node.args[3]) * size
            return _Buffer(base.storage, base.dtype, shape, strides, nbytes)
        if called == "aten.view.dtype" and not node.keywords:
            base, dtype = self.buffer(node.args[0]), _dotted(node.args[1]).removeprefix("torch.")
            if not base.dtype:
                return base  # of inputs nobody knows the dtype: kernels do
            if _SIZES.get(dtype) == _SIZES[base.dtype]:
                return replace(base, dtype=dtype)
        raise UnbuildableError(ast.unparse(node))


def _name(node: ast.expr) -> str:
    if not isinstance(node, ast.Name):
        raise UnbuildableError(ast.unparse(node))
    return node.id


def _dotted(node: ast.expr) -> str:
    return ast.unparse(node)


def read(
    text: str,
    inputs: int,
    outputs: Sequence[Sequence[int | Extent] | None],
    extents: Extents | None = None,
) -> Generated:
    """Read a generated module.

    Parameters
    ----------
    text : str
        Its source.
    inputs : int
        How many arguments ``call`` takes, besides sizes.
    outputs : sequence of (tuple of int or Extent) or None
        The strides, in elements, that each result must have; None for any.
    extents : Extents, optional
        Of the sizes that it takes before its other arguments.

    Raises
    ------
    UnbuildableError
        When it calls anything but kernels, or returns an argument.
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
    extents = extents or Extents()
    reader = _Reader(inputs, kernels, extents)
    for statement in body:
        reader.statement(statement)
    _assign_outputs(reader, outputs)
    fixed = all(storage.nbytes.is_fixed for storage in reader.storages)
    parts = (_assign_scratch if fixed else _assign_parts)(reader.storages)
    calls = []
    for name, arguments in reader.calls:
        places: list[Place | Number] = []
        for buffer in arguments:
            if isinstance(buffer, Number):
                places.append(buffer)
                continue
            place = buffer.storage.place
            assert place is not None
            places.append(Place(place.space, place.index, _sum(place.offset, buffer.offset)))
        calls.append(KernelCall(name, tuple(places)))
    used = dict.fromkeys(call.kernel for call in calls)
    orders = tuple(tuple(s.values[0] for s in buffer.strides) for buffer in reader.returned)
    return Generated(tuple(kernels[name] for name in used), tuple(calls), parts, orders)


def _sum(place: int | str, offset: Extent) -> int | str:
    if isinstance(place, int) and offset.is_fixed:
        return place + offset.values[0]
    return f"{place} + {offset.text}"


def _kernel(node: ast.Assign) -> Kernel | None:
    value = node.value
    if not isinstance(value, ast.Call) or _dotted(value.func) != "async_compile.cpp_pybinding":
        return None
    types, source = (ast.literal_eval(part) for part in value.args)
    return Kernel(_name(node.targets[0]), tuple(types), source)


def _assign_outputs(reader: _Reader, outputs: Sequence[Sequence[int | Extent] | None]) -> None:
    """Give each result memory of its own, filled by a copy where it is part of something else."""
    extents = reader.extents
    if len(reader.returned) != len(outputs):
        raise UnbuildableError(f"{len(reader.returned)} results, not {len(outputs)}")
    copied: list[tuple[int, Sequence[Extent]]] = []
    for index, (buffer, strides) in enumerate(zip(reader.returned, outputs, strict=True)):
        wanted = None if strides is None else [*map(extents.of, strides)]
        if not buffer.dtype:
            raise UnbuildableError("a result that shares memory with an argument")
        if _fills(buffer, extents) and (
            wanted is None or _same_order(buffer.shape, buffer.strides, wanted)
        ):
            buffer.storage.place = Place("output", index)
        else:
            copied.append((index, wanted or _row_by_row(buffer.shape, extents)))
    for index, order in copied:  # at the end, when all that they are part of is there
        reader.copy(index, order)


def _fills(buffer: _Buffer, extents: Extents) -> bool:
    """Whether a buffer is all of its memory, which is no result yet."""
    nbytes = extents.product(buffer.shape) * extents.fixed(_SIZES[buffer.dtype])
    whole = nbytes.values == buffer.storage.nbytes.values
    return whole and not buffer.offset and buffer.storage.place is None


def _row_by_row(shape: Sequence[Extent], extents: Extents) -> list[Extent]:
    return [extents.product(shape[k + 1 :]) for k in range(len(shape))]


def _same_order(
    shape: Sequence[Extent], strides: Sequence[Extent], wanted: Sequence[Extent]
) -> bool:
    """Whether two layouts put the same elements into the same places."""
    if not all(shape):
        return True
    layouts = zip(shape, strides, wanted, strict=True)
    return all(a.values == b.values for n, a, b in layouts if max(n.values) > 1)


def _assign_parts(storages: list[_Storage]) -> tuple[str, ...]:
    """Give each temporary buffer a part of the memory, which another of its size has left."""
    parts: list[tuple[Extent, int]] = []  # size, last call that uses it
    for storage in sorted(storages, key=lambda s: s.first):
        if storage.place is not None:
            continue
        left = (
            k
            for k, (nbytes, last) in enumerate(parts)
            if nbytes.values == storage.nbytes.values and last < storage.first
        )
        index = next(left, len(parts))
        if index == len(parts):
            parts.append((storage.nbytes, 0))
        parts[index] = storage.nbytes, storage.last
        storage.place = Place("scratch", index)
    whole = f" + {ALIGNMENT - 1}) / {ALIGNMENT} * {ALIGNMENT}"
    return tuple(f"(({nbytes.text}){whole}" for nbytes, _ in parts)


def _assign_scratch(storages: list[_Storage]) -> tuple[int]:
    """Give temporary buffers places that are free while they are used; returns the size."""
    own = [storage for storage in storages if storage.place is None]
    offsets, size = packed([(s.nbytes.values[0], s.first, s.last) for s in own])
    for storage, offset in zip(own, offsets, strict=True):
        storage.place = Place("scratch", 0, offset)
    return (size,)
