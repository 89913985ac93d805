"""What a drawing of a captured graph shows: boxes, arrows, source lines.

One picture feeds every renderer (Graphviz and our own layout), so they agree
on names, on what is drawn and on what is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.amounts import size as amount
from jupyter_npcompile.graph.constants import printable, shorten
from jupyter_npcompile.graph.nodes import Argument, Graph, Node, Ref, references
from jupyter_npcompile.graph.text import argument, op_name, operation, type_text, value_names

LIMIT = 200
"""Boxes in one drawing; a larger graph is drawn with one box per source line."""

TITLE_WIDTH = 30
"""Characters in a title; the tooltip holds the whole operation."""

LINE_WIDTH = 40
"""Characters of source in the heading of a source line."""

BoxKind = Literal["input", "output", "operation", "view", "write", "line"]
"""What a box stands for. ``view`` shares memory, ``write`` changes memory in
place, ``line`` stands for all operations of one source line."""


class Place(NamedTuple):
    """The source line an operation belongs to, in a helper function or not."""

    scope: str
    line: int


@dataclass(frozen=True, slots=True)
class Box:
    """One box: a title, a smaller detail under it, a tooltip with everything."""

    key: str
    kind: BoxKind
    title: str
    detail: str = ""
    tooltip: str = ""
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Arrow:
    """Data flowing from one box to another, or memory that was written before."""

    tail: str
    head: str
    memory: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """Boxes in order of execution and the arrows between them.

    Parameters
    ----------
    boxes : tuple of Box
        Inputs, operations, outputs.
    arrows : tuple of Arrow
        No two of them join the same boxes.
    operations : int
        How many operations the graph has; more than are drawn if `collapsed`.
    collapsed : bool
        Whether boxes stand for whole source lines.
    """

    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    operations: int
    collapsed: bool = False

    def places(self) -> dict[Place | None, list[Box]]:
        """Boxes by source line, in order of first appearance."""
        found: dict[Place | None, list[Box]] = {}
        for box in self.boxes:
            found.setdefault(box.place, []).append(box)
        return found


def picture(
    graph: Graph,
    *,
    limit: int = LIMIT,
    sources: Mapping[int, str] | None = None,
    notes: Mapping[int, str] | None = None,
) -> Picture:
    """Decide what a drawing of the graph shows.

    An arrow into an operation comes from whatever last gave the value its
    content: what made it, or the in-place write after that.

    Parameters
    ----------
    graph : Graph
        A graph of either level.
    limit : int
        Most boxes to draw. A larger graph gets one box per source line, and
        what is too much even then is drawn as one box.
    sources : mapping of int to str, optional
        Text of the source lines, for those boxes.
    notes : mapping of int to str, optional
        What else is to stand in the boxes of kernels.

    Examples
    --------
    >>> x = Node(0, "input", name="x")
    >>> from jupyter_npcompile.graph.nodes import Output, ValueType
    >>> y = Node(1, "numpy.power", (Ref(0), 2), types=(ValueType("scalar", "int64"),))
    >>> [box.title for box in picture(Graph("numpy", (x,), (y,), (Output("y", Ref(1)),))).boxes]
    ['x', 'power(·, 2)', 'y']
    """
    labels = value_names(graph)
    boxes = [
        *_inputs(graph, labels),
        *_operations(graph, labels, notes or {}),
        *_outputs(graph, labels),
    ]
    whole = Picture(tuple(boxes), tuple(_arrows(graph)), len(graph.nodes))
    return whole if len(boxes) <= limit else _collapse(whole, max(limit, 3), sources)


def line_title(place: Place, sources: Mapping[int, str] | None = None) -> str:
    """Heading of a source line: its number, its text where known, its function."""
    if not place.line:
        return "elsewhere"
    if place.scope:
        return shorten(f"{place.scope} · line {place.line}", TITLE_WIDTH)
    text = " ".join((sources or {}).get(place.line, "").split())
    return shorten(f"{place.line}  {text}" if text else f"line {place.line}", LINE_WIDTH)


def _inputs(graph: Graph, labels: dict[int, str]) -> Iterable[Box]:
    for node in graph.inputs:
        detail = ", ".join(map(type_text, node.types))
        name = labels[node.id]
        title = shorten(name, TITLE_WIDTH)
        yield Box(f"n{node.id}", "input", title, detail, f"input {name}: {detail}")


def _operations(graph: Graph, labels: dict[int, str], notes: Mapping[int, str]) -> Iterable[Box]:
    names = _variables(graph, labels)
    for node in graph.nodes:
        kind: BoxKind = "operation"
        if node.writes:
            kind = "write"
        elif node.view_of is not None:
            kind = "view"
        place = Place(node.scope, node.position.line) if node.position.line else None
        detail = shorten(", ".join(map(type_text, node.types)), TITLE_WIDTH)
        if node.writes:
            detail = shorten(_written(node, names), TITLE_WIDTH)
        if graph.level == "kernels":  # it belongs to several lines
            place = None
            moves = f"moves {amount(node.moves)}" if node.moves else ""
            parts = (detail, moves, notes.get(node.id, ""))
            detail = " · ".join(part for part in parts if part)
        tooltip = operation(node, labels)
        yield Box(f"n{node.id}", kind, _title(node, names), detail, tooltip, place)


def _outputs(graph: Graph, labels: dict[int, str]) -> Iterable[Box]:
    for place, output in enumerate(graph.outputs):
        shown = argument(output.value, labels)
        title = shorten(printable(output.name), TITLE_WIDTH)
        detail = "" if any(True for _ in references(output.value)) else shorten(shown, TITLE_WIDTH)
        yield Box(
            f"o{place}", "output", title, detail, f"output {printable(output.name)} = {shown}"
        )
    for id in graph.writes:
        name = labels.get(id, f"%?{id}")
        title = shorten(name, TITLE_WIDTH)
        yield Box(f"w{id}", "output", title, "in place", f"input {name}, written in place")


def _variables(graph: Graph, labels: dict[int, str]) -> dict[int, str]:
    """Values that are called something in the source, by input or output name."""
    names = {node.id: labels[node.id] for node in graph.inputs}
    for output in graph.outputs:
        if isinstance(output.value, Ref):
            names.setdefault(output.value.id, printable(output.name))
    return names


def _written(node: Node, names: dict[int, str]) -> str:
    found = [names[id] for id in node.writes if id in names]
    return "writes " + ", ".join(found) if found else "in place"


def _title(node: Node, names: dict[int, str]) -> str:
    if node.op in ("getitem", "setitem") and len(node.args) > 1:
        base, index = node.args[:2]
        inside = ", ".join(map(_literal, index)) if isinstance(index, tuple) else _literal(index)
        name = names.get(base.id, "") if isinstance(base, Ref) else ""
        return shorten(f"{name}[{inside}]" + (" =" if node.op == "setitem" else ""), TITLE_WIDTH)
    literal = [part for part in node.args if not isinstance(part, Ref)]
    if node.op == "item" and literal:
        return f"result {_literal(literal[0])}"
    parts = [_literal(part) for part in node.args] if literal else []
    parts += [
        f"{name}={_literal(part)}"
        for name, part in node.kwargs.items()
        if not isinstance(part, Ref)
    ]
    name = op_name(node.op)
    return shorten(f"{name}({', '.join(parts)})" if parts else name, TITLE_WIDTH)


class _Dots(dict[int, str]):
    """Labels under which every value is a dot: arrows say which one it is."""

    def get(self, key: object, default: object = None) -> str:
        return "·"


def _literal(part: Argument) -> str:
    return argument(part, _Dots())


def _arrows(graph: Graph) -> Iterable[Arrow]:
    order = {node.id: place for place, node in enumerate((*graph.inputs, *graph.nodes))}
    roots: dict[int, int] = {}
    last_write: dict[int, int] = {}
    drawn: set[tuple[str, str]] = set()

    def into(head: str, ids: Iterable[int]) -> Iterable[Arrow]:
        for id in ids:
            if id not in roots:
                continue
            writer = last_write.get(roots[id])
            newer = writer is not None and order[writer] > order[id]
            sources = [(writer, id != roots[id])] if newer else [(id, False)]
            if newer and id != roots[id]:
                sources.append((id, False))
            for source, memory in sources:
                arrow = Arrow(f"n{source}", head, memory)
                if arrow.tail != head and (arrow.tail, head) not in drawn:
                    drawn.add((arrow.tail, head))
                    yield arrow

    for node in (*graph.inputs, *graph.nodes):
        yield from into(f"n{node.id}", (*node.references(), *node.writes))
        base = node.view_of
        roots[node.id] = node.id if base is None else roots.get(base, base)
        for id in node.writes:
            last_write[roots.get(id, id)] = node.id
    for place, output in enumerate(graph.outputs):
        yield from into(f"o{place}", references(output.value))
    for id in graph.writes:
        yield from into(f"w{id}", (id,))


def _collapse(whole: Picture, limit: int, sources: Mapping[int, str] | None) -> Picture:
    merged: dict[str, Box] = {}
    names: dict[str, str] = {}
    counts: dict[str, int] = {}
    many = {
        kind: sum(box.kind == kind for box in whole.boxes) > limit // 4
        for kind in ("input", "output")
    }
    ends = sum(box.kind in many and not many[box.kind] for box in whole.boxes)
    lines: dict[Place, Box] = {}
    room = limit - ends - sum(many.values()) - 1
    for box in whole.boxes:
        if box.kind in many:
            target = Box(f"all-{box.kind}", box.kind, f"{box.kind}s") if many[box.kind] else box
        else:
            place = box.place or Place("", 0)
            if place not in lines and len(lines) < room:
                key = f"l{len(lines)}"
                lines[place] = Box(key, "line", line_title(place, sources))
            target = lines.get(place) or Box("rest", "line", "more lines")
        names[box.key] = target.key
        merged.setdefault(target.key, target)
        counts[target.key] = counts.get(target.key, 0) + 1
    kept = {box.key for box in whole.boxes}
    boxes = [box if key in kept else _counted(box, counts[key]) for key, box in merged.items()]
    joined = dict.fromkeys((names[arrow.tail], names[arrow.head]) for arrow in whole.arrows)
    arrows = [Arrow(tail, head) for tail, head in joined if tail != head]
    return Picture(tuple(boxes), tuple(arrows), whole.operations, collapsed=True)


def _counted(box: Box, count: int) -> Box:
    thing = "operation" if box.kind == "line" else box.kind
    detail = f"{count} {thing}{'' if count == 1 else 's'}"
    return Box(box.key, box.kind, box.title, detail, f"{box.title}: {detail}")
