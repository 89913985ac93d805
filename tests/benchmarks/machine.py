"""What was measured on: the machine, the versions, the sources."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from tests.benchmarks.tools import Tool, processors

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "jupyter_npcompile"
PROGRAMS = Path(__file__).parent / "programs"

PROTOCOL = 2
"""Raised when what is measured, or how, changes: all rows are then taken again."""


def processor() -> str:
    """Name of the processor, as it says itself."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2] for line in text.splitlines() if line.startswith("model name")]
    return " ".join(names[0].split()) if names else platform.machine()


def memory() -> str:
    """How much memory there is."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return f"{pages / 2**30:.0f} GiB"


def commit() -> str:
    """The commit that is checked out, and whether anything was changed since."""
    try:
        name = _git("rev-parse", "--short", "HEAD")
        changed = _git("status", "--porcelain", "--", "jupyter_npcompile", "tests/benchmarks")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{name} with changes" if changed else name


def _git(*arguments: str) -> str:
    command = ["git", *arguments]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def describe(tools: Iterable[Tool]) -> dict[str, str]:
    """The machine and the versions, for the report."""
    versions = {name: v for tool in tools for name, v in tool.versions().items()}
    return {
        "processor": f"{processor()}, {processors()} processors",
        "memory": memory(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **versions,
        "commit": commit(),
    }


def today() -> str:
    """The date, in UTC."""
    return datetime.now(UTC).strftime("%Y-%m-%d")


SOURCES = (".py", ".hpp", ".cpp", ".c")
"""Of the package: what native loops include is part of it."""


@cache
def _digest(folder: Path) -> str:
    hashed = hashlib.sha256()
    sources = (path for path in folder.rglob("*") if path.suffix in SOURCES)
    for path in sorted(sources):
        hashed.update(path.relative_to(folder).as_posix().encode() + b"\0")
        hashed.update(path.read_bytes() + b"\0")
    return hashed.hexdigest()


def key(tool: Tool, program: str = "", protocol: int = PROTOCOL) -> str:
    """A digest of all that the figures of a program in a tool depend on.

    The machine, the versions, the program's sources, and for this package its
    own: after a change to it nothing else is measured again.
    """
    parts = [str(protocol), processor(), str(processors()), platform.python_version()]
    parts += [f"{name} {version}" for name, version in sorted(tool.versions().items())]
    if program:
        parts.append(_digest(PROGRAMS / program))
    if tool.name == "ours":
        parts.append(_digest(PACKAGE))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
