"""What was copied between the host and a device."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Traffic:
    """What the runs of a segment have copied.

    Parameters
    ----------
    runs : int
        How many there were.
    to_device, to_host : int
        Bytes.
    spared : int
        Bytes of inputs that were on the device already.
    seconds : float
        Time that copying has taken.
    inputs : dict of int to int
        Bytes of each input that the last run has copied, by node id.
    spared_inputs : dict of int to int
        Those of inputs that were on the device already.
    outputs : dict of int to int
        Bytes of each result that the last run has copied back, by node id.
    """

    runs: int = 0
    to_device: int = 0
    to_host: int = 0
    spared: int = 0
    seconds: float = 0.0
    inputs: dict[int, int] = field(default_factory=dict)
    spared_inputs: dict[int, int] = field(default_factory=dict)
    outputs: dict[int, int] = field(default_factory=dict)
