"""What the compile worker of loops builds with. Imports no torch: it is ready at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from jupyter_npcompile.runtime.native.gxx import LIBRARY
from jupyter_npcompile.runtime.native.loop_toolchain import compile_loop

__all__ = ["FOUND", "build", "example", "probe", "support"]

support = None
"""Loops need nothing but themselves."""

FOUND = "loops"
"""The folder for what this finds out about the machine."""


def build(
    source: str, folder: Path, headers: Path, progress: Callable[[str], None]
) -> Mapping[str, Any]:
    """Compile a native loop: see `compile_job.Build`."""
    progress("C++")
    compile_loop(source, folder / LIBRARY, headers)
    return {}


def example() -> str:
    """Nothing, to compile for the sake of the header that all loops include."""
    return ""


def probe() -> None:
    """Nothing to find out: the compiler itself asks which processor this is."""
