"""A functional graph on a device: tensors of the host go there, its results stay there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, TypeVar

import torch

from jupyter_npcompile.runtime.device.copying import copied, extent_bytes
from jupyter_npcompile.runtime.device.device import Device, DeviceMemoryError
from jupyter_npcompile.runtime.device.placement import placed, working_bytes

if TYPE_CHECKING:
    from torch.fx import GraphModule

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Launched:
    """One run of kernels.

    Parameters
    ----------
    given : list of torch.Tensor
        Their arguments, on the device.
    results : sequence of torch.Tensor
        What they gave, there.
    seconds : float
        Time that copying arguments has taken.
    """

    given: list[torch.Tensor]
    results: Sequence[torch.Tensor]
    seconds: float


class Kernels:
    """A graph that was moved to a device, and made ready to run there.

    Parameters
    ----------
    module : torch.fx.GraphModule
        Functional, lowered for the CPU.
    device : Device
        Where it runs.
    one_by_one : bool
        Whether its operations are to run one by one.

    Attributes
    ----------
    how : str
        How it runs there: ``"aten"`` or ``"inductor"``.
    """

    def __init__(self, module: GraphModule, device: Device, *, one_by_one: bool) -> None:
        self.device = device
        there = placed(module, device)
        self._working = working_bytes(there)
        self._launch, self.how = device.prepare(there, one_by_one=one_by_one)

    def run(self, hosts: Sequence[torch.Tensor], known: Sequence[torch.Tensor | None]) -> Launched:
        """Copy what is not there yet, and run.

        Parameters
        ----------
        hosts : sequence of torch.Tensor
            The arguments, over memory of the host.
        known : sequence of torch.Tensor or None
            Copies of them that lie on the device already.

        Raises
        ------
        DeviceError
            When the device cannot.
        """
        device = self.device
        missing = [host for host, there in zip(hosts, known, strict=True) if there is None]
        needed = sum(map(extent_bytes, missing)) + self._working
        device.demand(needed)
        began = perf_counter()
        given = [
            copied(host, device) if there is None else there
            for host, there in zip(hosts, known, strict=True)
        ]
        device.synchronise()
        seconds = perf_counter() - began
        return Launched(given, device.launch(self._launch, given, needed), seconds)


def with_room(device: Device, run: Callable[[], T]) -> T:
    """Run something on a device; where there is too little memory, again without kept copies.

    Raises
    ------
    DeviceMemoryError
        When it does not fit all the same.
    """
    try:
        return run()
    except DeviceMemoryError:
        if not device.held:
            raise
    device.let_go()
    return run()
