"""Runs the C++ compiler."""

from __future__ import annotations

import subprocess
from pathlib import Path

LIBRARY = "kernels.so"
"""The file of native code in an entry of the cache."""


class CompilerFailedError(Exception):
    """The C++ compiler is missing, or refused what it was given."""


class CodeRefusedError(CompilerFailedError):
    """The C++ compiler refused what it was given."""


def run(command: list[str]) -> str:
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
        With the first line of what it complained of; a `CodeRefusedError` where it ran.
    """
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise CompilerFailedError(f"{command[0]}: {error.strerror}") from error
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if "error" in line] or ["no message"]
        raise CodeRefusedError(f"{Path(command[0]).name}: {said[0].strip()}")
    return done.stdout
