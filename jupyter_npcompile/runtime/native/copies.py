"""A kernel of our own: it copies what lies somewhere else, or in another order."""

from __future__ import annotations

# The memory holds numbers of any type, which are moved as integers of their size.
_SOURCE = """#include <cstdint>
typedef uint{bits}_t word __attribute__((may_alias));
extern "C" void kernel(const char* source, char* target{parameters})
{{
  const word* __restrict__ from = (const word*)source;
  word* __restrict__ to = (word*)target;
{loops}
    to[{to}] = from[{source}];
}}
"""


def copy_types(rank: int) -> tuple[str, ...]:
    """The C++ types of what a kernel takes that copies arrays of so many axes.

    Examples
    --------
    >>> copy_types(1)
    ('const char*', 'char*', 'int64_t', 'int64_t', 'int64_t')
    """
    return ("const char*", "char*", *["int64_t"] * (3 * rank))


def copy_source(size: int, rank: int) -> str:
    r"""A translation unit that copies elements, whatever they are.

    Its function takes where they are and where they go, then for each axis how
    many there are, and the strides of both places, in elements.

    Parameters
    ----------
    size : {1, 2, 4, 8}
        Bytes of an element.
    rank : int
        How many axes there are.

    Examples
    --------
    >>> print("\n".join(copy_source(8, 1).splitlines()[-3:-1]))
      for (int64_t i0 = 0; i0 < n0; ++i0)
        to[0 + i0 * t0] = from[0 + i0 * s0];
    """
    axes = range(rank)
    return _SOURCE.format(
        bits=8 * size,
        parameters="".join(f", int64_t n{k}, int64_t s{k}, int64_t t{k}" for k in axes),
        loops="\n".join(f"  for (int64_t i{k} = 0; i{k} < n{k}; ++i{k})" for k in axes),
        to=" + ".join(["0", *(f"i{k} * t{k}" for k in axes)]),
        source=" + ".join(["0", *(f"i{k} * s{k}" for k in axes)]),
    )
