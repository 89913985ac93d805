"""Derivatives on a device: where tensors of a tape lie while they are computed.

NumPy has computed the values on the host. The derivative computes them again on
tensors; these lie on the device while `there` is entered. It is pure, so that the
CPU can do the same when the device cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from jupyter_npcompile.autodiff.interruption import unharmed, variable
from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.runtime.device.device import Device
from jupyter_npcompile.runtime.device.traffic import Traffic
from jupyter_npcompile.runtime.devices import CPU, device_of, plain
from jupyter_npcompile.runtime.errors import first_line
from jupyter_npcompile.runtime.functions import handle_of
from jupyter_npcompile.runtime.settings import settings

if TYPE_CHECKING:
    from torch import Tensor

T = TypeVar("T")


@dataclass
class Site:
    """Where one function or cell has its derivatives computed.

    Parameters
    ----------
    name : str
        The device: ``"cpu"``, ``"cuda"`` ...

    Attributes
    ----------
    traffic : Traffic
        What was copied.
    reason : str
        Why the CPU computes them, though a device was asked for.
    """

    name: str = CPU

    def __post_init__(self) -> None:
        self.traffic = Traffic()
        self.reason = ""

    @property
    def device(self) -> Device | None:
        """The device; None for the CPU, and where the device has failed."""
        return None if self.reason else device_of(self.name)

    def run(self, compute: Callable[[], T], nbytes: int = 0) -> T:
        """Compute on the device; on the CPU where that fails.

        Parameters
        ----------
        compute : callable
            It changes nothing.
        nbytes : int
            What it is expected to allocate.
        """
        with unharmed():
            return self._run(compute, nbytes)

    def _run(self, compute: Callable[[], T], nbytes: int) -> T:
        device = self.device
        if device is None:
            return compute()
        try:
            device.demand(nbytes)
            with there(device, self.traffic), device.guarded(nbytes):
                made = compute()
                device.synchronise()
            self.traffic.runs += 1
            return made
        except Exception as error:
            reason = first_line(error)
        made = compute()  # what is wrong with the function itself is raised here
        self.leave(reason)
        return made

    def account(self) -> dict[str, Any]:
        """What a gradient report says of it: the bytes that were copied, or why there are none."""
        if self.device is None:
            return {"note": self.reason}
        sizes = {"to_device": self.traffic.to_device, "to_host": self.traffic.to_host}
        return {"device": self.name, **sizes}

    def leave(self, reason: str) -> None:
        """The CPU computes everything from now on."""
        self.reason = f"the CPU computes derivatives: {reason}"


@dataclass(frozen=True, slots=True)
class _There:
    device: Device
    traffic: Traffic


_there: ContextVar[_There | None] = variable("there", None)


@contextmanager
def there(device: Device, traffic: Traffic) -> Iterator[None]:
    """Tensors of tapes lie on a device, and so does what is made from nothing.

    Where a GPU is, torch goes backward in a thread of its own, which knows nothing of this:
    here it stays in the caller's.
    """
    import torch

    token = _there.set(_There(device, traffic))
    try:
        with device.place, torch.autograd.set_multithreading_enabled(False):
            yield
    finally:
        _there.reset(token)


def where() -> Device | None:
    """The device on which derivatives are computed now; None for the CPU."""
    place = _there.get()
    return None if place is None else place.device


def sent(tensor: Tensor) -> Tensor:
    """A tensor over memory of the host, where derivatives are computed now."""
    place = _there.get()
    if place is None:
        return tensor
    from jupyter_npcompile.runtime.device.copying import copied

    began = perf_counter()
    made = copied(tensor, place.device)
    place.traffic.to_device += tensor.nbytes
    place.traffic.seconds += perf_counter() - began
    return made


def fetched(tensor: Tensor) -> Any:
    """An ndarray of what a tensor without history holds."""
    tensor = tensor.detach().resolve_conj().resolve_neg()
    if tensor._is_zerotensor():  # torch's derivative of a sign has no memory
        tensor = tensor.clone()
    place = _there.get()
    if place is None:
        return tensor.numpy()
    import torch

    began = perf_counter()
    host = torch.empty(tensor.shape, dtype=tensor.dtype, device=CPU)
    place.device.get(tensor, host)
    place.traffic.to_host += tensor.nbytes
    place.traffic.seconds += perf_counter() - began
    array: np.ndarray[Any, Any] = host.numpy()
    return array


def on_host(function: Callable[..., Tensor], *operands: Tensor) -> Tensor:
    """Call a function that works on memory of the host; gradients pass both ways."""
    place = _there.get()
    if place is None:
        return function(*operands)
    with home():
        made = function(*(operand.to(CPU) for operand in operands))
    return made.to(place.device.place)


@contextmanager
def home() -> Iterator[None]:
    """Tensors lie in memory of the host again."""
    if _there.get() is None:
        yield
        return
    import torch

    token = _there.set(None)
    try:
        with torch.device(CPU):
            yield
    finally:
        _there.reset(token)


def site_of(function: Any) -> Site:
    """Where the derivatives of a function are computed: where it runs itself."""
    while getattr(function, "is_derivative", False):
        function = function.function
    handle = handle_of(function)
    return Site(settings.device if handle is None else plain(handle.options.device))
