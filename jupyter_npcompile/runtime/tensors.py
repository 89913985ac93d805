"""A segment executed by torch, one operation after the other: the reference of native code."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_npcompile.graph.nodes import Graph
from jupyter_npcompile.runtime.arrays import allocate, number, plain_type, sort_results, to_tensor
from jupyter_npcompile.runtime.errors import CheckFailedError
from jupyter_npcompile.tracer.memory import Array

if TYPE_CHECKING:
    import torch

    from jupyter_npcompile.tracer.lowering import Lowered


class TensorProgram:
    """A lowered graph on tensors.

    Parameters
    ----------
    graph : Graph
        NumPy level.
    lowered : Lowered
        Its ATen level.
    """

    def __init__(self, graph: Graph, lowered: Lowered) -> None:
        self._inputs = tuple(node.type for node in graph.inputs)
        self._module = lowered.module
        self._checks = lowered.checks
        types = {node.id: node.types[0] for node in (*graph.inputs, *graph.nodes) if node.types}
        for one in lowered.selections:
            types[one.id] = plain_type(types[one.id].dtype, one.shape)
        self._outputs = tuple((id, types[id]) for id in lowered.allocations)
        self._writes = tuple((id, types[id]) for id in lowered.writes)
        self._masks = tuple((one.id, plain_type("bool", one.mask)) for one in lowered.selections)

    def run(self, values: Sequence[Any]) -> tuple[dict[int, Any], dict[int, Array]]:
        """Run on the inputs without changing any of them.

        Raises
        ------
        CheckFailedError
            When NumPy would raise.
        """
        import torch

        tensors = self._tensors(values)
        buffers = [allocate(kind) for _, kind in (*self._outputs, *self._writes, *self._masks)]
        flags = [np.empty((), bool) for _ in range(self._checks)]
        with torch.no_grad():
            results = self._module(*tensors)
            for buffer, result in zip((*buffers, *flags), results, strict=True):
                torch.from_numpy(buffer).copy_(result)
        if not all(flags):
            raise CheckFailedError("NumPy would raise for these values")
        return self._sorted(buffers)

    def _tensors(self, values: Sequence[Any]) -> list[torch.Tensor]:
        """The inputs as tensors over their own memory."""
        try:
            return [to_tensor(v, kind) for v, kind in zip(values, self._inputs, strict=True)]
        except OverflowError:
            raise CheckFailedError("a Python integer does not fit 64 bits") from None

    def _sorted(
        self, buffers: Sequence[Array], late: Collection[int] = ()
    ) -> tuple[dict[int, Any], dict[int, Array]]:
        """What has been computed, by node; there is no buffer for writes that are late."""
        made = [
            buffer if kind.kind == "array" else number(buffer, kind)
            for (_, kind), buffer in zip(self._outputs, buffers, strict=False)
        ]
        made += buffers[len(self._outputs) :]
        writes = [(id, kind) for id, kind in self._writes if id not in late]
        return sort_results(made, self._outputs, writes, self._masks)
