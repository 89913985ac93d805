"""What can be recorded: the statements of a region, in their instrumented form."""

from __future__ import annotations

import ast
import types
from typing import Protocol

from jupyter_npcompile.cell import Region, region_code
from jupyter_npcompile.graph.nodes import Position


class Traceable(Protocol):
    """What can be recorded: a region, or a single call."""

    count: int
    lines: tuple[int, int]

    def code(self, start: int) -> tuple[types.FunctionType, tuple[str, ...]]:
        """The instrumented statements from ``start`` on, and their inputs."""

    def live(self, start: int, stop: int) -> tuple[str, ...]:
        """Names that must be bound after statements ``start`` to ``stop - 1``."""

    def written(self, start: int) -> frozenset[str]:
        """Names of what the statements from ``start`` on may write into."""

    def statement_at(self, position: Position) -> int | None:
        """The statement that holds a position."""

    def taken(self, index: int) -> tuple[str, ...] | None:
        """Names that the skeleton takes for a statement; None for ``return``."""


class RegionCode:
    """The instrumented form of a region.

    Parameters
    ----------
    region : Region
        The region.
    """

    def __init__(self, region: Region) -> None:
        self.region = region
        self.count = len(region.statements)
        self.lines = region.lines
        self._codes: dict[int, tuple[types.FunctionType, tuple[str, ...]]] = {}
        self._taken = [
            None if statement.kind == "return" else region.taken(statement.index)
            for statement in region.statements
        ]

    def code(self, start: int) -> tuple[types.FunctionType, tuple[str, ...]]:
        """The instrumented statements from ``start`` on, and their inputs."""
        if start not in self._codes:
            made = region_code(self.region, start, "<recording>")
            self._codes[start] = types.FunctionType(made.code, {}), made.parameters
        return self._codes[start]

    def live(self, start: int, stop: int) -> tuple[str, ...]:
        """Names that must be bound after statements ``start`` to ``stop - 1``."""
        return self.region.live(start, stop)

    def written(self, start: int) -> frozenset[str]:
        """Names of what the statements from ``start`` on may write into."""
        found = set()
        for statement in self.region.statements[start:]:
            node = statement.node
            targets = node.targets if isinstance(node, ast.Assign) else []
            if isinstance(node, ast.AugAssign):
                targets = [node.target]
                if isinstance(node.target, ast.Name):
                    found.add(node.target.id)
            for target in targets:
                while isinstance(target, ast.Subscript | ast.Attribute):
                    target = target.value
                    if isinstance(target, ast.Name):
                        found.add(target.id)
        return frozenset(found)

    def statement_at(self, position: Position) -> int | None:
        """The statement that holds a position."""
        for statement in self.region.statements:
            node: ast.stmt = statement.node
            first = (node.lineno, node.col_offset)
            last = (node.end_lineno or node.lineno, node.end_col_offset or 0)
            if first <= (position.line, position.column) <= last:
                return statement.index
        return None

    def taken(self, index: int) -> tuple[str, ...] | None:
        """Names that the skeleton takes for a statement; None for ``return``."""
        return self._taken[index]
