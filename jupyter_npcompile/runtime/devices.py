"""Where segments can run."""

from __future__ import annotations

import re

_DEVICE = re.compile(r"cpu|cuda(:\d+)?")


def require(device: str) -> None:
    """Check that a device can be used.

    Parameters
    ----------
    device : str
        ``"cpu"``, ``"cuda"`` or ``"cuda:0"``.

    Raises
    ------
    ValueError
        When it is not known, not there, or not supported yet.

    Examples
    --------
    >>> require("cpu")
    >>> require("tpu")
    Traceback (most recent call last):
        ...
    ValueError: device 'tpu' is not known: use 'cpu' or 'cuda'
    """
    if not _DEVICE.fullmatch(device):
        raise ValueError(f"device {device!r} is not known: use 'cpu' or 'cuda'")
    if device == "cpu":
        return
    import torch

    if not torch.cuda.is_available():
        raise ValueError(
            f"device {device!r} is not there: torch sees no CUDA device. Use 'cpu'; nothing was run"
        )
    raise ValueError(
        f"device {device!r}: segments do not run on CUDA in this version. Use 'cpu'; "
        "nothing was run"
    )
