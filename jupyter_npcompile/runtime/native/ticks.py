"""A second form of a library, which says how long each of its loop nests takes.

The source of a library has a remark before each loop nest and after each kernel.
Remarks cost nothing. Whoever wants to know the times has the source compiled once
more, with the clock read where the remarks stand.
"""

from __future__ import annotations

import re

SPENT = "npcompile_spent"
"""The array of seconds in a timed library, one for each remark of a loop nest."""

_OVER = "// npcompile: over"
_NEST = "// npcompile: nest"
_REMARK = re.compile(rf"^[ \t]*(?:{_NEST}((?: \d+)+)|{_OVER})[ \t]*$", re.MULTILINE)
_INCLUDE = re.compile(r"^#include\b.*\n", re.MULTILINE)

_CLOCK = """#include <chrono>
#include <omp.h>
extern "C" {{ double {spent}[{count}]; }}
static int npcompile_at = -1;
static double npcompile_since = 0;
static void npcompile_tick(int next)
{{
    if (omp_get_thread_num() != 0) return;
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    const double seconds = std::chrono::duration<double>(now).count();
    if (npcompile_at >= 0) {spent}[npcompile_at] += seconds - npcompile_since;
    npcompile_at = next;
    npcompile_since = seconds;
}}
"""
# Of the threads that share a loop the first one reads the clock: at the end of the
# loop it has waited for the others.


def nest_remark(*place: int) -> str:
    """The remark before a loop nest.

    Parameters
    ----------
    *place : int
        Its number; in a whole library after the number of its piece.

    Examples
    --------
    >>> nest_remark(0, 2)
    '// npcompile: nest 0 2'
    """
    return " ".join((_NEST, *map(str, place)))


def over_remark() -> str:
    """The remark after a call of a kernel."""
    return _OVER


def in_piece(source: str, piece: int) -> str:
    """A kernel whose remarks tell its piece, too.

    Examples
    --------
    >>> in_piece("// npcompile: nest 2", 1)
    '// npcompile: nest 1 2'
    """
    return source.replace(f"{_NEST} ", f"{_NEST} {piece} ")


def timed_source(source: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    r"""A library that keeps the time, and the loop nest of which each time is.

    Parameters
    ----------
    source : str
        A translation unit with remarks.

    Returns
    -------
    source : str
        With the clock in the place of the remarks.
    nests : tuple of (int, int)
        For each element of `SPENT`, the piece and the number of its loop nest.

    Examples
    --------
    >>> text, nests = timed_source("// npcompile: nest 0 1\n{ }\n// npcompile: over\n")
    >>> nests
    ((0, 1),)
    >>> text.splitlines()[-3:]
    ['npcompile_tick(0);', '{ }', 'npcompile_tick(-1);']
    """
    nests: dict[tuple[int, int], int] = {}

    def tick(found: re.Match[str]) -> str:
        if found[1] is None:
            return "npcompile_tick(-1);"
        piece, number = map(int, found[1].split())
        return f"npcompile_tick({nests.setdefault((piece, number), len(nests))});"

    text = _REMARK.sub(tick, source)
    head = max((found.end() for found in _INCLUDE.finditer(text)), default=0)
    clock = _CLOCK.format(spent=SPENT, count=max(len(nests), 1))
    return f"{text[:head]}{clock}{text[head:]}", tuple(nests)
