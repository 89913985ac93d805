"""Headers of loops that the compiler has read before."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from jupyter_npcompile.loops.includes import COMMON, FOLDER
from jupyter_npcompile.runtime.native import loop_headers, loop_toolchain
from jupyter_npcompile.runtime.native.gxx import CodeRefusedError, run
from jupyter_npcompile.runtime.native.loop_headers import PRECOMPILED, place

pytestmark = pytest.mark.skipif(
    shutil.which("g++") is None or sys.platform != "linux", reason="needs g++ on Linux"
)

LOOP = (
    "static i64 twice(i64 n) { return 2 * n; }\n"
    'extern "C" __attribute__((visibility("default"))) void *npcompile_loop()'
    " { return (void *)twice(3); }\n"
)


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CXX", raising=False)


def options() -> list[str]:
    return list(loop_toolchain.LOOPS)


def test_later_loops_use_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was compiled before is taken: the header itself need not be there."""
    loop_toolchain.precompile(tmp_path)
    assert [it.name for it in tmp_path.iterdir()] == [place(tmp_path, options()).name]
    assert [it.name for it in place(tmp_path, options()).iterdir()] == [PRECOMPILED]
    done = []
    run = loop_toolchain.run

    def without_headers(command: list[str]) -> str:
        done.append(command)
        return run([it for it in command if it != f"-I{FOLDER}"])

    monkeypatch.setattr(loop_toolchain, "run", without_headers)
    loop_toolchain.compile_loop(LOOP, tmp_path / "a.so", tmp_path)
    assert len(done) == 1
    with pytest.raises(CodeRefusedError, match=COMMON):
        loop_toolchain.compile_loop(LOOP, tmp_path / "b.so", tmp_path / "nothing")


def test_it_is_made_once(tmp_path: Path) -> None:
    loop_toolchain.precompile(tmp_path)
    made = place(tmp_path, options()) / PRECOMPILED
    before = made.stat().st_mtime_ns
    loop_toolchain.precompile(tmp_path)
    assert made.stat().st_mtime_ns == before


def test_other_headers_make_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was made for those before goes after a while: another environment may use it."""
    loop_toolchain.precompile(tmp_path)
    before = place(tmp_path, options())
    headers = tmp_path / "headers"
    shutil.copytree(FOLDER, headers)
    monkeypatch.setattr(loop_headers, "FOLDER", headers)
    others = place(tmp_path, options())
    assert not others.exists()
    loop_toolchain.precompile(tmp_path)
    assert set(tmp_path.glob("headers-*")) == {before, others}
    os.utime(before, (1, 1))
    loop_toolchain.precompile(tmp_path)
    assert set(tmp_path.glob("headers-*")) == {others}
    os.utime(headers / "runs.hpp", (1, 1))
    assert place(tmp_path, options()) != others
    assert place(tmp_path, ["-O1"]) not in (others, place(tmp_path, options()))


@pytest.mark.parametrize("content", [b"", b"garbage", b"gpch"])
def test_a_file_that_is_none_does_no_harm(tmp_path: Path, content: bytes) -> None:
    folder = place(tmp_path, options())
    folder.mkdir()
    (folder / PRECOMPILED).write_bytes(content)
    loop_toolchain.compile_loop(LOOP, tmp_path / "a.so", tmp_path)
    assert (tmp_path / "a.so").exists()


def test_half_a_file_does_no_harm(tmp_path: Path) -> None:
    loop_toolchain.precompile(tmp_path)
    made = place(tmp_path, options()) / PRECOMPILED
    made.write_bytes(made.read_bytes()[: made.stat().st_size // 2])
    loop_toolchain.compile_loop(LOOP, tmp_path / "a.so", tmp_path)
    assert (tmp_path / "a.so").exists()
    assert not made.exists()  # so that it is made again
    assert not (tmp_path / loop_toolchain.SLOW).exists()  # that was not the linker's fault


def test_two_kernels_make_it_at_once(tmp_path: Path) -> None:
    """And one that is ended meanwhile leaves nothing there."""
    found, scratch = tmp_path / "found", tmp_path / "scratch"
    found.mkdir()
    scratch.mkdir()
    code = (
        "from pathlib import Path\n"
        "from jupyter_npcompile.runtime.native import loop_toolchain\n"
        f"loop_toolchain.precompile(Path({str(found)!r}))"
    )
    environment = {**os.environ, "TMPDIR": str(scratch)}
    three = [subprocess.Popen([sys.executable, "-c", code], env=environment) for _ in range(3)]
    three[0].kill()
    assert [it.wait() for it in three] == [-signal.SIGKILL, 0, 0]
    assert [it.name for it in place(found, options()).iterdir()] == [PRECOMPILED]


def test_other_compilers_are_asked_for_nothing_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", "g++ -g0")
    loop_toolchain.precompile(tmp_path)
    assert list(tmp_path.iterdir()) == []
    loop_toolchain.compile_loop(LOOP, tmp_path / "a.so", tmp_path)


def test_a_linker_that_does_not_work_is_not_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which("ld.gold") is None:
        pytest.skip("it is not tried here")
    monkeypatch.setattr(loop_toolchain, "QUICK", "-fuse-ld=nothing")
    loop_toolchain.precompile(tmp_path)
    loop_toolchain.compile_loop(LOOP, tmp_path / "a.so", tmp_path)
    assert (tmp_path / "a.so").exists()
    assert (tmp_path / loop_toolchain.SLOW).exists()
    assert (place(tmp_path, options()) / PRECOMPILED).exists()
    done = []
    monkeypatch.setattr(loop_toolchain, "run", lambda command: done.append(command) or run(command))
    loop_toolchain.compile_loop(LOOP, tmp_path / "b.so", tmp_path)
    assert len(done) == 1
