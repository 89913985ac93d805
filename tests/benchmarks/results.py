"""What was measured, as plain data with JSON in and out.

A `Row` is one program in one tool. It carries a key of all that its figures
depend on, so that a later run knows which rows still hold.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

from tests.benchmarks.timing import Timing

Status = Literal["ok", "wrong", "timeout", "error", "not tried", "no peer"]
"""How a program ended in a tool: with NumPy's result, with another one, not in
time, with an exception, not tried since it took too long at a smaller size, or
there is no version of it for the tool."""

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Capture:
    """What this package made of a program.

    Parameters
    ----------
    tiers : tuple of str
        The tier of each region.
    segments, artifacts : int
        Of all regions.
    breaks : tuple of str
        Line and reason of each break point.
    host_lines : int
        Lines whose NumPy calls stay in NumPy.
    recordings, recompiles, fallbacks, replaced : int
        Counters of the runtime.
    settled : bool
        Whether compiling ended in time.
    notes : tuple of str
        What the regions say, such as why NumPy was kept.
    """

    tiers: tuple[str, ...] = ()
    segments: int = 0
    artifacts: int = 0
    breaks: tuple[str, ...] = ()
    host_lines: int = 0
    recordings: int = 0
    recompiles: int = 0
    fallbacks: int = 0
    replaced: int = 0
    settled: bool = True
    notes: tuple[str, ...] = ()

    @property
    def tier(self) -> str:
        """The tiers that ran, the compiled ones first."""
        found = sorted(set(self.tiers) - {"numpy"})
        return " + ".join([*found, *(["numpy"] if "numpy" in self.tiers else [])]) or "numpy"

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild from what `asdict` wrote."""
        lists = {name: tuple(data[name]) for name in ("tiers", "breaks", "notes")}
        return cls(**{**data, **lists})


@dataclass(frozen=True, slots=True)
class Measured:
    """One program in one tool at one size.

    Parameters
    ----------
    status : Status
        How it ended.
    first_s : float, optional
        Seconds until the first result of this size, nothing compiled before.
    ready_s : float, optional
        Seconds from the first call until the steady state was reached.
    timing : Timing, optional
        The steady state.
    lost_s : float
        Seconds that were waited for nothing.
    message : str
        What went wrong.
    bound : float, optional
        Share of the memory bandwidth's bound.
    peak_mb : float, optional
        The most memory that the process had used before NumPy ran beside the
        tool; of the first size that a process runs, no other process's.
    capture : Capture, optional
        What this package made of it.
    system_s : float
        Seconds of the first result in which the operating system worked for the caller: most of
        them go into memory that is touched for the first time.
    """

    status: Status
    first_s: float | None = None
    ready_s: float | None = None
    timing: Timing | None = None
    lost_s: float = 0.0
    message: str = ""
    bound: float | None = None
    peak_mb: float | None = None
    capture: Capture | None = None
    system_s: float = 0.0

    @property
    def own_first_s(self) -> float | None:
        """Seconds until the first result, what the operating system took aside."""
        return None if self.first_s is None else self.first_s - self.system_s

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild from what `asdict` wrote."""
        timing, capture = data["timing"], data["capture"]
        rebuilt = {
            "timing": timing and Timing(**timing),
            "capture": capture and Capture.from_dict(capture),
        }
        return cls(**{**data, **rebuilt})


@dataclass(frozen=True, slots=True)
class Restart:
    """A program in a new process with the caches of an earlier one.

    Parameters
    ----------
    import_s : float
        Seconds to import the tool.
    again : Measured
        The first result and the steady state at the medium size.
    """

    import_s: float
    again: Measured

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild from what `asdict` wrote."""
        return cls(data["import_s"], Measured.from_dict(data["again"]))


@dataclass(frozen=True, slots=True)
class Row:
    """One program in one tool.

    Parameters
    ----------
    program, kind, tool : str
        The program, its class, the tool.
    key : str
        A digest of all that the figures depend on.
    date : str
        When they were taken.
    import_s : float, optional
        Seconds to import the tool, with NumPy there already.
    single : dict of str to Measured
        By size, in one thread.
    threaded : dict of str to Measured
        By size, with all threads.
    restart : Restart, optional
        In a new process, with the caches kept.
    """

    program: str
    kind: str
    tool: str
    key: str
    date: str
    import_s: float | None = None
    single: dict[str, Measured] = field(default_factory=dict)
    threaded: dict[str, Measured] = field(default_factory=dict)
    restart: Restart | None = None

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild from what `asdict` wrote."""
        sizes = {
            name: {size: Measured.from_dict(one) for size, one in data[name].items()}
            for name in ("single", "threaded")
        }
        restart = data["restart"]
        rebuilt = {**sizes, "restart": restart and Restart.from_dict(restart)}
        return cls(**{**data, **rebuilt})


@dataclass(frozen=True, slots=True)
class Overhead:
    """A tool on three numbers, in a process in which it has never been used before.

    Parameters
    ----------
    key, date : str
        As in a row.
    import_s : float
        Seconds to import the tool.
    first_use_s : float
        Seconds until it runs compiled, with empty caches: what is done once a machine.
    timing : Timing
        The steady state: what a call costs.
    """

    key: str
    date: str
    import_s: float
    first_use_s: float
    timing: Timing

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild from what `asdict` wrote."""
        return cls(**{**data, "timing": Timing(**data["timing"])})


@dataclass
class Results:
    """All that was measured.

    Parameters
    ----------
    machine : dict of str to str
        What it was measured on, and with which versions.
    rows : dict of (str, str) to Row
        By program and tool.
    overheads : dict of str to Overhead
        By tool.
    bandwidth : float, optional
        Bytes per second that a copy in one thread moves.
    skipped : dict of str to str
        Tools that were not measured, and why.
    """

    machine: dict[str, str] = field(default_factory=dict)
    rows: dict[tuple[str, str], Row] = field(default_factory=dict)
    overheads: dict[str, Overhead] = field(default_factory=dict)
    bandwidth: float | None = None
    skipped: dict[str, str] = field(default_factory=dict)

    def add(self, row: Row) -> None:
        """Keep a row, in place of an earlier one of the same program and tool."""
        self.rows[row.program, row.tool] = row

    def has(self, program: str, tool: str, key: str) -> bool:
        """Whether there is a row with this key."""
        row = self.rows.get((program, tool))
        return row is not None and row.key == key

    def to_json(self) -> str:
        """Write as JSON text."""
        data = {
            "schema": SCHEMA,
            "machine": self.machine,
            "bandwidth": self.bandwidth,
            "skipped": self.skipped,
            "overheads": {tool: asdict(one) for tool, one in self.overheads.items()},
            "rows": [asdict(row) for row in self.rows.values()],
        }
        return json.dumps(data, indent=1, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote.

        Raises
        ------
        ValueError
            When it is of another version.
        """
        data = json.loads(text)
        if data.get("schema") != SCHEMA:
            raise ValueError(f"results of schema {data.get('schema')!r}, not {SCHEMA}")
        found = cls(data["machine"], bandwidth=data["bandwidth"], skipped=data["skipped"])
        for row in map(Row.from_dict, data["rows"]):
            found.add(row)
        found.overheads = {t: Overhead.from_dict(one) for t, one in data["overheads"].items()}
        return found

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file; nothing where there is none, or one of another version."""
        try:
            return cls.from_json(path.read_text())
        except (FileNotFoundError, ValueError):
            return cls()

    def write(self, path: Path) -> None:
        """Write a file, whole or not at all."""
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(".new")
        fresh.write_text(self.to_json())
        fresh.replace(path)
