"""Which headers a loop needs: those that define a name that stands in it.

A compiler that reads all headers takes longer for a short loop than for the loop itself. So each
loop includes what it uses, and each header what it uses.
"""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path

FOLDER = Path(__file__).with_name("headers")

TABLE = FOLDER / "names.json"
"""What each of them defines, written by ``make header-names``."""

HEADERS = (
    "basics.hpp",
    "piles.hpp",
    "complex.hpp",
    "memory.hpp",
    "arrays.hpp",
    "indices.hpp",
    "numbers.hpp",
    "choices.hpp",
    "library/products.hpp",
    "runs.hpp",
    "arguments.hpp",
    "results.hpp",
    "library/random.hpp",
    "host_calls.hpp",
    "threads.hpp",
    "library/normals.hpp",
    "overlaps.hpp",
    "registers.hpp",
    "lanes.hpp",
    "mathematics.hpp",
    "library/reductions.hpp",
    "lists.hpp",
    "library/rearranging.hpp",
    "library/small_matrices.hpp",
    "library/linear_algebra.hpp",
    "library/small_systems.hpp",
    "library/spectra.hpp",
    "errors.hpp",
    "library/searching.hpp",
    "library/histograms.hpp",
    "library/running.hpp",
    "library/selection.hpp",
    "library/fields.hpp",
    "library/correlations.hpp",
    "library/masks.hpp",
    "library/transforms.hpp",
)
"""All of them: none includes one that comes later."""

COMMON = "common.hpp"
"""Includes what nearly every loop uses. It comes first, as what a compiler has read before must."""

_WORD = re.compile(r"[A-Za-z_]\w*")
_INCLUDED = re.compile(r'^#include "(.*)"', re.MULTILINE)


def complete(source: str) -> str:
    """A loop, with the lines before it that include what it needs besides `COMMON`.

    Parameters
    ----------
    source : str
        C++.

    Examples
    --------
    >>> print(complete("i64 n = common_divisor(a, b); spread(run, n, 1, n, 1.0, nest);"))
    #include "common.hpp"
    #include "threads.hpp"
    i64 n = common_divisor(a, b); spread(run, n, 1, n, 1.0, nest);
    """
    words = set(_WORD.findall(source))
    found = {header for name, header in names().items() if name in words}
    headers = COMMON, *(it for it in HEADERS if it in found and it not in common())
    return "".join(f'#include "{header}"\n' for header in headers) + source


@functools.cache
def common() -> frozenset[str]:
    """What `COMMON` includes."""
    return frozenset(_INCLUDED.findall((FOLDER / COMMON).read_text()))


@functools.cache
def names() -> dict[str, str]:
    """Of each name, the first header that defines it."""
    known: dict[str, list[str]] = json.loads(TABLE.read_text())
    return {name: header for header, defined in known.items() for name in defined}
