"""The text of captured graphs is what other tests compare, so it is pinned here."""

from __future__ import annotations

import pytest

from jupyter_npcompile.graph import (
    Argument,
    DType,
    Graph,
    Node,
    Output,
    Position,
    Ref,
    Slice,
    ValueType,
    to_text,
)
from jupyter_npcompile.graph.text import argument, type_text, value_names
from tests.support.graph_examples import HOSTILE, chain, heat, hostile, vector

HEAT = """\
numpy (u: float64[100], alpha: python float):
  %0: float64[100] = empty_like(u)        # 3:4
  %1: float64[98] = getitem(u, 2:)        # 5:10, view of u
  %2: float64[98] = getitem(u, 1:-1)      # 5:22, view of u
  %3: float64[98] = multiply(2, %2)       # 5:18
  %4: float64[98] = subtract(%1, %3)      # 5:10
  %5: float64[98] = multiply(alpha, %4)   # 6:24
  setitem(%0, 1:-1, %5)                   # 6:4, writes %0
  %6: float64 = .sum(%0, axis=0)          # 2:11, in energy/norm
  %7: float64[100] = add(u, 1.0, out=u)   # 8:4, writes u
  return v=%0, pair=(%6, 1)
  writes u"""


def test_whole_graph() -> None:
    lines = to_text(heat()).splitlines()
    assert [" ".join(line.split()) for line in lines] == [
        " ".join(line.split()) for line in HEAT.splitlines()
    ]
    columns = {line.index("# ") for line in lines if "# " in line}
    assert len(columns) == 1


def test_ids_do_not_show() -> None:
    """Two captures of the same program print the same, whatever their ids."""

    def graph(first: int) -> Graph:
        x = Node(first, "input", name="x", types=(vector(4),))
        y = Node(first + 7, "numpy.sqrt", (Ref(first),), types=(vector(4),))
        return Graph("numpy", (x,), (y,), (Output("y", Ref(first + 7)),))

    assert to_text(graph(0)) == to_text(graph(40))


def test_aten() -> None:
    x = Node(0, "input", name="x", types=(vector(4),))
    y = Node(1, "aten.mul.Tensor", (Ref(0), 0.5), types=(vector(4),), position=Position(3, 4))
    assert to_text(Graph("aten", (x,), (y,), (Output("y", Ref(1)),))) == (
        "aten (x: float64[4]):\n  %0: float64[4] = aten.mul.Tensor(x, 0.5)  # 3:4\n  return y=%0"
    )


def test_several_results() -> None:
    x = Node(0, "input", name="x", types=(vector(4),))
    both = Node(1, "numpy.divmod", (Ref(0), 2), types=(vector(4), vector(4)))
    first = Node(2, "item", (Ref(1), 0), types=(vector(4),))
    assert "%0: (float64[4], float64[4]) = divmod(x, 2)\n  %1: float64[4] = item(%0, 0)" in (
        to_text(Graph("numpy", (x,), (both, first)))
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Slice(), ":"),
        (Slice(None, None, 2), "::2"),
        (Slice(Ref(1), -1), "%1:-1"),
        ((Slice(1), 0, None, ...), "(1:, 0, None, ...)"),
        ((0,), "(0,)"),
        ((), "()"),
        ([0, [1, Ref(1)]], "[0, [1, %1]]"),
        (DType("float32"), "float32"),
        (True, "True"),
        (None, "None"),
        (-0.0, "-0.0"),
        (1e300, "1e+300"),
        (float("nan"), "nan"),
        (complex(0, -1), "-1j"),
        ("F", "'F'"),
        (10**30, "1" + "0" * 30),
        (list(range(20)), f"[{', '.join(map(str, range(15)))}, … 5 more]"),
        (Ref(99), "%?99"),
    ],
)
def test_argument(value: Argument, text: str) -> None:
    assert argument(value, {1: "%1"}) == (text if text != "-1j" else repr(complex(0, -1)))


@pytest.mark.parametrize(
    ("shape", "strides", "text"),
    [
        ((3, 4), (32, 8), "float64[3,4]"),
        ((3, 4), (8, 24), "float64[3,4] F"),
        ((3, 4), (64, 16), "float64[3,4] strides(8,2)"),
        ((3, 4), (0, 8), "float64[3,4] strides(0,1)"),
        ((3,), (-8,), "float64[3] strides(-1)"),
        ((3,), (12,), "float64[3] strides(12 bytes)"),
        ((1, 4), (999, 8), "float64[1,4]"),
        ((0, 4), (1, 1), "float64[0,4]"),
        ((), (), "float64[]"),
        ((3, 4), (), "float64[3,4]"),
        ((2, 3, 4), (32, 64, 8), "float64[2,3,4] strides(4,8,1)"),
    ],
)
def test_layout(shape: tuple[int, ...], strides: tuple[int, ...], text: str) -> None:
    assert type_text(ValueType("array", "float64", shape, strides)) == text


def test_a_loop_that_binds_names() -> None:
    u, n = Node(0, "input", name="u"), Node(1, "input", name="n")
    loop = Node(2, "native loop", (Ref(0), Ref(1)), writes=(0,))
    graph = Graph("kernels", (u, n), (loop,), (Output("total", Ref(2)),), (0,))
    assert to_text(graph).split("\n") == [
        "kernels (u, n):",
        "  %0 = native loop(u, n)  # writes u",
        "  return total=%0",
        "  writes u",
    ]


def test_inputs_of_one_name_are_told_apart() -> None:
    inputs = tuple(Node(id, "input", name=name) for id, name in enumerate(["x", "x", "", "x"]))
    assert list(value_names(Graph("numpy", inputs)).values()) == ["x", "x.2", "input2", "x.3"]


def test_long_header_is_broken() -> None:
    inputs = tuple(Node(id, "input", name=f"x{id}", types=(vector(10),)) for id in range(9))
    lines = to_text(Graph("numpy", inputs)).splitlines()
    assert lines[0] == "numpy ("
    assert lines[1] == "    x0: float64[10],"
    assert lines[10] == "  ):"


def test_hostile_names_keep_to_their_line() -> None:
    text = to_text(hostile())
    assert len(text.splitlines()) == 7
    assert HOSTILE not in text
    assert text.replace("\n", "").isprintable()


def test_large_graph() -> None:
    assert len(to_text(chain(3000, 10)).splitlines()) == 3001
