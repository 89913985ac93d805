"""Compilers that are missing, fail, write nonsense, or come with options."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from jupyter_npcompile.runtime import compile_job, stamp
from jupyter_npcompile.runtime.compiled import reason_of
from jupyter_npcompile.runtime.native import gxx, loop_toolchain
from jupyter_npcompile.runtime.native.gxx import (
    CodeRefusedError,
    CompilerFailedError,
    CompilerMissingError,
)

NEEDS_GXX = pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++")

LOOP = 'extern "C" __attribute__((visibility("default"))) void* npcompile_loop() { return 0; }\n'

VERSION = 'case "$*" in *--version*) echo "g++ 1"; exit 0;; esac\n'

WRITE = 'while [ $# -gt 0 ]; do if [ "$1" = -o ]; then {what}; fi; shift; done'


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Makes a program, and has it be the compiler."""

    def make(body: str, variable: str = "CXX", name: str = "fake", options: str = "") -> Path:
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)
        monkeypatch.setenv(variable, f"{program}{options}")
        return program

    return make


def compile_loop(folder: Path, source: str = LOOP) -> Path:
    target = folder / "kernels.so"
    loop_toolchain.compile_loop(source, target)
    return target


def reason(error: Exception, root: Path) -> str:
    """What the person at the notebook reads."""
    return reason_of(compile_job.explain(error, root))


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (VERSION + WRITE.format(what='echo garbage > "$2"'), "cannot be loaded: .*"),
        (VERSION + WRITE.format(what=': > "$2"'), "cannot be loaded: .*"),
        ("exit 0", "wrote nothing"),
        (VERSION + "echo 'x: error: no' >&2; exit 1", "fake: x: error: no"),
        ("echo 'x: error: No such file or directory' >&2; exit 1", "x: error: No such file"),
    ],
)
def test_a_compiler_that_fails_is_not_missing(
    tmp_path: Path, fake: Callable[..., Path], body: str, says: str
) -> None:
    fake(body)
    with pytest.raises(CompilerFailedError, match=says) as raised:
        compile_loop(tmp_path)
    said = reason(raised.value, tmp_path)
    assert "missing" not in said
    assert said.startswith("compiling failed: ")


@NEEDS_GXX
def test_a_library_without_what_is_looked_for(tmp_path: Path, fake: Callable[..., Path]) -> None:
    other = tmp_path / "other.cpp"
    other.write_text("int other;\n")
    library = f'case "$all" in *-shared*) exec g++ -shared -fPIC {other} -o "$2";; esac; : > "$2"'
    fake(f'{VERSION}all="$*"; ' + WRITE.format(what=library))
    with pytest.raises(CompilerFailedError, match="does not hold npcompile_loop"):
        compile_loop(tmp_path)


def test_a_compiler_that_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "/nowhere/c++ -m64")
    with pytest.raises(CompilerMissingError) as raised:
        compile_loop(tmp_path)
    said = reason(raised.value, tmp_path)
    assert said == "/nowhere/c++ is missing: install it to compile; NumPy runs this cell"


def test_a_compiler_that_may_not_run(tmp_path: Path, fake: Callable[..., Path]) -> None:
    fake("exit 0").chmod(0o600)
    with pytest.raises(CompilerFailedError, match="Permission denied") as raised:
        compile_loop(tmp_path)
    assert "missing" not in reason(raised.value, tmp_path)


def test_what_is_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "g++ 'unfinished")
    with pytest.raises(CompilerFailedError, match=r"^CXX is .*unfinished.*: No closing"):
        gxx.command()
    assert stamp.cxx()


@NEEDS_GXX
def test_a_wrapper_with_options(tmp_path: Path, fake: Callable[..., Path]) -> None:
    seen = tmp_path / "seen"
    fake(f'echo "$@" >> {seen}; exec "$@"', options=" g++ -DNPCOMPILE_TEST=1")
    compile_loop(tmp_path, f"#if NPCOMPILE_TEST\n{LOOP}#endif\n// npcompile_loop\n")
    assert all("-DNPCOMPILE_TEST=1" in line for line in seen.read_text().splitlines())


