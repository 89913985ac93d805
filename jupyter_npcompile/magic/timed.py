"""``%%timeit``: what it times is compiled as a function of its own, see `cell.timed`.

IPython asks for the rewritten tree of its setup, then for that of its body, and puts them into

    def inner(_it, _timer):
        setup
        _t0 = _timer()
        for _i in _it:
            body
        _t1 = _timer()
        return _t1 - _t0

Only who asks tells that, so we look who it is, by its code: it may have other names.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import itertools
import sys
from collections.abc import Callable
from dataclasses import replace
from types import FrameType, FunctionType
from typing import Any, Literal

from IPython.core.magics.execution import ExecutionMagics

from jupyter_npcompile.cell import SourceText, build_function, callees
from jupyter_npcompile.cell.names import loaded
from jupyter_npcompile.cell.syntax import assign, call, clone, load, point, store
from jupyter_npcompile.cell.timed import NAME, Timed, timed
from jupyter_npcompile.runtime.devices import CPU
from jupyter_npcompile.runtime.function_handle import FunctionHandle
from jupyter_npcompile.runtime.helpers import worth_picking
from jupyter_npcompile.runtime.policy import Options

TIMEIT = inspect.unwrap(ExecutionMagics.timeit).__code__
"""What asks."""

FILE = "<magic-timeit>"
"""What IPython calls the file of its function."""

NEAR = 6
"""How many frames it is away, at the most."""

MOST = 32
"""Bodies whose compiled forms are kept for when they are timed again."""

Timer = Callable[[], float]

_numbers = itertools.count(1)


class TimedCell:
    """A body that is timed.

    Parameters
    ----------
    function : types.FunctionType
        It, compiled.
    handle : FunctionHandle
        What stands behind that.
    name : str
        What it is called by.
    call : tuple of ast.stmt
        What stands in its place.
    """

    def __init__(
        self, function: FunctionType, handle: FunctionHandle, name: str, call: tuple[ast.stmt, ...]
    ) -> None:
        self.function = function
        self.handle = handle
        self.name = name
        self._call = call
        self._runs = 0

    @property
    def tree(self) -> ast.Module:
        """What runs in place of the body, once more."""
        return ast.Module([clone(statement) for statement in self._call], [])

    def enter(self) -> None:
        """Make the function visible to IPython's, and to nothing else. It may time itself."""
        self._runs += 1
        setattr(builtins, self.name, self.function)
        setattr(builtins, _clock(self.name), self._clock)

    def leave(self) -> None:
        """Take it away again."""
        self._runs -= 1
        if self._runs:
            return
        for name in (self.name, _clock(self.name)):
            vars(builtins).pop(name, None)

    def _clock(self, timer: Timer) -> Timer:
        """A timer that stands still while something is compiled, checked or recorded."""
        allowance = self.handle.rest.allowance
        return lambda: timer() - allowance.lost


class TimedCells:
    """Finds out what is timed, and keeps what was compiled for it."""

    def __init__(self) -> None:
        self._asking: FrameType | None = None
        self._setup = ast.Module([], [])
        self._known: dict[tuple[Any, ...], TimedCell] = {}

    def part(self, tree: ast.Module) -> Literal["setup", "body", ""]:
        """Which part of what is timed a tree is, that is to be rewritten; empty if it is none."""
        asking, before = timeit_frame(), self._asking
        self._asking = None
        if asking is None:
            return ""
        if asking is before:
            return "body"
        self._asking, self._setup = asking, tree
        return "setup"

    def forget(self) -> None:
        """Let go of all that was compiled."""
        self._known.clear()

    def cell(
        self,
        tree: ast.Module,
        source: str,
        options: Options,
        names: dict[str, Any],
        flags: int = 0,
    ) -> TimedCell:
        """What runs in place of the body that was asked for last.

        Parameters
        ----------
        tree : ast.Module
            The body.
        source : str
            Its text, to which the positions refer.
        options : Options
            How it is compiled.
        names : dict of str to object
            The notebook's.
        flags : int
            What cells of the notebook have imported from ``__future__``.

        Raises
        ------
        NotTraceable
            If it means something else in a function of its own.
        """
        setup, self._setup = self._setup, ast.Module([], [])
        picks = worth_picking(callees(tree.body, in_function=True), names, unknown=True)
        texts = ast.dump(setup), ast.dump(tree, include_attributes=True), source
        classes = frozenset(it for it in loaded(tree.body) if isinstance(names.get(it), type))
        key = (*texts, options, picks, classes, id(names), flags)
        known = self._known.pop(key, None)
        if known is None:
            name = f"__npcompile_timed_{next(_numbers)}__"
            made = timed(setup.body, tree.body, name, classes)
            known = TimedCell(
                *_compiled(made, source, options, picks, names, flags), name, made.call
            )
        self._known[key] = known
        while len(self._known) > MOST:
            self._known.pop(next(iter(self._known)))
        if options.ahead:
            place = point(tree.body[0])
            told = call(load(_clock(known.name), place), [load("_timer", place)], place)
            setup.body.append(assign(store("_timer", place), told, place))
        return known


def _compiled(
    made: Timed,
    source: str,
    options: Options,
    picks: frozenset[str],
    names: dict[str, Any],
    flags: int,
) -> tuple[FunctionType, FunctionHandle]:
    """The function with guarded code, and what stands behind it."""
    held: dict[str, Any] = {}
    module = ast.fix_missing_locations(ast.Module([made.definition], []))
    exec(compile(module, FILE, "exec", flags, dont_inherit=True), names, held)
    text = SourceText.of(source)
    program = build_function(made.definition, text=text, tells=options.device != CPU, picks=picks)
    if made.returns:
        program = replace(program, lines=program.lines[:-1])  # nobody has written that
    handle = FunctionHandle(program, options, text)
    return handle.attach(held[NAME]), handle


def _clock(name: str) -> str:
    return f"{name}clock__"


def timeit_frame() -> FrameType | None:
    """The run of ``timeit`` that has asked for what happens now; None where something else has.

    Examples
    --------
    >>> timeit_frame() is None
    True
    """
    frame: FrameType | None = sys._getframe(1)
    for _ in range(NEAR):
        if frame is None or frame.f_code is TIMEIT:
            return frame
        frame = frame.f_back
    return None


def in_cell(text: str, is_marked: bool, raw: str) -> tuple[str, int]:
    r"""The text of a cell of which some code is the last part, and how its lines are counted there.

    Parameters
    ----------
    text : str
        The code.
    is_marked : bool
        Whether its first line is our magic line, which may stand further up in the cell.
    raw : str
        The cell.

    Returns
    -------
    text : str
        That of the cell; the code itself where the cell does not end with it.
    shift : int
        What is added to the numbers of lines.

    Examples
    --------
    >>> in_cell("%%npcompile\ny = x", True, "%%npcompile\n%%timeit x = 1\ny = x\n")
    ('%%npcompile\n%%timeit x = 1\ny = x', 1)
    >>> in_cell("x + 1", False, "%timeit x + 1")
    ('x + 1', 0)
    """
    body, whole = text.rstrip().split("\n")[is_marked:], raw.rstrip().split("\n")
    above = len(whole) - len(body)
    ends = [line.strip() for line in whole[above:]] == [line.strip() for line in body]
    if not body or above < is_marked or not ends:
        return text, 0
    return "\n".join([*whole[:above], *body]), above - is_marked
