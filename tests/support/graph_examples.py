"""Captured graphs and reports that several tests look at, written by hand."""

from __future__ import annotations

from jupyter_npcompile.graph import (
    Assignment,
    BreakPoint,
    CapturedGraph,
    Graph,
    LineReport,
    Node,
    Output,
    Position,
    Ref,
    RegionReport,
    ReportData,
    Slice,
    ValueType,
)
from jupyter_npcompile.graph.timing import LineTime, Timing

HOSTILE = """<script>alert("1")</script> ' " & ]]> --> </style></details> \\ {} \n\t\x00 \ud800"""
"""What no renderer may let through as it is."""

SOURCE = """\
%%npcompile
# one explicit step of the heat equation
v = np.empty_like(u)
for step in range(400):
    lap = u[2:] - 2 * u[1:-1] + u[:-2]
    v[1:-1] = u[1:-1] + alpha * lap
    print(f"{step:4d}")
    u += 1.0
"""


def vector(length: int, dtype: str = "float64") -> ValueType:
    """Type of a contiguous vector of 8-byte elements."""
    return ValueType("array", dtype, (length,), (8,))


def heat() -> Graph:
    """Views, an in-place write to a new array, one to an input, a helper function."""
    inner = vector(98)
    inputs = (
        Node(0, "input", name="u", types=(vector(100),)),
        Node(1, "input", name="alpha", types=(ValueType("python", "float64"),)),
    )
    nodes = (
        Node(2, "numpy.empty_like", (Ref(0),), types=(vector(100),), position=Position(3, 4)),
        Node(3, "getitem", (Ref(0), Slice(2)), {}, (inner,), Position(5, 10), view_of=0),
        Node(4, "getitem", (Ref(0), Slice(1, -1)), {}, (inner,), Position(5, 22), view_of=0),
        Node(5, "numpy.multiply", (2, Ref(4)), {}, (inner,), Position(5, 18)),
        Node(6, "numpy.subtract", (Ref(3), Ref(5)), {}, (inner,), Position(5, 10)),
        Node(7, "numpy.multiply", (Ref(1), Ref(6)), {}, (inner,), Position(6, 24)),
        Node(8, "setitem", (Ref(2), Slice(1, -1), Ref(7)), position=Position(6, 4), writes=(2,)),
        Node(
            9,
            "ndarray.sum",
            (Ref(2),),
            {"axis": 0},
            (ValueType("scalar", "float64"),),
            Position(2, 11),
            scope="energy/norm",
        ),
        Node(
            10,
            "numpy.add",
            (Ref(0), 1.0),
            {"out": Ref(0)},
            (vector(100),),
            Position(8, 4),
            view_of=0,
            writes=(0,),
        ),
    )
    outputs = (Output("v", Ref(2)), Output("pair", (Ref(9), 1)))
    return Graph("numpy", inputs, nodes, outputs, (0,))


def chain(length: int, lines: int) -> Graph:
    """Operations in a row, spread over source lines, each used by the next two."""
    nodes = tuple(
        Node(
            id,
            "numpy.add",
            (Ref(id - 1), Ref(max(id - 2, 0))),
            types=(vector(10),),
            position=Position(2 + id * lines // length, 0),
        )
        for id in range(1, length)
    )
    inputs = (Node(0, "input", name="x", types=(vector(10),)),)
    return Graph("numpy", inputs, nodes, (Output("y", Ref(length - 1)),))


def hostile() -> Graph:
    """Every string in it is hostile."""
    inputs = (Node(0, "input", name=HOSTILE, types=(vector(3),)),)
    nodes = (
        Node(
            1,
            f"numpy.{HOSTILE}",
            (Ref(0), HOSTILE),
            {"key": HOSTILE},
            (ValueType("array", HOSTILE, (3,), (8,)),),
            Position(2, 0),
            scope=HOSTILE,
        ),
        Node(2, f"ndarray.{HOSTILE}", (Ref(1),), {}, (vector(3),), Position(3, 0)),
    )
    return Graph("numpy", inputs, nodes, (Output(HOSTILE, Ref(2)),), (0,))


def report() -> ReportData:
    """A cell of which two lines are compiled, with a print in its loop."""
    text = SOURCE.splitlines()

    def source(line: int) -> str:
        return text[line - 1].strip()

    return ReportData(
        lines=(
            LineReport(
                3, 3, source(3), "compiled", region=0, assigns=(Assignment("v", "float64", (100,)),)
            ),
            LineReport(4, 4, source(4), "python", "control flow"),
            LineReport(
                5,
                5,
                source(5),
                "compiled",
                region=1,
                assigns=(Assignment("lap", "float64", (98,)),),
            ),
            LineReport(6, 6, source(6), "compiled", region=1),
            LineReport(7, 7, source(7), "host", "print shows a value", "print after the loop"),
            LineReport(8, 8, source(8), "host", "the caller's array is read-only"),
        ),
        breaks=(BreakPoint(7, 4, "print", "print shows a value", "print after the loop"),),
        regions=(
            RegionReport(
                0,
                (3, 3),
                "numpy",
                "u: float64[100]",
                1,
                1,
                {"numpy_us": 1.0, "compiled_us": 3.0},
                "NumPy is faster here",
            ),
            RegionReport(
                1,
                (5, 6),
                "inductor",
                "u: float64[100], alpha: python float",
                1,
                1,
                {"trace_ms": 1.25, "compile_ms": 812.0, "numpy_us": 26.0, "compiled_us": 4.0},
            ),
        ),
        graph=CapturedGraph((heat(),), (Graph("aten", heat().inputs),)),
        source=SOURCE,
    )


def hostile_report() -> ReportData:
    """Every string in it is hostile."""
    return ReportData(
        device=HOSTILE,
        lines=(
            LineReport(2, 2, HOSTILE, "compiled", assigns=(Assignment(HOSTILE, HOSTILE, (1,)),)),
            LineReport(3, 3, HOSTILE, "host", HOSTILE, HOSTILE),
            LineReport(4, 4, HOSTILE, "python", HOSTILE),
        ),
        breaks=(BreakPoint(3, 2, HOSTILE, HOSTILE + "!", HOSTILE),),
        regions=(RegionReport(0, (2, 3), HOSTILE, HOSTILE, note=HOSTILE),),
        graph=CapturedGraph((hostile(),), (hostile(),)),
        source="%%npcompile\n" + HOSTILE.replace("\n", " ") * 3 + "\n" + HOSTILE,
    )


def timed() -> ReportData:
    """A region of two lines and one kernel, at 1 GB/s."""
    x = Node(0, "input", name="x", types=(vector(1000),))
    nodes = (
        Node(1, "numpy.sin", (Ref(0),), types=(vector(1000),), position=Position(2, 4)),
        Node(2, "numpy.add", (Ref(1), 1), types=(vector(1000),), position=Position(3, 4)),
    )
    kernel = Node(3, "kernel.sin · add", (Ref(0),), fuses=(1, 2), moves=16_000)
    return ReportData(
        lines=(
            LineReport(2, 2, "y = np.sin(x)", "compiled", region=0),
            LineReport(3, 3, "z = y + 1", "compiled", region=0),
        ),
        regions=(
            RegionReport(
                0, (2, 3), "inductor", segments=1, timings={"numpy_us": 80.0, "compiled_us": 32.0}
            ),
        ),
        graph=CapturedGraph(
            (Graph("numpy", (x,), nodes),), (), (), (Graph("kernels", (x,), (kernel,)),)
        ),
        timing=Timing(1e9, (LineTime(2, 60.0, 16_000), LineTime(3, 15.0, 16_000))),
    )
