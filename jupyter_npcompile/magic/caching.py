"""``%npcompile cache``: shows, clears and moves the cache of compiled code."""

from __future__ import annotations

from pathlib import Path

from IPython.core.error import UsageError

from jupyter_npcompile.runtime import cache as caches
from jupyter_npcompile.runtime.cache_folder import UntrustedError
from jupyter_npcompile.runtime.compile_worker import stop_all
from jupyter_npcompile.runtime.settings import settings

USAGE = "Valid commands: cache, cache clear, cache move FOLDER"


def cache_command(rest: str) -> str:
    """Do what ``%npcompile cache`` asks, and say what was done.

    Parameters
    ----------
    rest : str
        What follows the word ``cache``.

    Raises
    ------
    UsageError
        When that makes no sense, or the cache cannot be moved there.
    """
    word, _, argument = rest.strip().partition(" ")
    try:
        if not word:
            return _shown()
        if word == "clear" and not argument:
            return _cleared()
        if word == "move" and argument:
            return _moved(Path(argument.strip().strip("\"'")))
    except (OSError, ValueError, UntrustedError) as error:
        raise UsageError(f"%npcompile cache {word}: {error}") from None
    raise UsageError(f"%npcompile cache does not know {rest.strip()!r}. {USAGE}")


def _shown() -> str:
    cache = caches.cache()
    found = cache.contents()
    where = " (until this kernel ends)" if cache.temporary else ""
    return (
        f"{cache.root}{where}: {_count(found.entries)}, {_size(found.bytes)} of "
        f"{settings.cache_mb} MB; for the compiler {_size(found.compiler_bytes)}"
    )


def _cleared() -> str:
    cache = caches.cache()
    before = cache.contents()
    count = cache.clear()
    after = cache.contents()
    freed = before.bytes + before.compiler_bytes - after.bytes - after.compiler_bytes
    kept = f"; a running compiler keeps {_size(after.compiler_bytes)}"
    return (
        f"removed {_count(count)}, {_size(freed)}, from {cache.root}"
        f"{kept if after.compiler_bytes else ''}"
    )


def _moved(target: Path) -> str:
    cache = caches.cache()
    stop_all()  # what they need is in the old folder
    other = cache.move(target)
    caches.use(other)
    return f"the cache is now in {other.root}, with {_count(other.contents().entries)}"


def _count(entries: int) -> str:
    return f"{entries} entr{'y' if entries == 1 else 'ies'}"


def _size(count: int) -> str:
    return f"{count / 2**20:.1f} MB"