@NEEDS_GXX
def test_inductor_uses_a_wrapper_with_options(tmp_path: Path, fake: Callable[..., Path]) -> None:
    from torch._inductor import config
    from torch._inductor.cpp_builder import get_cpp_compiler

    from jupyter_npcompile.runtime.native import toolchain

    fake('exec "$@"', options=" g++ -DNPCOMPILE_TEST=1")
    source, target = tmp_path / "some.cpp", tmp_path / "some.so"
    source.write_text("#if NPCOMPILE_TEST\nextern int lost; int found;\n#else\n#error no\n#endif\n")
    before = config.cpp.cxx
    try:
        toolchain.use_command(tmp_path)
        gxx.run([get_cpp_compiler(), "-shared", "-fPIC", str(source), "-o", str(target)])
    finally:
        config.cpp.cxx = before
    gxx.load_once(target, names=["found"])


WITHOUT_OPENMP = """\
for word do
  case $word in -fopenmp*|-lgomp) echo 'error: no OpenMP' >&2; exit 1 ;; esac
done
exec "$@"
"""


@NEEDS_GXX
def test_segments_do_without_openmp(
    tmp_path: Path, fake: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With compilers that have none: in one thread."""
    fake(WITHOUT_OPENMP, options=" g++")
    done = subprocess.run(
        [sys.executable, "-c", SEGMENT],
        env={**os.environ, "NPCOMPILE_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["inductor", "True"], done.stdout


SEGMENT = """
import numpy as np, jupyter_npcompile as npc
from jupyter_npcompile.runtime import whole_function
whole_function.FEWEST = whole_function.FEWEST_AHEAD = 10**9
npc.settings.tier = "inductor"

def f(x):
    return np.exp(-x * x).sum(axis=1) + np.sin(x)[:, 0]

x = np.linspace(-2.0, 2.0, 200_000).reshape(400, 500)
g = npc.compile(f, ahead=True)
same = [np.allclose(g(x), f(x), rtol=1e-13) for _ in range(4)]
print(*{it.tier or it.note for it in npc.last_report().regions}, all(same))
"""


def test_inductor_is_not_asked_for_a_compiler_that_fails(
    tmp_path: Path, fake: Callable[..., Path]
) -> None:
    from jupyter_npcompile.runtime.native import toolchain

    fake("echo 'error: broken' >&2; exit 1")
    with pytest.raises(CodeRefusedError, match="fake: error: broken"):
        toolchain.use_command(tmp_path)


def test_other_compilers_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody names one and there is no g++: Clang, then Zig, which pip installs."""
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    package = tmp_path / "ziglang"
    package.mkdir()
    assert gxx.command() == ["g++"]
    before = stamp.cxx()
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    assert gxx.command() == [str(package / "zig"), "c++"]
    assert gxx.command("CC") == [str(package / "zig"), "cc"]
    (package / "zig").touch()
    found = stamp.cxx()
    for name in ("clang++", "g++"):
        (tmp_path / name).touch(mode=0o700)
        assert gxx.command() == [name]
        assert stamp.cxx() not in (before, found)


def test_options_and_wrappers_are_part_of_the_key(
    fake: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = set()
    for told in ("g++", "g++ -m64", "g++ -m64 -O1"):
        monkeypatch.setenv("CXX", told)
        keys |= {stamp.entry_key("graph", "inductor"), stamp.compiler_key()}
    fake('exec "$@"', options=" g++")
    keys |= {stamp.entry_key("graph", "inductor"), stamp.compiler_key()}
    fake('exec env "$@"', options=" g++")  # another wrapper of that name
    keys |= {stamp.entry_key("graph", "inductor"), stamp.compiler_key()}
    assert len(keys) == 10
    support = {stamp.support_key()}
    fake('exec "$@"', variable="CC", options=" gcc")
    assert stamp.support_key() not in support
