"""Worker processes that cannot hang: each event they owe has a deadline."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from tests.benchmarks.tools import environment
from tests.benchmarks.worker import Request

ROOT = Path(__file__).parents[2]

Event = dict[str, Any]

LATE = "late"
"""The event that says that the child was stopped."""


@dataclass(frozen=True)
class Limits:
    """How long to wait for each event, in seconds.

    Parameters
    ----------
    ready : float
        Until the tool is imported and the child has begun.
    first : float
        For a first result.
    rest : float
        For everything that follows it at one size.
    """

    ready: float = 60.0
    first: float = 30.0
    rest: float = 30.0

    def after(self, event: str) -> float:
        """How long the event that follows may take."""
        return self.rest if event == "first" else self.first


def events(
    request: Request, threads: int, cache: Path, limits: Limits, log: Path
) -> Iterator[Event]:
    """Start a worker and yield what it says.

    A worker that does not speak in time is stopped, with all processes that it
    started, and the last event is then ``{"event": "late", "seconds": ...}``.
    One that ends with an error says so itself; one that dies has its last
    event made up here.
    """
    command = [sys.executable, "-m", "tests.benchmarks.worker", json.dumps(asdict(request))]
    log.parent.mkdir(parents=True, exist_ok=True)
    cache.mkdir(parents=True, exist_ok=True)
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **environment(threads, cache)}
    with log.open("wb") as stderr:
        child = subprocess.Popen(
            command,
            cwd=ROOT,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            start_new_session=True,
        )
        try:
            yield from _heard(child, limits)
        finally:
            _stop(child)


def _heard(child: subprocess.Popen[bytes], limits: Limits) -> Iterator[Event]:
    assert child.stdout is not None
    descriptor = child.stdout.fileno()
    pending, limit = b"", limits.ready
    began = monotonic()
    failed = False
    while True:
        left = began + limit - monotonic()
        if left <= 0 or not select.select([descriptor], [], [], left)[0]:
            yield {"event": LATE, "seconds": monotonic() - began}
            return
        chunk = os.read(descriptor, 1 << 16)
        if not chunk:
            break
        *lines, pending = (pending + chunk).split(b"\n")
        for line in lines:
            event = json.loads(line)
            failed = event["event"] == "error"
            # The time that was lost counts from the last good event.
            yield {**event, "seconds": monotonic() - began} if failed else event
            limit, began = limits.after(event["event"]), monotonic()
    code = child.wait()
    if code and not failed:
        message = f"the process died (exit code {code})"
        yield {"event": "error", "message": message, "seconds": monotonic() - began}


def _stop(child: subprocess.Popen[bytes]) -> None:
    """End a child and what it started; nothing but its own process group is touched."""
    with contextlib.suppress(ProcessLookupError, PermissionError):  # all of them have ended
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    if child.stdout is not None:
        child.stdout.close()
