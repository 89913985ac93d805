"""The headers of native loops, and what the compiler has read of them before."""

from __future__ import annotations

import fcntl
import functools
import hashlib
import json
import os
import shutil
import sysconfig
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

from jupyter_npcompile.loops.includes import COMMON, FOLDER, common
from jupyter_npcompile.runtime.native.gxx import run

PRECOMPILED = f"{COMMON}.gch"
"""What g++ looks for beside a header, and takes instead of it where its options are the same."""

UNUSED = 7 * 24 * 3600.0
"""Seconds after which what was precompiled for other headers is removed: of another version of
NumPy, say, in an environment that is still in use."""


@functools.cache
def numpy_folder() -> Path:
    """Where NumPy is, without importing it."""
    found = find_spec("numpy")
    return Path(found.origin).parent if found and found.origin else Path()


def folders() -> list[Path]:
    """Where headers are: ours, those of Python, and those of NumPy."""
    return [FOLDER, Path(sysconfig.get_paths()["include"]), numpy_folder() / "_core" / "include"]


def place(found: Path, options: list[str]) -> Path:
    """The folder for the precompiled form of `COMMON`, which is of use while nothing changes.

    Parameters
    ----------
    found : Path
        A folder of what was found out about this compiler and machine.
    options : list of str
        Those of the compiler.
    """
    ours, python, _ = folders()
    read = [ours / COMMON, *(ours / it for it in sorted(common()))]
    read += python / "patchlevel.h", numpy_folder() / "version.py"
    states = [(it.stat().st_size, it.stat().st_mtime_ns) for it in read if it.exists()]
    text = json.dumps([options, [str(it) for it in read], states])
    return found / f"headers-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def precompile(found: Path, compiler: list[str], options: list[str]) -> Path:
    """Compile `COMMON` for the loops to come: a short one takes half as long then.

    It takes as long as such a loop itself, so it is done when nobody waits for any.

    Parameters
    ----------
    found, options : Path, list of str
        As above.
    compiler : list of str
        The command.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    CompilerFailedError
        With the first line of what the compiler said.
    """
    folder = place(found, options)
    made = folder / PRECOMPILED
    for other in found.glob("headers-*"):
        if other != folder and time.time() - other.stat().st_mtime > UNUSED:
            shutil.rmtree(other, ignore_errors=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    search = [f"-I{it}" for it in folders()]
    reads = "-x", "c++-header", str(FOLDER / COMMON)
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another kernel may be about to do the same
        if not made.exists():
            with tempfile.TemporaryDirectory() as draft:
                run([*compiler, *options, *search, *reads, "-o", f"{draft}/{PRECOMPILED}"])
                shutil.move(f"{draft}/{PRECOMPILED}", made)
    finally:
        os.close(lock)
    return made
