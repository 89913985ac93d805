"""What a frame knows of the code that runs between its segments."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

from jupyter_npcompile.cell import Region
from jupyter_npcompile.cell.reach import Reach, reach
from jupyter_npcompile.runtime.device.device import Device
from jupyter_npcompile.runtime.device.plain_data import only_reads
from jupyter_npcompile.runtime.device.residency import Residency
from jupyter_npcompile.runtime.devices import device_of
from jupyter_npcompile.runtime.namespace import FrameNamespace, forget_locals


class Watch:
    """Lets go of a frame's copies on a device before something may write into their arrays.

    Parameters
    ----------
    device : Device
        Where its segments run.
    reaches : sequence of Reach or None
        What its skeleton tells, by number.
    copies : Residency, optional
        What is there already.
    """

    def __init__(
        self, device: Device, reaches: Sequence[Reach | None], copies: Residency | None = None
    ) -> None:
        self.residency = Residency(device) if copies is None else copies
        self._reaches = reaches

    def outside(self, number: int, frame: FrameType) -> None:
        """A statement outside regions is about to run, or the header of a loop has run."""
        if self.residency.nbytes:
            self._look([self._reaches[number]], frame)

    def native(self, region: Region, start: int, stop: int, frame: FrameType) -> None:
        """Python is about to run some statements of a region."""
        if self.residency.nbytes:
            nodes: list[ast.stmt] = [one.node for one in region.statements[start:stop]]
            self._look([reach(node) for node in nodes], frame)

    def _look(self, reaches: Sequence[Reach | None], frame: FrameType) -> None:
        try:
            look_up = FrameNamespace(frame).__getitem__
            if not _all_read(reaches, look_up):
                self.residency.drop()
        finally:
            forget_locals(frame)


def watch_of(
    device: str, reaches: Sequence[Reach | None] | None, copies: Residency | None = None
) -> Watch | None:
    """What watches a frame; None where nothing is kept between its segments."""
    found = device_of(device)
    if found is None or reaches is None:
        if copies is not None:
            copies.drop()
        return None
    return Watch(found, reaches, copies)


def _all_read(reaches: Sequence[Reach | None], look_up: Callable[[str], Any]) -> bool:
    """Whether none of several statements writes, as far as it can be told before the first."""
    bound: set[str] = set()
    for one in reaches:
        if one is None:
            return False
        paths = {path.partition(".")[0] for path in one.calls}
        if bound & (one.numbers | paths):
            return False  # what the statements before it have bound may be an array
        known = Reach(
            frozenset(path for path in one.values if path.partition(".")[0] not in bound),
            one.numbers,
            one.calls,
        )
        if not only_reads(known, look_up):
            return False
        bound |= one.binds
    return True
