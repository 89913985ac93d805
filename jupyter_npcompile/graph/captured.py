"""Everything that was captured of a cell or function: graphs by level and segment."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

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

    def to_text(self, level: str = "numpy", notes: Sequence[Mapping[int, str]] = ()) -> str:
        """Stable, readable text; segments are told apart by a heading.

        Parameters
        ----------
        level : str
            Which one.
        notes : sequence of mapping of int to str
            For each segment, what else is said of its nodes, by id.
        """
        graphs = self.level(level)
        parts = [
            text.to_text(graph, notes[place] if place < len(notes) else None)
            for place, graph in enumerate(graphs)
            if graph.nodes or level != "kernels"  # NumPy runs the others
        ]
        if not parts:
            return "nothing was captured" if level != "kernels" else "nothing was compiled"
        if len(parts) == 1:
            return parts[0]
        return "\n\n".join(
            f"segment {place} of {len(parts)}\n{part}" for place, part in enumerate(parts, 1)
        )

    def to_json(self, level: str = "numpy") -> str:
        """JSON text: ``schema``, ``level`` and the ``segments`` at that level."""
        segments = [serial.to_json(graph) for graph in self.level(level)]
        document = {"schema": SCHEMA_VERSION, "level": level, "segments": segments}
        return json.dumps(document, allow_nan=False)

    def to_dot(self, level: str = "numpy") -> str:
        """DOT source for Graphviz, one box per operation, grouped by source line."""
        return dot.to_dot(self.level(level))
