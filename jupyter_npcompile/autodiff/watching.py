"""Iterations that run without being recorded, as long as they can be run again.

What they compute is computed once more when its gradient is wanted. So they
may do nothing but compute: the first print, draw or change of something that
others see raises `Unrepeatable`, before it happens.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np

from jupyter_npcompile.autodiff.errors import Note
from jupyter_npcompile.autodiff.snapshots import Keeper, Snapshot
from jupyter_npcompile.autodiff.taints import CutInt, Step, contents
from jupyter_npcompile.autodiff.tape import Tape
from jupyter_npcompile.tracer.memory import Array, is_supported, owner


class Unrepeatable(BaseException):
    """An iteration is about to do something that must happen once.

    It is no `Exception`, so that code of the user does not handle it.
    """


class _Refusal(list[str]):
    """A list into which nothing may be put."""

    def append(self, item: Any) -> NoReturn:
        """Something is about to happen."""
        raise Unrepeatable(str(item))


class _NoStreams:
    def note(self, generator: Any) -> NoReturn:
        """Random numbers are about to be drawn."""
        raise Unrepeatable("random numbers are drawn")


class WatchTape(Tape):
    """Nothing is active here; it sees what is on the tape around it, and what is written.

    Parameters
    ----------
    around : Tape
        Of the run.
    containers : iterable
        Lists, dicts and sets that the iterations find.

    Attributes
    ----------
    seen : dict
        Active values of the run that were used, by identity.
    written : set of int
        Owners of memory that was written, by identity.
    """

    def __init__(self, around: Tape, containers: Iterable[Any]) -> None:
        super().__init__()
        self.around = around
        self.seen: dict[int, Any] = {}
        self.keeper = Keeper()
        self.rolling: Snapshot | None = None
        self.written: set[int] = set()
        self._foreign: dict[int, tuple[weakref.ref[Array], Array]] = {}
        self.effects = _Refusal()
        self.custom = _Refusal()
        self.streams = _NoStreams()  # type: ignore[assignment]
        self.filename, self.functions = around.filename, list(around.functions)
        self.outside = {id(container): container for container in containers}

    @property
    def printed(self) -> bool:
        """Nothing was printed."""
        return False

    @printed.setter
    def printed(self, value: bool) -> None:
        if value:
            raise Unrepeatable("something is printed")

    def note(self, text: str) -> None:
        """Notes belong to the run."""
        self.around.notes[Note(self.place, text)] = None

    def demand_recording(self) -> NoReturn:
        """Something needs a tape."""
        raise Unrepeatable("a derivative is taken")

    def node_of(self, value: Any) -> None:
        """Nothing is active; what is active outside is noted."""
        known = self.around.known(value)
        if known is not None:
            if isinstance(known, CutInt | int):
                raise Unrepeatable("an integer was made of an active number")
            self.seen[id(known)] = known

    def is_active(self, value: Any) -> bool:
        """Nothing is."""
        self.node_of(value)
        return False

    def makes_text(self, values: Any) -> bool:
        """Text or the like is made; nobody knows whether of something active."""
        if _has_numbers(values):
            raise Unrepeatable("text is made of numbers")
        return False

    def tainted_in(self, values: Any, depth: int = 3) -> Step | None:
        """What was made by something that is not followed is left to the tape."""
        if self.around.tainted_in(values, depth) is not None:
            raise Unrepeatable("an object holds active numbers")
        return None

    # -- writes

    def before_write(self, target: Array) -> None:
        """Keep what snapshots need of the memory."""
        base = owner(target)
        self.around.before_write(target)
        self.written.add(id(base))
        copy = self.keeper.before_write(base)
        assert self.rolling is not None
        self.rolling.before_write(base, copy)
        if id(base) in self.rolling.memory or id(base) in self._foreign:
            return
        if base.base is not None or not is_supported(base.dtype):
            raise Unrepeatable("memory of a library is written")
        self._foreign[id(base)] = (weakref.ref(base), base.copy(order="K"))

    def end_iteration(self, bound: Iterable[Any]) -> None:
        """Memory that was written must belong to the names of the loop, or be gone.

        Raises
        ------
        Unrepeatable
            When something else holds it.
        """
        if self._foreign:
            owners = {id(owner(value)) for value in bound if isinstance(value, np.ndarray)}
            for key, (reference, _) in self._foreign.items():
                if key not in owners and reference() is not None:
                    raise Unrepeatable("an array that is no name of the loop is written")
            self._foreign = {}

    def undo_iteration(self) -> None:
        """What was written besides the names of the loop is as it was before."""
        for reference, copy in self._foreign.values():
            base = reference()
            if base is not None:
                np.copyto(base, copy)
        self._foreign = {}


def _has_numbers(values: Any, depth: int = 3) -> bool:
    if isinstance(values, np.ndarray):
        return values.dtype.kind not in "biuSU"
    if isinstance(values, float | complex | np.inexact):
        return True
    return bool(depth) and any(_has_numbers(value, depth - 1) for value in contents(values))
