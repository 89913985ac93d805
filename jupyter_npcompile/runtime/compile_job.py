"""One compile, in a process of its own: a fork of the warm worker.

What only segments need is imported for them: a worker for loops imports neither graphs nor NumPy,
and is ready in a tenth of a second.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import shutil
import signal
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.runtime.cache import Cache
from jupyter_npcompile.runtime.cache_folder import UntrustedError
from jupyter_npcompile.runtime.compile_errors import UnbuildableError
from jupyter_npcompile.runtime.messages import Message, send

Build = Callable[[Any, Path, Path, Callable[[str], None]], Mapping[str, Any]]
"""``build(subject, folder, headers, progress)`` writes files into a folder and
returns a manifest. The subject is a graph, or C++: a loop, or kernels that keep
the time. It keeps precompiled headers in another folder, and gives ``progress``
each phase when it begins: ``"lower"``, ``"generate"``, ``"C++"``."""

Support = Callable[[Path], None]
"""Writes a file that all compiled code needs."""

NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO}
"""Errors that say that files cannot be written where the cache is."""

LONGEST_REST = 120
"""Seconds after which what nobody waits for is given up."""

TURNS = "turns.lock"
"""The file in the cache that says who builds what."""

LONGEST_TURN = 60.0
"""Seconds for which one waits for another process that builds the same."""

LEAST_ROOM = 10 * 2**20
"""Bytes; on a disk with less, a failure is blamed on that."""


@dataclass(frozen=True)
class Builder:
    """What a worker builds with.

    Parameters
    ----------
    build : callable
        As above.
    support : callable or None
        As above, if anything is needed.
    probe : callable
        Finds out what it must know about the machine.
    example : callable or None
        A small subject, to be built for the sake of what that leaves behind, if it leaves anything.
    rest : callable or None
        What is done once, with that folder, while nobody waits: later builds are shorter.
    headers : Path
        Where headers are.
    """

    build: Build
    support: Support | None
    probe: Callable[[], None]
    example: Callable[[], Any] | None
    rest: Callable[[Path], None] | None
    headers: Path

    @classmethod
    def of(cls, module: str, folder: Path) -> Builder:
        """Import the functions from a module.

        Parameters
        ----------
        module : str
            Its name.
        folder : Path
            The compiler's folder: headers go into one of the module's choice there.
        """
        found: Any = importlib.import_module(module)
        headers = folder / found.FOUND
        return cls(found.build, found.support, found.probe, found.example, found.rest, headers)

    def store_support(self, cache: Cache) -> None:
        """Make what all compiled code needs, unless a cache has it."""
        if self.support is None:
            return
        from jupyter_npcompile.runtime.stamp import SUPPORT, support_key

        support, key = self.support, support_key()

        def make(folder: Path) -> Mapping[str, Any]:
            support(folder / SUPPORT)
            return {}

        if cache.find(key) is None:
            cache.store(key, make)


def run(request: Mapping[str, Any], builder: Builder, folder: Path, channel: int) -> None:
    """Build what is asked for, into the cache, and say how it went.

    Parameters
    ----------
    request : mapping
        ``graph`` (JSON), ``loop`` or ``timed`` (C++), ``key``, ``root`` (of the cache),
        ``support`` (root of the cache for what all compiled code needs), ``limit`` (bytes).
    builder : Builder
        Builds it.
    folder : Path
        For everything that is not needed afterwards.
    channel : int
        Where the messages go.
    """
    _settle(folder)
    seconds: dict[str, float] = {}
    running: list[tuple[str, float]] = []

    def finish() -> None:
        if running:
            phase, began = running.pop()
            seconds[phase] = seconds.get(phase, 0.0) + perf_counter() - began

    def progress(phase: str) -> None:
        finish()
        running.append((phase, perf_counter()))
        send(channel, {"kind": "phase", "phase": phase})

    cache = Cache(Path(request["root"]), aside=folder)
    try:
        builder.store_support(Cache(Path(request["support"])))
        with in_turn(cache.root / TURNS, request["key"]):
            if cache.find(request["key"]) is None:  # no other kernel was faster
                cache.store(request["key"], task(request, builder, progress))
        finish()
        send(channel, {"kind": "done", "seconds": seconds})
        if trims(request["key"]):
            cache.trim(request["limit"])
    except Exception as error:
        reason = explain(error, cache.root)
        if reason["type"] in ("lowering", "unbuildable"):
            cache.store_error(request["key"], reason)
        send(channel, {"kind": "failed", "error": reason})


@contextlib.contextmanager
def in_turn(path: Path, key: str, longest: float = LONGEST_TURN) -> Iterator[None]:
    """Wait for another process that builds the same: many begin at once on a cluster.

    Parameters
    ----------
    path : Path
        A file of which each key locks a byte of its own; the system lets go of it when a process
        ends, however that was.
    key : str
        What is built.
    longest : float
        Seconds, after which it is built here, too: the other one may have been stopped.
    """
    import fcntl  # not on every system

    descriptor, ends = os.open(path, os.O_RDWR | os.O_CREAT, 0o600), perf_counter() + longest
    try:
        while perf_counter() < ends:
            try:
                fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, zlib.crc32(key.encode()))
                break
            except (BlockingIOError, PermissionError):
                time.sleep(0.01)
        yield
    finally:
        os.close(descriptor)


def rest(chore: Callable[[Path], None], headers: Path, folder: Path) -> None:
    """Do what makes later builds shorter.

    Parameters
    ----------
    chore, headers : callable, Path
        See `Builder`.
    folder : Path
        For everything that is not needed afterwards.
    """
    _settle(folder)
    signal.alarm(LONGEST_REST)
    chore(headers)


def trims(key: str) -> bool:
    """Whether the job that makes an entry looks for entries too many, too.

    It looks at every entry there is, which may be thousands: every sixteenth job is enough.
    """
    return zlib.crc32(key.encode()) % 16 == 0


def task(
    request: Mapping[str, Any], builder: Builder, progress: Callable[[str], None]
) -> Callable[[Path], Mapping[str, Any]]:
    """What writes an entry into the folder that it is given."""
    texts = [request[kind] for kind in ("loop", "timed") if kind in request]
    subject = texts[0] if texts else _graph(request["graph"])
    return lambda into: builder.build(subject, into, builder.headers, progress)


def _graph(text: Mapping[str, Any]) -> Any:
    from jupyter_npcompile.graph import from_json

    return from_json(text)


def _settle(folder: Path) -> None:
    """Become the leader of a process group, with a private place for temporary files."""
    os.setpgid(0, 0)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    put_files(folder, folder)


def put_files(temporary: Path, compiler: Path) -> None:
    """Say where temporary files go, and what the compiler wants to find again."""
    os.environ["TMPDIR"] = str(temporary)
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(compiler)
    tempfile.tempdir = None


def explain(error: Exception, root: Path) -> Message:
    """Why building failed, as plain data.

    Parameters
    ----------
    error : Exception
        What was raised about an `anonymous` graph.
    root : Path
        Where the cache is.

    Returns
    -------
    dict
        With ``type``: ``"lowering"`` and ``"unbuildable"`` are so for good,
        ``"disk"`` means that the cache cannot be written, ``"failure"``
        everything else.
    """
    from jupyter_npcompile.tracer.lowering.errors import LoweringError

    if isinstance(error, LoweringError):
        node = error.position.line - 1  # see `anonymous`
        return {"type": "lowering", "op": error.op, "reason": error.reason, "node": node}
    if isinstance(error, UnbuildableError):
        return {"type": "unbuildable", "reason": str(error)}
    text = str(error).strip()
    if isinstance(error, UntrustedError) or (
        isinstance(error, OSError) and (error.errno in NO_ROOM or _free(root) < LEAST_ROOM)
    ):
        return {"type": "disk", "text": text}
    if _free(root) < LEAST_ROOM:
        return {"type": "disk", "text": "the disk is full"}
    return {"type": "failure", "name": type(error).__name__, "text": text[:2000]}


def _free(root: Path) -> int:
    try:
        return shutil.disk_usage(root).free
    except OSError:
        return 0
