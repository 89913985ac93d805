"""The compile worker without a process of its own: what a test has broken is broken there too."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from jupyter_npcompile.runtime import artifacts, stamp
from jupyter_npcompile.runtime.cache import Cache
from jupyter_npcompile.runtime.cache_folder import PRIVATE
from jupyter_npcompile.runtime.compile_job import Builder, explain, task
from jupyter_npcompile.runtime.compile_worker import MODULE, CompileWorker
from jupyter_npcompile.runtime.compiled import Store
from jupyter_npcompile.runtime.messages import Message
from jupyter_npcompile.runtime.ticket import Ticket


class LocalWorker(CompileWorker):
    """Builds in this process, in the thread that asks."""

    def build(self, request: Mapping[str, Any], cache: Cache, ticket: Ticket) -> Message:
        """Build at once."""
        folder = cache.compiler / stamp.compiler_key()  # a real worker's
        builder = Builder.of(MODULE, folder)
        builder.headers.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        target = Cache(Path(request["root"]))
        build = task(request, builder, ticket.enter)
        try:
            builder.store_support(Cache(Path(request["support"])))
            target.store(request["key"], build)
        except Exception as error:
            return {"kind": "failed", "error": explain(error, cache.root)}
        return {"kind": "done", "seconds": {}}


@contextlib.contextmanager
def compiled_here() -> Iterator[None]:
    """Have everything compiled in this process."""
    before = artifacts.store
    artifacts.store = Store(artifacts._load, LocalWorker())
    try:
        yield
    finally:
        artifacts.store = before
