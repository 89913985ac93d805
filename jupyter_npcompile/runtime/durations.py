"""How long the phases of compiling took before, and so how long they may take now."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping
from pathlib import Path

from jupyter_npcompile.runtime.cache_folder import UntrustedError, require_own, write_atomically

PHASES = ("trace", "lower", "generate", "C++", "load")
"""In the order in which they come."""

KEPT = 25
"""Compiles that the estimate looks back on."""

GUESSES = {"trace": 0.05, "lower": 0.3, "generate": 0.7, "C++": 2.0, "load": 0.01}
"""Seconds, before anything was measured."""


class Durations:
    """Seconds that each phase took, in a file.

    Parameters
    ----------
    path : Path
        The file; made with the first measurement.

    Examples
    --------
    >>> import tempfile
    >>> durations = Durations(Path(tempfile.mkdtemp()) / "durations.json")
    >>> durations.add({"lower": 0.25, "C++": 1.5})
    >>> durations.estimate()["C++"]
    1.5
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, seconds: Mapping[str, float]) -> None:
        """Note how long one compile took.

        Raises
        ------
        OSError
            When that cannot be written.
        """
        known = self._read()
        for phase, value in seconds.items():
            known[phase] = [*known.get(phase, ()), round(float(value), 4)][-KEPT:]
        write_atomically(self.path, json.dumps(known))

    def estimate(self) -> dict[str, float]:
        """The seconds that each phase will probably take: the median of the latest."""
        known = self._read()
        return {
            phase: statistics.median(known[phase]) if known.get(phase) else GUESSES[phase]
            for phase in PHASES
        }

    def _read(self) -> dict[str, list[float]]:
        """What was measured; nothing where the file is not ours or makes no sense."""
        try:
            require_own(self.path)
            found = json.loads(self.path.read_text(encoding="utf-8"))
            return {str(phase): [float(v) for v in values] for phase, values in found.items()}
        except (OSError, UntrustedError, ValueError, TypeError, AttributeError):
            return {}  # an estimate is made from guesses then
