"""What the compile worker of loops builds with. Imports no torch: it is ready at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from jupyter_npcompile.loops.includes import names
from jupyter_npcompile.runtime.native.gxx import LIBRARY
from jupyter_npcompile.runtime.native.loop_toolchain import compile_loop, precompile

__all__ = ["FOUND", "build", "example", "probe", "rest", "support"]

support = None
"""Loops need nothing but themselves."""

FOUND = "loops"
"""The folder for what this finds out about the machine."""


def build(
    source: str, folder: Path, headers: Path, progress: Callable[[str], None]
) -> Mapping[str, Any]:
    """Compile a native loop, with the headers that `rest` has left: see `compile_job.Build`."""
    progress("C++")
    compile_loop(source, folder / LIBRARY, headers)
    return {}


example = None
"""Nothing is compiled beforehand: no loop would be ready earlier."""


def probe() -> None:
    """Read what the headers define; the compiler itself asks which processor this is."""
    names()


rest = precompile
"""Headers are precompiled once, while nobody waits for a loop: the next ones are ready sooner."""
