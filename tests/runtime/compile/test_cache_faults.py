"""A disk that fails at any moment, files that are cut anywhere, and folders in bad places."""

from __future__ import annotations

import builtins
import contextlib
import errno
import io
import multiprocessing
import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from jupyter_npcompile.runtime import cache as caches
from jupyter_npcompile.runtime import cache_folder, notices
from jupyter_npcompile.runtime.cache import Cache
from jupyter_npcompile.runtime.cache_folder import UntrustedError
from jupyter_npcompile.runtime.durations import Durations
from tests.runtime.compile.test_cache import CODE, build, home, left
from tests.support.session.processes import PATIENCE

__all__ = ["home"]


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    notices.forget()
    yield
    notices.forget()
    caches.forget()


class FailingDisk:
    """Fails at the n-th thing that is done on the disk, and from then on.

    Parameters
    ----------
    monkeypatch : pytest.MonkeyPatch
        Puts it in the place of the real one.
    error : int
        How it fails.
    """

    NAMES = ("mkdir", "open", "replace", "rename", "chmod", "utime")

    def __init__(self, monkeypatch: pytest.MonkeyPatch, error: int) -> None:
        self.error = error
        self.left = 10**9
        self.failed = 0
        for name in self.NAMES:
            monkeypatch.setattr(os, name, self._failing(getattr(os, name)))
        real = io.open
        monkeypatch.setattr(io, "open", self._failing(real))
        monkeypatch.setattr(builtins, "open", self._failing(real))

    def _failing(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def act(*args: Any, **kwargs: Any) -> Any:
            self.left -= 1
            if self.left < 0 and self._writes(real, args):
                self.failed += 1
                raise OSError(self.error, os.strerror(self.error))
            return real(*args, **kwargs)

        return act

    @staticmethod
    def _writes(real: Callable[..., Any], args: tuple[Any, ...]) -> bool:
        """What is only read can be read on a full disk, too."""
        if real.__name__ != "open":
            return True
        mode = args[1] if len(args) > 1 else "r"
        return bool(mode & (os.O_WRONLY | os.O_RDWR)) if type(mode) is int else mode[:1] != "r"

    @contextlib.contextmanager
    def after(self, count: int) -> Iterator[None]:
        """It fails after so many operations."""
        self.left, self.failed = count, 0
        try:
            yield
        finally:
            self.left = 10**9


ACTIONS: dict[str, Callable[[Cache], object]] = {
    "store": lambda cache: cache.store("new", build),
    "store error": lambda cache: cache.store_error("new", {"type": "unbuildable", "reason": "no"}),
    "remember": lambda cache: cache.remember("old", "inductor", 2.0, 1.0),
    "find": lambda cache: cache.find("old"),
    "durations": lambda cache: Durations(cache.root / "durations.json").add({"C++": 1.0}),
    "trim": lambda cache: cache.trim(1),
    "clear": lambda cache: cache.clear(),
    "prepare": lambda cache: cache.prepare(),
}


@pytest.mark.parametrize(
    ("name", "error"),
    [*((name, errno.ENOSPC) for name in ACTIONS), ("store", errno.EROFS), ("clear", errno.EIO)],
)
def test_a_disk_that_fails_at_any_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, error: int
) -> None:
    """Nothing but `OSError` comes of it, no entry is half made, and later all is well."""
    disk = FailingDisk(monkeypatch, error)
    moments = 0
    for count in range(200):
        cache = Cache(tmp_path / str(count))
        cache.store("old", build)
        with disk.after(count), contextlib.suppress(OSError):
            ACTIONS[name](cache)
        for key in ("old", "new"):
            entry = cache.find(key)
            if entry is not None and entry.error is None:
                assert (entry.folder / "kernels.so").read_bytes() == CODE
        moments += disk.failed > 0
        assert all("is not used" not in line for line in notices.take())
        ACTIONS[name](cache)
        cache.store("new", build)
        assert cache.find("new") is not None
        cache.trim(10**9)
        if not disk.failed:
            break
    else:
        raise AssertionError("it never came to its end")
    assert moments >= (0 if name in ("find", "prepare") else 1)
    shutil.rmtree(tmp_path)


