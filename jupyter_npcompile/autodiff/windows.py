"""The parts of arrays that the iterations of a loop use: boxes that move from one to the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.nodes import Argument, Slice


class NoLoopError(Exception):
    """Operations that look like iterations are no loop, with the reason."""


@dataclass
class Box:
    """Where an access finds its elements.

    Parameters
    ----------
    starts : numpy.ndarray
        The first index in each dimension, one row for each iteration.
    spans : tuple of int
        How far it reaches in each dimension.
    """

    starts: Any
    spans: tuple[int, ...]

    def overlaps(self, other: Box) -> bool:
        """Whether two boxes have elements in common in some iteration."""
        below = self.starts < other.starts + np.array(other.spans, np.int64)
        above = other.starts < self.starts + np.array(self.spans, np.int64)
        return bool((below & above).all(axis=1).any())

    def merged(self, other: Box) -> Box:
        """The smallest box around two that move together."""
        apart = other.starts - self.starts
        if (apart != apart[0]).any():
            raise NoLoopError("what it writes meets what it reads, here and there")
        first = np.minimum(self.starts, other.starts)
        ends = np.maximum(self.starts + self.spans, other.starts + other.spans)
        return Box(first, tuple(map(int, ends[0] - first[0])))

    def same(self, other: Box) -> bool:
        """Whether two boxes are the same in each iteration."""
        return self.spans == other.spans and bool((self.starts == other.starts).all())


def box_of(indices: Sequence[Argument], shape: tuple[int, ...]) -> Box | None:
    """The box that an index reaches, from its values in all iterations; None where it is none.

    Examples
    --------
    >>> box_of([(1, Slice(2, 5)), (2, Slice(3, 6))], (9, 9))
    Box(starts=array([[1, 2],
           [2, 3]]), spans=(1, 3))
    """
    rows, spans = [], set()
    for index in indices:
        parts = index if isinstance(index, tuple) else (index,)
        if len(parts) > len(shape):
            return None
        row, span = [], []
        for part, length in zip(parts, shape, strict=False):
            if type(part) is int:
                row.append(part % length)
                span.append(1)
                continue
            if not isinstance(part, Slice):
                return None
            bounds = (part.start, part.stop, part.step)
            if not all(bound is None or type(bound) is int for bound in bounds):
                return None
            reached = range(*slice(*bounds).indices(length))
            if not len(reached) or reached.step < 1:
                return None
            row.append(reached.start)
            span.append(reached[-1] + 1 - reached.start)
        rest = shape[len(parts) :]
        rows.append(row + [0] * len(rest))
        spans.add((*span, *rest))
    if len(spans) != 1 or not shape:
        return None
    return Box(np.array(rows, np.int64), spans.pop())


def inside(index: Argument, shape: tuple[int, ...], box: Box) -> Argument:
    """The index, as it is in the last iteration, from the corner of a box."""
    parts = index if isinstance(index, tuple) else (index,)
    found: list[Argument] = []
    for part, length, corner in zip(parts, shape, box.starts[-1], strict=False):
        if type(part) is int:
            found.append(part % length - int(corner))
            continue
        assert isinstance(part, Slice)
        bounds: Any = (part.start, part.stop, part.step)
        reached = range(*slice(*bounds).indices(length))
        start = reached.start - int(corner)
        found.append(Slice(start, start + reached[-1] + 1 - reached.start, part.step))
    return tuple(found)


def merged(boxes: Sequence[Box]) -> list[Box]:
    """Boxes that have no elements in common with each other, around all the given ones."""
    found: list[Box] = []
    for box in boxes:
        while True:
            near = next((known for known in found if known.overlaps(box)), None)
            if near is None:
                break
            found = [known for known in found if known is not near]
            box = near.merged(box)
        found.append(box)
    return found
