"""What the compile worker of loops builds with. Imports no torch: it is ready at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from jupyter_npcompile.loops.includes import names
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
    """Compile a native loop, without anything in `headers`: see `compile_job.Build`."""
    progress("C++")
    compile_loop(source, folder / LIBRARY)
    return {}


example = None
"""Nothing is compiled beforehand: no loop would be ready earlier."""


def probe() -> None:
    """Read the headers; the compiler itself asks which processor this is."""
    names()
