"""Runs the C++ compiler with the options that Inductor would use.

Imports torch; only the process that compiles uses it.
"""

from __future__ import annotations

import hashlib
import shlex
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from jupyter_npcompile.runtime.native import openmp
from jupyter_npcompile.runtime.native.gxx import (
    LATE,
    CompilerFailedError,
    command,
    load_once,
    run,
    version,
)

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

    use_command(headers)
    options = _options()
    precompiled = _precompiled_header(headers)
    if precompiled is not None:
        options.precompiled_header = str(precompiled)
    builder = CppBuilder(str(target.with_suffix("")), str(source), options)
    run(shlex.split(builder.get_command_line()))
    made = Path(builder.get_target_file_path())
    if made != target:
        made.replace(target)
    load_once(target)


def compile_dispatch(target: Path) -> None:
    """Compile the extension module that calls pieces on ndarrays."""
    version()  # who has neither compiler is told of the one that brings the other along
    source = Path(__file__).with_name("dispatch.c")
    include = sysconfig.get_paths()["include"]
    options = ["-O2", "-shared", "-fPIC", LATE, f"-I{include}", f"-I{np.get_include()}"]
    run([*command("CC"), *options, str(source), "-o", str(target)])
    load_once(target, names=[f"PyInit_{DISPATCH}"], alone=True)


def use_command(folder: Path) -> None:
    """Have Inductor use the compiler that the user says, options and all.

    Inductor takes ``CXX`` for one program. So it is given one that runs the command, without what
    is for OpenMP where the compiler has none.

    Parameters
    ----------
    folder : Path
        Where that is kept.

    Raises
    ------
    CompilerFailedError
        When there is no such compiler, or it does not run.
    """
    from torch._inductor import config

    kind = "clang++" if "clang" in version() else "g++"  # by this name Inductor knows it
    words = command()
    config.cpp.cxx = (None, words[0])
    if words == ["g++"]:
        return
    digest = hashlib.sha256(shlex.join(words).encode()).hexdigest()[:16]
    program = folder / f"{digest}-{kind}"
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(dir=folder), program.name)
        plain = f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n'
        has_openmp = openmp.is_there(words, draft.parent)
        draft.write_text(plain if has_openmp else openmp.without(words, folder))
        draft.chmod(0o700)
        draft.replace(program)
        draft.parent.rmdir()
    config.cpp.cxx = (None, str(program))


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
        extra_flags=[*WRAPPING, LATE],
        shared=True,
        precompiling=precompiling,
    )


def _precompiled_header(folder: Path) -> Path | None:
    """The header of all kernels, compiled once for each set of options.

    None where the compiler cannot: what is compiled without it says why, if it fails, too.
    """
    from torch._inductor.cpp_builder import CppBuilder

    plain = CppBuilder("o", "i", _options()).get_command_line()
    digest = hashlib.sha256((plain + version()).encode()).hexdigest()[:16]
    header = folder / f"prefix-{digest}.h"
    made = header.with_name(f"{header.name}.gch")
    if made.exists():
        return header
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        draft = Path(scratch) / header.name
        if not header.exists():  # Clang wants to find the very file that it has read
            draft.write_text(f"#include <{_PREFIX}>\n")
            draft.replace(header)
        builder = CppBuilder(str(draft), str(header), _options(precompiling=True))
        try:
            run(shlex.split(builder.get_command_line()))
        except CompilerFailedError:
            return None
        Path(builder.get_target_file_path()).replace(made)
    return header
