"""What a run on a device would take, predicted: plain data."""

from __future__ import annotations

from jupyter_npcompile.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Rates:
    """How fast a device is.

    Parameters
    ----------
    to_device, to_host : float
        Bytes a second that are copied.
    memory : float
        Bytes a second that kernels read and write.
    launch : float
        Seconds that a kernel costs besides.
    multiplications : float
        Multiplications with additions a second, in products of matrices.
    source : str
        Where the numbers come from.
    """

    to_device: float
    to_host: float
    memory: float
    launch: float
    multiplications: float
    source: str


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a segment takes, and would take on a device.

    Parameters
    ----------
    lines : tuple of int
        First and last line.
    now : str
        What runs it now.
    now_us : float or None
        Microseconds that it takes now; None where that was not measured.
    to_device, to_host : int
        Bytes that a run would copy.
    copies_us, kernels_us : float
        Microseconds that copies and kernels would take.
    """

    lines: tuple[int, int]
    now: str
    now_us: float | None
    to_device: int
    to_host: int
    copies_us: float
    kernels_us: float

    @property
    def us(self) -> float:
        """Microseconds with all copies."""
        return self.copies_us + self.kernels_us
