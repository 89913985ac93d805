"""What was built for a segment, as plain data that goes into a file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field
from typing import Any

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.nodes import ValueType

VERSION = 5
"""Of the layout of manifests and of what the entry points take."""


@dataclass(frozen=True, slots=True)
class PieceManifest:
    """One native piece.

    Parameters
    ----------
    entry : str
        Name of its function in the library; empty when there is nothing to run.
    inputs : tuple of (int, ValueType)
        Nodes whose values it takes.
    constants : tuple of (ValueType, int)
        Arrays it takes next: type, and offset in the file of constants.
    outputs : tuple of (int, ValueType)
        Nodes it makes.
    writes : tuple of (int, ValueType)
        Inputs whose new contents come next.
    masks : tuple of (int, ValueType)
        Outputs of which a mask selects the elements, and the type of the
        mask; the masks come next.
    checks : int
        How many booleans come last.
    scratch : int
        Bytes of temporary memory.
    layout : str
        Name of the function that gives shapes and strides for given sizes;
        empty where nothing depends on sizes.
    """

    entry: str
    inputs: tuple[tuple[int, ValueType], ...]
    constants: tuple[tuple[ValueType, int], ...]
    outputs: tuple[tuple[int, ValueType], ...]
    writes: tuple[tuple[int, ValueType], ...]
    masks: tuple[tuple[int, ValueType], ...]
    checks: int
    scratch: int
    layout: str = ""

    @property
    def elements(self) -> int:
        """Elements of the largest array it touches."""
        kinds = [kind for _, kind in (*self.inputs, *self.outputs, *self.writes)]
        return max((math.prod(kind.shape) for kind in kinds), default=0)


@dataclass(frozen=True, slots=True)
class Manifest:
    """A program: native pieces and NumPy calls, in order.

    Parameters
    ----------
    steps : tuple of PieceManifest or int
        A piece, or the node that NumPy executes.
    torch : bool
        Whether the library needs symbols of torch's.
    aten : dict
        The ATen level, as JSON.
    kernels : dict
        The level of kernels, as JSON.
    general : dict or None
        The general graph, as JSON, where it serves more than one size.
    lengths : dict of str to list
        For each node of that, the shapes of its results, as texts.
    nests : tuple of tuple of int
        For each piece, which node of the level of kernels each of its loop nests is.
    rehearsed : float
        Seconds that large pieces have taken in a `rehearsal`; 0 where there was none.
    """

    steps: tuple[PieceManifest | int, ...]
    torch: bool
    aten: Mapping[str, Any]
    kernels: Mapping[str, Any] = field(default_factory=dict)
    general: Mapping[str, Any] | None = None
    lengths: Mapping[str, Any] = field(default_factory=dict)
    nests: tuple[tuple[int, ...], ...] = ()
    rehearsed: float = 0.0

    @property
    def pieces(self) -> tuple[PieceManifest, ...]:
        """The native pieces."""
        return tuple(step for step in self.steps if isinstance(step, PieceManifest))


def to_json(manifest: Manifest) -> dict[str, Any]:
    """Turn a manifest into plain data."""
    return {
        "version": VERSION,
        "steps": [step if isinstance(step, int) else _piece(step) for step in manifest.steps],
        "torch": manifest.torch,
        "aten": manifest.aten,
        "kernels": manifest.kernels,
        "general": manifest.general,
        "lengths": manifest.lengths,
        "nests": manifest.nests,
        "rehearsed": manifest.rehearsed,
    }


def from_json(data: Mapping[str, Any]) -> Manifest:
    """Read what `to_json` made.

    Raises
    ------
    ValueError
        If it is of another version.
    """
    if data.get("version") != VERSION:
        raise ValueError(f"version {data.get('version')!r} of a manifest")
    steps = tuple(step if isinstance(step, int) else _read(step) for step in data["steps"])
    nests = tuple(tuple(map(int, piece)) for piece in data["nests"])
    levels = data["aten"], data["kernels"], data["general"], data["lengths"]
    return Manifest(steps, bool(data["torch"]), *levels, nests, float(data["rehearsed"]))


def _type(kind: ValueType) -> list[Any]:
    return [kind.kind, kind.dtype, list(kind.shape), list(kind.strides)]


def _piece(piece: PieceManifest) -> dict[str, Any]:
    return {
        "entry": piece.entry,
        "inputs": [[id, _type(kind)] for id, kind in piece.inputs],
        "constants": [[_type(kind), offset] for kind, offset in piece.constants],
        "outputs": [[id, _type(kind)] for id, kind in piece.outputs],
        "writes": [[id, _type(kind)] for id, kind in piece.writes],
        "masks": [[id, _type(kind)] for id, kind in piece.masks],
        "checks": piece.checks,
        "scratch": piece.scratch,
        "layout": piece.layout,
    }


def _read(data: Mapping[str, Any]) -> PieceManifest:
    def kind(value: Any) -> ValueType:
        name, dtype, shape, strides = value
        return ValueType(name, dtype, tuple(map(int, shape)), tuple(map(int, strides)))

    def pairs(name: str) -> tuple[tuple[int, ValueType], ...]:
        return tuple((int(id), kind(value)) for id, value in data[name])

    return PieceManifest(
        str(data["entry"]),
        pairs("inputs"),
        tuple((kind(value), int(offset)) for value, offset in data["constants"]),
        pairs("outputs"),
        pairs("writes"),
        pairs("masks"),
        int(data["checks"]),
        int(data["scratch"]),
        str(data["layout"]),
    )


def nbytes(kind: ValueType) -> int:
    """The size of an array.

    Examples
    --------
    >>> nbytes(ValueType("array", "float32", (2, 3), (12, 4)))
    24
    """
    return math.prod(kind.shape) * np.dtype(kind.dtype).itemsize
