"""Which C and C++ compilers there are: those that the user names, or that are found."""

from __future__ import annotations

import os
import shlex
import shutil
from importlib.util import find_spec
from pathlib import Path

PROGRAMS = {"CXX": ("g++", "clang++"), "CC": ("gcc", "clang")}
"""What is looked for where a variable of the environment says nothing: the first that is there."""

ZIG = {"CXX": "c++", "CC": "cc"}
"""What Zig is called with to be such a compiler. It is Clang, in a package that needs no root."""

WAYS = "install g++, or `pip install jupyter-npcompile[compiler]`"
"""How somebody gets a compiler who has none."""


def named(variable: str = "CXX") -> list[str]:
    """The command that the user has named, with options: ``CXX="ccache g++ -m64"``.

    Parameters
    ----------
    variable : str
        The environment variable that says so.

    Returns
    -------
    list of str
        Empty where it says nothing.

    Raises
    ------
    ValueError
        When it says what is no command.
    """
    return shlex.split(os.environ.get(variable, ""))


def found(variable: str = "CXX") -> list[str]:
    """The compiler where nobody has named one.

    Parameters
    ----------
    variable : {"CXX", "CC"}
        For C++ or for C.

    Returns
    -------
    list of str
        The first of `PROGRAMS`, if there is none at all.

    Examples
    --------
    >>> found()[0] in PROGRAMS["CXX"] or found()[1:] == [ZIG["CXX"]]
    True
    """
    programs = PROGRAMS[variable]
    for program in programs:
        if shutil.which(program):
            return [program]
    zig = find_spec("ziglang")
    if zig is not None and zig.origin is not None:
        return [str(Path(zig.origin).with_name("zig")), ZIG[variable]]
    return [programs[0]]
