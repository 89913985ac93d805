"""Cells and functions as subjects of a report."""

from __future__ import annotations

import ast
from typing import Any, Protocol, runtime_checkable

import numpy as np

from jupyter_npcompile.cell import Line, SourceUnavailable, definition
from jupyter_npcompile.graph import ReportData
from jupyter_npcompile.runtime.call_handle import CallHandle
from jupyter_npcompile.runtime.cells import CellHandle
from jupyter_npcompile.runtime.function_handle import FunctionHandle
from jupyter_npcompile.runtime.reporting import Subject, report
from jupyter_npcompile.runtime.state import RegionState
from jupyter_npcompile.runtime.work import numpy_call


@runtime_checkable
class Own(Protocol):
    """What knows its report itself: a cell that was differentiated."""

    def report(self) -> ReportData:
        """The report."""


_ARRAY = np.empty(0)
"""Stands for an array that is gone."""

_PLAIN = frozenset({"builtins", "math"})
"""Modules of C functions that know no arrays."""

Handle = CellHandle | FunctionHandle | CallHandle | Own


def report_of(handle: Handle) -> ReportData:
    """The report of a cell or function as of now.

    Parameters
    ----------
    handle : CellHandle, FunctionHandle, CallHandle or Own
        What ran.
    """
    if isinstance(handle, CellHandle):
        return report(_cell(handle))
    if isinstance(handle, FunctionHandle):
        return report(_function(handle))
    if isinstance(handle, Own):
        return handle.report()
    return report(_call(handle))


def states_of(handle: Handle) -> list[RegionState]:
    """The regions of a cell, those of its functions included, or of a function."""
    if isinstance(handle, CallHandle):
        return [handle.state]
    if isinstance(handle, FunctionHandle):
        return list(handle.states)
    if isinstance(handle, Own):
        return []
    return [*handle.states, *(state for made in handle.functions for state in made.states)]


def _cell(handle: CellHandle) -> Subject:
    states: dict[tuple[int | None, int], Any] = {
        (None, number): state for number, state in enumerate(handle.states)
    }
    loops: dict[int | None, Any] = {None: handle.loops}
    for index, function in enumerate(handle.functions):
        loops[index] = function.loops
        for number, state in enumerate(function.states):
            states[index, number] = state
    return Subject(
        body=handle.body,
        lines=handle.program.lines,
        states=states,
        loops=loops,
        namespace=handle.namespace,
        source=handle.source,
        device=handle.options.device,
        filenames=frozenset(handle.filenames).union(*(f.filenames for f in handle.functions)),
    )


def _function(handle: FunctionHandle) -> Subject:
    node = handle.program.node
    last = node.end_lineno or node.lineno
    lines = handle.source.lines[handle.program.first_line - 1 : last]
    return Subject(
        body=node.body,
        lines=handle.program.lines,
        states={(None, number): state for number, state in enumerate(handle.states)},
        loops={None: handle.loops},
        namespace={**handle.namespace, **_locals(handle)},
        source="\n".join(lines),
        first_line=handle.program.first_line,
        device=handle.options.device,
        filenames=frozenset(handle.filenames),
    )


def _locals(handle: FunctionHandle) -> dict[str, Any]:
    """Stand-ins for the variables of a function that were seen to hold arrays."""
    found: dict[str, Any] = {}
    for state in handle.states:
        for plan in state.used.values():
            recording = plan.recording
            kinds = [(node.name, node.type) for node in recording.graph.inputs]
            kinds += [(name, kind) for _, name, kind in recording.assigned]
            found |= {name: _ARRAY for name, kind in kinds if kind.kind == "array"}
    return found


def _call(handle: CallHandle) -> Subject:
    name = getattr(handle.function, "__name__", type(handle.function).__name__)
    if not name.isidentifier():  # <lambda>
        name = "function"
    source = f"{name}(*args, **kwargs)"
    return Subject(
        body=ast.parse(source).body,
        lines=(Line(1, 1, source, "region", region=0, statement=0),),
        states={(None, 0): handle.state},
        loops={},
        namespace={},
        source=source,
        device=handle.options.device,
        hides_work=_computes(handle.function),
    )


def _computes(function: Any) -> bool:
    """Whether a callable computes with arrays, or nobody can tell."""
    try:
        node = definition(function).node
    except SourceUnavailable:
        return getattr(function, "__module__", None) not in _PLAIN
    names = getattr(function, "__func__", function).__globals__
    return any(
        isinstance(part, ast.BinOp | ast.UnaryOp | ast.AugAssign)
        or (isinstance(part, ast.Call) and numpy_call(part, names) is not None)
        for part in ast.walk(node)
    )
