"""Forms: compiled code that serves many sizes, found by the outline of a graph.

The code was made for a general graph. For a graph that was recorded with other
sizes, a form says what its symbols stand for there, or that it does not serve it:
every length of the recording must be what the code computes for these sizes.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph import from_json
from jupyter_npcompile.graph.families import Family, free_inputs
from jupyter_npcompile.graph.nodes import Graph
from jupyter_npcompile.graph.sizes import recorded
from jupyter_npcompile.runtime import stamp
from jupyter_npcompile.runtime.cache import Cache
from jupyter_npcompile.runtime.cache_entry import Entry
from jupyter_npcompile.runtime.native.limits import is_parallel

MAX_FORMS = 2
"""Forms of one outline; where none of them serves, each size is compiled on its own."""


def itemsize(dtype: str) -> int:
    """Bytes of an element.

    Examples
    --------
    >>> itemsize("complex64")
    8
    """
    return np.dtype(dtype).itemsize


@dataclass(frozen=True, eq=False)
class Form:
    """Code for many sizes.

    Parameters
    ----------
    manifest : mapping
        What was built.
    folder : Path
        Where it is.
    family : Family
        What it serves.
    aten, kernels : Graph
        The ATen level and that of kernels, anonymous.
    free : mapping of int to int
        Inputs that are symbols themselves, and which symbol each is.
    """

    manifest: Mapping[str, Any]
    folder: Path
    family: Family
    aten: Graph
    kernels: Graph
    free: Mapping[int, int]

    @classmethod
    def of(cls, entry: Entry) -> Form:
        """The form in an entry of the cache."""
        manifest = entry.manifest
        lengths = {int(id): shapes for id, shapes in manifest["lengths"].items()}
        graph = from_json(manifest["general"])
        aten = from_json(manifest["aten"])
        kernels = from_json(manifest["kernels"])
        family = Family(graph, lengths)
        return cls(manifest, entry.folder, family, aten, kernels, free_inputs(graph))

    def sizes(self, graph: Graph) -> tuple[int, ...] | None:
        """What its symbols stand for in a graph of its outline; None when it does not serve it.

        Loops are shared among processors or not, as they were in the recording.
        """
        if is_parallel(graph) != is_parallel(recorded(self.family.graph)):
            return None
        return self.family.sizes(graph)


class Forms:
    """The forms of each outline, as far as the cache on disk was asked."""

    def __init__(self) -> None:
        self._found: dict[str, list[Entry]] = {}
        self._forms: dict[str, list[Form]] = defaultdict(list)
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    def lock(self, digest: str) -> threading.Lock:
        """Held while a form of an outline is made."""
        return self._locks[digest]

    def known(self, digest: str, cache: Cache | None) -> list[Form]:
        """The forms of an outline.

        Parameters
        ----------
        digest : str
            Of the outline.
        cache : Cache or None
            Where to look for it, if nobody has; None when memory is enough.
        """
        if digest not in self._found and cache is not None:
            self._found[digest] = []
            for number in range(MAX_FORMS):
                entry = cache.find(form_key(digest, number))
                if entry is None:
                    break
                self.add(digest, entry)
        return list(self._forms[digest]) if digest in self._forms else []

    def count(self, digest: str) -> int:
        """How many forms of an outline were tried, with those that could not be made."""
        return len(self._found.get(digest, ()))

    def reason(self, digest: str) -> Mapping[str, Any] | None:
        """Why a form of an outline could not be made, if that is so."""
        errors = (entry.error for entry in self._found.get(digest, ()))
        return next((error for error in errors if error is not None), None)

    def add(self, digest: str, entry: Entry) -> None:
        """Keep what was made, or why it could not be."""
        self._found.setdefault(digest, []).append(entry)
        if entry.error is None and entry.manifest.get("general") is not None:
            self._forms[digest].append(Form.of(entry))


def form_key(digest: str, number: int) -> str:
    """The name of a form in the cache.

    Parameters
    ----------
    digest : str
        Of the outline of its graphs.
    number : int
        Which of several.
    """
    return stamp.entry_key(f"{digest}/{number}", "sizes")
