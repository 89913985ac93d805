"""``%npcompile cache``, and the lines that say what is wrong with the cache."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import platformdirs
import pytest
from IPython.core.error import UsageError

from jupyter_npcompile.magic.caching import cache_command
from jupyter_npcompile.runtime import cache as caches
from jupyter_npcompile.runtime import cache_folder, notices
from tests.magic.test_magic import Shell, shell  # noqa: F401


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The cache lies where the user has it, in a home of its own."""
    monkeypatch.delenv(cache_folder.VARIABLE, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    caches.forget()
    notices.forget()
    yield platformdirs.user_cache_path("jupyter-npcompile")
    caches.forget()
    notices.forget()


def build(folder: Path) -> Mapping[str, Any]:
    (folder / "kernels.so").write_bytes(bytes(2**20))
    return {}


def test_showing(folder: Path) -> None:
    caches.cache().store("k", build)
    assert cache_command("") == f"{folder}: 1 entry, 1.0 MB of 1000 MB; for the compiler 0.0 MB"


def test_clearing(folder: Path) -> None:
    for number in range(2):
        caches.cache().store(f"k{number}", build)
    assert cache_command(" clear") == f"removed 2 entries, 2.0 MB, from {folder}"
    assert cache_command("").startswith(f"{folder}: 0 entries, 0.0 MB")


def test_moving(tmp_path: Path) -> None:
    caches.cache().store("k", build)
    there = tmp_path / "over there"
    assert cache_command(f" move '{there}'") == f"the cache is now in {there}, with 1 entry"
    assert caches.cache().find("k") is not None
    caches.forget()
    assert cache_command("").startswith(f"{there}: 1 entry")


@pytest.mark.parametrize("rest", ["empty", "clear all", "move", "mov x"])
def test_what_makes_no_sense(rest: str) -> None:
    with pytest.raises(UsageError, match="Valid commands"):
        cache_command(rest)


def test_a_folder_that_cannot_be_used() -> None:
    with pytest.raises(UsageError, match="cache move: "):
        cache_command("move /proc/npcompile")


def test_what_is_wrong_is_said_once(
    shell: Shell,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(cache_folder.VARIABLE, "/proc/npcompile")
    caches.forget()
    assert caches.cache().temporary
    assert shell.run("%%npcompile --quiet\nx = np.ones(3) + 1") is None
    assert "npcompile" not in capsys.readouterr().out
    assert shell.run("%%npcompile\nx = np.ones(3) + 1") is None
    out = capsys.readouterr().out
    assert out.count("npcompile: compiled code is forgotten when this kernel ends: /proc/") == 1
    assert shell.run("%%npcompile\nx = np.ones(3) + 1") is None
    assert "forgotten" not in capsys.readouterr().out


def test_the_command(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:  # noqa: F811
    assert shell.run("%npcompile cache") is None
    assert "0 entries" in capsys.readouterr().out
