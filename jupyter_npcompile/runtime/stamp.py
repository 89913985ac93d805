"""What compiled code is valid for, besides its graph: versions, processors.

Nothing here imports torch; NumPy is imported by who asks for versions.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import importlib.util
import json
import os
import platform
import re
import shutil
import sys
from pathlib import Path
from typing import Any

from jupyter_npcompile.runtime import own_sources
from jupyter_npcompile.runtime.native import compilers

FORMAT = 1
"""The layout of the cache folder. Another number makes a new start."""


TRIED = (2, 11), (2, 15)
"""The oldest and the newest torch that this package has been tested with."""


def untried(version: str) -> str:
    """What to say of a torch that nobody has tried; empty where it is known.

    Examples
    --------
    >>> untried("2.13.0+cpu")
    ''
    >>> untried("2.99.1")
    'torch 2.99.1 has not been tried: 2.11 to 2.15 have'
    """
    if not version or TRIED[0] <= _numbers(version) <= TRIED[1]:
        return ""
    oldest, newest = (".".join(map(str, each)) for each in TRIED)
    return f"torch {version} has not been tried: {oldest} to {newest} have"


def is_too_old(version: str) -> bool:
    """Whether a torch lacks what this package needs.

    Examples
    --------
    >>> is_too_old("2.9.1"), is_too_old("2.11.0")
    (True, False)
    """
    return _numbers(version) < TRIED[0]


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(it) for it in re.findall(r"\d+", version)[:2])


def torch_version() -> str:
    """The version of torch, without importing it; empty where there is none."""
    found = re.search(r"""__version__ = ['"]([^'"]+)""", _torch())
    return "" if found is None else found[1]


@functools.cache
def versions() -> dict[str, Any]:
    """What generated code depends on, and nothing else of a machine."""
    import numpy as np

    return {
        "format": FORMAT,
        "torch": _torch(),
        "numpy": np.__version__,
        "sources": own_sources.digest(),
        "python": f"{sys.implementation.cache_tag}-{sys.abiflags}",
        "system": [platform.system(), platform.machine()],
        "cpu": cpu_features(),
    }


def _torch() -> str:
    """Which torch there is; to import it takes a second, and its metadata take milliseconds."""
    found = importlib.util.find_spec("torch")
    if found is None or found.origin is None:
        return ""
    return Path(found.origin).with_name("version.py").read_text()


def cpu_features() -> list[str]:
    """Instruction sets that NumPy has found on this processor."""
    umath = importlib.import_module("numpy._core._multiarray_umath")
    features: dict[str, bool] = getattr(umath, "__cpu_features__", {})
    return sorted(name for name, there in features.items() if there)


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def threads() -> str:
    """What decides how many threads compiled code uses: what was measured holds for so many."""
    return os.environ.get("OMP_NUM_THREADS", "") or str(processors())


def digest(*parts: Any) -> str:
    """A sha256 of plain data.

    Examples
    --------
    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    True
    """
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def entry_key(graph: str, tier: str) -> str:
    """The name of a cache entry.

    Parameters
    ----------
    graph : str
        Digest of the graph.
    tier : str
        What it is compiled for.
    """
    return digest(graph, tier, versions(), cxx())


SUPPORT = "dispatch.so"
"""The file of the entry that all compiled code needs."""


def support_key() -> str:
    """The name of the cache entry that all compiled code needs."""
    return digest("support", versions(), _command("CC"))


def compiler_key() -> str:
    """The name of the folder in which the compiler keeps what it found out about the machine."""
    known = versions()
    return digest(known["torch"], known["cpu"], known["python"], cxx())[:16]


def cxx() -> list[Any]:
    """The C++ compiler and its options, so that others, or another version, are noticed."""
    return _command("CXX")


def _command(variable: str) -> list[Any]:
    told = os.environ.get(variable, "").split()
    return [_word(word) for word in told or compilers.found(variable)]


def _word(word: str) -> Any:
    """A word of a command: a program is told by its file."""
    path = shutil.which(word)
    if path is None:
        return word
    found = os.stat(path)
    return [os.path.basename(path), _digest_of(path, found.st_size, found.st_mtime_ns)]


@functools.lru_cache(maxsize=16)
def _digest_of(path: str, _size: int, _time: int) -> str:
    """What a program holds: it is read again when it looks changed."""
    return own_sources.digest_of_file(path)
