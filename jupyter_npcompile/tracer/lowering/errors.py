"""Why a graph cannot be lowered."""

from __future__ import annotations

from jupyter_npcompile.graph.nodes import Position


class LoweringError(Exception):
    """An operation that has no faithful form in ATen; NumPy runs it instead.

    Parameters
    ----------
    position : Position
        The operation in the cell.
    op : str
        The operation, as its node names it.
    reason : str
        Why, for the person who typed the cell.
    """

    def __init__(self, position: Position, op: str, reason: str) -> None:
        super().__init__(f"line {position.line}: {op}: {reason}")
        self.position = position
        self.op = op
        self.reason = reason


class UnsupportedError(Exception):
    """Raised inside a lowering; becomes a `LoweringError` of the current node."""
