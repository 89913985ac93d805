"""Runs the C++ compiler with the options that Inductor would use.

Imports torch; only the process that compiles uses it.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import shlex
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from jupyter_npcompile.runtime.native.gxx import CompilerFailedError, run

DISPATCH = "npcompile_dispatch"
"""Name of the extension module that calls pieces."""

WRAPPING = ("-fwrapv",)
"""Sums and products of integers that have no room wrap around, as in NumPy; the compiler may not
assume that there are none."""

_PREFIX = "torch/csrc/inductor/cpp_prefix.h"


def compile_library(source: Path, target: Path, headers: Path) -> None:
    """Compile a translation unit of kernels into a shared library.

    Parameters
    ----------
    source : Path
        A ``.cpp`` file.
    target : Path
        The library, written at once by the compiler.
    headers : Path
        Folder for precompiled headers, which make later compiles shorter.

    Raises
    ------
    CompilerFailedError
        With the first line of what the compiler said.
    """
    from torch._inductor.cpp_builder import CppBuilder

    options = _options()
    precompiled = _precompiled_header(headers)
    if precompiled is not None:
        options.precompiled_header = str(precompiled)
    builder = CppBuilder(str(target.with_suffix("")), str(source), options)
    run(shlex.split(builder.get_command_line()))
    made = Path(builder.get_target_file_path())
    if made != target:
        made.replace(target)
    _try(target)


def _try(library: Path) -> None:
    """Load a library here, in the process of the job: one that is broken must not end a kernel.

    Symbols that only a kernel has are no fault.
    """
    try:
        ctypes.CDLL(str(library))
    except OSError as error:
        if "undefined symbol" not in str(error):
            reason = str(error).removeprefix(f"{library}: ")
            raise CompilerFailedError(f"what was compiled cannot be loaded: {reason}") from None


def compile_dispatch(target: Path) -> None:
    """Compile the extension module that calls pieces on ndarrays."""
    source = Path(__file__).with_name("dispatch.c")
    include = sysconfig.get_paths()["include"]
    compiler = os.environ.get("CC") or "gcc"
    command = [compiler, "-O2", "-shared", "-fPIC", f"-I{include}", f"-I{np.get_include()}"]
    run([*shlex.split(compiler), *command[1:], str(source), "-o", str(target)])
    _try(target)


def _options(*, precompiling: bool = False) -> Any:
    from torch._inductor import config
    from torch._inductor.cpp_builder import CppTorchDeviceOptions
    from torch._inductor.cpu_vec_isa import pick_vec_isa

    with config.patch({"cpp.simdlen": None}):  # code without vectors has the same header
        vectors = pick_vec_isa()
    return CppTorchDeviceOptions(
        vec_isa=vectors,
        device_type="cpu",
        include_pytorch=False,
        extra_flags=WRAPPING,
        shared=True,
        precompiling=precompiling,
    )


def _precompiled_header(folder: Path) -> Path | None:
    """The header of all kernels, compiled once for each set of options.

    None where the compiler cannot: what is compiled without it says why, if it fails, too.
    """
    from torch._inductor.cpp_builder import CppBuilder

    plain = CppBuilder("o", "i", _options()).get_command_line()
    digest = hashlib.sha256((plain + _compiler_version()).encode()).hexdigest()[:16]
    header = folder / f"prefix-{digest}.h"
    made = header.with_name(f"{header.name}.gch")
    if made.exists():
        return header
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        draft = Path(scratch) / header.name
        draft.write_text(f"#include <{_PREFIX}>\n")
        builder = CppBuilder(str(draft), str(draft), _options(precompiling=True))
        try:
            run(shlex.split(builder.get_command_line()))
        except CompilerFailedError:
            return None
        header.write_text(f"#include <{_PREFIX}>\n")
        Path(builder.get_target_file_path()).replace(made)
    return header


@functools.cache
def _compiler_version() -> str:
    from torch._inductor.cpp_builder import get_cpp_compiler

    return run([get_cpp_compiler(), "--version"])
