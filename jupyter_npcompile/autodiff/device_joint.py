"""Value and gradients of a pure function on a device: one graph, forward and backward."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from time import perf_counter
from typing import Any

import torch

from jupyter_npcompile.autodiff.joint import joint_module
from jupyter_npcompile.graph.nodes import Graph
from jupyter_npcompile.runtime.arrays import to_tensor
from jupyter_npcompile.runtime.compile_errors import UnbuildableError
from jupyter_npcompile.runtime.device.device import Device, DeviceError
from jupyter_npcompile.runtime.device.kernels import Kernels, with_room
from jupyter_npcompile.runtime.device.traffic import Traffic
from jupyter_npcompile.runtime.errors import first_line
from jupyter_npcompile.runtime.settings import settings
from jupyter_npcompile.tracer.lowering.errors import LoweringError

_lock = threading.Lock()


class DeviceJoint:
    """Value and gradients of a function, in the memory of a device.

    Parameters
    ----------
    graph : Graph
        NumPy level; its output says what is differentiated: see `joint.wanted`.
    device : Device
        Where it runs.
    traffic : Traffic
        What it copies is added to it.
    one_by_one : bool
        Whether its operations are to run one by one.
    """

    def __init__(self, graph: Graph, device: Device, traffic: Traffic, *, one_by_one: bool) -> None:
        self.traffic = traffic
        self._kinds = [node.type for node in graph.inputs]
        self._kernels = Kernels(joint_module(graph), device, checks=True, one_by_one=one_by_one)

    def run(self, values: Sequence[Any]) -> list[Any] | None:
        """Value and gradients, each as an array; None when NumPy would raise or warn.

        Parameters
        ----------
        values : sequence
            One ndarray or number for each input of the graph.

        Raises
        ------
        DeviceError
            When the device cannot.
        """
        return with_room(self._kernels.device, lambda: self._ran(values))

    def _ran(self, values: Sequence[Any]) -> list[Any] | None:
        device, traffic = self._kernels.device, self.traffic
        hosts = [to_tensor(v, kind) for v, kind in zip(values, self._kinds, strict=True)]
        with torch.no_grad():
            launched = self._kernels.run(hosts, [None] * len(hosts))
            began = perf_counter()
            found = []
            if launched.passed:
                results = launched.results
                found = [torch.empty(r.shape, dtype=r.dtype, device="cpu") for r in results]
                for host, result in zip(found, results, strict=True):
                    device.get(result, host)
        traffic.runs += 1
        traffic.seconds += launched.seconds + perf_counter() - began
        traffic.to_device += sum(host.nbytes for host in hosts)
        traffic.to_host += sum(host.nbytes for host in found)
        return [host.numpy() for host in found] if found else None


def make(graph: Graph, device: Device, traffic: Traffic) -> DeviceJoint:
    """Lower value and gradients in this process, and get them ready on a device.

    Raises
    ------
    LoweringError, UnbuildableError
        When an operation has no faithful form in ATen, or no derivative.
    DeviceError
        When the device cannot hold its constants.
    """
    try:
        with _lock:
            return DeviceJoint(graph, device, traffic, one_by_one=settings.tier == "aten")
    except (LoweringError, DeviceError):
        raise
    except Exception as error:  # whatever torch raises when it cannot differentiate
        raise UnbuildableError(f"{type(error).__name__}: {first_line(error)}") from error
