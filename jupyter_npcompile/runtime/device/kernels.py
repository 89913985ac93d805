"""A functional graph on a device: tensors of the host go there, its results stay there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import torch

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.runtime.device.copying import copied, extent_bytes
from jupyter_npcompile.runtime.device.device import Device, DeviceMemoryError
from jupyter_npcompile.runtime.device.placement import placed, working_bytes
from jupyter_npcompile.runtime.device.precision import SINGLE, PrecisionError, narrowed, single
from jupyter_npcompile.runtime.errors import CheckFailedError
from jupyter_npcompile.tracer.memory import Array

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
    passed : bool
        Whether NumPy would raise nothing, as far as the graph checks it.
    seconds : float
        Time that copying arguments has taken.
    """

    given: list[torch.Tensor]
    results: Sequence[torch.Tensor]
    passed: bool
    seconds: float


class Kernels:
    """A graph that was moved to a device, and made ready to run there.

    Parameters
    ----------
    module : torch.fx.GraphModule
        Functional, lowered for the CPU.
    device : Device
        Where it runs.
    checks : bool
        Whether its last result says if NumPy would raise nothing.
    one_by_one : bool
        Whether its operations are to run one by one.

    Attributes
    ----------
    how : str
        How it runs there: ``"aten"`` or ``"inductor"``.
    single : bool
        Whether it computes in single precision.
    note : str
        Why it does not, though the device is asked to.
    """

    def __init__(
        self, module: GraphModule, device: Device, *, checks: bool, one_by_one: bool
    ) -> None:
        self.device = device
        self._checks = checks
        self.single, self.note = False, ""
        if device.single:
            try:
                module, before = single(module), module
                self.single = module is not before
            except PrecisionError as error:
                self.note = f"computed in double precision: {error}"
        there = placed(module, device)
        self._working = working_bytes(there)
        self._launch, self.how = device.prepare(there, one_by_one=one_by_one)

    def run(self, hosts: Sequence[torch.Tensor], known: Sequence[torch.Tensor | None]) -> Launched:
        """Copy what is not there yet, run, and wait for it.

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
        CheckFailedError
            When a number is too large for single precision.
        """
        device = self.device
        missing = [host for host, there in zip(hosts, known, strict=True) if there is None]
        extents = (
            extent_bytes(host) * self.dtype(host.dtype).itemsize // host.itemsize
            for host in missing
        )
        needed = sum(extents) + self._working
        device.demand(needed)
        began = perf_counter()
        given = [
            self._sent(host) if there is None else there
            for host, there in zip(hosts, known, strict=True)
        ]
        seconds = perf_counter() - began
        results, passed = device.launch(self._launch, given, needed), True
        with device.guarded(needed):  # a kernel that fails says so to who waits
            if self._checks:
                *results, check = results
                passed = bool(check)
            else:
                device.synchronise()
        return Launched(given, results, passed, seconds)

    def _sent(self, host: torch.Tensor) -> torch.Tensor:
        """A copy of an argument, in the precision in which it is computed with."""
        if self.dtype(host.dtype) == host.dtype:
            return copied(host, self.device)
        return copied(host, self.device, self._narrowed)

    def _narrowed(self, tensor: torch.Tensor) -> torch.Tensor:
        made = narrowed(tensor)
        if made is None:
            raise CheckFailedError("a number is too large for single precision")
        return made

    def dtype(self, host: torch.dtype) -> torch.dtype:
        """The dtype that a tensor of the host has on the device."""
        return SINGLE.get(host, host) if self.single else host

    def fetch(self, result: torch.Tensor, array: Array) -> int:
        """Copy a result into an array; returns how many bytes were copied."""
        host = torch.from_numpy(array)
        if result.dtype == host.dtype:
            self.device.get(result, host)
            return host.nbytes
        try:
            with self.device.guarded(host.nbytes):
                wide = result.to(host.dtype)  # the GPU is quicker at that
        except DeviceMemoryError:
            narrow = torch.empty_like(host, dtype=result.dtype)
            self.device.get(result, narrow)
            host.copy_(narrow)
            return narrow.nbytes
        self.device.get(wide, host)
        return host.nbytes

    def keep_digits(self, before: Array, now: Array) -> None:
        """In single precision, what was not written keeps the digits that it had.

        Parameters
        ----------
        before, now : numpy.ndarray
            What was there, and what was fetched.
        """
        if not self.single or now.dtype.name not in ("float64", "complex128"):
            return
        with np.errstate(all="ignore"):
            narrow = before.astype("f4" if now.dtype.kind == "f" else "c8")
            same = (narrow == now) | (np.isnan(narrow) & np.isnan(now))
        np.copyto(now, before, where=same)


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
