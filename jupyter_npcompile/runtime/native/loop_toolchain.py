"""Compiles native loops.

Nothing here imports NumPy, nor what translates loops: the process that compiles is soon ready.
"""

from __future__ import annotations

import sysconfig
from importlib.util import find_spec
from pathlib import Path

from jupyter_npcompile.loops.includes import FOLDER, complete
from jupyter_npcompile.runtime.native.gxx import LATE, CompilerFailedError, command, load_once, run

LOOPS = (
    *("-std=c++17", "-O3", "-march=native", "-fno-math-errno", "-ffp-contract=off", "-fwrapv"),
    *("-shared", "-fPIC", "-fvisibility=hidden", "-w", "-pipe", LATE),
)
"""Options for native loops: fast, and every rounding and every flag where NumPy has it."""


ENTRY = "npcompile_loop"
"""What the kernel looks for in a library."""


def compile_loop(source: str, target: Path) -> None:
    """Compile a loop into a shared library.

    Parameters
    ----------
    source : str
        C++, without what it includes: see `jupyter_npcompile.loops.includes`.
    target : Path
        The library.

    Raises
    ------
    CompilerFailedError
        With the first line of what the compiler said.
    """
    numpy = Path(found.origin).parent if (found := find_spec("numpy")) and found.origin else Path()
    folders = FOLDER, sysconfig.get_paths()["include"], numpy / "_core" / "include"
    distributions = numpy / "random" / "lib" / "libnpyrandom.a"
    text = target.with_suffix(".cpp")
    text.write_text(complete(source))
    libraries = [str(distributions)] if distributions.exists() else []
    try:
        options = [*LOOPS, *(f"-I{folder}" for folder in folders)]
        compiler = command()
        run([*compiler, *options, str(text), *libraries, "-o", str(target)])
    finally:
        text.unlink()
    if not target.exists():
        raise CompilerFailedError(f"{Path(compiler[0]).name} wrote nothing")
    load_once(target, names=[ENTRY] if ENTRY in source else [], alone=True)
