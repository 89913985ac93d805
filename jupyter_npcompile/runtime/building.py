"""What the compile worker builds with: the only module that it must be told of.

Imports torch: it is imported in the worker alone.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from jupyter_npcompile.graph.nodes import Graph, Node, Output, Position, Ref, ValueType
from jupyter_npcompile.runtime import stamp
from jupyter_npcompile.runtime.native import build as native
from jupyter_npcompile.runtime.native import toolchain
from jupyter_npcompile.runtime.native.toolchain import compile_dispatch as support

__all__ = ["FOUND", "build", "example", "probe", "rest", "support"]

rest = None
"""Segments leave nothing to be done later."""

FOUND = "found"
"""The folder for what this finds out about the machine."""


def build(
    subject: Graph | str, folder: Path, headers: Path, progress: Callable[[str], None]
) -> Any:
    """Build a segment, or the source of a library that keeps the time: see `native.build`."""
    made = native.build_timed if isinstance(subject, str) else native.build
    return made(subject, folder, headers, progress)  # type: ignore[arg-type]


def example() -> Graph:
    """A small graph to compile for the sake of compiling: ``x * 2.0 + x``."""
    array = ValueType("array", "float64", (8,), (8,))
    x = Node(0, "input", name="x", types=(array,), position=Position(0, 0))
    double = Node(1, "numpy.multiply", (Ref(0), 2.0), types=(array,), position=Position(1, 0))
    total = Node(2, "numpy.add", (Ref(1), Ref(0)), types=(array,), position=Position(2, 0))
    return Graph("numpy", (x,), (double, total), (Output("y", Ref(2)),))


def probe() -> None:
    """Find out which instruction sets the compiler and the processor know.

    Inductor keeps the small libraries that it tries, but loads each of them
    again in a process of its own, in every kernel: seconds, for what cannot
    have changed. So the answers are kept beside them.
    """
    from torch._inductor import cpu_vec_isa
    from torch._inductor.runtime.cache_dir_utils import cache_dir

    folder = Path(cache_dir())
    toolchain.use_command(folder)
    base: Any = cpu_vec_isa.VecISA
    check, fingerprint = base.check_build, cpu_vec_isa._get_isa_dry_compile_fingerprint

    def remembered(isa: Any, code: str) -> bool:
        known = stamp.digest(code, fingerprint(isa.build_arch_flags()))
        note = folder / f"{known}.loads"
        if not note.exists():
            note.write_text(str(bool(check(isa, code))))
        return note.read_text() == "True"

    base.check_build = remembered
    try:
        cpu_vec_isa.pick_vec_isa()
    finally:
        base.check_build = check
