"""The command ``npcompile``."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_npcompile import cli
from jupyter_npcompile.runtime import cache as caches
from jupyter_npcompile.runtime import compile_worker, notices, stamp, warming
from jupyter_npcompile.runtime.settings import settings
from tests.support.paths import CHECKOUT
from tests.support.session.processes import PATIENCE


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """In this process, whose compilers go on, and in whose cache most is there already."""
    monkeypatch.setattr(compile_worker, "stop_all", lambda: None)
    before = settings.tier
    yield
    assert settings.tier == before


def test_warm_says_what_is_ready(here: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["warm"]) == 0
    loops, segments, folder = capsys.readouterr().out.splitlines()
    assert loops.startswith("loops: ready, ")
    assert segments.startswith("segments: ready, ")
    assert folder.endswith(" MB")


def test_what_cannot_be_compiled_is_said(
    here: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (kind, tier, _), *_ = warming._KINDS
    monkeypatch.setattr(warming, "_KINDS", [(kind, tier, lambda x: next(str(k) for k in x))])
    assert cli.main(["warm"]) == 1
    said, _ = capsys.readouterr().out.splitlines()
    assert said.startswith("loops: not prepared: ")


def test_an_interrupt_is_no_traceback(
    here: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted() -> Iterator[warming.Prepared]:
        yield warming.Prepared("loops", 1.0, "")
        raise KeyboardInterrupt

    monkeypatch.setattr(warming, "warm", interrupted)
    assert cli.main(["warm"]) == 130
    assert "stays" in capsys.readouterr().err


def doctor(capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str]]:
    """What the doctor ends with, and says."""
    status = cli.main(["doctor"])
    return status, capsys.readouterr().out.splitlines()


def test_the_doctor_finds_nothing_wrong(here: None, capsys: pytest.CaptureFixture[str]) -> None:
    status, lines = doctor(capsys)
    assert status == 0
    assert lines[-1] == "all is well"
    assert any(line.startswith("ok       loops: compiled in ") for line in lines)
    assert any(line.startswith("ok       segments: compiled in ") for line in lines)


def test_the_doctor_misses_a_compiler(
    here: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", "/nowhere/g++")
    status, lines = doctor(capsys)
    assert status == 1
    found = lines.index("WRONG    compiler: /nowhere/g++: No such file or directory")
    assert "CXX is '/nowhere/g++'" in lines[found + 1]
    assert not any("compiled in" in line for line in lines)


def test_the_doctor_wants_a_newer_torch(
    here: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stamp, "torch_version", lambda: "2.9.1+cu130")
    monkeypatch.setattr(warming, "_KINDS", ())
    status, lines = doctor(capsys)
    assert status == 1
    found = lines.index("WRONG    torch: torch 2.9.1+cu130 is too old")
    assert lines[found + 1].strip() == "-> pip install 'torch>=2.11'"


def test_the_doctor_says_where_a_cache_may_be(
    here: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(warming, "_KINDS", ())
    monkeypatch.setenv("NPCOMPILE_CACHE_DIR", str(tmp_path / "file" / "cache"))
    before = caches.cache()
    caches.forget()
    notices.forget()
    try:
        status, lines = doctor(capsys)
    finally:
        caches.use(before)
    assert status == 0
    found = next(k for k, line in enumerate(lines) if line.startswith("note     cache: "))
    assert "cannot be used" in lines[found]
    assert "set NPCOMPILE_CACHE_DIR" in lines[found + 1]


@pytest.mark.parametrize("arguments", [[], ["cold"], ["warm", "--fast"]])
def test_what_makes_no_sense_is_refused(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as refused:
        cli.main(arguments)
    assert refused.value.code == 2
    assert "usage: npcompile" in capsys.readouterr().err


def test_without_a_compiler_it_ends_with_one(tmp_path: Path) -> None:
    missing = tmp_path / "no-compiler"
    command = [sys.executable, "-m", "jupyter_npcompile", "warm", "--cache", str(tmp_path / "c")]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env={**os.environ, "CXX": str(missing)},
        cwd=CHECKOUT,
    )
    assert done.returncode == 1
    for line in done.stdout.splitlines()[:2]:
        assert line.endswith(f"not prepared: {missing} is missing: install it to compile")


def test_a_cache_that_cannot_be_is_no_success(
    here: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warming, "_KINDS", [])
    monkeypatch.setattr(caches.cache(), "temporary", True)
    assert cli.main(["warm"]) == 1
    assert capsys.readouterr().out.rstrip().endswith("gone now: nothing is prepared")
