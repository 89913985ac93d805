"""What a drawing of a captured graph shows."""

from __future__ import annotations

from jupyter_npcompile.graph import Graph, Node, Output, Position, Ref, Slice
from jupyter_npcompile.graph.picture import LINE_WIDTH, Place, line_title, picture
from tests.support.graph_examples import chain, heat, hostile, vector


def joined(graph: Graph) -> set[tuple[str, str]]:
    titles = {box.key: box.title for box in picture(graph).boxes}
    return {(titles[arrow.tail], titles[arrow.head]) for arrow in picture(graph).arrows}


def test_boxes() -> None:
    boxes = picture(heat()).boxes
    assert [box.title for box in boxes] == [
        "u",
        "alpha",
        "empty_like",
        "u[2:]",
        "u[1:-1]",
        "multiply(2, ·)",
        "subtract",
        "multiply",
        "v[1:-1] =",
        ".sum(axis=0)",
        "add(·, 1.0)",
        "v",
        "pair",
        "u",
    ]
    assert [box.kind for box in boxes[3:9]] == [
        "view",
        "view",
        "operation",
        "operation",
        "operation",
        "write",
    ]
    assert boxes[8].detail == "writes v"
    assert boxes[9].place == Place("energy/norm", 2)


def test_reads_after_a_write_come_from_the_write() -> None:
    found = joined(heat())
    assert ("v[1:-1] =", "v") in found
    assert ("v[1:-1] =", ".sum(axis=0)") in found
    assert ("empty_like", "v") not in found
    assert ("add(·, 1.0)", "u") in found


def test_view_taken_before_a_write_shows_both() -> None:
    x = Node(0, "input", name="x", types=(vector(4),))
    view = Node(1, "getitem", (Ref(0), Slice(1)), types=(vector(3),), view_of=0)
    write = Node(2, "setitem", (Ref(0), 1, 0.5), writes=(0,))
    total = Node(3, "numpy.sum", (Ref(1),), types=(vector(1),))
    arrows = picture(Graph("numpy", (x,), (view, write, total))).arrows
    into_total = {(arrow.tail, arrow.memory) for arrow in arrows if arrow.head == "n3"}
    assert into_total == {("n1", False), ("n2", True)}


def test_no_arrow_twice() -> None:
    x = Node(0, "input", name="x", types=(vector(4),))
    square = Node(1, "numpy.multiply", (Ref(0), Ref(0)), types=(vector(4),))
    assert len(picture(Graph("numpy", (x,), (square,))).arrows) == 1


def test_large_graph_has_a_box_per_line() -> None:
    shown = picture(chain(500, 20), limit=60, sources={3: "y = x + 1"})
    assert shown.collapsed
    assert shown.operations == 499
    assert len(shown.boxes) == 22
    assert shown.boxes[2].title == "3  y = x + 1"
    assert shown.boxes[2].detail == "25 operations"
    keys = [box.key for box in shown.boxes]
    assert all(arrow.tail in keys and arrow.head in keys for arrow in shown.arrows)
    assert all(arrow.tail != arrow.head for arrow in shown.arrows)


def test_too_many_lines_and_inputs() -> None:
    inputs = tuple(Node(id, "input", name=f"x{id}", types=(vector(4),)) for id in range(300))
    nodes = tuple(
        Node(300 + id, "numpy.sqrt", (Ref(id),), types=(vector(4),), position=Position(id + 1, 0))
        for id in range(300)
    )
    outputs = tuple(Output(f"y{id}", Ref(300 + id)) for id in range(300))
    for limit in (3, 10, 100):
        shown = picture(Graph("numpy", inputs, nodes, outputs), limit=limit)
        assert 3 <= len(shown.boxes) <= limit
        assert shown.boxes[0].detail == "300 inputs"


def test_dangling_reference_is_left_out() -> None:
    lonely = Node(1, "numpy.sqrt", (Ref(77),), types=(vector(4),))
    assert picture(Graph("numpy", (), (lonely,))).arrows == ()


def test_line_title() -> None:
    assert line_title(Place("", 3)) == "line 3"
    assert line_title(Place("", 3), {3: "y =  x\n + 1"}) == "3  y = x + 1"
    assert len(line_title(Place("", 3), {3: "y" * 300})) == LINE_WIDTH
    assert line_title(Place("step", 3), {3: "y = x"}) == "step · line 3"
    assert line_title(Place("", 0)) == "elsewhere"


def test_hostile_titles_are_printable() -> None:
    for box in picture(hostile()).boxes:
        assert (box.title + box.detail + box.tooltip).isprintable()
