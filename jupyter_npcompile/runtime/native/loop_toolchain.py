"""Compiles native loops, without torch."""

from __future__ import annotations

import hashlib
import os
import shlex
import sysconfig
import tempfile
from pathlib import Path

import numpy as np

from jupyter_npcompile import loops
from jupyter_npcompile.loops.library.random_numbers import DISTRIBUTIONS
from jupyter_npcompile.runtime.native.gxx import run

LOOPS = (
    *("-std=c++17", "-O3", "-march=native", "-fno-math-errno", "-ffp-contract=off", "-fwrapv"),
    *("-shared", "-fPIC", "-fvisibility=hidden", "-w"),
)
"""Options for native loops: fast, and every rounding and every flag where NumPy has it."""


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
    compiler = shlex.split(os.environ.get("CXX") or "g++")
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


def _loop_header(compiler: list[str], options: list[str], folder: Path) -> Path:
    """The header that all loops include, compiled once for each compiler."""
    folder_of_headers = Path(loops.__file__).with_name("headers")
    text = "".join((folder_of_headers / name).read_text() for name in HEADERS)
    found = "".join([*compiler, *options, text, run([*compiler, "--version"])])
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
        draft.replace(header)
        Path(f"{draft}.gch").replace(made)
    return header
