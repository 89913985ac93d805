"""C++ around the kernels of an iteration: all iterations forwards, or their derivative backwards.

Each driver is an entry point like that of a piece: pointers to inputs, then
to outputs, and scratch memory. Imports no torch.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.runtime.native.scratch import aligned

# After the kernels: the compiled header that they begin with must come first.
HELPERS = """
#include <cstdint>
#include <cstring>
template <typename T> static inline void npcompile_add(char* to, const char* from, int64_t count) {
  T* a = (T*)to; const T* b = (const T*)from;
  for (int64_t k = 0; k < count; ++k) a[k] += b[k];
}
template <typename T, int64_t count, int terms, bool added>
static inline void npcompile_sum(char* to, const char* const (&from)[terms]) {
  T* __restrict__ x = (T*)to;
  #pragma GCC ivdep
  for (int64_t k = 0; k < count; ++k) {
    T sum = ((const T*)from[0])[k];
    for (int n = 1; n < terms; ++n) sum += ((const T*)from[n])[k];
    if (added) x[k] += sum; else x[k] = sum;
  }
}
"""


@dataclass(frozen=True)
class Part:
    """A box in an array.

    Parameters
    ----------
    shape : tuple of int
        Of the array, which lies in C order.
    spans : tuple of int
        Of the box.
    size : int
        Bytes of an element.
    near : tuple of int, optional
        The shape of the other array, of which it is a box, too; by default it has that shape.
    """

    shape: tuple[int, ...]
    spans: tuple[int, ...]
    size: int
    near: tuple[int, ...] = ()

    @property
    def nbytes(self) -> int:
        """Of the box."""
        return math.prod(self.spans) * self.size

    @property
    def is_dense(self) -> bool:
        """Whether its elements lie one after the other."""
        return _is_dense(self.shape, self.spans) and _is_dense(self.other, self.spans)

    @property
    def other(self) -> tuple[int, ...]:
        """The shape of the other array."""
        return self.near or self.spans

    def rows(self, statement: str) -> str:
        """A statement for each of its rows; it sees ``far`` and ``near``, offsets in bytes."""
        if self.is_dense:
            return f"{{ const int64_t far = 0, near = 0; {statement} }}"
        lines, far, near = [], ["0"], ["0"]
        for axis, span in enumerate(self.spans[:-1]):
            lines.append(f"for (int64_t k{axis} = 0; k{axis} < {span}; ++k{axis})")
            far.append(f"k{axis} * {math.prod(self.shape[axis + 1 :]) * self.size}")
            near.append(f"k{axis} * {math.prod(self.other[axis + 1 :]) * self.size}")
        offsets = f"const int64_t far = {' + '.join(far)}, near = {' + '.join(near)};"
        return f"{' '.join(lines)} {{ {offsets} {statement} }}"

    @property
    def row(self) -> int:
        """Elements of a row."""
        return math.prod(self.spans) if self.is_dense else self.spans[-1]


def _is_dense(shape: tuple[int, ...], spans: tuple[int, ...]) -> bool:
    inner = len(spans)
    while inner and spans[inner - 1] == shape[inner - 1]:
        inner -= 1
    return all(span == 1 for span in spans[: max(inner - 1, 0)])


@dataclass
class Driver:
    """The text of a driver while it is written.

    Parameters
    ----------
    name : str
        Of the entry point.
    kernel : str
        The entry point of an iteration.
    scratch : int
        Bytes of scratch memory that the iteration needs.
    """

    name: str
    kernel: str
    scratch: int
    before: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.scratch = aligned(self.scratch)

    def room(self, nbytes: int) -> str:
        """A place in the scratch memory."""
        place = f"(scratch + {self.scratch})"
        self.scratch += aligned(max(nbytes, 1))
        return place

    def text(self, inputs: int, outputs: int, order: str) -> str:
        """The function; ``order`` is the head of its loop."""
        return "\n".join(
            (
                f'extern "C" int {self.name}(char** inputs, char** outputs, char* scratch,',
                "    const int64_t* sizes) {",
                f"  char* in[{max(inputs, 1)}]; char* out[{max(outputs, 1)}];",
                *(f"  {line}" for line in self.before),
                f"  for ({order}) {{",
                *(f"    {line}" for line in self.body),
                "  }",
                *(f"  {line}" for line in self.after),
                "  return 0;",
                "}",
            )
        )

    def call(self, results: Sequence[str]) -> None:
        """The iteration, and where its results go."""
        given = f"char* made[{max(len(results), 1)}] = {{{', '.join(results)}}};"
        self.body += [given, f"if ({self.kernel}(in, made, scratch, sizes)) return 1;"]


def copied(to: str, source: str, nbytes: int) -> str:
    """A statement."""
    return f"memcpy({to}, {source}, {nbytes});"


def added(to: str, source: str, ctype: str, count: int) -> str:
    """A statement."""
    return f"npcompile_add<{ctype}>({to}, {source}, {count});"


def loaded(part: Part, to: str, array: str) -> str:
    """From an array to a box."""
    return part.rows(copied(f"{to} + near", f"{array} + far", part.row * part.size))


def stored(part: Part, array: str, source: str) -> str:
    """From a box to an array."""
    return part.rows(copied(f"{array} + far", f"{source} + near", part.row * part.size))


def cleared(part: Part, array: str) -> str:
    """A box of an array becomes zero."""
    return part.rows(f"memset({array} + far, 0, {part.row * part.size});")


def accumulated(part: Part, array: str, source: str, ctype: str) -> str:
    """A box is added to an array."""
    return part.rows(added(f"{array} + far", f"{source} + near", ctype, part.row))


def inside(
    shape: Sequence[int], size: int, array: str, start: Sequence[int], moving: Sequence[str] = ()
) -> str:
    """Where a box of an array begins, further on by so many bytes.

    Examples
    --------
    >>> inside((4, 5), 8, "x", (1, 2))
    '(x + 56)'
    """
    (offset,) = offsets(shape, [start], size)
    steps = [*([str(offset)] if offset else []), *moving]
    return f"({' + '.join((array, *steps))})" if steps else array


def offsets(shape: Sequence[int], starts: Sequence[Sequence[int]], size: int) -> list[int]:
    """Where boxes begin, in bytes.

    Examples
    --------
    >>> offsets((4, 5), [(0, 0), (1, 2)], 8)
    [0, 56]
    """
    strides = [math.prod(shape[axis + 1 :]) * size for axis in range(len(shape))]
    return [sum(int(s) * b for s, b in zip(start, strides, strict=True)) for start in starts]
