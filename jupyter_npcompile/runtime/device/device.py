"""What a device is: memory of its own, copies to and from it, and kernels that run in it."""

from __future__ import annotations

import abc
import weakref
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, TypeAlias

from jupyter_npcompile.graph.amounts import size

if TYPE_CHECKING:
    import torch

    from jupyter_npcompile.runtime.device.residency import Residency

Launch: TypeAlias = Callable[..., Sequence[Any]]
"""Takes tensors of a device, and gives tensors of it."""


class DeviceError(Exception):
    """A segment cannot run on its device: the CPU runs it."""


class DeviceMemoryError(DeviceError):
    """The device has not enough memory.

    Parameters
    ----------
    device : str
        Its name.
    needed, free : int
        Bytes.

    Examples
    --------
    >>> print(DeviceMemoryError("cuda", 3_000_000, 1_000_000))
    it needs 3.0 MB of memory on cuda, where 1.0 MB is free: 2.0 MB too little
    """

    def __init__(self, device: str, needed: int, free: int) -> None:
        self.needed = needed
        self.free = free
        super().__init__(
            f"it needs {size(needed)} of memory on {device}, where {size(free)} is free: "
            f"{size(max(needed - free, 0))} too little"
        )


class LaunchError(DeviceError):
    """A kernel could not be launched, or did not come to its end.

    Parameters
    ----------
    device : str
        The name of the device.
    reason : str
        What it says.
    """

    def __init__(self, device: str, reason: str) -> None:
        super().__init__(f"{device} failed: {reason}")


_every: weakref.WeakSet[Device] = weakref.WeakSet()


def let_go_everywhere() -> None:
    """Forget the copies that are kept between segments, on all devices."""
    for device in list(_every):
        device.let_go()


class Device(abc.ABC):
    """Where segments run.

    Only these methods know how memory is held, how it is copied, and how kernels
    run; whatever decides what is copied when is the same for every device.

    Attributes
    ----------
    name : str
        As the user writes it.
    competes : bool
        Whether time decides between it and NumPy.
    single : bool
        Whether segments compute in single precision there: somebody asked for it.
    residencies : set of Residency
        The copies that are kept between segments.
    """

    name: str
    competes: bool
    single: bool = False

    def __init__(self) -> None:
        self.residencies: weakref.WeakSet[Residency] = weakref.WeakSet()
        _every.add(self)

    @property
    def held(self) -> int:
        """Bytes that copies hold between segments."""
        return sum(residency.nbytes for residency in list(self.residencies))

    def let_go(self) -> None:
        """Make room: forget the copies that are kept between segments."""
        for residency in list(self.residencies):
            residency.drop()

    @property
    @abc.abstractmethod
    def place(self) -> torch.device:
        """Where torch has its tensors."""

    @property
    @abc.abstractmethod
    def free(self) -> int:
        """Bytes of memory that nothing holds."""

    @abc.abstractmethod
    def demand(self, nbytes: int) -> None:
        """Make sure of memory for a segment, where the device can tell before it runs.

        Raises
        ------
        DeviceMemoryError
            When there is too little.
        """

    @abc.abstractmethod
    def put(self, tensor: torch.Tensor) -> torch.Tensor:
        """A copy of a dense tensor over host memory, in memory of the device."""

    @abc.abstractmethod
    def get(self, tensor: torch.Tensor, host: torch.Tensor) -> None:
        """Copy a tensor of the device into host memory, and wait for it."""

    @abc.abstractmethod
    def empty(
        self, shape: Sequence[int], strides: Sequence[int], dtype: torch.dtype
    ) -> torch.Tensor:
        """A tensor of the device with these strides, in elements."""

    @abc.abstractmethod
    def prepare(self, module: torch.fx.GraphModule, *, one_by_one: bool) -> tuple[Launch, str]:
        """What runs a functional graph, and how: ``"aten"``, or ``"inductor"``.

        Parameters
        ----------
        module : torch.fx.GraphModule
            Its constants lie on the device already.
        one_by_one : bool
            Whether its operations are to run one by one.
        """

    @abc.abstractmethod
    def launch(
        self, kernels: Launch, tensors: Sequence[torch.Tensor], nbytes: int
    ) -> Sequence[torch.Tensor]:
        """Begin to run on tensors of the device; it may be under way when this returns.

        Parameters
        ----------
        kernels : callable
            What `prepare` has given.
        tensors : sequence of torch.Tensor
            Its arguments.
        nbytes : int
            What it is expected to allocate.

        Raises
        ------
        DeviceMemoryError, LaunchError
            When it cannot. What fails later is said by what waits for it.
        """

    @abc.abstractmethod
    def guarded(self, nbytes: int) -> AbstractContextManager[None]:
        """Turn what torch raises inside into what the runtime knows: `DeviceError`.

        Parameters
        ----------
        nbytes : int
            What is expected to be allocated.
        """

    @abc.abstractmethod
    def synchronise(self) -> None:
        """Wait until everything that was begun is done."""
