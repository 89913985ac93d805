"""A segment on a device: its inputs are copied there, its results back, now or later."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import torch

from jupyter_npcompile.graph.nodes import Graph
from jupyter_npcompile.runtime.arrays import allocate
from jupyter_npcompile.runtime.device.device import Device
from jupyter_npcompile.runtime.device.kernels import Kernels, with_room
from jupyter_npcompile.runtime.device.late import Content
from jupyter_npcompile.runtime.device.layouts import same_strides
from jupyter_npcompile.runtime.device.residency import Residency
from jupyter_npcompile.runtime.device.rounding import EPSILON
from jupyter_npcompile.runtime.device.traffic import Traffic
from jupyter_npcompile.runtime.errors import CheckFailedError
from jupyter_npcompile.runtime.tensors import TensorProgram
from jupyter_npcompile.tracer.memory import Array, overlaps_itself

if TYPE_CHECKING:
    from jupyter_npcompile.tracer.lowering import Lowered

There: TypeAlias = tuple[dict[int, Any], dict[int, Array], dict[int, Content]]
"""Fresh arrays and numbers, and new contents of inputs, in host memory or not there yet."""


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
        one_by_one = one_by_one or _writes_overlapping(graph)
        self._kernels = Kernels(
            lowered.module, device, checks=bool(lowered.checks), one_by_one=one_by_one
        )
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
        return self.run_there(values, None)[:2]

    def run_there(self, values: Sequence[Any], copies: Residency | None) -> There:
        """The same with copies of arrays, which it may use and add to; results may be late."""
        return with_room(self.device, lambda: self._ran(values, copies))

    def _ran(self, values: Sequence[Any], copies: Residency | None) -> There:
        kernels = self._kernels
        hosts = self._tensors(values)
        there = [
            None if copies is None else copies.find(value, kernels.dtype(host.dtype))
            for value, host in zip(values, hosts, strict=True)
        ]
        if copies is not None and copies.late:
            self._bring(values, there, copies)
        with torch.no_grad():
            launched = kernels.run(hosts, there)
            if not launched.passed:
                raise CheckFailedError("NumPy would raise for these values")
            given, began = launched.given, perf_counter()
            self._note(hosts, there)
            buffers, late = self._results(values, launched.results, copies)
        self.traffic.seconds += launched.seconds + perf_counter() - began
        if copies is not None:
            for value, tensor, known in zip(values, given, there, strict=True):
                if known is None:
                    copies.keep(value, tensor)
            for place in self._written:
                copies.written(values[place])
            for buffer, tensor in buffers:
                if same_strides(tensor, buffer):
                    copies.keep(buffer, tensor)
            self.traffic.stranger = copies.stranger
        fresh, written = self._sorted([buffer for buffer, _ in buffers], late)
        return fresh, written, late

    def _bring(
        self, values: Sequence[Any], there: Sequence[torch.Tensor | None], copies: Residency
    ) -> None:
        """Host memory that is read, or written, is brought up to date before."""
        late = copies.late
        for value, known in zip(values, there, strict=True):
            if known is None and type(value) is np.ndarray and late.concern(value):
                late.settle_around(value, copies.place)
        for place in self._written:
            target = values[place]
            if late.concern(target):
                late.settle_around(target, copies.place, itself=not self._waits(target, copies))

    def _waits(self, array: Array, copies: Residency | None) -> bool:
        """Whether the content of an array need not be copied back now."""
        return (
            copies is not None
            and copies.puts_off
            and not self._masks  # NumPy selects elements of results
            and copies.late.may_be(array)
        )

    def _results(
        self, values: Sequence[Any], results: Sequence[torch.Tensor], copies: Residency | None
    ) -> tuple[list[tuple[Array, torch.Tensor]], dict[int, Content]]:
        """Host memory for results, filled or late, and what arrays are to be filled with late."""
        targets = [values[place] for place in self._written]
        kinds = [
            *((id, kind, None) for id, kind in self._outputs),
            *((*one, target) for one, target in zip(self._writes, targets, strict=True)),
            *((id, kind, None) for id, kind in self._masks),
        ]
        buffers, late = [], {}
        for (id, kind, target), tensor in zip(kinds, results, strict=False):
            content = Content(tensor, self._kernels, self.traffic, id, self.traffic.runs)
            if target is not None and self._waits(target, copies):
                late[id] = content
                continue
            buffer = allocate(kind)
            buffers.append((buffer, tensor))
            if kind.kind == "array" and target is None and self._waits(buffer, copies):
                assert copies is not None
                copies.late.put(buffer, content, written=False)
                continue
            self.traffic.note_return(id, self._kernels.fetch(tensor, buffer))
            if target is not None:
                self._kernels.keep_digits(target, buffer)
        return buffers, late

    def _note(self, hosts: Sequence[torch.Tensor], there: Sequence[torch.Tensor | None]) -> None:
        """Count what a run has copied to the device."""
        known = [*zip(self._ids, hosts, there, strict=True)]
        self.traffic.begin(
            {id: host.nbytes for id, host, copy in known if copy is None},
            {id: copy.nbytes for id, _, copy in known if copy is not None},
        )


def _writes_overlapping(graph: Graph) -> bool:
    """Whether it writes an input whose elements share memory.

    Operations of torch then find what was written in all of them; a kernel that Inductor
    makes of several takes each element for memory of its own.
    """
    nodes = graph.by_id()
    kinds = [nodes[id].type for id in graph.writes]
    return any(overlaps_itself(kind.shape, kind.strides) for kind in kinds)
