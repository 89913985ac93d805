"""A layered layout of a picture, for when Graphviz is not installed.

Boxes go into rows so that arrows point downwards, arrows that pass a row get
a place in it, rows are ordered so that few arrows cross (barycentres), and
boxes then move as close to their neighbours as the space between them allows
(isotonic regression, row by row).
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.picture import Box, Picture

TITLE_CHARACTER = 6.7
"""Width of a character of a title, in pixels, in any usual monospaced font."""

DETAIL_CHARACTER = 5.5
"""Width of a character of a detail."""

ROW_GAP = 30.0
COLUMN_GAP = 18.0
PADDING = 22.0
MARGIN = 6.0

SWEEPS = 6
"""Passes down and up over the rows, for their order and again for places."""


@dataclass(frozen=True, slots=True)
class Rectangle:
    """Where a box stands: its centre and its size, in pixels."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Layout:
    """Places of all boxes and arrows.

    Parameters
    ----------
    width, height : float
        Size of the drawing.
    boxes : dict of str to Rectangle
        By key of the box.
    routes : dict
        Points of each arrow from its tail to its head, by their keys.
    """

    width: float
    height: float
    boxes: dict[str, Rectangle]
    routes: dict[tuple[str, str], tuple[tuple[float, float], ...]]


def arrange(picture: Picture) -> Layout:
    """Find a place for every box and a route for every arrow.

    Examples
    --------
    >>> from jupyter_npcompile.graph.picture import Arrow
    >>> boxes = (Box("a", "input", "x"), Box("b", "output", "y"))
    >>> layout = arrange(Picture(boxes, (Arrow("a", "b"),), operations=0))
    >>> layout.boxes["a"].y < layout.boxes["b"].y
    True
    """
    sizes = {box.key: _size(box) for box in picture.boxes}
    order = {box.key: place for place, box in enumerate(picture.boxes)}
    edges = [
        (arrow.tail, arrow.head)
        if order[arrow.tail] < order[arrow.head]
        else (arrow.head, arrow.tail)
        for arrow in picture.arrows
    ]
    rank = _ranks(list(order), edges)
    rows: list[list[str]] = [[] for _ in range(max(rank.values(), default=-1) + 1)]
    for key in order:
        rows[rank[key]].append(key)
    above: dict[str, list[str]] = defaultdict(list)
    below: dict[str, list[str]] = defaultdict(list)
    chains: dict[tuple[str, str], list[str]] = {}
    for tail, head in dict.fromkeys(edges):
        # A mark in each row that the arrow passes, so that it goes round boxes.
        marks = [f"{tail} {head} {row}" for row in range(rank[tail] + 1, rank[head])]
        for row, mark in enumerate(marks, rank[tail] + 1):
            rows[row].append(mark)
            sizes[mark] = (2.0, 0.0)
        chain = [tail, *marks, head]
        chains[tail, head] = chain
        for upper, lower in pairwise(chain):
            below[upper].append(lower)
            above[lower].append(upper)
    _order(rows, above, below)
    x = _columns(rows, above, below, {key: size[0] for key, size in sizes.items()})
    return _finish(picture, rows, x, sizes, chains)


def _size(box: Box) -> tuple[float, float]:
    tag = len(f" :{box.place.line}") if box.place else 0
    title = (_columns_of(box.title) + tag) * TITLE_CHARACTER
    detail = _columns_of(box.detail) * DETAIL_CHARACTER
    return max(title, detail, 24.0) + PADDING, 36.0 if box.detail else 26.0


def _columns_of(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in text)


def _ranks(keys: Sequence[str], edges: Iterable[tuple[str, str]]) -> dict[str, int]:
    """Row of each box: below all it reads, and near its first use where that is no worse."""
    readers: dict[str, list[str]] = defaultdict(list)
    tails: dict[str, list[str]] = defaultdict(list)
    for tail, head in edges:
        readers[tail].append(head)
        tails[head].append(tail)
    rank: dict[str, int] = {}
    for key in keys:
        rank[key] = max((rank[tail] + 1 for tail in tails[key]), default=0)
    for key in reversed(keys):
        # Moving down to the first use makes no more long arrows than it removes.
        if readers[key] and len(tails[key]) <= len(readers[key]):
            rank[key] = min(rank[head] for head in readers[key]) - 1
    return rank


