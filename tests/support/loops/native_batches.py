"""Compiles the native loops of many functions at once, for tests that go through many small ones.

Most of the time that the C++ compiler takes for a small loop it takes for any file: it loads the
header, compiles what loops are made of, and links. Here many loops are one file, each in a
namespace of its own. Everything else is the product's: its options, its worker, its cache. Each
loop then finds its code as if somebody had compiled it before.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest import mock

from jupyter_npcompile.runtime import cache as caches
from jupyter_npcompile.runtime import loop_store
from jupyter_npcompile.runtime.compile_errors import CancelledError
from jupyter_npcompile.runtime.compiled import BuildError, built
from jupyter_npcompile.runtime.loop_store import LoopStore
from jupyter_npcompile.runtime.native.gxx import LIBRARY
from jupyter_npcompile.runtime.ticket import Ticket
from tests.support.compiling.batches import TOGETHER


class Wanted(LoopStore):
    """Remembers what it is asked for, and makes nothing: Python runs the loops meanwhile."""

    def __init__(self) -> None:
        super().__init__()
        self.sources: list[str] = []

    def find(self, source: str) -> None:
        """Nothing is there."""

    def make(self, source: str, ticket: Ticket) -> Any:
        """As if the compile had been given up: the loop may ask again, and is not closed."""
        if source not in self.sources:
            self.sources.append(source)
        raise CancelledError


@contextmanager
def compiled_together() -> Iterator[None]:
    """Have all loops compiled whose native form somebody asks for in the block.

    What does not compile with others is left to the test that needs it, which compiles
    it alone, and says what is wrong with it.
    """
    wanted, store = Wanted(), loop_store.store
    with mock.patch.object(loop_store, "store", wanted):
        yield
    sources = [source for source in wanted.sources if store.find(source) is None]
    for start in range(0, len(sources), TOGETHER):
        _compile(store, sources[start : start + TOGETHER])


def _compile(store: LoopStore, sources: Sequence[str]) -> None:
    text = "".join(
        f"#define npcompile_loop npcompile_loop_{k}\n"
        f"namespace loop_{k} {{\n{source}\n}}\n#undef npcompile_loop\n"
        for k, source in enumerate(sources)
    )
    request = store._key(text), {"loop": text}, Ticket(waited=True), caches.cache()
    try:
        entry, _ = built(store.worker, *request)
    except BuildError:
        return
    library = ctypes.PyDLL(str(entry.folder / LIBRARY))
    loop_store.fill(library)
    for k, source in enumerate(sources):
        entrance = library[f"npcompile_loop_{k}"]
        entrance.restype = ctypes.py_object
        store._loaded[store._key(source)] = entrance()
