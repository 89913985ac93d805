"""The timing view: what is measured, what is a bound, and how both are shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from jupyter_npcompile.graph import LineReport, Node, Ref, RegionReport, ReportData
from jupyter_npcompile.graph.facts import level_facts
from jupyter_npcompile.graph.flops import Flops
from jupyter_npcompile.graph.kernels import CHECKS
from jupyter_npcompile.graph.outline import outline
from jupyter_npcompile.graph.timing import NodeTime, time_rows
from jupyter_npcompile.runtime import history
from jupyter_npcompile.runtime.subjects import report_of
from jupyter_npcompile.runtime.timing import measure
from jupyter_npcompile.views.drawing import drawings
from jupyter_npcompile.views.html import to_html
from jupyter_npcompile.views.svg import to_svg
from jupyter_npcompile.views.text import to_text
from tests.magic.test_magic import Shell
from tests.support.graph_examples import HOSTILE, timed


def test_rows() -> None:
    region, two, three, kernel = time_rows(timed())
    assert (region.kind, region.moves, region.bound_us, region.share) == (
        "region", 16_000, 16.0, 0.5
    )  # fmt: skip
    assert (two.title, two.numpy_us, three.lines) == ("y = np.sin(x)", 60.0, (3,))
    assert (kernel.title, kernel.lines, kernel.bound_us) == ("sin · add", (2, 3), 16.0)


def test_lines_belong_to_the_innermost_region() -> None:
    report = timed()
    loop = RegionReport(1, (1, 3), "numpy", note="no native loop")
    kinds = [row.kind for row in time_rows(replace(report, regions=(*report.regions, loop)))]
    assert kinds == ["region", "line", "line", "kernel"]


def test_without_a_bandwidth_there_is_no_bound() -> None:
    report = replace(timed(), timing=None)
    assert [row.bound_us for row in time_rows(report)] == [None, None]
    assert "Timing" not in to_html(report)
    assert outline(report)["timing"]["bandwidth"] is None


def test_it_stands_in_the_static_views_and_in_the_data() -> None:
    report = timed()
    text = " ".join(to_text(report).split())
    region = (
        "lines 2-3 inductor NumPy 80 µs, compiled 32 µs, moves 16 kB, 500 MB/s, bound 16 µs (50%)"
    )
    assert region in text
    assert "line 2 y = np.sin(x) NumPy 60 µs" in text
    assert "lines 2, 3 kernel sin · add moves 16 kB, bound 16 µs" in text
    assert "Kernels without a time are part of that of their region." in text
    page = to_html(report)
    assert "1 GB/s" in page
    assert 'aria-label="NumPy 80 µs, compiled 32 µs, bound 16 µs"' in page
    assert ReportData.from_dict(report.to_dict()) == report
    assert len(outline(report)["timing"]["rows"]) == 4


def test_a_few_bytes_bound_nothing() -> None:
    report = timed()
    (made,) = report.graph.kernels
    checks = Node(4, CHECKS, moves=1)
    graph = replace(report.graph, kernels=(replace(made, nodes=(*made.nodes, checks)),))
    rows = time_rows(replace(report, graph=graph))
    assert (rows[-1].title, rows[-1].moves, rows[-1].bound_us) == ("checks", 1, None)


def test_single_nodes_have_times() -> None:
    report = timed()
    assert report.timing is not None
    report.timing = replace(report.timing, nodes=(NodeTime("numpy", 0, 1, 60.0),))
    assert ReportData.from_dict(report.to_dict()) == report
    sine = "sin(x)      # 2:4, 1.0 kFLOP, 60 µs"
    assert sine in to_text(report)
    assert sine in to_html(report)
    numpy, kernels = outline(report)["levels"]
    known = {box["title"]: box for box in (*numpy["boxes"], *kernels["boxes"])}
    assert (known["sin"]["flops"], known["sin"]["us"]) == (1000, 60.0)
    assert known["sin"]["rule"] == "1 for each element"
    assert "us" not in known["add(·, 1)"]
    assert known["sin · add"]["flops"] == 2000
    shared = {group["time"] for group in kernels["groups"] if group["kind"] == "segment"}
    assert shared == {"part of lines 2-3: NumPy 80 µs, compiled 32 µs"}


def test_a_library_call_among_the_kernels_has_numpys_time() -> None:
    report = timed()
    call = Node(4, "numpy.sin", (Ref(0),), fuses=(1,), moves=16_000)
    (made,) = report.graph.kernels
    report.graph = replace(report.graph, kernels=(replace(made, nodes=(call,)),))
    assert report.timing is not None
    report.timing = replace(report.timing, nodes=(NodeTime("numpy", 0, 1, 60.0),))
    (found,) = level_facts(report, "kernels")
    assert (found[4].us, found[4].flops) == (60.0, Flops(1000, "1 for each element"))


def test_kernels_with_times() -> None:
    report = timed()
    assert report.timing is not None
    report.timing = replace(report.timing, nodes=(NodeTime("kernels", 0, 3, 20.0),))
    *_, kernel = time_rows(report)
    assert (kernel.compiled_us, kernel.share, kernel.rate) == (20.0, 0.8, "800 MB/s")
    text = " ".join(to_text(report).split())
    shown = "kernel sin · add compiled 20 µs, moves 16 kB, 800 MB/s, bound 16 µs (80%)"
    assert shown in text
    assert "2.0 kFLOP, 20 µs, 800 MB/s, 80% of the bound" in text
    assert "Kernels without a time" not in text
    page = to_html(report)
    assert 'aria-label="compiled 20 µs, bound 16 µs"' in page
    assert "Kernels without a time" not in page
    for svg in (
        drawings(report, "kernels")[0],
        to_svg(report.graph.kernels[0], notes={3: "20 µs"}),
    ):
        assert "moves 16 kB · 20 µs" in svg
    *_, kernels = outline(report)["levels"]
    (box,) = (box for box in kernels["boxes"] if box["title"] == "sin · add")
    assert (box["us"], box["rate"]) == (20.0, "800 MB/s, 80% of the bound")


def test_operations_in_helper_functions_belong_to_the_line_of_the_call() -> None:
    report = timed()
    (numpy,) = report.graph.numpy
    inside = tuple(replace(node, scope="helper") for node in numpy.nodes)
    report.graph = replace(report.graph, numpy=(replace(numpy, nodes=inside),))
    *_, kernel = time_rows(report)
    assert (kernel.kind, kernel.lines) == ("kernel", (2, 3))
    for level in outline(report)["levels"]:
        assert {box["line"] for box in level["boxes"] if box["kind"] == "operation"} <= {2, 3}


def test_hostile_and_many() -> None:
    report = timed()
    lines = tuple(LineReport(2, 2, HOSTILE, "compiled", region=0) for _ in range(2))
    page = to_html(replace(report, lines=lines))
    assert "<script" not in page
    regions = tuple(replace(report.regions[0], id=n, lines=(n, n)) for n in range(2, 2000))
    page = to_html(replace(report, regions=regions))
    assert "more rows" in page
    assert len(page.encode()) < 200_000


@pytest.fixture
def shell() -> Iterator[Shell]:
    made = Shell()
    yield made
    made.ip.run_line_magic("unload_ext", "jupyter_npcompile")


CELL = """%%npcompile --quiet
y = np.sin(x) * 2
x[1:] += 1.0
noise = rng.normal(size=3) + 1
z = np.sort(y)"""


def test_lines_are_measured_on_copies(
    shell: Shell, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jupyter_npcompile.runtime.timing.bandwidth", lambda: 1e9)
    shell.ip.run_cell("import numpy as np\nx = np.ones(50)\nrng = np.random.default_rng(0)")
    shell.run(CELL)
    x, state = shell.ip.user_ns["x"].copy(), shell.ip.user_ns["rng"].bit_generator.state
    shell.ip.run_line_magic("npcompile", "timing")
    out = capsys.readouterr().out
    assert "np.sin(x) * 2" in out
    assert "z = np.sort(y)" in out
    assert "1 GB/s" in out
    assert (shell.ip.user_ns["x"] == x).all()
    assert shell.ip.user_ns["rng"].bit_generator.state == state
    # Each operation of the report has a time of its own.
    numpy = report_of(history.last()).graph.numpy
    times = measure(history.last()).nodes
    assert {(one.segment, one.node) for one in times} == {
        (place, node.id) for place, graph in enumerate(numpy) for node in graph.nodes
    }
    assert all(one.us > 0 for one in times)
    # What a helper computes counts for the line of its call.
    shell.ip.run_cell("def helper(a):\n    return np.sin(a)")
    shell.run("%%npcompile --quiet\n\ny = helper(x)")
    assert [line.line for line in measure(history.last()).lines] == [3]
    shell.run(CELL)
    # What a cell read may be something else by now.
    shell.ip.run_cell("x = None")
    shell.ip.run_line_magic("npcompile", "timing")
    assert "not measured from line 2 on: what it starts from has changed" in capsys.readouterr().out
