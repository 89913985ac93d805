"""The cache on disk: what is written is read back whole, or not at all."""

from __future__ import annotations

import errno
import json
import multiprocessing
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import platformdirs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_npcompile.runtime import cache as caches
from jupyter_npcompile.runtime import cache_entry, cache_folder, notices
from jupyter_npcompile.runtime.cache import Cache

CODE = bytes(range(256)) * 20


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    notices.forget()
    yield
    notices.forget()
    caches.forget()


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def build(folder: Path) -> Mapping[str, Any]:
    (folder / "kernels.so").write_bytes(CODE)
    (folder / "more").write_bytes(b"more")
    return {"kernels": ["kernel_0"], "é": 0.1}


def full(folder: Path) -> Mapping[str, Any]:
    (folder / "kernels.so").write_bytes(CODE)
    raise OSError(errno.ENOSPC, "No space left on device")


def left(cache: Cache) -> list[str]:
    """What lies about in a cache and is no entry."""
    return [path.name for path in cache.jobs.iterdir()]


def test_what_was_stored_is_found(cache: Cache) -> None:
    assert cache.find("k") is None
    cache.store("k", build)
    entry = cache.find("k")
    assert entry is not None
    assert entry.manifest == {"kernels": ["kernel_0"], "é": 0.1}
    assert (entry.folder / "kernels.so").read_bytes() == CODE
    assert entry.error is None
    assert entry.verdict is None
    assert notices.take() == []
    assert left(cache) == []


def test_nobody_else_can_look_into_it(cache: Cache) -> None:
    cache.store("k", build)
    modes = {path.stat().st_mode & 0o77 for path in [cache.root, *cache.root.rglob("*")]}
    assert modes == {0}


def test_reasons_and_verdicts_are_remembered(cache: Cache) -> None:
    cache.store_error("bad", {"type": "unbuildable", "reason": "why"})
    bad = cache.find("bad")
    assert bad is not None
    assert bad.error == {"type": "unbuildable", "reason": "why"}
    cache.store("k", build)
    cache.remember("k", "numpy", 12.5, 30.0)
    cache.remember("nowhere", "numpy", 12.5, 30.0)
    entry = cache.find("k")
    assert entry is not None
    assert entry.verdict == {"tier": "numpy", "numpy_us": 12.5, "compiled_us": 30.0}


def test_a_verdict_that_makes_no_sense_is_forgotten(cache: Cache) -> None:
    cache.store("k", build)
    (cache.entries / "k" / "verdict.json").write_text("[]")
    for _ in range(2):
        entry = cache.find("k")
        assert entry is not None
        assert entry.verdict is None


def test_what_fails_leaves_nothing(cache: Cache) -> None:
    with pytest.raises(OSError, match="No space"):
        cache.store("k", full)
    assert cache.find("k") is None
    assert left(cache) == []


def test_the_first_of_two_is_kept(cache: Cache) -> None:
    cache.store("k", build)
    before = (cache.entries / "k").stat().st_ino
    cache.store("k", build)
    assert (cache.entries / "k").stat().st_ino == before
    assert left(cache) == []


def test_a_damaged_first_is_replaced(cache: Cache) -> None:
    cache.store("k", build)
    (cache.entries / "k" / "kernels.so").write_bytes(b"")
    cache.store("k", build)
    assert cache.find("k") is not None


@settings(max_examples=150)
@given(st.data())
def test_damage_at_any_place_is_noticed(data: st.DataObject) -> None:
    notices.forget()
    with tempfile.TemporaryDirectory() as root:
        cache = Cache(Path(root, "cache"))
        cache.store("k", build)
        name = data.draw(st.sampled_from(["kernels.so", "more", "manifest.json"]))
        path = cache.entries / "k" / name
        content = bytearray(path.read_bytes())
        place = data.draw(st.integers(0, len(content) - 1))
        if data.draw(st.booleans()):
            del content[place:]
        else:
            content[place] ^= data.draw(st.integers(1, 255))
        path.write_bytes(content)
        assert cache.find("k") is None
        (line,) = notices.take()
        assert "is not used and was removed" in line
        assert not (cache.entries / "k").exists()
        cache.store("k", build)
        assert cache.find("k") is not None