def _order(
    rows: list[list[str]], above: Mapping[str, list[str]], below: Mapping[str, list[str]]
) -> None:
    def sort(row: list[str], beside: list[str], neighbours: Mapping[str, list[str]]) -> None:
        place = {key: index / max(len(beside) - 1, 1) for index, key in enumerate(beside)}
        own = {key: index / max(len(row) - 1, 1) for index, key in enumerate(row)}

        def centre(key: str) -> float:
            found = [place[one] for one in neighbours.get(key, ()) if one in place]
            return sum(found) / len(found) if found else own[key]

        row.sort(key=centre)

    for _ in range(SWEEPS):
        for upper, row in pairwise(rows):
            sort(row, upper, above)
        for row, lower in zip(rows[-2::-1], rows[:0:-1], strict=True):
            sort(row, lower, below)


def _columns(
    rows: list[list[str]],
    above: Mapping[str, list[str]],
    below: Mapping[str, list[str]],
    widths: Mapping[str, float],
) -> dict[str, float]:
    x: dict[str, float] = {}
    for row in rows:
        offsets = _offsets(row, widths)
        for key, offset in zip(row, offsets, strict=True):
            x[key] = offset - offsets[-1] / 2

    def pull(row: list[str], neighbours: Callable[[str], list[str]]) -> None:
        wanted, weights = [], []
        for key in row:
            beside = neighbours(key)
            wanted.append(sum(x[one] for one in beside) / len(beside) if beside else x[key])
            # Marks weigh more: arrows that pass many rows become straight.
            weights.append((len(beside) or 0.1) * (4.0 if widths[key] < PADDING else 1.0))
        offsets = _offsets(row, widths)
        moved = _isotonic([w - o for w, o in zip(wanted, offsets, strict=True)], weights)
        x.update({key: m + o for key, m, o in zip(row, moved, offsets, strict=True)})

    for _ in range(SWEEPS):
        for row in rows:
            pull(row, lambda key: above.get(key, []))
        for row in reversed(rows):
            pull(row, lambda key: below.get(key, []))
        for row in rows:
            pull(row, lambda key: [*above.get(key, []), *below.get(key, [])])
    return x


def _offsets(row: Sequence[str], widths: Mapping[str, float]) -> list[float]:
    offsets, at = [], 0.0
    for place, key in enumerate(row):
        if place:
            at += (widths[row[place - 1]] + widths[key]) / 2 + COLUMN_GAP
        offsets.append(at)
    return offsets


def _isotonic(values: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Find the nondecreasing sequence closest to the values, in least squares."""
    blocks: list[tuple[float, float, int]] = []
    for value, weight in zip(values, weights, strict=True):
        mean, total, count = value, weight, 1
        while blocks and blocks[-1][0] > mean:
            other, mass, length = blocks.pop()
            mean = (mean * total + other * mass) / (total + mass)
            total, count = total + mass, count + length
        blocks.append((mean, total, count))
    return [mean for mean, _, count in blocks for _ in range(count)]


def _finish(
    picture: Picture,
    rows: list[list[str]],
    x: Mapping[str, float],
    sizes: Mapping[str, tuple[float, float]],
    chains: Mapping[tuple[str, str], list[str]],
) -> Layout:
    left = min((x[key] - sizes[key][0] / 2 for key in x), default=0.0) - MARGIN
    right = max((x[key] + sizes[key][0] / 2 for key in x), default=0.0) + MARGIN
    y, bottom = {}, MARGIN
    for row in rows:
        height = max(sizes[key][1] for key in row)
        y.update(dict.fromkeys(row, bottom + height / 2))
        bottom += height + ROW_GAP
    boxes = {
        box.key: Rectangle(x[box.key] - left, y[box.key], *sizes[box.key]) for box in picture.boxes
    }
    routes = {}
    for arrow in picture.arrows:
        downwards = (arrow.tail, arrow.head) in chains
        chain = chains[(arrow.tail, arrow.head) if downwards else (arrow.head, arrow.tail)]
        first, last = boxes[chain[0]], boxes[chain[-1]]
        points = [
            (first.x, first.y + first.height / 2),
            *((x[mark] - left, y[mark]) for mark in chain[1:-1]),
            (last.x, last.y - last.height / 2),
        ]
        routes[arrow.tail, arrow.head] = tuple(points if downwards else reversed(points))
    return Layout(right - left, bottom - ROW_GAP + MARGIN if rows else 0.0, boxes, routes)