def test_a_move_that_fails_at_any_moment(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every entry is in one place or the other, whole; and the move can be made again."""
    disk = FailingDisk(monkeypatch, errno.ENOSPC)
    for count in range(200):
        cache = Cache(tmp_path / f"from{count}")
        for key in ("a", "b"):
            cache.store(key, build)
        with disk.after(count), contextlib.suppress(OSError):
            cache.move(tmp_path / f"to{count}")
        other = Cache(tmp_path / f"to{count}")
        both = [cache.find(key) or other.find(key) for key in ("a", "b")]
        lost = both.count(None)
        assert lost <= 1, count  # the one that was on its way
        moved = cache.move(other.root)
        assert sum(moved.find(key) is not None for key in ("a", "b")) == 2 - lost
        assert notices.take() == []
        if not disk.failed:
            assert lost == 0
            return
    raise AssertionError("it never came to its end")


@pytest.mark.parametrize("file", ["verdict.json", "durations.json", "CACHEDIR.TAG", "pointer"])
def test_damage_beside_the_entries(home: Path, file: str) -> None:
    """A hundred times: cut, changed, or filled with anything."""
    dice = random.Random(7)
    cache = caches.cache()
    cache.store("k", build)
    cache.remember("k", "inductor", 3.0, 1.0)
    Durations(cache.root / "durations.json").add({"C++": 1.0})
    where = {
        "verdict.json": cache.entries / "k" / file,
        "durations.json": cache.root / file,
        "CACHEDIR.TAG": cache.root / file,
        "pointer": cache_folder.pointer(),
    }[file]
    where.parent.mkdir(parents=True, exist_ok=True)
    if file == "pointer":
        where.write_text(f"{cache.root}\n")
    content = where.read_bytes()
    for _ in range(100):
        damaged = bytearray(content)
        place = dice.randrange(len(content))
        match dice.randrange(4):
            case 0:
                del damaged[place:]
            case 1:
                damaged[place] ^= dice.randrange(1, 256)
            case 2:
                damaged = bytearray(dice.randbytes(dice.randrange(60)))
            case 3:
                damaged[place:place] = dice.randbytes(9)
        where.write_bytes(damaged)
        caches.forget()
        now = caches.cache()
        entry = now.find("k") if now.root == cache.root else None
        if now.root == cache.root:
            assert entry is not None
            verdict = entry.verdict
            assert verdict is None or verdict.keys() == {"tier", "numpy_us", "compiled_us"}
        estimate = Durations(now.root / "durations.json").estimate()
        assert all(type(seconds) is float for seconds in estimate.values())
        where.parent.mkdir(parents=True, exist_ok=True)
        where.write_bytes(content)
        where.chmod(0o600)
    caches.forget()
    assert caches.cache().root == cache.root


def test_a_cache_does_not_move_into_itself(home: Path, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    cache.store("k", build)
    (tmp_path / "link").symlink_to(cache.root)
    for inside in ("entries", "entries/x", "deep/er", "entries/k"):
        with pytest.raises(ValueError, match="lies in the cache itself"):
            cache.move(cache.root / inside)
        with pytest.raises(ValueError, match="lies in the cache itself"):
            cache.move(tmp_path / "link" / inside)
    assert cache.find("k") is not None


@pytest.mark.parametrize("kind", ["file", "below a file", "others may write", "link to a file"])
def test_bad_places_for_a_cache(home: Path, tmp_path: Path, kind: str) -> None:
    cache = Cache(tmp_path / "cache")
    cache.store("k", build)
    target = tmp_path / "place"
    if kind == "others may write":
        target.mkdir()
        target.chmod(0o777)
    else:
        (tmp_path / "file").write_text("text")
        where = {"file": "file", "below a file": "file/x", "link to a file": "place"}[kind]
        target = tmp_path / where
        if kind == "link to a file":
            target.symlink_to(tmp_path / "file")
    with pytest.raises((OSError, UntrustedError)):
        cache.move(target)
    assert cache.find("k") is not None
    assert not cache_folder.pointer().exists()


def test_a_folder_of_the_cache_that_others_may_write(tmp_path: Path) -> None:
    for name in ("entries", "jobs", "compiler"):
        cache = Cache(tmp_path / name)
        cache.store("k", build)
        (cache.root / name).chmod(0o777)
        with pytest.raises(UntrustedError, match="others may write"):
            cache.prepare()


@pytest.mark.parametrize(
    ("mode", "safe"),
    [(0o755, True), (0o700, True), (0o1777, True), (0o775, False), (0o757, False), (0o777, False)],
)
@pytest.mark.parametrize("depth", [1, 3])
def test_folders_above_a_cache(tmp_path: Path, mode: int, safe: bool, depth: int) -> None:
    """As ssh looks at them: who may write there could put another folder in its place."""
    above = tmp_path / "above"
    cache = Cache(above.joinpath(*["deeper"] * (depth - 1), "cache"))
    cache.prepare()
    above.chmod(mode)
    if safe:
        cache.prepare()
        return
    with pytest.raises(UntrustedError, match=f"others may write to {above}, above {cache.root}"):
        cache.prepare()


def test_a_folder_above_a_cache_that_belongs_to_somebody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(tmp_path / "above" / "cache")
    cache.prepare()
    real = Path.stat

    def owned(path: Path, **options: Any) -> os.stat_result:
        found = real(path, **options)
        owner = 4711 if path == cache.root.parent else found.st_uid
        return os.stat_result((*found[:4], owner, *found[5:10]))

    monkeypatch.setattr(Path, "stat", owned)
    with pytest.raises(UntrustedError, match=r"above, above .* belongs to somebody else"):
        cache.prepare()


def test_a_link_on_the_way_to_a_cache(tmp_path: Path) -> None:
    (tmp_path / "open" / "real").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "open" / "real")
    cache = Cache(tmp_path / "link" / "cache")
    cache.prepare()
    (tmp_path / "open").chmod(0o777)
    with pytest.raises(UntrustedError, match="others may write"):
        cache.prepare()


def test_a_cache_below_a_folder_for_everybody_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    monkeypatch.setenv(cache_folder.VARIABLE, str(tmp_path / "open" / "cache"))
    caches.forget()
    assert caches.cache().temporary
    (line,) = notices.take()
    assert "compiled code is forgotten when this kernel ends" in line
    assert f"others may write to {tmp_path / 'open'}" in line


def test_what_cannot_be_loaded_is_made_again(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    cache.store("k", build)
    entry = cache.find("k")
    assert entry is not None
    cache.discard(entry.folder, "invalid ELF header")
    assert cache.find("k") is None
    assert notices.take() == ["a cache entry cannot be loaded and was removed: invalid ELF header"]


def _move_about(folder: str, seed: int, results: Any) -> None:
    """Store, find, clear and move, as two kernels of one user might."""
    os.environ["HOME"] = folder
    os.environ.pop(cache_folder.VARIABLE, None)
    dice = random.Random(seed)
    found = wrong = 0
    errors: list[str] = []
    for step in range(120):
        caches.forget()
        cache = caches.cache()
        key = f"k{dice.randrange(4)}"
        action = dice.random()
        try:
            if action < 0.45:
                cache.store(key, build)
            elif action < 0.55:
                cache.move(Path(folder) / f"place{dice.randrange(3)}")
            elif action < 0.6:
                cache.clear()
            else:
                entry = cache.find(key)
                if entry is not None:
                    found += 1
                    wrong += entry.manifest["kernels"] != ["kernel_0"]
        except Exception as error:
            errors.append(f"{step}: {type(error).__name__}: {error}")
    results.put((found, wrong, errors, [line for line in notices.take() if "entry" in line]))


@pytest.mark.slow
def test_three_kernels_that_move_one_cache(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    workers = [
        context.Process(target=_move_about, args=(str(tmp_path), seed, results))
        for seed in range(3)
    ]
    for worker in workers:
        worker.start()
    counts = [results.get(timeout=PATIENCE) for _ in workers]
    for worker in workers:
        worker.join()
    assert sum(found for found, *_ in counts) > 20
    assert [(wrong, errors, lines) for _, wrong, errors, lines in counts] == [(0, [], [])] * 3
    for place in tmp_path.glob("place*"):
        assert left(Cache(place)) == []
