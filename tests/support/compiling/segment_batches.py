"""Compiles many segments at once, for tests that go through many small ones.

Most of the time that the C++ compiler takes for a small segment it takes for any file. Here many
are one file and one library. All else is the product's: what is recorded, lowered and generated
is the same, the options and the cache. Each segment then has an entry in the cache, as if
somebody had compiled it before.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from jupyter_npcompile.graph import to_json
from jupyter_npcompile.graph.nodes import Graph
from jupyter_npcompile.runtime import artifacts, stamp
from jupyter_npcompile.runtime import cache as caches
from jupyter_npcompile.runtime.anonymous import anonymous
from jupyter_npcompile.runtime.compile_errors import CancelledError
from jupyter_npcompile.runtime.compiled import BuildError, Store, built
from jupyter_npcompile.runtime.native.gxx import LIBRARY
from jupyter_npcompile.runtime.ticket import Ticket
from tests.support.compiling.batches import TOGETHER

BUILDING = "tests.support.compiling.batch_building"
"""What the compile worker of a session builds with: `conftest` says so."""

MARK = "// many segments\n"
"""Stands before the graphs of many segments."""

OWN = ("constants.bin", "kernels.cpp")
"""The files of each; the library is that of all."""


class Wanted(Store):
    """Remembers what it is asked for, and makes nothing: NumPy runs the segments meanwhile."""

    def __init__(self, store: Store) -> None:
        super().__init__(store._load, store.worker)
        self.graphs: dict[str, Graph] = {}

    def find(self, graph: Graph) -> None:
        """Nothing is there."""

    def make_general(self, *_: Any) -> None:
        """What serves many sizes is made when it is needed."""

    def make(self, graph: Graph, *_: Any, **__: Any) -> Any:
        """As if the compile had been interrupted."""
        self.graphs.setdefault(self.key(graph), graph)
        raise CancelledError


@contextmanager
def compiled_together() -> Iterator[None]:
    """Have all segments compiled that somebody asks for in the block.

    What cannot be compiled with others is left to the test that needs it.
    """
    store = artifacts.store
    wanted = Wanted(store)
    with mock.patch.object(artifacts, "store", wanted):
        yield
    cache = caches.cache()
    graphs = [graph for key, graph in wanted.graphs.items() if cache.find(key) is None]
    for start in range(0, len(graphs), TOGETHER):
        _compile(store, graphs[start : start + TOGETHER])


def _compile(store: Store, graphs: Sequence[Graph]) -> None:
    text = MARK + json.dumps([to_json(anonymous(graph)) for graph in graphs])
    cache = caches.cache()
    key = stamp.digest("segments", text, stamp.versions())
    try:
        entry, _ = built(store.worker, key, {"timed": text}, Ticket(waited=True), cache)
    except BuildError:
        return
    for number, (graph, manifest) in enumerate(zip(graphs, entry.manifest["parts"], strict=True)):
        if manifest is not None:
            cache.store(store.key(graph), _Copy(entry.folder, number, manifest))


class _Copy:
    """Writes the entry of one segment."""

    def __init__(self, source: Path, number: int, manifest: Mapping[str, Any]) -> None:
        self.source, self.number, self.manifest = source, number, manifest

    def __call__(self, folder: Path) -> Mapping[str, Any]:
        shutil.copy(self.source / LIBRARY, folder / LIBRARY)
        for name in OWN:
            shutil.copy(self.source / f"{self.number}-{name}", folder / name)
        return self.manifest
