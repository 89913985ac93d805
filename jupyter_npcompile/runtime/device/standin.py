"""The stand-in: a device of the CPU, whose memory NumPy never sees.

Everything that is copied to it and from it is really copied, so what a wrong copy
or a forgotten one does to a result shows on any machine. It is slower than NumPy,
always: it is there for tests and for teaching.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from jupyter_npcompile.runtime.device.device import (
    Device,
    DeviceError,
    DeviceMemoryError,
    Launch,
)

if TYPE_CHECKING:
    import torch

MEMORY = 2**40
"""Bytes that it is said to have."""


class StandIn(Device):
    """A device without hardware.

    Parameters
    ----------
    memory : int
        Bytes that it is said to have.
    single : bool
        Whether segments compute in single precision.

    Attributes
    ----------
    faults, copy_faults : deque of DeviceError
        What the next launches, and the next copies to the host, raise, one each.

    Examples
    --------
    >>> device = StandIn(memory=100)
    >>> device.demand(60)
    >>> device.demand(160)
    Traceback (most recent call last):
        ...
    jupyter_npcompile.runtime.device.device.DeviceMemoryError: it needs 160 B of memory on \
standin, where 100 B is free: 60 B too little
    """

    name = "standin"
    competes = False

    def __init__(self, memory: int = MEMORY, *, single: bool = False) -> None:
        super().__init__()
        if single:
            self.name, self.single = f"{self.name} float32", True
        self.memory = memory
        self.faults: deque[DeviceError] = deque()
        self.copy_faults: deque[DeviceError] = deque()

    @property
    def place(self) -> torch.device:
        """The CPU."""
        import torch

        return torch.device("cpu")

    @property
    def free(self) -> int:
        """Bytes that no copy holds."""
        return self.memory - self.held

    def demand(self, nbytes: int) -> None:
        """Raise `DeviceMemoryError` where there is too little."""
        if nbytes > self.free:
            raise DeviceMemoryError(self.name, nbytes, self.free)

    def put(self, tensor: torch.Tensor) -> torch.Tensor:
        """A copy in other memory."""
        return tensor.clone()

    def get(self, tensor: torch.Tensor, host: torch.Tensor) -> None:
        """Copy into host memory, or raise the fault that is due."""
        if self.copy_faults:
            raise self.copy_faults.popleft()
        host.copy_(tensor)

    def empty(
        self, shape: Sequence[int], strides: Sequence[int], dtype: torch.dtype
    ) -> torch.Tensor:
        """A tensor in fresh memory."""
        import torch

        return torch.empty_strided(tuple(shape), tuple(strides), dtype=dtype)

    def prepare(self, module: torch.fx.GraphModule, *, one_by_one: bool) -> tuple[Launch, str]:
        """The graph, operation by operation."""
        return module, "aten"

    def launch(
        self, kernels: Launch, tensors: Sequence[torch.Tensor], nbytes: int
    ) -> Sequence[torch.Tensor]:
        """Run, or raise the fault that is due."""
        with self.guarded(nbytes):
            return kernels(*tensors)

    @contextmanager
    def guarded(self, nbytes: int) -> Iterator[None]:
        """Raise the fault that is due."""
        if self.faults:
            raise self.faults.popleft()
        yield

    def synchronise(self) -> None:
        """Nothing is ever under way."""


standin = StandIn()
"""The one that ``--device standin`` means."""

standin_single = StandIn(single=True)
"""The same with ``--dtype float32``."""
