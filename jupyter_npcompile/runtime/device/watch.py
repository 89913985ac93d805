"""What a frame knows of the code that runs between its segments."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from types import FrameType, ModuleType
from typing import Any

import numpy as np

from jupyter_npcompile.cell import Region
from jupyter_npcompile.cell.reach import Reach, reach
from jupyter_npcompile.runtime.device.device import Device
from jupyter_npcompile.runtime.device.late import LateResults
from jupyter_npcompile.runtime.device.observers import dies_silently, is_unobserved
from jupyter_npcompile.runtime.device.plain_data import only_reads
from jupyter_npcompile.runtime.device.residency import Residency
from jupyter_npcompile.runtime.devices import device_of
from jupyter_npcompile.runtime.namespace import FrameNamespace, forget_locals
from jupyter_npcompile.tracer.memory import Array

_LAYOUT = frozenset({"shape", "size", "ndim", "dtype", "nbytes", "itemsize", "strides"})
"""Attributes of arrays that say nothing of their content."""


class Watch:
    """Looks after what a frame has on a device, while other code may run.

    Before something may write into an array, copies are let go of; before something
    may read one, results that are late are copied back.

    Parameters
    ----------
    device : Device
        Where its segments run.
    reaches : sequence of Reach or None
        What its skeleton tells, by number.
    copies : Residency, optional
        What is there already.
    waits : callable, optional
        Whether results may be late now, even beyond the end of the code: whoever has
        made the frame takes care of them. Without it, `end` does.

    Attributes
    ----------
    holds : bool
        Whether results may be late: however the code is left, `end` is called.
    """

    def __init__(
        self,
        device: Device,
        reaches: Sequence[Reach | None],
        copies: Residency | None = None,
        waits: Callable[[], bool] | None = None,
    ) -> None:
        self.residency = Residency(device) if copies is None else copies
        self.holds = waits is not None
        self._reaches = reaches
        self._waits = waits

    def open(self, frame: FrameType) -> None:
        """A segment may run next."""
        residency = self.residency
        residency.place = f"before line {frame.f_lineno}"
        residency.puts_off = (
            self.holds and is_unobserved() and (self._waits is None or self._waits())
        )
        if residency.late.are_old:
            residency.settle()

    def end(self) -> None:
        """Whoever comes next is not known."""
        if self._waits is not None:
            return
        self.holds = False
        self.residency.place = "at the end"
        self.residency.settle()

    def show(self) -> None:
        """A value is about to be displayed."""
        self.residency.place = "for the output"
        self.residency.settle()

    def outside(self, number: int, frame: FrameType) -> None:
        """A statement outside regions is about to run, or the header of a loop."""
        if self.residency.is_used:
            self._look([self._reaches[number]], frame)

    def native(self, region: Region, start: int, stop: int, frame: FrameType) -> None:
        """Python is about to run some statements of a region."""
        if self.residency.is_used:
            nodes: list[ast.stmt] = [one.node for one in region.statements[start:stop]]
            self._look([reach(node) for node in nodes], frame)

    def _look(self, reaches: Sequence[Reach | None], frame: FrameType) -> None:
        residency = self.residency
        residency.place = f"before line {frame.f_lineno}"
        try:
            look_up = FrameNamespace(frame).__getitem__
            if not _all_read(reaches, look_up):
                residency.drop()
            elif residency.late:
                arrays = _looks_at(reaches, look_up, residency.late)
                if arrays is None:
                    residency.settle()
                for array in arrays or ():
                    residency.late.settle_around(array, residency.place)
        finally:
            forget_locals(frame)


def watch_of(
    device: str,
    reaches: Sequence[Reach | None] | None,
    copies: Residency | None = None,
    waits: Callable[[], bool] | None = None,
) -> Watch | None:
    """What watches a frame; None where nothing is kept between its segments."""
    found = device_of(device)
    if found is None or reaches is None:
        if copies is not None:
            copies.drop()
        return None
    return Watch(found, reaches, copies, waits)


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


def _looks_at(
    reaches: Sequence[Reach | None], look_up: Callable[[str], Any], late: LateResults
) -> list[Array] | None:
    """What statements that only read may read of what is late; None where somebody is called."""
    arrays: list[Array] = []
    for one in reaches:
        assert one is not None
        for path in (*one.values, *one.calls):
            arrays += _late_in(path, look_up, late)
        if not all(dies_silently(_bound(name, look_up)) for name in one.binds):
            return None
    return arrays


def _late_in(path: str, look_up: Callable[[str], Any], late: LateResults) -> list[Array]:
    """The arrays that a name holds, now, whose content is asked for, and is late."""
    name, _, attribute = path.partition(".")
    if attribute in _LAYOUT or attribute == "append":
        return []
    found = _bound(name, look_up)
    pending: list[Any] = [vars(found).get(attribute) if type(found) is ModuleType else found]
    arrays: list[Array] = []
    while pending:  # plain data, and not too much of it: see `only_reads`
        value = pending.pop()
        if type(value) is np.ndarray:
            if late.concern(value):
                arrays.append(value)
        elif type(value) is dict:
            pending += value.values()
        elif type(value) in (tuple, list, set, frozenset):
            pending += value
    return arrays


def _bound(name: str, look_up: Callable[[str], Any]) -> Any:
    try:
        return look_up(name)
    except KeyError:
        return None
