"""What a live drawing of a captured graph shows: nested groups, boxes, arrows.

The groups follow the source: loops hold segments and break points, segments
hold source lines, lines hold operations. Where a group would hold very many
things, they are gathered in runs, so that any graph has a small picture with
everything closed. The result is JSON data (`outline`), the same for every
level::

    {"source": "...", "summary": "...",
     "timing": {"bandwidth": 1e10, "note": "", "rows": [...]},   # where times are known
     "levels": [{"key": "numpy", "title": "NumPy", "groups": [...], "boxes": [...],
                 "arrows": [["0.n1", "0.n2", 0], ...]}]}   # 1: only memory, 2: across a gap

Groups and boxes stand in the order in which they are read. The ids of groups
are the same at every level.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.amounts import duration
from jupyter_npcompile.graph.constants import printable, shorten
from jupyter_npcompile.graph.facts import Facts, bytes_of, level_facts, shape_text, shared_time
from jupyter_npcompile.graph.kernels import fused_lines
from jupyter_npcompile.graph.nodes import Graph, Node
from jupyter_npcompile.graph.picture import Box, Place, picture
from jupyter_npcompile.graph.regions import RegionReport
from jupyter_npcompile.graph.report import BreakPoint, ReportData
from jupyter_npcompile.graph.source import loops, source_lines
from jupyter_npcompile.graph.text import op_name
from jupyter_npcompile.graph.timing import TimeRow, time_rows

MOST_CHILDREN = 120
"""Things that one group holds; more are gathered in runs of `RUN`."""

RUN = 60

TITLE_WIDTH = 72
"""Characters of a source line in the heading of its group."""

TITLES = {"numpy": "NumPy", "aten": "ATen", "backward": "ATen backward", "kernels": "Kernels"}
"""The levels, and what they are called."""


@dataclass(slots=True)
class _Group:
    """A group, or one box when `box` is set, with what it holds."""

    id: str
    kind: str
    title: str
    detail: str = ""
    line: int = 0
    end: int = 0
    hint: str = ""
    time: str = ""
    box: dict[str, Any] | None = None
    children: list[_Group] = field(default_factory=list)


def outline(report: ReportData) -> dict[str, Any]:
    """Write a report's graphs as nested groups.

    Parameters
    ----------
    report : ReportData
        What one run showed.

    Returns
    -------
    dict
        JSON data; see the module's docstring.

    Examples
    --------
    >>> outline(ReportData())["levels"]
    []
    """
    levels = []
    for key, title in TITLES.items():
        graphs = report.graph.level(key)
        if any(graph.nodes for graph in graphs):
            levels.append(_level(report, key, title, graphs))
    made: dict[str, Any] = {
        # Half a character cannot be sent, nor can it stand in a cell.
        "source": report.source.encode("utf-8", "replace").decode("utf-8"),
        "summary": printable(report.summary),
        "levels": levels,
    }
    rows = time_rows(report)
    if rows:
        made["timing"] = _timings(report, rows)
    return made


def _timings(report: ReportData, rows: Iterable[TimeRow]) -> dict[str, Any]:
    """The timing view; what was not measured is left out."""
    known = report.timing
    return {
        "bandwidth": known.bandwidth if known is not None else None,
        "note": printable(known.note) if known is not None else "",
        "rows": [
            {
                "kind": row.kind,
                "lines": list(row.lines),
                "title": shorten(printable(row.title), TITLE_WIDTH),
                "numpy": row.numpy_us,
                "compiled": row.compiled_us,
                "bound": row.bound_us,
                "moves": row.moves,
            }
            for row in rows
        ],
    }


def initially_open(data: Mapping[str, Any], limit: int = 130) -> list[str]:
    """Groups to open so that a level shows at most about so many boxes.

    Groups are opened from the outside inwards, as long as there is room.

    Examples
    --------
    >>> initially_open({"levels": []})
    []
    """
    opened: dict[str, None] = {}
    for level in data["levels"]:
        inside: dict[str, list[str]] = {}
        count: dict[str, int] = {}
        for group in level["groups"]:
            if group["kind"] == "break":
                count[group["parent"]] = count.get(group["parent"], 0) + 1
                continue
            inside.setdefault(group["parent"], []).append(group["id"])
        for box in level["boxes"]:
            count[box["group"]] = count.get(box["group"], 0) + 1
        shown = len(inside.get("", ())) + count.get("", 0)
        waiting = list(inside.get("", ()))
        while waiting:
            group = waiting.pop(0)
            more = len(inside.get(group, ())) + count.get(group, 0) - 1
            if shown + more > limit:
                continue
            shown += more
            opened[group] = None
            waiting += inside.get(group, ())
    return list(opened)


def _level(report: ReportData, key: str, title: str, graphs: Sequence[Graph]) -> dict[str, Any]:
    spans = loops(report)
    arrows: list[list[Any]] = []
    parts: list[_Group] = []
    made: dict[str, str] = {}
    sources = source_lines(report)
    numpy = report.graph.numpy
    facts = level_facts(report, key)
    for place, graph in enumerate(graphs):
        lines = _lines_of(numpy[place] if place < len(numpy) else graph)
        if not graph.nodes and key == "kernels":
            continue  # NumPy runs it
        parts.append(_segment(report, place, graph, lines, arrows, sources, facts[place]))
        for node in graph.inputs:
            if node.name in made:
                arrows.append([made[node.name], f"{place}.n{node.id}", 2])
        for number, output in enumerate(graph.outputs):
            made[output.name] = f"{place}.o{number}"
        names = {node.id: node.name for node in graph.inputs}
        made.update({names[id]: f"{place}.w{id}" for id in graph.writes if id in names})
    parts += [_gap(number, point) for number, point in enumerate(report.breaks)]
    parts.sort(key=lambda part: part.line)
    root = _Group("", "root", "")
    _nest(root, parts, spans, sources)
    groups: list[dict[str, Any]] = []
    boxes: list[dict[str, Any]] = []
    _flatten(_gathered(root), groups, boxes)
    return {"key": key, "title": title, "groups": groups, "boxes": boxes, "arrows": arrows}


def _segment(
    report: ReportData,
    place: int,
    graph: Graph,
    lines: tuple[int, int],
    arrows: list[list[Any]],
    sources: Mapping[int, str],
    facts: Mapping[int, Facts],
) -> _Group:
    shown = picture(graph, limit=10**9)
    nodes = graph.by_id()
    region = _region_of(report, lines[0])
    thing = "kernel" if graph.level == "kernels" else "operation"
    detail = f"{shown.operations} {thing}{'' if shown.operations == 1 else 's'}"
    if region is not None:
        detail += f" · {_timing(region)}"
    segment = _Group(f"s{place}", "segment", f"Segment {place + 1}", detail, lines[0], lines[1])
    segment.time = shared_time(region)
    inside: dict[Place | None, _Group] = {}
    last: list[_Group] = []
    for box in shown.boxes:
        node = _node(box, nodes)
        made = _box(f"{place}.{box.key}", box, node, facts)
        if graph.level == "kernels" and node is not None and made.box is not None:
            made.box |= _kernel(node, report.graph.numpy[place : place + 1])
            segment.children.append(made)
            continue
        if box.kind == "output":
            last.append(made)
        elif box.kind == "input":
            segment.children.append(made)
        else:
            where = box.place or Place("", 0)
            if where not in inside:
                inside[where] = _line(f"s{place}", where, sources)
                segment.children.append(inside[where])
            inside[where].children.append(made)
    for group in inside.values():
        count = len(group.children)
        group.detail = f"{count} operation{'' if count == 1 else 's'}"
    segment.children += last
    arrows += [
        [f"{place}.{arrow.tail}", f"{place}.{arrow.head}", int(arrow.memory)]
        for arrow in shown.arrows
    ]
    return segment


def _timing(region: RegionReport) -> str:
    numpy_us, compiled_us = region.timings.get("numpy_us"), region.timings.get("compiled_us")
    if numpy_us and compiled_us:
        return f"{region.tier} · NumPy {duration(numpy_us)}, compiled {duration(compiled_us)}"
    return region.tier


def _line(segment: str, place: Place, sources: Mapping[int, str]) -> _Group:
    if not place.line:
        return _Group(f"{segment}/elsewhere", "line", "no line of its own")
    if place.scope:
        name = printable(place.scope)
        title = shorten(f"{name} · line {place.line}", TITLE_WIDTH)
        return _Group(f"{segment}/{name}:{place.line}", "line", title, line=place.line)
    text = shorten(" ".join(sources.get(place.line, "").split()), TITLE_WIDTH)
    title = printable(text) or f"line {place.line}"
    return _Group(f"{segment}/{place.line}", "line", title, line=place.line, end=place.line)


def _box(id: str, box: Box, node: Node | None, facts: Mapping[int, Facts]) -> _Group:
    types = node.types if node is not None else ()
    line = box.place.line if box.place else 0
    data = {
        "id": id,
        "kind": box.kind,
        "title": box.title,
        "detail": box.detail,
        "text": printable(box.tooltip),
        "line": line,
        "dtype": ", ".join(printable(kind.dtype) for kind in types),
        "shape": ", ".join(map(shape_text, types)),
        "bytes": bytes_of(types),
    }
    known = facts.get(node.id) if node is not None else None
    if known is not None:
        count = known.flops
        data |= {"flops": None if count is None else count.count}
        data |= {"rule": count.rule} if count is not None and count.rule else {}
        data |= {} if known.us is None else {"us": known.us}
        data |= {"rate": known.rate} if known.rate else {}
    return _Group(id, "box", box.title, line=line, box=data)


def _node(box: Box, nodes: Mapping[int, Node]) -> Node | None:
    return nodes.get(int(box.key[1:])) if box.key[0] == "n" else None


def _kernel(node: Node, source: Sequence[Graph]) -> dict[str, Any]:
    """What is known of a kernel besides: its lines, what it computes, and moves."""
    if node.op == "input":
        return {}
    own = [node.position.line] if node.position.line else []
    lines = [line for graph in source for line in fused_lines(node, graph)] or own
    known = {one.id: one for graph in source for one in graph.nodes}
    fused = [op_name(known[id].op) for id in node.fuses if id in known]
    return {"line": lines[0] if lines else 0, "lines": lines, "fuses": fused, "moves": node.moves}


def _gap(number: int, point: BreakPoint) -> _Group:
    reason = " ".join(printable(point.reason).split())
    hint = " ".join(printable(point.hint).split())
    return _Group(
        f"break{number}",
        "break",
        shorten(reason, 300),
        "",
        point.line,
        point.line,
        hint=shorten(hint, 300),
    )


def _region_of(report: ReportData, line: int) -> RegionReport | None:
    found = [r for r in report.regions if r.segments and r.lines[0] <= line <= r.lines[1]]
    return min(found, key=lambda region: region.lines[1] - region.lines[0], default=None)


def _lines_of(graph: Graph) -> tuple[int, int]:
    lines = [node.position.line for node in graph.nodes if node.position.line]
    return (min(lines), max(lines)) if lines else (0, 0)


def _nest(
    root: _Group,
    parts: Iterable[_Group],
    loops: Sequence[tuple[int, int]],
    sources: Mapping[int, str],
) -> None:
    """Put every part into the innermost loop around it; loops without parts vanish."""
    known: dict[tuple[int, int], _Group] = {}
    for part in parts:
        at = root
        for first, last in loops:
            if not first <= part.line <= part.end <= last:
                continue
            if part.kind == "segment" and part.line == first:
                continue  # what the header itself computes, before the loop
            if (first, last) not in known:
                title = shorten(printable(sources.get(first, "").strip()), TITLE_WIDTH)
                loop = _Group(f"loop{first}", "loop", title or "loop", "", first, last)
                known[first, last] = loop
                at.children.append(loop)
            at = known[first, last]
        at.children.append(part)


# -- the result


def _gathered(group: _Group) -> _Group:
    """Gather runs of children where there are very many."""
    group.children = [_gathered(child) for child in group.children]
    depth = 0
    while len(group.children) > MOST_CHILDREN:
        depth += 1
        runs = []
        for start in range(0, len(group.children), RUN):
            part = group.children[start : start + RUN]
            runs.append(_run(f"{group.id}/run{depth}.{start // RUN}", part))
        group.children = runs
    return group


def _run(id: str, children: list[_Group]) -> _Group:
    lines = [child.line for child in children if child.line]
    first, last = (min(lines), max(lines)) if lines else (0, 0)
    boxes = all(child.kind == "box" for child in children)
    if boxes or not lines:
        title = f"{children[0].title} … {children[-1].title}"
    else:
        title = f"lines {first}-{last}"
    things = "operations" if boxes else "lines"
    detail = (
        f"{sum(map(_weight, children))} operations" if not boxes else (f"{len(children)} {things}")
    )
    return _Group(id, "run", shorten(title, TITLE_WIDTH), detail, first, last, children=children)


def _weight(group: _Group) -> int:
    return 1 if group.kind == "box" else sum(map(_weight, group.children))


def _flatten(group: _Group, groups: list[dict[str, Any]], boxes: list[dict[str, Any]]) -> None:
    """Write down everything in reading order; ``at`` tells groups and boxes apart in it."""
    for child in group.children:
        order = len(groups) + len(boxes)
        if child.box is not None:
            boxes.append({**child.box, "group": group.id, "at": order})
            continue
        data = {
            "id": child.id,
            "parent": group.id,
            "kind": child.kind,
            "title": child.title,
            "detail": child.detail,
            "line": child.line,
            "end": child.end or child.line,
            "at": order,
        }
        if child.hint:
            data["hint"] = child.hint
        if child.time:
            data["time"] = child.time
        groups.append(data)
        _flatten(child, groups, boxes)
