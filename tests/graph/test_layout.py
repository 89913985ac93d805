"""Our own layered layout: nothing overlaps, every arrow arrives."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_npcompile.graph.layout import Layout, arrange
from jupyter_npcompile.graph.picture import Arrow, Box, Picture, picture
from tests.support.graph_examples import chain, heat


def overlaps(layout: Layout) -> list[tuple[str, str]]:
    return [
        (one, other)
        for (one, a), (other, b) in itertools.combinations(layout.boxes.items(), 2)
        if abs(a.x - b.x) < (a.width + b.width) / 2 - 0.01
        and abs(a.y - b.y) < (a.height + b.height) / 2 - 0.01
    ]


def sound(shown: Picture) -> None:
    layout = arrange(shown)
    assert set(layout.boxes) == {box.key for box in shown.boxes}
    assert overlaps(layout) == []
    for box in layout.boxes.values():
        assert 0 <= box.x - box.width / 2 <= box.x + box.width / 2 <= layout.width + 0.01
        assert 0 <= box.y - box.height / 2 <= box.y + box.height / 2 <= layout.height + 0.01
    for arrow in shown.arrows:
        route = layout.routes[arrow.tail, arrow.head]
        assert route[0][0] == pytest.approx(layout.boxes[arrow.tail].x)
        assert route[-1][0] == pytest.approx(layout.boxes[arrow.head].x)


def test_heat() -> None:
    shown = picture(heat())
    sound(shown)
    layout = arrange(shown)
    for arrow in shown.arrows:
        assert layout.boxes[arrow.tail].y < layout.boxes[arrow.head].y


def test_empty_picture() -> None:
    assert arrange(Picture((), (), 0)).boxes == {}


def test_arrows_that_go_back() -> None:
    """A loop makes line 3 read what line 4 made before."""
    boxes = (Box("a", "line", "3"), Box("b", "line", "4"))
    sound(Picture(boxes, (Arrow("a", "b"), Arrow("b", "a")), 9))


def test_two_hundred_boxes() -> None:
    sound(picture(chain(190, 190)))


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 14), st.data())
def test_any_picture(count: int, data: st.DataObject) -> None:
    keys = st.integers(0, count - 1)
    pairs = data.draw(st.lists(st.tuples(keys, keys), max_size=30, unique=True))
    boxes = tuple(Box(f"b{place}", "operation", "x" * (place % 5)) for place in range(count))
    arrows = tuple(Arrow(f"b{a}", f"b{b}") for a, b in pairs if a != b)
    sound(Picture(boxes, arrows, count))
