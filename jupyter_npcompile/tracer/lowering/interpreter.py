"""Runs the nodes of a graph over tensors: each operation by its lowering.

With fake tensors, what runs is written down as ATen operations, and each of them is marked with
the node it came from.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.fx.experimental.proxy_tensor import disable_proxy_modes_tracing, get_proxy_mode

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.nodes import (
    Argument,
    Constant,
    DType,
    Graph,
    Node,
    Ref,
    Slice,
    ValueType,
)
from jupyter_npcompile.tracer.floating import Look, is_at, looks
from jupyter_npcompile.tracer.interpret import constant_value
from jupyter_npcompile.tracer.lowering import compressed, flags, ufuncs
from jupyter_npcompile.tracer.lowering.aten import ORIGIN
from jupyter_npcompile.tracer.lowering.dtypes import TORCH, carrier, load, store
from jupyter_npcompile.tracer.lowering.errors import LoweringError, UnsupportedError
from jupyter_npcompile.tracer.lowering.finite import reduced_by_rows
from jupyter_npcompile.tracer.lowering.lookup import Lowering, find_lowering
from jupyter_npcompile.tracer.lowering.symbols import hint
from jupyter_npcompile.tracer.lowering.trace import Trace, storage_of
from jupyter_npcompile.tracer.lowering.values import Compressed, Owner, Value, View
from jupyter_npcompile.tracer.table import lowering_of


@dataclass(frozen=True, slots=True)
class Selected:
    """An output whose elements a mask selects after the graph has run.

    Parameters
    ----------
    id : int
        The node.
    shape : tuple of int
        Of all elements, which is what the graph returns.
    mask : tuple of int
        Shape of the mask.
    """

    id: int
    shape: tuple[int, ...]
    mask: tuple[int, ...]


ELEMENTWISE = frozenset({"numpy.where", "numpy.clip", "numpy.astype", "ndarray.astype"})
"""Operations other than ufuncs that are computed in the loop of what they are computed from."""


class Interpreter:
    """Runs nodes over fake tensors."""

    def __init__(self, graph: Graph, trace: Trace) -> None:
        self._graph = graph
        self._trace = trace
        roots = graph.roots()
        self._roots = roots
        self._written = {roots[id] for node in graph.nodes for id in node.writes}
        self._marked: Any = None
        self._looks = looks(graph)
        self._free = any(node.args for node in graph.inputs)
        trace.sums.rows = reduced_by_rows(graph)

    def bind_inputs(self, tensors: Sequence[Tensor]) -> None:
        """Give the inputs their tensors, in order."""
        for node, tensor in zip(self._graph.inputs, tensors, strict=True):
            dtype = np.dtype(node.type.dtype)
            owner = Owner(load(tensor, dtype), dtype, node.type.kind, node.type.strides)
            given: Any = node.args
            for size in given:  # a symbol that is an input
                owner.size = size
            self._trace.values[node.id] = owner

    def run(self, node: Node) -> None:
        """Lower a node."""
        self._trace.node = node
        if ufuncs.named(node.op) is None and node.op not in ELEMENTWISE:
            self._trace.close_sums()
        try:
            self._trace.values[node.id] = self._lowered(node)
        except UnsupportedError as error:
            raise LoweringError(node.position, node.op, str(error)) from None
        except LoweringError:
            raise
        except Exception as error:
            first = str(error).partition("\n")[0]
            reason = f"{type(error).__name__} while lowering: {first}"
            raise LoweringError(node.position, node.op, reason) from error
        self.mark()

    def _lowered(self, node: Node) -> Any:
        """The value of a node, with a check that NumPy would not report an error in it."""
        args = [self._decode(argument) for argument in node.args]
        kwargs = {name: self._decode(argument) for name, argument in node.kwargs.items()}
        look = self._looks[node.id]
        origin = self._trace.origin(node.op, args, kwargs)
        made = self._looked_at(node, look, args, kwargs)
        if isinstance(made, Value) and not node.writes and all(made is not arg for arg in args):
            made.origin = origin
        return made

    def _looked_at(self, node: Node, look: Look, args: list[Any], kwargs: dict[str, Any]) -> Any:
        if look == "never":
            made = self._bind(self._call(node, args, kwargs), node)
            flags.demand_no_overflow(self._trace, node, args, made)
            return made
        if is_at(node.op):
            made = self._bind(self._call(node, args, kwargs), node)
            flags.demand_finite(self._trace, args[0])
            return made
        operands, where = flags.operands_of(args), kwargs.get("where")
        made = self._bind(self._call(node, args, kwargs), node)
        flags.demand(self._trace, node, look, operands, made, where)
        return made

    def _call(self, node: Node, args: list[Any], kwargs: dict[str, Any]) -> Any:
        row = lowering_of(node.op)
        if row is None:
            raise UnsupportedError("it is not in the lowering table")
        if row.lowering is None:
            raise UnsupportedError(row.reason)
        for kind in node.types:
            if kind.dtype not in TORCH:
                raise UnsupportedError(f"dtype {kind.dtype} is not supported")
        if self._free and _has_symbolic_shape((args, kwargs)) and not follows(node.op):
            raise UnsupportedError("its shape may depend on the bound of a slice")
        lowering = find_lowering(row.lowering)
        if compressed.has_compressed((args, kwargs)):
            return compressed.call(
                self._trace, node, args, kwargs, lambda a, k: self._run(node, lowering, a, k)
            )
        return self._run(node, lowering, args, kwargs)

    def _run(self, node: Node, lowering: Lowering, args: list[Any], kwargs: dict[str, Any]) -> Any:
        ufunc = ufuncs.named(node.op)
        if ufunc is not None:
            args = [self._trace.value(x) if isinstance(x, torch.SymInt) else x for x in args]
            return ufuncs.call(self._trace, ufunc, lowering, args, kwargs)
        out = kwargs.pop("out", None)
        result = lowering(self._trace, *args, **kwargs)
        if out is None or out == (None,):
            return result
        target = out[0] if isinstance(out, tuple) else out
        return ufuncs.write_out(self._trace, self._as_value(result), target)

    def _as_value(self, result: Any) -> Value:
        if isinstance(result, Value):
            return result
        if isinstance(result, Tensor):
            return Owner(result, self._trace.dtype)
        raise UnsupportedError("out= for several results")

    def _decode(self, argument: Argument) -> Any:
        if isinstance(argument, Ref):
            return self._trace.values[argument.id]
        if isinstance(argument, DType):
            return np.dtype(argument.name)
        if isinstance(argument, Constant):
            array = np.asarray(constant_value(argument))
            kind = argument.type.kind
            return Owner(
                self._trace.constant(array), array.dtype, kind, argument.type.strides, array
            )
        if isinstance(argument, Slice):
            return slice(*(self._decode(p) for p in (argument.start, argument.stop, argument.step)))
        if isinstance(argument, tuple):
            return tuple(self._decode(part) for part in argument)
        if isinstance(argument, list):
            return [self._decode(part) for part in argument]
        return argument

    # -- results

    def _bind(self, result: Any, node: Node) -> Any:
        if isinstance(result, list | tuple):
            return [
                self._bind_one(part, kind, views=True)
                for part, kind in zip(result, node.types, strict=True)
            ]
        if not node.types:
            return None
        return self._bind_one(result, node.type, views=node.view_of is not None)

    def _bind_one(self, result: Any, kind: ValueType, *, views: bool) -> Value:
        dtype = np.dtype(kind.dtype)
        if isinstance(result, Compressed):
            return result
        if isinstance(result, Tensor):
            if result.dtype != carrier(dtype):
                raise UnsupportedError(f"lowered to {result.dtype}, where NumPy gives {dtype}")
            bound: Value = Owner(result, dtype, kind.kind, kind.strides)
        elif not isinstance(result, Value):
            raise UnsupportedError(f"lowered to a {type(result).__name__}")
        elif views and result.dtype == dtype:
            bound = result
            if isinstance(result, View) and not result.strides:
                result.strides = kind.strides
        else:
            tensor = self._trace.convert(result.read(), result.dtype, dtype)
            bound = Owner(tensor, dtype, kind.kind, kind.strides, getattr(result, "known", None))
        shape = tuple(bound.read().shape)
        self._trace.lengths.setdefault(self._trace.node.id, []).append(shape)
        if tuple(map(hint, shape)) != tuple(map(hint, kind.shape)):
            raise UnsupportedError(
                f"lowered to shape {bound.shape}, where NumPy gives {kind.shape}"
            )
        node = self._trace.node
        shared = node.view_of is not None and self._roots[node.id] in self._written
        if shared and node.view_of is not None:
            viewed = self._trace.values[node.view_of]
            if not isinstance(viewed, Value) or bound.root is not viewed.root:
                raise UnsupportedError("its result shares memory that is written")
        return bound

    def results(self, ids: Sequence[int], inputs: Sequence[Tensor]) -> list[Tensor]:
        """Outputs of the graph, in the recorded memory order, sharing nothing."""
        taken = {storage_of(tensor) for tensor in inputs} | self._trace.constants
        nodes = self._graph.by_id()
        found = []
        for id in ids:
            value = self._trace.values[id]
            if not isinstance(value, Value):
                node = nodes[id]
                raise LoweringError(node.position, node.op, "its memory is not that of one array")
            if isinstance(value, Compressed):
                tensor = store(value.full, value.dtype).contiguous()
            else:
                tensor = _laid_out(store(value.read(), value.dtype), nodes[id].type)
            found.append(tensor)
        found += [self._trace.values[s.id].mask.contiguous() for s in self.selected(ids)]
        for place, tensor in enumerate(found):
            if storage_of(tensor) in taken:
                found[place] = tensor.clone()
            taken.add(storage_of(found[place]))
        self._demand_declared_writes()
        self._trace.close_sums()
        checks = self._trace.checks
        if len(checks) > 1:  # one flag is cheaper to hand over than many
            checks[:] = [torch.stack([check.reshape(()) for check in checks]).all()]
        return [*found, *checks]

    def selected(self, ids: Sequence[int]) -> list[Selected]:
        """The outputs of which a mask selects the elements."""
        values = [(id, self._trace.values[id]) for id in ids]
        return [
            Selected(id, tuple(value.full.shape), tuple(value.mask.shape))
            for id, value in values
            if isinstance(value, Compressed)
        ]

    def _demand_declared_writes(self) -> None:
        for node in self._graph.inputs:
            value = self._trace.values[node.id]
            if value.version and node.id not in self._graph.writes:
                raise LoweringError(node.position, node.op, f"{node.name} is written unannounced")

    def mark(self) -> None:
        """Note the current node on every ATen operation written down since."""
        mode = get_proxy_mode()
        if mode is None:
            raise RuntimeError("not tracing")
        last = None
        for made in reversed(mode.tracer.graph.nodes):
            if made is self._marked:
                break
            last = last or made
            made.meta.setdefault(ORIGIN, self._trace.node.id)
        self._marked = last or self._marked


_FOLLOWING = frozenset(
    f"{space}.{name}"
    for space in ("numpy", "ndarray")
    for name in str.split("sum mean prod max min amax amin any all dot vdot matmul T transpose")
) | {"getitem", "setitem", "numpy.inner"}
"""Operations whose lowering asks for no recorded shape, and whose results are views, or are
not, whatever the sizes."""


def follows(op: str) -> bool:
    """Whether the shapes of results follow from those of operands alone."""
    return op in _FOLLOWING or ufuncs.named(op) is not None


def _has_symbolic_shape(values: Any) -> bool:
    if isinstance(values, dict):
        values = tuple(values.values())
    if isinstance(values, tuple | list):
        return any(map(_has_symbolic_shape, values))
    return isinstance(values, Value) and any(isinstance(n, torch.SymInt) for n in values.shape)


def _laid_out(tensor: Tensor, kind: ValueType) -> Tensor:
    """The tensor in the memory order that NumPy gave the array."""
    if len(kind.shape) != len(kind.strides) or not kind.shape:
        return tensor.contiguous()
    with disable_proxy_modes_tracing():  # symbolic strides are compared, and used nowhere
        falling = [n if n < 0 else -n for n in kind.strides]
        order = sorted(range(len(falling)), key=falling.__getitem__)
    if order == list(range(len(order))):
        return tensor.contiguous()
    inverse = [order.index(axis) for axis in range(len(order))]
    return tensor.permute(order).contiguous().permute(inverse)
