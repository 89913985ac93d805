"""Native loops in a report: a region each, and the lines that ran in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jupyter_npcompile.graph import Graph, Node, Output, Position, Ref, RegionReport
from jupyter_npcompile.graph.kernels import LOOP
from jupyter_npcompile.loops.records import text_of
from jupyter_npcompile.runtime.loop_form import Form
from jupyter_npcompile.runtime.loop_state import LoopState

TIER = "native-loop"
"""How a loop runs that was compiled as a whole."""

WHOLE = "its function runs as one piece of native code"
"""What the note of a loop or region says then."""

Loops = Mapping[int | None, Sequence[LoopState]]
"""The loops of the functions of a cell, by index; None: of the cell itself."""


def shown(loops: Loops) -> list[tuple[int | None, LoopState]]:
    """The loops that a report has a region for: that ran natively, or were found not to.

    A loop in another one is shown when it had a turn of its own.
    """
    return [
        (function, state)
        for function, states in loops.items()
        for state in states
        if ran_natively(state) or (state.closed and state.entries)
    ]


def ran_natively(state: LoopState) -> bool:
    """Whether a loop has run natively, alone or with all of its function."""
    if state.rest.whole is not None and state.loop.outer is None:
        return True
    return state.best is not None and not state.gave_way


def native(loops: Loops, function: int | None, region: int) -> LoopState | None:
    """The loop in which a region ran natively, if it did."""
    for state in loops.get(function, ()):
        if region in state.loop.regions and ran_natively(state):
            return state
    return None


def holding(loops: Loops, function: int | None, line: int) -> bool:
    """Whether a line is in a loop that ran natively."""
    return any(
        state.loop.lines[0] <= line <= state.loop.lines[1] and ran_natively(state)
        for state in loops.get(function, ())
    )


def was_measured(loops: Loops, function: int | None, region: int | None) -> bool:
    """Whether Python ran a region so that native code could be compared and timed."""
    return any(
        region in state.loop.regions and any(form.selector.times for form in state.forms)
        for state in loops.get(function, ())
    )


def region_of(id: int, state: LoopState) -> RegionReport:
    """How a loop runs.

    Parameters
    ----------
    id : int
        Number of the region in the report.
    state : LoopState
        The loop.
    """
    whole = state.rest.whole
    if whole is not None:
        return region_of_whole(id, state.loop.lines, whole)
    form = state.best
    if form is None:
        return RegionReport(id, state.loop.lines, "numpy", note=f"no native loop: {state.closed}")
    timings: dict[str, float | None] = {"compile_ms": state.compile_seconds * 1e3}
    if form.selector.latest.python != float("inf"):
        timings["numpy_us"] = form.selector.latest.python * 1e6
        timings["compiled_us"] = form.selector.latest.native * 1e6
    notes = [f"{form.iterations} iterations, times are for one"]
    if state.rest.selector.note:
        notes.insert(0, state.rest.selector.note)
    if form.selector.lost:
        notes.append("Python is faster for some sizes")
    if state.note:
        notes.append(state.note)
    return RegionReport(
        id=id,
        lines=state.loop.lines,
        tier="numpy" if state.rest.selector.note else TIER,
        signature=form.code.signature,
        segments=1,
        artifacts=len(state.forms),
        timings=timings,
        note="; ".join(notes),
    )


def region_of_whole(id: int, lines: tuple[int, int], form: Form) -> RegionReport:
    """How a loop or region runs that is a part of a function in one piece.

    Parameters
    ----------
    id : int
        Number of the region in the report.
    lines : tuple of int
        Its first and last line.
    form : Form
        What runs.
    """
    return RegionReport(
        id=id,
        lines=lines,
        tier=TIER,
        signature=form.code.signature,
        segments=1,
        artifacts=1,
        note=WHOLE,
    )


def kernels(loops: Loops) -> list[Graph]:
    """The loops that ran natively, each as a graph of one kernel."""
    made = []
    for _, state in shown(loops):
        if ran_natively(state):
            form = state.rest.whole or state.best
            assert form is not None
            made.append(kernel(form, state.loop.lines[0]))
    return made


def kernel(form: Form, line: int, op: str = LOOP) -> Graph:
    """A native form as a graph of one kernel, which begins at a line."""
    code, place = form.code, Position(line, 0)
    names = [text_of(code.paths.get(name, (name,))) for name in code.inputs]
    inputs = tuple(Node(k, "input", name=name) for k, name in enumerate(names))
    written = tuple(node.id for node in inputs if node.name in code.written)
    id = len(inputs)
    reads = tuple(Ref(node.id) for node in inputs)
    whole = Node(id, op, reads, position=place, writes=written)
    outputs = tuple(Output(name, Ref(id)) for name in code.outputs if name.isidentifier())
    return Graph("kernels", inputs, (whole,), outputs, written)
