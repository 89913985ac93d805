"""Compilers without OpenMP: what Inductor writes is compiled by them, too, for one thread.

Clang and Zig often come without it. Inductor's code includes its header in any case, and asks
it which thread it is.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from jupyter_npcompile.runtime.native.gxx import CompilerFailedError, run

_PROGRAM = "#include <omp.h>\nint threads() { return omp_get_max_threads(); }\n"

_HEADER = """\
#pragma once
static inline int omp_get_max_threads(void) { return 1; }
static inline int omp_get_num_threads(void) { return 1; }
static inline int omp_get_thread_num(void) { return 0; }
static inline int omp_in_parallel(void) { return 0; }
static inline void omp_set_num_threads(int count) { (void)count; }
"""

_WITHOUT = """\
#!/bin/sh
for word do
  shift
  case $word in
    -fopenmp*|-lgomp|-lomp|-liomp5) ;;
    *) set -- "$@" "$word" ;;
  esac
done
exec {command} {include} "$@"
"""


def is_there(compiler: Sequence[str], folder: Path) -> bool:
    """Whether a compiler has OpenMP: it compiles a function that uses it into a library.

    Parameters
    ----------
    compiler : sequence of str
        The command.
    folder : Path
        For files that are not needed afterwards.
    """
    source, target = folder / "openmp.cpp", folder / "openmp.so"
    source.write_text(_PROGRAM)
    try:
        run([*compiler, "-fopenmp", "-shared", "-fPIC", str(source), "-o", str(target)])
    except CompilerFailedError:
        return False
    finally:
        source.unlink()
        target.unlink(missing_ok=True)
    return True


def without(compiler: Sequence[str], folder: Path) -> str:
    """A program that runs a compiler, and leaves out what is for OpenMP.

    Parameters
    ----------
    compiler : sequence of str
        The command.
    folder : Path
        Where the header is kept that stands in for that of OpenMP.
    """
    include = folder / "without-openmp"
    include.mkdir(parents=True, exist_ok=True)
    (include / "omp.h").write_text(_HEADER)
    return _WITHOUT.format(command=shlex.join(compiler), include=shlex.quote(f"-I{include}"))
