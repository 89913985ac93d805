"""What the compile worker builds with: the only module that it must be told of.

Imports torch: it is imported in the worker alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from jupyter_npcompile.runtime.native.build import LIBRARY, build
from jupyter_npcompile.runtime.native.toolchain import compile_dispatch as support
from jupyter_npcompile.runtime.native.toolchain import compile_loop

__all__ = ["build", "build_loop", "probe", "support"]


def build_loop(
    source: str, folder: Path, headers: Path, progress: Callable[[str], None]
) -> Mapping[str, Any]:
    """Compile a native loop: see `compile_job.BuildLoop`."""
    progress("C++")
    compile_loop(source, folder / LIBRARY, headers)
    return {}


def probe() -> None:
    """Find out which instruction sets the compiler and the processor know.

    Inductor keeps the small libraries that it tries, but loads each of them
    again in a process of its own, in every kernel: seconds, for what cannot
    have changed. So the answer is kept beside the library.
    """
    from torch._inductor import cpu_vec_isa

    base: Any = cpu_vec_isa.VecISA
    load = base._probe_load

    def remembered(isa: Any, library: str) -> bool:
        note = Path(f"{library}.loads")
        if not note.exists():
            note.write_text(str(bool(load(isa, library))))
        return note.read_text() == "True"

    base._probe_load = remembered
    try:
        cpu_vec_isa.pick_vec_isa()
    finally:
        base._probe_load = load
