"""Runs the C++ compiler, and looks at what it wrote."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from jupyter_npcompile.runtime.native import compilers

LIBRARY = "kernels.so"
"""The file of native code in an entry of the cache."""

LATE = "-Wl,-undefined,dynamic_lookup" if sys.platform == "darwin" else "-Wl,-z,undefs"
"""What tells the linker that names of Python and NumPy are found when the library is loaded.

Linkers of macOS refuse names that they do not know, and so do those that are told to (``-z defs``).
"""


class CompilerFailedError(Exception):
    """The C++ compiler is missing, or refused what it was given, or wrote nothing of use."""


class CompilerMissingError(CompilerFailedError):
    """There is no such program."""


class CodeRefusedError(CompilerFailedError):
    """The C++ compiler refused what it was given."""


def command(variable: str = "CXX") -> list[str]:
    """The compiler that the user has named, or the one that is there.

    Parameters
    ----------
    variable : {"CXX", "CC"}
        For C++ or for C.

    Raises
    ------
    CompilerFailedError
        When the variable of that name says what is no command.
    """
    try:
        return compilers.named(variable) or compilers.found(variable)
    except ValueError as error:
        told = os.environ.get(variable)
        raise CompilerFailedError(f"{variable} is {told!r}: {error}") from None


def run(command: Sequence[str]) -> str:
    """Run a command.

    Parameters
    ----------
    command : list of str
        The program and its arguments.

    Returns
    -------
    str
        What it printed.

    Raises
    ------
    CompilerFailedError
        With the first line of what it complained of; a `CodeRefusedError` where it ran,
        a `CompilerMissingError` where there is no such program.
    """
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, errors="replace"
        )
    except FileNotFoundError as error:
        raise CompilerMissingError(f"{command[0]}: {error.strerror}") from error
    except OSError as error:
        raise CompilerFailedError(f"{command[0]}: {error.strerror}") from error
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if "error" in line] or ["no message"]
        raise CodeRefusedError(f"{Path(command[0]).name}: {said[0].strip()}")
    return done.stdout


def version() -> str:
    """What the compiler says of itself.

    Raises
    ------
    CompilerFailedError
        When there is none, or it does not run.
    """
    return run([*command(), "--version"])


def load_once(library: Path, *, names: Sequence[str] = (), alone: bool = False) -> None:
    """Load a library here, in the process of the job: one that is broken must not end a kernel.

    Parameters
    ----------
    library : Path
        What the compiler wrote.
    names : sequence of str
        What it must hold.
    alone : bool
        Whether it needs nothing that only a kernel has.

    Raises
    ------
    CompilerFailedError
        When it cannot be loaded, or lacks a name.
    """
    try:
        loaded = ctypes.CDLL(str(library))
    except OSError as error:
        if alone or "undefined symbol" not in str(error):
            reason = str(error).removeprefix(f"{library}: ")
            raise CompilerFailedError(f"what was compiled cannot be loaded: {reason}") from None
        return
    for name in names:
        if not hasattr(loaded, name):
            raise CompilerFailedError(f"what was compiled does not hold {name}")
