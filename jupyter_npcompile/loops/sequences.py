"""What is left of that which a ``for`` goes through, as arguments of native code."""

from __future__ import annotations

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.loops.kinds import ArrayType


@dataclass(frozen=True, slots=True)
class Numbers:
    """What is left of a ``range``: two arguments, the next number and the step."""


@dataclass(frozen=True, slots=True)
class Rows:
    """What is left of an array that is iterated over: two arguments, the array and the place."""

    type: ArrayType


@dataclass(frozen=True, slots=True)
class Together:
    """Several in step: ``zip`` and ``enumerate``."""

    parts: tuple[Sequence, ...]


Sequence = Numbers | Rows | Together
