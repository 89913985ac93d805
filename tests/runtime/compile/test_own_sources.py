"""Our sources count by what they hold: a copy finds what the original has compiled."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from jupyter_npcompile.runtime import own_sources
from jupyter_npcompile.runtime.own_sources import NOTE, digest, digest_of_file


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    monkeypatch.setattr(own_sources, "chosen_folder", lambda: folder)
    return folder


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package with sources and other files."""
    folder = tmp_path / "package"
    (folder / "headers").mkdir(parents=True)
    (folder / "one.py").write_text("1\n")
    (folder / "headers" / "two.hpp").write_text("2\n")
    (folder / "three.txt").write_text("3\n")
    return folder


def test_a_copy_with_other_times_is_the_same(cache: Path, package: Path) -> None:
    found = digest(package)
    copy = package.with_name("copy")
    shutil.copytree(package, copy)
    for path in copy.rglob("*"):
        os.utime(path, (1, 1))
    assert digest(copy) == found
    os.utime(package / "one.py", (2, 2))
    assert digest(package) == found


@pytest.mark.parametrize("name", ["one.py", "headers/two.hpp", "new.cpp"])
def test_what_is_changed_counts(cache: Path, package: Path, name: str) -> None:
    found = digest(package)
    (package / name).write_text("0\n")
    os.utime(package / name, (2, 2))
    assert digest(package) != found


def test_names_count_and_other_files_do_not(cache: Path, package: Path) -> None:
    found = digest(package)
    (package / "three.txt").write_text("4\n")
    assert digest(package) == found
    (package / "one.py").rename(package / "other.py")
    assert digest(package) != found


def test_what_was_read_is_noted(
    cache: Path, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = digest(package)
    monkeypatch.delattr(own_sources, "_content")
    assert digest(package) == found


@pytest.mark.parametrize("text", ["", "[]", "{", '{"seen": 1}', "\0"])
def test_a_note_that_makes_no_sense_does_not_matter(cache: Path, package: Path, text: str) -> None:
    found = digest(package)
    (cache / NOTE).write_text(text)
    assert digest(package) == found


def test_a_note_of_others_is_not_read(cache: Path, package: Path) -> None:
    found = digest(package)
    note = json.loads((cache / NOTE).read_text())
    (cache / NOTE).write_text(json.dumps({**note, "digest": "theirs"}))
    (cache / NOTE).chmod(0o666)
    assert digest(package) == found


def test_without_a_cache_all_is_read(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> Path:
        raise OSError("there is no home folder")

    monkeypatch.setattr(own_sources, "chosen_folder", none)
    assert digest(package) == digest(package)


@pytest.mark.parametrize("size", [0, 5, 10, 11, 19, 20, 25])
def test_both_ends_of_a_program_count(tmp_path: Path, size: int) -> None:
    path = tmp_path / "program"
    content = bytes(range(size))
    path.write_bytes(content)
    found = digest_of_file(str(path), part=10)
    for place in range(size):
        changed = bytearray(content)
        changed[place] = 255
        path.write_bytes(changed)
        is_read = place < 10 or place >= size - 10
        assert (digest_of_file(str(path), part=10) != found) == is_read
    path.write_bytes(content + b"0")
    assert digest_of_file(str(path), part=10) != found
