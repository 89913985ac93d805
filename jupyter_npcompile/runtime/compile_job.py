"""One compile, in a process of its own: a fork of the warm worker."""

from __future__ import annotations

import errno
import importlib
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

from jupyter_npcompile.graph import from_json
from jupyter_npcompile.graph.nodes import Graph
from jupyter_npcompile.runtime.cache import Cache
from jupyter_npcompile.runtime.cache_folder import UntrustedError
from jupyter_npcompile.runtime.lifeline import die_with_parent
from jupyter_npcompile.runtime.messages import Message, send

Build = Callable[[Graph, Path, Callable[[str], None]], Mapping[str, Any]]

NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO}
"""Errors that say that files cannot be written where the cache is."""

LEAST_ROOM = 10 * 2**20
"""Bytes; on a disk with less, a failure is blamed on that."""


def find_build(name: str) -> Build:
    """The function that builds, from ``module:function``."""
    module, _, function = name.partition(":")
    found: Build = getattr(importlib.import_module(module), function)
    return found


def run(request: Mapping[str, Any], build: Build, folder: Path, channel: int) -> None:
    """Build what is asked for, into the cache, and say how it went.

    Parameters
    ----------
    request : mapping
        ``graph`` (JSON), ``key``, ``root`` (of the cache), ``limit`` (bytes).
    build : callable
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

    cache = Cache(Path(request["root"]))
    try:
        graph = from_json(request["graph"])
        cache.store(request["key"], lambda into: build(graph, into, progress), folder)
        finish()
        send(channel, {"kind": "done", "seconds": seconds})
        cache.trim(request["limit"])
    except Exception as error:
        reason = explain(error, cache.root)
        if reason["type"] in ("lowering", "unbuildable"):
            cache.store_error(request["key"], reason)
        send(channel, {"kind": "failed", "error": reason})


def _settle(folder: Path) -> None:
    """Become the leader of a process group, with a private place for temporary files."""
    os.setpgid(0, 0)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    die_with_parent(signal.SIGKILL)
    log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.environ["TMPDIR"] = str(folder)
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(folder / "compiler")
    tempfile.tempdir = None
    # The worker has precompiled the usual headers. One that is not known yet is
    # made for this job alone: who is killed leaves half a file behind.
    put_headers(folder / "headers")


def put_headers(folder: Path) -> None:
    """Have the compiler put headers that it precompiles from now on into a folder.

    By itself it puts them where every user of the machine might.
    """
    inductor: Any = sys.modules.get("torch._inductor.codecache")
    if inductor is not None:
        inductor._HEADER_DIR = str(folder)
        inductor._HEADER_LOCK_DIR = str(folder / "locks")


def explain(error: Exception, root: Path) -> Message:
    """Why building failed, as plain data.

    Parameters
    ----------
    error : Exception
        What was raised. Lines of its position are numbers of nodes.
    root : Path
        Where the cache is.

    Returns
    -------
    dict
        With ``type``: ``"lowering"`` and ``"unbuildable"`` are so for good,
        ``"disk"`` means that the cache cannot be written, ``"failure"``
        everything else.
    """
    kind = type(error).__name__
    reason = getattr(error, "reason", None)
    if kind == "LoweringError":
        found: Any = error
        return {"type": "lowering", "op": found.op, "reason": reason, "node": found.position.line}
    if kind == "Unbuildable":
        return {"type": "unbuildable", "reason": reason}
    text = str(error).strip()
    if isinstance(error, UntrustedError) or (
        isinstance(error, OSError) and (error.errno in NO_ROOM or _free(root) < LEAST_ROOM)
    ):
        return {"type": "disk", "text": text}
    if _free(root) < LEAST_ROOM:
        return {"type": "disk", "text": "the disk is full"}
    return {"type": "failure", "name": kind, "text": text[:2000]}


def _free(root: Path) -> int:
    try:
        return shutil.disk_usage(root).free
    except OSError:
        return 0
