"""The gradients of one cell or call as plain data: what the gradient view shows.

Nothing here imports torch or IPython. NumPy only looks at arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from jupyter_npcompile.dataclass import dataclass
from jupyter_npcompile.graph.nodes import Position

MOST = 24
"""Rows and columns of a picture; larger arrays are thinned out."""

BINS = 24
"""Parts of a histogram."""


@dataclass(frozen=True, slots=True)
class Sample:
    """An array, thinned out, and figures about all of it.

    Parameters
    ----------
    dtype : str
        Its dtype.
    shape : tuple of int
        Its shape.
    rows : tuple of tuple of float
        Some elements as a matrix; complex numbers by their size.
    low, high : float
        Smallest and largest finite element.
    norm : float
        Square root of the sum of squares.
    zeros : float
        The share of elements that are zero.
    nonfinite : int
        How many are NaN or infinite.
    histogram : tuple of int
        How many finite elements lie in each of equal parts from `low` to `high`.
    """

    dtype: str
    shape: tuple[int, ...]
    rows: tuple[tuple[float, ...], ...]
    low: float
    high: float
    norm: float
    zeros: float
    nonfinite: int
    histogram: tuple[int, ...] = ()

    @classmethod
    def of(cls, value: Any) -> Sample:
        """Look at an array or number.

        Examples
        --------
        >>> sample = Sample.of(np.array([3.0, 0.0, 4.0, np.nan]))
        >>> sample.norm, sample.zeros, sample.nonfinite, sample.rows[0][:3]
        (5.0, 0.25, 1, (3.0, 0.0, 4.0))
        """
        array = np.asarray(value)
        real = np.abs(array) if array.dtype.kind == "c" else array.astype(float)
        finite = real[np.isfinite(real)]
        return cls(
            array.dtype.name,
            array.shape,
            tuple(tuple(float(x) for x in row) for row in _thinned(real)),
            float(finite.min()) if finite.size else 0.0,
            float(finite.max()) if finite.size else 0.0,
            norm(finite.astype(float)),
            float(np.mean(real == 0)) if real.size else 0.0,
            int(real.size - finite.size),
            _histogram(finite),
        )


def norm(finite: Any) -> float:
    """Square root of the sum of squares, also where squares are no numbers any more.

    Examples
    --------
    >>> norm(np.array([0.0, 2e200]))
    2e+200
    """
    size = float(np.abs(finite).max()) if finite.size else 0.0
    if 1e-150 < size < 1e150:
        return float(np.sqrt(np.sum(finite**2)))
    return size * float(np.sqrt(np.sum((finite / (size or 1.0)) ** 2)))


def _histogram(finite: Any) -> tuple[int, ...]:
    """How many elements lie in each part; nothing where there is no room for parts."""
    if finite.size < 2:
        return ()
    wide = finite.astype(float)
    low, high = float(wide.min()), float(wide.max())
    width = high - low
    # Neighbouring numbers, or a distance that is no number, have no parts between them.
    if not np.isfinite(width) or low + width / BINS == low:
        return ()
    parts = np.clip((wide - low) / width * BINS, 0, BINS - 1).astype(int)
    return tuple(int(count) for count in np.bincount(parts.ravel(), minlength=BINS))


def _thinned(array: Any) -> Any:
    """Some rows and columns of an array."""
    matrix = array.reshape(1, -1) if array.ndim < 2 else array.reshape(-1, array.shape[-1])
    return matrix[_places(matrix.shape[0])][:, _places(matrix.shape[1])]


def _places(count: int) -> Any:
    return np.unique(np.linspace(0, max(count - 1, 0), min(count, MOST)).astype(int))[:count]


@dataclass(frozen=True, slots=True)
class VariableGradient:
    """A variable and its gradient.

    Parameters
    ----------
    output : str
        Of what it is the gradient.
    name : str
        The variable.
    value, gradient : Sample
        Both.
    """

    output: str
    name: str
    value: Sample
    gradient: Sample


@dataclass(frozen=True, slots=True)
class NodeGradient:
    """The gradient at one operation of the text, however often it ran.

    Parameters
    ----------
    op : str
        The operation, as a node names it.
    position : Position
        Where it stands.
    norm : float
        Of the gradient with respect to its result; of several runs, the largest.
    finite_value, finite_gradient : bool
        Whether all elements of its results, and of those gradients, are finite.
    times : int
        How often it ran.
    least : float or None
        Of several runs, the smallest norm.
    """

    op: str
    position: Position
    norm: float
    finite_value: bool
    finite_gradient: bool
    times: int = 1
    least: float | None = None


@dataclass(frozen=True, slots=True)
class NonFinite:
    """Where NaN or infinity appeared first.

    Parameters
    ----------
    op : str
        The operation, as a node names it.
    position : Position
        Where it stands.
    in_value : bool
        Whether it was in its result, or else in the gradient with respect to that.
    run : int
        In which run of the operation, counted from 1; 0 where it ran once.
    """

    op: str
    position: Position
    in_value: bool
    run: int = 0


@dataclass(frozen=True, slots=True)
class GradientReport:
    """What the gradient view shows.

    Parameters
    ----------
    variables : tuple of VariableGradient
        In the order of the names.
    nodes : tuple of NodeGradient
        In the order in which they first ran.
    notes : tuple of (Position, str)
        Where a derivative is zero by definition.
    check : str
        What the comparison with plain NumPy runs found.
    device : str
        Where they were computed.
    to_device, to_host : int
        Bytes that were copied for that.
    note : str
        How they were computed, where that does not go without saying: why by the CPU,
        though a device was asked for, or once more for a view.
    nonfinite : NonFinite or None
        Where NaN or infinity appeared first: in order of execution for results, in the
        reverse order for gradients.
    """

    variables: tuple[VariableGradient, ...] = ()
    nodes: tuple[NodeGradient, ...] = ()
    notes: tuple[tuple[Position, str], ...] = ()
    check: str = "unchecked"
    device: str = "cpu"
    to_device: int = 0
    to_host: int = 0
    note: str = ""
    nonfinite: NonFinite | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """Names of the gradients: ``output/variable``."""
        return tuple(f"{one.output}/{one.name}" for one in self.variables)

    def norms(self) -> dict[str, float | None]:
        """Their norms; none where something is not finite."""
        return {
            key: None if one.gradient.nonfinite else one.gradient.norm
            for key, one in zip(self.keys, self.variables, strict=True)
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; what is not finite becomes a string."""
        made: dict[str, Any] = _plain(asdict(self))
        return made

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> GradientReport:
        """The inverse of `to_dict`.

        Examples
        --------
        >>> one = VariableGradient("loss", "w", Sample.of(1.0), Sample.of(np.inf))
        >>> report = GradientReport((one,), notes=((Position(1, 2), "why"),))
        >>> GradientReport.from_dict(report.to_dict()) == report
        True
        """
        return cls(
            tuple(
                VariableGradient(
                    v["output"], v["name"], _sample(v["value"]), _sample(v["gradient"])
                )
                for v in data["variables"]
            ),
            tuple(
                NodeGradient(
                    n["op"],
                    Position(**n["position"]),
                    float(n["norm"]),
                    n["finite_value"],
                    n["finite_gradient"],
                    n.get("times", 1),
                    None if n.get("least") is None else float(n["least"]),
                )
                for n in data["nodes"]
            ),
            tuple((Position(**position), text) for position, text in data["notes"]),
            data["check"],
            data.get("device", "cpu"),
            int(data.get("to_device", 0)),
            int(data.get("to_host", 0)),
            data.get("note", ""),
            _nonfinite(data.get("nonfinite")),
        )


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value


def _nonfinite(data: Mapping[str, Any] | None) -> NonFinite | None:
    if data is None:
        return None
    return NonFinite(data["op"], Position(**data["position"]), data["in_value"], data["run"])


def _sample(data: Mapping[str, Any]) -> Sample:
    rows = tuple(tuple(float(x) for x in row) for row in data["rows"])
    return Sample(
        data["dtype"],
        tuple(data["shape"]),
        rows,
        float(data["low"]),
        float(data["high"]),
        float(data["norm"]),
        float(data["zeros"]),
        int(data["nonfinite"]),
        tuple(int(count) for count in data.get("histogram", ())),
    )
