"""A segment on a device: its inputs are copied there, its results back."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from jupyter_npcompile.graph.nodes import Graph
from jupyter_npcompile.runtime.arrays import allocate
from jupyter_npcompile.runtime.device.device import Device
from jupyter_npcompile.runtime.device.kernels import Kernels, with_room
from jupyter_npcompile.runtime.device.residency import Residency, same_strides
from jupyter_npcompile.runtime.device.rounding import EPSILON
from jupyter_npcompile.runtime.device.traffic import Traffic
from jupyter_npcompile.runtime.errors import CheckFailedError
from jupyter_npcompile.runtime.tensors import TensorProgram
from jupyter_npcompile.tracer.memory import Array

if TYPE_CHECKING:
    from jupyter_npcompile.tracer.lowering import Lowered


class DeviceProgram(TensorProgram):
    """A lowered graph in the memory of a device.

    Parameters
    ----------
    graph : Graph
        NumPy level.
    lowered : Lowered
        Its ATen level.
    device : Device
        Where it runs.
    one_by_one : bool
        Whether its operations are to run one by one.

    Attributes
    ----------
    kernels : str
        How it runs there: ``"aten"`` or ``"inductor"``.
    traffic : Traffic
        What its runs have copied.
    epsilon : float
        Relative spacing of the numbers that it computes with, where somebody has asked
        for fewer digits than the arrays have; otherwise 0.
    note : str
        Why they are not fewer.
    """

    def __init__(self, graph: Graph, lowered: Lowered, device: Device, *, one_by_one: bool) -> None:
        super().__init__(graph, lowered)
        self.device = device
        self.traffic = Traffic()
        self._kernels = Kernels(lowered.module, device, one_by_one=one_by_one)
        self.kernels = self._kernels.how
        self.epsilon = EPSILON if self._kernels.single else 0.0
        self.note = self._kernels.note
        self._ids = tuple(node.id for node in graph.inputs)
        self._written = tuple(self._ids.index(id) for id in graph.writes)

    def run(self, values: Sequence[Any]) -> tuple[dict[int, Any], dict[int, Array]]:
        """Run on copies of the inputs; results and the new contents of inputs are host memory.

        Raises
        ------
        CheckFailedError
            When NumPy would raise.
        DeviceError
            When the device cannot.
        """
        return self.run_there(values, None)

    def run_there(
        self, values: Sequence[Any], copies: Residency | None
    ) -> tuple[dict[int, Any], dict[int, Array]]:
        """The same with copies of arrays, which it may use and add to."""
        return with_room(self.device, lambda: self._ran(values, copies))

    def _ran(
        self, values: Sequence[Any], copies: Residency | None
    ) -> tuple[dict[int, Any], dict[int, Array]]:
        device = self.device
        hosts = self._tensors(values)
        there = [
            None if copies is None else copies.find(value, self._kernels.dtype(host.dtype))
            for value, host in zip(values, hosts, strict=True)
        ]
        with torch.no_grad():
            launched = self._kernels.run(hosts, there)
            given, results, copying = launched.given, launched.results, launched.seconds
            began = perf_counter()
            flags = results[len(results) - self._checks :]
            if flags and not torch.stack([flag.reshape(()) for flag in flags]).all():
                raise CheckFailedError("NumPy would raise for these values")
            kinds = (*self._outputs, *self._writes, *self._masks)
            buffers = [allocate(kind) for _, kind in kinds]
            sizes = [
                self._kernels.fetch(result, torch.from_numpy(buffer))
                for buffer, result in zip(buffers, results, strict=False)
            ]
            device.synchronise()
            self._keep_digits(values, buffers)
        copying += perf_counter() - began
        self._note(given, there, sizes, copying)
        if copies is not None:
            for value, tensor, known in zip(values, given, there, strict=True):
                if known is None:
                    copies.keep(value, tensor)
            for place in self._written:
                copies.written(values[place])
            for buffer, result in zip(buffers, results, strict=False):
                if same_strides(result, buffer):
                    copies.keep(buffer, result)
        return self._sorted(buffers)

    def _keep_digits(self, values: Sequence[Any], buffers: Sequence[Array]) -> None:
        """In single precision, what was not written keeps the digits that it has."""
        if not self.epsilon:
            return
        for place, buffer in zip(self._written, buffers[len(self._outputs) :], strict=False):
            if buffer.dtype.name in ("float64", "complex128"):
                before = values[place]
                with np.errstate(all="ignore"):
                    narrow = before.astype("f4" if buffer.dtype.kind == "f" else "c8")
                    same = (narrow == buffer) | (np.isnan(narrow) & np.isnan(buffer))
                np.copyto(buffer, before, where=same)

    def _note(
        self,
        given: Sequence[torch.Tensor],
        there: Sequence[torch.Tensor | None],
        fetched: Sequence[int],
        seconds: float,
    ) -> None:
        """Count what a run has copied."""
        traffic = self.traffic
        traffic.runs += 1
        traffic.seconds += seconds
        known = zip(self._ids, given, there, strict=True)
        sizes = [(id, tensor.nbytes, copy is not None) for id, tensor, copy in known]
        traffic.inputs = {id: nbytes for id, nbytes, spared in sizes if not spared}
        traffic.spared_inputs = {id: nbytes for id, nbytes, spared in sizes if spared}
        made = (*self._outputs, *self._writes, *self._masks)
        traffic.outputs = {}
        for (id, _), nbytes in zip(made, fetched, strict=True):
            traffic.outputs[id] = traffic.outputs.get(id, 0) + nbytes
        traffic.to_device += sum(traffic.inputs.values())
        traffic.to_host += sum(traffic.outputs.values())
        traffic.spared += sum(traffic.spared_inputs.values())
