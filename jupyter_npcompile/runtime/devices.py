"""Where segments can run: devices by their names."""

from __future__ import annotations

import functools
import re

from jupyter_npcompile.runtime.device.cuda import Cuda
from jupyter_npcompile.runtime.device.device import Device
from jupyter_npcompile.runtime.device.standin import standin, standin_single

CPU = "cpu"
"""The device on which NumPy runs too: nothing is copied."""

SINGLE = " float32"
"""What follows the name of a device where segments compute in single precision."""

DOUBLE = "float64"
"""Arrays are computed with as they are."""

_CUDA = re.compile(r"cuda(:\d+)?")


class MissingDeviceError(ValueError):
    """The device is known, and not there."""


def require(device: str) -> None:
    """Check that a device can be used.

    Parameters
    ----------
    device : str
        ``"cpu"``, ``"cuda"``, ``"cuda:1"`` or ``"standin"``.

    Raises
    ------
    ValueError
        When it is not known, or not there.

    Examples
    --------
    >>> require("cpu")
    >>> require("tpu")
    Traceback (most recent call last):
        ...
    ValueError: device 'tpu' is not known: use 'cpu', 'cuda', 'cuda:1' or 'standin'
    """
    if device in (CPU, standin.name):
        return
    if not _CUDA.fullmatch(device):
        raise ValueError(
            f"device {device!r} is not known: use 'cpu', 'cuda', 'cuda:1' or 'standin'"
        )
    import torch

    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if not count:
        why = (
            "this build of it is for the CPU only; install one for CUDA"
            if torch.version.cuda is None
            else "look whether nvidia-smi shows one"
        )
        raise MissingDeviceError(
            f"device {device!r} is not there: torch sees no CUDA device ({why}). "
            "Use 'cpu'; nothing was run"
        )
    index = Cuda(device).index
    if index >= count:
        there = "'cuda:0'" if count == 1 else f"'cuda:0' to 'cuda:{count - 1}'"
        raise MissingDeviceError(
            f"device {device!r} is not there: this machine has {count} CUDA "
            f"device{'' if count == 1 else 's'}, {there}; nothing was run"
        )


def plain(device: str) -> str:
    """The name of a device without its precision.

    Examples
    --------
    >>> plain("cuda:1 float32")
    'cuda:1'
    """
    return device.removesuffix(SINGLE)


def with_precision(device: str, dtype: str) -> str:
    """The name of a device on which segments compute in a precision.

    Parameters
    ----------
    device : str
        As for `require`.
    dtype : {"float64", "float32"}
        The second one: what is float64 or complex128 is computed in single precision.

    Examples
    --------
    >>> with_precision("cuda", "float32"), with_precision("cpu", "float32")
    ('cuda float32', 'cpu')
    """
    single = dtype != DOUBLE and device != CPU
    return plain(device) + SINGLE if single else plain(device)


@functools.cache
def _cuda(name: str) -> Cuda:
    return Cuda(name)


def device_of(name: str) -> Device | None:
    """The device of a name; None for the CPU.

    Examples
    --------
    >>> device_of("cpu") is None, device_of("standin").name
    (True, 'standin')
    """
    if name == CPU:
        return None
    if plain(name) == standin.name:
        return standin if name == standin.name else standin_single
    return _cuda(name)


def competes(name: str) -> bool:
    """Whether time decides between NumPy and a device.

    Examples
    --------
    >>> competes("cpu"), competes("standin")
    (True, False)
    """
    device = device_of(name)
    return device is None or device.competes