@pytest.mark.parametrize("name", ["kernels.so", "more", "manifest.json"])
def test_a_missing_file_is_noticed(cache: Cache, name: str) -> None:
    cache.store("k", build)
    (cache.entries / "k" / name).unlink()
    assert cache.find("k") is None
    assert len(notices.take()) == 1


def test_the_entry_of_something_else_is_not_used(cache: Cache) -> None:
    cache.store("k", build)
    (cache.entries / "k").rename(cache.entries / "other")
    assert cache.find("other") is None


def test_links_are_not_followed(cache: Cache, tmp_path: Path) -> None:
    cache.store("k", build)
    aside = tmp_path / "aside"
    (cache.entries / "k").rename(aside)
    (cache.entries / "k").symlink_to(aside)
    assert cache.find("k") is None
    assert not (cache.entries / "k").is_symlink()
    assert (aside / "kernels.so").read_bytes() == CODE

    cache.store("k", build)
    file = cache.entries / "k" / "kernels.so"
    file.rename(tmp_path / "kernels.so")
    file.symlink_to(tmp_path / "kernels.so")
    assert cache.find("k") is None
    assert (tmp_path / "kernels.so").read_bytes() == CODE


@pytest.mark.parametrize("name", ["", "kernels.so", "manifest.json"])
@pytest.mark.parametrize("mode", [0o770, 0o702])
def test_what_others_may_write_is_not_used(cache: Cache, name: str, mode: int) -> None:
    cache.store("k", build)
    (cache.entries / "k" / name).chmod(mode)
    assert cache.find("k") is None
    (line,) = notices.take()
    assert "others may write" in line


def test_what_belongs_to_others_is_not_used(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.store("k", build)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert cache.find("k") is None
    (line,) = notices.take()
    assert "belongs to somebody else" in line


# -- the folder


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of its own."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", cache_folder.VARIABLE):
        monkeypatch.delenv(name, raising=False)
    caches.forget()
    return home


def test_it_lies_where_the_platform_has_caches(home: Path) -> None:
    found = caches.cache()
    assert found.root == platformdirs.user_cache_path("jupyter-npcompile")
    assert home in found.root.parents
    assert (found.root / "CACHEDIR.TAG").exists()
    assert not found.temporary


