"""One entry of the cache: a folder with a manifest, and files of which it knows the digests."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.runtime import own_library
from jupyter_npcompile.runtime.cache_folder import (
    PRIVATE,
    UntrustedError,
    require_own,
    require_plain,
    write_atomically,
)
from jupyter_npcompile.runtime.stamp import threads

MANIFEST = "manifest.json"
VERDICT = "verdict.json"
LIMIT = 64 * 2**20
"""Bytes of a manifest that are read at most."""


class DamagedError(Exception):
    """An entry is not what was once written."""


@dataclass(frozen=True)
class Entry:
    """What the cache knows about a graph.

    Parameters
    ----------
    key : str
        Its name.
    folder : Path
        Where its files are.
    manifest : mapping
        What building it returned.
    error : mapping or None
        Why it cannot be built, where that is the same every time.
    verdict : mapping or None
        What was measured: ``tier`` (what won), ``numpy_us``, ``compiled_us``.
    """

    key: str
    folder: Path
    manifest: Mapping[str, Any]
    error: Mapping[str, Any] | None = None
    verdict: Mapping[str, Any] | None = None


def write(
    key: str, folder: Path, manifest: Mapping[str, Any], error: Mapping[str, Any] | None = None
) -> None:
    """Complete a folder that holds the files of an entry.

    Parameters
    ----------
    key : str
        The name of the entry.
    folder : Path
        Holds its files.
    manifest, error : mapping
        As in `Entry`.
    """
    files = {}
    for path in sorted(folder.iterdir()):
        content = path.read_bytes()
        files[path.name] = {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
        os.chmod(path, PRIVATE)
    body = json.dumps({"key": key, "files": files, "manifest": manifest, "error": error})
    check = hashlib.sha256(body.encode()).hexdigest()
    (folder / MANIFEST).write_text(f"{check}\n{body}", encoding="utf-8")
    os.chmod(folder / MANIFEST, PRIVATE)
    os.chmod(folder, PRIVATE)


def read(key: str, folder: Path) -> Entry:
    """Read an entry and check every byte of it.

    Raises
    ------
    FileNotFoundError
        When there is none.
    UntrustedError
        When somebody else may have written it.
    DamagedError
        When it is not what was written.
    """
    require_own(folder, folder=True)
    try:
        content = read_own(folder / MANIFEST)
    except FileNotFoundError:
        raise DamagedError("it has no manifest") from None
    check, _, body = content.partition(b"\n")
    if hashlib.sha256(body).hexdigest().encode() != check:
        raise DamagedError("its manifest is not whole")
    data = json.loads(body)
    if data["key"] != key:
        raise DamagedError("it is the entry of something else")
    for name, known in data["files"].items():
        try:
            file = read_own(folder / name)
        except FileNotFoundError:
            raise DamagedError(f"{name} is missing") from None
        if len(file) != known["size"] or hashlib.sha256(file).hexdigest() != known["sha256"]:
            raise DamagedError(f"{name} has changed")
        own_library.remember(folder / name, known["sha256"])
    return Entry(key, folder, data["manifest"], data["error"], _verdict(folder))


def read_own(path: Path, limit: int = LIMIT) -> bytes:
    """The contents of a file of ours; a link is not followed.

    Raises
    ------
    UntrustedError
        When somebody else may have written it.
    DamagedError
        When it is larger than ``limit`` bytes.
    OSError
        When it cannot be read.
    """
    require_own(path)  # says what a link is
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    with os.fdopen(descriptor, "rb") as file:
        if require_plain(path, os.fstat(descriptor)).st_size > limit:
            raise DamagedError(f"{path.name} is too large")
        return file.read()


def _verdict(folder: Path) -> Mapping[str, Any] | None:
    """What was measured, if that is known and makes sense."""
    try:
        found = json.loads(read_own(folder / VERDICT))
        if found["threads"] != threads():
            return None
        return {
            "tier": str(found["tier"]),
            "numpy_us": float(found["numpy_us"]),
            "compiled_us": float(found["compiled_us"]),
        }
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, UntrustedError, DamagedError):
        # Measuring again costs less than telling anybody.
        with contextlib.suppress(OSError):
            (folder / VERDICT).unlink()
        return None


def remember(folder: Path, tier: str, numpy_us: float, compiled_us: float) -> None:
    """Note beside an entry what was measured."""
    verdict = {
        "tier": tier,
        "numpy_us": numpy_us,
        "compiled_us": compiled_us,
        "threads": threads(),
    }
    write_atomically(folder / VERDICT, json.dumps(verdict))


def size(folder: Path) -> int:
    """Bytes of the files in a folder, and in the folders in it."""
    total = 0
    with contextlib.suppress(OSError):  # another process may have removed it
        for found in os.scandir(folder):
            if found.is_dir(follow_symlinks=False):
                total += size(Path(found.path))
            else:
                total += found.stat(follow_symlinks=False).st_size
    return total
