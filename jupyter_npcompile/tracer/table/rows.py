"""Rows of the lowering table, and the words in which the table writes them."""

from __future__ import annotations

from typing import Literal

from jupyter_npcompile.dataclass import dataclass

Status = Literal["lowered", "host", "skeleton"]
How = Literal["graph", "source", "constant"]


@dataclass(frozen=True, slots=True)
class Row:
    """What becomes of one NumPy function.

    Parameters
    ----------
    name : str
        The operation, as a node names it: ``"numpy.sin"``.
    status : {"lowered", "host", "skeleton"}
        Compiled, run by NumPy between segments, or left in ordinary Python.
    lowering : str or None
        ``"module:function"`` in ``jupyter_npcompile.tracer.lowering``.
    reason : str
        Why it is not lowered, for the person who typed the cell.
    differentiable : bool
        Whether gradients pass through it.
    how : {"graph", "source", "constant"}
        How a lowered function is captured: as a node of the graph; by
        recording what its own Python source calls; or not at all, because its
        value follows from dtypes and shapes and is known while recording.
    """

    name: str
    status: Status
    lowering: str | None = None
    reason: str = ""
    differentiable: bool = False
    how: How = "graph"


@dataclass(frozen=True, slots=True)
class Section:
    """Rows that the documentation shows together.

    Parameters
    ----------
    title : str
        Its heading.
    rows : tuple of Row
        In the order of the page.
    """

    title: str
    rows: tuple[Row, ...]


def lowered(
    module: str, names: str, prefix: str = "numpy.", *, smooth: bool = True
) -> tuple[Row, ...]:
    """Rows for functions whose lowering bears their own name."""
    return tuple(
        Row(f"{prefix}{name}", "lowered", f"{module}:{name}", differentiable=smooth)
        for name in names.split()
    )


def lowered_as(
    lowering: str, names: str, prefix: str = "numpy.", *, smooth: bool = True
) -> tuple[Row, ...]:
    """Rows for functions that share one lowering."""
    return tuple(
        Row(f"{prefix}{name}", "lowered", lowering, differentiable=smooth) for name in names.split()
    )


def inlined(names: str, prefix: str = "numpy.", *, smooth: bool = True) -> tuple[Row, ...]:
    """Rows for functions that NumPy writes in Python on top of lowered ones."""
    return tuple(
        Row(f"{prefix}{name}", "lowered", differentiable=smooth, how="source")
        for name in names.split()
    )


def constants(names: str, prefix: str = "numpy.") -> tuple[Row, ...]:
    """Rows for what follows from dtypes and shapes, which the signature fixes."""
    return tuple(Row(f"{prefix}{name}", "lowered", how="constant") for name in names.split())


def host(reason: str, names: str, prefix: str = "numpy.") -> tuple[Row, ...]:
    """Rows for functions that NumPy runs between two segments."""
    return tuple(Row(f"{prefix}{name}", "host", reason=reason) for name in names.split())


def skeleton(reason: str, names: str, prefix: str = "numpy.") -> tuple[Row, ...]:
    """Rows for functions with an effect beyond arrays: their statement stays Python."""
    return tuple(Row(f"{prefix}{name}", "skeleton", reason=reason) for name in names.split())
