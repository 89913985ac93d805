"""Which headers a loop needs: those that define a name that stands in it.

A compiler that reads all headers takes longer for a short loop than for the loop itself. So each
loop includes what it uses, and each header what it uses.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).with_name("headers")

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

_WORD = re.compile(r"[A-Za-z_]\w*")
_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|[{}()]|[A-Za-z_]\w*|[^\sA-Za-z_{}()]",
    re.DOTALL,
)
_AFTER_NAMES = set("({;=[:")
_KEYWORDS = {
    *("__attribute__", "class", "const", "default", "delete", "double", "else", "enum", "extern"),
    *("false", "int", "nullptr", "operator", "static_assert", "std", "struct", "true", "type"),
    *("uint64_t", "void"),
}
_OPEN = {"enum", '"C"'}
"""What has names of everybody's between its braces."""


def complete(source: str) -> str:
    """A loop, with the lines before it that include what it needs.

    Parameters
    ----------
    source : str
        C++.

    Examples
    --------
    >>> print(complete("i64 n = common_divisor(a, b);"))
    #include "basics.hpp"
    #include "numbers.hpp"
    i64 n = common_divisor(a, b);
    """
    words = set(_WORD.findall(source))
    found = {header for name, header in names().items() if name in words}
    return "".join(f'#include "{header}"\n' for header in HEADERS if header in found) + source


@functools.cache
def names() -> dict[str, str]:
    """Of each name, the first header that defines it."""
    found: dict[str, str] = {}
    for header in HEADERS:
        for name in defined((FOLDER / header).read_text()):
            found.setdefault(name, header)
    return found


def defined(text: str) -> Iterator[str]:
    r"""The names that a header defines for all: functions, types, variables, macros, enumerators.

    Parameters
    ----------
    text : str
        A header.

    Examples
    --------
    >>> sorted(defined("#define MOST 3\nenum { A, B };\nstatic int f(int x) { return x + y; }"))
    ['A', 'B', 'MOST', 'f']
    """
    joined = text.replace("\\\n", " ")
    directives = [line for line in joined.split("\n") if line.startswith("#")]
    for line in directives:
        if line.startswith("#define"):
            yield line.split()[1].partition("(")[0]
    plain = "\n".join(line for line in joined.split("\n") if not line.startswith("#"))
    closed: list[bool] = []  # for each bracket: whether what is in it is nobody else's
    last = ""
    for token in _TOKEN.findall(plain):
        if token.startswith(("//", "/*")):
            continue
        is_name = last not in _KEYWORDS and _WORD.fullmatch(last) and not any(closed)
        if is_name and (token in _AFTER_NAMES or closed):
            yield last
        if token in "{(":
            closed.append(token == "(" or last not in _OPEN)
        elif token in "})":
            closed.pop()
        last = token
