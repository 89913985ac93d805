"""The cell program: a skeleton of ordinary Python plus regions, as plain data."""

from __future__ import annotations

import ast
from typing import Literal

from jupyter_npcompile.cell.reach import Reach
from jupyter_npcompile.cell.syntax import SourceText
from jupyter_npcompile.dataclass import dataclass

Scope = Literal["module", "shown", "function"]
"""Where a region stands: at module level, in a function, or at the level of a
module of which every expression is displayed."""

StatementKind = Literal["assign", "augassign", "annassign", "expr", "return", "display"]
"""What a guarded statement is. ``display`` is the last expression of a cell."""

Role = Literal["region", "skeleton", "definition"]
"""The part a statement plays in the program."""


TOO_DEEP = "nested too deeply"
"""Reason of code whose expressions have more levels than Python can walk."""


class NotTraceable(Exception):  # noqa: N818 - it names a verdict, not a mistake
    """Code that cannot be compiled or instrumented, with the reason.

    Parameters
    ----------
    reason : str
        A short reason, for the report.
    line, column : int
        Where, in the code's own source; columns are in characters.
    """

    def __init__(self, reason: str, line: int = 0, column: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """One guarded statement of a region.

    Parameters
    ----------
    index : int
        Its place in the region.
    node : ast.stmt
        The original statement, never changed.
    line, end_line : int
        Its first and last line.
    reads : tuple of str
        Names read before the statement binds them, in order of evaluation.
    targets : tuple of str
        Names bound, in order.
    kind : str
        One of `StatementKind`.
    """

    index: int
    node: ast.stmt
    line: int
    end_line: int
    reads: tuple[str, ...]
    targets: tuple[str, ...]
    kind: StatementKind


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """A straight-line run of guarded statements at one nesting level.

    Parameters
    ----------
    id : int
        Its number, unique within its cell program or function program.
    scope : {"module", "shown", "function"}
        Where it stands.
    statements : tuple of Statement
        Its statements; at least one of them does some work.
    after : frozenset of str, optional
        Names that may be read once the region is over. None means all.
    text : SourceText
        The source the positions of the statements refer to.
    """

    id: int
    scope: Scope
    statements: tuple[Statement, ...]
    after: frozenset[str] | None
    text: SourceText

    @property
    def lines(self) -> tuple[int, int]:
        """First and last line of the region."""
        return self.statements[0].line, self.statements[-1].end_line

    def inputs(self, start: int = 0, stop: int | None = None) -> tuple[str, ...]:
        """Return the names that statements ``start`` to ``stop - 1`` need, in order."""
        needed: dict[str, None] = {}
        bound: set[str] = set()
        for statement in self.statements[start:stop]:
            needed.update((name, None) for name in statement.reads if name not in bound)
            bound.update(statement.targets)
        return tuple(needed)

    def targets(self, start: int = 0, stop: int | None = None) -> tuple[str, ...]:
        """Return the names that statements ``start`` to ``stop - 1`` bind, in order."""
        bound: dict[str, None] = {}
        for statement in self.statements[start:stop]:
            bound.update((name, None) for name in statement.targets)
        return tuple(bound)

    def live(self, start: int = 0, stop: int | None = None) -> tuple[str, ...]:
        """Return the names bound by these statements that may be read after them."""
        bound = self.targets(start, stop)
        if self.after is None:
            return bound
        rest = () if stop is None else self.statements[stop:]
        read = self.after.union(*(statement.reads for statement in rest))
        return tuple(name for name in bound if name in read)

    def taken(self, index: int) -> tuple[str, ...]:
        """Return the names that the skeleton takes for statement `index`.

        These are the live targets of that one statement. A segment that
        covers later statements too must have a value for each of them, also
        for those that nothing reads after the segment (any value will do).
        ``x = None`` takes its target in any case: it frees what that held.
        At module level nothing is taken: results go into the namespace.
        """
        if self.after is None:
            return ()
        statement = self.statements[index]
        if isinstance(statement.node, ast.Assign) and isinstance(
            statement.node.value, ast.Constant
        ):
            return statement.targets
        return self.live(index, index + 1)


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """A loop that has a twin.

    Parameters
    ----------
    id : int
        Its number, unique within its cell program or function program.
    node : ast.For or ast.While
        The loop as it was written, never changed.
    regions : range
        The regions in it.
    outer : int or None
        The loop around it that has a twin, if any.
    native : bool
        Whether its skeleton can leave it to native code.
    assigned : frozenset of str
        Names that it binds.
    names : tuple of str
        Those of them that are needed when it is over, or goes on.
    rebound : frozenset of str
        Those whose values before it cannot matter, see `rebound_names`.
    """

    id: int
    node: ast.For | ast.While
    regions: range
    outer: int | None
    native: bool
    assigned: frozenset[str]
    names: tuple[str, ...]
    rebound: frozenset[str] = frozenset()

    @property
    def lines(self) -> tuple[int, int]:
        """First and last line."""
        return self.node.lineno, self.node.end_lineno or self.node.lineno

    @property
    def comes_back(self) -> bool:
        """Whether its twin comes back from time to time, for a look at what was compiled."""
        return not self.node.orelse


@dataclass(frozen=True, slots=True)
class Line:
    """What became of one statement of the source.

    Parameters
    ----------
    line, end_line : int
        First and last line; only the header of a compound statement.
    source : str
        These lines.
    role : {"region", "skeleton", "definition"}
        The part the statement plays.
    region, statement : int, optional
        Region number and index in it, for guarded statements.
    function : int, optional
        Index into the functions of the cell program for the header and the
        body of a function that is compiled; region numbers in its body are
        those of the function program.
    reason : str, optional
        Why the statement stays in the skeleton.
    """

    line: int
    end_line: int
    source: str
    role: Role
    region: int | None = None
    statement: int | None = None
    function: int | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class FunctionProgram:
    """Skeleton and regions of one function.

    Parameters
    ----------
    name, qualname : str
        Name and qualified name that the code gets.
    node : ast.FunctionDef
        The original definition, never changed.
    first_line : int
        Line that the code gives as its first: the first decorator's, if any.
    factory : ast.Module
        A module with the function ``__factory__(handle, *free_names)`` that
        holds the rewritten definition; see `factory.function_code`.
    free_names : tuple of str
        Names that the function takes from enclosing functions.
    handle : str
        Name of the free variable that holds the handle object.
    regions : tuple of Region
        Its regions.
    lines : tuple of Line
        Every statement of its body.
    loops : tuple of Loop
        The loops that have a twin; see `twins`.
    reaches : tuple of Reach or None, or None
        What it tells of what runs outside regions, by number; None when it
        tells nothing.
    holds : bool
        Whether it tells of everything, and of its end, however it comes.
    picks : frozenset of str
        Names of functions that it asks its handle for.
    recurs : bool
        Whether it calls itself.
    follows : bool
        Whether it compares its defaults with those of the function it was made from.
    """

    name: str
    qualname: str
    node: ast.FunctionDef
    first_line: int
    factory: ast.Module
    free_names: tuple[str, ...]
    handle: str
    regions: tuple[Region, ...]
    lines: tuple[Line, ...]
    loops: tuple[Loop, ...] = ()
    reaches: tuple[Reach | None, ...] | None = None
    holds: bool = False
    picks: frozenset[str] = frozenset()
    recurs: bool = False
    follows: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class FunctionSource:
    """A definition of the cell that becomes a compiled function.

    Parameters
    ----------
    index : int
        Its number: the argument of ``handle.define``.
    name : str
        Its name.
    line, end_line : int
        First and last line.
    program : FunctionProgram
        Its skeleton and regions.
    """

    index: int
    name: str
    line: int
    end_line: int
    program: FunctionProgram


@dataclass(frozen=True, slots=True, eq=False)
class CellProgram:
    """A cell: its skeleton, its regions, its functions, and all its lines.

    Parameters
    ----------
    tree : ast.Module
        The skeleton, ready to be compiled.
    regions : tuple of Region
        The regions at module level; a region's number is its index here.
    functions : tuple of FunctionSource
        The definitions that become compiled functions.
    lines : tuple of Line
        Every statement of the cell, at any depth, in source order.
    loops : tuple of Loop
        The loops at module level that have a twin; see `twins`.
    reaches : tuple of Reach or None, or None
        What it tells of what runs outside regions, by number; None when it
        tells nothing.
    holds : bool
        Whether it tells of everything up to its end.
    picks : frozenset of str
        Names of functions that it asks its handle for.
    """

    tree: ast.Module
    regions: tuple[Region, ...]
    functions: tuple[FunctionSource, ...]
    lines: tuple[Line, ...]
    loops: tuple[Loop, ...] = ()
    reaches: tuple[Reach | None, ...] | None = None
    holds: bool = False
    picks: frozenset[str] = frozenset()
