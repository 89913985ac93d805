"""The cache of compiled code on disk, shared by all kernels of a user."""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.forks import after_fork
from jupyter_npcompile.runtime import cache_entry
from jupyter_npcompile.runtime.cache_entry import MANIFEST, DamagedError, Entry
from jupyter_npcompile.runtime.cache_folder import (
    PRIVATE,
    SIGNATURE,
    TAG,
    VARIABLE,
    UntrustedError,
    chosen_folder,
    make_folder,
    pointer,
    require_safe_way,
    temporary,
    write_atomically,
)
from jupyter_npcompile.runtime.notices import say

DAY = 24 * 3600.0
MONTH = 30 * DAY

_USELESS = (DamagedError, UntrustedError, OSError, ValueError, LookupError, TypeError)
"""What reading an entry raises when it is not as it was written."""


@dataclass(frozen=True)
class Contents:
    """What lies in a cache.

    Parameters
    ----------
    entries : int
        How many graphs it knows.
    bytes : int
        Their size.
    compiler_bytes : int
        What the compiler keeps to be quick: precompiled headers.
    """

    entries: int
    bytes: int
    compiler_bytes: int


class Cache:
    """Entries in a folder.

    Parameters
    ----------
    root : Path
        The folder; made when something is written.
    temporary : bool
        Whether it is gone when the kernel is.
    aside : Path, optional
        A folder in it for what is not whole yet, or not needed any more.

    Examples
    --------
    >>> import tempfile
    >>> cache = Cache(Path(tempfile.mkdtemp()))
    >>> def build(folder: Path) -> dict[str, Any]:
    ...     _ = (folder / "kernels.so").write_bytes(b"code")
    ...     return {"kernels": 1}
    >>> cache.store("a1", build)
    >>> cache.find("a1").manifest
    {'kernels': 1}
    >>> cache.clear()
    1
    """

    def __init__(self, root: Path, *, temporary: bool = False, aside: Path | None = None) -> None:
        self.root = root
        self.temporary = temporary
        self.entries = root / "entries"
        self.loops = root / "loops"
        self.jobs = root / "jobs"
        self.aside = aside or self.jobs
        self.compiler = root / "compiler"

    def prepare(self) -> None:
        """Make the folders, and check that they are ours alone.

        Raises
        ------
        UntrustedError, OSError
            When they are not, or cannot be made.
        """
        make_folder(self.root)
        require_safe_way(self.root)
        tag = self.root / TAG
        if not tag.exists():  # first: a folder that holds anything without it is not ours
            write_atomically(tag, SIGNATURE)
        for folder in (self.entries, self.loops, self.jobs, self.compiler):
            make_folder(folder)

    # -- entries

    def find(self, key: str) -> Entry | None:
        """What is known under a key; None when nothing is, or nothing that can be trusted."""
        folder = self.entries / key
        with _pinned(folder):
            before = _identity(folder)
            try:
                entry = cache_entry.read(key, folder)
            except FileNotFoundError:
                return None
            except _USELESS as error:
                # Unless another kernel has just removed or replaced it, or does so now.
                if _identity(folder) == before:
                    if self._discard(folder):
                        say(f"a cache entry is not used and was removed: {error} ({folder})")
                    elif _identity(folder) == before:
                        say(f"a cache entry is not used and cannot be removed: {error} ({folder})")
                return None
        with contextlib.suppress(OSError):  # the cache may be readable only
            os.utime(folder / MANIFEST)
        return entry

    def store(self, key: str, build: Callable[[Path], Mapping[str, Any]]) -> None:
        """Build an entry, and put it in its place when it is whole.

        Parameters
        ----------
        key : str
            Its name.
        build : callable
            Writes files into the folder it is given; returns the manifest.

        Raises
        ------
        OSError
            When the disk is full, for instance.
        Exception
            Whatever ``build`` raises.
        """
        self.prepare()
        with temporary(self.aside) as folder:
            made = folder / "entry"
            made.mkdir(mode=PRIVATE)
            cache_entry.write(key, made, build(made))
            self._place(made, key)

    def store_error(self, key: str, error: Mapping[str, Any]) -> None:
        """Note that a graph cannot be built, now or ever."""
        self.prepare()
        with temporary(self.aside) as folder:
            made = folder / "entry"
            made.mkdir(mode=PRIVATE)
            cache_entry.write(key, made, {}, error)
            self._place(made, key)

    def _place(self, made: Path, key: str) -> None:
        # Another kernel may be first: its entry is as good, if it is whole. A third one may have
        # removed it before it was looked at, and a fourth one put another there.
        for _ in range(100):
            with contextlib.suppress(OSError):
                made.rename(self.entries / key)
                return
            if self.find(key) is not None:
                return
        made.rename(self.entries / key)

    def remember(self, key: str, tier: str, numpy_us: float, compiled_us: float) -> None:
        """Note beside an entry what was measured, if the entry is there."""
        folder = self.entries / key
        if folder.is_dir():
            try:
                cache_entry.remember(folder, tier, numpy_us, compiled_us)
            except OSError as error:
                say(f"measured times are not remembered: {error}")

    def discard(self, entry: Path, reason: str) -> None:
        """Remove an entry that is as it was written, and of no use: it is made again."""
        if self._discard(entry):
            say(f"a cache entry cannot be loaded and was removed: {reason}")

    def _discard(self, path: Path) -> bool:
        """Remove an entry, whatever it is: at once for other kernels."""
        try:
            with temporary(self.aside) as folder:
                path.rename(folder / "gone")
        except (OSError, UntrustedError):
            return False
        return True

    def take(self, folder: Path) -> None:
        """Move an entry of another cache here; it may lie on another disk, or be gone by now."""
        with temporary(self.aside) as aside:
            made = aside / "entry"
            try:
                shutil.move(folder, made)
            except FileNotFoundError:
                return
            self._place(made, folder.name)

    # -- the whole

    def contents(self) -> Contents:
        """Count what is there."""
        found = _found_in(self.entries)
        return Contents(
            len(found), sum(map(cache_entry.size, found)), cache_entry.size(self.compiler)
        )

    def trim(self, limit: int) -> int:
        """Remove what was not used for longest until the cache is small enough.

        Parameters
        ----------
        limit : int
            Bytes. What the compiler keeps counts, but a quarter of the limit
            is left to entries in any case.

        Returns
        -------
        int
            How many entries were removed.
        """
        now = time.time()
        for folder in _found_in(self.jobs):
            if now - _modified(folder) > DAY:  # of a process that was killed
                shutil.rmtree(folder, ignore_errors=True)
        for folder in _found_in(self.compiler):
            if now - _modified(folder) > MONTH:
                remove_unused(folder)
        for note in _found_in(self.loops):
            if now - _modified(note) > MONTH:
                note.unlink(missing_ok=True)
        ages = sorted((_modified(f / MANIFEST), f) for f in _found_in(self.entries))
        sizes = {folder: cache_entry.size(folder) for _, folder in ages}
        total = sum(sizes.values())
        limit = max(limit - cache_entry.size(self.compiler), limit // 4)
        removed = 0
        for _, folder in ages:
            if total <= limit:
                break
            self._discard(folder)
            total -= sizes[folder]
            removed += 1
        return removed

    def remove(self) -> None:
        """Remove it altogether."""
        shutil.rmtree(self.root, ignore_errors=True)

    def clear(self) -> int:
        """Remove every entry, and what no running compiler uses; returns how many there were."""
        found = _found_in(self.entries)
        for folder in found:
            self._discard(folder)
        for folder in _found_in(self.compiler):
            remove_unused(folder)
        for note in _found_in(self.loops):
            note.unlink(missing_ok=True)
        return len(found)

    def move(self, root: Path) -> Cache:
        """Move every entry to another folder, and use that from now on, in every new kernel.

        Parameters
        ----------
        root : Path
            A new or empty folder, or one that was a cache before.

        Raises
        ------
        ValueError
            When the folder holds something else, or the environment says
            where the cache lies.
        OSError, UntrustedError
            When it cannot be made, or is not ours alone.
        """
        if os.environ.get(VARIABLE):
            raise ValueError(f"{VARIABLE} says where the cache lies: change that instead")
        root = root.expanduser().absolute()
        if self.root.resolve() in root.resolve().parents:
            raise ValueError(f"{root} lies in the cache itself")
        if root.is_dir() and any(root.iterdir()) and not (root / TAG).exists():
            raise ValueError(f"{root} holds something else")
        other = Cache(root)
        other.prepare()
        if root != self.root:
            for folder in _found_in(self.entries):
                if not (other.entries / folder.name).exists():
                    other.take(folder)
            for note in _found_in(self.loops):
                with contextlib.suppress(FileNotFoundError):
                    shutil.move(note, other.loops / note.name)
            self.clear()
        pointer().parent.mkdir(parents=True, exist_ok=True)
        write_atomically(pointer(), f"{root}\n")
        return other


def remove_unused(folder: Path) -> bool:
    """Remove a folder that no compile worker uses at present; False when one does."""
    import fcntl  # not on every system

    with contextlib.suppress(OSError), _open_folder(folder) as descriptor:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
        return True
    return False


@contextlib.contextmanager
def _open_folder(folder: Path) -> Iterator[int]:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _found_in(within: Path) -> list[Path]:
    """What lies in a folder, nothing when it is not there."""
    try:
        return [Path(found.path) for found in os.scandir(within) if not found.name.startswith(".")]
    except FileNotFoundError:
        return []


@contextlib.contextmanager
def _pinned(path: Path) -> Iterator[None]:
    """Keep the number of a folder from being given to another one, where it is there."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            stack.enter_context(_open_folder(path))
        yield


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _modified(path: Path) -> float:
    with contextlib.suppress(OSError):  # removed by another process meanwhile
        return path.stat(follow_symlinks=False).st_mtime
    return 0.0


_lock = threading.Lock()
_current: list[Cache] = []


def _forked() -> None:
    """A thread that another process has may have held the lock."""
    global _lock
    _lock = threading.Lock()


after_fork(_forked)


def cache() -> Cache:
    """The cache of this kernel; a temporary one, and a line that says so, where none can be.

    Raises
    ------
    OSError
        When there is no room for a temporary one either.
    """
    with _lock:
        if not _current:
            _current.append(_opened())
        return _current[0]


def use(other: Cache) -> None:
    """Have this kernel use another cache."""
    with _lock:
        _current[:] = [other]


def forget() -> None:
    """Look again where the cache is when it is next needed."""
    with _lock:
        _current.clear()


def _opened() -> Cache:
    where: Path | str = "no cache folder"
    try:
        where = chosen_folder()
        made = Cache(where)
        made.prepare()
    except (OSError, UntrustedError) as error:
        say(f"compiled code is forgotten when this kernel ends: {where} cannot be used: {error}")
        return private()
    return made


def private() -> Cache:
    """A cache of this process alone, gone when it ends."""
    root = Path(tempfile.mkdtemp(prefix="npcompile-"))
    atexit.register(_remove, root, os.getpid())
    made = Cache(root, temporary=True)
    made.prepare()
    return made


def _remove(root: Path, owner: int) -> None:
    if os.getpid() == owner:  # and not a process that it has forked
        shutil.rmtree(root, ignore_errors=True)
