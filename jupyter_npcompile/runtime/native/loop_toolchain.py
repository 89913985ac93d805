"""Compiles native loops.

Nothing here imports NumPy, nor what translates loops: the process that compiles is soon ready.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.loops.includes import complete
from jupyter_npcompile.runtime.native import loop_headers
from jupyter_npcompile.runtime.native.gxx import (
    LATE,
    CompilerFailedError,
    CompilerMissingError,
    command,
    load_once,
    run,
)

LOOPS = (
    *("-std=c++17", "-O3", "-march=native", "-fno-math-errno", "-ffp-contract=off", "-fwrapv"),
    *("-shared", "-fPIC", "-fvisibility=hidden", "-w", "-pipe"),
    *("--param", "inline-unit-growth=10"),
)
"""Options for native loops: fast, and every rounding and every flag where NumPy has it.

The last one keeps sources of more than a thousand lines from growing further by what they call: the
longest compile in three quarters of the time, others as before, and all are as fast.
"""

QUICK = "-fuse-ld=gold"
"""The linker that is often there beside GNU's own, and takes a quarter of its time: 0.04 s instead
of 0.16 for a loop. That names are found when the library is loaded is what it expects anyway."""

SLOW = "the-quick-linker-fails"
"""A file that says so."""

ENTRY = "npcompile_loop"
"""What the kernel looks for in a library."""


def compile_loop(source: str, target: Path, found: Path | None = None) -> None:
    """Compile a loop into a shared library.

    Parameters
    ----------
    source : str
        C++, without what it includes: see `jupyter_npcompile.loops.includes`.
    target : Path
        The library.
    found : Path, optional
        A folder in which headers may have been precompiled.

    Raises
    ------
    CompilerFailedError
        With the first line of what the compiler said.
    """
    distributions = loop_headers.numpy_folder() / "random" / "lib" / "libnpyrandom.a"
    text = target.with_suffix(".cpp")
    text.write_text(complete(source))
    libraries = [str(distributions)] if distributions.exists() else []
    compiler = command()
    attempts = _attempts(found)
    failed: _Attempt | None = None
    try:
        for attempt in attempts:
            try:
                options = [*LOOPS, *attempt.options, str(text), *libraries]
                run([*compiler, *options, "-o", str(target)])
                if not target.exists():
                    raise CompilerFailedError(f"{Path(compiler[0]).name} wrote nothing")
                load_once(target, names=[ENTRY] if ENTRY in source else [], alone=True)
                break
            except CompilerMissingError:
                raise
            except CompilerFailedError:
                if attempt is attempts[-1]:
                    raise
                failed = attempt
    finally:
        text.unlink()
    if failed is not None:
        failed.give_up()  # what was tried before it may have failed for the same reason


def precompile(found: Path) -> None:
    """Precompile headers for later loops, where it is known that the compiler can use them.

    Parameters
    ----------
    found : Path
        For `compile_loop`.

    Raises
    ------
    CompilerFailedError
        With the first line of what the compiler said.
    """
    if _is_plain():
        loop_headers.precompile(found, command(), list(LOOPS))


@dataclass(frozen=True)
class _Attempt:
    """Options that may not work here, and what is done then, so that no later loop tries them.

    Parameters
    ----------
    options : list of str
        For the compiler.
    give_up : callable
        Is called when other options have worked instead.
    """

    options: list[str]
    give_up: Callable[[], object]


def _attempts(found: Path | None) -> list[_Attempt]:
    """What is tried one after the other: the last one needs nothing that may be missing."""
    search = [f"-I{it}" for it in loop_headers.folders()]
    attempts = [_Attempt([LATE, *search], lambda: None)]
    if not _is_plain() or found is None:
        return attempts
    ready = loop_headers.place(found, list(LOOPS))
    damaged = ready / loop_headers.PRECOMPILED
    if damaged.exists():
        options = [LATE, f"-I{ready}", *search]
        attempts.insert(0, _Attempt(options, lambda: damaged.unlink(missing_ok=True)))
    if shutil.which("ld.gold") and not (found / SLOW).exists():
        options = [QUICK, *attempts[0].options[1:]]
        attempts.insert(0, _Attempt(options, (found / SLOW).touch))
    return attempts


def _is_plain() -> bool:
    """Whether it is known what the compiler understands: nobody has named another one."""
    return command() == ["g++"] and sys.platform == "linux"
