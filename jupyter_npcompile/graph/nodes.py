"""Nodes, values and arguments of a captured graph, as plain data.

The same classes describe every level of a captured graph: the *NumPy level*
(one node per NumPy call), the *ATen level* (what it was lowered to, and where
there are gradients the way *backward*), and *kernels* (what the compiler fused).
Nothing here imports torch or IPython, so a graph can be written, sent to
another process, compared in a test or drawn anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from types import EllipsisType
from typing import Literal

from jupyter_npcompile.dataclass import dataclass

Level = Literal["numpy", "aten", "backward", "kernels"]
"""The levels at which a graph can be captured."""

Kind = Literal["array", "scalar", "python"]
"""What NumPy made: an ``ndarray``, a NumPy scalar, or a Python number."""


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """Where an operation stands in its cell or file.

    Parameters
    ----------
    line : int
        1-based line. In a cell, line 1 is the ``%%npcompile`` line.
    column : int
        0-based column, in characters.
    """

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class ValueType:
    """Type of one value: what NumPy made, down to the memory layout.

    Parameters
    ----------
    kind : {"array", "scalar", "python"}
        ``ndarray``, NumPy scalar (``np.float64(1.0)``) or Python number.
    dtype : str
        NumPy dtype name. Python numbers carry ``bool``, ``int64``,
        ``float64`` or ``complex128`` and are *weak* in NumPy's promotion.
    shape : tuple of int
        Empty for scalars and 0-d arrays.
    strides : tuple of int
        In bytes, as NumPy counts them.

    Examples
    --------
    >>> str(ValueType("array", "float64", (3, 4), (32, 8)))
    'float64[3,4]'
    >>> str(ValueType("scalar", "int64"))
    'int64'
    """

    kind: Kind
    dtype: str
    shape: tuple[int, ...] = ()
    strides: tuple[int, ...] = ()

    def __str__(self) -> str:
        if self.kind == "array":
            return f"{self.dtype}[{','.join(map(str, self.shape))}]"
        if self.kind == "scalar":
            return self.dtype
        return f"python {self.dtype.rstrip('0123456789')}"


@dataclass(frozen=True, slots=True)
class Ref:
    """The value that node ``id`` of the same graph made."""

    id: int


@dataclass(frozen=True, slots=True)
class DType:
    """A dtype given as an argument, by its NumPy name."""

    name: str


@dataclass(frozen=True, slots=True)
class Slice:
    """``start:stop:step`` inside an index."""

    start: Argument = None
    stop: Argument = None
    step: Argument = None


@dataclass(frozen=True, slots=True)
class Constant:
    """A NumPy array or scalar that is part of the graph.

    Parameters
    ----------
    type : ValueType
        Its type; arrays are stored in C order.
    data : bytes
        The elements in C order and native byte order.
    """

    type: ValueType
    data: bytes


@dataclass(frozen=True, slots=True)
class Size:
    """An integer that differs from call to call: a length, a stride, the bound of a slice.

    Parameters
    ----------
    text : str
        What it is: a symbol (``"s0"``), or an expression of symbols in Python's
        syntax; empty where nobody knows.
    values : tuple of int
        What it was in the recordings that the graph was made from, the latest first.
    """

    text: str
    values: tuple[int, ...]

    @property
    def is_symbol(self) -> bool:
        """Whether it stands for itself."""
        return self.text.isidentifier()


Argument = (
    Ref
    | DType
    | Slice
    | Size
    | Constant
    | bool
    | int
    | float
    | complex
    | str
    | None
    | EllipsisType
    | tuple["Argument", ...]
    | list["Argument"]
)
"""What may stand as an argument of a node. Lists stay lists, since
``x[[0, 1]]`` is not ``x[0, 1]``."""


@dataclass(frozen=True, slots=True)
class Node:
    """One captured operation.

    Parameters
    ----------
    id : int
        Unique in the graph, ascending in the order of capture.
    op : str
        What ran: ``"numpy.add"``, ``"numpy.linalg.solve"``,
        ``"numpy.add.reduce"`` (ufunc method), ``"ndarray.sum"`` (method),
        ``"ndarray.T"`` (attribute), ``"getitem"``, ``"setitem"``, ``"item"``
        (one result of a node with several), ``"python.float"`` (conversion),
        or, at the ATen level, ``"aten.mul.Tensor"``. An input of the graph
        is ``"input"``.
    args : tuple of Argument
        Positional arguments.
    kwargs : dict of str to Argument
        Keyword arguments. An in-place operation (``x += y``) is the ufunc
        with ``out`` set to what it writes.
    types : tuple of ValueType
        One per result; ``()`` for operations with no result (``setitem``).
    position : Position
        The operation in the cell; of one in a helper function, the call in the cell.
    view_of : int or None
        The node whose memory the result shares: the result is a view of it,
        or the very same array.
    writes : tuple of int
        Nodes whose memory the operation writes.
    name : str
        Variable name, for inputs.
    scope : str
        Helper functions it was inlined from, outermost first, joined by
        ``/``.
    reports : tuple of str
        Floating-point errors, by their names in ``np.errstate``, that NumPy
        reports when they happen here.
    finite : bool
        Whether every number of the recorded result was finite, as far as
        anybody looked.
    fuses : tuple of int
        Of a kernel: the nodes of the NumPy level of which it computes something.
    moves : int
        Of a kernel: bytes that it must read and write.
    """

    id: int
    op: str
    args: tuple[Argument, ...] = ()
    kwargs: dict[str, Argument] = field(default_factory=dict)
    types: tuple[ValueType, ...] = ()
    position: Position = Position(0, 0)
    view_of: int | None = None
    writes: tuple[int, ...] = ()
    name: str = ""
    scope: str = ""
    reports: tuple[str, ...] = ()
    finite: bool = True
    fuses: tuple[int, ...] = ()
    moves: int = 0

    @property
    def type(self) -> ValueType:
        """The type of the only result.

        Raises
        ------
        ValueError
            If the node has no result, or several.
        """
        if len(self.types) != 1:
            raise ValueError(f"{self.op} has {len(self.types)} results, not one")
        return self.types[0]

    def references(self) -> Iterator[int]:
        """Ids of the nodes this one reads, in order, with repetitions.

        Examples
        --------
        >>> list(Node(2, "numpy.add", (Ref(0), [Ref(1), Ref(0)])).references())
        [0, 1, 0]
        """
        for argument in (*self.args, *self.kwargs.values()):
            yield from references(argument)


def references(argument: Argument) -> Iterator[int]:
    """Ids of the nodes that an argument mentions, at any depth."""
    if isinstance(argument, Ref):
        yield argument.id
    elif isinstance(argument, Slice):
        for part in (argument.start, argument.stop, argument.step):
            yield from references(part)
    elif isinstance(argument, tuple | list):
        for part in argument:
            yield from references(part)


@dataclass(frozen=True, slots=True)
class Output:
    """A name that the graph binds.

    Parameters
    ----------
    name : str
        The variable.
    value : Argument
        A ``Ref``, a constant, or a tuple or list of them.
    """

    name: str
    value: Argument


@dataclass(frozen=True, slots=True)
class Graph:
    """A captured graph at one level: inputs, operations, outputs.

    Parameters
    ----------
    level : {"numpy", "aten", "backward", "kernels"}
        What its nodes stand for.
    inputs : tuple of Node
        Nodes with ``op == "input"``.
    nodes : tuple of Node
        The operations, in order of execution.
    outputs : tuple of Output
        What it binds.
    writes : tuple of int
        Ids of the inputs whose memory it writes.
    """

    level: Level
    inputs: tuple[Node, ...] = ()
    nodes: tuple[Node, ...] = ()
    outputs: tuple[Output, ...] = ()
    writes: tuple[int, ...] = ()

    def by_id(self) -> dict[int, Node]:
        """Inputs and operations by id."""
        return {node.id: node for node in (*self.inputs, *self.nodes)}

    def roots(self) -> dict[int, int]:
        """The node that owns the memory of each node: an input or an allocation."""
        found: dict[int, int] = {}
        for node in (*self.inputs, *self.nodes):
            found[node.id] = node.id if node.view_of is None else found[node.view_of]
        return found

    def written_inputs(self) -> tuple[int, ...]:
        """The inputs whose memory its operations write: what ``writes`` must be."""
        roots = self.roots()
        written = {roots[id] for node in self.nodes for id in node.writes}
        return tuple(sorted(written & {node.id for node in self.inputs}))

    def allocations(self) -> tuple[int, ...]:
        """Nodes whose memory must exist after the graph has run.

        They are the owners, other than inputs, of everything in ``outputs``,
        in order. Views among the outputs are taken again from them.
        """
        inputs = {node.id for node in self.inputs}
        roots = self.roots()
        found: dict[int, None] = {}
        for output in self.outputs:
            for id in references(output.value):
                if roots[id] not in inputs:
                    found[roots[id]] = None
        return tuple(found)
