"""What was measured in turns, with the machine and the day: a file, and a section's first lines."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests.benchmarks.machine import today


@dataclass(frozen=True)
class Turns:
    """What was measured in turns.

    Parameters
    ----------
    machine : dict of str to str
        What it was measured on.
    date : str
        When the first of it was.
    """

    machine: dict[str, str]
    date: str = field(default_factory=today)

    def begin(self, heading: str) -> list[str]:
        """The heading of a section, and when and on what it was measured."""
        known = " · ".join(f"{name}: {value}" for name, value in self.machine.items())
        return [heading, f"measured: {self.date} · {known}"]

    def write(self, path: Path) -> None:
        """Write a file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(self)) + "\n")


def read(path: Path) -> dict[str, Any]:
    """Read what `Turns.write` wrote."""
    data: dict[str, Any] = json.loads(path.read_text())
    return data
