"""Which tier a plan gets: one decision that can be read aloud."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Literal

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.runtime.devices import CPU, competes
from jupyter_npcompile.runtime.settings import settings

if TYPE_CHECKING:
    from jupyter_npcompile.runtime.trial import Trial

When = Literal["now", "later", "never"]


@dataclass(frozen=True, slots=True)
class Options:
    """How one cell or function is compiled.

    Parameters
    ----------
    device : str
        Where segments run.
    ahead : bool
        Compile before running, and wait for it.
    trial : Trial or None
        The run is compared with NumPy: a forced tier, nothing kept.
    """

    device: str = "cpu"
    ahead: bool = False
    trial: Trial | None = field(default=None, compare=False)


def choose(options: Options) -> tuple[str, When]:
    """The tier to compile for, and whether the caller waits.

    A forced tier is compiled at once, so that the very run that asked for it
    uses it. Otherwise a plan is compiled in the background, and NumPy runs
    until it is ready; ``ahead`` waits. On a device, the tier is its name.

    Returns
    -------
    tier : str
    when : {"now", "later", "never"}
    """
    if options.trial is not None:
        return options.trial.tier, "now"
    if settings.tier in ("numpy", "native-loop"):
        return "numpy", "never"
    if options.device != CPU:
        waits = options.ahead or not is_open(options)
        return options.device, "now" if waits else "later"
    if settings.tier in ("aten", "inductor"):
        return settings.tier, "now"
    return "inductor", "now" if options.ahead else "later"


def loops_when(options: Options) -> When:
    """Whether native loops are compiled, and whether the caller waits.

    They run on the CPU. On a device they compete with its segments, if time decides there.
    """
    if options.trial is not None or settings.tier not in ("auto", "native-loop"):
        return "never"
    if options.device != CPU and not is_open(options):
        return "never"
    return "now" if options.ahead or settings.tier == "native-loop" else "later"


def is_open(options: Options) -> bool:
    """Whether time decides what runs: nobody has asked for a tier, or for the stand-in."""
    if options.trial is not None or settings.tier != "auto":
        return False
    return options.device == CPU or competes(options.device)


LIBRARY_SHARE = 0.9
"""Part of the time that NumPy's libraries must take, to be all that matters."""

WORTHWHILE = 2e-3
"""Seconds in NumPy, below which calls count for something, too."""


def is_bound(numpy_seconds: float, library_seconds: float) -> bool:
    """Whether hardly anything can be gained, for NumPy's libraries take nearly all of the time.

    Examples
    --------
    >>> is_bound(0.04, 0.038), is_bound(0.04, 0.03), is_bound(1e-5, 1e-5)
    (True, False, False)
    """
    return numpy_seconds >= WORTHWHILE and library_seconds >= LIBRARY_SHARE * numpy_seconds


GUARDS_US = 1.7
"""Microseconds that the guards around a compiled segment cost besides."""


def faster(numpy_us: float, compiled_us: float) -> bool:
    """Whether what was compiled may replace NumPy in automatic mode."""
    return compiled_us + GUARDS_US <= numpy_us


HOPELESS = 4.0
"""How many times as long as NumPy compiled code must have taken in a rehearsal, to be given up: it
ran in another process, on memory that was new."""

HARMLESS = 0.02
"""Seconds that may be lost to find out exactly."""


def is_hopeless(numpy_seconds: float, rehearsed: float) -> bool:
    """Whether compiled code need not run in the user's process to show that it is slower.

    Parameters
    ----------
    numpy_seconds, rehearsed : float
        What both have taken; 0 where that is not known.

    Examples
    --------
    >>> is_hopeless(0.02, 0.76), is_hopeless(0.02, 0.05), is_hopeless(0.001, 0.01)
    (True, False, False)
    """
    is_known = numpy_seconds > 0
    return is_known and rehearsed > max(HOPELESS * numpy_seconds, numpy_seconds + HARMLESS)
