"""Where the cache lies, and whether it may be trusted."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import platformdirs

VARIABLE = "NPCOMPILE_CACHE_DIR"
"""Environment variable that moves the cache."""

APPLICATION = "jupyter-npcompile"

PRIVATE = 0o700

OTHERS = stat.S_IWGRP | stat.S_IWOTH
"""Others may write to it."""

TAG = "CACHEDIR.TAG"
"""A file that tells backup programs what the folder is; it marks the folder as ours."""

SIGNATURE = "Signature: 8a477f597d28d172789f06886806bc55\n# Made by jupyter-npcompile.\n"


class UntrustedError(OSError):
    """Something in the cache is not ours alone, so nothing may be loaded from it."""


def pointer() -> Path:
    """The file that says where the user has moved the cache."""
    return platformdirs.user_config_path(APPLICATION) / "cache-folder"


def chosen_folder() -> Path:
    """The folder that holds the cache: by the environment, as moved, or the platform's own.

    Raises
    ------
    OSError
        When there is no home folder, or the file that says where cannot be read.
    UntrustedError
        When somebody else may have written that file.
    """
    told = os.environ.get(VARIABLE)
    if told:
        return Path(told).expanduser().absolute()
    path = platformdirs.user_cache_path(APPLICATION)
    if not path.is_absolute():
        raise OSError("there is no home folder")
    try:
        require_own(pointer())
        text = pointer().read_text(encoding="utf-8", errors="replace").strip()
    except FileNotFoundError:
        return path
    if not os.path.isabs(text) or not text.isprintable() or "\ufffd" in text:
        raise OSError(f"{pointer()} does not say where the cache lies")
    return Path(text)


def require_own(path: Path, *, folder: bool = False) -> os.stat_result:
    """Check that a file or folder is ours and that nobody else can write to it.

    Raises
    ------
    UntrustedError
        When it is not.
    OSError
        When it is not there.
    """
    found = path.lstat()
    if folder and not stat.S_ISDIR(found.st_mode):
        raise UntrustedError(f"{path} is not a folder")
    return require_plain(path, found, folder=folder)


def require_plain(path: Path, found: os.stat_result, *, folder: bool = False) -> os.stat_result:
    """The same of what was found at a path.

    Raises
    ------
    UntrustedError
        When it is not ours alone.
    """
    if not folder and not stat.S_ISREG(found.st_mode):
        raise UntrustedError(f"{path} is not a plain file")
    if hasattr(os, "geteuid") and found.st_uid != os.geteuid():
        raise UntrustedError(f"{path} belongs to somebody else")
    if hasattr(os, "geteuid") and found.st_mode & OTHERS:
        raise UntrustedError(f"others may write to {path}")
    return found


def require_safe_way(path: Path) -> None:
    """Check that nobody else can put another folder into the place of one.

    As ssh does, every folder above it is looked at: it belongs to the user or to
    root, and others may not write to it, or not remove what is not theirs (``/tmp``).

    Parameters
    ----------
    path : Path
        A folder that is there.

    Raises
    ------
    UntrustedError
        When somebody can.

    Examples
    --------
    >>> require_safe_way(Path(tempfile.gettempdir(), "mine"))
    """
    if not hasattr(os, "geteuid"):
        return
    for folder in path.resolve().parents:
        found = folder.stat()
        if found.st_uid not in (0, os.geteuid()):
            raise UntrustedError(f"{folder}, above {path}, belongs to somebody else")
        if found.st_mode & OTHERS and not found.st_mode & stat.S_ISVTX:
            raise UntrustedError(f"others may write to {folder}, above {path}")


def make_folder(path: Path) -> Path:
    """Make a private folder where there is none, and check that it is ours.

    Raises
    ------
    UntrustedError
        When it belongs to somebody else, or others may write to it.
    OSError
        When it cannot be made.
    """
    path.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
    require_own(path, folder=True)
    return path


@contextlib.contextmanager
def temporary(within: Path) -> Iterator[Path]:
    """A private folder in the same file system as the cache, gone afterwards.

    Who moves what it holds to its place leaves nothing to remove.
    """
    make_folder(within)
    with tempfile.TemporaryDirectory(dir=within, ignore_cleanup_errors=True) as name:
        yield Path(name)


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a small file so that readers see the old or the new one, whole."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
