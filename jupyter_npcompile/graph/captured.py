"""Everything that was captured of a cell or function: graphs by level and segment."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import chain, repeat
from typing import get_args

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph import dot, serial, text
from jupyter_npcompile.graph.nodes import Graph, Level

SCHEMA_VERSION = 1
"""Version of the JSON that reports and captured graphs are written as."""


@dataclass(frozen=True, slots=True)
class CapturedGraph:
    """The captured graph of a cell or function: one `Graph` per segment and level.

    Parameters
    ----------
    numpy : tuple of Graph
        Each segment at the NumPy level.
    aten : tuple of Graph
        Each segment at the ATen level, in the same order.
    backward : tuple of Graph
        What computes gradients, at the ATen level, where something was differentiated.
    kernels : tuple of Graph
        What the compiler made of each segment, in the same order, then native loops.

    Examples
    --------
    >>> print(CapturedGraph().to_text())
    nothing was captured
    """

    numpy: tuple[Graph, ...] = ()
    aten: tuple[Graph, ...] = ()
    backward: tuple[Graph, ...] = ()
    kernels: tuple[Graph, ...] = ()

    def level(self, level: str) -> tuple[Graph, ...]:
        """Graphs of one level.

        Raises
        ------
        ValueError
            If there is no such level; the message names those there are.
        """
        if level not in get_args(Level):
            known = ", ".join(map(repr, get_args(Level)))
            raise ValueError(f"unknown level {level!r}: the levels are {known}")
        graphs: tuple[Graph, ...] = getattr(self, level)
        return graphs

    def to_text(
        self,
        level: str = "numpy",
        notes: Iterable[Mapping[int, str]] = (),
        *,
        most: int | None = None,
    ) -> str:
        """Stable, readable text; segments are told apart by a heading.

        Parameters
        ----------
        level : str
            Which one.
        notes : iterable of mapping of int to str
            For each segment, what else is said of its nodes, by id.
        most : int, optional
            How many lines are written, from the first on.
        """
        count = len(self._written(level))
        if not count:
            return "nothing was captured" if level != "kernels" else "nothing was compiled"
        lines: list[str] = []
        place = 0
        for graph, known in zip(self.level(level), chain(notes, repeat({})), strict=False):
            if not _is_written(graph):
                continue
            place += 1
            if count > 1:
                lines += [*([""] if lines else []), f"segment {place} of {count}"]
            lines += text.to_text(graph, known, most=most).split("\n")
            if most is not None and len(lines) >= most:
                break
        return "\n".join(lines[:most])

    def height(self, level: str = "numpy") -> int:
        """How many lines the text of a level has.

        Examples
        --------
        >>> CapturedGraph().height()
        1
        """
        shown = self._written(level)
        between = 2 * len(shown) - 1 if len(shown) > 1 else 0
        return max(sum(map(text.height, shown)) + between, 1)

    def _written(self, level: str) -> list[Graph]:
        return [graph for graph in self.level(level) if _is_written(graph)]

    def to_json(self, level: str = "numpy") -> str:
        """JSON text: ``schema``, ``level`` and the ``segments`` at that level."""
        segments = [serial.to_json(graph) for graph in self.level(level)]
        document = {"schema": SCHEMA_VERSION, "level": level, "segments": segments}
        return json.dumps(document, allow_nan=False)

    def to_dot(self, level: str = "numpy") -> str:
        """DOT source for Graphviz, one box per operation, grouped by source line."""
        return dot.to_dot(self.level(level))


def _is_written(graph: Graph) -> bool:
    """Whether the text shows it: NumPy runs segments of which there are no kernels."""
    return bool(graph.nodes) or graph.level != "kernels"