def test_the_environment_moves_it(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(cache_folder.VARIABLE, str(tmp_path / "there"))
    assert caches.cache().root == tmp_path / "there"
    with pytest.raises(ValueError, match=cache_folder.VARIABLE):
        caches.cache().move(tmp_path / "elsewhere")


def is_private(found: Cache) -> bool:
    """Whether a cache is a temporary one that works."""
    (line,) = notices.take()
    assert "forgotten when this kernel ends" in line
    found.store("k", build)
    return found.temporary and found.find("k") is not None


def test_a_folder_for_everybody_is_not_used(tmp_path: Path, home: Path) -> None:
    folder = cache_folder.chosen_folder()
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    assert is_private(caches.cache())


def test_a_folder_of_somebody_else_is_not_used(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = cache_folder.chosen_folder()
    folder.mkdir(parents=True)
    real = Path.lstat

    def lstat(path: Path) -> os.stat_result:
        found = real(path)
        return os.stat_result((*found[:4], 4321, *found[5:])) if path == folder else found

    monkeypatch.setattr(Path, "lstat", lstat)
    assert is_private(caches.cache())


def test_a_home_that_is_readable_only(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.mkdir

    def mkdir(path: Path, *args: Any, **kwargs: Any) -> None:
        if home in path.parents:
            raise OSError(errno.EROFS, "Read-only file system")
        real(path, *args, **kwargs)

    monkeypatch.setattr(Path, "mkdir", mkdir)
    assert is_private(caches.cache())


def test_a_folder_that_cannot_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache_folder.VARIABLE, "/proc/npcompile")
    caches.forget()
    assert is_private(caches.cache())


def test_no_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name: Path("~/.cache") / name)
    assert is_private(caches.cache())


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 kB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk(small_disk: Path) -> None:
    cache = Cache(small_disk / "cache")
    made = 0

    def fill() -> None:
        nonlocal made
        for made in range(100):
            cache.store(f"k{made}", build)

    with pytest.raises(OSError, match="No space"):
        fill()
    assert 0 < made < 20
    for number in range(made):
        assert cache.find(f"k{number}") is not None
    assert cache.find(f"k{made}") is None
    assert left(cache) == []
    assert cache.trim(10_000) == made - 1
    cache.store("again", build)


# -- the whole


def age(cache: Cache, key: str, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(cache.entries / key / "manifest.json", (then, then))


def test_what_was_not_used_for_longest_goes_first(cache: Cache) -> None:
    for number in range(10):
        cache.store(f"k{number}", build)
        age(cache, f"k{number}", 1000 - number)
    one = cache_entry.size(cache.entries / "k0")
    cache.find("k0")
    assert cache.trim(3 * one + one // 2) == 7
    assert sorted(path.name for path in cache.entries.iterdir()) == ["k0", "k8", "k9"]
    assert left(cache) == []


def test_what_killed_jobs_left_goes(cache: Cache) -> None:
    cache.prepare()
    for name, seconds in (("old", 2 * caches.DAY), ("new", 60)):
        (cache.jobs / name).mkdir()
        os.utime(cache.jobs / name, (time.time() - seconds,) * 2)
    cache.trim(10**9)
    assert left(cache) == ["new"]


def test_clear_and_contents(cache: Cache) -> None:
    for number in range(3):
        cache.store(f"k{number}", build)
    (cache.compiler / "x").mkdir()
    (cache.compiler / "x" / "header").write_bytes(bytes(100))
    contents = cache.contents()
    assert (contents.entries, contents.compiler_bytes) == (3, 100)
    assert contents.bytes > 3 * len(CODE)
    assert cache.clear() == 3
    assert cache.contents() == caches.Contents(0, 0, 0)


def test_moving(home: Path, tmp_path: Path) -> None:
    cache = caches.cache()
    cache.store("k", build)
    cache.remember("k", "inductor", 3.0, 1.0)
    other = cache.move(tmp_path / "there")
    entry = other.find("k")
    assert entry is not None
    assert entry.verdict is not None
    assert cache.find("k") is None
    caches.forget()
    assert caches.cache().root == tmp_path / "there"
    assert caches.cache().find("k") is not None
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").touch()
    with pytest.raises(ValueError, match="holds something else"):
        other.move(tmp_path / "other")
    assert other.move(tmp_path / "there").find("k") is not None
    assert notices.take() == []


# -- several processes


def _hammer(root: str, seed: int) -> tuple[int, int, list[str]]:
    """Store, find, damage and remove the same few entries as fast as possible."""
    import random

    choice = random.Random(seed)
    cache = Cache(Path(root))
    found = wrong = 0
    for _ in range(1000):
        key = f"k{choice.randrange(3)}"
        action = choice.random()
        if action < 0.4:
            cache.store(key, build)
        elif action < 0.45:
            cache.clear()
        elif action < 0.5:
            cache.trim(1)
        else:
            entry = cache.find(key)
            if entry is not None:
                found += 1
                wrong += entry.manifest["kernels"] != ["kernel_0"]
    return found, wrong, notices.take()


@pytest.mark.slow
def test_four_kernels_at_once(cache: Cache) -> None:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(4, context) as processes:
        counts = list(processes.map(_hammer, [str(cache.root)] * 4, range(4)))
    assert sum(found for found, _, _ in counts) > 20
    assert sum(wrong for _, wrong, _ in counts) == 0
    assert [lines for _, _, lines in counts] == [[]] * 4
    assert left(cache) == []


def test_the_manifest_is_json(cache: Cache) -> None:
    cache.store("k", build)
    _, body = (cache.entries / "k" / "manifest.json").read_text().split("\n", 1)
    assert json.loads(body)["files"].keys() == {"kernels.so", "more"}
