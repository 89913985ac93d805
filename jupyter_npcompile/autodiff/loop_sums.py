"""Sums of boxes as C++: one pass over an array, which reads each box once. Imports no torch."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from jupyter_npcompile.autodiff.loop_drivers import Part, accumulated, cleared, inside
from jupyter_npcompile.autodiff.regions import Region
from jupyter_npcompile.dataclass import dataclass

MOST = 120
"""Loops of a sum; with more, boxes are added one after the other."""


@dataclass(frozen=True)
class Term:
    """A box that is added.

    Parameters
    ----------
    source : str
        Where its elements begin.
    region : Region
        Where it lies in the sum.
    near : tuple of int
        The shape of the array that it is a box of, which lies in C order.
    """

    source: str
    region: Region
    near: tuple[int, ...]

    def covers(self, axis: int, place: int) -> bool:
        """Whether it has elements there."""
        start, spans = self.region
        return start[axis] <= place < start[axis] + spans[axis]


def summed(
    part: Part, to: str, terms: Sequence[Term], ctype: str, *, is_added: bool = False
) -> list[str]:
    r"""Statements that fill an array with a sum of boxes.

    Parameters
    ----------
    part : Part
        The array, or the box of it that is filled.
    to : str
        Where that begins.
    terms : sequence of Term
        The boxes; nothing of them lies in the memory that is filled.
    ctype : str
        Of an element.
    is_added : bool
        Whether they are added to what is there; otherwise what is outside of all becomes zero.

    Examples
    --------
    >>> row = Term("a", ((1,), (3,)), (3,))
    >>> print(*summed(Part((5,), (5,), 8), "x", [row], "double"), sep="\n")
    memset(x, 0, 8);
    npcompile_sum<double, 3, 1, false>((x + 8), {a});
    memset((x + 32), 0, 8);
    """
    found = list(itertools.islice(_pieces(part.spans, terms), MOST + 1))
    if len(found) > MOST:
        return _one_by_one(part, to, terms, ctype, is_added)
    return [
        _piece(part, to, region, here, ctype, is_added)
        for region, here in found
        if here or not is_added
    ]


def _one_by_one(
    part: Part, to: str, terms: Sequence[Term], ctype: str, is_added: bool
) -> list[str]:
    found = [] if is_added else [cleared(part, to)]
    for term in terms:
        start, spans = term.region
        box = Part(part.shape, spans, part.size, term.near)
        found.append(accumulated(box, inside(part.shape, part.size, to, start), term.source, ctype))
    return found


def _pieces(spans: tuple[int, ...], terms: Sequence[Term]) -> Iterator[tuple[Region, list[Term]]]:
    """Boxes that cover an array, and the terms that have elements in each, which cover it."""
    if not spans:
        yield ((), ()), list(terms)
        return
    axis = len(terms[0].near) - len(spans) if terms else 0
    for low, high, here in _bands(axis, spans[0], terms):
        for (start, rest), inner in _pieces(spans[1:], here):
            yield ((low, *start), (high - low, *rest)), inner


def _bands(axis: int, span: int, terms: Sequence[Term]) -> Iterator[tuple[int, int, list[Term]]]:
    """The intervals of an axis in which the same terms have elements."""
    edges = {0, span}
    for term in terms:
        start, spans = term.region
        edges |= {start[axis], start[axis] + spans[axis]}
    bounds = itertools.pairwise(sorted(edges))
    marked = [(low, high, [t for t in terms if t.covers(axis, low)]) for low, high in bounds]
    for _, same in itertools.groupby(marked, lambda band: list(map(id, band[2]))):
        bands = list(same)
        yield bands[0][0], bands[-1][1], bands[0][2]


def _piece(
    part: Part, to: str, region: Region, terms: Sequence[Term], ctype: str, is_added: bool
) -> str:
    """A box of the sum: a loop for each axis, the last ones as one where all lies densely."""
    start, spans = region
    shapes = [part.shape, *(term.near for term in terms)]
    inner = len(spans)
    count = 1
    while inner and (inner == len(spans) or all(shape[inner] == spans[inner] for shape in shapes)):
        inner -= 1
        count *= spans[inner]
    loops = [axis for axis in range(inner) if spans[axis] > 1]
    heads = [f"for (int64_t k{axis} = 0; k{axis} < {spans[axis]}; ++k{axis})" for axis in loops]

    def place(array: str, shape: tuple[int, ...], first: Sequence[int]) -> str:
        steps = [math.prod(shape[axis + 1 :]) * part.size for axis in loops]
        moving = [f"k{axis} * {step}" for axis, step in zip(loops, steps, strict=True)]
        return inside(shape, part.size, array, first, moving)

    target = place(to, part.shape, start)
    if not terms:
        return " ".join((*heads, f"memset({target}, 0, {count * part.size});"))
    firsts = [[a - b for a, b in zip(start, term.region[0], strict=True)] for term in terms]
    sources = [
        place(term.source, term.near, first) for term, first in zip(terms, firsts, strict=True)
    ]
    kind = f"{ctype}, {count}, {len(terms)}, {str(is_added).lower()}"
    return " ".join((*heads, f"npcompile_sum<{kind}>({target}, {{{', '.join(sources)}}});"))
