"""Compiles native loops, without torch."""

from __future__ import annotations

import hashlib
import sysconfig
import tempfile
from pathlib import Path

import numpy as np

from jupyter_npcompile import loops
from jupyter_npcompile.loops.library.random_numbers import DISTRIBUTIONS
from jupyter_npcompile.runtime.native.gxx import (
    CompilerFailedError,
    command,
    load_once,
    run,
    version,
)

LOOPS = (
    *("-std=c++17", "-O3", "-march=native", "-fno-math-errno", "-ffp-contract=off", "-fwrapv"),
    *("-shared", "-fPIC", "-fvisibility=hidden", "-w"),
)
"""Options for native loops: fast, and every rounding and every flag where NumPy has it."""


ENTRY = "npcompile_loop"
"""What the kernel looks for in a library."""

HEADERS = (
    *("support.hpp", "threads.hpp", "normals.hpp", "overlaps.hpp", "lanes.hpp", "mathematics.hpp"),
    *("reductions.hpp", "lists.hpp", "rearranging.hpp", "small_matrices.hpp"),
    *("linear_algebra.hpp", "small_systems.hpp", "spectra.hpp", "errors.hpp"),
    *(
        "searching.hpp",
        "histograms.hpp",
        "running.hpp",
        "selection.hpp",
        "fields.hpp",
        "correlations.hpp",
        "masks.hpp",
        "transforms.hpp",
    ),
)
"""What all loops include, in this order."""


def compile_loop(source: str, target: Path, headers: Path) -> None:
    """Compile a loop into a shared library.

    Parameters
    ----------
    source : str
        C++, without what it is made of: see `jupyter_npcompile.loops`.
    target : Path
        The library.
    headers : Path
        Folder for a precompiled header, which makes later compiles shorter.

    Raises
    ------
    CompilerFailedError
        With the first line of what the compiler said.
    """
    compiler = command()
    include = sysconfig.get_paths()["include"]
    options = [*LOOPS, f"-I{include}", f"-I{np.get_include()}"]
    text = target.with_suffix(".cpp")
    text.write_text(source)
    support = _loop_header(compiler, options, headers)
    try:
        libraries = [str(DISTRIBUTIONS)] if DISTRIBUTIONS.exists() else []
        sources = ["-include", str(support), str(text), *libraries]
        run([*compiler, *options, *sources, "-o", str(target)])
    finally:
        text.unlink()
    load_once(target, names=[ENTRY] if ENTRY in source else [], alone=True)


def _loop_header(compiler: list[str], options: list[str], folder: Path) -> Path:
    """The header that all loops include, compiled once for each compiler."""
    folder_of_headers = Path(loops.__file__).with_name("headers")
    text = "".join((folder_of_headers / name).read_text() for name in HEADERS)
    found = "".join([*compiler, *options, text, version()])
    header = folder / f"loops-{hashlib.sha256(found.encode()).hexdigest()[:16]}.hpp"
    made = header.with_name(f"{header.name}.gch")
    if made.exists():
        return header
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        draft = Path(scratch) / header.name
        draft.write_text(text)
        shared = [option for option in options if option != "-shared"]
        run([*compiler, *shared, "-x", "c++-header", str(draft), "-o", f"{draft}.gch"])
        if not Path(f"{draft}.gch").exists():
            raise CompilerFailedError(f"{Path(compiler[0]).name} wrote nothing")
        draft.replace(header)
        Path(f"{draft}.gch").replace(made)
    return header
