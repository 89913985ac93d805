"""What was copied between the host and a device."""

from __future__ import annotations

from dataclasses import field

from jupyter_npcompile.dataclass import dataclass


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
        Bytes of each result of the last run that was copied back, by node id.
    late : int
        Bytes of results that were not copied back, or not yet.
    left : dict of int to int
        Those of the last run.
    waiting : int
        Bytes of results that somebody may still ask for.
    moments : dict of int to str
        When results of the last run were copied back that had waited for it.
    stranger : str
        The thread because of which the last run has left nothing on the device.
    """

    runs: int = 0
    to_device: int = 0
    to_host: int = 0
    spared: int = 0
    seconds: float = 0.0
    inputs: dict[int, int] = field(default_factory=dict)
    spared_inputs: dict[int, int] = field(default_factory=dict)
    outputs: dict[int, int] = field(default_factory=dict)
    late: int = 0
    left: dict[int, int] = field(default_factory=dict)
    waiting: int = 0
    moments: dict[int, str] = field(default_factory=dict)
    stranger: str = ""

    def begin(self, inputs: dict[int, int], spared: dict[int, int]) -> None:
        """A run has copied inputs; others were there already."""
        self.runs += 1
        self.inputs, self.spared_inputs = inputs, spared
        self.outputs, self.left, self.moments = {}, {}, {}
        self.to_device += sum(inputs.values())
        self.spared += sum(spared.values())

    def note_return(self, node: int, nbytes: int) -> None:
        """A result of the last run was copied back."""
        self.to_host += nbytes
        self.outputs[node] = self.outputs.get(node, 0) + nbytes

    def note_late(self, node: int, nbytes: int) -> None:
        """A result of the last run was not copied back."""
        self.late += nbytes
        self.waiting += nbytes
        self.left[node] = self.left.get(node, 0) + nbytes

    def note_end(self, nbytes: int) -> None:
        """A result is not late any more: it was copied back, or it is gone."""
        self.waiting -= nbytes

    def note_late_return(self, node: int, run: int, nbytes: int, when: str) -> None:
        """A result of some run was copied back after all."""
        self.late -= nbytes
        if run == self.runs:
            self.left.pop(node, None)
            self.moments[node] = when
            self.note_return(node, nbytes)
        else:
            self.to_host += nbytes
