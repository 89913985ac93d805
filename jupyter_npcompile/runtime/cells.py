"""A compiled cell: its program, its regions, and what is remembered for the next run."""

from __future__ import annotations

import ast
import builtins
import itertools
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from jupyter_npcompile.cell import CellProgram, SourceText, build_cell
from jupyter_npcompile.runtime.frame import ModuleFrame
from jupyter_npcompile.runtime.functions import FunctionHandle
from jupyter_npcompile.runtime.pauses import Rest
from jupyter_npcompile.runtime.policy import Options
from jupyter_npcompile.runtime.state import RegionState
from jupyter_npcompile.runtime.traceable import RegionCode

MAX_CELLS = 500
"""Cells whose plans are remembered for when they run again."""

_numbers = itertools.count(1)


@dataclass
class Remembered:
    """What one run of a cell leaves for the next.

    Parameters
    ----------
    states : list of RegionState
        The plans of its regions.
    functions : list of FunctionHandle
        The functions that it defines.
    filenames : set of str
        The names that its code has had: IPython gives it a new one each time.
    runs : int
        How often it has run.
    """

    states: list[RegionState]
    functions: list[FunctionHandle]
    filenames: set[str] = field(default_factory=set)
    runs: int = 0


_known: dict[tuple[str, str, Options], Remembered] = {}


class CellHandle(ModuleFrame):
    """What the guards of a cell ask, for one run of the cell.

    Parameters
    ----------
    source : str
        The cell, its magic line included.
    program : CellProgram
        Its skeleton and regions.
    kept : Remembered
        Plans and functions from earlier runs of the same cell.
    options : Options
        How it is compiled.
    name : str
        Builtin name under which the skeleton finds this object.
    body : list of ast.stmt
        The original statements.
    """

    __slots__ = (
        *("body", "filenames", "functions", "name", "namespace", "options", "program", "source"),
        "states",
    )

    def __init__(
        self,
        source: str,
        program: CellProgram,
        kept: Remembered,
        options: Options,
        name: str,
        body: list[ast.stmt],
    ) -> None:
        super().__init__(kept.states, Rest(program.loops))
        kept.runs += 1
        self._rest.allowance.begin(kept.runs)
        for state in kept.states:
            state.rest = self._rest
        self.source = source
        self.program = program
        self.states = kept.states
        self.functions = kept.functions
        self.filenames = kept.filenames
        self.options = options
        self.name = name
        self.body = body
        self.namespace: dict[str, Any] = {}

    def at(self, region: int, index: int, frame: FrameType | None = None) -> bool:
        """Whether statement ``index`` of a region must run natively."""
        frame = frame or sys._getframe(1)
        self.filenames.add(frame.f_code.co_filename)
        if frame.f_locals is not frame.f_globals:
            return True  # %%timeit runs the cell as the body of a function
        return super().at(region, index, frame)

    def define(self, index: int) -> Callable[[types.FunctionType], types.FunctionType]:
        """The decorator that turns a definition of the cell into a compiled function."""
        return self.functions[index].attach

    def enter(self) -> None:
        """Make the handle visible to the cell's code, and to nothing else."""
        setattr(builtins, self.name, self)

    def leave(self) -> None:
        """Take it away again."""
        if getattr(builtins, self.name, None) is self:
            delattr(builtins, self.name)


def compile_cell(
    tree: ast.Module,
    source: str,
    options: Options,
    *,
    display_last: bool = True,
    display_all: bool = False,
) -> CellHandle:
    """Split a cell into skeleton and regions and get it ready to run.

    Parameters
    ----------
    tree : ast.Module
        The parsed cell, without its magic line.
    source : str
        Its text, with the magic line, to which the positions refer.
    options : Options
        How it is compiled.
    display_last : bool
        Whether the last expression is displayed.
    display_all : bool
        Whether every expression is.
    """
    name = f"__npcompile_{next(_numbers)}__"
    program = build_cell(
        tree, source, handle=name, display_last=display_last, display_all=display_all
    )
    shown = str((display_last, display_all))
    key = (source, ast.dump(tree, include_attributes=True) + shown, options)
    if options.trial is not None:
        kept = _fresh(program, source, options)
    else:
        if key not in _known:
            while len(_known) >= MAX_CELLS:
                _known.pop(next(iter(_known)))
            _known[key] = _fresh(program, source, options)
        kept = _known[key]
    for state in kept.states:
        state.begin()
    return CellHandle(source, program, kept, options, name, tree.body)


def _fresh(program: CellProgram, source: str, options: Options) -> Remembered:
    """States without plans for the regions and functions of a cell."""
    text = SourceText.of(source)
    return Remembered(
        [RegionState(RegionCode(region), options) for region in program.regions],
        [FunctionHandle(made.program, options, text) for made in program.functions],
    )


def forget() -> None:
    """Forget the plans of every cell."""
    _known.clear()
