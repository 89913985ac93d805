"""Where the elements of a tensor come from: boxes of other tensors, put together. Imports torch.

Slices, stores into slices, and their derivatives move elements and compute
nothing. A compiler makes one loop over all elements of them, which asks at
each whether it lies inside; that is slow. Here they are looked through: what
is computed is computed for its box alone, and put in its place afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch.fx import GraphModule, Node

from jupyter_npcompile.autodiff.regions import (
    Region,
    are_apart,
    complement,
    replaced,
)
from jupyter_npcompile.autodiff.stages import name_of
from jupyter_npcompile.dataclass import dataclass

MOST = 16
"""Boxes of a tensor that is looked through."""


@dataclass(frozen=True)
class Piece:
    """Elements of a node that are added to a box of a tensor.

    Parameters
    ----------
    node : Node
        Whose elements.
    first : tuple of int
        Where they begin in it.
    start : tuple of int
        Where they begin in the tensor.
    spans : tuple of int
        How far they reach.
    """

    node: Node
    first: tuple[int, ...]
    start: tuple[int, ...]
    spans: tuple[int, ...]

    @property
    def region(self) -> Region:
        """Its box."""
        return self.start, self.spans

    def is_all_of(self, shape: tuple[int, ...]) -> bool:
        """Whether it is all of its node, and all of a tensor of this shape."""
        return self.spans == shape == _shape(self.node)

    def moved(self, axis: int, by: int) -> Piece:
        """The same elements at another place."""
        return replace(self, start=replaced(self.start, axis, self.start[axis] + by))

    def cut(self, axis: int, low: int, high: int) -> list[Piece]:
        """What lies between two bounds, if anything does."""
        start, end = self.start[axis], self.start[axis] + self.spans[axis]
        first, last = max(start, low), min(end, high)
        if first >= last:
            return []
        return [
            Piece(
                self.node,
                replaced(self.first, axis, self.first[axis] + first - start),
                replaced(self.start, axis, first),
                replaced(self.spans, axis, last - first),
            )
        ]


@dataclass(frozen=True)
class Placed:
    """A result that is put together from boxes.

    Parameters
    ----------
    holes : tuple of Region
        What is zero, where something stays that was there before.
    parts : tuple of (int, Piece)
        The boxes, and by number whose elements they are: an output of the graph; negative numbers
        count copies of its arguments.
    """

    holes: tuple[Region, ...]
    parts: tuple[tuple[int, Piece], ...]


class Forms:
    """The tensors of a functional graph as sums of boxes.

    Parameters
    ----------
    module : GraphModule
        The graph. What computes with elements of boxes is made to take them directly.
    """

    def __init__(self, module: GraphModule) -> None:
        self._graph = module.graph
        self._forms: dict[Node, tuple[Piece, ...]] = {}
        self._taken: dict[tuple[Node, tuple[int, ...], tuple[int, ...]], Node] = {}
        for node in list(module.graph.nodes):
            if node.op == "output":
                break
            form = self._looked_through(node)
            if form is not None:
                self._forms[node] = form
            elif node.op == "call_function":
                for used in node.all_input_nodes:
                    self._shorten(node, used)

    def of(self, node: Node) -> tuple[Piece, ...]:
        """The boxes of a tensor; the whole of it where it is computed."""
        found = self._forms.get(node)
        return (whole(node),) if found is None else found

    def source(self, node: Node) -> Node:
        """The node of which a node is a copy, or itself."""
        form = self.of(node)
        single = len(form) == 1 and form[0].is_all_of(_shape(node))
        return form[0].node if single else node

    def taken(self, piece: Piece, before: Node) -> Node:
        """The elements of a piece as a node, which stands before another."""
        key = piece.node, piece.first, piece.spans
        if key not in self._taken:
            found = piece.node
            with self._graph.inserting_before(before):
                for axis, (first, span) in enumerate(zip(piece.first, piece.spans, strict=True)):
                    if span == found.meta["val"].shape[axis]:
                        continue
                    target: Any = torch.ops.aten.slice.Tensor
                    args = (found, axis, first, first + span)
                    made = self._graph.call_function(target, args)
                    made.meta["val"] = target(found.meta["val"], *args[1:])
                    found = made
            self._taken[key] = found
        return self._taken[key]

    def total(self, pieces: Sequence[Piece]) -> Node:
        """The sum of pieces that are equally large, as a node."""
        (end,) = (node for node in self._graph.nodes if node.op == "output")
        found, *rest = (self.taken(piece, end) for piece in pieces)
        target: Any = torch.ops.aten.add.Tensor
        for other in rest:
            with self._graph.inserting_before(end):
                made = self._graph.call_function(target, (found, other))
            made.meta["val"] = target(found.meta["val"], other.meta["val"])
            found = made
        return found

    def _shorten(self, node: Node, used: Node) -> None:
        """Let a node take elements from where they were computed."""
        if not isinstance(used.meta.get("val"), torch.Tensor):
            return  # several values
        form = self.of(used)
        if len(form) == 1 and form[0].node is not used and form[0].spans == _shape(used):
            node.replace_input_with(used, self.taken(form[0], node))

    def _looked_through(self, node: Node) -> tuple[Piece, ...] | None:
        rule = _RULES.get(name_of(node)) if node.op == "call_function" else None
        if rule is None or not isinstance(node.meta.get("val"), torch.Tensor):
            return None
        found = rule(self, node)
        if found is None:
            return None
        pieces = merged(found)
        return tuple(pieces) if len(pieces) <= MOST else None


def whole(node: Node) -> Piece:
    """All of a node."""
    zeros = (0,) * len(_shape(node))
    return Piece(node, zeros, zeros, _shape(node))


def merged(pieces: Iterable[Piece]) -> list[Piece]:
    """Pieces that lie side by side in the same node become one."""
    found: list[Piece] = []
    for piece in pieces:
        while True:
            near = next((known for known in found if _joined(known, piece) is not None), None)
            if near is None:
                break
            found.remove(near)
            piece = _joined(near, piece) or piece
        found.append(piece)
    return found


def _joined(one: Piece, other: Piece) -> Piece | None:
    if one.node is not other.node:
        return None
    apart = [b - a for a, b in zip(one.first, other.first, strict=True)]
    if apart != [b - a for a, b in zip(one.start, other.start, strict=True)]:
        return None
    axes = [k for k, d in enumerate(apart) if d or one.spans[k] != other.spans[k]]
    if len(axes) != 1:
        return None
    (axis,) = axes
    left, right = (one, other) if apart[axis] > 0 else (other, one)
    if abs(apart[axis]) != left.spans[axis]:
        return None
    return replace(left, spans=replaced(left.spans, axis, left.spans[axis] + right.spans[axis]))


def put_together(
    forms: Forms,
    node: Node,
    base: Node | None,
    arguments: Collection[Node],
    *,
    is_stored: bool,
) -> tuple[list[Region], list[Piece]] | None:
    """How a result is made from boxes where something is already; None if it is one computation.

    Parameters
    ----------
    forms : Forms
        Of the graph.
    node : Node
        The result.
    base : Node or None
        What is there before.
    arguments : collection of Node
        Of the graph: what is a copy of one need not be computed.
    is_stored : bool
        Whether boxes replace what is there; otherwise they are added.

    Returns
    -------
    tuple
        What becomes zero first, and the boxes.
    """
    shape, form = _shape(node), forms.of(node)
    if len(form) == 1 and form[0].spans == shape and form[0].node not in arguments:
        return None
    stays = [p for p in form if p.node is base and p.first == p.start]
    rest = [p for p in form if p not in stays]
    kept = [piece.region for piece in stays]
    if not are_apart(kept, shape):
        return None
    if not is_stored:
        return complement(shape, kept), _gathered(forms, rest, arguments)
    boxes = [piece.region for piece in form]
    return (complement(shape, boxes), rest) if are_apart(boxes, shape) else None


def _gathered(forms: Forms, pieces: Sequence[Piece], arguments: Collection[Node]) -> list[Piece]:
    """Boxes that are added; what is computed for the same one is added where it is computed."""
    found: list[Piece] = []
    same: dict[Region, list[Piece]] = {}
    for piece in pieces:
        if piece.node in arguments:
            found.append(piece)
        else:
            same.setdefault(piece.region, []).append(piece)
    for (start, _), several in same.items():
        total = several[0]
        if len(several) > 1:
            total = replace(whole(forms.total(several)), start=start)
        found.append(total)
    return found


def _shape(node: Node) -> tuple[int, ...]:
    return tuple(map(int, node.meta["val"].shape))


# -- what moves elements

_Form = list[Piece] | None


def _bounds(length: int, args: Sequence[Any]) -> tuple[int, int] | None:
    """The bounds of a slice without steps, from what follows the dimension."""
    given = dict(zip(("start", "end", "step"), args, strict=False))
    start, end, step = given.get("start"), given.get("end"), given.get("step", 1)
    if step != 1 or not all(bound is None or type(bound) is int for bound in (start, end)):
        return None
    low, high, _ = slice(start, end).indices(length)
    return low, max(low, high)


def _interval(
    args: Sequence[Any], place: int, shape: Sequence[int]
) -> tuple[int, tuple[int, int] | None]:
    """The dimension of a slice, which stands at a place among the arguments, and its bounds."""
    axis: int = (args[place] if len(args) > place else 0) % len(shape)
    return axis, _bounds(shape[axis], args[place + 1 :])


def _slice(forms: Forms, node: Node) -> _Form:
    used: Any = node.args[0]
    axis, bounds = _interval(node.args, 1, _shape(used))
    if bounds is None:
        return None
    return [p.moved(axis, -bounds[0]) for q in forms.of(used) for p in q.cut(axis, *bounds)]


def _slice_backward(forms: Forms, node: Node) -> _Form:
    used: Any = node.args[0]
    axis, bounds = _interval(node.args, 2, _shape(node))
    if bounds is None:
        return None
    return [p.moved(axis, bounds[0]) for p in forms.of(used)]


def _slice_scatter(forms: Forms, node: Node) -> _Form:
    base, source, *_ = node.args
    assert isinstance(base, Node)
    assert isinstance(source, Node)
    axis, bounds = _interval(node.args, 2, _shape(node))
    if bounds is None:
        return None
    low, high = bounds
    length = _shape(node)[axis]
    outside = [
        part for p in forms.of(base) for part in (*p.cut(axis, 0, low), *p.cut(axis, high, length))
    ]
    return [*outside, *(p.moved(axis, low) for p in forms.of(source))]


def _add(forms: Forms, node: Node) -> _Form:
    several = [used for used in node.args if isinstance(used, Node)]
    kinds = {(_shape(used), used.meta["val"].dtype) for used in (*several, node)}
    if len(several) != 2 or len(kinds) != 1 or node.kwargs:
        return None
    pieces = [piece for used in several for piece in forms.of(used)]
    return pieces if any(piece.spans != _shape(node) for piece in pieces) else None


def _zeros(forms: Forms, node: Node) -> _Form:
    return []


def _full(forms: Forms, node: Node) -> _Form:
    value = node.args[1]
    return [] if type(value) in (bool, int, float) and value == 0 and str(value)[0] != "-" else None


def _same(forms: Forms, node: Node) -> _Form:
    (used,) = node.all_input_nodes
    same = _shape(used) == _shape(node) and used.meta["val"].dtype == node.meta["val"].dtype
    return list(forms.of(used)) if same else None


_RULES: dict[str, Callable[[Forms, Node], _Form]] = {
    "slice": _slice,
    "slice_backward": _slice_backward,
    "slice_scatter": _slice_scatter,
    "add": _add,
    "zeros": _zeros,
    "zeros_like": _zeros,
    "new_zeros": _zeros,
    "full": _full,
    "full_like": _full,
    "clone": _same,
    "detach": _same,
    "alias": _same,
    "view": _same,
    "expand": _same,
}
